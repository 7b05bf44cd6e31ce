"""Notes: plain text and Markdown, each file a source."""

from __future__ import annotations

import re
from collections.abc import Iterator

from memory_assets.errors import SourceUnreadableError
from memory_assets.model import SourceType
from memory_assets.sources.cleaning import (
    clean_text,
    normalise_newlines,
    one_line,
    paragraphs,
)
from memory_assets.sources.dates import date_in_name, parse_written_date
from memory_assets.sources.encoding import decode_file, decode_head, looks_binary
from memory_assets.sources.formats.base import (
    MAX_WHOLE_FILE,
    Cleaned,
    Document,
    Format,
    Found,
    RawSource,
    number_turns,
)

_FRONT_MATTER = re.compile(r"\A---[ \t]*\n(.{0,20000}?)\n(?:---|\.\.\.)[ \t]*(?:\n|\Z)", re.DOTALL)
_FIELD = re.compile(r"^(\w[\w -]{0,40}):[ \t]*(.*)$", re.MULTILINE)
_HEADING = re.compile(r"^#{1,6}[ \t]+(\S.*?)[ \t#]*$")
_FENCE = re.compile(r"^(```|~~~)")


def sniff(head: bytes, name: str) -> float:
    """Any text, unless it is data: JSON of an unknown shape is no note."""
    if looks_binary(head):
        return 0.0
    lower = name.lower()
    if lower.endswith((".md", ".markdown", ".txt", ".text", ".rst", ".org")):
        return 0.3
    start = decode_head(head).lstrip("\ufeff \t\r\n")[:1]
    data_name = lower.endswith(
        (".json", ".jsonl", ".ndjson", ".csv", ".tsv", ".xml", ".yaml", ".yml", ".html", ".htm")
    )
    return 0.0 if data_name or start in ("{", "[") else 0.2


def read(document: Document) -> Iterator[Found]:
    """Title: the front matter's, the first heading, or the first line. Date: front matter, else the name."""
    decoded = decode_file(document.stream.read())
    text = normalise_newlines(decoded.text).strip("\ufeff\n")
    if not clean_text(text):
        raise SourceUnreadableError("It holds no text.")
    fields, body = _split(text)
    yield RawSource(
        source_type=SourceType.NOTE,
        title=one_line(fields.get("title", "").strip("\"'") or _title(body) or document.name, 120),
        raw_content=text,
        started_at=parse_written_date(fields.get("date", "")) or date_in_name(document.name),
        provenance={"encoding": decoded.encoding, "encoding_guessed": decoded.guessed},
    )


def _split(text: str) -> tuple[dict[str, str], str]:
    match = _FRONT_MATTER.match(text)
    if match is None:
        return {}, text
    fields = {name.strip().lower(): value.strip() for name, value in _FIELD.findall(match[1])}
    return (fields, text[match.end() :]) if fields else ({}, text)


def _title(body: str) -> str:
    first = ""
    for line in clean_text(body[:50_000]).split("\n"):
        heading = _HEADING.match(line[:1000])
        if heading:
            return heading[1]
        first = first or line.strip()
    return first


def clean(raw_content: str) -> Cleaned:
    """A turn per paragraph, by nobody in particular; the front matter is no paragraph."""
    text = normalise_newlines(raw_content)
    _, body = _split(text)
    return number_turns((None, part, None) for part in (paragraphs(body) or paragraphs(text)))


FORMAT = Format(SourceType.NOTE, MAX_WHOLE_FILE, sniff, read, clean)
