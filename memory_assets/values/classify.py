"""One user's classifications: read the memories, score them, write what changed."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from memory_assets.clock import to_iso
from memory_assets.graph.graph import Graph
from memory_assets.graph.owners import find_stage, readable_owners, stage_made
from memory_assets.model import fingerprint
from memory_assets.values import policy
from memory_assets.values.edited import edits_mark, without_edited

STAGE = "values"
READS = {
    policy.CHUNK: "values/list_chunks",
    policy.STORYLINE: "values/list_storylines",
    policy.MACRO: "values/list_macros",
    policy.SOURCE: "values/list_sources",
}


def classify_memories(graph: Graph, user: str, now: datetime, *, force: bool = False) -> dict[str, Any]:
    """Bring a user's classifications up to date; one cheap look when nothing they depend on has changed."""
    readable = readable_owners(graph, user)
    mark = inputs_fingerprint(graph, user, readable)
    if not force and find_stage(graph, user, STAGE) == mark:
        return {"unchanged": True}
    candidates, embeddings = without_edited(graph, user, *read_candidates(graph, user, readable))
    stored = {row["id"]: row["fingerprint"] for row in graph.read("values/list_fingerprints", user_id=user)}
    made = policy.score_values(user, candidates, embeddings, now)
    changed = policy.select_changed(made, stored)
    stale = policy.select_stale(made, stored)
    if changed:
        graph.write("values/upsert_classifications", changed, user_id=user, now=to_iso(now))
    if stale:
        rows = [{"id": identifier} for identifier in stale]
        graph.write("curation/retire_classifications", rows, user_id=user)
    graph.write_together([stage_made(user, STAGE, mark, now)])
    return {"unchanged": False, "made": made, "written": len(changed), "retired": len(stale)}


def inputs_fingerprint(graph: Graph, user: str, readable: Sequence[str]) -> str:
    """What the values follow from: sources, extractions, storylines, macros and this code.

    The day is no part of it: recency is told as of the last change, so that an idle day costs nothing.
    """
    rows = graph.read("values/list_inputs", user_id=user, user_ids=list(readable))
    marks = sorted((row["kind"], row["id"], row["mark"]) for row in rows)
    return fingerprint(policy.CODE_VERSION, *readable, *(v for m in marks for v in m), *edits_mark(graph, user))


def read_candidates(
    graph: Graph, user: str, readable: Sequence[str]
) -> tuple[list[policy.Candidate], list[list[float] | None]]:
    """Every memory to be valued for a user, in order of id, with its vector."""
    found: list[tuple[policy.Candidate, list[float] | None]] = []
    for entity_type, query in READS.items():
        owner = {"user_ids": list(readable)} if entity_type == policy.SOURCE else {"user_id": user}
        for row in graph.read(query, **owner):
            vector = row.pop("embedding")
            known = {name: value for name, value in row.items() if value is not None}
            found.append((policy.Candidate(entity_type=entity_type, **known), vector))
    found.sort(key=lambda pair: pair[0].memory_id)
    return [candidate for candidate, _ in found], [vector for _, vector in found]
