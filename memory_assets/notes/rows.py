"""From decisions to the writes of one transaction, in the order in which they must happen. Pure.

Upsert, unlink what is not noted any more, link what is, derive what each touched note and relationship is by all
that gives it, say whose notes have changed, remove what is left without a source, and last say that it is done.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from memory_assets.clock import to_iso
from memory_assets.graph.graph import Statement
from memory_assets.graph.knife import cuts
from memory_assets.graph.notes import lifetimes
from memory_assets.graph.retirement import retirement_rows
from memory_assets.graph.statements import Row, id_rows, in_statements
from memory_assets.model import reference
from memory_assets.notes.due import DueSource
from memory_assets.notes.policy import Decision, Step


@dataclass(frozen=True)
class Outcome:
    """How one step ended for one source.

    Without a ``decision`` it failed, and ``error`` says why; or nothing that it asks has changed, and its rows stay.
    """

    source: DueSource
    step: Step
    fingerprint: str
    decision: Decision | None
    model: str
    error: str | None = None
    may_pass: bool = True
    """Asking again can help; else it waits until its request changes, or until somebody asks for it."""


def batch_writes(
    user: str,
    owners: Sequence[str],
    now: datetime,
    outcomes: Sequence[Outcome],
    given: Sequence[Mapping[str, Any]],
    supported: Sequence[Mapping[str, Any]],
) -> list[Statement]:
    """Everything that a batch of outcomes changes: one transaction.

    ``owners`` are those whose sources may be read; ``given`` and ``supported`` are the notes and relationships that
    these sources gave before, by step.
    """
    done = [outcome for outcome in outcomes if outcome.decision is not None]
    taken = [_of(o, n) for o in done for n in o.decision.notes]  # type: ignore[union-attr]
    relations = [_of(o, r) for o in done for r in o.decision.relationships]  # type: ignore[union-attr]
    redone = {(outcome.source.id, outcome.step.name) for outcome in done if outcome.source.seen}
    before = {row["id"] for row in given}
    old_notes = {row["id"] for row in given if (row["source_id"], row["step"]) in redone}
    old_relations = {row["id"]: row for row in supported if (row["source_id"], row["step"]) in redone}
    notes, related = {row["id"] for row in taken}, {row["id"] for row in relations}
    # What a step that was not redone has taken too, stays.
    others = {row["id"] for row in given if (row["source_id"], row["step"]) not in redone}
    losing, retiring = old_notes - notes - others, [r for key, r in old_relations.items() if key not in related]
    dirty = {row["name_id"] or row["relationship_id"] for row in taken if row["id"] not in before}
    dirty |= {row["subject_id"] for row in given if row["id"] in losing}
    whose, at = {"user_id": user}, to_iso(now)
    read = whose | {"user_ids": list(owners)}
    unsupported = retirement_rows(user, retiring, "no source supports it any more", now)
    return [
        *in_statements("notes/upsert_relationships", _once(relations), **whose, now=at),
        *cuts("retire_note_origins", _remaining(done, "notes"), user=user),
        *cuts("retire_supports", _remaining(done, "relationships"), user=user),
        *in_statements("notes/link_supports", relations, **read),
        *in_statements("notes/set_relationship_totals", id_rows(related | old_relations.keys()), **whose, now=at),
        *in_statements("notes/unlink_relationship_ends", id_rows(old_relations), **whose),
        *in_statements("notes/link_relationship_ends", id_rows(related | old_relations.keys()), **whose),
        *in_statements("graph/upsert_notes", taken, **read, now=at),
        *in_statements("notes/unlink_notes", id_rows(before & (notes | old_notes)), **whose, now=at),
        *in_statements("graph/place_notes", id_rows(notes | old_notes), **whose, **lifetimes(), now=at),
        *in_statements("graph/set_subjects_dirty", id_rows(dirty), **whose, now=at),
        *cuts("retire_notes", id_rows(losing), user=user),
        *cuts("retire_unsupported_relationships", unsupported, user=user, now=now),
        *in_statements("notes/set_sources_noted", _noted(outcomes), **whose),
    ]


def current_writes(user: str, sources: Iterable[DueSource]) -> list[Statement]:
    """That nothing is due of these: one transaction."""
    rows = [_of_extraction(source) | {"is_done": True} for source in sources]
    return in_statements("notes/set_sources_noted", rows, user_id=user)


def placing(user: str, now: datetime, notes: Iterable[str], relationships: Iterable[str]) -> list[Statement]:
    """Put notes and relationships at the anchors that their names are resolved to now."""
    whose, at = {"user_id": user}, to_iso(now)
    return [
        *in_statements("notes/unlink_relationship_ends", id_rows(relationships), **whose),
        *in_statements("notes/link_relationship_ends", id_rows(relationships), **whose),
        *in_statements("notes/unlink_notes", id_rows(notes), **whose, now=at),
        *in_statements("graph/place_notes", id_rows(notes), **whose, **lifetimes(), now=at),
    ]


def _of(outcome: Outcome, row: Any) -> Row:
    taken = {"source_id": outcome.source.id, "step": outcome.step.name, "added_by": outcome.model}
    return {**vars(row), "ref": reference(row.id), **taken, "counts_from": None}


def _once(rows: Iterable[Row]) -> list[Row]:
    """One row per id: two steps, or two sources, may give the same."""
    first: dict[str, Row] = {}
    for row in rows:
        first.setdefault(row["id"], row)
    return [first[key] for key in sorted(first)]


def _remaining(done: Iterable[Outcome], what: str) -> list[Row]:
    return [
        {"source_id": one.source.id, "step": one.step.name, "kept_ids": [row.id for row in getattr(one.decision, what)]}
        for one in done
        if one.source.seen
    ]


def _noted(outcomes: Iterable[Outcome]) -> list[Row]:
    rows: dict[str, Row] = {}
    left: dict[str, set[str]] = {}
    for outcome in outcomes:
        source, step = outcome.source, outcome.step.name
        row = rows.setdefault(source.id, _of_extraction(source))
        waiting = left.setdefault(source.id, {one.name for one, *_ in source.steps})
        failed = outcome.error is not None
        row[step] = "" if failed and outcome.may_pass else outcome.fingerprint
        row[f"{step}_error"] = outcome.error if failed else None
        if row[step]:
            waiting.discard(step)
    return [rows[key] | {"is_done": not left[key]} for key in sorted(rows)]


def _of_extraction(source: DueSource) -> Row:
    return {"extraction_id": source.extraction_id, "extraction": source.extraction} | _NO_WORD


_NO_WORD = dict.fromkeys(("people", "people_error", "concepts", "concepts_error", "entities", "entities_error"))
