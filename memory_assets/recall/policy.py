"""How turns become passages, how a question is searched for, how passages are ranked, and which fit the budget. Pure.

Words find passages (BM25 over the passage and its neighbours); a few cues of the question then move them: whom it
names, which month and day it names, that answers follow questions.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime
from typing import Any, NamedTuple

from memory_assets.clock import MONTHS
from memory_assets.text.words import UNSPACED_RUN, UNSPACED_SIGN, pairs, zipf_frequency

LONGEST = 700
"""Characters of a passage: a longer turn (a note, a mail) is several, cut where sentences or lines end."""

REACH = ((1,), (2,), (3, 4))
"""How far off the neighbours of the second, third and fourth field are, in passages before and after."""

_ENDS = re.compile(r"(?<=[.!?。！？])\s+|\n+")


class Passage(NamedTuple):
    """One piece of a source: ``turn`` is the turn it stands in, ``said_at`` ISO 8601 or None."""

    turn: int
    speaker: str | None
    said_at: str | None
    text: str


def split_turns(turns: Iterable[Mapping[str, Any]]) -> list[Passage]:
    """The passages of a source, in order; nothing of a turn is left out."""
    return [
        Passage(int(turn["index"]), turn.get("speaker"), turn.get("at"), piece)
        for turn in turns
        for piece in split_text(str(turn["text"]))
    ]


def split_text(text: str) -> Iterator[str]:
    """``text`` in pieces of at most :data:`LONGEST` characters, whole sentences as far as they fit."""
    held = ""
    for part in _ENDS.split(text.strip()):
        while len(part) > LONGEST:
            if held:
                yield held
                held = ""
            cut = part.rfind(" ", LONGEST // 2, LONGEST)
            cut = cut if cut > 0 else LONGEST
            yield part[:cut].strip()
            part = part[cut:].strip()
        if held and len(held) + 1 + len(part) > LONGEST:
            yield held
            held = part
        else:
            held = f"{held} {part}".strip()
    if held:
        yield held


def fields(passages: Sequence[Passage]) -> list[tuple[str, str, str, str]]:
    """What is indexed of each passage: its own words with its speaker's name, then those of its neighbours.

    An answer seldom repeats the words of the question that it follows: the neighbours bring them.
    """
    spoken = [spaced(f"{p.speaker}: {p.text}" if p.speaker else p.text) for p in passages]

    def near(place: int, steps: Sequence[int]) -> str:
        places = [place + sign * step for step in steps for sign in (-1, 1)]
        return "\n".join(spoken[at] for at in sorted(places) if 0 <= at < len(spoken))

    return [(own, *(near(place, steps) for steps in REACH)) for place, own in enumerate(spoken)]  # type: ignore[misc]


def spaced(text: str) -> str:
    """``text`` with room around each sign of a script that is written without spaces, so that each is a word."""
    return UNSPACED_SIGN.sub(r" \g<0> ", text)


_MONTHS = tuple(name.casefold() for name in MONTHS)
MOST_TERMS = 64
"""Words of a question that are searched for: nobody's question has more, and a pasted page is no question."""

_WORD = re.compile(r"\w+")
# Signs of scripts without spaces apart from the rest of a token.
_PARTS = re.compile(rf"{UNSPACED_RUN.pattern}|(?:(?!{UNSPACED_SIGN.pattern}).)+")
_ROLES = frozenset({"user", "assistant", "system", "tool", "human", "ai", "unknown"})


@dataclass(frozen=True)
class RecallRules:
    """The figures of the ranking, tuned on conversations (bench/recall.py prints what they give)."""

    field_weights: tuple[float, float, float, float] = (1.0, 0.65, 0.5, 0.3)
    candidates: int = 400
    # A word this common in English (Zipf) tells nothing of what is meant.
    commonest: float = 6.3
    speaker_named: float = 1.5
    month_named: float = 1.6
    day_named: float = 1.15
    is_question: float = 0.7
    is_scant: float = 0.7
    scant_words: int = 6
    # What follows a question that was found is likely its answer: it gets this share of the question's score.
    after_question: float = 0.3


RULES = RecallRules()


@dataclass(frozen=True)
class Found:
    """A passage that the index gives: ``place`` counts the passages of its source, ``score`` is above 0."""

    source_id: str
    place: int
    turn: int
    speaker: str | None
    said_at: str | None
    text: str
    score: float


@dataclass(frozen=True)
class SourceHead:
    """What is written once above the passages of a source."""

    id: str
    ref: str | None
    owner: str
    kind: str
    title: str
    started_at: datetime | None
    is_archived: bool = False
    kept_turns: Sequence[int] | None = None
    """Of a source that a note stands for: the turns that the default search still reads."""

    def is_in_reach(self, turn: int) -> bool:
        """Whether the default search reads a turn of it."""
        return not self.is_archived or turn in (self.kept_turns or ())


@dataclass(frozen=True)
class Recalled:
    """The passages that fit, grouped by source, and the tokens of the whole text."""

    text: str
    tokens: int
    passages: tuple[tuple[SourceHead, tuple[Found, ...]], ...]


def search_terms(question: str, rules: RecallRules = RULES) -> list[str]:
    """The words and phrases to look for, each once: rare enough to tell something, else all there are.

    Of scripts without spaces, each two signs that follow each other are a phrase.
    """
    words: list[str] = []
    for token in _WORD.findall(question.casefold()):
        words += _words_of(token)
    telling = [
        word for word in words if zipf_frequency(word, "en") < rules.commonest and (len(word) > 1 or word.isdigit())
    ]
    return list(dict.fromkeys(telling or words))[:MOST_TERMS]


def match_expression(terms: Sequence[str]) -> str:
    """The terms as SQLite's FTS5 understands them: each quoted, any of them."""
    return " OR ".join(f'"{term}"' for term in terms)


