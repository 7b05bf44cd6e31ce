"""How likely a sentence of a note is worth a line of a file: whether an agent that works for its writer should know it
before anything is asked.

A linear regression over the features by which its kind is judged, its words, and where it is: the words of the
headings above it and of its label, its form, whether it is an entry of a list or a row. A log's figures and an allergy
look alike, and differ only in what is around them. Its weights lie beside this module;
``memory_assets_tests/labelled/noted`` holds the labelled notes that they are learned from, and the command.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator

from memory_assets.llm.local.language import ENGLISH, language_of
from memory_assets.llm.local.pair_features import stem
from memory_assets.llm.local.regression import regression
from memory_assets.llm.local.restating import Restated
from memory_assets.llm.local.sentences import Form
from memory_assets.llm.local.statements import NOTE, Verdict
from memory_assets.llm.tasks import SourceText
from memory_assets.text.words import BARE_WORD

WEIGHTS = "note_worth_model.npz"
MOST_WORTH = 3
"""What the best lines of those that it is learned from are worth; the useless are worth 0."""
USELESS = 0.05
"""Up to this share of the most a line is worth nothing."""
_MOST_ABOVE = 3
_WORD = 0.7
"""What one of several words is counted as, beside 1 for what is there alone."""
_LABEL = re.compile(r"\W*([^:\n]{1,40}):")


def is_judged(restated: Restated, verdict: Verdict, source: SourceText) -> bool:
    """Whether the model judges it: a fact or preference of an English note; what is ticked off is worth less by what it
    was, and a task's worth is its own.
    """
    sentence = restated.sentence
    is_noted = bool(restated.statement) and sentence.place is not None and source.source_type == NOTE
    is_lasting = verdict.content_type not in ("task", "chitchat") and sentence.piece.form is not Form.DONE
    return is_noted and is_lasting and language_of(sentence.text) == ENGLISH


def note_worth(restated: Restated, verdict: Verdict, source: SourceText) -> float:
    """How likely it is to be needed again, 0 to 1 in three digits: what is seldom of use (a third) is at about a half,
    likely of use (two thirds) at .8, as with what is judged by its words, so that notes last as long as those.
    """
    share = regression(WEIGHTS).score(verdict.opinion.features, features(restated, verdict, source)) / MOST_WORTH
    return round(math.sqrt(min(1.0, max(0.0, (share - USELESS) / (1 - USELESS)))), 3)


def features(restated: Restated, verdict: Verdict, source: SourceText) -> dict[str, float]:
    """Where a line is and what it is, beside its :mod:`~memory_assets.llm.local.sentence_features`; 0 to 2."""
    sentence, setting = restated.sentence, restated.sentence.setting
    above = sentence.place.above if sentence.place else ()
    label = _LABEL.match(sentence.text)
    return {
        **dict.fromkeys(_features_of("a heading has", *above[-_MOST_ABOVE:]), _WORD),
        **dict.fromkeys(_features_of("the heading has", *above[-1:]), _WORD),
        **dict.fromkeys(_features_of("the title has", source.title or ""), _WORD),
        **(dict.fromkeys(_features_of("the label has", label[1]), 1.0) if label else {}),
        **{f"it tells of “{stem(token.lower)}”": 1.0 for token in restated.parsed.tokens if token.text[:1].isalpha()},
        "it has a label": float(label is not None),
        f"it is a {sentence.piece.form.value}": 1.0,
        f"it is a {verdict.kind.value} by its words": 1.0,
        "how likely it is needed again by its words": verdict.durability * 2,
        "how deep it stands": min(2.0, len(above) / _MOST_ABOVE),
        "it is a line": float(setting.is_line),
        "it is an entry": float(setting.is_entry),
        "it is of somebody": float(setting.is_of_somebody),
        "it is in a list of bare things": float(setting.is_listed),
        "it is a row": float(bool(setting.row)),
        "it is quoted": float(bool(sentence.place and sentence.place.is_quoted)),
        "its title has a figure": float(any(map(str.isdigit, source.title or ""))),
    }


def _features_of(where: str, *texts: str) -> Iterator[str]:
    return (f"{where} “{word.casefold()}”" for text in texts for word in BARE_WORD.findall(text))
