"""Titles and texts of storylines and macros: the statements of their sources that say most, each whole, with its day
and its reference.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import date
from typing import NamedTuple

from memory_assets.clock import MONTHS
from memory_assets.llm.local.describe import are_alike, cover, lemmas, word_values
from memory_assets.llm.local.language import Parsed, parse
from memory_assets.llm.local.lexicon import ASSISTANT_ROLES, ROLES
from memory_assets.llm.local.sentences import split_sentences
from memory_assets.llm.local.titles import Stated, matters_of, title_of
from memory_assets.llm.tasks import (
    DatedSummary,
    DescribedSentence,
    MacroName,
    MacroRequest,
    StorylineName,
    StorylineRequest,
)
from memory_assets.text.attribution import behind_name

LONGEST_STATEMENT = 170
MOST_SUMMARIES = 400
LATEST, EARLIEST = 1.5, 1.2
"""What the last source says is how it is now, what the first says how it began."""
FEWEST_OF_MATTER = 2
"""So many statements are a text that speaks of one matter."""
FEWEST_SENTENCES = 2
"""So many sentences has a text where as many are said."""
SAME_WORDS, REPEATED_WORDS = 0.6, 0.8
"""Statements that share so many of their content words (of the shorter one) say the same, or repeat each other."""


class _DatedStatement(NamedTuple):
    """A statement with its day, who says it, which source it is of, and the reference that it is cited by."""

    source: int
    day: date | None
    speaker: str | None
    text: str
    ref: str | None


def name_storyline(request: StorylineRequest) -> StorylineName:
    """The answer to ``hierarchy/name_storyline``: a title, and two to three dated statements."""
    story = _Story(request.anchor, request.sources)
    title = title_of(request.anchor, story.stated)
    return StorylineName(title=title, sentences=story.sentences(title, 3))


def name_macro(request: MacroRequest) -> MacroName:
    """The answer to ``hierarchy/name_macro``: a title with its months, and two to four dated statements."""
    # The day of a storyline is its first: what it rests on has its own, or none.
    story = _Story(request.anchor, [one.model_copy(update={"day": None}) for one in request.storylines])
    title = title_of(request.anchor, story.stated, is_open=False)
    months = _months([one.day for one in story.statements if one.day])
    return MacroName(title=f"{title}, {months}" if months else title, sentences=story.sentences(title, 4))


class _Story:
    """The statements of what a storyline or macro includes, and the matters that several of its sources share."""

    def __init__(self, anchor: str, included: Sequence[DatedSummary]) -> None:
        self.anchor = anchor
        self.statements = _read(included)
        self.parsed = parse([one.text for one in self.statements])
        self.stated = [
            Stated(one.source, one.speaker, words) for one, words in zip(self.statements, self.parsed, strict=True)
        ]
        self.known = set(anchor.casefold().split())
        self.shared = {
            frozenset(matter.words): matter.worth
            for matter in matters_of(self.stated)
            if len(matter.sources) > 1 and not matter.is_person and not set(matter.words) <= self.known
        }

    def sentences(self, title: str, most: int) -> tuple[DescribedSentence, ...]:
        """The statements that say most of what is shared and of the title's matter, in the order of time: what the
        title says, with its day, the last of the matter, and none that says what another says.
        """
        titled, matter = map(lemmas, parse([title, title.split(": ")[0]]))
        chosen = self._choose(titled, matter, most, is_named=": " in title)
        # What has no day comes first: behind a day it would be of that day.
        in_time = sorted(chosen, key=lambda at: (self.statements[at].day or date.min, at))
        return tuple(_sentence(self.statements[at]) for at in in_time)

    def _choose(self, titled: frozenset[str], matter: frozenset[str], most: int, *, is_named: bool) -> list[int]:
        """The places of the statements."""
        values = word_values(self.parsed)
        worths = self._worths()
        words = {at: lemmas(self.parsed[at]) - self.known for at in worths}
        said = max(worths, key=lambda at: (len(words[at] & titled), at), default=None)
        left = {at: worth for at, worth in worths.items() if at == said} | self._of_one_matter(worths, matter, is_named)
        first = [at for at in (max(left, default=None), said) if at is not None]
        of_matter = frozenset(left)
        chosen: list[int] = []
        while left and len(chosen) < most:
            # The newest of what says the same.
            for at in first or reversed(cover(self.parsed, values, left, most - len(chosen))):
                if at in left and not any(are_alike(words[at], words[other], SAME_WORDS) for other in chosen):
                    chosen.append(at)
                left.pop(at, None)
            first = []
        return _filled(chosen, sorted(worths, key=lambda at: (at not in of_matter, -worths[at], -at)), words)

    def _of_one_matter(self, worths: dict[int, float], titled: frozenset[str], is_named: bool) -> dict[int, float]:
        """The worths of the statements that speak of the title's matter; of all, where none does, or only one of what
        the title does not name as a matter.
        """
        matter = titled - self.known
        people = {word.casefold() for one in self.statements if one.speaker for word in one.speaker.split()}
        related = {at: worth for at, worth in worths.items() if lemmas(self.parsed[at]) & (matter - people)}
        return related if len(related) >= (1 if is_named else FEWEST_OF_MATTER) else worths

    def _worths(self) -> dict[int, float]:
        shares = [self._shares(one) / (8 + len(one.tokens)) ** 0.5 for one in self.parsed]
        most = max(shares, default=0.0) or 1.0
        last = max((one.source for one in self.statements), default=0)
        worths = {
            at: (LATEST if one.source == last else EARLIEST if one.source == 0 else 1.0) * (0.5 + shares[at] / most)
            for at, one in enumerate(self.statements)
        }
        # Where nothing is short and plain, what there is says more than nothing.
        return {at: worth for at, worth in worths.items() if self._is_plain(at)} or worths

    def _is_plain(self, at: int) -> bool:
        text, tokens = self.statements[at].text, self.parsed[at].tokens
        is_order = bool(tokens) and tokens[0].tag == "VB"  # it says nothing of what happened
        return len(text) <= LONGEST_STATEMENT and "?" not in text and not is_order

    def _shares(self, parsed: Parsed) -> float:
        words = {token.lemma.casefold() for token in parsed.tokens}
        return sum(worth for matter, worth in self.shared.items() if matter <= words)


def _read(included: Sequence[DatedSummary]) -> list[_DatedStatement]:
    """Every statement once: what sources state of the anchor, or, where none does, their summaries."""
    is_stated = any(is_somebodys(one.speaker) for item in included for one in item.said)
    found: dict[str, _DatedStatement] = {}
    for at, item in enumerate(_spread(included)):
        for one in _said(at, item) if is_stated else _of_summary(at, item):
            found.setdefault(one.text, one)
    return list(found.values())


def is_somebodys(speaker: str | None) -> bool:
    """Whether words may tell of somebody: an assistant's are nobody's experience."""
    return (speaker or "").strip().casefold() not in ASSISTANT_ROLES


def _said(source: int, item: DatedSummary) -> Iterator[_DatedStatement]:
    """What people say of the anchor."""
    for one in item.said:
        if is_somebodys(one.speaker):
            text = " ".join(one.text.split())
            yield _DatedStatement(source, _date(one.day or item.day), one.speaker, text, one.ref)


def _of_summary(source: int, item: DatedSummary) -> Iterator[_DatedStatement]:
    """Each sentence of a summary is a statement of its day."""
    for sentence in split_sentences(" ".join(item.summary.split())):
        yield _DatedStatement(source, _date(item.day), None, sentence, item.ref)


def _spread(included: Sequence[DatedSummary]) -> list[DatedSummary]:
    """At most so many summaries, evenly over time: the cost of a title has a bound."""
    if len(included) <= MOST_SUMMARIES:
        return list(included)
    step = len(included) / MOST_SUMMARIES
    return [included[int(index * step)] for index in range(MOST_SUMMARIES)]


def _filled(chosen: list[int], others: list[int], words: dict[int, frozenset[str]]) -> list[int]:
    """The same; where it is one statement alone, with the first of the others that does not repeat it."""
    for at in others if len(chosen) < FEWEST_SENTENCES else ():
        if at not in chosen and not any(are_alike(words[at], words[one], REPEATED_WORDS) for one in chosen):
            return [*chosen, at]
    return chosen


def _sentence(one: _DatedStatement) -> DescribedSentence:
    """A statement behind its day, and behind its speaker's name where it doesn't say it."""
    text = one.text if one.text[-1:] in ".!…" else one.text.rstrip(" ,;:") + "."
    day = f"{one.day.day} {_month(one.day)}: " if one.day else ""
    return DescribedSentence(text=day + named_words(text, one.speaker), refs=(one.ref or "",))


def named_words(text: str, speaker: str | None) -> str:
    """What somebody says, behind a name where the words don't say it; a role is nobody's name."""
    is_role = (speaker or "").strip().casefold() in ROLES
    return text if is_role else behind_name(text, speaker)


def _months(days: Sequence[date]) -> str:
    """ "October 2026", or from which month to which; nothing where no day is known."""
    if not days:
        return ""
    first, last = min(days), max(days)
    if _month(first) == _month(last):
        return _month(last)
    return f"{MONTHS[first.month - 1] if first.year == last.year else _month(first)} to {_month(last)}"


def _month(day: date) -> str:
    return f"{MONTHS[day.month - 1]} {day.year}"


def _date(day: str | None) -> date | None:
    try:
        return date.fromisoformat(day) if day else None
    except ValueError:
        return None
