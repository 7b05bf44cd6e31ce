"""What time makes of one user's memories: those that have changed, and those whose day has come, no others.

Each memory names the day on which it will have faded (``fade_key``), so that the cost follows what is due. Whoever
writes what that day follows from says so in the same statement (``unaged``). Whatever is due is decided by what is
stored now, so that a day that is too early costs a look and no more. Other rules give all other days (``recipe_of``).
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, time, timedelta
from operator import itemgetter
from typing import Any

from memory_assets.clock import day_of, to_iso
from memory_assets.graph.due_keys import LAST, due_key, list_coming, until
from memory_assets.graph.graph import Graph
from memory_assets.graph.knife import cuts
from memory_assets.graph.lives import (
    EPHEMERAL,
    REST,
    RULES,
    TRACKED,
    Life,
    LifecycleRules,
    RestRules,
    life_of,
    rests_at,
    salience,
)
from memory_assets.graph.owners import find_stage, stage_made
from memory_assets.graph.retirement import archival_id
from memory_assets.graph.statements import id_rows, in_parts, in_statements
from memory_assets.lifecycle import policy
from memory_assets.lifecycle.folding import VALUED
from memory_assets.model import State, fingerprint

PAGE = 500
FADING = "lifecycle/list_fading"
GRACE = timedelta(hours=24)
"""What is younger is never archived (001, rail 9)."""
COUNTED = "states"
"""The stage that keeps the last count."""
DAYS = "days"
"""The stage that says by which rules all memories have named their days, or wait to."""
MANY, RECOUNTED = 20_000, timedelta(days=7)
FADED, EXPIRED = "it has faded", "it has expired"

Row = dict[str, Any]


@dataclass
class Aged:
    """What a run has done: so many memories looked at, archived (by id, why), and brought back; when the next fades."""

    looked_at: int = 0
    gone: dict[str, str] = field(default_factory=dict)
    back: int = 0
    next_day: date | None = None
    states: dict[str, dict[str, int]] = field(default_factory=dict)
    """By kind of memory, how many were in each state at ``counted_at``."""
    sources: Row = field(default_factory=dict)
    """What the sources in use added up to then (``lifecycle/sum_sources``)."""
    counted_at: datetime | None = None

    @property
    def archived(self) -> int:
        return len(self.gone)

    @property
    def changes_at(self) -> datetime | None:
        """When time alone makes something else of a memory."""
        return datetime.combine(self.next_day, time(), UTC) if self.next_day else None


def recipe_of(rules: LifecycleRules = RULES, rest: RestRules = REST) -> str:
    """What the days follow from beside the memories: this code and the figures of the rules."""
    return fingerprint(policy.CODE_VERSION, repr(rules), repr(rest))


def age_memories(graph: Graph, user: str, now: datetime, rules: LifecycleRules = RULES, rest: RestRules = REST) -> Aged:
    """Find the day of what has changed, archive what has faded. The owner's lock is held.

    By other rules than before every memory's day is found anew, and what would not have faded by them is back.
    """
    done, today = Aged(), day_of(now)
    born_before = to_iso(now - GRACE)
    ager = _Ager(graph, user, now, rules, rest, done)
    recipe = recipe_of(rules, rest)
    if find_stage(graph, user, DAYS) != recipe:
        rows = graph.read_each(
            "lifecycle/list_tracked", itemgetter("memory_id"), user_id=user, states=[state.value for state in State]
        )
        graph.write("lifecycle/set_unaged", id_rows(rows), user_id=user)
        graph.write_together([stage_made(user, DAYS, recipe, now)])
    back = _take_back(graph, user, now)
    changed = graph.read_each("lifecycle/list_unaged", itemgetter("memory_id"), user_id=user)
    for page in in_parts(changed, PAGE):
        ager.settle(page)
    due = graph.read("lifecycle/list_faded", **until(user, today), born_before=born_before)
    for page in in_parts([row["memory_id"] for row in due], PAGE):
        ager.settle(page)
    done.back += len(back - done.gone.keys())
    coming = list_coming(graph, FADING, user, today, 1)
    done.next_day = coming[0][0] if coming else None
    _count(graph, user, now, done)
    return done


def _take_back(graph: Graph, user: str, now: datetime) -> set[str]:
    """Take back what a run has archived while the clock was ahead, to be aged by what it says now; the ids of that.

    Such a memory names no day, so that no other run would look at it: the audits say what was cut later than now.
    """
    ahead = {"first": f"{user}|{to_iso(now)}|{LAST}", "last": f"{user}|{LAST}", "now": to_iso(now)}
    rows = [
        {"id": row["memory_id"], "is_valued": not VALUED.isdisjoint(row["labels"])}
        for row in graph.read("lifecycle/list_faded_ahead", user_id=user, **ahead)
        if not TRACKED.isdisjoint(row["labels"])
    ]
    return {row["id"] for row in graph.write("lifecycle/set_unfaded", rows, user_id=user, now=to_iso(now))}


def _count(graph: Graph, user: str, now: datetime, done: Aged) -> None:
    """Say how many memories are in which state, by kind, what the sources in use add up to, and when they were counted.
    That is the one thing here that costs what there is: of many it is done every week.
    """
    known = json.loads(find_stage(graph, user, COUNTED) or "{}")
    are_many = sum(sum(counts.values()) for counts in known.get("states", {}).values()) > MANY
    if are_many and "sources" in known and timedelta(0) <= now - datetime.fromisoformat(known["at"]) < RECOUNTED:
        done.counted_at, done.states = datetime.fromisoformat(known["at"]), known["states"]
        done.sources = known["sources"]
        return
    found: dict[str, dict[str, int]] = {}
    for row in graph.read("lifecycle/count_states", user_id=user, states=[state.value for state in State]):
        for label in TRACKED.intersection(row["labels"]):
            counts = found.setdefault(label, dict.fromkeys((state.value for state in State), 0))
            counts[row["state"]] += row["memories"]
    done.counted_at, done.states = now, dict(sorted(found.items()))
    (done.sources,) = graph.read("lifecycle/sum_sources", user_id=user)
    said = {"states": done.states, "sources": done.sources}
    if are_many or any(known.get(name) != value for name, value in said.items()):
        graph.write_together([stage_made(user, COUNTED, json.dumps({"at": to_iso(now), **said}), now)])


@dataclass(frozen=True)
class _Ager:
    """Looks at some memories of a user at an instant, by these rules."""

    graph: Graph
    user: str
    now: datetime
    rules: LifecycleRules
    rest: RestRules
    done: Aged

    def settle(self, ids: Sequence[str]) -> None:
        """One transaction: some memories as they are on the day, with the day on which they will have faded."""
        user, now, done = self.user, self.now, self.done
        today = day_of(now)
        stored = self.graph.read("graph/list_lives", user_id=user, memory_ids=list(ids))
        archive, fading = [], []
        for row in stored:
            if TRACKED.isdisjoint(row["labels"]):
                fading.append(self._day(row, None))
                continue
            life = life_of(row)
            after = policy.settled(life, today, self.rules)
            if after.state is State.ARCHIVED is not life.state:
                archive.append(self._archival(row, life))
            else:
                fading.append(self._day(row, after))
        statements = cuts("archive_memories", archive, user=user, now=now, born_before=to_iso(now - GRACE))
        results = self.graph.write_together([*statements, *in_statements("lifecycle/set_fading", fading, user_id=user)])
        gone = {row["id"] for part in results[: len(statements)] for row in part}
        # What a rail keeps is asked again tomorrow.
        if railed := [_asked_again(user, row, today) for row in archive if row["id"] not in gone]:
            self.graph.write("lifecycle/set_fading", railed, user_id=user)
        done.looked_at += len(stored)
        done.gone |= {row["id"]: row["reason"] for row in archive if row["id"] in gone}
        done.back += sum(row["back_as"] is not None for row in fading)

    def _day(self, row: Mapping[str, Any], life: Life | None) -> Row:
        """On which day a memory fades, from which a source has rested, and as what it is back where it was archived."""
        name, is_back = row["memory_id"], False
        day = rests = None
        if life is not None and life.state is not State.ARCHIVED:
            day, is_back = policy.archived_on(life, self.rules), row["state"] == State.ARCHIVED.value
            is_source = "Source" in row["labels"]
            rests = min(rests_at(life, self.rest, self.rules), default=None) if is_source else None
        return {
            "id": name,
            "fade_key": due_key(self.user, day, name) if day else None,
            "rest_key": due_key(self.user, day_of(rests), name) if rests else None,
            "back_as": life.state.value if life is not None and is_back else None,
            "is_valued": not VALUED.isdisjoint(row["labels"]),
            "since": to_iso(life.since) if life is not None else None,
        }

    def _archival(self, row: Mapping[str, Any], life: Life) -> Row:
        """What curation archives a memory by, and what its audit says of it."""
        name = row["memory_id"]
        seen = {
            "salience": salience(life, self.now, self.rules),
            "since": to_iso(life.since),
            "confidence": life.confidence,
            "created_at": to_iso(life.created_at),
        }
        why = EXPIRED if life.ttl_policy == EPHEMERAL else FADED
        audit = {"audit_id": archival_id(self.user, name, self.now), "reason": why, "folded_by": None}
        audit |= {"label": min(TRACKED.intersection(row["labels"])), "snapshot": json.dumps(seen, sort_keys=True)}
        figures = {"access_count": row["access_count"], "is_valued": not VALUED.isdisjoint(row["labels"])}
        return {"id": name, **audit, **figures, "kept_turns": None, "since": seen["since"]}


def _asked_again(user: str, row: Row, today: date) -> Row:
    key = due_key(user, today + timedelta(days=1), row["id"])
    found = {"id": row["id"], "fade_key": key, "rest_key": None, "back_as": None}
    return found | {"is_valued": False, "since": row["since"]}
