"""The asset ``value_classifications``: read memories, score them, write what changed."""

from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Any

import dagster as dg

from memory_assets.clock import to_iso
from memory_assets.graph.graph import Graph
from memory_assets.graph.owners import find_stage, readable_owners, stage_made
from memory_assets.model import RetentionTier, fingerprint
from memory_assets.operations.partitions import backfill_policy, owners, users_of_run
from memory_assets.operations.window import WindowConfig
from memory_assets.resources import GraphResource, InstallationResource
from memory_assets.values import policy

STAGE = "values"
READS = {
    policy.CHUNK: "values/list_chunks",
    policy.STORYLINE: "values/list_storylines",
    policy.MACRO: "values/list_macros",
    policy.SOURCE: "values/list_sources",
}


@dg.asset(
    group_name="values",
    kinds={"neo4j", "python"},
    owners=["team:memory"],
    partitions_def=owners,
    backfill_policy=backfill_policy,
    deps=["extracted_entities", "storylines", "macros"],
    output_required=False,
    code_version=policy.CODE_VERSION,
    description="How much each memory of a user is worth: five weighted signals and a retention tier.",
)
def value_classifications(
    context: dg.AssetExecutionContext,
    config: WindowConfig,
    graph: GraphResource,
    installation: InstallationResource,
) -> Iterator[dg.MaterializeResult]:
    """Score every memory a user may read (000, Multi-Signal Value Scoring)."""
    users = users_of_run(context, "A team's sources are valued for each of its members, with the member.")
    for user in users:
        with installation.owner_lock(user):
            report = classify_memories(graph.open(), user, installation.clock.now(), force=config.force)
        context.add_asset_metadata(describe(report), partition_key=user)
    if users:
        yield dg.MaterializeResult()


def classify_memories(graph: Graph, user: str, now: datetime, *, force: bool = False) -> dict[str, Any]:
    """Bring a user's classifications up to date; one cheap look when nothing they depend on has changed."""
    readable = readable_owners(graph, user)
    mark = inputs_fingerprint(graph, user, readable, now)
    if not force and find_stage(graph, user, STAGE) == mark:
        return {"unchanged": True}
    candidates, embeddings = read_candidates(graph, user, readable)
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


def inputs_fingerprint(graph: Graph, user: str, readable: Sequence[str], now: datetime) -> str:
    """What the values follow from: sources, extractions, storylines, macros, the day and this code."""
    rows = graph.read("values/list_inputs", user_id=user, user_ids=list(readable))
    marks = sorted((row["kind"], row["id"], row["mark"]) for row in rows)
    return fingerprint(policy.CODE_VERSION, now.date().isoformat(), *readable, *(v for m in marks for v in m))


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


def describe(report: dict[str, Any]) -> dict[str, Any]:
    """What a person wants to see of a run: how values are spread over tiers, and their histogram."""
    if report["unchanged"]:
        return {"changed": 0, "note": "nothing that a value depends on has changed since the last run"}
    made: list[policy.Classification] = report["made"]
    return {
        "memories": len(made),
        "changed": report["written"],
        "retired": report["retired"],
        "tiers": dg.MetadataValue.md(tier_table(made)),
        "values": dg.MetadataValue.md(histogram([row.value_score for row in made])),
    }


def tier_table(made: Sequence[policy.Classification]) -> str:
    """Counts by kind and tier as a Markdown table."""
    counts = Counter((row.entity_type, row.retention_tier) for row in made)
    tiers = [tier.value for tier in RetentionTier]
    lines = ["| | " + " | ".join(tiers) + " |", "|---|" + "---:|" * len(tiers)]
    for kind in READS:
        lines.append(f"| {kind} | " + " | ".join(str(counts[kind, tier]) for tier in tiers) + " |")
    return "\n".join(lines)


def histogram(scores: Sequence[float], width: int = 40) -> str:
    """Value scores in tenths as bars of a Markdown table."""
    counts = Counter(min(int(score * 10), 9) for score in scores)
    most = max(counts.values(), default=1)
    lines = ["| value | memories | |", "|---|---:|---|"]
    for tenth in range(10):
        bar = "█" * round(width * counts[tenth] / most)
        lines.append(f"| {tenth / 10:.1f} to {(tenth + 1) / 10:.1f} | {counts[tenth]} | {bar} |")
    return "\n".join(lines)
