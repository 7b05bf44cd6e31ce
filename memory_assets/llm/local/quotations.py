"""Quotations that go over several sentences of a turn: what is in them somebody else has said. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

_MARK = re.compile(
    r"(?P<opens>(?<!\S)(?:[\"“„]|[‘'](?=[A-Z]))(?=\w))|(?:(?<=[\w.,!?…])[\"”“]|(?<=[.,!?…])[’'])(?=[\s.,;:!?)]|$)"
)
LONGEST = 3_000
"""A quotation that goes on for longer has lost its end."""


def quotations(text: str) -> list[tuple[int, int]]:
    """From where to where of a text each quotation goes; one that never ends is none."""
    found: list[tuple[int, int]] = []
    begin: int | None = None
    for match in _MARK.finditer(text):
        if match["opens"]:
            begin = match.start() if begin is None or match.start() - begin > LONGEST else begin
        elif begin is not None:
            found.append((begin, match.end()))
            begin = None
    return found


def across(text: str, sentences: Sequence[str]) -> Iterator[int]:
    """Which of a text's sentences, in order, are in a quotation that begins before them or goes on behind them."""
    spans = quotations(text)
    at = 0
    for number, sentence in enumerate(sentences if spans else ()):
        begin = text.find(sentence[1:], at) - 1  # a clause's first letter has become a capital
        if begin < at - 1:
            continue
        at = end = begin + len(sentence)
        if any(start < end and begin < stop and (start < begin or end < stop) for start, stop in spans):
            yield number
