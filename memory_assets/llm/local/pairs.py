"""Whether a later saying changes an earlier one: a model learned from labelled pairs, and forms of change for what is
certain.

Logistic regressions (:mod:`.regression`) over :mod:`.pair_features` say how likely it is; a likely change is worth
looking at. Only a form of change that links both (:mod:`.change_forms`) makes it certain, whatever the model holds of
it.
``memory_assets_tests/labelled/validity`` holds what the weights are learned from, and the command.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from enum import StrEnum
from typing import NamedTuple

import numpy as np

from memory_assets.llm.local import change_forms, conflicts
from memory_assets.llm.local.conflicts import Later
from memory_assets.llm.local.language import ENGLISH, Parsed, parse
from memory_assets.llm.local.pair_features import Alignment, align, left, pair_features, read
from memory_assets.llm.local.parts import parts
from memory_assets.llm.local.regression import MOST_REASONS, reasons, regression

MODEL = "local pairs/12"
"""Its name: whatever changes an opinion raises the number, so that everything is judged again."""
WEIGHTS = "pair_model.npz"
"""A row for each of :class:`Heads`, and ``least``: how likely a change and a contradiction have to be, by what was
judged without having been learned from."""
OF_A_FORM = 0.9
"""How likely two texts contradict each other that differ in one value alone: 164 of 171 pairs of other hands."""


class Relation(StrEnum):
    """What a later saying does to an earlier one."""

    CHANGED = "changed"
    DONE = "done"
    SAME = "same"
    CONTRADICTS = "contradicts"
    BOTH = "both"


@dataclass(frozen=True, slots=True)
class Saying:
    """What somebody said; the speaker "" is the owner of the memory."""

    text: str
    speaker: str = ""
    day: date | None = None
    is_task: bool = False


@dataclass(frozen=True, slots=True)
class PairOpinion:
    """The likeliest relation that is likely enough; ``lost`` are the words of the earlier text that hold no longer, ""
    if none. ``is_certain``: a form of change links the two; ``kind`` says which, for people. ``is_scored``: a score
    alone says so. Neither: a form says so that mostly, not always, changes something.
    """

    relation: Relation
    probability: float
    is_certain: bool
    kind: str
    lost: str
    reasons: tuple[str, ...]
    is_scored: bool = False


class Heads(NamedTuple):
    """The four questions asked of a pair, each with its probability."""

    change: float
    done: float
    contradicts: float
    same: float


def features_of(pairs: Sequence[tuple[Saying, Saying]]) -> list[tuple[Alignment, dict[str, float]]]:
    """Each pair's words set against each other, and its features."""
    known = read(dict.fromkeys(one.text for pair in pairs for one in pair))
    found = (align(known[earlier.text], known[later.text]) for earlier, later in pairs)
    return [(one, pair_features(one, _flags(*pair))) for one, pair in zip(found, pairs, strict=True)]


def _flags(earlier: Saying, later: Saying) -> Mapping[str, bool]:
    is_same = earlier.speaker == later.speaker
    return {
        "one speaker": is_same,
        "the later names the earlier's speaker": not is_same and _names(later.text, earlier.speaker),
        "the earlier names the later's speaker": not is_same and _names(earlier.text, later.speaker),
        "the earlier is a task": earlier.is_task,
    }


def _names(text: str, speaker: str) -> bool:
    return any(re.search(rf"\b{re.escape(name)}\b", text) for name in speaker.split() if len(name) > 1)


def judge_pairs(pairs: Sequence[tuple[Saying, Saying]]) -> list[PairOpinion]:
    """Judge each pair of an earlier and a later saying."""
    found = features_of(pairs)
    scored = [_score(features) for _, features in found]
    english = [at for at, (one, _) in enumerate(found) if all(text.language == ENGLISH for text in one.texts)]
    likely = {
        at
        for at in english
        if change_forms.may_link(found[at][0].earlier.words, found[at][0].later.words, pairs[at][0].is_task)
    }
    own = (at for at in english if pairs[at][0].speaker == pairs[at][1].speaker and not pairs[at][0].is_task)
    alike = {at for at in own if conflicts.may_conflict(found[at][0])}
    texts = list(dict.fromkeys(one.text for at in sorted(likely | alike) for one in pairs[at]))
    parsed = dict(zip(texts, parse(texts), strict=True)) if texts else {}
    forms: dict[int, change_forms.Form | None] = {}
    for at in likely:
        first, second = ((parsed[one.text], one.speaker) for one in pairs[at])
        forms[at] = change_forms.link(first, second, pairs[at][0].is_task)
    for at in alike:
        forms[at] = forms.get(at) or _later_value(*pairs[at], parsed)
    return [
        _opinion(pair, one, heads, speaks, forms.get(at))
        for at, (pair, (one, _), (heads, speaks)) in enumerate(zip(pairs, found, scored, strict=True))
    ]


