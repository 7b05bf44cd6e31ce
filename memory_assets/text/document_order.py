"""Where words stand in a text: the order in which things were said, in whatever order an answer lists them. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence

_WORDS = re.compile(r"[^\W_]+")
_MOST_PARTS = 30


def beginnings(text: str, told: Sequence[str]) -> list[int]:
    """Where in ``text`` each of ``told`` begins, whatever marks stand between its words; behind all of it what isn't found.

    Where words were changed, three of them that follow each other tell the place.
    """
    said = f" {' '.join(_WORDS.findall(text.casefold()))} "
    return [_beginning(said, _WORDS.findall(one.casefold())) for one in told]


def _beginning(said: str, words: Sequence[str]) -> int:
    parts = [words, *(words[at : at + 3] for at in range(min(len(words) - 2, _MOST_PARTS)))]
    found = (said.find(f" {' '.join(part)} ") for part in parts if part)
    return next((at for at in found if at >= 0), len(said))
