"""The objects of a large JSON list, one at a time: no more than one of them is ever held.

A parser of events would stop for good at the first broken byte. Here each object is cut out by its brackets and
decoded by itself, so that a broken one costs that one; where its brackets do not close, the next beginning of an
object like it is looked for.
"""

from __future__ import annotations

import codecs
import json
import re
from collections.abc import Iterator
from typing import Any, BinaryIO, NamedTuple

from memory_assets.sources.cleaning import one_line
from memory_assets.sources.encoding import byte_order_mark, decode
from memory_assets.sources.formats.base import MEGABYTE

MAX_OBJECT = 128 * MEGABYTE
_CHUNK = MEGABYTE
_BETWEEN = re.compile(rb"[\s,]*")
_SCALAR = re.compile(rb"[^,\]\n]*")
_CLOSERS = {ord("{"): ord("}"), ord("["): ord("]")}
_STRING = rb'"[^"\\]*+(?>(?:\\.[^"\\]*+)*)"'
# Up to the next bracket outside of strings, or a string that does not end in what has been read.
_TO_BRACKET = re.compile(rb"(?>(?:[^\"\[\]{}]++|" + _STRING + rb")*)([\[\]{}]|\"|\Z)", re.DOTALL)
_FIRST_KEYS = re.compile(
    rb"\{\s*(" + _STRING + rb")\s*:\s*(?:" + _STRING + rb"|[-+.\w]+)\s*,\s*(" + _STRING + rb")\s*:", re.DOTALL
)


class Element(NamedTuple):
    """One object of a list: its number from 1, and its value or why it has none."""

    number: int
    value: Any = None
    reason: str | None = None
    encoding: str = "utf-8"
    guessed: bool = False


def objects(stream: BinaryIO, limit: int = MAX_OBJECT) -> Iterator[Element]:
    """All objects of a file: of the list that it is, or one after the other when it is none."""
    number = 0
    for data, reason in _Cutter(stream, limit).pieces():
        number += 1
        yield Element(number, reason=reason) if data is None else _decoded(number, data)


def _decoded(number: int, data: bytes) -> Element:
    text = decode(data)
    try:
        value = json.loads(text.text, parse_int=_whole_number)
    except RecursionError:
        return Element(number, reason="it is nested too deeply")
    except ValueError as error:
        return Element(number, reason=f"it is not JSON ({one_line(str(error), 120)})")
    return Element(number, value, None, text.encoding, text.guessed)


def _whole_number(digits: str) -> int | float:
    return int(digits) if len(digits) <= 400 else float("inf")


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
            first, second = re.escape(keys[1]), re.escape(keys[2])
            value = rb"(?:" + _STRING + rb"|[-+.\w]+)"
            self._begins = re.compile(
                rb"\{\s*" + first + rb"\s*:\s*" + value + rb"\s*,\s*" + second + rb"\s*:", re.DOTALL
            )

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