def _later_value(earlier: Saying, later: Saying, parsed: Mapping[str, Parsed]) -> change_forms.Form | None:
    """What two texts say otherwise of one thing: on a later day a state has changed, else they contradict."""
    conflict = conflicts.conflict(parsed[earlier.text], parsed[later.text])
    is_later = earlier.day is not None and later.day is not None and earlier.day < later.day
    if conflict is None or is_later and conflict.later is Later.ADDS:
        return None
    if is_later and conflict.later is Later.CHANGES:
        return change_forms.Form("later value", conflict.kind)
    return change_forms.Form("two values", conflict.kind, contradicts=True)


def _score(features: Mapping[str, float]) -> tuple[Heads, tuple[tuple[str, ...], ...]]:
    """The probabilities, and for each head the features that speak most for it."""
    model = regression(WEIGHTS)
    parts = model.parts(features)
    heads = Heads(*map(float, 1 / (1 + np.exp(-(parts.sum(axis=1) + model.biases)))))
    return heads, tuple(reasons(features, row) for row in parts)


def _opinion(
    pair: tuple[Saying, Saying],
    found: Alignment,
    heads: Heads,
    speaks: Sequence[tuple[str, ...]],
    form: change_forms.Form | None,
) -> PairOpinion:
    earlier, later = pair
    least_change, least_contradiction = regression(WEIGHTS).least
    if earlier.text.split() == later.text.split():
        return PairOpinion(Relation.SAME, 1.0, False, "", "", ("the same words",))
    if form is not None and form.contradicts:
        why = (f"its form: {form.name}",)
        return PairOpinion(Relation.CONTRADICTS, max(heads.contradicts, OF_A_FORM), False, form.kind, "", why)
    if form is not None or heads.change >= least_change:
        is_done = form.is_done if form else earlier.is_task and heads.done >= 0.5
        shown = ((f"its form: {form.name}",) if form else ()) + speaks[Heads._fields.index("change")]
        return PairOpinion(
            Relation.DONE if is_done else Relation.CHANGED,
            max(heads.change, float(least_change)),
            form is not None and not form.is_likely,
            form.kind if form else _kind(found),
            lost(earlier.text, found, form),
            shown[:MOST_REASONS],
            is_scored=form is None,
        )
    if heads.contradicts >= least_contradiction:
        shown = speaks[Heads._fields.index("contradicts")]
        return PairOpinion(Relation.CONTRADICTS, heads.contradicts, False, _kind(found), "", shown, True)
    relation, probability = (
        (Relation.SAME, heads.same) if heads.same >= 0.5 else (Relation.BOTH, (1 - heads.same) * (1 - heads.change))
    )
    return PairOpinion(relation, probability, False, "", "", speaks[Heads._fields.index("same")])


def _kind(found: Alignment) -> str:
    """What differs, in a word."""
    words = left(found, 0), left(found, 1)
    if all(any(word.is_figure for word in side) for side in words):
        return "figure"
    if all(any("time" in word.marks for word in side) for side in words):
        return "date"
    if ("negation" in found.earlier.marks) != ("negation" in found.later.marks):
        return "negation"
    return "name" if all(any(word.is_name for word in side) for side in words) else ""


_OF_CLAUSE = 0.5
"""A clause goes with the one that is nearest to the later text if it is at least so near to it."""


def lost(text: str, found: Alignment, form: change_forms.Form | None) -> str:
    """The clause of the earlier text that a form of change speaks of, else the one that is nearest to the later text;
    the text, where it has one clause or all are near.
    """
    spans = parts(text)
    if len(spans) == 1 or form is not None and form.is_done:
        return text
    if form is not None and form.at >= 0:
        return next((text[part.start : part.end] for part in spans if part.start <= form.at < part.end), text).strip(
            " ,"
        )
    near = {
        word.lower: float(value) * max(word.worth, 0.1)
        for word, value in zip(found.earlier.words, found.near[0], strict=True)
    }
    worth = [
        max((near.get(word, 0.0) for word in re.findall(r"[\w'-]+", text[part.start : part.end].lower())), default=0.0)
        for part in spans
    ]
    if min(worth, default=0.0) >= _OF_CLAUSE * max(worth, default=0.0):
        return text
    nearest = spans[int(np.argmax(worth))]
    return text[nearest.start : nearest.end].strip(" ,")
