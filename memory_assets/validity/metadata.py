"""What people look at on statement_validity: what was superseded last and by what, and what contradicts what."""

from __future__ import annotations

from typing import Any

from memory_assets.graph.graph import Graph
from memory_assets.presentation.reports import markdown_table
from memory_assets.validity.decisions import open_contradictions
from memory_assets.validity.judging import SHOWN, Judged


def describe_validity(graph: Graph, user: str, judged: Judged) -> dict[str, Any]:
    """What a judgement compared, and what holds for the user now."""
    totals = {row["outdated"]: row["statements"] for row in graph.read("validity/count_outdated", user_id=user)}
    open_ones = open_contradictions(graph, user)
    shown: dict[str, Any] = {"statements": judged.statements, "pairs": judged.pairs}
    shown |= {name.replace(" ", "_"): totals.get(name, 0) for name in ("wholly", "in part", "perhaps")}
    shown["contradictions"] = len(open_ones)
    if not judged.statements:
        shown["note"] = "no statement is new since the last run"
    asked = {"user_id": user, "memory_ids": list(judged.new)}
    rows = graph.read("validity/list_statements", **asked) if judged.new else []
    if new := [{"text": row["text"], "speaker": user if row["said_by_owner"] else row["speaker"]} for row in rows]:
        shown["new_statements"] = markdown_table({"text": "new or said again", "speaker": "who"}, new)
    if changes := graph.read("validity/list_latest_changes", user_id=user, limit=SHOWN):
        columns = {"since": "since", "later": "now", "lost": "no longer", "outdated": "how far", "why": "why"}
        shown["changes"] = markdown_table(columns, [row | {"since": row["since"][:10]} for row in changes])
    if open_ones:
        columns = {"kind": "kind", "one": "one says", "other": "another says", "found_at": "found"}
        rows = [row | {"found_at": str(row["found_at"])[:10]} for row in open_ones]
        shown["open_contradictions"] = markdown_table(columns, rows, SHOWN)
    return shown
