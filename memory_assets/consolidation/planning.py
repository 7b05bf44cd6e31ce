"""One user's plan: which sources become knowledge, what is noted of them, what leaves the default search.

A plan is stored before it is carried out, so that a person can read it; nothing is archived here. What a plan says
follows from what there is: made again of the same it is the same, and asks no model.

Looked at is what has rested since the last look, with what has rested before and may meet it in a cluster
(``neighbours.py``) and names what it names. What becomes none says when it rests further (``rest_key``), and when it
happened (``rested_key``), so that the cost follows what is due, and what is like it and rests within two years of it.
By other rules, and once a month, all of it is looked at: what others have become by themselves is found then.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, time, timedelta
from functools import cached_property
from typing import Any

import numpy as np

from memory_assets.clock import END_OF_TIME, Clock, day_of, to_iso
from memory_assets.consolidation import neighbours, policy
from memory_assets.consolidation.neighbours import Placed
from memory_assets.consolidation.policy import RULES, Cluster, Episode, Name, Said, Trigger
from memory_assets.errors import BudgetExceededError, ModelError
from memory_assets.graph import due_keys
from memory_assets.graph.due_keys import LAST, due_key, find_next_day, until
from memory_assets.graph.graph import Graph, Statement
from memory_assets.graph.knife import cuts
from memory_assets.graph.lives import life_of
from memory_assets.graph.notes import note_id
from memory_assets.graph.owners import find_stage, stage_made
from memory_assets.graph.statements import id_rows, in_statements
from memory_assets.llm.local.insights import draw_insights
from memory_assets.llm.model_client import LanguageModel, first_service_failure
from memory_assets.llm.prompt_files import prompts
from memory_assets.llm.tasks import DRAW_INSIGHTS, ClusterRequest, Insight, Insights
from memory_assets.model import fingerprint, reference

ASSET = "consolidation_plan"
PLANNED, DONE, UNDONE = "planned", "done", "undone"
"""What can become of a consolidation."""
LOCAL = "whole sentences"
KEYS_VERSION = "1"
"""Raise it when what rests is found by other keys: all of it is looked at then."""
LOOKED = "resting"
"""The stage that says by which rules all sources were looked at, and when."""

Row = dict[str, Any]


@dataclass
class Planned:
    """What a run has planned: the plans as they are stored, oldest first; what was left; when time changes it."""

    plans: list[Row] = field(default_factory=list)
    counts: Counter[str] = field(default_factory=Counter)
    left: list[str] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    refused: Counter[str] = field(default_factory=Counter)
    """Sentences of the model that do not follow from what they cite, by reason."""
    changes_at: datetime | None = None


@dataclass(frozen=True)
class _Draft:
    """A cluster with what it is planned from."""

    cluster: Cluster
    subjects: tuple[Name, ...]
    said: tuple[Said, ...]
    turns: Mapping[str, Mapping[int, str]]
    request: ClusterRequest
    asked: str


@dataclass
class _Seen:
    """The sources that were looked at, as they are stored; whose turn it was (``due``); whom and what they name; and
    their clusters. ``whole``: all that there is was looked at.
    """

    rows: list[Row]
    due: set[str]
    names: list[Name]
    clusters: tuple[Cluster, ...]
    whole: bool


class Planner:
    """Plans for one user. The owner's lock is held."""

    def __init__(self, graph: Graph, language: LanguageModel, embedder: str, clock: Clock, user: str) -> None:
        self.graph, self.language, self.embedder = graph, language, embedder
        self.user, self.now = user, clock.now()
        self.recipe = fingerprint(prompts().prompt_hash(DRAW_INSIGHTS), language.name, policy.CODE_VERSION)
        self.resting = fingerprint(policy.CODE_VERSION, repr(RULES), embedder, KEYS_VERSION)

    def plan(self, most: int = RULES.most_planned) -> Planned:
        """Plan the oldest clusters, ``most`` beside those that are planned; what no longer is one is forgotten."""
        done = Planned()
        known = {row["id"]: row for row in stored(self.graph, self.user, PLANNED)}
        seen = self._look(known.values())
        rows, names, clusters = seen.rows, seen.names, seen.clusters
        until_day = day_of(self.now + RULES.quiet_for)
        coming = find_next_day(self.graph, "consolidation/find_resting", self.user, day_of(self.now), until_day)
        done.changes_at = policy.looks_again_at(map(life_of, rows), coming, self.now)
        done.counts.update(rested=len(list(filter(self._is_able, rows))), clusters=len(clusters))
        drafts: list[_Draft] = []
        looked_at: list[Cluster] = []
        fresh = 0
        # What nothing can be noted of takes nobody's place, nor does what is planned already.
        for cluster in clusters:
            is_planned = cluster.id_for(self.user) in known
            if fresh == most and not is_planned:
                continue
            looked_at.append(cluster)
            if policy.subjects_of(cluster, names) and (draft := self._draft(cluster, names)):
                drafts.append(draft)
                fresh += not is_planned
        if left := len(clusters) - len(looked_at):
            done.left.append(f"{left} clusters")
        candidates = sum(len(cluster.episodes) for cluster in looked_at)
        done.counts.update(candidates=candidates, nothing_to_note=len(looked_at) - len(drafts))
        insights = self._insights(drafts, known, done)
        made = [self._plan(draft, *insights[draft.asked], rows) for draft in drafts if draft.asked in insights]
        made = [self._as_before(row, known.get(row["id"])) for row in made if json.loads(row["insights"])]
        changed = [row for row in made if row != known.get(row["id"])]
        waits = {draft.cluster.id_for(self.user) for draft in drafts if draft.asked not in insights}
        gone = known.keys() - {row["id"] for row in made} - waits
        planned_ids = {row["id"] for row in made} | waits
        finished = [cluster for cluster in looked_at if cluster.id_for(self.user) not in planned_ids]
        later = [one for one in clusters if one not in looked_at or one.id_for(self.user) in waits]
        if writes := [
            *cuts("retire_plans", id_rows(gone), user=self.user),
            *in_statements("consolidation/set_plans", changed, user_id=self.user),
            *in_statements("consolidation/set_resting", self._resting(seen, finished, later), user_id=self.user),
            *([self._all_looked_at()] if seen.whole else ()),
        ]:
            self.graph.write_together(writes)
        done.plans = made
        done.counts.update(planned=len(made), new=len([row for row in changed if row["id"] not in known]))
        return done

    def _look(self, planned: Iterable[Row]) -> _Seen:
        """The user's sources that have rested, whom and what the candidates name, and their clusters."""
        undone = {source for row in stored(self.graph, self.user, UNDONE) for source in row["source_ids"]}
        whole = self._is_all_due()
        if whole:
            rested = self.graph.read("consolidation/list_own", user_id=self.user)
        else:
            rested = self.graph.read("consolidation/list_rested", **until(self.user, day_of(self.now)))
        due = {row["id"] for row in rested} - undone
        rows = self._sources(sorted(due | {source for row in planned for source in row["source_ids"]} - undone))
        if not whole:
            beside = self._beside([row for row in rows if self._is_able(row)])
            rows += self._sources(sorted(beside - undone - {row["id"] for row in rows}))
        names, clusters = self._clusters(rows, planned)
        return _Seen(rows, due, names, clusters, whole)

    def _beside(self, rows: Sequence[Row]) -> set[str]:
        """The ids of what has rested before and may meet these in a cluster, directly or by way of each other; all of
        it names whom or what one of these names.
        """
        ids = sorted(row["id"] for row in rows)
        anchors, vectors = _anchors(self._names(ids)), self._vectors(ids)
        reached = [
            Placed(key := row["id"], row["started_at"], anchors.get(key, frozenset()), vectors.get(key))
            for row in sorted(rows, key=lambda row: row["id"])
        ]
        about = {anchor for one in reached for anchor in one.anchors}
        found: set[str] = set()
        there: dict[str, Placed] = {}
        looked_at: set[int] = set()
        while reached:
            months = neighbours.months_around(one.started_at for one in reached) - looked_at
            looked_at |= months
            for first, after in neighbours.spans_of(months):
                last = due_key(self.user, after) if after else due_key(self.user, date.max, LAST)
                span = {"first": due_key(self.user, first), "last": last}
                rested = self.graph.read("consolidation/list_rested_before", user_id=self.user, **span)
                times = {due_keys.id_of(key := row["rested_key"]): _happened(key) for row in rested}
                query, also = "consolidation/list_named", {"user_id": self.user, "about": sorted(about)}
                for row in self.graph.read_parts(query, sorted(times), **also):
                    key, names = row["id"], frozenset(row["anchor_ids"])
                    there[key] = Placed(key, times[key], names, self._vector(row))
            reached = neighbours.neighbours_of(reached, [one for key, one in sorted(there.items()) if key not in found])
            found |= {one.id for one in reached}
        return found

    def _is_all_due(self) -> bool:
        known = json.loads(find_stage(self.graph, self.user, LOOKED) or "{}")
        if known.get("recipe") != self.resting:
            return True
        return not timedelta(0) <= self.now - datetime.fromisoformat(known["at"]) < RULES.quiet_for

    def _all_looked_at(self) -> Statement:
        said = json.dumps({"recipe": self.resting, "at": to_iso(self.now)})
        return stage_made(self.user, LOOKED, said, self.now)

    def _resting(self, seen: _Seen, finished: Iterable[Cluster], later: Iterable[Cluster]) -> list[Row]:
        """When what was due, and is in no cluster that waits, is to be looked at again by itself. What is in a cluster
        for a later run is due, also where only a look at all there is has found it.
        """
        waiting = {one.id for cluster in seen.clusters for one in cluster.episodes}
        waiting -= {one.id for cluster in finished for one in cluster.episodes}
        today = day_of(self.now)
        left = {one.id for cluster in later for one in cluster.episodes}
        found: list[Row] = [{"id": name, "rest_key": due_key(self.user, today, name)} for name in sorted(left)]
        for row in seen.rows:
            if row["id"] in seen.due and row["id"] not in waiting:
                at = policy.next_candidate_at([life_of(row)], self.now)
                key = due_key(self.user, day_of(at), row["id"]) if at else None
                happened = day_of(row["started_at"] or END_OF_TIME)
                rested_key = due_key(self.user, happened, row["id"]) if self._is_able(row) else None
                found.append({"id": row["id"], "rest_key": key, "rested_key": rested_key})
        return found

    def _sources(self, ids: Sequence[str]) -> list[Row]:
        return [*read_sources(self.graph, self.user, ids, self.now)]

    def _is_able(self, row: Row) -> bool:
        life = life_of(row)
        return row["passes_rails"] and (policy.may_overlap(life, self.now) or bool(policy.triggers(life, self.now)))

    def _clusters(self, rows: Iterable[Row], planned: Iterable[Row]) -> tuple[list[Name], tuple[Cluster, ...]]:
        able = [row for row in rows if self._is_able(row)]
        ids = [row["id"] for row in able]
        names = self._names(ids)
        vectors = self._vectors(ids)
        about = _anchors(names)
        episodes = [
            Episode(key := row["id"], row["started_at"], life_of(row), about.get(key, frozenset()), vectors.get(key))
            for row in able
        ]
        by_id = {one.id: one for one in episodes}
        complete = []
        for row in planned:
            if by_id.keys() >= set(row["source_ids"]):
                there = tuple(sorted((by_id[key] for key in row["source_ids"]), key=policy.event_order))
                complete.append(Cluster(there, tuple(map(Trigger, row["triggers"]))))
        known = {row["id"] for row in planned}
        as_planned = [one for one in complete if one.id_for(self.user) in known]
        return names, policy.clusters_of(episodes, self.now, planned=as_planned)

    def _names(self, ids: Sequence[str]) -> list[Name]:
        rows = self.graph.read_parts("consolidation/list_names", ids, user_id=self.user)
        return [Name(**row) for row in rows if row["name"]]

    def _vectors(self, ids: Sequence[str]) -> dict[str, np.ndarray]:
        """The unit vectors of the sources whose summaries this embedder has read."""
        rows = self.graph.read_parts("consolidation/list_vectors", ids, user_id=self.user)
        return {row["id"]: vector for row in rows if (vector := self._vector(row)) is not None}

    def _vector(self, row: Row) -> np.ndarray | None:
        vector = np.asarray(row["embedding"] or [0.0], dtype=np.float64)
        length = float(np.linalg.norm(vector))
        return vector / length if length and row["embedder"] == self.embedder else None

    @cached_property
    def _held(self) -> dict[bool, set[str]]:
        """What somebody has decided about (False), and what is in a file (True)."""
        held: dict[bool, set[str]] = {False: set(), True: set()}
        for row in self.graph.read("consolidation/list_held", user_id=self.user):
            held[row["is_published"]].add(row["memory_id"])
        return held

    def _draft(self, cluster: Cluster, names: Iterable[Name]) -> _Draft | None:
        """What a cluster states; None where nothing of it can be noted."""
        ids = list(cluster.source_ids)
        held = self._held
        said = tuple(
            _said(row, decided=held[False], published=held[True])
            for row in self.graph.read("consolidation/list_statements", user_id=self.user, ids=ids)
        )
        subjects = policy.subjects_of(cluster, names)
        request = policy.request_for(cluster, subjects, said)
        if request is None:
            return None
        turns = {
            row["id"]: {
                int(turn["index"]): str(turn["text"])
                for turn in json.loads(row["turns"] or "[]") or [{"index": 0, "text": row["content"] or ""}]
            }
            for row in self.graph.read("graph/list_turns", ids=ids, user_ids=[self.user])
        }
        asked = fingerprint(self.recipe, request.model_dump_json(), *ids)
        return _Draft(cluster, subjects, said, turns, request, asked)

    def _insights(
        self, drafts: Sequence[_Draft], known: Mapping[str, Row], done: Planned
    ) -> dict[str, tuple[list[Insight], str]]:
        """The insights of each draft and the model that drew them, by what was asked: stored ones, or new ones.

        A sentence that does not follow from what it cites is left out; where none is left, whole sentences replace it.
        What the budget has left waits.
        """
        before = {row["asked"]: row for row in known.values()}
        insights: dict[str, tuple[list[Insight], str]] = {}
        ask = []
        for draft in drafts:
            if (row := before.get(draft.asked)) is None:
                ask.append(draft)
                continue
            insights[draft.asked] = [Insight(**one["insight"]) for one in json.loads(row["insights"])], row["model"]
        requests = [draft.request for draft in ask]
        whose = {"asset": ASSET, "user_id": self.user}
        answers = self.language.ask_many(DRAW_INSIGHTS, requests, Insights, **whose) if ask else []
        if out_of_service := first_service_failure(answers):
            raise out_of_service
        waiting = []
        for draft, answer in zip(ask, answers, strict=True):
            if isinstance(answer, BudgetExceededError):
                waiting.append(answer)
                continue
            given = () if isinstance(answer, ModelError) else answer.value.insights
            faults = [(one, policy.fault(one, draft.request)) for one in given]
            done.refused.update(why for _, why in faults if why)
            if isinstance(answer, ModelError):
                done.refused[f"no answer: {answer}"] += 1
            good = [one for one, why in faults if why is None]
            if good and not isinstance(answer, ModelError):
                insights[draft.asked] = good, answer.model
            else:
                local = draw_insights(draft.request).insights
                insights[draft.asked] = [one for one in local if policy.fault(one, draft.request) is None], LOCAL
        if waiting:
            done.problems.append(f"{len(waiting)} clusters are left for the next run: {waiting[0]}")
        return insights

    def _plan(self, draft: _Draft, drawn: Sequence[Insight], model: str, rows: Iterable[Row]) -> Row:
        """A plan as it is stored: all in plain values and JSON."""
        cluster, by_ref = draft.cluster, {one.ref: one for one in draft.said}
        subjects = {one.name: one for one in draft.subjects}
        members = {row["id"]: row for row in rows if row["id"] in set(cluster.source_ids)}
        insights = []
        for one in drawn:
            subject, cited = subjects[one.subject], [by_ref[ref] for ref in one.refs]
            first = min(cited, key=lambda said: said.place)
            insight = one.model_dump(mode="json") | {"lifetime": policy.lifetime_of(one, cited)}
            of: Row = {"name_id": subject.name_id, "kind": subject.kind, "source_id": first.source_id}
            of |= {"statement_ids": sorted(said.id for said in cited), "insight": insight}
            insights.append({"id": note_id(self.user, subject.name_id, first.source_id, one.text), **of})
        evidence = {key for one in insights for key in one["statement_ids"]}
        rest = policy.rest_of(draft.said, draft.turns, evidence, self.now)
        times = [one.started_at for one in cluster.episodes if one.started_at]
        titles = [members[one.id]["title"] or one.id for one in cluster.episodes]
        kinds = Counter(members[one.id]["kind"] for one in cluster.episodes)
        about = ", ".join(one.name for one in draft.subjects)
        identifier = cluster.id_for(self.user)
        triggers = [trigger.value for trigger in cluster.triggers]
        row: Row = {"id": identifier, "ref": reference(identifier), "status": PLANNED, "triggers": triggers}
        row |= {"about": f"{', '.join(f'{n} x {kind}' for kind, n in sorted(kinds.items()))} about {about}"}
        row |= {"why": ", ".join(triggers), "subjects": [one.name for one in draft.subjects], "titles": titles}
        row |= {"first_at": to_iso(min(times, default=None)), "last_at": to_iso(max(times, default=None))}
        row |= {"insights": json.dumps(insights, ensure_ascii=False, sort_keys=True), "model": model}
        row |= {"note_ids": sorted({one["id"] for one in insights}), "source_ids": list(cluster.source_ids)}
        row |= {"folded_ids": list(rest.folded), "kept": json.dumps(rest.reasons, sort_keys=True)}
        row |= {"kept_turns": json.dumps({key: list(found) for key, found in sorted(rest.turns.items())})}
        row |= {"statement_count": len(rest.staying) + len(rest.folded), "asked": draft.asked}
        row |= {"turn_count": sum(map(len, draft.turns.values()))}
        return row

    def _as_before(self, row: Row, before: Row | None) -> Row:
        """With the instant since which it can be read: that of before, unless other insights would be noted now. What
        stays in the default search may change from day to day.
        """
        if before is not None and {key: before.get(key) for key in row} == row:
            return before
        is_same = before is not None and before["insights"] == row["insights"]
        return {**row, "planned_at": before["planned_at"] if before and is_same else to_iso(self.now)}