def rank(
    question: str,
    found: Sequence[Found],
    following: Mapping[tuple[str, int], Found],
    started: Mapping[str, datetime | None],
    rules: RecallRules = RULES,
) -> list[Found]:
    """The passages, best first. ``following`` holds what comes next after each found question, by source and place."""
    words = set(_WORD.findall(question.casefold()))
    numbers = {int(n) for n in re.findall(r"\b(\d{1,2})(?:st|nd|rd|th)?\b", question) if 1 <= int(n) <= 31}
    months = {name for name in _MONTHS if name in words}
    scores: dict[tuple[str, int], float] = {}
    passages: dict[tuple[str, int], Found] = {}
    for passage in found:
        factor = 1.0
        names = set(_WORD.findall((passage.speaker or "").casefold())) - _ROLES
        if names & words:
            factor *= rules.speaker_named
        day = started.get(passage.source_id)
        if day is not None and _MONTHS[day.month - 1] in months:
            factor *= rules.month_named * (rules.day_named if day.day in numbers else 1.0)
        if _asks(passage.text):
            factor *= rules.is_question
        if len(passage.text.split()) < rules.scant_words:
            factor *= rules.is_scant
        key = passage.source_id, passage.place
        scores[key] = scores.get(key, 0.0) + passage.score * factor
        passages[key] = passage
        after = following.get((passage.source_id, passage.place + 1))
        if after is not None and _asks(passage.text):
            key = after.source_id, after.place
            scores[key] = scores.get(key, 0.0) + passage.score * rules.after_question
            passages.setdefault(key, after)
    return [passages[key] for key in sorted(scores, key=lambda key: (-scores[key], key))]


@dataclass(frozen=True)
class Outdated:
    """Words of a turn that hold no longer, or perhaps not (``outdated``: wholly, in part, perhaps), because of what was
    said ``since`` (ISO 8601) under ``ref``; ``reason``: changed, done, or what its owner has decided (perhaps without
    ``ref``).
    """

    words: str
    outdated: str
    reason: str
    ref: str | None
    since: str

    @property
    def note(self) -> str:
        """The same for a reader, without the words."""
        if self.outdated == "perhaps":
            return f"perhaps outdated, see [{self.ref}] of {self.since[:10]}"
        if self.ref is None:
            return f"{self.reason} on {self.since[:10]} by its owner"
        return f"{'done' if self.reason == 'done' else 'superseded'} on {self.since[:10]}, see [{self.ref}]"


def marked(passage: Found, outdated: Iterable[Outdated]) -> Found:
    """A passage whose text says, behind it, which words of it hold no longer; the latest word on each."""
    flat = " ".join(passage.text.split())
    notes = {one.words: one.note for one in outdated if " ".join(one.words.split()) in flat}
    told = [note if words == flat else f"“{words}”: {note}" for words, note in notes.items()]
    return passage if not told else replace(passage, text=f"{flat} ({'; '.join(told)})")


def has_faded(passage: Found, said: Iterable[tuple[str, bool]]) -> bool:
    """Whether all that a passage states is archived. ``said``: what its turn states, each with whether it is in use.

    A passage that states nothing has not faded.
    """
    flat = " ".join(passage.text.split())
    states = [in_use for words, in_use in said if words.split() and " ".join(words.split()) in flat]
    return bool(states) and not any(states)


def held_on(day: date, outdated: Iterable[Outdated]) -> list[Outdated]:
    """Those of what is outdated that were so on a day."""
    return [one for one in outdated if one.since[:10] <= day.isoformat()]


def pack(
    ranked: Sequence[Found],
    heads: Mapping[str, SourceHead],
    count_tokens: Callable[[str], int],
    budget: int,
) -> Recalled:
    """As many passages as fit, the best first; those of one source stand together in their order, its head once.

    One that does not fit is left out, and smaller ones after it may still fit. The finished text is counted.
    """
    chosen: dict[str, list[Found]] = {}
    used = 0
    for passage in ranked:
        if passage.source_id not in heads:
            continue
        opened = passage.source_id in chosen
        cost = count_tokens(_line(passage) + "\n")
        if not opened:
            cost += count_tokens(head_line(heads[passage.source_id]) + "\n\n")
        if used + cost <= budget:
            used += cost
            chosen.setdefault(passage.source_id, []).append(passage)
    while True:
        groups = tuple((heads[key], tuple(sorted(rows, key=lambda row: row.place))) for key, rows in chosen.items())
        text = "\n".join("\n".join([head_line(head), *map(_line, rows), ""]) for head, rows in groups)
        tokens = count_tokens(text)
        if tokens <= budget or not chosen:
            return Recalled(text, tokens, groups)
        last = next(reversed(chosen))
        chosen[last].pop()
        if not chosen[last]:
            del chosen[last]


def head_line(head: SourceHead) -> str:
    """A source's day, kind and title, and its reference."""
    day = head.started_at.date().isoformat() if head.started_at else "day unknown"
    reference = f" [{head.ref}]" if head.ref else ""
    return f"## {day}, {head.kind}: {' '.join(head.title.split())[:120]}{reference}"


def _line(passage: Found) -> str:
    text = " ".join(passage.text.split())
    return f"- {passage.speaker}: {text}" if passage.speaker else f"- {text}"


def _asks(text: str) -> bool:
    return text.rstrip().endswith(("?", "？"))


def _words_of(token: str) -> Iterator[str]:
    """A token's words: itself, or of its unspaced parts each pair of signs as a phrase (the index has each sign
    alone).
    """
    for part in _PARTS.findall(token):
        if UNSPACED_RUN.match(part):
            yield from (" ".join(pair) for pair in pairs(part))
        else:
            yield part
