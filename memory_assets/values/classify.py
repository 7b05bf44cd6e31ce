"""One user's classifications: find what has changed, score that and whatever follows from it, write what is another
now.

Memories are read, classified and written page by page. What is there of all of them at once are their rows and vectors
(``scored.py``), their ids and the marks of sources.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from operator import itemgetter
from pathlib import Path
from typing import Any

import numpy as np

from memory_assets.clock import to_iso
from memory_assets.graph.due_keys import due_key, until
from memory_assets.graph.graph import Graph, Statement
from memory_assets.graph.knife import cut
from memory_assets.graph.owners import find_stage, readable_owners, stage_made
from memory_assets.graph.statements import in_parts
from memory_assets.model import fingerprint, is_team, node_id
from memory_assets.values import policy
from memory_assets.values.policy import Candidate, Classification, ValueRules
from memory_assets.values.saved import discard, read_saved, save
from memory_assets.values.scored import CONTENT_VERSION, ID, KINDS, ROW, Gathered, OtherWidthError, Scored, number_of

STAGE = "values"
BEGUN = ""
"""The mark of the stage while classifications are written: nothing that was saved belongs to it."""
SHELF = 1000
"""As many memories of a shelf as anybody reads at once: the key of the last of them is noted."""
RULES = ValueRules()

Unscored = tuple[str, str, int]
"""What ``values/list_unscored`` says of one memory: its id, that of the audit where it was retired, its accesses."""

READS = {
    policy.CHUNK: "values/list_chunks",
    policy.STORYLINE: "values/list_storylines",
    policy.MACRO: "values/list_macros",
    policy.SOURCE: "values/list_sources",
}
PAGE = 1000

Read = tuple[Candidate, "np.ndarray | None"]
"""A memory and its vector, in numbers of four bytes; None where it has none, or where none was asked for."""


@dataclass(frozen=True)
class Reader:
    """Reads what one user may have valued."""

    graph: Graph
    user: str
    readable: Sequence[str]
    """Whose sources the user may read (``graph.owners.readable_owners``)."""
    left_out: set[str]
    """The ids of what edits have taken out of the user's files."""

    def ids(self) -> dict[str, list[str]]:
        """The ids of the user's own memories by kind; those of teams' sources come with their marks."""
        found: dict[str, list[str]] = {kind: [] for kind in READS}
        rows = self.graph.read_each("values/list_memories", itemgetter("kind", "memory_id"), user_id=self.user)
        for kind, memory_id in rows:
            found[kind].append(memory_id)
        return found

    def pages(self, kind: str, ids: Sequence[str], *, with_vectors: bool) -> Iterator[list[Read]]:
        """The living ones of ``ids``, of one kind, in the order of a page's ids or another one."""
        owner: dict[str, Any] = {"user_ids": self.readable} if kind == policy.SOURCE else {"user_id": self.user}

        def make(row: dict[str, Any]) -> Read:
            vector = row.pop("embedding")
            known = {name: value for name, value in row.items() if value is not None}
            return Candidate(entity_type=kind, **known), None if vector is None else np.asarray(
                vector, dtype=np.float32
            )

        wanted = [name for name in ids if name not in self.left_out]
        for page in in_parts(wanted, PAGE):
            yield self.graph.read_each(READS[kind], make, memory_ids=list(page), with_vectors=with_vectors, **owner)

    def some(self, ids: Iterable[str]) -> dict[str, Read]:
        """Those of ``ids`` that live, of whichever kind, with their vectors, by id, as many as are wanted at once."""
        found: dict[str, Read] = {}
        wanted = sorted(ids)
        for kind in READS:
            for page in self.pages(kind, wanted, with_vectors=True):
                found |= {candidate.memory_id: (candidate, vector) for candidate, vector in page}
            wanted = [name for name in wanted if name not in found]
        return found


