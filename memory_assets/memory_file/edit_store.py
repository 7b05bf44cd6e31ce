"""A user's edits between the files on disk and the graph: what was edited since it was published, and what is decided.

Whether a file's bytes were taken in is a :class:`StageState` per file, ``<digest published>><digest on disk>``, written
in one transaction with the decisions.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from memory_assets.clock import to_iso
from memory_assets.errors import MemoryAssetsError
from memory_assets.files.on_disk import LARGEST_READ, decode, digest_on_disk, read_edited
from memory_assets.graph.graph import Graph, Statement
from memory_assets.graph.owners import find_stage, readable_owners, source_mark, stage_made
from memory_assets.memory_file.edit_kinds import Edit, Removed
from memory_assets.memory_file.edit_rows import ADDED, LEAVES_OUT, VANISHED, WRITTEN
from memory_assets.memory_file.edit_undoing import confirm_rows, undo_rows
from memory_assets.memory_file.edits import diff
from memory_assets.memory_file.user_files import UserFile
from memory_assets.model import fingerprint

REMOVED = "the source that its edit has made is not read any more"
REFUSED = "it could not be extracted, and is not tried again by itself: `memory-assets sources` says why"
UNREADABLE = "(its words are not yours to read any more)"


class EditedError(MemoryAssetsError):
    """A file holds somebody's words that are not taken in yet: it stays as it is."""


@dataclass(frozen=True)
class Edited:
    """One of a user's files that is not as it was published, and how it differs. ``at`` is when it was written."""

    file: UserFile
    state: str
    edit: Edit
    at: datetime
    outdated: frozenset[str]


def stage_of(file: UserFile) -> str:
    """The stage that says which state of a file was taken in."""
    return f"edited/{fingerprint(file.path)[:16]}"


def list_edits(graph: Graph, user: str) -> list[dict[str, Any]]:
    """All decisions of a user's edits, the oldest first, with what their memories say now."""
    return graph.read("memory_file/list_edits", user_id=user, user_ids=readable_owners(graph, user))


def find_edited(graph: Graph, file: UserFile) -> Edited | None:
    """How the file differs from what was published, unless it does not, or this very state was taken in.

    None as well where nothing stands there, or what stands there was never published by us.
    """
    on_disk = digest_on_disk(file.path)
    manifests = [row for row in graph.read("memory_file/list_edit_bases", user_id=file.user) if row["id"] == file.manifest_id]
    if on_disk is None or not manifests:
        return None
    announced = set((find_stage(graph, file.user, file.publication_stage) or "").split(","))
    published = manifests[0]["sha256"]
    if on_disk in announced | {published} or find_stage(graph, file.user, stage_of(file)) == f"{published}>{on_disk}":
        return None
    data, at = read_edited(file.path)
    if hashlib.sha256(data).hexdigest() != on_disk and len(data) <= LARGEST_READ:
        raise EditedError(f"{file.path} is being written at this moment: it stays as it is. Materialise again.")
    drafts = [row for row in graph.read("memory_file/list_edit_drafts", user_id=file.user) if row["id"] == file.draft_id]
    bases = [row for row in [*manifests, *(d for d in drafts if d["sha256"] in announced | {published})] if row["text"]]
    if not bases:
        return None  # published before texts were kept: the bytes are kept beside, as publishing does
    text = decode(data) if len(data) <= LARGEST_READ else None
    edits = [_edit(base, text) for base in bases]
    smallest = min(edits, key=lambda e: len(e.added) + len(e.changed) + len(e.removed) + len(e.vanished))
    outdated = {
        row["memory_id"]
        for draft in drafts
        if draft["sha256"] != published
        for row in json.loads(draft["left_out"])
        if row["reason"].startswith(("superseded by", "done by"))
    }
    return Edited(file, f"{published}>{on_disk}", smallest, at, frozenset(outdated))


def _edit(base: Mapping[str, Any], text: str | None) -> Edit:
    entries = json.loads(base["entries"])
    if text is not None:
        return diff(base["text"], entries, text)
    # No text at all, or far too much of it: nothing of it can be told, so everything is asked about.
    gone = (Removed(e["memory_id"], e["ref"], e["text"], e["section"]) for e in entries)
    return Edit(vanished=tuple(gone))


