"""Memories clause by clause: what each says by itself, and what is left of a memory when some of it holds no longer.
Pure.

A clause is a part that could be a sentence: up to a full stop, a semicolon, ", and", "but". Before "and I'm ..." a
sentence is cut as well where nothing before it could hold for both ("If ...", "She said that ..."), so that what is
outdated can leave a memory while the rest of it stays word for word.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from datetime import date
from functools import cached_property, lru_cache
from itertools import groupby
from typing import Protocol

import snowballstemmer

FIGURE = re.compile(r"\d+(?:[.,:/-]\d+)*")
_TIME = re.compile(r"\b\d{1,2}(?::\d\d)? ?[ap]\.?m\b|\b\d{1,2}:\d\d\b|\bat \d{1,2}\b(?! ?%)", re.I)
_LEAD_IN = re.compile(
    "^(?:(?:and|but|so|also|oh|well|actually|sorry|btw|by the way|update(?=[,:])|good news|finally|correction|fyi|"
    r"as of (?:now|today|(?:this|last) \w+|\w+day))\b[,:]? ?)+",
    re.I,
)
# A full stop that ends no sentence: "Dr. Lee", "J. Smith", "5 p.m. on".
_NO_STOP = re.compile(
    r"(?<=\b(?:Dr|Mr|Ms|St|Jr|Sr|vs))\.|(?<=\bMrs)\.|(?<=\bProf)\.|(?<=\b[A-Z])\.(?= [A-Z])|(?<=\b[ap]\.m)\.(?= [a-z])",
    re.A,
)
_NO_STOP_MARK = "\u00b7"
_SENTENCE_END = re.compile(r"[.;!?](?=\s|$)")
_CLAUSE_END = re.compile(r"[.;!?](?=\s|$)|, (?=(?:and|but|so) )| but ", re.I)
# What somebody else says or writes is one clause, however many sentences it has. Not the inches of 27".
_QUOTED = re.compile(r"(?<!\d)\"[^\"]*\"|“[^“”]*”|„[^„“”]*[“”]|«[^«»]*»|\([^()]*\)")
# "My sister lives in Rome" says something by itself, "my bike" (after "I sold my car and") does not.
_SAYS = (
    "(?:is|are|was|were|has|have|had|does|do|did|can|could|will|would|lives?|lived|works?|worked|moved|loves?|"
    "likes?|hates?|wants?|needs?|knows?|goes|"
    "went|comes?|came|gets?|got|keeps?|takes?|took|makes?|made|costs?|weighs?|runs?|opens?|closes?|starts?|"
    "started|ends?|ended|plays?|stud(?:y|ies)|"
    "speaks?|eats?|drives?|teaches|turn(?:s|ed)?|bought|owns?|met|uses?|prefers?|pays?|gave|gives?|says|said|died|"
    "grew|sleeps?)"
)
_ANOTHER_CLAUSE = re.compile(
    rf",? (?=and (?:also )?(?:(?:i|we)(?:['’]\w+)? \w|(?:my|our) (?:[\w'’-]+ ){{0,4}}?(?:\w+['’]s|"
    rf"[\w'’-]+ {_SAYS}) \w))|, (?P<bare>(?=(?:i|we)(?:['’]\w+)? \w))",
    re.I,
)
_MINE = re.compile(r"^(?:i|we)\b['’\w]* \w", re.I)
_OWN_SUBJECT = re.compile(
    "^(?!(?:because|since|while|when|where|which|who|whose|if|as|although|though|after|before|until|unless|to|for|"
    "with|without|in|on|at|from|"
    "by|of|or|not|no|maybe|especially|like|except|plus|just|more|what|how|why|is|are|do|does|did|can|could|would|"
    r"will|yes)\b)"
    r"(?:i|we|my|our|the|(?-i:[A-Z])[\w’-]+)\b",
    re.I,
)
_HOLDS_FOR_BOTH = re.compile(
    r"\b(?:if|when(?:ever)?|while|before|after|until|unless|because|since|as (?!an? )|that|whether|how|why|where|"
    "which|who|what|than|said|says|"
    r"both|either|neither|between|used to|once|suppose|imagine|hope|wish|think|believe)\b|[\"“”„«»()]|n['’]t\b|"
    r"\b(?:never|not)\b",
    re.I,
)
_LEANS = re.compile(
    r"\b(?:it|its|it['’]s|that|that['’]s|this|these|those|they|them|their|he|she|him|her|his|here|there|then|too|"
    "either|neither|same|"
    r"one|ones|both|such|instead|which|where)\b",
    re.I,
)
_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
_SO = re.compile(r"\s*so (?!also\b)")
# "They love it there", not "there are two of them".
_THERE = re.compile(r"\b(?:here|there)\b(?!['’]s\b| (?:is|are|was|were|will|has|have)\b)", re.I)
_LOOKED_AHEAD = 300
_EMPTY = frozenset(
    "a an the my our your his her i we me us it its is are am was were be been to of in on at by for from with and "
    "or as that this now still currently actually just really very have has had do does did will would should i'm "
    "we're it's i've".split()
)


class Sentence(Protocol):
    """What is asked of a memory: :class:`memory_assets.memory_file.validity.Said` has it."""

    @property
    def memory_id(self) -> str:
        """Its id."""

    @property
    def ref(self) -> str:
        """Its reference in files."""

    @property
    def text(self) -> str:
        """Its words."""

    @property
    def speaker(self) -> str:
        """Who says it; empty for the owner."""

    @property
    def day(self) -> date | None:
        """The day on which it was said."""

    @property
    def is_preference(self) -> bool:
        """Whether it is a wish."""

    @property
    def is_task(self) -> bool:
        """Whether it is something to be done."""

    @property
    def place(self) -> tuple[str, int, int]:
        """When within that day: the instant of its source, and the turn in it."""


@dataclass(frozen=True)
class Clause:
    """One clause of a memory, without what leads it in; ``parts`` are the numbers of its :func:`parts`."""

    said: Sentence
    text: str
    parts: tuple[int, ...]
    lead: str = ""
    """What led it in: "as of today"."""
    after: str = ""
    """What follows it in its sentence, of :data:`_LOOKED_AHEAD` characters."""

    @cached_property
    def words(self) -> frozenset[str]:
        """Its content words, stemmed, without figures."""
        return stems(FIGURE.sub(" ", self.text))

    @cached_property
    def figures(self) -> frozenset[str]:
        """Its figures as they are written."""
        return frozenset(FIGURE.findall(self.text))

    @cached_property
    def times(self) -> frozenset[str]:
        """Its times of day in one form."""
        return frozenset("".join(match.lower().removeprefix("at").split()) for match in _TIME.findall(self.text))


@dataclass(frozen=True)
class _Part:
    start: int
    end: int
    """Where its words end, its own full stop included."""
    clause: int
    asks: bool


def clauses(said: Sentence, *, finely: bool) -> Iterator[Clause]:
    """What a memory says; what it asks says nothing, unless it asks for it from now on. ``finely``: cut before "and
    I'm" too.
    """
    found, told = parts(said.text), masked(said.text)
    numbered = list(enumerate(found))
    groups = (
        [[one] for one in numbered]
        if finely
        else [list(group) for _, group in groupby(numbered, key=lambda one: one[1].clause)]
    )
    for group in groups:
        first, last = group[0][1], group[-1][1]
        words = told[first.start : last.end].strip().rstrip(".;!").replace(_NO_STOP_MARK, "")
        text = opening(words)
        if text and (said.is_preference or not last.asks):
            after = "" if told[last.end - 1] in ".;!?" else told[last.end : last.end + _LOOKED_AHEAD]
            end = _SENTENCE_END.search(after)
            after = after[: end.start()] if end else after
            yield Clause(said, text, tuple(number for number, _ in group), words[: len(words) - len(text)], after)


@lru_cache(maxsize=4_000)  # more than two pools
def parts(text: str) -> tuple[_Part, ...]:
    """The parts of a text that can be left out one by one."""
    found: list[_Part] = []
    text = masked(text)
    start = clause = 0
    unquoted = _QUOTED.sub(lambda quoted: "_" * len(quoted[0]), text)
    for end in (*_CLAUSE_END.finditer(unquoted), None):
        stop = end.start() if end else len(text)
        is_mark = end is not None and end[0] in ".;!?"
        asks = text[start:stop].rstrip().endswith("?") or end is not None and end[0] == "?"
        cuts = [start, *(start + at for at in _cuts(text[start:stop])), stop]
        for begin, until in zip(cuts, cuts[1:], strict=False):
            if text[begin:until].strip(" ,.;!?"):
                found.append(_Part(begin, until + (is_mark and until == stop), clause, asks))
        clause += 1
        start = end.end() if end else stop
    return tuple(found)


def masked(text: str) -> str:
    """A text of the same length in which only the full stops are left that may end a sentence."""
    return _NO_STOP.sub(_NO_STOP_MARK, text)


def _cuts(clause: str) -> Iterator[int]:
    opens = opening(clause)
    holds = _HOLDS_FOR_BOTH.search(clause)
    for match in _ANOTHER_CLAUSE.finditer(clause, 0, holds.start() if holds else len(clause)):
        # "Last year, I moved" is one clause, "I'm Jo, I live in Ulm" are two.
        if (_MINE if match["bare"] is not None else _OWN_SUBJECT).match(opens) and match.start() > 0:
            yield match.end()


def before(later: Clause, told: Iterable[Clause]) -> Iterator[Clause]:
    """Of clauses in order the same speaker's that came before ``later``."""
    for earlier in told:
        if (earlier.said.day, earlier.said.place) >= (later.said.day, later.said.place):  # both are known here
            return
        if earlier.said.speaker == later.said.speaker:
            yield earlier


