"""A vault's canvases: cards with somebody's words, notes that lie between them, and lines with labels. Each is a note.

The words are read from the top to the bottom, and in a row from the left to the right. A note that lies on the canvas
is read from its own file and only linked.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from memory_assets.errors import SourceUnreadableError
from memory_assets.model import SourceType
from memory_assets.sources.cleaning import clean_text, normalise_newlines, one_line
from memory_assets.sources.dates import date_in_name
from memory_assets.sources.encoding import decode_file, decode_head
from memory_assets.sources.formats import note
from memory_assets.sources.formats.base import MAX_WHOLE_FILE, Document, Format, Found, RawSource
from memory_assets.sources.formats.markdown import links_in, note_name, tags_in
from memory_assets.sources.formats.told import dict_of, list_of, text_of

_NODES = re.compile(r'"nodes"\s*:\s*\[')
_CARD = re.compile(r'"type"\s*:\s*"(?:text|file|link|group)"')
_ENDING = re.compile(r"\.canvas$", re.IGNORECASE)


def sniff(head: bytes, name: str) -> float:
    """One object with ``nodes`` that are cards; sure where the file is also called so."""
    text = decode_head(head).lstrip("\ufeff \t\r\n")
    called = _ENDING.search(name) is not None
    if not text.startswith("{"):
        return 0.0
    if _NODES.search(text) and _CARD.search(text) and (called or '"edges"' in text):
        return 0.9
    return 0.6 if called else 0.0


def read(document: Document) -> Iterator[Found]:
    """One note; raises :class:`SourceUnreadableError` for what is no canvas, or one without words of its own."""
    decoded = decode_file(document.stream.read())
    try:
        told = json.loads(decoded.text.lstrip("\ufeff"))
    except (ValueError, RecursionError) as error:
        raise SourceUnreadableError(f"It is no canvas ({one_line(str(error), 120)}).") from None
    words = [card for card in _cards(dict_of(told)) if card]
    if not any(clean_text(card) and not card.startswith("![[") for card in words):
        raise SourceUnreadableError("It is a canvas without words of its own; the notes on it are read from their own files.")
    title = one_line(_ENDING.sub("", document.name), 120) or "Canvas"
    text = "\n\n".join([f"# {title}", *words])
    tags = tags_in({}, text)
    yield RawSource(
        source_type=SourceType.NOTE,
        title=title,
        raw_content=text,
        started_at=date_in_name(document.name),
        note_name=note_name(document.name),
        links=links_in(text),
        provenance={"encoding": decoded.encoding, "encoding_guessed": decoded.guessed, "format": "canvas"} | ({"tags": tags} if tags else {}),
    )


def _cards(told: Mapping[str, Any]) -> Iterator[str]:
    """What stands on the cards, then the labels of the lines between them."""
    nodes = [dict_of(node) for node in list_of(told.get("nodes"))]
    for node in sorted(nodes, key=lambda node: (_place(node.get("y")), _place(node.get("x")), text_of(node.get("id")))):
        kind = node.get("type")
        if kind == "file" and text_of(node.get("file")):
            yield f"![[{one_line(text_of(node['file']), 300)}]]"
        else:
            words = {"text": node.get("text"), "link": node.get("url"), "group": node.get("label")}.get(str(kind))
            yield normalise_newlines(text_of(words)).strip()
    for edge in map(dict_of, list_of(told.get("edges"))):
        yield one_line(text_of(edge.get("label")), 300)


def _place(value: object) -> float:
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < 1e12 else 0.0


FORMAT = Format(SourceType.NOTE, MAX_WHOLE_FILE, sniff, read, note.clean)