def record_edit(graph: Graph, edited: Edited, rows: Sequence[Mapping[str, Any]], now: datetime) -> None:
    """The decisions, and that this state of the file was taken in: one transaction."""
    user = edited.file.user
    writes = [Statement("curation/set_file_edits", {"rows": list(rows), "user_id": user, "now": to_iso(now)})] if rows else []
    graph.write_together([*writes, stage_made(user, stage_of(edited.file), edited.state, now), source_mark(user, now)])


def missing_memories(graph: Graph, user: str, edit: Edit) -> set[str]:
    """The memories of changed lines that the graph does not have any more."""
    ids = sorted({one.memory_id for one in edit.changed})
    found = graph.read("memory_file/list_entry_memories", user_id=user, memory_ids=ids) if ids else []
    return set(ids) - {row["memory_id"] for row in found}


def check_taken_in(graph: Graph, file: UserFile, entries: Sequence[Mapping[str, Any]]) -> None:
    """Raise :class:`EditedError` where publishing a draft of ``entries`` would take away words that it does not answer.

    That is a file edited since the run has looked for edits, or one whose edit has not come through to the draft.
    """
    on_disk = digest_on_disk(file.path)
    published = [row for row in graph.read("memory_file/list_edit_bases", user_id=file.user) if row["id"] == file.manifest_id]
    announced = set((find_stage(graph, file.user, file.publication_stage) or "").split(","))
    if on_disk is None or not published or on_disk in announced | {published[0]["sha256"]}:
        return
    if not published[0]["text"]:
        return  # published before texts were kept: the bytes are kept beside
    if find_stage(graph, file.user, stage_of(file)) != f"{published[0]['sha256']}>{on_disk}":
        raise EditedError(
            f"{file.path} was edited after this run had looked for edits: it stays as it is, and nothing of it is lost. "
            f"`memory-assets materialize --user {file.user}` takes the edit in."
        )
    if waiting := list_waiting(graph, file, entries):
        raise EditedError(
            f"{file.path} was edited, and {len(waiting)} of its edits have not come through to the draft: it stays as it "
            f"is. `memory-assets materialize --user {file.user}` goes on from there."
        )


def list_waiting(graph: Graph, file: UserFile, entries: Sequence[Mapping[str, Any]]) -> list[str]:
    """The memories about which edits of this file have decided something that values and draft don't follow yet.

    What will not come by itself (:func:`list_given_up`) holds nothing up.
    """
    every = list_edits(graph, file.user)
    edits = [row for row in every if row["path"] == str(file.path)]
    latest = max((row["at"] for row in edits), default=None)
    listed = {entry["memory_id"] for entry in entries}
    waiting = [row["memory_id"] for row in edits if row["action"] in LEAVES_OUT and row["memory_id"] in listed]
    written = [row for row in edits if row["action"] == ADDED and row["at"] == latest]
    valued = _valued(graph, file.user, written)
    given_up = list_given_up(graph, file.user, written)
    return waiting + [row["memory_id"] for row in written if row["memory_id"] not in valued | given_up.keys()]


def _valued(graph: Graph, user: str, edits: Sequence[Mapping[str, Any]]) -> set[str]:
    ids = [row["memory_id"] for row in edits]
    rows = graph.read("memory_file/list_best_left_out", user_id=user, memory_ids=ids, limit=max(1, len(ids)))
    return {row["memory_id"] for row in rows}


def list_given_up(graph: Graph, user: str, edits: Sequence[Mapping[str, Any]]) -> dict[str, str]:
    """The lines people have added that will not become memories by themselves, and why: their source is read no more,
    or what models make of it was refused for good, or nothing of them was left when it was done."""
    valued = _valued(graph, user, edits)
    added = [row for row in edits if row["action"] == ADDED and row["memory_id"] not in valued]
    if not added:
        return {}
    ids = sorted({row["source_id"] for row in added if row["source_id"]})
    readable = readable_owners(graph, user)
    rows = graph.read("memory_file/list_edit_sources", user_id=user, user_ids=readable, ids=ids)
    sources = {row["id"]: row for row in rows}
    found: dict[str, str] = {}
    for row in added:
        source = sources.get(row["source_id"])
        if source is None:
            found[row["memory_id"]] = REMOVED
        elif _is_over(source, is_there=row["entity_type"] is not None):
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