def classify_memories(
    graph: Graph,
    user: str,
    now: datetime,
    *,
    force: bool = False,
    saved: Path | None = None,
) -> dict[str, Any]:
    """Bring a user's classifications up to date, and say what was done: ``made``, ``written``, ``retired``, ``spread``,
    and ``changes_at``, when time alone makes the next of them another one.

    ``saved`` is a folder in which what was scored is saved from one time to the next: with it, only what has
    changed is read and scored, with those whose uniqueness follows from it and those whose time has come, which an
    index names; where there are none, nothing is done. Without it, and when forced, everything is. Both write the
    same.
    """
    edited_out = {row["memory_id"] for row in graph.read("graph/list_left_out", user_id=user)}
    reader = Reader(graph, user, readable_owners(graph, user), edited_out)
    stage = find_stage(graph, user, STAGE)
    unscored: list[Unscored] = graph.read_each(
        "values/list_unscored", itemgetter("memory_id", "audit_id", "accesses"), user_id=user
    )
    marks = _source_marks(reader)
    scored = read_saved(saved, stage) if saved and stage and not force else None
    work = None
    # Scored by other code, or for somebody of other teams: from the start.
    if scored is not None and stamp(reader.readable, scored) == stage:
        pending = {memory_id for memory_id, _, _ in unscored}
        known = scored.marks()
        changed = {name for name, source_mark in marks.items() if known.get(name) != source_mark}
        gone = known.keys() - marks.keys()
        due = _list_due(reader, scored, now)
        if not pending and not changed and not gone and not due:
            return {"unchanged": True, "spread": scored.spread(), "changes_at": scored.changes_at()}
        work = _score_changes(reader, scored, sorted(pending | changed), gone, due)
    if work is None:
        work = _score_everything(reader, marks)
    made = written = 0
    try:
        for page in _classify(reader, work, now, marks):
            made += len(page)
            changes = [row for row, is_another in page if is_another]
            if changes and not written:
                _begin(graph, user, now, saved)
            _write(graph, user, now, changes)
            written += len(changes)
    except _GoneError:
        return classify_memories(graph, user, now, force=True, saved=saved)
    mark = stamp(reader.readable, work.scored)
    if written or work.retired or unscored or mark != stage:
        if not written:
            _begin(graph, user, now, saved)
        _complete(graph, user, now, work, unscored, mark)
    if saved and work.scored.is_comparable:
        save(saved, work.scored, mark)
    report = {"unchanged": False, "made": made, "written": written, "retired": len(work.retired)}
    return report | {"spread": work.scored.spread(), "changes_at": work.scored.changes_at()}


def stamp(readable: Sequence[str], scored: Scored) -> str:
    """The mark of the stage: a digest of this code, of whom the user may read and of all that was scored."""
    return fingerprint(policy.CODE_VERSION, CONTENT_VERSION, *readable, scored.digest())


class _GoneError(Exception):
    """A memory that was scored is not there any more, and nothing said so: everything is to be scored again."""


@dataclass(frozen=True)
class Work:
    """What is to be classified, once uniqueness is known."""

    scored: Scored
    """With the fingerprints that the classifications have until now."""
    chosen: set[str] | None
    """The ids of those to classify; None for all."""
    retired: list[str]
    """The ids of the classifications whose memory is gone."""


def _source_marks(reader: Reader) -> dict[str, int]:
    """A mark of each source of a team's that the user may read, by id: another one where its value may be another.
    Several value it, so that it cannot say itself for whom it is to be scored.
    """
    teams = [owner for owner in reader.readable if is_team(owner)]
    if not teams:
        return {}

    def make(row: Mapping[str, str]) -> tuple[str, int]:
        return row["memory_id"], number_of(fingerprint(row["mark"]))

    found = reader.graph.read_each("values/list_source_marks", make, team_ids=teams, user_ids=reader.readable)
    return {memory_id: mark for memory_id, mark in found if memory_id not in reader.left_out}


def _score_everything(reader: Reader, marks: Mapping[str, int]) -> Work:
    wanted = reader.ids()
    wanted[policy.SOURCE] += marks
    gathered = Gathered(sum(map(len, wanted.values())))
    for kind, ids in wanted.items():
        for page in reader.pages(kind, ids, with_vectors=True):
            gathered.add([candidate for candidate, _ in page], [vector for _, vector in page])
    scored = gathered.score()
    return Work(scored, None, _find_fingerprints(reader, scored))


def _find_fingerprints(reader: Reader, scored: Scored) -> list[str]:
    """Note the fingerprints of the stored classifications with what was scored; the ids of those of nothing in it."""

    def make(row: Mapping[str, Any]) -> tuple[bytes, int]:
        return row["id"].encode(), number_of(row["fingerprint"] or "")

    found = reader.graph.read_each("values/list_fingerprints", make, user_id=reader.user)
    stored = np.array(sorted(found), dtype=[("id", ID), ("fingerprint", ROW["fingerprint"])])
    del found
    ids = np.zeros(len(scored), ID)
    for place, name in enumerate(scored.ids):
        ids[place] = node_id("value", reader.user, name.decode()).encode()
    if len(stored):
        places = np.minimum(np.searchsorted(stored["id"], ids), len(stored) - 1)
        is_stored = stored["id"][places] == ids
        scored.rows["fingerprint"][is_stored] = stored["fingerprint"][places[is_stored]]
    return [name.decode() for name in np.setdiff1d(stored["id"], ids)]


