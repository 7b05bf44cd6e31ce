"""Writing sources: batches by size, idempotent by id, and united where a source can still grow.

Lines that are statements (a file that moved in, or a person's edit) come through the same door as every other source.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from memory_assets.clock import to_iso
from memory_assets.errors import GraphQueryError
from memory_assets.graph.graph import Graph, Statement
from memory_assets.graph.knife import cuts
from memory_assets.graph.owners import source_mark
from memory_assets.graph.retirement import removal_rows
from memory_assets.model import SourceType, source_text_ids
from memory_assets.privacy.access import NORMAL
from memory_assets.privacy.masking import count_masks
from memory_assets.sources import source_rows
from memory_assets.sources.erased import read_door
from memory_assets.sources.formats import merge
from memory_assets.sources.formats.base import RawSource
from memory_assets.sources.formats.memory_lines import Line, lines_of, source_of
from memory_assets.sources.source_rows import Row

ATTEMPTS = 20


class SourceStore:
    """Gathers rows of sources and writes them; ``seen`` and ``new`` are ids of all that went through it."""

    def __init__(self, graph: Graph, owner: str) -> None:
        self._graph, self._owner = graph, owner
        self._rows: list[Row] = []
        self._size = 0
        self.seen: set[str] = set()
        self.new: set[str] = set()

    def add(self, row: Row) -> None:
        """Take a row; it is written at the next :meth:`flush`."""
        self._rows.append(row)
        self._size += row["raw_size"]

    def is_full(self) -> bool:
        """Whether it is time to flush."""
        return len(self._rows) >= 500 or self._size >= source_rows.BATCH_BYTES

    def flush(self) -> None:
        """Write what was gathered. Returns when all of it is stored, also while others write."""
        rows = source_rows.unite([row for row in self._rows if not row["grows"]])
        for batch in source_rows.batches(rows):
            self._upsert(batch)
        for batch in source_rows.batches([row for row in self._rows if row["grows"]]):
            self._unite(batch)
        self._link_mails(rows)
        self._link_notes(rows)
        if growing := sorted({row["id"] for row in self._rows if row["grows"]}):
            given = [{"id": key} for key in growing]
            self._graph.write("sources/take_back_sources", given, user_id=self._owner)
        said = [row for row in self._rows if row["grows"] and row["sensitivity"] != NORMAL]
        if said:
            self._graph.write("sources/set_sensitivities", source_rows.said_rows(said), user_id=self._owner)
        if projects := source_rows.project_rows(self._rows):
            self._graph.write("sources/set_projects", projects, user_id=self._owner)
        self._rows, self._size = [], 0

    def _link_mails(self, rows: list[Row]) -> None:
        """Link mails that have arrived to those that they answer and that answer them, in any order of arrival."""
        mails = [row for row in rows if row["message_id"] or row["in_reply_to"]]
        if not mails:
            return
        named = [{"message_id": row["message_id"], "thread_id": row["thread_id"]} for row in mails if row["message_id"]]
        below = self._graph.read("sources/list_replies", rows=named, user_id=self._owner)
        below += self._graph.read("sources/list_descendants", rows=named, user_id=self._owner)
        replies = source_rows.reply_rows([*mails, *below])
        if replies:
            self._graph.write("sources/link_replies", replies, user_id=self._owner)

    def _link_notes(self, rows: list[Row]) -> None:
        """Link notes that have arrived to those that they name and that name them."""
        linking = [row for row in rows if row["links"]]
        arrived = [row for row in rows if row["note_names"]]
        pairs: list[Row] = []
        if arrived:
            named = [{"id": row["id"], "names": row["note_names"]} for row in arrived]
            self._graph.write("sources/add_note_names", named, user_id=self._owner)
        if linking:
            names = sorted({name for row in linking for name in row["links"]})
            targets = self._graph.read("sources/find_notes", names=names, user_id=self._owner)
            pairs += source_rows.note_links(linking, targets)
        if arrived:
            own = {row["id"] for row in linking}  # theirs are found above
            names = sorted({name for row in arrived for name in row["note_names"]})
            stored = self._graph.read("sources/list_linking_notes", names=names, user_id=self._owner)
            pairs += source_rows.note_links((row for row in stored if row["id"] not in own), arrived)
        if pairs:
            self._graph.write("sources/link_notes", pairs, user_id=self._owner)

    def _upsert(self, batch: Sequence[Row]) -> dict[str, str]:
        """Write sources; the content hash that each id has afterwards."""
        ids = [row["id"] for row in batch]
        before = {row["id"] for row in self._graph.read("graph/find_sources", ids=ids, user_id=self._owner)}
        rows = [row | self._text_ids(row, "raw_content", "original_content") for row in batch]
        stored = self._graph.write("sources/upsert_sources", rows, user_id=self._owner)
        self.new |= set(ids) - before - self.seen
        self.seen |= set(ids)
        return {row["id"]: row["content_hash"] for row in stored}

    def _unite(self, batch: Sequence[Row]) -> None:
        """Unite each row's messages with those stored of its source; again when somebody else was quicker."""
        waiting = batch
        for _ in range(ATTEMPTS):
            waiting = self._unite_once(waiting)
            if not waiting:
                return
        raise GraphQueryError("Somebody else keeps writing the same sources; ingest them again.")

    def _unite_once(self, rows: Sequence[Row]) -> list[Row]:
        ids = sorted({row["id"] for row in rows})
        stored = {row["id"]: row for row in self._graph.read("sources/list_raw_contents", ids=ids, user_id=self._owner)}
        fresh: dict[str, Row] = {}
        changes: dict[str, Row] = {}
        left: list[Row] = []
        for row in rows:
            known = stored.get(row["id"])
            if row["id"] in fresh or row["id"] in changes:
                left.append(row)  # two files have one source: one after the other
            elif known is None:
                fresh[row["id"]] = row
            else:
                united = merge(row["source_type"], known["raw_content"], row["raw_content"])
                if united != known["raw_content"]:
                    grown = source_rows.grown_row(row, united, known["content_hash"])
                    changes[row["id"]] = grown | self._text_ids(row, "raw_content")
        self.seen |= set(stored) & {row["id"] for row in rows}
        for row in (row for row in rows if row["id"] in stored):
            if row["original_content"] is not None or stored[row["id"]]["has_original"]:
                self._unite_original(row)
        if fresh:
            hashes = self._upsert(list(fresh.values()))
            left += [row for row in fresh.values() if hashes.get(row["id"]) != row["content_hash"]]
        if changes:
            written = self._graph.write("sources/set_source_contents", list(changes.values()), user_id=self._owner)
            done = {row["id"] for row in written}
            left += [row for row in rows if row["id"] in changes and row["id"] not in done and row not in left]
        return left

    def _unite_original(self, row: Row) -> None:
        """Unite what was masked in a growing source as the source itself is."""
        found = self._graph.read("sources/find_originals", ids=[row["id"]], user_id=self._owner)
        arrived = row["original_content"] or row["raw_content"]
        united = merge(row["source_type"], found[0]["original_content"], arrived)
        if united != found[0]["original_content"]:
            original = {"id": row["id"], "original_content": united} | self._text_ids(row, "original_content")
            self._graph.write("sources/set_originals", [original], user_id=self._owner)

    def _text_ids(self, row: Row, *kinds: str) -> dict[str, str]:
        return source_text_ids(self._owner, row["id"], *kinds)


