"""Large files as streams: their lines and what sources these make, the objects of a JSON list, and the union of lines
that two files have of one thing.

A parser of events would stop for good at the first broken byte. Here each object is cut out by its brackets and
decoded by itself, so that a broken one costs that one; where its brackets do not close, the next beginning of an
object like it is searched.
"""

from __future__ import annotations

import codecs
import json
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from io import BytesIO
from itertools import zip_longest
from typing import Any, BinaryIO, NamedTuple, TypeVar

from memory_assets.errors import SourceUnreadableError
from memory_assets.sources.cleaning import one_line
from memory_assets.sources.dates import parse_instant
from memory_assets.sources.encoding import HEAD_BYTES, byte_order_mark, decode, decode_head, guess
from memory_assets.sources.formats.base import MAX_PART, MEGABYTE, Document, Found, LineError, RawSource

K = TypeVar("K")
V = TypeVar("V")

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
    if encoding.startswith(("utf-16", "utf-32")):  # whose bytes hold newlines that are none
        if stream.seek(0, 2) > 64 * MEGABYTE:
            raise SourceUnreadableError(f"It is {encoding} and larger than 64 MB; convert it to UTF-8 first.")
        stream.seek(0)
        stream, encoding = BytesIO(stream.read().decode(encoding, "replace").encode()), "utf-8"
    stream.seek(0)
    number = 0
    while line := stream.readline(limit + 1):
        number += 1
        if len(line) > limit and not line.endswith(b"\n"):
            size = len(line)
            while line and not line.endswith(b"\n"):
                line = stream.readline(MEGABYTE)
                size += len(line)
            what = f"{size / MEGABYTE:.0f} MB, and {limit // MEGABYTE} MB is the most that is read."
            yield number, LineError(number, f"The line was left out: {what}")
            continue
        try:
            text = line.decode(encoding).rstrip("\r\n").removeprefix("\ufeff")
        except UnicodeDecodeError as error:
            yield number, LineError(number, f"The line was left out: it is not {encoding} ({error.reason}).")
            continue
        if text.strip():
            yield number, text


def unite_lines(one: str, other: str, at: Callable[[str], datetime | None]) -> str:
    """The lines of both texts, each as often as the one that has it oftenest; ``at`` gives a line's time.

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


def _in_order(placed: list[tuple[int, str]], at: Callable[[str], datetime | None]) -> list[tuple[int, str]]:
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


MAX_OBJECT = 128 * MEGABYTE
_CHUNK = MEGABYTE
_BETWEEN = re.compile(rb"[\s,]*")
_SCALAR = re.compile(rb"[^,\]\n]*")
_CLOSERS = {ord("{"): ord("}"), ord("["): ord("]")}
_STRING = rb'"[^"\\]*+(?>(?:\\.[^"\\]*+)*)"'
# Up to the next bracket outside of strings, or a string that does not end in what has been read.
_TO_BRACKET = re.compile(rb"(?>(?:[^\"\[\]{}]++|" + _STRING + rb")*)([\[\]{}]|\"|\Z)", re.DOTALL)
_VALUE = rb"\s*:\s*(?:" + _STRING + rb"|[-+.\w]+)\s*,\s*"
_FIRST_KEYS = re.compile(rb"\{\s*(" + _STRING + rb")" + _VALUE + rb"(" + _STRING + rb")\s*:", re.DOTALL)


class Element(NamedTuple):
    """One object of a list: its number from 1, and its value or why it has none."""

    number: int
    value: Any
    reason: str | None
    provenance: dict[str, object]


class BrokenLineError(ValueError):
    """A line that is not the JSON of its format; the text says why."""


def loads(text: str) -> Any:
    """JSON as its value, or :class:`BrokenLineError`.

    A number with thousands of digits, which Python refuses, is infinite and no reason to lose the rest.
    """
    try:
        return json.loads(text, parse_int=lambda digits: int(digits) if len(digits) <= 400 else float("inf"))
    except RecursionError:
        raise BrokenLineError("it is nested too deeply") from None
    except ValueError as error:
        raise BrokenLineError(f"it is not JSON ({one_line(str(error), 120)})") from None


def parsed(line: str) -> dict[str, Any]:
    """A line as the JSON object that it is, or :class:`BrokenLineError`."""
    record = loads(line)
    if not isinstance(record, dict):
        raise BrokenLineError("it is not a JSON object")
    return record


def read_or_none(parse: Callable[[str], V], line: str) -> V | None:
    """What a line is read as; None for a broken one."""
    try:
        return parse(line)
    except BrokenLineError:
        return None


def records_in(lines: Iterable[str]) -> Iterator[dict[str, Any]]:
    """The JSON objects among some lines."""
    return (record for line in lines if (record := read_or_none(parsed, line)) is not None)


def time_of(line: str) -> datetime | None:
    """When the message of a line was said, by its ``timestamp``."""
    return parse_instant((read_or_none(parsed, line) or {}).get("timestamp"))


def split_head(raw_content: str) -> tuple[dict[str, Any], str]:
    """A raw content of lines as what its first says of the source, and the others."""
    head, _, rest = raw_content.partition("\n")
    return json.loads(head), rest


def whole_lines(head: bytes) -> list[str]:
    """The lines of a file's first bytes that are not empty; of a longer file without the last, which may be cut."""
    lines = [line for line in decode_head(head).lstrip("\ufeff").split("\n")[:60] if line.strip()]
    return lines if len(head) < HEAD_BYTES else lines[:-1]


