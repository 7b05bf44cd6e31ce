"""Edited files, between the rooms that publish them and the one engine that takes edits in (``edits/``).

A room declares its kind of file (:class:`FileKind`): how a file of it is read, and what a decision about it writes.
``automation/editing.py`` puts kinds and engine together.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

from memory_assets.clock import to_iso
from memory_assets.errors import MemoryAssetsError
from memory_assets.graph.decisions import EDIT, TASK, decision_row
from memory_assets.graph.graph import Graph, Statement
from memory_assets.model import node_id, reference
from memory_assets.settings import Settings
from memory_assets.text.items import Item

MEMORY, HEARTBEAT = "memory", "heartbeat"
ADDED, RESTORED, CHANGED = "added", "restored", "changed"
RETIRED, SUPERSEDED, REMOVED = "retired", "superseded", "removed"
VANISHED, DISMISSED, UNDONE, BESIDE = "vanished", "dismissed", "undone", "kept beside"
LEAVES_OUT = frozenset({RETIRED, SUPERSEDED})
"""The decisions by which a memory has no value for its user."""
WRITTEN = frozenset({ADDED, RESTORED})
"""The decisions by which a memory has its editor's authority."""
OTHERWISE = "another of your files says otherwise"

Row = dict[str, Any]


class EditedError(MemoryAssetsError):
    """An edit that cannot be taken in, or back, as things are: why, and what to do."""


@dataclass(frozen=True)
class Line:
    """A line of a published file: what it is known by, and what it says.

    ``whole`` are the words by whose likeness it is known without its reference (empty: none do), ``forms``
    the words that are the same line. ``now_says`` gives the other words that an item in its place says, empty where
    that says nothing, None where it says the same. ``entry`` is the manifest's.
    """

    ref: str
    written: str
    now_says: Callable[[Item], str | None]
    whole: str = ""
    forms: Collection[str] = ()
    entry: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Reading:
    """The lines of a published file, and the items that are there now. ``is_ours`` says whether anything of these is
    ours, ``is_older`` whether they were made from an earlier publication, ``signs_count`` whether an item without a
    letter says something (a table's rule, a fence)."""

    lines: Sequence[Line]
    items: Sequence[Item]
    is_ours: bool
    is_older: bool = False
    signs_count: bool = False


@dataclass(frozen=True)
class Edit:
    """Everything that differs. ``vanished`` is what is gone where a person has to confirm it; of what ``is_foreign``
    (no text, or another user's file) nothing is taken, and its bytes are in no graph.
    """

    added: tuple[Item, ...] = ()
    changed: tuple[tuple[Line, Item, str], ...] = ()
    removed: tuple[Line, ...] = ()
    vanished: tuple[Line, ...] = ()
    same: tuple[tuple[Line, Item], ...] = ()
    is_older: bool = False
    is_foreign: bool = False

    def __len__(self) -> int:
        return len(self.added) + len(self.changed) + len(self.removed) + len(self.vanished)


@dataclass(frozen=True)
class Base:
    """A text that was published, with the entries of its manifest."""

    text: str
    entries: Sequence[Mapping[str, Any]] = ()


@dataclass(frozen=True)
class PublishedFile:
    """A file of a user: what was published there last, which publication that is, and which bytes of ours may be
    there.

    ``outdated`` are the memories of it that something newer has superseded since. What is written into it is of its
    ``project``.
    """

    user: str
    path: Path
    sha256: str
    version: str
    announced: frozenset[str]
    bases: tuple[Base, ...]
    outdated: frozenset[str] = frozenset()
    project: str | None = None


@dataclass(frozen=True)
class EditedFile:
    """A file that somebody has changed, and how; ``state`` names the publication and the bytes."""

    file: PublishedFile
    edit: Edit
    state: str
    at: datetime


@dataclass
class Decisions:
    """Rows of decisions, what is written with them, and whether all that the file says is in the graph by them."""

    rows: list[Row] = field(default_factory=list)
    writes: list[Statement] = field(default_factory=list)
    is_whole: bool = True


