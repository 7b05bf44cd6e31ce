"""From decisions to the writes of one transaction, in the order in which they must happen. Pure.

Upsert, unlink what is no longer said, link what is, derive what each touched memory is by all of its
sources, retire what is left without any, and last the Extraction that says it is done.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from functools import partial
from typing import Any

from memory_assets.clock import to_iso
from memory_assets.entities.due import DueSource
from memory_assets.entities.policy import Decision, Mention
from memory_assets.graph.graph import Statement
from memory_assets.graph.knife import cuts
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
    mine = partial(in_statements, user_id=scope.user)
    timed = partial(mine, now=to_iso(scope.now))
    done = [(outcome.source, outcome.decision) for outcome in outcomes if outcome.decision is not None]
    names = {mention.anchor_id: mention for _, decision in done for mention in decision.mentions}
    anchors = {targets.get(key, key) for key in names}
    chunks = {chunk.chunk_id for _, decision in done for chunk in decision.chunks}
    before = {memory["id"]: memory for memory in linked_before}
    old_chunks = {key for key, memory in before.items() if "KnowledgeChunk" in memory["labels"]}
    gone = [memory for key, memory in before.items() if key not in anchors | chunks]
    unstated = [memory for memory in gone if memory["id"] in old_chunks]
    unmentioned = [memory for memory in gone if memory["id"] not in old_chunks]
    new = [vars(mention) | {"id": key} for key, mention in names.items() if targets.get(key, key) == key]
    rows = [{"id": key, "ref": reference(key), "embedding": embeddings[key]} for key in sorted(embeddings)]
    old = [row for row in rows if row["id"] in embedded_before]
    own_words = {memory["id"] for memory in unstated if set(memory["owners"]) == {scope.user}}
    retired = retirement_rows(scope.user, unstated, "no source states it any more", scope.now)
    no_source = [row | {"is_own": row["id"] in own_words} for row in retired]
    times = {"started": to_iso(began), "completed": to_iso(scope.now)}
    own = [{"id": source.id, **times} for source, _ in done if source.is_own]
    fresh = [row for row in rows if row["id"] not in embedded_before]
    touched, why = anchors | (before.keys() - old_chunks), "no source mentions it any more"
    since = min((source.first_at for source, _ in done), default=None)
    return [
        *upsert_anchors(new, scope.user, scope.now),
        *timed("entities/upsert_chunks", fresh, embedder=scope.embedder),
        *timed("curation/restore_chunks", id_rows(chunks.intersection(embedded_before))),
        *mine("entities/set_chunk_embeddings", old, embedder=scope.embedder),
        *mine("entities/upsert_names", [_name_row(names[key]) for key in sorted(names)]),
        *_links(scope, done, targets),
        *cuts("retire_unmentioned_names", name_ids(set(names_before) - names.keys()), user=scope.user),
        *mine("entities/set_name_texts", name_ids({*names, *names_before})),
        *timed("graph/set_chunk_totals", id_rows(chunks | old_chunks)),
        *mine("graph/set_unfounded", id_rows(old_chunks)),
        *cuts("retire_unstated_chunks", no_source, user=scope.user, now=scope.now),
        *anchors_derived(
            scope.user, scope.now, touched, chunks | old_chunks, old_chunks, unmentioned, why, since=since
        ),
        *timed("entities/upsert_extractions", [_extraction_row(scope.user, outcome, began) for outcome in outcomes]),
        *mine("entities/set_sources_extracted", own),
    ]


def anchors_derived(
    user: str,
    now: datetime,
    touched: Collection[str],
    chunks: Collection[str],
    changed: Collection[str],
    gone: Sequence[Mapping[str, Any]],
    reason: str,
    *,
    since: datetime | None = None,
) -> list[Statement]:
    """What ``touched`` anchors are by all of their sources, which ``chunks`` are about them (those that have
    ``changed``, about no other any more), and the retirement of the anchors that are ``gone``. All that has changed
    happened ``since`` an instant, if that is known.
    """
    mine = partial(in_statements, user_id=user)
    timed = partial(mine, now=to_iso(now))
    return [
        *timed("entities/set_anchor_totals", id_rows(touched), since=to_iso(since)),
        *mine("entities/set_anchor_names", id_rows(touched)),
        *mine("entities/link_chunks_about", id_rows(chunks)),
        *cuts("retire_chunk_topics", id_rows(changed), user=user),
        *cuts("retire_unmentioned_anchors", retirement_rows(user, gone, reason, now), user=user, now=now),
        *timed("entities/clear_anchor_totals", id_rows(memory["id"] for memory in gone)),
    ]


def upsert_anchors(names: Sequence[Mapping[str, Any]], user: str, now: datetime) -> list[Statement]:
    """The people, concepts and entities of these names: ``id``, ``kind``, ``canonical_name``, ``entity_type``."""
    rows: dict[str, list[Row]] = {kind: [] for kind in UPSERTS}
    for name in names:
        shown = {key: name[key] for key in ("id", "canonical_name", "entity_type")}
        rows[name["kind"]].append(shown | {"ref": reference(name["id"])})
    return [
        one
        for kind, query in UPSERTS.items()
        for one in in_statements(query, rows[kind], user_id=user, now=to_iso(now))
    ]


def _name_row(name: Mention) -> Row:
    shown = {key: getattr(name, key) for key in ("kind", "name", "canonical_name", "entity_type")}
    return {"key": name_key(name.anchor_id), "name_id": name.anchor_id, **shown}


def _links(scope: Scope, done: Sequence[tuple[DueSource, Decision]], targets: Mapping[str, str]) -> list[Statement]:
    mentions, statements, anchors_left, chunks_left = list[Row](), list[Row](), list[Row](), list[Row]()
    for source, decision in done:
        of_source = {"source_id": source.id}
        for mention in decision.mentions:
            meant = {"name_id": mention.anchor_id, "anchor_id": targets.get(mention.anchor_id, mention.anchor_id)}
            mentions.append(of_source | asdict(mention) | meant)
        statements += [of_source | asdict(chunk) for chunk in decision.chunks]
        if source.seen:
            anchors_left.append(of_source | {"kept_ids": [mention.anchor_id for mention in decision.mentions]})
            chunks_left.append(of_source | {"kept_ids": [chunk.chunk_id for chunk in decision.chunks]})
    mine = partial(in_statements, user_id=scope.user)
    return [
        *cuts("retire_mentions", anchors_left, user=scope.user),
        *cuts("retire_statements", chunks_left, user=scope.user),
        *mine("entities/link_mentions", mentions, user_ids=list(scope.owners)),
        *mine("entities/link_statements", statements, user_ids=list(scope.owners)),
    ]


def _extraction_row(user: str, outcome: Outcome, began: datetime) -> Row:
    source, has_failed = outcome.source, outcome.decision is None
    row: Row = {"id": node_id("extraction", user, source.id), "source_id": source.id, "fingerprint": source.fingerprint}
    row |= {"status": "failed" if has_failed else "extracted", "error": outcome.error, "model": outcome.model}
    row |= {"attempts": source.attempts + 1 if has_failed else None}
    row |= {"next_attempt_at": to_iso(outcome.next_attempt_at), "started_at": to_iso(began)}
    return row | {"source_started_at": to_iso(source.started_at)}


def name_key(name_id: str) -> str:
    """The id of the node that keeps a name: the anchor that goes by this name alone has the name's id itself."""
    return f"name:{name_id}"


def name_ids(keys: Iterable[str]) -> list[Row]:
    """Rows for the statements about names."""
    return [{"id": key, "key": name_key(key)} for key in sorted(keys)]
