"""Titles that distinguish memories: of an owner's that were given the same each says whom or when it is of. Pure.

Texts have a bound, too: each is a line of a file.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from memory_assets.clock import MONTHS, day_of
from memory_assets.hierarchy.evidence import LEAST_SENTENCES
from memory_assets.llm.sentences import Sentence

MOST_CHARACTERS = 720
"""Of an overview's text, about 180 tokens: its line is one of a file's dozens."""


@dataclass(frozen=True)
class Titled:
    """A title as it was given, the anchor's name, and when the first and the last event happened."""

    title: str
    anchor: str
    first_at: datetime | None
    last_at: datetime | None


def distinct(given: Mapping[str, Titled]) -> dict[str, str]:
    """The titles by id; of those that are the same each with its anchor, then with its days: a function of all."""
    forms = {key: _forms(one) for key, one in given.items()}
    level = dict.fromkeys(forms, 0)
    while True:
        titles = {key: forms[key][at] for key, at in level.items()}
        times = Counter(title.casefold() for title in titles.values())
        same = [
            key for key, title in titles.items() if times[title.casefold()] > 1 and level[key] < len(forms[key]) - 1
        ]
        if not same:
            return titles
        for key in same:
            level[key] += 1


def stem(title: str) -> str:
    """What a title has in common with every form of it, and with every title that a form of it can be the same as: of
    titles with other stems no two can be.
    """
    return title.casefold().partition(" (")[0].partition(",")[0]


def bounded(sentences: Sequence[Sentence]) -> tuple[Sentence, ...]:
    """A text's sentences in their order: each that a line has room for; if fewer than two, less the longest."""
    if len(sentences) <= LEAST_SENTENCES:
        return tuple(sentences)
    taken, length = [], 0
    for one in sentences:
        if length + len(one.text) <= MOST_CHARACTERS:
            taken.append(one)
            length += len(one.text) + 1
    if len(taken) >= LEAST_SENTENCES:
        return tuple(taken)
    longest = max(range(len(sentences)), key=lambda at: len(sentences[at].text))
    return bounded([*sentences[:longest], *sentences[longest + 1 :]])


def _forms(one: Titled) -> list[str]:
    is_named = one.anchor.casefold() in one.title.casefold()
    named = one.title if is_named else f"{one.title} ({one.anchor})"
    days = _days(one.first_at, one.last_at)
    # Last the anchor that the title names already, beside another anchor's.
    forms = [one.title, named, *([f"{named}, {days}"] if days else []), f"{one.title} ({one.anchor})"]
    return list(dict.fromkeys([*forms, f"{forms[-1]}, {days}" if days else forms[-1]]))


def _days(first: datetime | None, last: datetime | None) -> str:
    """ "5 to 19 October 2026": from the first to the last day, in UTC; nothing for unknown days."""
    if first is None or last is None:
        return ""
    start, end = day_of(first), day_of(last)
    began = [str(start.day), MONTHS[start.month - 1], str(start.year)]
    ended = [str(end.day), MONTHS[end.month - 1], str(end.year)]
    if start == end:
        return " ".join(ended)
    shared = 2 if began[1:] == ended[1:] else 1 if began[2] == ended[2] else 0
    return f"{' '.join(began[: 3 - shared])} to {' '.join(ended)}"
