"""Everything that is stored of one user, as objects in the shape of APOC's JSON export.

First the ids, then the nodes page by page, so that memory stays flat however much there is. An export
holds the user's own nodes and the sources of the user's teams; never a node of anybody else.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from datetime import date, datetime, timedelta
from typing import Any

from memory_assets.clock import to_iso
from memory_assets.graph.graph import Graph
from memory_assets.graph.owners import readable_owners
from memory_assets.graph.statements import in_parts
from memory_assets.model import fingerprint

PAGE = 200

# What a canonical export leaves out, because it says when, where or by which run something was made.
BOOKKEEPING_LABELS = frozenset(
    """
    Agent AgentKey CurationAudit CurationCycleSummary Decision DuplicatePair FileMigration FileVersion
    MetricsSnapshot Migration SourceFile StageState SystemConfig
    """.split()
)
BOOKKEEPING_PROPERTIES = frozenset(
    """
    applied_at archived_at arrivals attempts budgeted_at carried_out_at changed_at checked_at completed_at
    confirmed_at created_at curate_15m_key curate_1h_key curate_5m_key curate_6h_key curation_action deleted_at
    described_at described_key dirty_at dirty_since expiry_key extraction_completed_at extraction_started_at
    fade_key found_at generated_at ingested_at is_dirty last_compacted last_curated_at line_errors next_attempt_at
    path planned_at processing_attempts processing_completed_at processing_started_at promoted_at provenance
    pruned_records removed_at rest_key rested_key restored_at run_id run_ids salience_at seen_at stale_key tiered_at
    tombstone_key unaged unchecked uncompared uncompressed uncounted uncounted_with unjudged unnoted unscored untold
    untold_from_at updated_at version withdrawn_at
    """.split()
)
# ``started_at`` is a source's event time, but an extraction's bookkeeping. A draft's ``fingerprint`` follows the times
# of extractions, and a value's ``rescore_key`` the time at which its memory was learned.
BOOKKEEPING_OF_LABEL = {
    "BoundedMemoryManifest": frozenset({"inputs_fingerprint"}),
    "CompressedContext": frozenset({"access_count", "due_key", "expires_at", "last_accessed"}),
    "Extraction": frozenset({"started_at"}),
    "HeartbeatTask": frozenset({"added_at", "due_key", "last_definition_load", "next_due"}),
    "HeartbeatTaskRegistry": frozenset({"last_full_refresh", "last_sync"}),
    "MemoryDraft": frozenset({"changes_at", "fingerprint"}),
    "MemoryFile": frozenset({"added_at"}),
    "ValueClassification": frozenset({"fingerprint", "rescore_key"}),
}


WITHHELD = "withheld"
"""What the extraction of a source that its user reads no longer says in place of a fingerprint (entities/policy.py)."""

# How many nodes are gone through with the texts of those of them that are sources.
TEXTS_AT_ONCE = 20
# What a source without these texts says of them: it has not been processed.
NO_TEXTS = {"content": "", "turns": "[]"}


def export_user(
    graph: Graph, user: str, *, canonical: bool = False, originals: bool = False
) -> Iterator[dict[str, Any]]:
    """The nodes, ordered by id, then the relationships of ``user``, ready for ``json.dumps``.

    ``canonical`` also orders the relationships (label, start, end) and leaves out all bookkeeping, so
    that equal inboxes give equal exports. ``originals``: with what was masked, where it was stored:
    nobody gets that without asking for it. The texts of a source are properties of it.
    """
    owners = readable_owners(graph, user)
    found = graph.read("graph/list_owned_ids", user_id=user, user_ids=owners)
    pages = list(in_parts(sorted(row["id"] for row in found), PAGE))
    left_out: set[str] = set()
    for page in pages:
        rows = graph.read("graph/list_owned_nodes", ids=list(page), user_ids=owners)
        rows.sort(key=lambda row: row["id"])
        if canonical:
            left_out.update(row["id"] for row in rows if _is_bookkeeping(row))
        exported = [row for row in rows if row["id"] not in left_out]
        for part in in_parts(exported, TEXTS_AT_ONCE):
            _add_texts(graph, [row for row in part if "Source" in row["labels"]], owners, originals)
            for row in part:
                labels = sorted(row["labels"])
                properties = _properties(row["properties"], labels, canonical)
                yield {"type": "node", "id": row["id"], "labels": labels, "properties": properties}
    relationships = _relationships(graph, pages, user, owners, left_out, canonical)
    yield from sorted(relationships, key=_order) if canonical else relationships


def _is_bookkeeping(row: dict[str, Any]) -> bool:
    """Whether a node says how something came about, or that something was removed: a decision, as it is stored."""
    said = row["properties"]
    is_removed = (
        said.get("removed_at") is not None or said.get("tombstone") is not None or said.get("fingerprint") == WITHHELD
    )
    return is_removed or bool(BOOKKEEPING_LABELS.intersection(row["labels"]))


def _add_texts(graph: Graph, sources: Sequence[dict[str, Any]], owners: list[str], originals: bool) -> None:
    """Each source's texts as properties of it."""
    if not sources:
        return
    properties = {row["id"]: row["properties"] for row in sources}
    for texts in properties.values():
        texts |= NO_TEXTS
    whose = {"user_id": owners[0], "user_ids": owners}
    for row in graph.read("graph/list_owned_texts", ids=list(properties), originals=originals, **whose):
        properties[row["id"]][row["kind"]] = row["text"]


def _relationships(
    graph: Graph, pages: Sequence[Sequence[str]], user: str, owners: list[str], left_out: set[str], canonical: bool
) -> Iterator[dict[str, Any]]:
    for page in pages:
        rows = graph.read("graph/list_owned_relationships", ids=list(page), user_id=user, user_ids=owners)
        for row in rows:
            if row["start_id"] not in left_out and row["end_id"] not in left_out:
                yield _relationship(row, canonical)


def _order(line: dict[str, Any]) -> tuple[str, str, str, str]:
    return line["label"], line["start"]["id"], line["end"]["id"], line["id"]


def _relationship(row: dict[str, Any], canonical: bool) -> dict[str, Any]:
    properties = _properties(row["properties"], [], canonical)
    start, end = row["start_id"], row["end_id"]
    content = json.dumps(properties, sort_keys=True, ensure_ascii=False)
    ends = {
        side: {"id": row_id, "labels": sorted(row[f"{side}_labels"])}
        for side, row_id in (("start", start), ("end", end))
    }
    name = f"{row['label']}:{fingerprint(row['label'], start, end, content)[:24]}"
    return {"type": "relationship", "id": name, "label": row["label"], **ends, "properties": properties}


def _properties(properties: dict[str, Any], labels: Sequence[str], canonical: bool) -> dict[str, Any]:
    hidden: frozenset[str] = BOOKKEEPING_PROPERTIES if canonical else frozenset()
    if canonical:
        hidden = hidden.union(*(BOOKKEEPING_OF_LABEL.get(label, frozenset()) for label in labels))
    return {key: _json(value) for key, value in sorted(properties.items()) if key not in hidden}


def _json(value: Any) -> Any:
    if isinstance(value, datetime):
        return to_iso(value)
    if isinstance(value, (date, timedelta)):
        return str(value)
    return [_json(item) for item in value] if isinstance(value, list) else value
