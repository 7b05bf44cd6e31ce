"""Start a test after the stages that it is not about: processed sources, straight into the graph."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

import neo4j

from memory_assets.clock import to_iso
from memory_assets.graph.decisions import EDIT, decision_row, recorded
from memory_assets.graph.graph import Graph
from memory_assets.model import node_id, source_text_ids

HERE = Path(__file__).resolve().parent


def source_row(identifier: str, owner: str, **change: Any) -> dict[str, Any]:
    """A processed source; its one turn is the owner's unless ``turns`` says otherwise."""
    turns = change.pop("turns", [{"index": 0, "speaker": "Alex", "text": f"About {identifier}.", "at": None}])
    return {
        "id": identifier,
        "user_id": owner,
        "title": identifier,
        "started_at": None,
        "owner_speaker": "Alex",
        "processing_status": "processed",
        "processed_fingerprint": "p1",
        "text_fingerprint": change.get("processed_fingerprint", "p1"),
        "content": "\n".join(turn["text"] for turn in turns),
        "turns": json.dumps(turns),
        "summary": f"About {identifier}.",
        "embedding": None,
        "embedder": None,
        "speakers": None,
    } | change


def seed_sources(graph: Graph, rows: Iterable[Mapping[str, Any]]) -> None:
    """Write processed sources."""
    given = [{**row, **source_text_ids(row["user_id"], row["id"], "content", "turns")} for row in rows]
    _run(graph, "seed_sources", rows=given)


def seed_properties(graph: Graph, user: str, identifier: str, **change: Any) -> None:
    """Set what protects a memory."""
    given = {"access_count": 0, "ttl_policy": "decay", "state": "candidate"} | change
    _run(graph, "seed_properties", user_id=user, id=identifier, **given)


def seed_readers(graph: Graph, owner: str, identifier: str, readers: list[str] | None) -> None:
    """Say by which keys a team's source may be read; None: by every member."""
    _run(graph, "seed_readers", user_id=owner, id=identifier, readers=readers)


def seed_name(graph: Graph, user: str, identifier: str, resolved: str) -> None:
    """Say what a name stands for: the id of its anchor."""
    _run(graph, "seed_names", user_id=user, id=identifier, resolved_id=resolved)


def tamper_draft(graph: Graph, user: str, more: str) -> None:
    """Add words to a user's stored draft."""
    _run(graph, "tamper_draft", user_id=user, more=more)


def _run(graph: Graph, name: str, **params: Any) -> None:
    text = (HERE / f"{name}.cypher").read_text("utf-8")
    graph._run(neo4j.WRITE_ACCESS, lambda tx: tx.run(text, params).consume(), name)


VOLATILE = (
    "completed_at",
    "updated_at",
    "created_at",
    "dirty_at",
    "dirty_since",
    "ingested_at",
    "salience_at",
    "untold",
    "untold_from_at",
)


def picture(graph: Graph, user: str, *teams: str) -> tuple[list[str], list[str]]:
    """All nodes and relationships of a user as sorted lines, without when they were written."""
    owners = [user, *teams]
    ids = [row["id"] for row in graph.read("graph/list_owned_ids", user_id=user, user_ids=owners)]
    nodes = graph.read("graph/list_owned_nodes", ids=ids, user_ids=owners)
    links = graph.read("graph/list_owned_relationships", ids=ids, user_id=user, user_ids=owners)
    texts = graph.read("graph/list_owned_texts", ids=ids, user_id=user, user_ids=owners, originals=True)
    properties = {node["id"]: node["properties"] for node in nodes}
    for row in texts:
        properties[row["id"]][row["kind"]] = row["text"]
    return (sorted(_line(node, user) for node in nodes), sorted(_line(link, user) for link in links))


def _line(row: Mapping[str, Any], user: str) -> str:
    kept = {key: value for key, value in (row["properties"] or {}).items() if key not in VOLATILE}
    plain = {**row, "labels": sorted(row.get("labels") or []), "properties": kept}
    plain |= {key: sorted(plain[key]) for key in ("start_labels", "end_labels") if key in plain}
    return json.dumps(plain, sort_keys=True, default=str).replace(user, "USER")


def stored_sources(graph: Graph, owner: str) -> list[dict[str, Any]]:
    """All properties of an owner's sources, their texts among them, by id."""
    query = "MATCH (s:Source {user_id: $owner}) RETURN properties(s) AS p ORDER BY s.id"
    found = {row["p"]["id"]: row["p"] for row in graph.query_read_only(query, {"owner": owner})}
    whose = {"user_id": owner, "user_ids": [owner]}
    for row in graph.read("graph/list_owned_texts", ids=list(found), originals=True, **whose):
        found[row["id"]][row["kind"]] = row["text"]
    return list(found.values())


def living_statements(graph: Graph, user: str) -> list[dict[str, Any]]:
    """A user's statements as they are valued."""
    ids = [row["memory_id"] for row in graph.read("values/list_memories", user_id=user)]
    return graph.read("values/list_chunks", user_id=user, memory_ids=ids, with_vectors=True)


def decide_out(graph: Graph, user: str, memory_id: str, at: datetime, *, is_out: bool = True) -> None:
    """A decision that leaves a memory out, or the same as taken back."""
    audit = {"audit_id": node_id("audit", memory_id, is_out), "audit_action": "edit-retired", "reason": "-"}
    row = {"id": node_id("edit", user, memory_id), "memory_id": memory_id, "action": "retired", "is_out": is_out}
    row |= {"at": to_iso(at), "snapshot": "{}", **audit}
    graph.write_together(recorded(user, [decision_row(EDIT, row, "-", in_force=is_out)], at))
