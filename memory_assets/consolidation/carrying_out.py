"""What was planned, carried out: one transaction for each consolidation. And taken back, as a whole.

Insights become notes with the sources that they are from and the statements that they rest on; the sources are archived
by curation, by the rails and with audits, and so are the statements that the default search need not read any more.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import cache

from memory_assets.clock import day_of, to_iso
from memory_assets.consolidation.planning import DONE, PLANNED, UNDONE, Row, read_sources, stored, stored_row
from memory_assets.consolidation.policy import RULES
from memory_assets.errors import UnknownReferenceError
from memory_assets.graph.graph import Graph, Statement
from memory_assets.graph.knife import cuts, ids_cut
from memory_assets.graph.lives import life_of, salience
from memory_assets.graph.notes import LIFETIME_RANKS, lifetimes
from memory_assets.graph.owners import insights_mark, source_mark
from memory_assets.graph.retirement import archival_id
from memory_assets.graph.statements import id_rows, in_statements
from memory_assets.model import State, node_id

VALUED = "KnowledgeChunk"
GONE = "a source of it is gone"
UNFOUNDED = "its sources were read anew and state something else"
TAKEN_BACK = "the consolidation was taken back"


@dataclass
class CarriedOut:
    """What a run has done: how many of what, the consolidations that it carried out, and what waits for whom."""

    counts: Counter[str] = field(default_factory=Counter)
    done: list[Row] = field(default_factory=list)
    waiting: list[Row] = field(default_factory=list)
    """Planned, and to be read first."""
    left: list[str] = field(default_factory=list)

    def changes_at(self, now: datetime, *, by_itself: bool) -> datetime | None:
        """When what waits is carried out."""
        tomorrow = now.astimezone(UTC).replace(hour=0, minute=0, second=0, microsecond=0) + timedelta(days=1)
        return tomorrow if by_itself and self.waiting else None


def carry_out(
    graph: Graph,
    user: str,
    now: datetime,
    *,
    which: str,
    most: int = RULES.most_planned,
    before: datetime | None = None,
    read_lately: Callable[[Collection[str]], Collection[str]] = frozenset().intersection,
) -> CarriedOut:
    """Take back what rests on what is gone, then carry out what is planned, oldest first. The lock is held.

    ``which``: ``none``; ``read`` what was planned on an earlier day (UTC), so that it could be read; or ``all``.
    ``before``: only what was said before that instant, all of it. ``read_lately`` says which of some memories somebody
    has read since accesses were counted.
    """
    run = CarriedOut()
    # As many as are planned anew in a run: after another model has read all sources, insights do not go all at once.
    run.counts["taken_back"] += _take_back_unfounded(graph, user, now, most)
    held = cache(lambda: {one["memory_id"] for one in graph.read("consolidation/list_held", user_id=user)})
    today = day_of(now)
    for row in stored(graph, user, PLANNED):
        planned_on = datetime.fromisoformat(row["planned_at"]).astimezone(UTC).date()
        is_due = which == "all" or (which == "read" and planned_on < today)
        is_due &= before is None or is_older(row, before)
        if not is_due:
            run.waiting.append(row)
        elif len(run.done) >= most:
            run.left.append(row["id"])
        elif counts := _carry_out(graph, user, row, now, held, read_lately):
            run.done.append(row)
            run.counts += counts
        else:
            run.counts["overtaken"] += 1
    if run.done:
        # A source may have gone after it was looked at, before anything was taken from it.
        run.counts["taken_back"] += _take_back_unfounded(graph, user, now, 0)
    run.counts["consolidations"] = len(run.done)
    return run


def _take_back_unfounded(graph: Graph, user: str, now: datetime, most: int) -> int:
    """Take back, of what is marked to be looked at, what has lost a source, and of what its sources state no more so
    many at most; how many. The others are marked no longer.
    """
    marked = [stored_row(row) for row in graph.read("consolidation/list_unchecked", user_id=user)]
    in_use = _in_use(graph, user, [key for row in marked for key in row["source_ids"]])
    gone = [row for row in marked if not in_use.issuperset(row["source_ids"])]
    there = [row for row in marked if in_use.issuperset(row["source_ids"])]
    unfounded = [row for row in there if row.get("is_unfounded")]
    back = [*((row, GONE) for row in gone), *((row, UNFOUNDED) for row in unfounded[:most])]
    for row, why in back:
        _take_back(graph, user, row, now, why, becomes=None)
    whole = id_rows(row["id"] for row in there if not row.get("is_unfounded"))
    graph.write("consolidation/set_checked", whole, user_id=user, now=to_iso(now))
    return len(back)


def is_older(row: Row, before: datetime) -> bool:
    """Whether all that a plan consolidates was said before an instant; what has no time is not known to be."""
    return row["last_at"] is not None and datetime.fromisoformat(row["last_at"]) < before


def _carry_out(
    graph: Graph,
    user: str,
    row: Row,
    now: datetime,
    held: Callable[[], Collection[str]],
    read_lately: Callable[[Collection[str]], Collection[str]],
) -> Counter[str] | None:
    """One transaction; None where a source has been used, archived, removed, read anew or protected since it was
    planned. ``held`` says what somebody has decided about, or is in a file.
    """
    sources, folded = list(row["source_ids"]), list(row["folded_ids"])
    found = [one | {"memory_id": one["id"]} for one in read_sources(graph, user, sources, now)]
    planned_at = datetime.fromisoformat(row["planned_at"])
    is_whole = len(found) == len(sources) and all(one["passes_rails"] for one in found)
    if not is_whole or any(life_of(one).since > planned_at for one in found):
        return None
    evidence = {key for one in json.loads(row["insights"]) for key in one["statement_ids"]}
    if not evidence <= {one["id"] for one in graph.read("consolidation/list_statements", user_id=user, ids=sources)}:
        return None
    stated = graph.read("graph/list_lives", user_id=user, memory_ids=folded)
    # Counted later, an access of before this would not bring back what this has archived.
    read = set(read_lately([*sources, *folded]))
    if not read.isdisjoint(sources):
        return None
    left = read.union(held())
    untouched = [
        one
        for one in stated
        if one["access_count"] == 0 and one["state"] != State.ARCHIVED and one["memory_id"] not in left
    ]
    turns = json.loads(row["kept_turns"])
    born_before = to_iso(now - RULES.grace)
    archive = [
        [_archival(user, row, one, now, turns.get(one["memory_id"], [])) for one in part] for part in (found, untouched)
    ]
    mine = row | {"status": DONE, "carried_out_at": to_iso(now), "unchecked": user}
    writes = [
        *_noted(user, row, now),
        *(s for part in archive for s in cuts("archive_memories", part, user=user, now=now, born_before=born_before)),
        *in_statements("consolidation/set_plans", [mine], user_id=user),
    ]
    results = graph.write_together(writes)
    gone = set(ids_cut(writes, results, "archive_memories"))
    insights = json.loads(row["insights"])
    return Counter(
        sources=len(gone & set(sources)),
        statements=len(gone & set(folded)),
        kept_by_rails=len(sources) + len(untouched) - len(gone),
        insights=len(insights),
    )


def _in_use(graph: Graph, user: str, ids: Sequence[str]) -> set[str]:
    """Those of the sources that were neither removed nor withdrawn."""
    return {row["id"] for row in graph.read_parts("consolidation/list_in_use", ids, user_id=user)}


def step_of(identifier: str) -> str:
    """The step that a consolidation's notes are stored under."""
    return f"consolidation/{identifier}"


