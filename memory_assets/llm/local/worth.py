"""How likely a restated sentence is worth a line of a file - who reads it years later wants to know it, and
understands it alone - and how likely it holds a year later: of what is worth a line half does not.

Two logistic regressions over the features by which its kind is judged and what restating it shows: what it says as
known ("the log"), whom it means, whether it says more than a pronoun. Their weights lie beside this module as one byte
each; ``memory_assets_tests/labelled/worth`` holds what they are learned from, and the command.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from functools import reduce
from typing import NamedTuple

from memory_assets.llm.local.language import ENGLISH, Parsed, language_of, specificity
from memory_assets.llm.local.leaning import said_as_known
from memory_assets.llm.local.reading import is_owners
from memory_assets.llm.local.regression import regression
from memory_assets.llm.local.restating import Restated
from memory_assets.llm.local.sentence_model import Kind, Opinion
from memory_assets.llm.local.standalone import SUBJECTS, together
from memory_assets.llm.local.statements import Verdict, as_written
from memory_assets.llm.tasks import SourceText

WEIGHTS, LASTING_WEIGHTS = "worth_model.npz", "lasting_model.npz"
JUDGED = frozenset({"conversation", "transcript", "slack", "email"})
"""The kinds of sources that it is learned from: what people say. What is noted down is ``note_worth.py``'s."""
_MEANT = {
    "the speaker": frozenset("i me my mine myself".split()),
    "several": frozenset("we us our ours ourselves".split()),
    "the listener": frozenset("you your yours yourself".split()),
    "what was said": frozenset("it its he him his she her they them their".split()),
    "what is shown": frozenset("this that these those".split()),
}


def is_judged(restated: Restated, verdict: Verdict, source: SourceText) -> bool:
    """Whether it is what the model judges best: an English statement of one person to another, no item of a list of
    tasks; of what is said to an assistant only facts and small talk, of what an assistant says nothing.
    """
    sentence = restated.sentence
    is_said = not sentence.by_assistant and not sentence.setting.is_worked_on
    is_speech = source.source_type in JUDGED and is_said and as_written(sentence.piece) is None
    may_be = is_speech and (not sentence.to_assistant or verdict.kind in {Kind.FACT, Kind.NONE})
    return may_be and bool(restated.statement or restated.quotation) and language_of(sentence.text) == ENGLISH


class Judged(NamedTuple):
    """The two probabilities, in three digits."""

    worth: float
    lasting: float


def judged(restated: Restated, verdict: Verdict, source: SourceText) -> Judged:
    """How likely it is worth a line, and how likely it holds a year later."""
    groups = verdict.opinion.features, features(restated, verdict, source)
    scores = (regression(file).score(*groups) for file in (WEIGHTS, LASTING_WEIGHTS))
    return Judged(*(round(1.0 / (1.0 + math.exp(-score)), 3) for score in scores))


def features(restated: Restated, verdict: Verdict, source: SourceText) -> dict[str, float]:
    """What a restated sentence shows beside what :mod:`~memory_assets.llm.local.sentence_features` sees, in 0 to 2."""
    parsed, statement = restated.sentence.parsed, restated.quotation or restated.statement or ""
    whole = reduce(together, (one.parsed for one in restated.said)) if restated.said else restated.parsed
    known = said_as_known(parsed)
    return {
        **_judged(verdict.opinion),
        **dict.fromkeys(_grammar(parsed), 1.0),
        "how likely it is needed again": verdict.durability,
        "how much it says as known": min(3, known) / 2,
        "it says something as known": float(known > 0),
        "how much it tells": specificity(parsed),
        "how much is told with it": specificity(whole),
        "how many names it has": min(3, len(parsed.names)) / 2,
        "how long it is told": min(2.0, len(statement.split()) / 20),
        "it is told with others": float(" and others" in statement),
        "it is told with the sentence before": float(whole is not parsed),
        "it is quoted": float(bool(restated.said)),
        "how much of it is quoted": min(3, len(restated.said)) / 2,
        "it is told as it was said": float(statement == restated.sentence.text),
        "it is told of the user": float("the user" in statement.lower()),
        "its owner says it": float(is_owners(source, restated.sentence.speaker)),
        "nobody says it": float(restated.sentence.speaker is None),
        f"it is told in: {source.source_type}": 1.0,
    }


def _judged(thought: Opinion) -> Mapping[str, float]:
    kinds = {f"it may be a {kind}": math.log(share + 0.01) / 2 for kind, share in thought.kinds.items()}
    return kinds | {f"it may hold for {span}": share for span, share in thought.lasting.items()}


def _grammar(parsed: Parsed) -> Iterator[str]:
    tokens = parsed.tokens
    for name in parsed.names:
        yield f"it names a {name.label}"
    said = {token.lower for token in tokens}
    yield from (f"it means {whom}" for whom, words in _MEANT.items() if words & said)
    root = next((token for token in tokens if token.dep == "ROOT"), None)
    if root is not None:
        yield f"its verb is {root.tag}"
        yield f"its verb is “{root.lemma}”"
    subject = next((at for at, token in enumerate(tokens) if token.dep in SUBJECTS), None)
    if subject is None:
        yield "it has no subject"
        return
    token = tokens[subject]
    yield f"its subject is “{token.lower}”" if token.pos == "PRON" else f"its subject is {token.pos}"
    if token.pos == "NOUN":
        before = next((other.lower for other in tokens if other.head == subject and other.dep == "det"), "nothing")
        yield f"its subject has {before} before it"
