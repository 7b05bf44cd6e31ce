"""One user's log of accesses, folded into the graph: each line once, whenever and however often a run is killed.

What is written is not added to what is there, it replaces it: what memories were, read under the owner's lock, and the
accesses behind the position that the graph has give what they are. That and the new position are one transaction.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import partial
from typing import Any

from memory_assets.clock import day_of, to_iso
from memory_assets.graph.graph import Graph, Statement
from memory_assets.graph.knife import cuts
from memory_assets.graph.lives import Life, life_of
from memory_assets.graph.merged import RESOLVED, families
from memory_assets.graph.owners import MARK, readable_owners, stage_made
from memory_assets.graph.retirement import retirement_rows
from memory_assets.graph.statements import id_rows, in_parts, in_statements
from memory_assets.lifecycle import policy
from memory_assets.model import RECORD_KINDS, AccessKind, State
from memory_assets.runtime.accesses import LOG_MARK, Access, AccessLog, Position, counted_to

LINES = 2000
"""So many lines of the log are one transaction."""
VALUED = frozenset({"KnowledgeChunk", "Storyline", "Macro", "Source"})
"""Whose value is made again where an access has changed it; that of a source follows from its counters."""
NAMED = frozenset({"Person", "Concept", "Entity"})
"""What any number of sources may name."""
CONTEXT = "CompressedContext"
RECORDS = frozenset(RECORD_KINDS)
LATEST, AGENTS = 10, 10
"""Of a record so many retrievals are stored with their instants, and so many agents by name."""

Row = dict[str, Any]


@dataclass
class Folded:
    """What came of a user's waiting accesses: how many, by kind; how many memories; how many came into which state."""

    accesses: Counter[str] = field(default_factory=Counter)
    memories: set[str] = field(default_factory=set)
    states: Counter[str] = field(default_factory=Counter)
    unknown: set[str] = field(default_factory=set)
    """Accessed memories that are gone, and were not merged into any that is there."""
    promoted: dict[str, str] = field(default_factory=dict)
    """The new state of each memory whose state changed, and why."""


def fold_accesses(graph: Graph, log: AccessLog, user: str, now: datetime) -> Folded:
    """Count the accesses of a user's that are not counted yet. The owner's lock is held."""
    done = Folded()
    position = counted_to(graph, user)
    while True:
        before = position
        position, lines = log.after(before, LINES)
        if not lines:
            return done
        asked = _by_memory(line for line in lines if line.kind is AccessKind.RETRIEVED)
        known_as = families(graph, user, asked)
        by_name = {name: [line for one in ids for line in asked.get(one, ())] for name, ids in known_as.items()}
        retrieved = {name: found for name, found in by_name.items() if found}
        stored = graph.read("graph/list_lives", user_id=user, memory_ids=sorted(retrieved))
        at = {name: [line.at for line in found] for name, found in retrieved.items()}
        after = lives_after(graph, log, user, stored, at, before, known_as)
        read = in_statements("lifecycle/set_records_read", _records_read(stored, retrieved), user_id=user)
        counted = stage_made(user, MARK + LOG_MARK, position.text, now)
        graph.write_together([*_writes(user, stored, after), *read, counted])
        done.accesses.update(line.kind.value for line in lines)
        done.memories |= after.keys()
        done.unknown |= asked.keys() - {one for name in after for one in known_as[name]}
        ids = [row["memory_id"] for row in stored if row["state"] != after[row["memory_id"]].state]
        done.states.update(after[name].state.value for name in ids)
        done.promoted |= {
            row["memory_id"]: _why(row, after[row["memory_id"]]) for row in stored if row["memory_id"] in ids
        }


