"""The layout of a text: where words begin in it, and whether it is whole within one block of code. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence

from memory_assets.text.words import BARE_WORD

_MOST_PARTS = 30
FRONT_MATTER = re.compile(r"\A---[ \t]*\n(.*?)(?:^|\n)(?:---|\.\.\.)[ \t]*(?:\n|\Z)", re.DOTALL)
"""The fields above a text in Markdown, between two lines of their own."""


def beginnings(text: str, passages: Sequence[str]) -> list[int]:
    """Where in ``text`` each passage begins, whatever marks are between its words; the end of it for one not found.

    Where words were changed, three of them in a row give the place.
    """
    said = f" {' '.join(BARE_WORD.findall(text.casefold()))} "
    return [_beginning(said, BARE_WORD.findall(passage.casefold())) for passage in passages]


def _beginning(said: str, words: Sequence[str]) -> int:
    parts = [words, *(words[at : at + 3] for at in range(min(len(words) - 2, _MOST_PARTS)))]
    found = (said.find(f" {' '.join(part)} ") for part in parts if part)
    return next((at for at in found if at >= 0), len(said))


_OPENS = re.compile(r"\s*(?P<fence>`{3,}|~{3,})[ \t]*(?:markdown|md)[ \t]*\Z", re.I)


def wrapping_lines(text: str) -> tuple[int, int] | None:
    """The first and the last line (from 0) of the block around a whole text, or None where it has none.

    Blocks of code within it have their own marks, so their number is even where the outermost two belong together.
    """
    lines = text.split("\n")
    filled = [number for number, line in enumerate(lines) if line.strip()]
    if len(filled) < 3 or not (opens := _OPENS.match(lines[filled[0]])):
        return None
    first, last = filled[0], filled[-1]
    if lines[last].strip() != opens["fence"]:
        return None
    inner = sum(line.lstrip().startswith(opens["fence"]) for line in lines[first + 1 : last])
    return (first, last) if inner % 2 == 0 else None


def unwrapped(text: str) -> str:
    """The text with the two lines of such a block empty, so that every other line keeps its number."""
    edges = wrapping_lines(text)
    if edges is None:
        return text
    return "\n".join("" if number in edges else line for number, line in enumerate(text.split("\n")))
