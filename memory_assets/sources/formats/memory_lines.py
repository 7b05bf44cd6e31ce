"""Lines of a file of memories, each a statement of its owner's: a file that moved in, or a person's edit of ours.

The raw content is JSON, ``{"file", "at", "lines": [{"line", "text", "section"}]}``: the file's name, when its lines
were written (ISO 8601 or null), and of each line its number from 1, its words, and the heading above it or null.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from datetime import datetime
from typing import NamedTuple

from memory_assets.batches import in_batches
from memory_assets.clock import to_iso
from memory_assets.errors import SourceUnreadableError
from memory_assets.model import SourceType
from memory_assets.sources.cleaning import clean_text, normalise_newlines, one_line
from memory_assets.sources.dates import parse_instant
from memory_assets.sources.encoding import decode_file
from memory_assets.sources.formats.base import MAX_WHOLE_FILE, Cleaned, Document, Format, Found, RawSource, number_turns
from memory_assets.sources.formats.memory_blocks import Split, split
from memory_assets.sources.formats.said import text_of

KINDS = (SourceType.MEMORY_FILE, SourceType.FILE_EDIT)
PART = 200_000
"""Characters of a source; more lines of one day become several."""
OWNER = "user"
"""The speaker of every line: the role of the file's owner."""


class Line(NamedTuple):
    """A statement of a file: the line (from 1) that it begins in, its words, and the heading above it."""

    line: int
    text: str
    section: str | None = None


def source_of(kind: SourceType, file: str, at: datetime | None, lines: Iterable[Line]) -> RawSource:
    """Lines of one file as a source of ``kind``, a memory file or a file edit. Lines without words are left out."""
    if kind not in KINDS:
        raise ValueError(f"{kind.value} is not a kind whose lines are statements.")
    rows = [{"line": one.line, "text": one.text, "section": one.section} for one in lines if clean_text(one.text)]
    raw = json.dumps({"file": file, "at": to_iso(at), "lines": rows}, ensure_ascii=False)
    return RawSource(
        source_type=kind,
        title=_title(kind, file, at),
        raw_content=raw,
        started_at=at,
        ended_at=at,
        participants=(OWNER,),
        owner_speaker=OWNER,
        provenance={"format": kind.value},
    )


def sources_of(kind: SourceType, file: str, content: Split) -> list[RawSource]:
    """A whole file as sources: one for each day that it names, and one for the lines without a day, in parts where
    they are large. Lines without a day of their own are of the file's, where it names one.
    """
    by_day: dict[str, list[Line]] = {}
    for one in content.statements:
        by_day.setdefault(one.day or content.day or "", []).append(Line(one.first, one.text, one.section))
    return [
        source_of(kind, file, parse_instant(day) if day else None, part)
        for day, lines in sorted(by_day.items())
        for part in in_batches(
            [line for line in lines if clean_text(line.text)], len(lines), lambda line: len(line.text), PART
        )
    ]


def lines_of(raw_content: str) -> list[Line]:
    """The lines of a raw content, in the order and number of its cleaned turns."""
    try:
        rows = json.loads(raw_content)["lines"]
        lines = [
            Line(int(one["line"]), clean_text(one["text"]), one_line(text_of(one.get("section"))) or None)
            for one in rows
        ]
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return []
    return [line for line in lines if line.text]


def clean(raw_content: str) -> Cleaned:
    """One turn per line, said by the owner when the file says it was written."""
    lines = lines_of(raw_content)
    at = to_iso(parse_instant(json.loads(raw_content).get("at"))) if lines else None
    return number_turns((OWNER, line.text, at, line.section) for line in lines)


def _title(kind: SourceType, file: str, at: datetime | None) -> str:
    name = one_line(file, 100) or "a file"
    day = f" of {at.date().isoformat()}" if at else ""
    return f"Edit of {name}{day}" if kind is SourceType.FILE_EDIT else f"{name}{day}"


def _reader(kind: SourceType) -> Format:
    def read(document: Document) -> Iterator[Found]:
        text = normalise_newlines(decode_file(document.stream.read()).text)
        sources = sources_of(kind, document.name, split(text))
        if not sources:
            raise SourceUnreadableError("It holds no text.")
        yield from sources

    # Never by itself: only where somebody says that every line of the file is to be remembered.
    return Format(kind, MAX_WHOLE_FILE, lambda head, name: 0.0, read, clean)


FORMATS = tuple(_reader(kind) for kind in KINDS)
