"""How far every source has come, for whom, and what holds it up: what ``memory-assets sources`` shows.

The heads of all sources (ids, times, states) are read at once and sorted here; titles, paths and reasons are read
page by page, so that a list of 100,000 sources costs no more memory than their heads.
"""

from __future__ import annotations

import heapq
import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from memory_assets.clock import to_iso
from memory_assets.graph.graph import Graph
from memory_assets.graph.owners import readable_owners, teams_of
from memory_assets.graph.statements import in_parts
from memory_assets.model import ProcessingStatus, is_team, node_id, reference

PAGE = 1000

Line = dict[str, Any]
"""``id``, ``ref`` (None: a file that gave no source), ``kind``, ``title``, ``path``, ``phase``, ``started_at``,
``reason``, ``owner``, and ``project``."""


@dataclass(frozen=True)
class Head:
    """A source in short, as one user sees it (or nobody in particular: ``user`` is None)."""

    id: str
    owner: str
    user: str | None
    started_at: datetime | None
    phase: str
    failed: bool
    project: str | None = None


def phase_of(status: str, is_described: bool, extraction: str | None) -> str:
    """How far a source has come: raw, processed or extracted (004, Status Flow). Pure.

    ``extraction`` is the status of the user's Extraction of it, None where there is none. A source that could not be
    processed anew is as far as it was before.
    """
    if status == ProcessingStatus.RAW.value or not is_described:
        return "raw"
    return "extracted" if extraction == "extracted" else "processed"


def list_heads(graph: Graph, owners: Sequence[str], user: str | None) -> list[Head]:
    """The heads of what these owners have: as ``user`` sees them, or each owner's own as the owner does."""
    made = _extractions(graph, user) if user is not None else {}
    readers = readable_owners(graph, user) if user is not None else None
    heads: list[Head] = []
    for owner in owners:
        viewer = user or (None if is_team(owner) else owner)
        if user is None:
            made = _extractions(graph, viewer) if viewer else {}
        for row in graph.read("graph/list_source_heads", user_ids=[owner], reader_ids=readers):
            extraction = made.get(row["id"])
            heads.append(
                Head(
                    row["id"],
                    owner,
                    viewer,
                    row["started_at"],
                    phase_of(row["status"], row["is_described"], extraction),
                    row["status"] == ProcessingStatus.FAILED.value or extraction == "failed",
                    row["project"],
                )
            )
    return heads


def list_projects(graph: Graph, user: str) -> list[dict[str, Any]]:
    """The projects of the sources that a user may read, by name: how many sources each has, of which days (``first``,
    ``last``). The last one, ``project`` None, is what is of none.
    """
    rows = graph.read("sources/list_projects", user_ids=readable_owners(graph, user))
    days = {"first": "first_at", "last": "last_at"}
    return [
        {"project": row["project"], "sources": row["sources"]}
        | {name: (row[at] or "")[:10] or None for name, at in days.items()}
        for row in rows
    ]


def latest_first(heads: list[Head], most: int | None = None) -> list[Head]:
    """What failed first, then the rest, each by its time, the newest first and what has none last."""
    return sorted(heads, key=_order) if most is None else heapq.nsmallest(most, heads, key=_order)


def lines(graph: Graph, heads: Sequence[Head]) -> Iterator[Line]:
    """The heads with titles, paths and reasons, in their order, page by page, without a source that is gone since."""
    for page in in_parts(heads, PAGE):
        owners = sorted({head.owner for head in page})
        rows = graph.read("graph/list_source_details", ids=[head.id for head in page], user_ids=owners, reader_ids=None)
        details = {row["id"]: row for row in rows}
        errors = _errors(graph, page)
        for head in page:
            if head.id not in details:
                continue
            row = details[head.id]
            reason = _reason(row["status"], row["error"], *errors.get((head.user, head.id), (None, None)))
            yield _line(row, head.owner, head.phase, reason)


def _line(row: Mapping[str, Any], owner: str, phase: str, reason: str | None) -> Line:
    about = {
        "id": row["id"],
        "ref": reference(row["id"]),
        "kind": row["kind"],
        "title": row.get("title"),
        "path": row["path"],
        "phase": phase,
    }
    return about | {
        "started_at": to_iso(row.get("started_at")),
        "reason": reason,
        "owner": owner,
        "project": row.get("project"),
    }