def recount(graph: Graph, log: AccessLog, user: str, now: datetime) -> int:
    """Count the accesses anew of memories of which it is known otherwise whom they mean, since when mentions confirm
    them, or when their sources arrived; how many that changes. The owner's lock is held.

    Those that may have counted each other's accesses are judged together, and apart from all others. Where the log has
    fewer lines of them than they have counted, another log was before it, or a name is gone by which some were counted:
    each keeps what it has, and takes what the log knows to be counted with a name that means it now.
    """
    marked = {row["memory_id"]: row["with_ids"] for row in graph.read("lifecycle/list_uncounted", user_id=user)}
    if not marked:
        return 0
    known_as = families(graph, user, {*marked, *(one for ids in marked.values() for one in ids)})
    together = _together([*known_as.values(), *([name, *ids] for name, ids in marked.items())])
    ids = sorted(one for some in together for one in some)
    stored = [row for part in in_parts(ids) for row in graph.read("graph/list_lives", user_id=user, memory_ids=part)]
    lives = {row["memory_id"]: life_of(row) for row in stored}
    retrieved = partial(log.retrieved_until, counted_to(graph, user))
    own, taken = _shared_out(lives, known_as, together, retrieved)
    arrived = _arrivals(graph, user, dict.fromkeys([*(name for name, at in own.items() if at), *taken]))
    after = {name: policy.recounted(lives[name], at, arrived.get(name, ()), day_of(now)) for name, at in own.items()}
    for name, others in taken.items():
        before = retrieved([one for one in known_as[name] if one not in others])
        after[name] = policy.refolded(lives[name], before, retrieved(others), arrived.get(name, ()))
    names = {name for name, life in after.items() if life != lives[name]}
    differing = [row for row in stored if row["memory_id"] in names]
    # Nothing is left of who was accessed, and is somebody else by now: of whom nobody asked, it went with the name.
    gone = graph.read_parts("graph/list_owned_nodes", sorted(lives.keys() - known_as.keys()), user_ids=[user])
    retired = retirement_rows(user, gone, RESOLVED, now)
    done = in_statements("lifecycle/set_counted", id_rows(marked), user_id=user)
    going = cuts("retire_unmentioned_anchors", retired, user=user, now=now)
    graph.write_together([*_writes(user, differing, after), *going, *done])
    return len(differing)


def _shared_out(
    lives: Mapping[str, Life],
    known_as: Mapping[str, Sequence[str]],
    together: Iterable[set[str]],
    retrieved: Callable[[Sequence[str]], list[datetime]],
) -> tuple[dict[str, list[datetime]], dict[str, list[str]]]:
    """Whose retrievals are whose by now: of those that are counted anew, and the names whose retrievals others take
    that keep what they have.
    """
    own: dict[str, list[datetime]] = {}
    taken: dict[str, list[str]] = {}
    for some in together:
        there = {name: lives[name] for name in sorted(some & lives.keys())}
        # Whose name means somebody else has none: they are that one's.
        lines = {name: retrieved(known_as.get(name, ())) for name in there}
        if sum(map(len, lines.values())) >= sum(life.access_count for life in there.values()):
            own |= {name: at for name, at in lines.items() if at or there[name].access_count}
            continue
        for name in known_as.keys() & there.keys():
            for other in (one for one in known_as[name] if one != name and one in there):
                at = retrieved([other])
                if at and len(at) == there[other].access_count:
                    own[other] = []
                    taken.setdefault(name, []).append(other)
    return own, taken


def _together(groups: Iterable[Iterable[str]]) -> list[set[str]]:
    """Groups of ids as sets of which no two share one."""
    found: dict[str, set[str]] = {}
    for group in groups:
        whole = set(group)
        whole |= {other for one in group for other in found.get(one, ())}
        found |= dict.fromkeys(whole, whole)
    return list({id(some): some for some in found.values()}.values())


def _by_memory(lines: Iterable[Access]) -> dict[str, list[Access]]:
    found: dict[str, list[Access]] = {}
    for line in lines:
        found.setdefault(line.memory_id, []).append(line)
    return found


