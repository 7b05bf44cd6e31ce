"""What became of people's edits, for the command line, ``explain`` and the check. Reads only."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from memory_assets.clock import to_iso
from memory_assets.graph.graph import Graph
from memory_assets.graph.owners import readable_owners
from memory_assets.memory_file.edit_rows import ADDED, DISMISSED, LEAVES_OUT, RESTORED, RETIRED, VANISHED, WRITTEN
from memory_assets.memory_file.edit_store import list_doubts, list_edits, shown
from memory_assets.memory_file.render import clean_text
from memory_assets.model import reference

_BY = re.compile(r"^(?:superseded|done) by (\d{9})")
NO_LINE = "(the line is gone)"
SAID = {
    ADDED: "added to",
    RESTORED: "taken back into",
    RETIRED: "removed from",
    VANISHED: "gone at once with many others from",
    DISMISSED: "gone for a while from",
}


def edit_list(graph: Graph, user: str) -> list[dict[str, Any]]:
    """The shape of ``edits --json``: each decision once, the oldest first, one that replaced another with that other."""
    rows = list_edits(graph, user)
    replaced = {row["by_memory_id"] for row in rows if row["by_memory_id"]}
    return [
        {
            "id": row["id"],
            "ref": row["ref"],
            "action": row["action"],
            "published": None if row["action"] == ADDED else shown(row),
            "edited": row["edited_text"],
            "by_ref": reference(row["by_memory_id"]) if row["by_memory_id"] else None,
            "path": row["path"],
            "at": to_iso(row["at"]),
            "taken_in_at": to_iso(row["taken_in_at"]),
            "source": row["source_id"],
            "conflict": row["conflict"],
        }
        for row in rows
        if not (row["action"] in WRITTEN and row["memory_id"] in replaced)
    ]


def explain_edit(graph: Graph, user: str, ref: str) -> dict[str, Any] | None:
    """A reference of a memory that an edit has taken out of the file: what it said, and who took it out, when.

    In the shape of ``explain``, without a value; None where no edit knows of it.
    """
    found = [row for row in list_edits(graph, user) if row["ref"] == ref]
    if not found:
        return None
    row = found[0]
    new = reference(row["by_memory_id"]) if row["by_memory_id"] else None
    return {
        "ref": ref,
        "text": clean_text(shown(row)),
        "value": {},
        "files": [],
        "sources": _sources(graph, user, row),
        "edit": {
            "said": _said(row, new),
            "action": row["action"],
            "path": row["path"],
            "at": to_iso(row["at"]),
            "edited": row["edited_text"],
            "by_ref": new,
        },
    }


def _said(row: Mapping[str, Any], new: str | None) -> str:
    day = (to_iso(row["at"]) or "")[:16].replace("T", " ")
    if new:
        return f"Changed in {row['path']} by its editor, {day} UTC, to: {row['edited_text']} [{new}]"
    waits = " It is extracted and valued by the next run." if row["action"] in WRITTEN else ""
    return f"{SAID[row['action']].capitalize()} {row['path']} by its editor, {day} UTC.{waits}"


def _sources(graph: Graph, user: str, row: Mapping[str, Any]) -> list[dict[str, Any]]:
    if row["entity_type"] != "KnowledgeChunk":
        return []
    readable = readable_owners(graph, user)
    found = graph.read(
        "memory_file/list_statement_sources", user_id=user, user_ids=readable, memory_id=row["memory_id"]
    )
    sources = {one["id"]: {**one, "occurred_at": to_iso(one["occurred_at"])} for one in found}
    return list(sources.values())


def list_conflicts(graph: Graph, user: str) -> list[dict[str, str]]:
    """What an edit and the graph don't agree on, with both texts: ``file``, ``what``, ``published`` and ``edited``.

    Entries that vanished in number; a changed line whose memory was another already, or that another file of the user
    has otherwise; and a line that a person wrote and that has no place in the file, unless that was seen.
    """
    edits = list_edits(graph, user)
    if not edits:
        return []
    rows = [
        _conflict(row, row["conflict"] or "it vanished with many others", shown(row), row["edited_text"])
        for row in edits
        if row["action"] == VANISHED or (row["conflict"] and row["action"] in LEAVES_OUT)
    ]
    by_memory = {row["memory_id"]: row for row in edits}
    doubts = list_doubts(graph, user, edits)
    for row in edits:
        if row["conflict"] and row["action"] in WRITTEN:
            line = by_memory.get(row["in_place_of"])
            rows.append(_conflict(row, row["conflict"], (line and line["edited_text"]) or NO_LINE, row["edited_text"]))
        reason = doubts.get(row["memory_id"])
        if reason is None or reason == row["seen"]:
            continue
        newer = _BY.match(reason)
        text = _text_of(graph, user, newer[1]) if newer else None
        what = "something newer says otherwise" if newer else f"it has no place in the file: {reason}"
        rows.append(_conflict(row, what, text, row["edited_text"]))
    return rows


def _conflict(row: Mapping[str, Any], what: str, known: str | None, edited: str | None) -> dict[str, str]:
    return {
        "file": row["path"],
        "edit": row["id"],
        "what": what,
        "known": clean_text(known or "(nothing)"),
        "edited": clean_text(edited or NO_LINE),
    }


def _text_of(graph: Graph, user: str, ref: str) -> str | None:
    found = graph.read("memory_file/find_reference", user_id=user, user_ids=readable_owners(graph, user), ref=ref)
    return found[0]["text"] if found else None