def files_set_aside(graph: Graph, owners: Sequence[str]) -> list[Line]:
    """The files of these owners that gave no source, with the reasons."""
    rows = graph.read("sources/list_files_set_aside", user_ids=list(owners))
    return [_line(row, row["owner"], "raw", row["reason"]) | {"ref": None} for row in rows]


def failures(graph: Graph, owners: Sequence[str], user: str | None) -> list[Line]:
    """Everything that is set aside or has failed, with the reasons."""
    failed = [head for head in list_heads(graph, owners, user) if head.failed]
    members = [user] if user is not None else [name for name in owners if not is_team(name)]
    for member in members if user is None else ():
        known = {head.id for head in failed}
        teams = teams_of(graph, member)
        failed += [head for head in list_heads(graph, teams, member) if head.failed and head.id not in known]
    without_notes = [line for member in members for line in _without_notes(graph, member)]
    found = [*files_set_aside(graph, owners), *lines(graph, latest_first(failed))]
    return found + [line for line in without_notes if line["id"] not in {one["id"] for one in found}]


def _without_notes(graph: Graph, user: str) -> Iterator[Line]:
    """The sources of which some notes could not be taken for a user."""
    reasons = {row["source_id"]: row["error"] for row in graph.read("graph/list_failed_notes", user_id=user)}
    if not reasons:
        return
    owners = readable_owners(graph, user)
    for row in graph.read("graph/list_source_details", ids=sorted(reasons), user_ids=owners, reader_ids=owners):
        yield _line(row, user, "extracted", f"its notes could not be taken: {reasons[row['id']]}")


def count_failures(graph: Graph, owners: Sequence[str]) -> dict[str, int]:
    """How much of each owner's own is set aside or failed; owners of whom nothing is are left out.

    At most 100 failures of each kind are counted: it is a hint, for which three short reads are enough.
    """
    found: Counter[str] = Counter(line["owner"] for line in files_set_aside(graph, owners))
    for owner in owners:
        processing = {row["id"] for row in graph.read("sources/list_failed_sources", user_id=owner)}
        readers = readable_owners(graph, owner)
        failed = graph.read("graph/list_failed_extractions", user_id=owner, user_ids=readers)
        found[owner] += len(processing | {row["source_id"] for row in failed})
    return {owner: found[owner] for owner in owners if found[owner]}


def count_phases(heads: Sequence[Head]) -> dict[str, int]:
    """How many sources have come how far."""
    found = Counter(head.phase for head in heads)
    return {phase: found[phase] for phase in ("raw", "processed", "extracted")}


def read_source(graph: Graph, user: str, source_id: str) -> dict[str, Any] | None:
    """A source that the user may read, with its turns as a list and its phase for this user, or None."""
    found = graph.read("sources/find_source_page", id=source_id, user_ids=readable_owners(graph, user))
    if not found:
        return None
    row = dict(found[0])
    key = node_id("extraction", user, source_id)
    states = graph.read("graph/list_extraction_states", user_id=user, ids=[key])
    extraction = states[0] if states else {"status": None, "error": None}
    status, error = row.pop("status"), row.pop("error")
    row["reason"] = _reason(status, error, extraction["status"], extraction["error"])
    row["phase"] = phase_of(status, row.pop("is_described"), extraction["status"])
    row["turns"] = json.loads(row["turns"] or "[]")
    row["started_at"] = to_iso(row["started_at"])
    return row


def _extractions(graph: Graph, user: str) -> dict[str, str]:
    return {row["source_id"]: row["status"] for row in graph.read("graph/list_extractions", user_id=user)}


def _reason(status: str, error: str | None, extraction: str | None, extraction_error: str | None) -> str | None:
    """Why a source is not as far as it should be; None when nothing failed."""
    if status == ProcessingStatus.FAILED.value:
        return error
    return extraction_error if extraction == "failed" else None


def _errors(graph: Graph, page: Sequence[Head]) -> dict[tuple[str | None, str], tuple[str, str]]:
    found: dict[tuple[str | None, str], tuple[str, str]] = {}
    for user in sorted({head.user for head in page if head.failed and head.user}):
        ids = [node_id("extraction", user, head.id) for head in page if head.failed and head.user == user]
        for row in graph.read("graph/list_extraction_states", user_id=user, ids=ids):
            found[user, row["source_id"]] = row["status"], row["error"]
    return found


def _order(head: Head) -> tuple[bool, bool, float, str]:
    at = head.started_at
    return not head.failed, at is None, -at.timestamp() if at else 0.0, head.id
