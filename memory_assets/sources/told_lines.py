"""Storing lines that are statements: a file that moved in, or what a person edited, through the door of every source.

Secrets are masked before there is an identity or a row, and the owner's source mark moves, so that everything built on
the sources learns of them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from memory_assets.clock import to_iso
from memory_assets.graph.graph import Graph
from memory_assets.graph.owners import source_mark
from memory_assets.graph.retirement import removal_rows
from memory_assets.model import SourceType
from memory_assets.privacy.masking import count_masks, mask_text
from memory_assets.sources import source_rows
from memory_assets.sources.formats import READER_VERSION
from memory_assets.sources.formats.base import RawSource
from memory_assets.sources.formats.memory_lines import Line, lines_of, source_of
from memory_assets.sources.source_rows import Row
from memory_assets.sources.store import SourceStore


@dataclass(frozen=True)
class StoredLines:
    """A source of lines as the graph has it, or would have it.

    ``lines`` are its statements after masking, in order: of each, ``entities.policy.statement_id`` tells the memory
    that its extraction will make. ``masked`` counts the secrets by kind.
    """

    source_id: str
    ref: str
    lines: tuple[Line, ...]
    masked: Counter[str]


def row_of(
    source: RawSource, *, owner: str, path: str, now: datetime, keep_originals: bool = False
) -> Row:
    """A source of lines as its row, masked; ``path`` is where the file stands."""
    return source_rows.source_row(
        source,
        owner=owner,
        path=mask_text(path),
        now=now,
        reader_version=READER_VERSION,
        keep_originals=keep_originals,
    )


def plan_lines(source: RawSource, *, owner: str, path: str, now: datetime) -> StoredLines:
    """What :func:`store_sources` would store, without a graph."""
    return _stored(row_of(source, owner=owner, path=path, now=now))


def store_lines(
    graph: Graph,
    owner: str,
    kind: SourceType,
    file: str,
    at: datetime | None,
    lines: Iterable[Line],
    *,
    path: str,
    now: datetime,
    keep_originals: bool = False,
) -> StoredLines:
    """Lines of one file as one source; storing the same again changes nothing.

    ``file`` is the name that the source tells, ``at`` when the lines were written (None: unknown).
    """
    source = source_of(kind, file, at, lines)
    return store_sources(graph, owner, [source], path=path, now=now, keep_originals=keep_originals)[0]


def store_sources(
    graph: Graph, owner: str, sources: Sequence[RawSource], *, path: str, now: datetime, keep_originals: bool = False
) -> list[StoredLines]:
    """Sources of lines into the graph, between two marks: the one before is for an end in between.

    One that was withdrawn lives again, and so does one that its owner had removed: to give the lines again is the owner's
    word too.
    """
    store = SourceStore(graph, owner)
    stored: list[StoredLines] = []
    graph.write_together([source_mark(owner, now)])
    for source in sources:
        row = row_of(source, owner=owner, path=path, now=now, keep_originals=keep_originals)
        stored.append(_stored(row))
        store.add(row)
        if store.is_full():
            store.flush()
    store.flush()
    if rows := removal_rows(owner, (one.source_id for one in stored), "its lines were given again", now):
        graph.write("curation/restore_sources", rows, user_id=owner, now=to_iso(now))
    graph.write_together([source_mark(owner, now)])
    return stored


def _stored(row: Row) -> StoredLines:
    return StoredLines(row["id"], row["ref"], tuple(lines_of(row["raw_content"])), count_masks(row["masked"]))
