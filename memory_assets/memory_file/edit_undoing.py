"""What taking a decision back, or confirming what is asked about, decides in turn. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from memory_assets.memory_file.edit_rows import (
    DISMISSED,
    RESTORED,
    RETIRED,
    SUPERSEDED,
    VANISHED,
    WRITTEN,
    Row,
    decided_anew,
    is_written,
)


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