def _anchors(names: Iterable[Name]) -> dict[str, frozenset[str]]:
    """Whom and what each source names, without its owner."""
    found: dict[str, set[str]] = {}
    for one in names:
        if not one.is_owner:
            found.setdefault(one.source_id, set()).add(one.anchor_id)
    return {key: frozenset(anchors) for key, anchors in found.items()}


def read_sources(graph: Graph, user: str, ids: Sequence[str], now: datetime) -> Iterable[Row]:
    """Those of some sources that a plan may have in it, with their lives, and whether the knife would take them."""
    born_before = to_iso(now - RULES.grace)
    return graph.read_parts("consolidation/list_sources", ids, user_id=user, born_before=born_before)


def stored(graph: Graph, user: str, status: str) -> list[Row]:
    """A user's consolidations of a status as they were stored, the oldest first."""
    found = graph.read("consolidation/list_consolidations", user_id=user, status=status)
    return [stored_row(row) for row in found]


def stored_row(row: Row) -> Row:
    """A consolidation as it was stored, of the row that has its ``properties``."""
    return {key: value for key, value in row["properties"].items() if key != "user_id"}


def _said(row: Mapping[str, Any], *, decided: set[str], published: set[str]) -> Said:
    names = (
        "id",
        "ref",
        "source_id",
        "turn",
        "position",
        "speaker",
        "said_at",
        "said_by_owner",
        "content_type",
        "durability",
    )
    return Said(
        **{name: row[name] for name in names},
        text=row["text"] or "",
        statement=row["statement"],
        life=life_of({**row, "labels": ["KnowledgeChunk"]}),
        is_instruction=row["is_instruction"],
        source_count=row["source_count"],
        about=frozenset(row["about"]),
        weighed=row["is_weighed"] or row["id"] in decided,
        published=row["id"] in published,
    )


def _happened(rested_key: str) -> datetime | None:
    """When on its day something happened that has rested, by its key; None where that is unknown."""
    day = due_keys.day_of(rested_key)
    return None if day == day_of(END_OF_TIME) else datetime.combine(day, time(12), UTC)
