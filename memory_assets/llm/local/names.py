"""Titles and overviews of storylines and macros, from the summaries of what they include."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence
from datetime import date

from memory_assets.llm.local.describe import lemmas, word_values
from memory_assets.llm.local.entities import clean_name, name_spans, noun_phrases
from memory_assets.llm.local.language import Parsed, parse, rarity
from memory_assets.llm.local.lexicon import NOT_NAMES, VAGUE_NOUNS
from memory_assets.llm.local.sentences import pieces, split_sentences
from memory_assets.llm.tasks import DatedSummary, MacroName, MacroRequest, StorylineName, StorylineRequest

LONGEST_SENTENCE = 260
MOST_SUMMARIES = 400
_SPEAKER = re.compile(r"^[^\s:][^:]{0,40}: (?=\S)")
_DATED = re.compile(r"^\d{1,2} [A-Z][a-z]+ \d{4}: ")


def name_storyline(request: StorylineRequest) -> StorylineName:
    """The answer to ``hierarchy/name_storyline``: a title, and two to three dated sentences."""
    title, summary = _tell(request.anchor, request.sources, sentences=3)
    return StorylineName(title=title, summary=summary)


def name_macro(request: MacroRequest) -> MacroName:
    """The answer to ``hierarchy/name_macro``: a title, and two to four dated sentences."""
    title, overview = _tell(request.anchor, request.storylines, sentences=4)
    return MacroName(title=title, overview=overview)


def _tell(anchor: str, included: Sequence[DatedSummary], sentences: int) -> tuple[str, str]:
    told: list[tuple[str | None, str]] = []
    for item in _spread(included):
        lead = ""
        for piece in pieces(item.summary):
            # A dated lead ("8 May 2023: ") is kept once, from the day that we were given or the text's own.
            if match := _DATED.match(piece.text):
                told.append((None, piece.text))
                lead = match[0]
            else:
                told.append((None, lead + piece.text) if lead else (item.day, piece.text))
    if not told:
        return anchor, f"{anchor}."
    parsed = parse([_bare(text) for _, text in told])
    chosen = _cover(parsed, [text for _, text in told], sentences)
    return _title(anchor, parsed), " ".join(_dated(*told[position]) for position in chosen)


def _spread(included: Sequence[DatedSummary]) -> list[DatedSummary]:
    """At most so many summaries, evenly over time: the cost of a title has a bound."""
    if len(included) <= MOST_SUMMARIES:
        return list(included)
    step = len(included) / MOST_SUMMARIES
    return [included[int(index * step)] for index in range(MOST_SUMMARIES)]


def _bare(text: str) -> str:
    return _SPEAKER.sub("", _DATED.sub("", text))


def _cover(parsed: Sequence[Parsed], texts: Sequence[str], most: int) -> list[int]:
    """Greedy coverage of what is worth most per length, then put into the given (time) order."""
    values = word_values(parsed)
    words = [lemmas(one) for one in parsed]
    open_positions = [i for i, text in enumerate(texts) if len(text) <= LONGEST_SENTENCE] or list(
        range(min(len(texts), most))
    )
    chosen: list[int] = []
    covered: set[str] = set()
    while open_positions and len(chosen) < most:
        gains = {
            i: math.fsum(values[w] for w in sorted(words[i] - covered)) / (8 + len(parsed[i].tokens)) ** 0.75
            for i in open_positions
        }
        best = max(open_positions, key=lambda i: (gains[i], -i))
        if gains[best] <= 0 and len(chosen) >= 2:
            break
        chosen.append(best)
        covered |= words[best]
        open_positions = [i for i in open_positions if i != best and texts[i] != texts[best]]
    return sorted(chosen)


def _dated(day: str | None, text: str) -> str:
    text = text if text[-1:] in ".!?…" else text.rstrip(" ,;:") + "."
    if len(text) > LONGEST_SENTENCE + 60:
        text = split_sentences(text[: LONGEST_SENTENCE + 60])[0].rsplit(" ", 1)[0] + " …"
    try:
        return f"{_spoken(date.fromisoformat(day))}: {text}" if day else text
    except ValueError:
        return text


_MONTHS = (
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
)


def _spoken(day: date) -> str:
    """ "8 May 2023", whatever the machine's locale is."""
    return f"{day.day} {_MONTHS[day.month - 1]} {day.year}"


def _title(anchor: str, parsed: Sequence[Parsed]) -> str:
    """The anchor and the two to four terms that most of the summaries share and few other texts would."""
    said: Counter[str] = Counter()
    for one in parsed:
        phrases = {" ".join(word.lemma.lower() for word in phrase[-2:]) for phrase in noun_phrases(one)}
        said.update(phrases | {phrase.split()[-1] for phrase in phrases})
        named = (clean_name(text) for text, _, _ in name_spans(one))
        said.update({name for name in named if name is not None})
    known = set(anchor.lower().split())
    scores = {
        term: max(rarity(word.lower()) for word in term.split()) * (0.2 + math.log(count))
        for term, count in said.items()
        if _is_telling(term, known)
    }
    terms: list[str] = []
    for term in sorted(scores, key=lambda term: (-scores[term], -len(term), term)):
        if len(terms) == 3:
            break
        if not any(term.lower() in other.lower() or other.lower() in term.lower() for other in terms):
            terms.append(term)
    return f"{anchor}: {', '.join(terms)}" if terms else anchor


def _is_telling(term: str, known: set[str]) -> bool:
    words = term.lower().split()
    return (
        bool(words)
        and words[-1] not in VAGUE_NOUNS
        and words[-1] not in NOT_NAMES
        and len(words[-1]) > 2
        and not known & set(words)
    )