def _list_due(reader: Reader, scored: Scored, now: datetime) -> set[str]:
    """The ids of those to which time alone has given another value, asked for from the first day of any on: the engine
    reads what once was in a range, too.
    """
    first = scored.changes_at()
    if first is None or first > now:
        return set()
    span = until(reader.user, now.date()) | {"first": due_key(reader.user, first.date())}
    return set(reader.graph.read_each("values/list_due", itemgetter("memory_id"), **span))


def _score_changes(reader: Reader, scored: Scored, wanted: Sequence[str], gone: set[str], due: set[str]) -> Work | None:
    """The same by what has changed and is ``due`` by time alone; None where everything has to be scored."""
    if due - scored.find(due).keys():
        return None
    chosen = set(due)
    retired: list[str] = []
    leaving = set(gone)
    for start in range(0, max(len(wanted), 1), PAGE):
        page = wanted[start : start + PAGE]
        found = reader.some(page)
        leaving |= set(page) - found.keys()
        retired += [node_id("value", reader.user, name) for name in scored.find(leaving)]
        given = [found[name] for name in sorted(found)]
        try:
            chosen |= scored.change(leaving, [candidate for candidate, _ in given], [vector for _, vector in given])
        except OtherWidthError:
            return None
        leaving = set()
    return Work(scored, chosen, sorted(retired))


def _classify(
    reader: Reader, work: Work, now: datetime, marks: Mapping[str, int]
) -> Iterator[list[tuple[Classification, bool]]]:
    """The classifications of what was chosen, in pages, each with whether it is another one than is stored.

    Raises :class:`_GoneError` where one cannot be read any more.
    """
    scored = work.scored
    for kind in KINDS:
        for places in in_parts(scored.places(kind, work.chosen).tolist(), PAGE):
            there = {scored.ids[place].decode(): place for place in places}
            made = []
            for page in reader.pages(kind, list(there), with_vectors=False):
                for candidate, _ in page:
                    place = there.pop(candidate.memory_id)
                    row = policy.classify(reader.user, candidate, scored.novelty(place), now, RULES)
                    is_another = int(scored.rows["fingerprint"][place]) != number_of(row.fingerprint)
                    scored.note(place, row, candidate, marks.get(candidate.memory_id, 0))
                    made.append((row, is_another))
            if there:
                raise _GoneError
            yield made


def _begin(graph: Graph, user: str, now: datetime, saved: Path | None) -> None:
    """Before anything is written: a stop on the way leaves the stage begun, so that everything is scored again."""
    if saved:
        # The same mark may come out: what was saved before this must not be taken for it after a stop.
        discard(saved)
    graph.write_together([stage_made(user, STAGE, BEGUN, now)])


def _write(graph: Graph, user: str, now: datetime, written: Sequence[Classification]) -> None:
    if written:
        graph.write("values/upsert_classifications", [asdict(row) for row in written], user_id=user, now=to_iso(now))


def _complete(graph: Graph, user: str, now: datetime, work: Work, unscored: Sequence[Unscored], mark: str) -> None:
    """What goes, whose turn is over, and last of all the word that it is done."""
    for page in in_parts(work.retired, PAGE):
        cut(graph, "retire_classifications", [{"id": name} for name in page], user=user)
    for part in in_parts(unscored, PAGE):
        if memories := [{"id": name, "accesses": accesses} for name, audit, accesses in part if not audit]:
            graph.write("values/set_scored", memories, user_id=user)
        if audits := [{"id": audit} for _, audit, _ in part if audit]:
            graph.write("values/set_retirements_scored", audits, user_id=user)
    totals = {
        "memories": len(work.scored),
        "tiers": json.dumps(work.scored.tiers()),
        "shelf_ends": json.dumps(work.scored.shelf_ends(user, SHELF), sort_keys=True),
    }
    graph.write_together(
        [
            stage_made(user, STAGE, mark, now),
            Statement("values/set_totals", {"id": node_id("stage", user, STAGE), "user_id": user, **totals}),
        ]
    )
