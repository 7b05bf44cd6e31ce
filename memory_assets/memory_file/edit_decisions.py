"""What an edit of a memory file decides about memories, as rows: kept by memory, so that no extraction forgets it. Pure.

A line that is gone retires its memory, one with other words is superseded by what its editor wrote, one that stands
there again takes an earlier decision back. Nobody's memory is removed: what is retired or superseded is left out of the
values and files of this user alone. Where too much is gone at once (:attr:`Edit.vanished`), nothing is retired before
somebody has confirmed it.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from memory_assets.clock import to_iso
from memory_assets.memory_file.edited_text import same_words
from memory_assets.memory_file.edits import Added, Changed, Edit
from memory_assets.model import node_id, reference

ADDED, RESTORED, RETIRED, SUPERSEDED = "added", "restored", "retired", "superseded"
VANISHED, DISMISSED = "vanished", "dismissed"
LEAVES_OUT = frozenset({RETIRED, SUPERSEDED})
"""The decisions by which a memory has no value for its user."""

WRITTEN = frozenset({ADDED, RESTORED})
"""The decisions by which a memory has its editor's authority."""

GONE = "what the line said had been retired meanwhile"
NEWER = "something newer had taken the line's place meanwhile"

Row = dict[str, Any]


@dataclass(frozen=True)
class Told:
    """A line that becomes a statement of the edit's source, and which published memory it replaces, if any."""

    line: int
    text: str
    heading: str | None
    replaces: Changed | None = None


@dataclass(frozen=True)
class Plan:
    """An edit sorted: what is to be stored in words, and which earlier decisions it takes back."""

    told: tuple[Told, ...]
    restored: tuple[tuple[Mapping[str, Any], Changed | None], ...]


def plan_edit(edit: Edit, known: Sequence[Mapping[str, Any]], headings: Mapping[str, str]) -> Plan:
    """Sort an edit. ``known`` are the user's decisions as ``memory_file/list_edits`` gives them."""
    out = {same_words(row["published_text"]): row for row in known if row["action"] in LEAVES_OUT and row["entity_type"]}
    told: list[Told] = []
    restored: list[tuple[Mapping[str, Any], Changed | None]] = []
    for one in sorted([*edit.added, *edit.changed], key=lambda one: one.line):
        text = one.text if isinstance(one, Added) else one.after
        replaces = one if isinstance(one, Changed) else None
        words = same_words(text)
        again = out.get(words) or next((row for said, row in out.items() if words.endswith(f": {said}")), None)
        if again is not None and (replaces is None or replaces.memory_id != again["memory_id"]):
            restored.append((again, replaces))
        else:
            heading = one.heading if isinstance(one, Added) else headings.get(one.section)
            told.append(Told(one.line, text, heading, replaces))
    return Plan(tuple(told), tuple(restored))


def decide(
    user: str,
    edit: Edit,
    plan: Plan,
    memory_ids: Sequence[str | None],
    *,
    source_id: str,
    path: str,
    at: datetime,
    missing: Collection[str] = (),
    outdated: Collection[str] = (),
) -> list[Row]:
    """The rows of ``curation/set_file_edits``, one per memory, in order of id.

    ``memory_ids`` are those of the statements that ``plan.told`` become, None for one without words. Memories in
    ``missing`` don't exist any more, those in ``outdated`` have been superseded since they were published: an edit of
    either is taken in, and is a conflict until somebody has seen it.
    """
    rows: dict[str, Row] = {}
    common = {"path": path, "at": to_iso(at), "source_id": source_id}

    def put(memory_id: str, action: str, before: str, after: str | None, section: str | None, **more: Any) -> None:
        rows[memory_id] = edit_row(
            user, memory_id, action, published_text=before, edited_text=after, section=section, **common, **more
        )

    def conflict(memory_id: str) -> str | None:
        return GONE if memory_id in missing else NEWER if memory_id in outdated else None

    for one in edit.removed:
        put(one.memory_id, RETIRED, one.before, None, one.section)
    for one in edit.vanished:
        put(one.memory_id, VANISHED, one.before, None, one.section)
    written: dict[str, Row] = {}
    pairs = [(told.replaces, told.text, new, ADDED) for told, new in zip(plan.told, memory_ids, strict=True)]
    pairs += [(was, row["published_text"], row["memory_id"], RESTORED) for row, was in plan.restored]
    for replaced, text, new, action in pairs:
        if new is None or (replaced is not None and replaced.memory_id == new):
            continue
        of = {"in_place_of": replaced.memory_id} if replaced else {}
        section = replaced.section if replaced else None
        written[new] = edit_row(user, new, action, published_text=text, edited_text=text, section=section, **common, **of)
        if replaced:
            old = replaced.memory_id
            put(old, SUPERSEDED, replaced.before, text, section, by_memory_id=new, conflict=conflict(old))
    rows |= written  # what is written wins over what is gone: its words stand in the file
    return [rows[key] for key in sorted(rows)]


