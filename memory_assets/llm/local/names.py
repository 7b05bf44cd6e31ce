"""Titles and texts of storylines and macros: the statements of their sources that say most, each whole, with its day
and its reference.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from datetime import date
from typing import NamedTuple

from memory_assets.clock import MONTHS
from memory_assets.llm.local.describe import are_alike, cover, lemmas, word_values
from memory_assets.llm.local.language import parse
from memory_assets.llm.local.lexicon import ASSISTANT_ROLES, ROLES, TIME_NOUNS
from memory_assets.llm.local.matters import Stated
from memory_assets.llm.local.nearness import nearness
from memory_assets.llm.local.sentences import split_sentences
from memory_assets.llm.local.titles import central_event, title_of, widely_shared
from memory_assets.llm.tasks import (
    DatedSummary,
    DescribedSentence,
    MacroName,
    MacroRequest,
    StorylineName,
    StorylineRequest,
)
from memory_assets.text.attribution import behind_name

LONGEST_STATEMENT, LONGEST_TITLED = 170, 300
"""Of a text: of the statement that its title is of more."""
MOST_SUMMARIES = 400
LATEST, EARLIEST = 1.5, 1.2
"""What the last source says is how it is now, what the first says how it began."""
OF_ONE_TEXT, BY_MEANING = 0.55, 0.8
"""So near to what a title says is what its text says, too: where it names a thing of it that many sources name;
or else."""
OF_ELSE = 0.75
"""As near as this share counts what names no such thing, where nothing else is near enough."""
OF_MANY = 0.55
"""This share of the most sources are many."""
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
    at, happened = central_event(request.anchor, story.stated, story.near) or (None, None)
    title = title_of(request.anchor, story.stated, happened)
    return StorylineName(title=title, sentences=story.sentences(title, at, 3))


def name_macro(request: MacroRequest) -> MacroName:
    """The answer to ``hierarchy/name_macro``: a title with its months, and two to four dated statements."""
    # The day of a storyline is its first: what it rests on has its own, or none.
    story = _Story(request.anchor, [one.model_copy(update={"day": None}) for one in request.storylines])
    title = title_of(request.anchor, story.stated)
    months = _months([one.day for one in story.statements if one.day])
    return MacroName(title=f"{title}, {months}" if months else title, sentences=story.sentences(title, None, 4))


class _Story:
    """The statements of what a storyline or macro includes, and how near each is to each."""

    def __init__(self, anchor: str, included: Sequence[DatedSummary]) -> None:
        self.statements = _read(included)
        self.parsed = parse([one.text for one in self.statements])
        self.stated = [
            Stated(one.source, one.speaker, words) for one, words in zip(self.statements, self.parsed, strict=True)
        ]
        speakers = {one.speaker for one in self.statements if one.speaker}
        # An anchor that is no name is a matter itself.
        names = speakers if anchor == anchor.lower() else {anchor, *speakers}
        self.near = nearness([one.text for one in self.statements], names)
        self.known = frozenset(word for name in {anchor, *speakers} for word in name.casefold().split())
        self.words = [lemmas(parsed) - self.known for parsed in self.parsed]
        of = {(thing, one.source) for at, one in enumerate(self.statements) for thing in self._things(at)}
        self.of_many = widely_shared(Counter(thing for thing, _ in of), OF_MANY)

    def sentences(self, title: str, titled: int | None, most: int) -> tuple[DescribedSentence, ...]:
        """The statement that the title is of, and of those near it the ones that say most, the last of them too, in the
        order of time: none that says what another says. Where the title is of no statement, of all of them.
        """
        if not self.statements:
            return ()
        worths = self._worths()
        is_short = titled is not None and len(self.statements[titled].text) <= LONGEST_TITLED
        said = titled if titled is not None and is_short else self._saying(title, worths)
        of_it = (at for at in worths if titled is None or self._is_of(at, said))
        chosen = self._choose({at: worths[at] for at in of_it if at != said}, said, most)
        if len(chosen) < FEWEST_SENTENCES:
            others = [at for at in worths if not self._repeats(at, said)]
            chosen += sorted(others, key=lambda at: (-self._nearness(at, said), -at))[:1]
        return tuple(_sentence(self.statements[at]) for at in sorted(chosen))

    def _saying(self, title: str, among: Iterable[int]) -> int:
        """The place of the statement that says most of a title."""
        (words,) = map(lemmas, parse([title]))
        return max(among, key=lambda at: (len(self.words[at] & words), round(float(self.near[at].sum()), 6), at))

    def _choose(self, left: dict[int, float], said: int, most: int) -> list[int]:
        """The places of the statements, ``said`` among them."""
        values = word_values(self.parsed)
        chosen = [said]
        first = [max(left)] if left else []
        while left and len(chosen) < most:
            # The newest of what says the same.
            for at in first or reversed(cover(self.parsed, values, left, most - len(chosen))):
                if at in left and not any(are_alike(self.words[at], self.words[one], SAME_WORDS) for one in chosen):
                    chosen.append(at)
                left.pop(at, None)
            first = []
        return chosen

    def _is_of(self, at: int, said: int) -> bool:
        """Whether a statement is of one subject with what is said."""
        bar = OF_ONE_TEXT if self._shares(at, said) else BY_MEANING
        return bool(self.near[said, at] >= bar) or are_alike(self.words[at], self.words[said], REPEATED_WORDS)

    def _nearness(self, at: int, said: int) -> float:
        """How near a statement is to what is said: less, where it speaks of no thing of that."""
        near = float(self.near[said, at])
        return near if self._shares(at, said) else min(near, OF_ELSE * near)

    def _shares(self, at: int, said: int) -> bool:
        """Whether a statement speaks of a thing that is said, and that many sources speak of."""
        return bool(self._things(at) & self._things(said) & self.of_many)

    def _repeats(self, at: int, said: int) -> bool:
        """Whether a statement says nothing beside another, or all that it says and more."""
        return self.words[at] <= self.words[said] or self.words[said] <= self.words[at]

    def _things(self, at: int) -> set[str]:
        """What a statement calls by no name, and does."""
        tokens = (token for token in self.parsed[at].tokens if token.pos in {"NOUN", "VERB"} and not token.is_stop)
        return {token.lemma.casefold() for token in tokens} - TIME_NOUNS - self.known

    def _worths(self) -> dict[int, float]:
        """By the places of the statements what each is worth in a text: more, the nearer it is to all of them."""
        last = max(one.source for one in self.statements)
        worths = {
            at: (LATEST if one.source == last else EARLIEST if one.source == 0 else 1.0) * (0.5 + self.near[at].mean())
            for at, one in enumerate(self.statements)
        }
        # Where nothing is short and plain, what there is says more than nothing.
        return {at: worth for at, worth in worths.items() if self._is_plain(at)} or worths

    def _is_plain(self, at: int) -> bool:
        text, tokens = self.statements[at].text, self.parsed[at].tokens
        is_order = bool(tokens) and tokens[0].tag == "VB"  # it says nothing of what happened
        return len(text) <= LONGEST_STATEMENT and "?" not in text and not is_order


def _read(included: Sequence[DatedSummary]) -> list[_DatedStatement]:
    """Every statement once, in the order of time: what sources state of the anchor, or, where none does, their
    summaries.
    """
    is_stated = any(is_somebodys(one.speaker) for item in included for one in item.said)
    found: dict[str, _DatedStatement] = {}
    for at, item in enumerate(_spread(included)):
        for one in _said(at, item) if is_stated else _of_summary(at, item):
            found.setdefault(one.text, one)
    # What has no day comes first: behind a day it would be of that day.
    return sorted(found.values(), key=lambda one: one.day or date.min)


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


def _sentence(one: _DatedStatement) -> DescribedSentence:
    """A statement behind its day, and behind its speaker's name where it doesn't say it."""
    is_ended = one.text.rstrip('"”’»')[-1:] in ".!?…"
    text = one.text if is_ended else one.text.rstrip(" ,;:") + "."
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
