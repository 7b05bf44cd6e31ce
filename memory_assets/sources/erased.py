"""What was erased does not come in again: sources are left out, people are redacted from what is read anew.

A person's own words go with the name: the lines that they say in a source become the mark, except those that somebody
else says there, too. A source in which nobody else speaks, or in which their words cannot be
separated, is left out.
"""

from __future__ import annotations

import re
import secrets
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from memory_assets.errors import MemoryAssetsError
from memory_assets.graph.graph import Graph
from memory_assets.privacy.masking import change_raw
from memory_assets.privacy.redaction import MARK, Door
from memory_assets.sources.cleaning import storable
from memory_assets.sources.formats import clean
from memory_assets.sources.formats.base import Cleaned, RawSource
from memory_assets.sources.masking import NAMED

_BEGINS = re.compile(r"[:>\])]\s")
_TEXTS = (*(name for name in NAMED if name != "title"), "note_name")
_LISTS = ("ancestors", "links")


class ErasedError(MemoryAssetsError):
    """Nothing of a source may come in: it was erased, or all of it is of somebody who was."""


def read_door(graph: Graph, owner: str) -> Door:
    """What of an owner may not come in again; with a key of its own, new where nothing was erased yet."""
    rows = graph.read("sources/list_erasures", user_id=owner)
    key = next((row["key"] for row in rows if row["key"]), None) or secrets.token_hex(16)
    return Door(
        key,
        frozenset(one for row in rows for one in row["source_digests"]),
        frozenset(one for row in rows for one in row["name_digests"]),
        max((row["longest"] for row in rows), default=0),
    )


def redacted(source: RawSource, door: Door) -> RawSource:
    """The source without the people who were erased, the same object where none is named; its secrets are masked
    already. Raises :class:`ErasedError` where nothing of anybody else would be left.
    """
    raw = storable(source.raw_content)
    if not door.names or not _is_named(source, raw, door):
        return source
    cleaned = clean(source.source_type.value, raw)
    theirs, others = _lines(cleaned, door)
    if theirs and all(turn.speaker is not None and door.names_in(turn.speaker) for turn in cleaned.turns):
        raise ErasedError("Nobody speaks in it but somebody who was erased.")
    spoken = theirs - others
    changed = change_raw(raw, lambda text: "\n".join(_line(line, spoken, door) for line in text.split("\n")))
    if _says(clean(source.source_type.value, changed), spoken):
        raise ErasedError("What somebody who was erased says in it cannot be told apart.")
    changes: dict[str, Any] = {"raw_content": changed, "title": _title(source.title, spoken, door)}
    for name in _TEXTS:
        value = getattr(source, name)
        changes[name] = None if value is None else door.redacted(value)
    changes |= {name: tuple(map(door.redacted, getattr(source, name))) for name in _LISTS}
    changes["participants"] = tuple(sorted({door.redacted(name) for name in source.participants}))
    changes["provenance"] = {
        name: door.redacted(value) if isinstance(value, str) else value for name, value in source.provenance.items()
    }
    return replace(source, **changes)


def _is_named(source: RawSource, raw: str, door: Door) -> bool:
    texts: list[object] = [source.title, *source.participants, *source.provenance.values()]
    texts += [getattr(source, name) for name in _TEXTS]
    texts += [text for name in _LISTS for text in getattr(source, name)]

    def look(text: str) -> str:
        texts.append(text)
        return text

    change_raw(raw, look)
    return any(door.names_in(text) for text in texts if isinstance(text, str))


def _lines(cleaned: Cleaned, door: Door) -> tuple[set[str], set[str]]:
    """What erased people say, and what others do, line by line."""
    theirs: set[str] = set()
    others: set[str] = set()
    for turn in cleaned.turns:
        said = theirs if turn.speaker is not None and door.names_in(turn.speaker) else others
        said |= set(_each(turn.text))
    return theirs, others


def _each(text: str) -> Iterable[str]:
    return filter(None, map(_plain, text.split("\n")))


def _plain(line: str) -> str:
    return " ".join(line.lstrip("> \t").split())


def _line(line: str, spoken: set[str], door: Door) -> str:
    """A line without what was said by who was erased, with or without a speaker's name before it; and without names."""
    if _plain(line) in spoken:
        return MARK
    for begin in _BEGINS.finditer(line):
        if _plain(line[begin.end() :]) in spoken:
            return door.redacted(line[: begin.end()]) + MARK
    return door.redacted(line)


def _says(cleaned: Cleaned, spoken: set[str]) -> bool:
    return any(line in spoken for turn in cleaned.turns for line in _each(turn.text))


def _title(title: str, spoken: set[str], door: Door) -> str:
    """A title may be the beginning of what was said, as a whole or behind a channel's name; or hold all of a line."""
    whole = _plain(title.rstrip("…"))
    begins = [whole, *(whole[begin.end() :] for begin in _BEGINS.finditer(whole))]
    if any(begin and line.startswith(begin) for begin in begins for line in spoken):
        return MARK
    return MARK if any(" " in line and line in whole for line in spoken) else door.redacted(title)
