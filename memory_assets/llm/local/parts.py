"""Memories clause by clause: what each says by itself, and what is left of a memory when some of it holds no longer.
Pure.

A clause is a part that could be a sentence: up to a full stop, a semicolon, ", and", "but". Before "and I'm ..." a
sentence is cut as well where nothing before it could hold for both ("If ...", "She said that ..."), so that what is
outdated can leave a memory while the rest of it stays word for word.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from functools import lru_cache
from typing import NamedTuple

from memory_assets.text.words import WORD

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
_CLAUSE_END = re.compile(r"[.;!?](?=\s|$)|, (?=(?:and|but|so) )| but ", re.I)
# What somebody else says or writes is one clause, however many sentences it has. Not the inches of 27".
QUOTED = re.compile(r"(?<!\d)\"[^\"]*\"|“[^“”]*”|„[^„“”]*[“”]|«[^«»]*»|\([^()]*\)")
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
_SO = re.compile(r"\s*so (?!also\b)")
# "They love it there", not "there are two of them".
_THERE = re.compile(r"\b(?:here|there)\b(?!['’]s\b| (?:is|are|was|were|will|has|have)\b)", re.I)


class Part(NamedTuple):
    """A part of a text that can be left out: where it starts, and where its words end, its own full stop included."""

    start: int
    end: int


@lru_cache(maxsize=4_000)  # more than two pools
def parts(text: str) -> tuple[Part, ...]:
    """The parts of a text that can be left out one by one."""
    found: list[Part] = []
    text = masked(text)
    start = 0
    unquoted = QUOTED.sub(lambda quoted: "_" * len(quoted[0]), text)
    for end in (*_CLAUSE_END.finditer(unquoted), None):
        stop = end.start() if end else len(text)
        is_mark = end is not None and end[0] in ".;!?"
        cuts = [start, *(start + at for at in _cuts(text[start:stop])), stop]
        for begin, until in zip(cuts, cuts[1:], strict=False):
            if text[begin:until].strip(" ,.;!?"):
                found.append(Part(begin, until + (is_mark and until == stop)))
        start = end.end() if end else stop
    return tuple(found)


def parts_with(text: str, words: str) -> frozenset[int]:
    """Which parts of a text the given words of it lie in; none where they are no words of it."""
    words = words.strip(" ,.;!?")
    at = text.find(words)
    if at < 0 or not words:
        return frozenset()
    until = at + len(words)
    return frozenset(number for number, part in enumerate(parts(text)) if part.start < until and at < part.end)


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


def left_of(text: str, gone: Collection[int]) -> str | None:
    """What a text says without the parts ``gone`` and what leans on them ("It's lovely there"); None for nothing."""
    runs: list[str] = []
    begin = end = 0
    is_open, after_gap = False, False
    found = parts(text)
    for number, part in enumerate(found):
        words = text[part.start : part.end]
        is_gone = (
            number in gone or after_gap and (_THERE.search(words) is not None or not is_open and not _is_whole(words))
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
    clauses = [run.strip().strip(" ,;") for run in runs]
    if after_gap and clauses:
        has_first = found[0].start == 0 and 0 not in gone
        clauses = [run if not at and has_first else _capital(opening(run)) for at, run in enumerate(clauses)]
    clauses = [run if run.endswith((".", "!", "?", "…")) else run + "." for run in clauses[:-1]] + clauses[-1:]
    whole = " ".join(clauses)
    if whole and text.rstrip().endswith(".") and not whole.endswith((".", "!", "?", "…")):
        whole += "."
    return whole if whole and is_left_of(whole, text) else None


_POINTS_TO_A_NAME = frozenset({"they", "them", "their", "theirs", "themselves"})


def left_of_rewritten(statement: str, text: str, gone: Collection[int]) -> str | None:
    """What the statement of a text says without these parts; None where its parts differ, or nobody is named first."""
    if statement == text or len(parts(statement)) != len(parts(text)):
        return None
    left = left_of(statement, gone)
    said = {word.casefold() for word in WORD.findall(text)}
    for word in WORD.findall(left or ""):
        if word.casefold() not in said:
            return None if word.casefold() in _POINTS_TO_A_NAME else left
    return None


def is_left_of(left: str, text: str) -> bool:
    """Whether ``left`` is ``text`` without some of its parts: nothing else, nothing changed, in their order."""
    said, mine = (_plain(one) for one in (text, left))
    rest = iter(said)
    return 0 < len(mine) < len(said) and all(part in rest for part in mine)


def _plain(text: str) -> list[str]:
    clauses = (" ".join(opening(text[part.start : part.end].strip(" ,;.!")).casefold().split()) for part in parts(text))
    return [part for part in clauses if part]


def _is_whole(words: str) -> bool:
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
