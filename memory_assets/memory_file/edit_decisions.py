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
from datetime import UTC, datetime, time
from typing import Any

from memory_assets.clock import to_iso
from memory_assets.memory_file import render
from memory_assets.memory_file.edit_kinds import Added, Changed, Edit
from memory_assets.memory_file.edited_text import same_words, told_day
from memory_assets.model import node_id, reference

ADDED, RESTORED, RETIRED, SUPERSEDED = "added", "restored", "retired", "superseded"
VANISHED, DISMISSED = "vanished", "dismissed"
LEAVES_OUT = frozenset({RETIRED, SUPERSEDED})
"""The decisions by which a memory has no value for its user."""

WRITTEN = frozenset({ADDED, RESTORED})
"""The decisions by which a memory has its editor's authority."""

UNDECIDED = frozenset({VANISHED, DISMISSED})
"""What takes nothing away: a memory's decision before it, ``action_before``, holds."""

GONE = "what the line said had been retired meanwhile"
NEWER = "something newer had taken the line's place meanwhile"
OTHERWISE = "another of your files says otherwise"

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


def is_written(row: Mapping[str, Any]) -> bool:
    """Whether a decision's memory has its editor's authority: what vanished together with others keeps it."""
    action = row["action_before"] if row["action"] in UNDECIDED else row["action"]
    return action in WRITTEN


def leads_of(row: Mapping[str, Any]) -> frozenset[str]:
    """What the renderer may have put before the words of this memory: its day, its speaker, or both."""
    label = render.label_of(row["label"], row["said_by_owner"])
    told = told_day(row.get("text") or "")
    known = [render.day_of(row["occurred_at"]), told and render.day_of(datetime.combine(told[0], time(), UTC))]
    days = [form for day in known if day for form in (day, day.rpartition(" ")[0])]
    leads = [*days, *([label] if label else []), *(f"{day}, {label}" for day in days if label)]
    return frozenset(same_words(f"{lead}:") for lead in leads)


def plan_edit(edit: Edit, known: Sequence[Mapping[str, Any]], headings: Mapping[str, str]) -> Plan:
    """Sort an edit. ``known`` are the user's decisions as ``memory_file/list_edits`` gives them."""
    out = {same_words(row["published_text"]): row for row in known if row["action"] in LEAVES_OUT and row["entity_type"]}
    told: list[Told] = []
    restored: list[tuple[Mapping[str, Any], Changed | None]] = []
    for one in sorted([*edit.added, *edit.changed], key=lambda one: one.line):
        text = one.text if isinstance(one, Added) else one.after
        replaces = one if isinstance(one, Changed) else None
        words = same_words(text)
        # Anything else before the words is new: "Monday only: Call the plumber" is not "Call the plumber".
        again = out.get(words) or next(
            (row for said, row in out.items() if words.endswith(f": {said}") and words.removesuffix(f" {said}") in leads_of(row)),
            None,
        )
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
    source_id: str | None,
    path: str,
    at: datetime,
    known: Sequence[Mapping[str, Any]] = (),
    missing: Collection[str] = (),
    outdated: Collection[str] = (),
) -> list[Row]:
    """The rows of ``curation/set_file_edits``, one per memory, in order of id.

    ``memory_ids`` are those of the statements that ``plan.told`` become, None for one without words; ``source_id`` is
    theirs, None where no words are told. Memories in ``missing`` don't exist any more, those in ``outdated`` have been
    superseded since they were published: an edit of either is taken in, and is a conflict until somebody has seen it.

    ``known`` are the decisions there are. What had been written and vanishes keeps that (``action_before``); what is out
    already does not vanish. Where another file has decided otherwise about the same line, that decision stays, with
    both texts, and is a conflict.
    """
    rows: dict[str, Row] = {}
    common = {"path": path, "at": to_iso(at), "source_id": source_id}
    decided = {row["memory_id"]: row for row in known}

    def put(memory_id: str, action: str, before: str, after: str | None, section: str | None, **more: Any) -> None:
        rows[memory_id] = edit_row(
            user, memory_id, action, published_text=before, edited_text=after, section=section, **{**common, **more}
        )

    def elsewhere(memory_id: str, new: str | None) -> Mapping[str, Any] | None:
        """What another file has made of the line, if it is not the same."""
        row = decided.get(memory_id)
        is_other = row is not None and row["action"] in LEAVES_OUT and row["path"] != path
        return row if is_other and row is not None and row["by_memory_id"] != new else None

    for one in edit.removed:
        if other := elsewhere(one.memory_id, None):
            rows[one.memory_id] = _same_decision(user, other, OTHERWISE)
        else:
            put(one.memory_id, RETIRED, one.before, None, one.section, action_before=_written_as(decided, one.memory_id))
    for one in edit.vanished:
        was = decided.get(one.memory_id)
        if was is not None and was["action"] in LEAVES_OUT:
            continue
        kept = {key: was[key] for key in ("in_place_of", "source_id")} if was is not None and is_written(was) else {}
        before = _written_as(decided, one.memory_id)
        put(one.memory_id, VANISHED, one.before, None, one.section, action_before=before, **kept)
    written: dict[str, Row] = {}
    pairs = [(told.replaces, told.text, new, ADDED) for told, new in zip(plan.told, memory_ids, strict=True)]
    pairs += [(was, row["published_text"], row["memory_id"], RESTORED) for row, was in plan.restored]
    for replaced, text, new, action in pairs:
        if new is None or (replaced is not None and replaced.memory_id == new):
            continue
        section = replaced.section if replaced else None
        conflict = None
        if replaced:
            old = replaced.memory_id
            other = elsewhere(old, new)
            if other is not None and other["action"] == SUPERSEDED:
                conflict = OTHERWISE  # the line has the other file's words, and these stand beside them
            else:
                doubt = OTHERWISE if other else GONE if old in missing else NEWER if old in outdated else None
                before = _written_as(decided, old)
                put(old, SUPERSEDED, replaced.before, text, section, by_memory_id=new, conflict=doubt, action_before=before)
        of = {"in_place_of": replaced.memory_id} if replaced else {}
        written[new] = edit_row(
            user, new, action, published_text=text, edited_text=text, section=section, conflict=conflict, **common, **of
        )
    rows |= written  # what is written wins over what is gone: its words stand in the file
    return [rows[key] for key in sorted(rows)]


