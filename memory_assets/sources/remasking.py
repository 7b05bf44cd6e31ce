"""Sources of an earlier version of the detector, masked again where they stand.

What an older version stored is read once more from the graph itself, because its file may be gone. A source that
changes by it keeps its id and goes through all steps again; the file that it came from, read again, would give another id
by its masked content: ``masked_as`` remembers that one, so that nothing stands twice.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any

from memory_assets.clock import to_iso
from memory_assets.graph.graph import Graph
from memory_assets.graph.owners import source_mark
from memory_assets.model import SourceType, is_team, source_text_ids
from memory_assets.privacy import access
from memory_assets.privacy.detector import VERSION
from memory_assets.privacy.masking import mask_text
from memory_assets.sources import source_rows
from memory_assets.sources.formats.base import RawSource
from memory_assets.sources.masking import masked, privacy_properties

PAGE = 20


def mask_stored(graph: Graph, owner: str, now: datetime, keep_originals: bool) -> int:
    """Mask again what another version of the detector has masked, and forget originals that are not to be kept.

    Returns how many sources have changed by it.
    """
    changed = 0
    if not keep_originals:
        graph.write("curation/retire_originals", [{"id": row["id"]} for row in graph.read("sources/list_originals", user_id=owner)], user_id=owner)
    while rows := graph.read("sources/list_sources_to_mask", user_id=owner, version=VERSION, limit=PAGE):
        again = [masked_again(row, owner, now, keep_originals) for row in rows]
        altered = [row for row in again if row["changed"]]
        if altered:
            graph.write_together([source_mark(owner, now)])
        graph.write("sources/set_masked_sources", again, user_id=owner)
        changed += len(altered)
    if changed:
        graph.write_together([source_mark(owner, now)])
    return changed


def masked_again(row: Mapping[str, Any], owner: str, now: datetime, keep_originals: bool) -> dict[str, Any]:
    """The row that masks a stored source again. Pure."""
    grows = bool(row["grows"]) or row["source_type"] == SourceType.SLACK
    stored = RawSource(
        source_type=SourceType(row["source_type"]),
        title=row["title"],
        raw_content=row["raw_content"],
        participants=tuple(row["participants"] or ()),
        owner_speaker=row["owner_speaker"],
        key="" if grows else None,
        provenance=json.loads(row["provenance"] or "{}"),
    )
    source = masked(stored)
    people = list(source.participants)
    content = source.raw_content != stored.raw_content
    return {
        "id": row["id"],
        **source_text_ids(owner, row["id"], "raw_content", "original_content"),
        "raw_content": source.raw_content,
        "raw_size": len(source.raw_content),
        "content_hash": source_rows.content_hash(source.raw_content) if content else row["content_hash"],
        "title": source.title,
        "participants": people,
        "reader_keys": access.reader_keys(owner, people),
        "owner_speaker": source.owner_speaker,
        "path": mask_text(row["path"] or ""),
        "provenance": json.dumps(dict(source.provenance), sort_keys=True, ensure_ascii=False),
        "masked_as": source_rows.source_id(owner, source) if content and not grows else row["masked_as"],
        "original_content": stored.raw_content if content and keep_originals and not is_team(owner) else None,
        "changed": content or source.title != stored.title or source.participants != stored.participants,
        "version": VERSION,
        "updated_at": to_iso(now),
        **privacy_properties(source.raw_content, people),
    }


def aliases(graph: Graph, owner: str) -> dict[str, str]:
    """The ids of sources that were masked after they had one, by the id that their content would give today."""
    pairs: Iterator[tuple[str, str]] = ((row["masked_as"], row["id"]) for row in graph.read("sources/list_aliases", user_id=owner))
    known: dict[str, str] = {}
    for content_id, identifier in sorted(pairs):
        known.setdefault(content_id, identifier)
    return known
