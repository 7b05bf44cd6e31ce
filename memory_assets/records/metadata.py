"""What people look at on agents' records."""

from __future__ import annotations

from collections import Counter
from typing import Any

from memory_assets.graph.graph import Graph
from memory_assets.model import RECORD_KINDS, State
from memory_assets.presentation.reports import markdown_table

_ALWAYS = ("due", "standing", "new", "changed", "embedded_again", "retired", "kept_by_a_rail", "linked")


def describe_records(graph: Graph, user: str, counts: Counter[str]) -> dict[str, Any]:
    """What a run did (``counts`` as ``Recorder.run`` gives them), and what records there are now, by kind and state."""
    shown: dict[str, Any] = {key: counts[key] for key in _ALWAYS}
    if counts["left_by_budget"]:
        shown["stopped"] = f"by the budget: the records of {counts['left_by_budget']} sources wait for the next run"
    if counts["waiting_for_others"]:
        shown["waiting_for_others"] = counts["waiting_for_others"]
    table: dict[str, dict[str, Any]] = {}
    for row in graph.read("records/count_records", user_id=user, kinds=list(RECORD_KINDS)):
        kind = {"kind": row["kind"], **dict.fromkeys((state.value for state in State), 0), "tokens": 0}
        of_kind = table.setdefault(row["kind"], kind)
        of_kind[row["state"]] += row["records"]
        of_kind["tokens"] += row["tokens"] or 0
    columns = ["kind", State.ACTIVE.value, State.ARCHIVED.value, "tokens"]
    shown["records"] = sum(row[state.value] for row in table.values() for state in State)
    shown["by_kind"] = markdown_table(columns, table.values())
    return shown
