"""MEMORY.md and the other bounded files as files that people edit (``edits/``): what was published, what decisions
follow from.

A line that people wrote is a memory once its source is extracted: until then it waits, unless that will not come.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from functools import partial
from typing import Any

from memory_assets.graph.graph import Graph, Statement
from memory_assets.graph.knife import cuts
from memory_assets.graph.owners import find_stage, readable_owners, source_mark
from memory_assets.graph.retirement import removal_rows
from memory_assets.memory_file.candidates import placed
from memory_assets.memory_file.edit_decisions import Words, decide, sources_undone, undo_rows, written_in
from memory_assets.memory_file.edited_lines import read
from memory_assets.memory_file.packing import ALREADY_SAID
from memory_assets.memory_file.user_files import UserFile, user_files
from memory_assets.runtime.edited_files import (
    ADDED,
    LEAVES_OUT,
    RETIRED,
    WRITTEN,
    Base,
    Decisions,
    EditedFile,
    FileKind,
    PublishedFile,
    Row,
)
from memory_assets.settings import Settings

REMOVED = "the source that its edit has made is not read any more"
REFUSED = "it could not be extracted, and is not tried again by itself: `memory-assets sources` says why"

Store = Callable[[Graph, Settings, EditedFile, Sequence[Words], datetime], tuple[str, list[tuple[str, str]]]]
"""Stores words as a source; gives its id, and of each of the words the text as it is stored and the memory's id."""


def file_kind(store: Store) -> FileKind:
    """The kind of a MEMORY.md, whose new words ``store`` takes."""
    return FileKind(RETIRED, published, read, partial(_decide, store), _undo, _settle, doubts, given_up, waiting)


def published(graph: Graph, settings: Settings, user: str) -> list[PublishedFile]:
    """What was published of a user's files. A stop in the middle of a publication may have left a draft in one."""
    manifests = {row["id"]: row for row in graph.read("memory_file/list_edit_bases", user_id=user)}
    drafts = {row["id"]: row for row in graph.read("memory_file/list_edit_drafts", user_id=user)} if manifests else {}
    return [
        _published(graph, file, manifests[file.manifest_id], drafts.get(file.draft_id))
        for file in user_files(graph, settings, user)
        if file.manifest_id in manifests
    ]


def _published(graph: Graph, file: UserFile, manifest: Row, draft: Row | None) -> PublishedFile:
    ours = frozenset((find_stage(graph, file.user, file.publication_stage) or "").split(","))
    rows = [manifest, *([draft] if draft and draft["sha256"] in ours | {manifest["sha256"]} else [])]
    bases = tuple(Base(row["text"], json.loads(row["entries"])) for row in rows if row["text"])
    newer = json.loads(draft["left_out"]) if draft and draft["sha256"] != manifest["sha256"] else []
    outdated = frozenset(row["memory_id"] for row in newer if row["reason"].startswith(("superseded by", "done by")))
    version = str(manifest["version"])
    return PublishedFile(file.user, file.path, manifest["sha256"], version, ours, bases, outdated, file.project)


def _decide(
    store: Store, graph: Graph, settings: Settings, edited: EditedFile, known: Sequence[Row], now: datetime
) -> Decisions:
    """First the source (none where words are only gone), through the door of all sources; then what follows from
    it. After a stop in between the same words give the same source.
    """
    user, edit = edited.file.user, edited.edit
    of_memories = [row for row in known if row["task_key"] is None]
    written = written_in(edit, of_memories)
    new = [one for one in written if one.again is None]
    source_id, stored = store(graph, settings, edited, new, now) if new else (None, [])
    # A line is stored as its source stores it: without secrets.
    masked = {id(one): (replace(one, text=text), key) for one, (text, key) in zip(new, stored, strict=True)}
    all_words = [masked.get(id(one), (one, one.again["memory_id"] if one.again else "")) for one in written]
    ids = sorted(set(placed(line.entry for line, _, _ in edit.changed)))
    found = graph.read("memory_file/list_entry_memories", user_id=user, memory_ids=ids) if ids else []
    missing = set(ids) - {row["memory_id"] for row in found}
    words, keys = [one for one, _ in all_words], [key for _, key in all_words]
    return Decisions(decide(edited, words, keys, source_id, of_memories, missing), [source_mark(user, now)])