def left_of(text: str, gone: Collection[int]) -> str | None:
    """What a text says without the parts ``gone``, nor what leans on them ("It's lovely there"); None where nothing
    is left.
    """
    runs: list[str] = []
    begin = end = 0
    is_open, after_gap = False, False
    found = parts(text)
    for number, part in enumerate(found):
        words = text[part.start : part.end]
        is_gone = (
            number in gone or after_gap and (_THERE.search(words) is not None or not is_open and not _stands(words))
        )
        if is_gone:
            if is_open:
                runs.append(text[begin:end])
            is_open, after_gap = False, True
        elif is_open:
            end = part.end
        else:
            begin, end, is_open = part.start, part.end, True
    if is_open:
        runs.append(text[begin:end])
    told = [run.strip().strip(" ,;") for run in runs]
    if after_gap and told:
        kept_first = found[0].start == 0 and 0 not in gone
        told = [run if not at and kept_first else _capital(opening(run)) for at, run in enumerate(told)]
    told = [run if run.endswith((".", "!", "?", "…")) else run + "." for run in told[:-1]] + told[-1:]
    whole = " ".join(told)
    if whole and text.rstrip().endswith(".") and not whole.endswith((".", "!", "?", "…")):
        whole += "."
    return whole if whole and is_left_of(whole, text) else None


