"""Lines of a file as a stream, in whatever encoding, and the union of lines that two files tell of one thing."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from itertools import zip_longest
from typing import BinaryIO

from memory_assets.errors import SourceUnreadableError
from memory_assets.sources.encoding import byte_order_mark, guess
from memory_assets.sources.formats.base import MEGABYTE, LineError

MAX_LINE = 8 * MEGABYTE
_POSITIONS = '{"positions": ['
_NO_TIME = datetime.min.replace(tzinfo=UTC)


def find_encoding(stream: BinaryIO) -> tuple[str, bool]:
    """UTF-8 unless a mark says otherwise, or no line that is not ASCII is UTF-8: then a guess."""
    stream.seek(0)
    mark = byte_order_mark(stream.read(4))
    if mark and mark != "utf-8-sig":
        return mark, False
    stream.seek(0)
    foreign: list[bytes] = []
    gathered = 0
    while line := stream.readline(MEGABYTE):
        if line.isascii():
            continue
        try:
            line.decode("utf-8")
            return "utf-8", False  # a line that is not UTF-8 is then a broken one
        except UnicodeDecodeError as error:
            if len(line) == MEGABYTE and error.start >= MEGABYTE - 4:
                return "utf-8", False
        if gathered < MEGABYTE:
            foreign.append(line)
            gathered += len(line)
    return (guess(b"".join(foreign)).encoding, True) if foreign else ("utf-8", False)


def numbered_lines(stream: BinaryIO, encoding: str, limit: int = MAX_LINE) -> Iterator[tuple[int, str | LineError]]:
    """Numbered lines without their ends; empty ones are skipped, over-long and undecodable ones reported."""
    stream.seek(0)
    if encoding.startswith(("utf-16", "utf-32")):
        yield from _wide_lines(stream, encoding, limit)
        return
    number = 0
    while line := stream.readline(limit + 1):
        number += 1
        if len(line) > limit and not line.endswith(b"\n"):
            size = len(line) + _skip_line(stream)
            yield number, _too_long(number, size, limit)
            continue
        try:
            text = line.decode(encoding).rstrip("\r\n").removeprefix("\ufeff")
        except UnicodeDecodeError as error:
            yield number, LineError(number, f"The line was left out: it is not {encoding} ({error.reason}).")
            continue
        if text.strip():
            yield number, text


def _wide_lines(stream: BinaryIO, encoding: str, limit: int) -> Iterator[tuple[int, str | LineError]]:
    """Lines of a file in UTF-16 or UTF-32, whose bytes hold newlines that are none."""
    size = stream.seek(0, 2)
    if size > 64 * MEGABYTE:
        raise SourceUnreadableError(f"It is {encoding} and larger than 64 MB; convert it to UTF-8 first.")
    stream.seek(0)
    text = stream.read().decode(encoding, "replace")
    for number, line in enumerate(text.split("\n"), start=1):
        if len(line) > limit:
            yield number, _too_long(number, len(line), limit)
        elif line.strip():
            yield number, line.rstrip("\r").removeprefix("\ufeff")


def _skip_line(stream: BinaryIO) -> int:
    skipped = 0
    while rest := stream.readline(MEGABYTE):
        skipped += len(rest)
        if rest.endswith(b"\n"):
            break
    return skipped


def _too_long(number: int, size: int, limit: int) -> LineError:
    return LineError(
        number,
        f"The line was left out: {size / MEGABYTE:.0f} MB, and {limit // MEGABYTE} MB is the most that is read.",
    )


def unite_lines(one: str, other: str, at: Callable[[str], datetime | None]) -> str:
    """The lines of both texts, each as often as the one that has it oftenest; ``at`` tells a line's time.

    A line keeps the last position that it has in any of the files, so that a file that has grown gives just
    itself. Where two lines claim one position (two pieces of a whole) the order is that of their times. The
    order is a function of the lines and their positions, which the result records where they are not plain:
    commutative, associative and idempotent.
    """
    places: dict[str, list[int]] = defaultdict(list)
    for text in (one, other):
        found: dict[str, list[int]] = defaultdict(list)
        for line, position in _placed(text):
            found[line].append(position)
        for line, positions in found.items():
            # The n-th last of equal lines in one is the n-th last in the other.
            pairs = zip_longest(places[line], sorted(positions, reverse=True), fillvalue=-1)
            places[line] = [max(pair) for pair in pairs]
    ordered = _in_order([(position, line) for line, positions in places.items() for position in positions], at)
    lines = [line for _, line in ordered]
    positions = [position for position, _ in ordered]
    if positions != list(range(len(positions))):
        lines.insert(0, json.dumps({"positions": positions}))
    return "\n".join(lines)


def plain_lines(text: str) -> list[str]:
    """The lines of a text that :func:`unite_lines` may have made."""
    return [line for line, _ in _placed(text)]


def _placed(text: str) -> list[tuple[str, int]]:
    lines = text.split("\n") if text else []
    if lines and lines[0].startswith(_POSITIONS):
        try:
            positions = json.loads(lines[0])["positions"]
        except (ValueError, RecursionError):
            positions = []
        if len(positions) == len(lines) - 1:
            return list(zip(lines[1:], positions, strict=True))
    return list(zip(lines, range(len(lines)), strict=True))


def _in_order(
    placed: list[tuple[int, str]], at: Callable[[str], datetime | None]
) -> list[tuple[int, str]]:
    placed = sorted(placed)
    if len({position for position, _ in placed}) == len(placed):
        return placed
    timed: list[tuple[datetime, int, str]] = []
    latest = _NO_TIME
    for position, line in placed:
        time = at(line)
        latest = max(latest, time or _NO_TIME)
        timed.append((time or latest, position, line))
    return [(position, line) for _, position, line in sorted(timed)]