def _noted(user: str, row: Row, now: datetime) -> list[Statement]:
    """The insights as notes: each taken from every source of its cluster, first from the one whose words it has."""
    insights = json.loads(row["insights"])
    of_all = {"relationship_id": None, "step": step_of(row["id"]), "added_by": row["model"], "counts_from": to_iso(now)}
    taken = [
        {"id": one["id"], "source_id": source, "subject_kind": one["kind"], "name_id": one["name_id"]}
        | {
            "content": one["insight"]["text"],
            "lifetime_rank": LIFETIME_RANKS[one["insight"]["lifetime"]],
            "position": place,
        }
        | of_all
        for place, one in enumerate(insights)
        for source in [one["source_id"], *(key for key in row["source_ids"] if key != one["source_id"])]
    ]
    evidence = [
        {"id": one["id"], "statement_id": key, "consolidation_id": row["id"]}
        for one in insights
        for key in one["statement_ids"]
    ]
    return [
        *in_statements("graph/upsert_notes", taken, user_id=user, user_ids=[user], now=to_iso(now)),
        *in_statements("consolidation/link_evidence", evidence, user_id=user),
        *_placed(user, {one["id"] for one in insights}, {one["name_id"] for one in insights}, now),
    ]


def _placed(user: str, notes: Iterable[str], names: Iterable[str], now: datetime) -> list[Statement]:
    """What notes are by all sources of theirs, their places, and that their subjects have changed."""
    at = to_iso(now)
    return [
        *in_statements("graph/place_notes", id_rows(notes), user_id=user, now=at, **lifetimes()),
        *in_statements("graph/set_subjects_dirty", id_rows(names), user_id=user, now=at),
        insights_mark(user, now),
    ]