_POINTS_TO_A_NAME = frozenset({"they", "them", "their", "theirs", "themselves"})


def left_of_rewritten(statement: str, text: str, gone: Collection[int]) -> str | None:
    """What the statement of a text says without the same parts; None where it has other parts, or nobody is named
    before what is left means them.
    """
    if statement == text or len(parts(statement)) != len(parts(text)):
        return None
    left = left_of(statement, gone)
    said = {word.casefold() for word in _WORD.findall(text)}
    for word in _WORD.findall(left or ""):
        if word.casefold() not in said:
            return None if word.casefold() in _POINTS_TO_A_NAME else left
    return None


def is_left_of(left: str, text: str) -> bool:
    """Whether ``left`` is ``text`` without some of its parts: nothing else, nothing changed, in their order."""
    said, mine = (_plain(one) for one in (text, left))
    rest = iter(said)
    return 0 < len(mine) < len(said) and all(part in rest for part in mine)


def _plain(text: str) -> list[str]:
    told = (" ".join(opening(text[part.start : part.end].strip(" ,;.!")).casefold().split()) for part in parts(text))
    return [part for part in told if part]


def _stands(words: str) -> bool:
    text = opening(words)
    return (
        _SO.match(words) is None
        and _OWN_SUBJECT.match(text) is not None
        and len(text.split()) > 1
        and _LEANS.search(text) is None
    )


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def opening(text: str) -> str:
    """A text without what leads it in: "By the way, ..."."""
    return _LEAD_IN.sub("", text.strip())


def stems(text: str) -> frozenset[str]:
    """The content words of a text, stemmed."""
    words = (word.casefold().replace("’", "'").removesuffix("'s") for word in _WORD.findall(text))
    return frozenset(stem(word) for word in words if word not in _EMPTY)


@lru_cache(maxsize=20_000)
def stem(word: str) -> str:
    """A word's stem by Snowball's English rules."""
    return snowballstemmer.stemmer("english").stemWord(word)


_MONTHS_AND_DAYS = (
    "january february march april may june july august september october november december jan feb mar apr jun jul "
    "aug sep oct nov dec monday tuesday wednesday thursday friday saturday sunday today tomorrow tonight week month "
    "weekend end next this until due before please"
)
DATES = frozenset(map(stem, _MONTHS_AND_DAYS.split()))
"""Stems of the words that only say when."""