@dataclass
class Part:
    """The lines of one source while its file is read; one too long for a transaction has several parts."""

    number: int = 1
    size: int = 0
    lines: list[str] = field(default_factory=list)

    def is_full(self, line: str) -> bool:
        """Whether a further line belongs to the next part."""
        return bool(self.lines) and self.size + len(line) > MAX_PART

    def begin_next(self) -> None:
        """Forget the lines, which are handed on."""
        self.number, self.size, self.lines = self.number + 1, 0, []

    def add(self, line: str) -> None:
        """Take a line."""
        self.lines.append(line)
        self.size += len(line)


def sources_of_lines(
    document: Document,
    key_of: Callable[[str], K],
    sources_of: Callable[[K, Part, dict[str, object]], Iterator[RawSource]],
    *,
    longest: int = MAX_LINE,
    holds_whole: bool = False,
) -> Iterator[Found]:
    """The sources of a file of JSON lines, each from the lines that ``key_of`` calls alike; a broken line costs that
    line.

    Of a large file each source is handed on with its last line, so that the file is never held; with ``holds_whole``
    at its end.
    """
    encoding, guessed = find_encoding(document.stream)
    provenance: dict[str, object] = {"encoding": encoding, "encoding_guessed": guessed}
    last: dict[K, int] = {}
    if document.size > MAX_PART and not holds_whole:
        for number, line in numbered_lines(document.stream, encoding, longest):
            with suppress(BrokenLineError):
                last |= {key_of(line): number} if isinstance(line, str) else {}
    parts: dict[K, Part] = {}
    for number, line in numbered_lines(document.stream, encoding, longest):
        if isinstance(line, LineError):
            yield line
            continue
        try:
            key = key_of(line)
        except BrokenLineError as error:
            yield LineError(number, f"The line was left out: {error}.")
            continue
        part = parts.setdefault(key, Part())
        if part.is_full(line):
            yield from sources_of(key, part, provenance)
            part.begin_next()
        part.add(line)
        if last.get(key) == number:
            yield from sources_of(key, parts.pop(key), provenance)
    for key, part in parts.items():
        yield from sources_of(key, part, provenance)


def part_of(source: RawSource, number: int, key: str | None, provenance: Mapping[str, object]) -> RawSource:
    """A source as the part ``number`` of what ``key`` names; the first part is called as the whole."""
    if number == 1:
        return replace(source, key=key, provenance=provenance)
    return replace(source, key=key and f"{key}/part {number}", provenance={**provenance, "part": number})


def objects(stream: BinaryIO, limit: int = MAX_OBJECT) -> Iterator[Element]:
    """All objects of a file: of the list that it is, or one after the other when it is none."""
    for number, (data, reason) in enumerate(_Cutter(stream, limit).pieces(), start=1):
        value, text = None, decode(data or b"")
        try:
            value = loads(text.text) if data is not None else None
        except BrokenLineError as error:
            reason = str(error)
        yield Element(number, value, reason, text.provenance)


