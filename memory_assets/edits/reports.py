"""What became of people's edits, for the command line, ``explain`` and the checks. Reads only."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from memory_assets.clock import to_iso
from memory_assets.edits.store import list_edits
from memory_assets.graph.graph import Graph
from memory_assets.graph.owners import readable_owners
from memory_assets.model import reference
from memory_assets.runtime import edited_files
from memory_assets.text.lines import clean_text

Doubts = Callable[[Graph, str, Sequence[edited_files.Row]], Mapping[str, str]]
_BY = re.compile(r"^(?:superseded|done) by (\d{9})")
NO_LINE = "(the line is gone)"
UNREADABLE = "(its words are not yours to read any more)"
SAID = {
    edited_files.ADDED: "added to",
    edited_files.RESTORED: "taken back into",
    edited_files.RETIRED: "removed from",
    edited_files.UNDONE: "edited, and taken back, in",
    edited_files.DISMISSED: "gone for a while from",
    edited_files.VANISHED: "gone at once with many others from",
}


def shown(row: Mapping[str, Any]) -> str | None:
    """What a line said before it was edited, as far as its user may read it now, or wrote it."""
    is_own = row["task_key"] or edited_files.WRITTEN & {row["action"], row["action_before"]}
    return row["published_text"] if is_own or row["entity_type"] else UNREADABLE


def edit_list(graph: Graph, user: str) -> list[dict[str, Any]]:
    """The shape of ``edits --json``: each decision once, the oldest first, one that replaced another with that
    other; those about periodic tasks come last, with the task's id as ``task``.
    """
    rows = list_edits(graph, user)
    replaced = {row["by_memory_id"] for row in rows if row["by_memory_id"]}
    shown_rows = [row for row in rows if not (row["action"] in edited_files.WRITTEN and row["memory_id"] in replaced)]
    return [
        {
            **{name: row[name] for name in ("id", "ref", "action", "path", "conflict")},
            "published": None if row["action"] == edited_files.ADDED and not row["task_key"] else shown(row),
            "edited": row["edited_text"],
            "source": row["source_id"],
            "by_ref": reference(row["by_memory_id"]) if row["by_memory_id"] else None,
            **{name: to_iso(row[name]) for name in ("at", "taken_in_at")},
            **({"task": row["task_key"]} if row["task_key"] else {}),
        }
        for row in sorted(shown_rows, key=lambda row: row["task_key"] is not None)
    ]


def explain_edit(graph: Graph, user: str, ref: str) -> dict[str, Any] | None:
    """A reference of a memory that an edit has taken out of the file: what it said, and who took it out, when.

    In the shape of ``explain``, without a value; None where no edit knows of it.
    """
    row = next((row for row in list_edits(graph, user, edited_files.MEMORY) if row["ref"] == ref), None)
    if row is None:
        return None
    new = reference(row["by_memory_id"]) if row["by_memory_id"] else None
    readable = readable_owners(graph, user)
    about = {"user_id": user, "user_ids": readable, "memory_id": row["memory_id"]}
    is_statement = row["entity_type"] == "KnowledgeChunk"
    sources = graph.read("graph/list_statement_sources", **about) if is_statement else []
    edit = {"said": _said(row, new), "action": row["action"], "path": row["path"], "at": to_iso(row["at"])}
    edit |= {"edited": row["edited_text"], "by_ref": new}
    found = {"ref": ref, "text": clean_text(shown(row) or ""), "value": {}, "files": [], "edit": edit}
    return found | {"sources": [one | {"occurred_at": to_iso(one["occurred_at"])} for one in sources]}


def _said(row: edited_files.Row, new: str | None) -> str:
    day = (to_iso(row["at"]) or "")[:16].replace("T", " ")
    if row["agent"]:
        return f"{row['action'].capitalize()} by {row['agent']}, {day} UTC" + (
            f": {row['edited_text']} [{new}]" if new else "."
        )
    if new:
        return f"Changed in {row['path']} by its editor, {day} UTC, to: {row['edited_text']} [{new}]"
    waits = " It is extracted and valued by the next run." if row["action"] in edited_files.WRITTEN else ""
    return f"{SAID[row['action']].capitalize()} {row['path']} by its editor, {day} UTC.{waits}"


def list_conflicts(graph: Graph, user: str, kind: str, doubts: Doubts) -> list[dict[str, str]]:
    """What edits of a kind of file and the graph don't agree on, with both texts.

    What vanished with many others; what was another already, or what another file has otherwise; and what a person
    wrote and has no place in the file (``doubts`` says why, by memory), unless that was seen.
    """
    rows = list_edits(graph, user, kind)
    by_memory = {row["memory_id"]: row for row in rows}
    reasons = doubts(graph, user, rows) if rows else {}
    found = []
    for row in rows:
        if row["conflict"] or row["action"] == edited_files.VANISHED:
            line = by_memory.get(row["in_place_of"])
            is_beside = row["in_place_of"] and row["action"] in edited_files.WRITTEN
            known = (line and line["edited_text"]) or NO_LINE if is_beside else shown(row)
            found.append(_conflict(row, row["conflict"] or "it vanished with many others", known))
        reason = reasons.get(row["memory_id"])
        if reason is not None and reason != row["seen"]:
            newer = _BY.match(reason)
            what = "something newer says otherwise" if newer else f"it has no place in the file: {reason}"
            found.append(_conflict(row, what, _text_of(graph, user, newer[1]) if newer else None))
    return found


def _conflict(row: edited_files.Row, what: str, known: str | None) -> dict[str, str]:
    texts = {"known": known or "(nothing)", "edited": row["edited_text"] or NO_LINE}
    plain = texts if row["task_key"] else {name: clean_text(text) for name, text in texts.items()}
    return {"file": row["path"], "edit": row["id"], "what": what, **plain}


def _text_of(graph: Graph, user: str, ref: str) -> str | None:
    found = graph.read("graph/find_valued", user_id=user, user_ids=readable_owners(graph, user), ref=ref)
    return found[0]["text"] if found else None
