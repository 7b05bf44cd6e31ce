"""A memory's life as somebody looks at it: what the graph has counted, and what waits in the log."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from typing import Any

from memory_assets.clock import day_of, to_iso
from memory_assets.graph.due_keys import LAST, list_coming
from memory_assets.graph.graph import Graph
from memory_assets.graph.lives import TRACKED, Life, life_of, salience
from memory_assets.graph.merged import families
from memory_assets.graph.owners import readable_owners
from memory_assets.graph.statements import in_parts
from memory_assets.lifecycle import policy
from memory_assets.lifecycle.ageing import FADING
from memory_assets.lifecycle.folding import lives_after
from memory_assets.llm.tokens import count_tokens
from memory_assets.runtime.accesses import Position, access_log, counted_to
from memory_assets.settings import Settings

WEEK = timedelta(days=7)
STANDING, MOST_STANDING = "standing", 1_000
"""The shelf of what must always hold (``values/policy.py``), and how much of it is looked at."""
CRITICAL_KINDS, TOPICS = ("decision", "error_fix"), 16
"""What of memories is critical, and how many topics of each level a context is chosen from."""
SHOWN, LOOKED_AT, MOST_LOOKED_AT = 10, 50, 1_000
"""So many of the most accessed memories are drawn, and of those that fade first. For the former so many are looked at,
and as many again while too few of them have a course, up to a limit."""
PAST, AHEAD = 60, 60
"""Days of a picture before and after today."""


@dataclass(frozen=True)
class Courses:
    """How present some memories are from day to day: ``lines`` by the numbers of their rows."""

    days: list[date]
    lines: dict[str, list[float | None]]
    rows: list[dict[str, Any]]


def read_shelves(graph: Graph, user: str, sources: Mapping[str, Any]) -> list[dict[str, Any]]:
    """What an agent's contexts are drawn from, by tier: how many memories, how many tokens, and from when to when.
    ``sources``: what those of the user add up to (``lifecycle/sum_sources``).
    """
    shelf = {"first": f"{user}|{STANDING}|", "last": f"{user}|{STANDING}|{LAST}", "limit": MOST_STANDING}
    listed = graph.read("graph/list_standing_shelf", user_id=user, **shelf)
    asked = {"standing": [row["memory_id"] for row in listed], "kinds": list(CRITICAL_KINDS), "limit": TOPICS}
    rows = graph.read("lifecycle/list_shelves", user_id=user, **asked)
    for row in rows:
        row["tokens"] = sum(map(count_tokens, filter(None, row.pop("texts")))) or row["tokens"]
    rows.append({"tier": 2, "shelf": "sources", **sources})
    return sorted((row for row in rows if row["memories"]), key=lambda row: (row["tier"], row["shelf"]))


def read_courses(graph: Graph, settings: Settings, user: str, now: datetime) -> tuple[Courses, Courses]:
    """The memories that were retrieved most often, and those that fade first, with their courses around today."""
    today = day_of(now)
    log = access_log(settings, user)
    fading = [memory for _, memory in list_coming(graph, FADING, user, today, SHOWN)]
    lives = _lives(graph, user, fading)
    often: list[str] = []
    for part in in_parts(log.most_retrieved(MOST_LOOKED_AT), LOOKED_AT):
        found = _lives(graph, user, part)
        often += [memory for memory in part if memory in found]
        lives |= found
        if len(often) >= SHOWN:
            break
    often = often[:SHOWN]
    drawn = {*often, *fading} & lives.keys()
    known_as, texts = families(graph, user, drawn), read_texts(graph, user, drawn)
    days = [today + timedelta(days=ahead) for ahead in range(-PAST, AHEAD + 1)]
    instants = [datetime.combine(day, now.astimezone(UTC).timetz()) for day in days]

    def courses(ids: list[str]) -> Courses:
        lines: dict[str, list[float | None]] = {}
        rows: list[dict[str, Any]] = []
        for memory in ids:
            if memory not in texts:
                continue
            life, gone = lives[memory], policy.archived_on(lives[memory])
            lines[str(len(rows) + 1)] = policy.course(life, log.retrieved(Position(), known_as[memory]), instants)
            present = {"state": policy.state_on(life, today).value, "salience": round(policy.salience(life, now), 4)}
            counted = {"accesses": life.access_count, "fades": gone}
            rows.append({"number": len(rows) + 1, **texts[memory], **present, **counted})
        return Courses(days, lines, rows)

    return courses(often), courses(fading)


def _lives(graph: Graph, user: str, ids: Sequence[str]) -> dict[str, Life]:
    """Of what has no salience that decides anything, no course is drawn: contexts, and records of agents."""
    stored = graph.read("graph/list_lives", user_id=user, memory_ids=list(ids))
    return {row["memory_id"]: life_of(row) for row in stored if not TRACKED.isdisjoint(row["labels"])}


def read_texts(graph: Graph, user: str, ids: Iterable[str]) -> dict[str, dict[str, str]]:
    """The reference and the text of memories that are the user's own, by their ids."""
    rows = graph.read("lifecycle/list_texts", user_id=user, memory_ids=list(ids))
    return {row["memory_id"]: {"ref": row["ref"], "text": row["text"]} for row in rows}


def read_life(graph: Graph, settings: Settings, user: str, ref: str, now: datetime) -> dict[str, Any] | None:
    """The state of the user's memory behind a reference at an instant, its salience and how often it was used: in all,
    and in the last seven days (001, ``access_count_7d``). ``mentioned`` among the uses: in so many sources, that have
    arrived then. None where it has no life of its own.
    """
    found = graph.read("graph/find_memory", user_id=user, ref=ref)
    stored = graph.read("graph/list_lives", user_id=user, memory_ids=[row["memory_id"] for row in found])
    stored = [row for row in stored if not TRACKED.isdisjoint(row["labels"])]
    if not stored:
        return None
    row, name = stored[0], stored[0]["memory_id"]
    log, counted = access_log(settings, user), counted_to(graph, user)
    known_as = families(graph, user, [name])
    week, ever = log.counts(known_as[name], now - WEEK, now), log.counts(known_as[name])
    waiting = {name: log.retrieved(counted, known_as[name])}
    life = lives_after(graph, log, user, [row], waiting, counted, known_as)[name]
    today = day_of(now)
    fades = policy.archived_on(life)
    present: dict[str, Any] = {"state": policy.state_on(life, today).value, "salience": round(salience(life, now), 4)}
    present |= {"archived_on": fades.isoformat() if fades else None, "accesses": life.access_count}
    if mentions := {row["memory_id"]: row["mentions"] for row in found}[name]:
        asked = {"user_ids": readable_owners(graph, user), "id": name}
        asked |= {"since": to_iso(now - WEEK), "until": to_iso(now)}
        (lately,) = graph.read("lifecycle/count_mentions", user_id=user, **asked)
        ever, week = ever | {"mentioned": mentions}, week | ({"mentioned": n} if (n := lately["mentions"]) else {})
    return {**present, "last_seven_days": week, "uses": ever}