@dataclass(frozen=True)
class StoredLines:
    """A source of lines as the graph has it, or would have it.

    ``lines`` are its statements after masking, in order: of each, ``entities.policy.statement_id`` gives the memory
    that its extraction will make. ``masked`` counts the secrets by kind.
    """

    source_id: str
    ref: str
    lines: tuple[Line, ...]
    masked: Counter[str]


def plan_lines(source: RawSource, *, owner: str, path: str, now: datetime) -> StoredLines:
    """What :func:`store_sources` would store, without a graph."""
    return _stored(source_rows.source_row(source, owner=owner, path=path, now=now))


def lines_taken_back(
    graph: Graph, owner: str, ids: Sequence[str], is_unwanted: Callable[[str], bool], now: datetime
) -> list[Statement]:
    """The statements that take lines out of sources that grow; one of which nothing is left is removed until more of it
    comes.

    The caller takes a line out of its file first: else the file brings it back.
    """
    changes: list[Row] = []
    empty: list[str] = []
    for row in graph.read("sources/list_growths", ids=list(ids), user_id=owner):
        lines = row["raw_content"].split("\n")
        left = [line for line in lines if not is_unwanted(line)]
        if len(left) < len(lines):
            grown = source_rows.grown_row(row | {"created_at": to_iso(now)}, "\n".join(left), row["content_hash"])
            changes.append(grown | source_text_ids(owner, row["id"], "raw_content"))
            empty += [] if left else [row["id"]]
    gone = removal_rows(owner, empty, "all that it said was taken back", now, "undo")
    written = [Statement("sources/set_source_contents", {"rows": changes, "user_id": owner})] if changes else []
    return [*written, *cuts("set_sources_removed", gone, user=owner, now=now)]


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
    project: str | None = None,
) -> StoredLines:
    """Lines of one file as one source, of a ``project`` if one is given; storing the same again changes nothing.

    ``file`` is the name that the source has, ``at`` when the lines were written (None: unknown).
    """
    source = replace(source_of(kind, file, at, lines), project=project)
    return store_sources(graph, owner, [source], path=path, now=now, keep_originals=keep_originals)[0]


def store_sources(
    graph: Graph, owner: str, sources: Sequence[RawSource], *, path: str, now: datetime, keep_originals: bool = False
) -> list[StoredLines]:
    """Sources of lines into the graph, between two marks: the one before is for an end in between.

    One that was withdrawn lives again, and so does one that its owner had removed: to give the lines again is the
    owner's word too.
    """
    store = SourceStore(graph, owner)
    stored: list[StoredLines] = []
    door = read_door(graph, owner)
    graph.write_together([source_mark(owner, now)])
    for source in sources:
        row = source_rows.source_row(source, owner=owner, path=path, now=now, keep_originals=keep_originals, door=door)
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