@dataclass(frozen=True)
class FileKind:
    """A kind of published file: how it is read, and what decisions about it write.

    ``gone`` is the decision about what had vanished when its owner confirms that. ``undo`` gets the row, all rows
    of the kind and the instant; ``settle`` what its owner has decided about rows, and gives what is written with
    them; ``doubts`` says of what people wrote and is not in their file why, by memory, ``lost`` what of that will
    not come by itself, and ``waiting`` what a draft of these entries doesn't follow yet.
    """

    gone: str
    published: Callable[[Graph, Settings, str], list[PublishedFile]]
    read: Callable[[Base, str], Reading]
    decide: Callable[[Graph, Settings, EditedFile, Sequence[Row], datetime], Decisions]
    undo: Callable[[Graph, str, Row, Sequence[Row], datetime], Decisions]
    settle: Callable[[Graph, str, Sequence[Row], datetime], list[Statement]]
    doubts: Callable[[Graph, str, Sequence[Row]], Mapping[str, str]] = lambda *_: {}
    lost: Callable[[Graph, str, Sequence[Row]], Collection[str]] = lambda *_: ()
    waiting: Callable[[Graph, str, Sequence[Row], Sequence[Mapping[str, Any]]], Collection[str]] = lambda *_: ()


def edit_row(
    identifier: str,
    memory_id: str,
    action: str,
    *,
    path: str,
    at: datetime,
    mark: str,
    is_word: bool = False,
    **more: Any,
) -> Row:
    """A decision about a memory or task, with its audit; ``more`` are further properties of it.

    ``mark`` names the bytes (or, where ``is_word``, the instant) of the decision: repeated, it makes no second
    audit. The audit has the editor's own words alone: what the line said before may be withheld from them one day.
    """
    row = {**dict.fromkeys(_PROPERTIES), **more}
    said = {"edited": row["edited_text"], "by_memory_id": row["by_memory_id"], "path": path}
    return row | {
        "id": identifier,
        "memory_id": memory_id,
        "ref": reference(memory_id),
        "action": action,
        "path": path,
        "at": to_iso(at),
        "audit_id": node_id("audit", identifier, action, mark),
        "audit_action": f"edit-{action}",
        "reason": f"{action} by the owner's word" if is_word else f"{action} by an edit of {path}",
        "snapshot": row["task_before"] or json.dumps(said, ensure_ascii=False, sort_keys=True),
    }


def decision_of(row: Row) -> Row:
    """An edit's row as the decision that is stored."""
    action = row["action"]
    is_undone = action in (DISMISSED, UNDONE) or (action == RETIRED and row["edited_text"] is not None)
    kind = EDIT if row["task_key"] is None else TASK
    # One that replaced another is shown with that other.
    in_force = not is_undone and action not in (VANISHED, BESIDE) and row["in_place_of"] is None
    about = row["edited_text"] or row["published_text"] or row["ref"]
    is_out = kind == EDIT and action in LEAVES_OUT
    return decision_row(kind, row | {"is_out": is_out}, about, in_force=in_force)


_CARRIED = (
    *("published_text", "edited_text", "section", "source_id", "in_place_of"),
    *("task_key", "task_before", "task_hash"),
)
_PROPERTIES = (*_CARRIED, "by_memory_id", "conflict", "action_before", "seen", "agent", "by_ref")


def decided_anew(row: Mapping[str, Any], action: str, now: datetime, **more: Any) -> Row:
    """A stored decision as another one of the same memory or task: undone, confirmed or dismissed by its owner."""
    carried = {name: row[name] for name in _CARRIED}
    if action in LEAVES_OUT:
        carried["by_memory_id"] = row["by_memory_id"]
    is_same = action == row["action"]
    if is_same or action not in WRITTEN:
        carried["action_before"] = row["action_before"] if is_same or row["action"] not in WRITTEN else row["action"]
    same = {"path": row["path"], "at": row["at"], "mark": to_iso(now) or "", "is_word": True}
    return edit_row(row["id"], row["memory_id"], action, **{**same, **carried, **more})
