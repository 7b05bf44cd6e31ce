"""From bytes to text. An encoding is declared, proven or guessed; a guess always says that it is one."""

from __future__ import annotations

import codecs
from dataclasses import dataclass

from charset_normalizer import from_bytes

from memory_assets.errors import SourceUnreadableError

HEAD_BYTES = 65_536
GUESS_BYTES = 262_144

_BOMS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_MAGIC = (
    b"%PDF", b"PK\x03\x04", b"\x89PNG", b"\xff\xd8\xff", b"GIF8", b"\x1f\x8b", b"BZh", b"\xfd7zXZ",
    b"7z\xbc\xaf", b"\x7fELF", b"MZ\x90", b"SQLite format 3", b"OggS", b"ID3", b"RIFF", b"\xd0\xcf\x11\xe0",
)  # fmt: skip
_TEXT_CONTROLS = frozenset(b"\t\n\r\f\x08\x1b")


@dataclass(frozen=True)
class Decoded:
    """Text with the encoding it was read in, and whether that was a guess."""

    text: str
    encoding: str
    guessed: bool = False


def byte_order_mark(head: bytes) -> str | None:
    """The codec that a byte order mark announces."""
    return next((codec for mark, codec in _BOMS if head.startswith(mark)), None)


def looks_binary(head: bytes) -> bool:
    """Whether bytes are no text: a known signature, or more control bytes than text ever has."""
    if not head or byte_order_mark(head):
        return False
    if head.startswith(_MAGIC):
        return True
    controls = sum(1 for byte in head if (byte < 32 and byte not in _TEXT_CONTROLS) or byte == 127)
    return controls > max(8, len(head) // 50)


def decode_head(head: bytes) -> str:
    """The beginning of a file as text, good enough to recognise its kind by."""
    return head.decode(byte_order_mark(head) or "utf-8", "replace")


def decode(data: bytes, declared: str | None = None) -> Decoded:
    """Bytes as text: as declared, else by their mark, else as UTF-8, else guessed and said so."""
    codec = _known_codec(declared) if declared else None
    for candidate in (codec, byte_order_mark(data[:4]), "utf-8"):
        if candidate is None:
            continue
        try:
            return Decoded(data.decode(candidate), candidate.removesuffix("-sig"))
        except (UnicodeError, ValueError):
            continue
    return guess(data)


def decode_file(data: bytes) -> Decoded:
    """A whole file as text, or :class:`SourceUnreadableError` when it is none."""
    if looks_binary(data[:HEAD_BYTES]):
        raise SourceUnreadableError("It is not text (a binary file); convert it to text first.")
    return decode(data)


def guess(data: bytes) -> Decoded:
    """The likeliest encoding by charset-normalizer; Latin-1 when it has no idea: it loses no byte."""
    best = from_bytes(data[:GUESS_BYTES]).best()
    encoding = best.encoding if best is not None else "latin-1"
    return Decoded(data.decode(encoding, "replace"), encoding, guessed=True)


def _known_codec(name: str) -> str | None:
    try:
        info = codecs.lookup(name.strip().strip("\"'")[:60])
        # Python also registers byte-to-byte codecs (zip, hex): those are not charsets.
        return info.name if info._is_text_encoding else None
    except (LookupError, ValueError):
        return None