def _undo(graph: Graph, user: str, row: Row, known: Sequence[Row], now: datetime) -> Decisions:
    rows = undo_rows(known, row, now)
    gone = removal_rows(user, sources_undone(known, rows), "the edits that made it were taken back", now, "undo")
    return Decisions(rows, cuts("set_sources_removed", gone, user=user, now=now))


def _settle(graph: Graph, user: str, rows: Sequence[Row], now: datetime) -> list[Statement]:
    return [source_mark(user, now)]


def waiting(graph: Graph, user: str, edits: Sequence[Row], entries: Sequence[Mapping[str, Any]]) -> list[str]:
    """The memories about which edits of a file have decided something that values, and a draft of ``entries``,
    don't follow yet. What will not come by itself holds nothing up.
    """
    latest = max((row["at"] for row in edits), default=None)
    listed = set(placed(entries))
    open_ids = [row["memory_id"] for row in edits if row["action"] in LEAVES_OUT and row["memory_id"] in listed]
    written = [row for row in edits if row["action"] == ADDED and row["at"] == latest]
    come = _valued(graph, user, written) | given_up(graph, user, written).keys()
    return open_ids + [row["memory_id"] for row in written if row["memory_id"] not in come]


def _valued(graph: Graph, user: str, edits: Sequence[Row]) -> set[str]:
    ids = [row["memory_id"] for row in edits]
    rows = graph.read("memory_file/list_best_left_out", user_id=user, memory_ids=ids, limit=max(1, len(ids)))
    return {row["memory_id"] for row in rows}


def given_up(graph: Graph, user: str, known: Sequence[Row]) -> dict[str, str]:
    """The lines people have added that will not become memories by themselves, and why: their source is read no more,
    or what models make of it was refused for good, or nothing of them was left when it was done."""
    added = [row for row in known if row["action"] == ADDED]
    valued = _valued(graph, user, added)
    added = [row for row in added if row["memory_id"] not in valued]
    ids = sorted({row["source_id"] for row in added if row["source_id"]})
    if not added:
        return {}
    asked = {"user_id": user, "user_ids": readable_owners(graph, user), "ids": ids}
    sources = {row["id"]: row for row in graph.read("memory_file/list_edit_sources", **asked)}
    found = {row["memory_id"]: REMOVED for row in added if row["source_id"] not in sources}
    for row in added:
        source = sources.get(row["source_id"])
        if source and _is_over(source, is_there=row["entity_type"] is not None):
            found[row["memory_id"]] = REFUSED
    return found


def _is_over(source: Mapping[str, Any], *, is_there: bool) -> bool:
    """Whether nothing more comes of a source by itself."""
    if source["extraction_status"] == "failed":
        return source["extraction_again_at"] is None
    if source["extraction_status"] == "extracted":
        return not is_there
    failed = source["processing_status"] == "failed" and not source["is_processed"]
    return failed and source["processing_again_at"] is None


def doubts(graph: Graph, user: str, known: Sequence[Row]) -> Mapping[str, str]:
    """Of memories that a person wrote and that are not in their file: why. Nothing of what says the same as another."""
    reasons = {
        (base["path"], left["memory_id"]): left["reason"]
        for base in graph.read("memory_file/list_edit_bases", user_id=user)
        for left in json.loads(base["left_out"])
    }
    found = given_up(graph, user, known)
    for row in known:
        reason = reasons.get((row["path"], row["memory_id"])) if row["action"] in WRITTEN else None
        if reason is not None and not reason.startswith(ALREADY_SAID):
            found[row["memory_id"]] = reason
    return found