def _written_as(decided: Mapping[str, Mapping[str, Any]], memory_id: str) -> str | None:
    """How a memory had its editor's authority until now; None for one that had not."""
    row = decided.get(memory_id)
    if row is None or not is_written(row):
        return None
    action = row["action_before"] if row["action"] in UNDECIDED else row["action"]
    return str(action)


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
    action_before: str | None = None,
    seen: str | None = None,
    decided_at: str | None = None,
) -> Row:
    """A decision with its audit; ``decided_at`` is when somebody decided otherwise than by editing the file.

    The audit has the editor's own words alone: what the line said before may be withheld from them one day.
    """
    snapshot = {"edited": edited_text, "by_memory_id": by_memory_id, "path": path}
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
        "action_before": action_before,
        "seen": seen,
        "at": at,
        "audit_id": node_id("audit", user, memory_id, "edit", action, source_id, decided_at or at),
        "audit_action": f"edit-{action}",
        "reason": f"{action} by an edit of {path}" if decided_at is None else f"{action} by the owner's word",
        "snapshot": json.dumps(snapshot, ensure_ascii=False, sort_keys=True),
    }


def decided_anew(user: str, row: Mapping[str, Any], action: str, now: datetime, **more: Any) -> Row:
    """A stored decision as another one of the same memory: undone, confirmed or dismissed by its owner."""
    kept = {key: row[key] for key in ("path", "source_id", "published_text", "edited_text", "section", "in_place_of")}
    if action in LEAVES_OUT:
        kept["by_memory_id"] = row["by_memory_id"]
    if action not in WRITTEN:
        kept["action_before"] = row["action_before"] if row["action"] not in WRITTEN else row["action"]
    return edit_row(user, row["memory_id"], action, at=to_iso(row["at"]) or "", decided_at=to_iso(now), **{**kept, **more})


def _same_decision(user: str, row: Mapping[str, Any], conflict: str) -> Row:
    """A stored decision as it is, with a conflict."""
    kept = ("path", "source_id", "published_text", "edited_text", "section", "in_place_of", "by_memory_id", "action_before")
    at = to_iso(row["at"]) or ""
    return edit_row(user, row["memory_id"], row["action"], at=at, conflict=conflict, **{key: row[key] for key in kept})


def undo_rows(user: str, known: Sequence[Mapping[str, Any]], row: Mapping[str, Any], now: datetime) -> list[Row]:
    """What taking one decision back decides; empty when there is nothing to take back.

    What was superseded lives again, and all that had replaced it is retired; what was added is retired; what was retired
    or restored is the other again; what had vanished is no question any more, and is what it was before. Where two files
    had replaced a line, taking one of them back leaves the other.
    """
    by_memory = {one["memory_id"]: one for one in known}
    in_place = [one for one in known if one["in_place_of"] and one["action"] in WRITTEN]
    if row["action"] == VANISHED:
        if is_written(row):
            return [decided_anew(user, row, row["action_before"], now, edited_text=row["published_text"])]
        return [decided_anew(user, row, DISMISSED, now)]
    if row["action"] in (RETIRED, SUPERSEDED):
        new = by_memory.get(row["by_memory_id"] or "")
        replaced_by = {one["memory_id"]: one for one in in_place if one["in_place_of"] == row["memory_id"]}
        if new is not None and new["action"] in WRITTEN:
            replaced_by[new["memory_id"]] = new
        rows = [decided_anew(user, row, RESTORED, now)]
        return rows + [decided_anew(user, replaced_by[key], RETIRED, now) for key in sorted(replaced_by)]
    if row["action"] not in WRITTEN:
        return []
    rows = [decided_anew(user, row, RETIRED, now)]
    old = by_memory.get(row["in_place_of"] or "")
    if old is not None and old["action"] == SUPERSEDED and old["by_memory_id"] == row["memory_id"]:
        others = [one for one in in_place if one["in_place_of"] == old["memory_id"] and one["memory_id"] != row["memory_id"]]
        if others:
            other = min(others, key=lambda one: str(one["memory_id"]))
            by = {"by_memory_id": other["memory_id"], "edited_text": other["edited_text"], "path": other["path"]}
            rows += [decided_anew(user, old, SUPERSEDED, now, **by), decided_anew(user, other, other["action"], now)]
        else:
            rows.append(decided_anew(user, old, RESTORED, now))
    return rows


def confirm_rows(
    user: str, known: Sequence[Mapping[str, Any]], now: datetime, doubts: Mapping[str, str] | None = None
) -> list[Row]:
    """What confirming the open questions among ``known`` decides: what vanished is retired, a conflict is seen.

    ``doubts`` says of written memories why they are not in their file: that is seen too, as long as it stays so.
    """
    doubts = doubts or {}
    rows = [decided_anew(user, row, RETIRED, now) for row in known if row["action"] == VANISHED]
    for row in known:
        doubt = doubts.get(row["memory_id"])
        if row["action"] != VANISHED and (row["conflict"] or (doubt and doubt != row["seen"])):
            rows.append(decided_anew(user, row, row["action"], now, seen=doubt or row["seen"]))
    return rows