def list_doubts(graph: Graph, user: str, edits: Sequence[Mapping[str, Any]]) -> dict[str, str]:
    """Of memories that a person wrote and that are not in their file: why. Nothing of what says the same as another."""
    reasons = {
        (base["path"], left["memory_id"]): left["reason"]
        for base in graph.read("memory_file/list_edit_bases", user_id=user)
        for left in json.loads(base["left_out"])
    }
    found = list_given_up(graph, user, edits)
    for row in edits:
        reason = reasons.get((row["path"], row["memory_id"])) if row["action"] in WRITTEN else None
        if reason is not None and not reason.startswith("already said"):
            found[row["memory_id"]] = reason
    return found


def find_kept(graph: Graph, file: UserFile) -> set[str]:
    """The digest of what stands in the file where all its words are in the graph: this state was taken in, nothing had
    vanished from it, and no edit of the file is in doubt. Nothing else."""
    on_disk = digest_on_disk(file.path)
    published = [row for row in graph.read("memory_file/list_edit_bases", user_id=file.user) if row["id"] == file.manifest_id]
    if on_disk is None or not published or not published[0]["text"]:
        return set()
    if find_stage(graph, file.user, stage_of(file)) != f"{published[0]['sha256']}>{on_disk}":
        return set()
    data, _ = read_edited(file.path)
    text = decode(data) if len(data) <= LARGEST_READ else None
    if hashlib.sha256(data).hexdigest() != on_disk or _edit(published[0], text).vanished:
        return set()
    edits = [row for row in list_edits(graph, file.user) if row["path"] == str(file.path)]
    if any(row["action"] == VANISHED or row["conflict"] for row in edits) or list_given_up(graph, file.user, edits):
        return set()
    return {on_disk}


def shown(row: Mapping[str, Any]) -> str:
    """What a line said before it was edited, as far as its user may read it now: what is theirs to read in the graph, or
    what they wrote themselves."""
    is_own = row["action"] in WRITTEN or row["action_before"] in WRITTEN
    return str(row["published_text"]) if is_own or row["entity_type"] else UNREADABLE


def undo_edit(graph: Graph, user: str, identifier: str, now: datetime) -> list[dict[str, Any]]:
    """Take one decision back, by its id or the reference of its memory; the rows that were written.

    Raises :class:`EditedError` when there is none. Call it with the owner's lock held.
    """
    known = list_edits(graph, user)
    named = identifier.strip("[]")
    row = next((row for row in known if named in names_of(row)), None)
    if row is None:
        raise EditedError(f"No edit {identifier!r} of {user} is known. `memory-assets edits --user {user}` lists them.")
    rows = undo_rows(user, known, row, now)
    _write(graph, user, rows, now)
    texts = {one["memory_id"]: shown(one) for one in known}
    return [{**one, "published_text": texts[one["memory_id"]]} for one in rows]


def names_of(row: Mapping[str, Any]) -> set[str]:
    """What a person may call an edit: its id, or the reference or id of its memory."""
    return {row["id"], row["ref"], row["memory_id"]}


def confirm_edits(graph: Graph, user: str, now: datetime, only: Collection[str] = ()) -> list[dict[str, Any]]:
    """Retire what had vanished from files, and take conflicts as seen: of the edits called ``only``, or of all.

    Call it with the owner's lock held.
    """
    known = list_edits(graph, user)
    chosen = [row for row in known if not only or names_of(row) & set(only)]
    rows = confirm_rows(user, chosen, now, list_doubts(graph, user, known))
    _write(graph, user, rows, now)
    return rows


def _write(graph: Graph, user: str, rows: Sequence[Mapping[str, Any]], now: datetime) -> None:
    if rows:
        statement = Statement("curation/set_file_edits", {"rows": list(rows), "user_id": user, "now": to_iso(now)})
        graph.write_together([statement, source_mark(user, now)])