def _archival(user: str, row: Row, one: Row, now: datetime, turns: Sequence[int]) -> Row:
    """What curation archives a memory by, and what its audit says of it."""
    is_source = "Source" in one["labels"]
    life = life_of(one)
    seen = {"consolidation": row["id"], "salience": salience(life, now), "since": to_iso(life.since)}
    folded: Row = {"id": one["memory_id"], "access_count": one["access_count"], "is_valued": True}
    folded |= {"audit_id": archival_id(user, one["memory_id"], now), "label": "Source" if is_source else VALUED}
    folded |= {"reason": f"it is consolidated: {row['why']}", "folded_by": row["id"]}
    folded |= {"snapshot": json.dumps(seen | {"created_at": to_iso(life.created_at)}, sort_keys=True)}
    return folded | {"kept_turns": list(turns) if is_source else None, "since": seen["since"]}


def undo(graph: Graph, user: str, identifier: str, now: datetime) -> None:
    """Take a consolidation back: what it archived is in the default search as before, its insights go, and its sources
    are not consolidated again. The owner's lock is not needed: it is one transaction.
    """
    rows = [row for row in stored(graph, user, DONE) if row["id"] == identifier]
    if not rows:
        raise UnknownReferenceError(f"No consolidation {identifier!r} of {user} was carried out.")
    _take_back(graph, user, rows[0], now, TAKEN_BACK, becomes=UNDONE)


def _take_back(graph: Graph, user: str, row: Row, now: datetime, why: str, *, becomes: str | None) -> None:
    insights = json.loads(row["insights"])
    folded = graph.read("consolidation/list_folded", user_id=user, id=row["id"])
    of_all = {"reason": why, "snapshot": None, "folded_by": row["id"], "is_valued": True}
    back = [
        {"id": one["id"], "audit_id": node_id("audit", user, one["id"], "restore", row["id"], to_iso(now))}
        | {"label": "Source" if "Source" in one["labels"] else VALUED, **of_all}
        for one in folded
    ]
    origins = [{"source_id": key, "step": step_of(row["id"]), "kept_ids": list[str]()} for key in row["source_ids"]]
    links = [{"id": key, "consolidation_id": row["id"]} for key in row["note_ids"]]
    last = (
        cuts("retire_plans", id_rows([row["id"]]), user=user)
        if becomes is None
        else in_statements("consolidation/set_plans", [row | {"status": becomes, "unchecked": None}], user_id=user)
    )
    graph.write_together(
        [
            *in_statements("curation/restore_memories", back, user_id=user, now=to_iso(now)),
            *cuts("retire_note_origins", origins, user=user),
            *in_statements("consolidation/unlink_evidence", links, user_id=user),
            *cuts("retire_notes", id_rows(row["note_ids"]), user=user),
            *_placed(user, row["note_ids"], {one["name_id"] for one in insights}, now),
            *last,
            # What is back is to be aged, valued and planned again.
            source_mark(user, now),
        ]
    )