def edit_row(
    user: str,
    memory_id: str,
    action: str,
    *,
    path: str,
    at: str,
    source_id: str | None,
    published_text: str,
    edited_text: str | None,
    section: str | None,
    by_memory_id: str | None = None,
    in_place_of: str | None = None,
    conflict: str | None = None,
    decided_at: str | None = None,
) -> Row:
    """A decision with its audit; ``decided_at`` is when somebody decided otherwise than by editing the file."""
    snapshot = {"published": published_text, "edited": edited_text, "by_memory_id": by_memory_id, "path": path}
    return {
        "id": node_id("edit", user, memory_id),
        "memory_id": memory_id,
        "ref": reference(memory_id),
        "action": action,
        "by_memory_id": by_memory_id,
        "in_place_of": in_place_of,
        "path": path,
        "section": section,
        "source_id": source_id,
        "published_text": published_text,
        "edited_text": edited_text,
        "conflict": conflict,
        "at": at,
        "audit_id": node_id("audit", user, memory_id, "edit", action, source_id, decided_at or at),
        "audit_action": f"edit-{action}",
        "reason": f"{action} by an edit of {path}" if decided_at is None else f"{action} by the owner's word",
        "snapshot": json.dumps(snapshot, ensure_ascii=False, sort_keys=True),
    }


def decided_anew(user: str, row: Mapping[str, Any], action: str, now: datetime) -> Row:
    """A stored decision as another one of the same memory: undone, confirmed or dismissed by its owner."""
    kept = ("path", "source_id", "published_text", "edited_text", "section", "in_place_of")
    by = {"by_memory_id": row["by_memory_id"]} if action in LEAVES_OUT else {}
    return edit_row(
        user,
        row["memory_id"],
        action,
        at=to_iso(row["at"]) or "",
        decided_at=to_iso(now),
        **{key: row[key] for key in kept},
        **by,
    )


def undo_rows(user: str, known: Sequence[Mapping[str, Any]], row: Mapping[str, Any], now: datetime) -> list[Row]:
    """What taking one decision back decides; empty when there is nothing to take back.

    What was superseded lives again, and what had replaced it is retired; what was added is retired; what was retired or
    restored is the other again; what had vanished is no question any more.
    """
    by_memory = {one["memory_id"]: one for one in known}
    if row["action"] == VANISHED:
        return [decided_anew(user, row, DISMISSED, now)]
    if row["action"] in (RETIRED, SUPERSEDED):
        rows = [decided_anew(user, row, RESTORED, now)]
        new = by_memory.get(row["by_memory_id"] or "")
        if new is not None and new["action"] in WRITTEN:
            rows.append(decided_anew(user, new, RETIRED, now))
        return rows
    if row["action"] not in WRITTEN:
        return []
    rows = [decided_anew(user, row, RETIRED, now)]
    old = by_memory.get(row["in_place_of"] or "")
    if old is not None and old["action"] == SUPERSEDED and old["by_memory_id"] == row["memory_id"]:
        rows.append(decided_anew(user, old, RESTORED, now))
    return rows


def confirm_rows(user: str, known: Sequence[Mapping[str, Any]], now: datetime) -> list[Row]:
    """What confirming the open questions among ``known`` decides: what vanished is retired, a conflict is seen."""
    rows = [decided_anew(user, row, RETIRED, now) for row in known if row["action"] == VANISHED]
    rows += [decided_anew(user, row, row["action"], now) for row in known if row["conflict"] and row["action"] != VANISHED]
    return rows
