"""Edits between the files on the disk and the graph: taken in, asked for, confirmed and taken back; for every kind of
file.

Whether a file's bytes were taken in is a :class:`StageState` per file, written in one transaction with the
decisions: a stop in between is repaired by the next run, which finds the same edit. Whoever writes holds the
owner's lock.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from datetime import datetime
from pathlib import Path
from typing import Any

from memory_assets.edits.policy import confirm_rows, diff, dismissed
from memory_assets.files.on_disk import LARGEST_READ, decode, digest_on_disk, read_edited
from memory_assets.graph.decisions import recorded
from memory_assets.graph.graph import Graph, Statement
from memory_assets.graph.owners import find_stage, readable_owners, stage_made
from memory_assets.model import fingerprint, is_team
from memory_assets.runtime.edited_files import (
    HEARTBEAT,
    MEMORY,
    VANISHED,
    Base,
    Decisions,
    Edit,
    EditedError,
    EditedFile,
    FileKind,
    PublishedFile,
    Row,
    decision_of,
)
from memory_assets.settings import Settings

Kinds = Mapping[str, FileKind]
WHOLE = "whole "
"""The prefix of a state that was taken in, where all its words are in the graph by that."""


def list_edits(graph: Graph, user: str, kind: str | None = None) -> list[Row]:
    """All decisions of a user's edits (of one kind of file), the oldest first, with what their memories say now."""
    rows = graph.read("edits/list_edits", user_id=user, user_ids=readable_owners(graph, user))
    # Edits of tasks are sorted by when they were taken in: a file may come with a time of long ago.
    tasks = sorted((row for row in rows if kind_of(row) == HEARTBEAT), key=lambda row: (row["taken_in_at"], row["at"]))
    rows = [*(row for row in rows if kind_of(row) == MEMORY), *tasks]
    return [row for row in rows if kind in (None, kind_of(row))]


def kind_of(row: Mapping[str, Any]) -> str:
    """Of which kind of file an edit is."""
    return MEMORY if row["task_key"] is None else HEARTBEAT


def take_in(
    graph: Graph,
    settings: Settings,
    user: str,
    kind: FileKind,
    lock: Callable[[str], AbstractContextManager[None]] = lambda _: nullcontext(),
) -> list[str]:
    """Take in every edit of the user's files of a kind, by when they were written; a sentence about each file. Teams
    have none.

    ``lock`` is held while something is taken in: nobody publishes meanwhile.
    """
    now = settings.clock.now()
    if is_team(user) or not any(find_edited(graph, kind, file, now) for file in kind.published(graph, settings, user)):
        return []
    with lock(user):
        found = [find_edited(graph, kind, file, now) for file in kind.published(graph, settings, user)]
        edited = sorted((one for one in found if one), key=lambda one: (one.at, str(one.file.path)))
        return [_take_in(graph, settings, kind, one, now) for one in edited]


def find_edited(graph: Graph, kind: FileKind, file: PublishedFile, now: datetime) -> EditedFile | None:
    """How a file differs from what was published; None where it does not, or this very state was taken in.

    None as well where there is no file, or one that we never published. A file without text, or
    far too large, says nothing: everything is asked about.
    """
    on_disk = digest_on_disk(file.path)
    if on_disk is None or on_disk in file.announced | {file.sha256} or not file.bases or _taken(graph, file, on_disk):
        return None
    try:
        data, at = read_edited(file.path)
    except FileNotFoundError:  # gone since its digest was taken
        return None
    if hashlib.sha256(data).hexdigest() != on_disk and len(data) <= LARGEST_READ:
        raise EditedError(f"{file.path} is being written at this moment: it stays as it is. Materialise again.")
    text = decode(data) if len(data) <= LARGEST_READ else None
    edits = [_edit(kind, base, text) for base in file.bases]
    return EditedFile(file, min(edits, key=len), _state(file, on_disk), min(at, now))


def _edit(kind: FileKind, base: Base, text: str | None) -> Edit:
    reading = kind.read(base, text or "")
    foreign = Edit(vanished=tuple(reading.lines), is_foreign=True)
    return foreign if text is None else diff(base.text, text, reading)


def _state(file: PublishedFile, on_disk: str) -> str:
    """A publication and the bytes of the file: the same bytes after another publication are a new edit."""
    return f"{file.sha256}@{file.version}>{on_disk}"


def _stage(file: PublishedFile) -> str:
    return f"edited/{fingerprint(file.path)[:16]}"


def _taken(graph: Graph, file: PublishedFile, on_disk: str) -> str | None:
    """What was noted when these bytes were taken in; None where they were not."""
    noted = find_stage(graph, file.user, _stage(file)) or ""
    return noted if noted.removeprefix(WHOLE) == _state(file, on_disk) else None


