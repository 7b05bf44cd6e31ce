"""Notes: plain text and Markdown, each file a source, and a vault's canvases, each a note of its cards' words.

A vault's notes link to each other by name; a note that lies on a canvas is read from its own file and only linked.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator, Mapping
from typing import Any

from memory_assets.errors import SourceUnreadableError
from memory_assets.model import SourceType
from memory_assets.sources.cleaning import clean_text, normalise_newlines, one_line, paragraphs
from memory_assets.sources.dates import date_in_name
from memory_assets.sources.encoding import decode_file, has_list, json_head, looks_binary
from memory_assets.sources.formats.base import (
    MAX_WHOLE_FILE,
    Cleaned,
    Document,
    Format,
    Found,
    RawSource,
    number_turns,
    whole_text,
)
from memory_assets.sources.formats.markdown import (
    date_in,
    front_matter,
    links_in,
    note_name,
    project_in,
    readable,
    tags_in,
    title_in,
    words_in,
)
from memory_assets.sources.formats.said import dict_of, list_of, text_of

_HEADING = re.compile(r"^(?=.*$)#{1,6}[ \t]++(\S(?:.*[^ \t#\n])?)[ \t#]*+$")
_MAIN_HEADING = re.compile(r"^(?:#[ \t]+\S|[^\n]+\n=+[ \t]*$)", re.MULTILINE)
_CARDS = re.compile(rb"(?:\xef\xbb\xbf)?\s{0,20}BEGIN:V[A-Z]{1,20}\s", re.I)
_MARKDOWN = (".md", ".markdown")


def sniff(head: bytes, name: str) -> float:
    """Any text, unless it is data: JSON of an unknown shape is no note, nor is a calendar or an address book."""
    if looks_binary(head) or _CARDS.match(head):
        return 0.0
    lower = name.lower()
    if lower.endswith((".md", ".markdown", ".txt", ".text", ".rst", ".org")):
        return 0.3
    data_name = lower.endswith(
        (".json", ".jsonl", ".ndjson", ".csv", ".tsv", ".xml", ".yaml", ".yml", ".html", ".htm", ".base")
    )
    return 0.0 if data_name or json_head(head) else 0.2


def read(document: Document) -> Iterator[Found]:
    """Title: the front matter's, the first heading, or the first line; in a vault a note is called as its file is.

    Date: front matter, else the name.
    """
    text, provenance = whole_text(document)
    matter = front_matter(text)
    body = text[matter.end :]
    is_markdown = document.name.lower().endswith(_MARKDOWN)
    properties = {
        "tags": tags_in(matter.fields, body) if is_markdown else [],
        "aliases": words_in(matter.fields, "aliases", "alias"),
    }
    links = links_in(text)
    in_vault = is_markdown and bool(matter.fields or links) and not _MAIN_HEADING.search(body[:50_000])
    called = os.path.splitext(document.name)[0] if in_vault else _title(readable(body[:50_000]))
    yield RawSource(
        source_type=SourceType.NOTE,
        title=one_line(title_in(matter.fields) or called or document.name, 120),
        raw_content=text,
        started_at=date_in(matter.fields) or date_in_name(document.name),
        note_name=note_name(document.name) if is_markdown else None,
        links=links,
        project=project_in(matter.fields) or None,
        provenance=provenance | {name: words for name, words in properties.items() if words},
    )


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
    body = readable(text[front_matter(text).end :])
    return number_turns((None, part, None) for part in (paragraphs(body) or paragraphs(text)))


FORMAT = Format(SourceType.NOTE, MAX_WHOLE_FILE, sniff, read, clean)


_CARD = re.compile(r'"type"\s*:\s*"(?:text|file|link|group)"')


def sniff_canvas(head: bytes, name: str) -> float:
    """One object with ``nodes`` that are cards; sure where the file is also called so."""
    text = json_head(head)
    called = name.lower().endswith(".canvas")
    if not text.startswith("{"):
        return 0.0
    if has_list(text, "nodes") and _CARD.search(text) and (called or '"edges"' in text):
        return 0.9
    return 0.6 if called else 0.0


def read_canvas(document: Document) -> Iterator[Found]:
    """One note; raises :class:`SourceUnreadableError` for what is no canvas, or one without words of its own."""
    decoded = decode_file(document.stream.read())
    try:
        canvas = json.loads(decoded.text.lstrip("\ufeff"))
    except (ValueError, RecursionError) as error:
        raise SourceUnreadableError(f"It is no canvas ({one_line(str(error), 120)}).") from None
    words = [card for card in _cards(dict_of(canvas)) if card]
    if not any(clean_text(card) and not card.startswith("![[") for card in words):
        raise SourceUnreadableError(
            "It is a canvas without words of its own; the notes on it are read from their own files."
        )
    stem, ending = os.path.splitext(document.name)
    title = one_line(stem if ending.lower() == ".canvas" else document.name, 120) or "Canvas"
    text = "\n\n".join([f"# {title}", *words])
    tags = tags_in({}, text)
    yield RawSource(
        source_type=SourceType.NOTE,
        title=title,
        raw_content=text,
        started_at=date_in_name(document.name),
        note_name=note_name(document.name),
        links=links_in(text),
        provenance=decoded.provenance | {"format": "canvas"} | ({"tags": tags} if tags else {}),
    )


def _cards(canvas: Mapping[str, Any]) -> Iterator[str]:
    """What is on the cards, then the labels of the lines between them."""
    nodes = [dict_of(node) for node in list_of(canvas.get("nodes"))]
    for node in sorted(nodes, key=lambda node: (_place(node.get("y")), _place(node.get("x")), text_of(node.get("id")))):
        kind = node.get("type")
        if kind == "file" and text_of(node.get("file")):
            yield f"![[{one_line(text_of(node['file']), 300)}]]"
        else:
            words = {"text": node.get("text"), "link": node.get("url"), "group": node.get("label")}.get(str(kind))
            yield normalise_newlines(text_of(words)).strip()
    for edge in map(dict_of, list_of(canvas.get("edges"))):
        yield one_line(text_of(edge.get("label")), 300)


def _place(value: object) -> float:
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < 1e12 else 0.0


CANVAS_FORMAT = Format(SourceType.NOTE, MAX_WHOLE_FILE, sniff_canvas, read_canvas, clean)
