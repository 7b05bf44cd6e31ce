"""Agents' records as somebody looks at them. Reads only."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from memory_assets.clock import to_iso
from memory_assets.graph.graph import Graph
from memory_assets.model import RECORD_KINDS

Row = dict[str, Any]


def list_records(graph: Graph, user: str, kinds: Sequence[str] = RECORD_KINDS) -> list[Row]:
    """The living records of a user that a source in use has, by kind and time; instants as ISO text."""
    rows = graph.read("records/list_records", user_id=user, kinds=list(kinds))
    return [row | {"recorded_at": to_iso(row["recorded_at"])} for row in rows]


def find_record(graph: Graph, user: str, ref: str) -> Row | None:
    """The user's record behind a reference, archived or not, with its sources and the records that it refers to or
    that refer to it; None where there is none, or it is a tombstone.
    """
    found = graph.read("records/find_record", user_id=user, ref=ref)
    if not found:
        return None
    record = found[0]
    linked = graph.read("records/list_linked_records", user_id=user, id=record["id"])
    return record | {"recorded_at": to_iso(record["recorded_at"]), "records": linked}
