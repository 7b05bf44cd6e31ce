"""What Claude's data export keeps beside the conversations: projects with their documents, and memories. Each is a note.

``projects.json`` is a list of projects with ``docs``; a project's description and instructions are one note, each of its
documents another. ``memories.json`` holds what Claude has summed up of the conversations, in all and by project. The
project that the maker adds to every account is left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from memory_assets.model import SourceType
from memory_assets.sources.cleaning import clean_text, normalise_newlines, one_line
from memory_assets.sources.encoding import decode_head
from memory_assets.sources.formats import note
from memory_assets.sources.formats.base import MAX_WHOLE_FILE, Document, Format, Found, LineError, RawSource
from memory_assets.sources.formats.json_stream import objects
from memory_assets.sources.formats.told import dict_of, list_of, text_of
from memory_assets.sources.formats.tree import moment

NAME = "claude"
_PROJECTS = re.compile(r'"docs"\s*:\s*\[')
_MEMORIES = re.compile(r'"(?:conversations_memory"\s*:\s*(?:"|null)|project_memories"\s*:\s*\{)')


def sniff(head: bytes, name: str) -> float:
    """A list, or one object, with ``docs`` and a ``uuid``, or with memories."""
    text = decode_head(head).lstrip("\ufeff \t\r\n")
    if text[:1] not in ("[", "{"):
        return 0.0
    return 0.9 if _MEMORIES.search(text) or (_PROJECTS.search(text) and '"uuid"' in text) else 0.0


def read(document: Document) -> Iterator[Found]:
    """A note for each project, document and memory that has words; a broken object costs that one."""
    for number, element in enumerate(objects(document.stream), start=1):
        if element.reason is not None:
            yield LineError(number, f"It was left out: {element.reason}.")
            continue
        item = dict_of(element.value)
        if not item:
            yield LineError(number, "It was left out: it is no object.")
            continue
        told = {"encoding": element.encoding, "encoding_guessed": element.guessed, "format": NAME}
        yield from _project(item, told) if "docs" in item else _memories(item, told)


def _project(item: Mapping[str, Any], told: dict[str, object]) -> Iterator[Found]:
    if item.get("is_starter_project") is True:
        return
    name = one_line(text_of(item.get("name")), 120)
    parts = [text_of(item.get("description")), text_of(item.get("prompt_template"))]
    if any(clean_text(part) for part in parts):
        yield from _note(name or "Project", "\n\n".join(parts), item.get("created_at"), told | {"part": "project"})
    for doc in map(dict_of, list_of(item.get("docs"))):
        title = one_line(text_of(doc.get("filename")), 120) or name or "Document"
        yield from _note(title, text_of(doc.get("content")), doc.get("created_at"), told | {"part": "document", "project": name})


def _memories(item: Mapping[str, Any], told: dict[str, object]) -> Iterator[Found]:
    yield from _note("Claude's memory", text_of(item.get("conversations_memory")), None, told | {"part": "memory"})
    for key, text in sorted(dict_of(item.get("project_memories")).items()):
        about = told | {"part": "memory", "project": one_line(str(key), 60)}
        yield from _note("Claude's memory of a project", text_of(text), None, about)


def _note(title: str, text: str, created: object, told: dict[str, object]) -> Iterator[Found]:
    text = normalise_newlines(text).strip("\ufeff\n ")
    if clean_text(text):
        yield RawSource(SourceType.NOTE, title, text, started_at=moment(created), provenance=told)


FORMAT = Format(SourceType.NOTE, MAX_WHOLE_FILE, sniff, read, note.clean)