def _utf8(stream: BinaryIO) -> Iterator[bytes]:
    """The bytes of a file as UTF-8, without a mark; those of another encoding without one as they are."""
    stream.seek(0)
    mark = byte_order_mark(stream.read(4))
    stream.seek(0)
    if mark is None:
        while chunk := stream.read(_CHUNK):
            yield chunk
        return
    decoder = codecs.getincrementaldecoder(mark)("replace")
    while chunk := stream.read(_CHUNK):
        yield decoder.decode(chunk).encode("utf-8", "surrogatepass")


class _Cutter:
    """Cuts a file into the objects of its list by their brackets."""

    def __init__(self, stream: BinaryIO, limit: int) -> None:
        self._chunks, self._limit = _utf8(stream), limit
        self._buffer = b""
        self._at = 0
        self._begins: re.Pattern[bytes] | None = None  # how an object of this list begins

    def pieces(self) -> Iterator[tuple[bytes | None, str | None]]:
        """Each object's bytes, or the reason why it could not be cut out."""
        in_list = None
        while self._to_something():
            byte = self._buffer[self._at]
            if byte == ord("[") and in_list is None:
                in_list, self._at = True, self._at + 1
            elif byte == ord("]"):
                self._at += 1
            elif byte == ord("{"):
                in_list = bool(in_list)
                yield self._object()
            else:
                self._skip_scalar()
                yield None, "it is no object"

    def _more(self) -> bool:
        chunk = next(self._chunks, b"")
        self._buffer = self._buffer[self._at :] + chunk
        self._at = 0
        return bool(chunk)

    def _to_something(self) -> bool:
        while True:
            self._at = _BETWEEN.match(self._buffer, self._at).end()  # type: ignore[union-attr]
            if self._at < len(self._buffer):
                return True
            if not self._more():
                return False

    def _skip_scalar(self) -> None:
        while True:
            end = _SCALAR.match(self._buffer, self._at).end()  # type: ignore[union-attr]
            self._at = max(end, self._at + 1) if end < len(self._buffer) else len(self._buffer)
            if self._at < len(self._buffer) or not self._more():
                return

    def _object(self) -> tuple[bytes | None, str | None]:
        """The object that begins here; the place is then behind it, or where the next one begins."""
        open_: bytearray = bytearray()
        scan = self._at
        while True:
            match = _TO_BRACKET.match(self._buffer, scan)
            bracket = match[1] if match else b""
            if bracket in (b"", b'"'):
                scan = match.start(1) if match else scan
                if len(self._buffer) - self._at > self._limit:
                    return self._give_up(f"it is larger than {self._limit // MEGABYTE} MB")
                scan -= self._at
                if not self._more():
                    return self._give_up("it does not end")
                continue
            scan = match.end()  # type: ignore[union-attr]
            if bracket[0] in _CLOSERS:
                open_.append(_CLOSERS[bracket[0]])
                continue
            if open_.pop() != bracket[0]:
                return self._give_up("its brackets do not close")
            if not open_:
                data = self._buffer[self._at : scan]
                self._learn(data)
                self._at = scan
                return data, None

    def _learn(self, data: bytes) -> None:
        if self._begins is None and (keys := _FIRST_KEYS.match(data)):
            begins = rb"\{\s*" + re.escape(keys[1]) + _VALUE + re.escape(keys[2]) + rb"\s*:"
            self._begins = re.compile(begins, re.DOTALL)

    def _give_up(self, reason: str) -> tuple[None, str]:
        """Go on where the next object like it begins; when there is none, nowhere."""
        self._learn(self._buffer[self._at : self._at + 65_536])
        after = self._at + 1
        while True:
            found = self._begins.search(self._buffer, after) if self._begins else None
            if found:
                self._at = found.start()
                return None, reason
            self._at = max(self._at, len(self._buffer) - 65_536)  # a beginning may be cut by the end of the buffer
            if not self._more():
                self._at = len(self._buffer)
                return None, f"{reason}, and nothing after it could be read"
            after = 0