def lives_after(
    graph: Graph,
    log: AccessLog,
    user: str,
    stored: Sequence[Row],
    at: Mapping[str, Sequence[datetime]],
    counted: Position,
    known_as: Mapping[str, Sequence[str]],
) -> dict[str, Life]:
    """What memories (rows of ``graph/list_lives``) are after these retrievals: ``counted`` is up to where the log
    is counted in them, ``known_as`` by which ids it has each. What was found in another order than it happened gives
    the same.
    """
    lives = {row["memory_id"]: life_of(row) for row in stored}
    # What a source says, or a storyline includes, may have arrived and not been noted with it yet; whom many sources
    # name has them read only where that is sure to matter.
    named = {row["memory_id"] for row in stored if not NAMED.isdisjoint(row["labels"])}
    asked = {
        name: policy.arrivals_since(life, at[name])
        for name, life in lives.items()
        if name not in named or policy.asks_arrivals(life, at[name])
    }
    arrived = _arrivals(graph, user, asked)
    after = {}
    for row in stored:
        name = row["memory_id"]
        life, late, known = lives[name], at[name], arrived.get(name, ())
        if policy.is_late(life, late):
            after[name] = policy.refolded(life, log.retrieved_until(counted, known_as[name]), late, known)
        else:
            after[name] = policy.folded(life, late, known)
        if _is_record(row) and after[name].state is State.CORE:
            after[name] = replace(after[name], state=State.ACTIVE)  # a record has a tier instead
    return after


def _arrivals(graph: Graph, user: str, since: Mapping[str, datetime | None]) -> dict[str, list[datetime]]:
    """When the sources arrived that say some memories, of each since an instant, or ever."""
    asked = [{"id": name, "since": to_iso(at)} for name, at in since.items()]
    owners = readable_owners(graph, user) if asked else []
    return {
        row["memory_id"]: row["arrived_at"]
        for part in in_parts(asked)
        for row in graph.read("lifecycle/list_arrivals", rows=part, user_id=user, user_ids=owners)
    }


def _why(row: Row, life: Life) -> str:
    """What a memory has become by retrievals."""
    again = " again" if row["state"] == State.ARCHIVED.value else ""
    return f"{life.state.value}{again}: retrieved {life.access_count} time{'s' * (life.access_count != 1)}"


def _is_record(row: Row) -> bool:
    return not RECORDS.isdisjoint(row["labels"])


def _records_read(stored: Sequence[Row], retrieved: Mapping[str, Sequence[Access]]) -> list[Row]:
    """The latest retrievals of records, in order of time, and by whom they were retrieved, sorted: of what is counted
    and of these lines the same, however they were cut.
    """
    rows = []
    for row in stored:
        if _is_record(row):
            lines = retrieved[row["memory_id"]]
            at = sorted([*(row["recent_accesses"] or ()), *(to_iso(line.at) or "" for line in lines)])
            agents = sorted({*(row["accessed_by"] or ()), *(line.agent for line in lines)} - {""})
            rows.append({"id": row["memory_id"], "recent_accesses": at[-LATEST:], "accessed_by": agents[:AGENTS]})
    return rows


def _writes(user: str, stored: Sequence[Row], after: Mapping[str, Life]) -> list[Statement]:
    lives, contexts = [], []
    for row in stored:
        name, life = row["memory_id"], after[row["memory_id"]]
        if CONTEXT in row["labels"]:
            counted = {"access_count": life.access_count, "last_accessed": to_iso(life.last_accessed_at)}
            contexts.append({"id": name, **counted})
        else:
            lives.append({"id": name, **columns_of(life), "is_valued": not VALUED.isdisjoint(row["labels"])})
    return [
        *in_statements("lifecycle/set_lives", lives, user_id=user),
        *in_statements("lifecycle/set_contexts_read", contexts, user_id=user),
    ]


def columns_of(life: Life) -> Row:
    """What an access changes of a life, as ``lifecycle/set_lives`` writes it."""
    names = ("salience", "access_count", "recall_frequency", "last_recall_interval", "decay_gradient")
    states = {"state": life.state.value, "archived_from": life.archived_from.value if life.archived_from else None}
    instants = {name: to_iso(getattr(life, name)) for name in ("salience_at", "last_accessed_at")}
    return states | instants | {name: getattr(life, name) for name in names}
