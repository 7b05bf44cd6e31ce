"""From a source's turns to passages: what is found and shown as one piece. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from memory_assets.text.words import UNSPACED_SIGN

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