def _take_in(graph: Graph, settings: Settings, kind: FileKind, edited: EditedFile, now: datetime) -> str:
    """The decisions, what they write, and that this state of the file was taken in: one transaction."""
    file, edit = edited.file, edited.edit
    known = list_edits(graph, file.user)
    made = kind.decide(graph, settings, edited, known, now)
    is_whole = made.is_whole and not (edit.vanished or edit.is_older or edit.is_foreign)
    noted = f"{WHOLE if is_whole else ''}{edited.state}"
    graph.write_together([*_recorded(file.user, made, now), stage_made(file.user, _stage(file), noted, now)])
    counts = Counter(row["action"] for row in made.rows if not row["in_place_of"])
    happened = ", ".join(f"{number} {action}" for action, number in sorted(counts.items()))
    if not happened:
        return f"{file.path} was edited: {'nothing follows from it' if len(edit) else 'no words changed'}."
    return f"{file.path} was edited: {happened}. `memory-assets edits --user {file.user}` tells what became of it."


def _recorded(user: str, made: Decisions, now: datetime) -> list[Statement]:
    return [*made.writes, *recorded(user, map(decision_of, made.rows), now)]


def check_taken_in(
    graph: Graph, settings: Settings, user: str, kind: FileKind, path: Path, entries: Sequence[Mapping[str, Any]]
) -> None:
    """Raise :class:`EditedError` where publishing a draft of ``entries`` would take away words that it does not answer.

    That is a file edited since the run has looked for edits, or one whose edit has not come through to the draft.
    """
    file = next((one for one in kind.published(graph, settings, user) if one.path == path), None)
    on_disk = digest_on_disk(path)
    if file is None or not file.bases or on_disk in file.announced | {file.sha256, None}:
        return
    if not _taken(graph, file, on_disk or ""):
        raise EditedError(
            f"{path} was edited after this run had looked for edits: it stays as it is, and nothing of it is lost. "
            f"`memory-assets materialize --user {user}` takes the edit in."
        )
    edits = [row for row in list_edits(graph, user, MEMORY) if row["path"] == str(path)]
    if waiting := kind.waiting(graph, user, edits, entries):
        raise EditedError(
            f"{path} was edited, and {len(waiting)} of its edits have not come through to the draft: it stays as it "
            f"is. `memory-assets materialize --user {user}` goes on from there."
        )


def taken_in(graph: Graph, settings: Settings, user: str, kind: FileKind) -> set[str]:
    """The digests of the user's files as they are, where all their words are in the graph: this state was taken in
    whole, no edit of the file is in doubt, and none will not come. Of these no copy is needed: it would stay for
    ever, with any secret that is masked elsewhere.
    """
    found: set[str] = set()
    for file in kind.published(graph, settings, user):
        on_disk = digest_on_disk(file.path)
        if on_disk is None or not (_taken(graph, file, on_disk) or "").startswith(WHOLE):
            continue
        edits = [row for row in list_edits(graph, user) if row["path"] == str(file.path)]
        if not any(row["action"] == VANISHED or row["conflict"] for row in edits) and not kind.lost(graph, user, edits):
            found.add(on_disk)
    return found


def undo_edit(graph: Graph, user: str, identifier: str, now: datetime, kinds: Kinds) -> list[Row]:
    """Take one decision back, by its id, or the reference or id of its memory or task; the rows that were written.

    Raises :class:`EditedError` when there is none.
    """
    named = identifier.strip("[]")
    known = list_edits(graph, user)
    row = next((row for row in reversed(known) if named in names_of(row)), None)
    if row is None:
        raise EditedError(f"No edit {identifier!r} of {user} is known. `memory-assets edits --user {user}` lists them.")
    if row["agent"]:
        raise EditedError(f"That was corrected by {row['agent']}: `memory-assets undo {row['ref']}` takes it back.")
    kind = kinds[kind_of(row)]
    is_asked = row["action"] == VANISHED
    made = Decisions([dismissed(row, now)]) if is_asked else kind.undo(graph, user, row, known, now)
    _settle(graph, user, made, kind, now)
    return made.rows


def names_of(row: Mapping[str, Any]) -> set[str]:
    """What a person may call an edit: its id, or the reference or id of its memory or task."""
    return {row["id"], row["ref"], row["task_key"] or row["memory_id"]}


def confirm_edits(graph: Graph, user: str, now: datetime, kinds: Kinds, only: Collection[str] = ()) -> list[Row]:
    """Let go what had vanished from files, and take conflicts as seen: of the edits called ``only``, or of all.

    Raises :class:`EditedError` for a name of none.
    """
    known = list_edits(graph, user)
    if unknown := sorted(set(only) - {name for row in known for name in names_of(row)}):
        raise EditedError(
            f"No edit {', '.join(unknown)} of {user} is known: nothing is confirmed. `memory-assets edits --user "
            f"{user}` lists them."
        )
    done: list[Row] = []
    for name, kind in kinds.items():
        of_kind = [row for row in known if kind_of(row) == name]
        chosen = [row for row in of_kind if not only or names_of(row) & set(only)]
        rows = confirm_rows(chosen, now, kind.gone, kind.doubts(graph, user, of_kind))
        _settle(graph, user, Decisions(rows), kind, now)
        done += rows
    return done


def _settle(graph: Graph, user: str, made: Decisions, kind: FileKind, now: datetime) -> None:
    if made.rows:
        made.writes += kind.settle(graph, user, made.rows, now)
        graph.write_together(_recorded(user, made, now))
