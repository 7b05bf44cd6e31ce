"""One user's classifications: find what has changed, score that and whatever follows from it, write what is another now."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

import numpy as np

from memory_assets.clock import to_iso
from memory_assets.graph.graph import Graph, Statement
from memory_assets.graph.owners import find_stage, readable_owners, stage_made
from memory_assets.model import fingerprint, node_id
from memory_assets.values import policy
from memory_assets.values.edited import edited_out
from memory_assets.values.kept import keep, put_aside, read_kept
from memory_assets.values.policy import Candidate, Classification, ValueRules
from memory_assets.values.scored import CONTENT_VERSION, DIGITS, OtherWidthError, Scored, day_number, score_all

STAGE = "values"
BEGUN = ""
"""The mark of the stage while classifications are written: nothing that was kept belongs to it."""
READS = {
    policy.CHUNK: "values/list_chunks",
    policy.STORYLINE: "values/list_storylines",
    policy.MACRO: "values/list_macros",
    policy.SOURCE: "values/list_sources",
}
PAGE = 1000
SHELF = 1000
"""As many memories of a shelf as anybody reads at once: the key of the last of them is noted."""
SPREAD_STEPS = 20
RULES = ValueRules()

Found = dict[str, tuple[Candidate, "np.ndarray | None"]]


def classify_memories(
    graph: Graph, user: str, now: datetime, *, force: bool = False, kept: Path | None = None
) -> dict[str, Any]:
    """Bring a user's classifications up to date, and say what was done: ``made``, ``written``, ``retired``, ``spread``.

    ``kept`` is a folder in which what was scored is kept from one time to the next: with it, only what has changed is
    read and scored, with those whose uniqueness follows from it and those whose recency is another by today; where
    nothing has changed, nothing is done. Without it, and when forced, everything is. Both write the same. The day alone is
    no change: recency is told as of the last one, so that an idle day costs nothing.
    """
    readable = readable_owners(graph, user)
    stands = find_stage(graph, user, STAGE)
    unscored = graph.read("values/list_unscored", user_id=user)
    pending = sorted({row["memory_id"] for row in unscored})
    out = edited_out(graph, user)
    marks = {
        row["memory_id"]: fingerprint(row["mark"])[:DIGITS]
        for row in graph.read("values/list_source_marks", user_ids=readable)
        if row["memory_id"] not in out
    }
    scored = read_kept(kept, stands) if kept and stands and not force else None
    work = None
    # Scored by other code, or for somebody of other teams: from the start.
    if scored is not None and stamp(readable, scored) == stands:
        known = scored.marks(policy.SOURCE)
        changed = {name for name, source_mark in marks.items() if known.get(name) != source_mark}
        gone = known.keys() - marks.keys()
        if not pending and not changed and not gone:
            return {"unchanged": True, "spread": scored.spread(SPREAD_STEPS)}
        work = _score_changes(graph, user, readable, now, scored, {*pending, *changed}, gone)
    if work is None:
        work = _score_everything(graph, user, readable, marks)
    made = []
    today = day_number(now.date())
    places = work.scored.find(work.chosen)
    for memory_id in sorted(work.chosen):
        candidate, place = work.found[memory_id], places[memory_id]
        row = policy.classify(user, candidate, work.scored.uniqueness(place), now, RULES)
        work.scored.note(place, row, candidate, today, marks.get(memory_id, ""))
        made.append(row)
    written = [row for row in made if work.before.get(row.id) != row.fingerprint[:DIGITS]]
    retired = sorted(work.before.keys() - {row.id for row in made})
    mark = stamp(readable, work.scored)
    if kept is None and not force and mark == stands:
        return {"unchanged": True, "spread": work.scored.spread(SPREAD_STEPS)}
    if written or retired or pending or mark != stands:
        if kept:
            # The same mark may come out: what was kept before this must not be taken for it after a stop.
            put_aside(kept)
        _write(graph, user, now, work.scored, written, retired, unscored, mark)
    if kept and work.scored.is_comparable:
        keep(kept, work.scored, mark)
    return {
        "unchanged": False,
        "made": made,
        "written": len(written),
        "retired": len(retired),
        "spread": work.scored.spread(SPREAD_STEPS),
    }


def stamp(readable: Sequence[str], scored: Scored) -> str:
    """The mark of the stage: a digest of this code, of whom the user may read and of all that was scored."""
    return fingerprint(policy.CODE_VERSION, CONTENT_VERSION, *readable, scored.digest())


@dataclass(frozen=True)
class Work:
    """What is to be classified, once uniqueness is known."""

    scored: Scored
    found: dict[str, Candidate]
    """The memories that were read, by id: without their vectors, which stand in ``scored``."""
    chosen: set[str]
    """The ids of those to classify."""
    before: dict[str, str]
    """The fingerprints that theirs had, and those of whose memory is gone, by the id of the classification."""


def _score_everything(graph: Graph, user: str, readable: list[str], marks: Mapping[str, str]) -> Work:
    rows = graph.read("values/list_memories", user_id=user)
    wanted: dict[str, list[str]] = {kind: [] for kind in READS}
    for row in rows:
        wanted[row["kind"]].append(row["memory_id"])
    wanted[policy.SOURCE] = list(marks)
    found: Found = {}
    for kind, ids in wanted.items():
        found |= _read(graph, user, readable, kind, ids)
    names = sorted(found)
    scored = score_all([found[name][0] for name in names], [found[name][1] for name in names])
    stored = graph.read("values/list_fingerprints", user_id=user)
    before = {row["id"]: (row["fingerprint"] or "")[:DIGITS] for row in stored}
    return Work(scored, _candidates(found), set(names), before)


def _score_changes(
    graph: Graph, user: str, readable: list[str], now: datetime, scored: Scored, wanted: set[str], gone: set[str]
) -> Work | None:
    """The same by what has changed alone; None where that does not do, and everything has to be scored."""
    found = _read_any(graph, user, readable, wanted)
    leaving = gone | (wanted - found.keys())
    before = scored.fingerprints(wanted | leaving)
    given = [found[name] for name in sorted(found)]
    try:
        touched = scored.change(leaving, [candidate for candidate, _ in given], [vector for _, vector in given])
    except OtherWidthError:
        return None
    chosen = touched | set(scored.older_news(day_number(now.date()), RULES.recency_days))
    more = chosen - found.keys()
    before |= scored.fingerprints(more)
    found |= _read_any(graph, user, readable, more)
    if chosen - found.keys():
        return None  # a memory was taken away, and nothing said so
    ids = {node_id("value", user, name): mark for name, mark in before.items()}
    return Work(scored, _candidates(found), chosen, ids)


def _candidates(found: Found) -> dict[str, Candidate]:
    return {name: candidate for name, (candidate, _) in found.items()}


def _read_any(graph: Graph, user: str, readable: list[str], ids: Iterable[str]) -> Found:
    """Memories of whichever kind, by id."""
    found: Found = {}
    wanted = sorted(ids)
    for kind in READS:
        found |= _read(graph, user, readable, kind, wanted)
        wanted = [name for name in wanted if name not in found]
    return found


def _read(graph: Graph, user: str, readable: list[str], kind: str, ids: Sequence[str]) -> Found:
    """Memories to be valued for a user with their vectors, read in pages: numbers of four bytes take their room."""
    owner: dict[str, Any] = {"user_ids": readable} if kind == policy.SOURCE else {"user_id": user}
    found: Found = {}
    out = edited_out(graph, user) if ids else set()
    ids = [name for name in ids if name not in out]
    for start in range(0, len(ids), PAGE):
        for row in graph.read(READS[kind], memory_ids=list(ids[start : start + PAGE]), **owner):
            vector = row.pop("embedding")
            known = {name: value for name, value in row.items() if value is not None}
            candidate = Candidate(entity_type=kind, **known)
            found[candidate.memory_id] = (candidate, None if vector is None else np.asarray(vector, dtype=np.float32))
    return found


def _write(
    graph: Graph,
    user: str,
    now: datetime,
    scored: Scored,
    written: list[Classification],
    retired: list[str],
    unscored: list[dict[str, Any]],
    mark: str,
) -> None:
    """Write what is another now; a stop on the way leaves the stage begun, so that everything is scored again."""
    graph.write_together([stage_made(user, STAGE, BEGUN, now)])
    for start in range(0, len(written), PAGE):  # the rows of all of them at once would take more room than the memories
        rows = [asdict(row) for row in written[start : start + PAGE]]
        graph.write("values/upsert_classifications", rows, user_id=user, now=to_iso(now))
    if retired:
        graph.write("curation/retire_classifications", [{"id": name} for name in retired], user_id=user)
    if memories := [{"id": row["memory_id"], "accesses": row["accesses"]} for row in unscored if not row["audit_id"]]:
        graph.write("values/set_scored", memories, user_id=user)
    if audits := [{"id": row["audit_id"]} for row in unscored if row["audit_id"]]:
        graph.write("values/set_retirements_scored", audits, user_id=user)
    totals = {
        "memories": len(scored),
        "tiers": json.dumps(scored.tiers()),
        "shelf_ends": json.dumps(scored.shelf_ends(user, SHELF), sort_keys=True),
    }
    graph.write_together(
        [
            stage_made(user, STAGE, mark, now),
            Statement("values/set_totals", {"id": node_id("stage", user, STAGE), "user_id": user, **totals}),
        ]
    )
