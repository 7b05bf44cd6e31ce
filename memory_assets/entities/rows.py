"""From decisions to the writes of one transaction, in the order in which they must happen. Pure.

Upsert, unlink what is no longer said, link what is, derive what each touched memory is by all of its
sources, retire what is left without any, and last the Extraction that says it is done.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any

from memory_assets.clock import to_iso
from memory_assets.entities.due import DueSource
from memory_assets.entities.policy import Decision, Mention
from memory_assets.graph.graph import Statement
from memory_assets.graph.retirement import retirement_rows
from memory_assets.graph.statements import Row, id_rows, in_statements
from memory_assets.model import node_id, reference

UPSERTS = {
    "person": "entities/upsert_people",
    "concept": "entities/upsert_concepts",
    "entity": "entities/upsert_entities",
}


@dataclass(frozen=True)
class Outcome:
    """How the extraction of one source ended. ``decision`` is None where it failed, ``error`` says why."""

    source: DueSource
    decision: Decision | None
    model: str
    error: str | None = None
    next_attempt_at: datetime | None = None
    """When one that failed is tried again by itself."""


@dataclass(frozen=True)
class Scope:
    """For whom, whose sources may be read, with which embedder, and when."""

    user: str
    owners: tuple[str, ...]
    embedder: str
    now: datetime


def batch_writes(
    scope: Scope,
    outcomes: Sequence[Outcome],
    embeddings: Mapping[str, Sequence[float]],
    embedded_before: Collection[str],
    linked_before: Sequence[Mapping[str, Any]],
    began: datetime,
    targets: Mapping[str, str] | None = None,
    names_before: Collection[str] = (),
) -> list[Statement]:
    """Everything that a batch of outcomes changes: one transaction.

    ``embeddings`` are of the statements that are new, and of those in ``embedded_before``, which have another
    embedder's. ``linked_before`` are the memories that earlier extractions of these sources were linked to, by the
    names in ``names_before``; ``targets`` says whom names mean already that mean somebody else than themselves.
    """
    targets = targets or {}
    done = [outcome for outcome in outcomes if outcome.decision is not None]
    names = {m.anchor_id: m for o in done for m in o.decision.mentions}  # type: ignore[union-attr]
    anchors = {targets.get(key, key): mention for key, mention in names.items()}
    chunks = {c.chunk_id: c for o in done for c in o.decision.chunks}  # type: ignore[union-attr]
    before = {memory["id"]: memory for memory in linked_before}
    old_chunks = {key for key, memory in before.items() if "KnowledgeChunk" in memory["labels"]}
    all_chunks = id_rows({*chunks, *old_chunks})
    all_anchors = id_rows({*anchors, *(before.keys() - old_chunks)})
    writes: list[Statement] = []
    new = [mention for key, mention in names.items() if targets.get(key, key) == key]
    writes += upsert_anchors([vars(mention) | {"id": mention.anchor_id} for mention in new], scope.user, scope.now)
    writes += _chunks(scope, embeddings, embedded_before)
    writes += in_statements("entities/upsert_names", _name_rows(names.values()), user_id=scope.user)
    writes += _links(scope, done, targets)
    unused = name_ids(set(names_before) - names.keys())
    writes += in_statements("curation/retire_unmentioned_names", unused, user_id=scope.user)
    writes += in_statements("entities/set_name_texts", name_ids({*names, *names_before}), user_id=scope.user)
    writes += in_statements("entities/set_anchor_totals", all_anchors, user_id=scope.user, now=to_iso(scope.now))
    writes += in_statements("entities/set_anchor_names", all_anchors, user_id=scope.user)
    writes += in_statements("entities/set_chunk_totals", all_chunks, user_id=scope.user, now=to_iso(scope.now))
    writes += in_statements("entities/link_chunks_about", all_chunks, user_id=scope.user)
    writes += in_statements("curation/retire_chunk_topics", id_rows(old_chunks), user_id=scope.user)
    writes += _retirements(scope, before, old_chunks, {*anchors, *chunks})
    left = id_rows(before.keys() - old_chunks - anchors.keys())
    writes += in_statements("entities/clear_anchor_totals", left, user_id=scope.user, now=to_iso(scope.now))
    writes += in_statements(
        "entities/upsert_extractions",
        [_extraction_row(scope.user, outcome, began) for outcome in outcomes],
        user_id=scope.user,
        now=to_iso(scope.now),
    )
    times = {"started": to_iso(began), "completed": to_iso(scope.now)}
    own = [{"id": outcome.source.id, **times} for outcome in done if outcome.source.is_own]
    return writes + in_statements("entities/set_sources_extracted", own, user_id=scope.user)


def upsert_anchors(names: Sequence[Mapping[str, Any]], user: str, now: datetime) -> list[Statement]:
    """The people, concepts and entities of these names, each with ``id``, ``kind``, ``canonical_name`` and
    ``entity_type``.
    """
    rows: dict[str, list[Row]] = {kind: [] for kind in UPSERTS}
    for name in names:
        shown = {key: name[key] for key in ("id", "canonical_name", "entity_type")}
        rows[name["kind"]].append(shown | {"ref": reference(name["id"])})
    return [
        one
        for kind, query in UPSERTS.items()
        for one in in_statements(query, rows[kind], user_id=user, now=to_iso(now))
    ]


def _chunks(
    scope: Scope, embeddings: Mapping[str, Sequence[float]], embedded_before: Collection[str]
) -> list[Statement]:
    rows = [{"id": key, "ref": reference(key), "embedding": embeddings[key]} for key in sorted(embeddings)]
    new = [row for row in rows if row["id"] not in embedded_before]
    old = [row for row in rows if row["id"] in embedded_before]
    whose = {"user_id": scope.user, "embedder": scope.embedder}
    return [
        *in_statements("entities/upsert_chunks", new, now=to_iso(scope.now), **whose),
        *in_statements("entities/set_chunk_embeddings", old, **whose),
    ]


def _name_rows(names: Iterable[Mention]) -> list[Row]:
    return [
        {
            "key": name_key(name.anchor_id),
            "name_id": name.anchor_id,
            "kind": name.kind,
            "name": name.name,
            "canonical_name": name.canonical_name,
            "entity_type": name.entity_type,
        }
        for name in sorted(names, key=lambda name: name.anchor_id)
    ]


def _links(scope: Scope, done: Iterable[Outcome], targets: Mapping[str, str]) -> list[Statement]:
    mentions: list[Row] = []
    statements: list[Row] = []
    remaining_anchors: list[Row] = []
    remaining_chunks: list[Row] = []
    for outcome in done:
        assert outcome.decision is not None
        source = {"source_id": outcome.source.id}
        for mention in outcome.decision.mentions:
            meant = {"name_id": mention.anchor_id, "anchor_id": targets.get(mention.anchor_id, mention.anchor_id)}
            mentions.append(source | asdict(mention) | meant)
        statements += [source | asdict(chunk) for chunk in outcome.decision.chunks]
        if outcome.source.seen:
            remaining_anchors.append(source | {"kept_ids": [m.anchor_id for m in outcome.decision.mentions]})
            remaining_chunks.append(source | {"kept_ids": [c.chunk_id for c in outcome.decision.chunks]})
    return [
        *in_statements("curation/retire_mentions", remaining_anchors, user_id=scope.user),
        *in_statements("curation/retire_statements", remaining_chunks, user_id=scope.user),
        *in_statements("entities/link_mentions", mentions, user_id=scope.user, user_ids=list(scope.owners)),
        *in_statements("entities/link_statements", statements, user_id=scope.user, user_ids=list(scope.owners)),
    ]


def _retirements(
    scope: Scope, before: Mapping[str, Mapping[str, Any]], old_chunks: set[str], current: set[str]
) -> list[Statement]:
    gone = [memory for key, memory in before.items() if key not in current]
    chunks = [memory for memory in gone if memory["id"] in old_chunks]
    anchors = [memory for memory in gone if memory["id"] not in old_chunks]
    reason = "no source {} it any more"
    now = to_iso(scope.now)
    return [
        *in_statements(
            "curation/retire_unstated_chunks",
            retirement_rows(scope.user, chunks, reason.format("states"), scope.now),
            user_id=scope.user,
            now=now,
        ),
        *in_statements(
            "curation/retire_unmentioned_anchors",
            retirement_rows(scope.user, anchors, reason.format("mentions"), scope.now),
            user_id=scope.user,
            now=now,
        ),
    ]


def _extraction_row(user: str, outcome: Outcome, began: datetime) -> Row:
    return {
        "id": node_id("extraction", user, outcome.source.id),
        "source_id": outcome.source.id,
        "fingerprint": outcome.source.fingerprint,
        "status": "failed" if outcome.decision is None else "extracted",
        "error": outcome.error,
        "attempts": outcome.source.attempts + 1 if outcome.decision is None else None,
        "next_attempt_at": to_iso(outcome.next_attempt_at),
        "model": outcome.model,
        "source_started_at": to_iso(outcome.source.started_at),
        "started_at": to_iso(began),
    }


def name_key(name_id: str) -> str:
    """The id of the node that keeps a name: the anchor that goes by this name alone has the name's id itself."""
    return f"name:{name_id}"


def name_ids(keys: Iterable[str]) -> list[Row]:
    """Rows for the statements about names."""
    return [{"id": key, "key": name_key(key)} for key in sorted(keys)]
