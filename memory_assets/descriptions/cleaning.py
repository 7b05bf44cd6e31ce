"""One user's notes whose time is over: found by an index of their days, retired by curation with an audit.

They go behind the consolidation: a note on which a description rests stays as long as one does, which may be for good,
and is not looked at meanwhile; all that is noted of whom waits for a description stays until that is made.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime

from memory_assets.clock import day_of, to_iso
from memory_assets.graph.due_keys import find_first
from memory_assets.graph.graph import Graph
from memory_assets.graph.knife import cuts
from memory_assets.graph.retirement import retirement_rows
from memory_assets.graph.statements import id_rows, in_parts

REASON = "its time is over"
PAGE = 500


@dataclass(frozen=True)
class Cleaned:
    """How many notes went, and when the next one expires."""

    retired: int
    next_at: datetime | None


def retire_expired(graph: Graph, user: str, now: datetime) -> Cleaned:
    """Retire what has expired by an instant. The owner's lock is held."""
    today, at = day_of(now), to_iso(now)
    found = graph.read("descriptions/list_expired", user_id=user, first=f"{user}|", last=_key(user, today), now=at)
    retired = 0
    held = [row["id"] for row in found if row["is_held"]]
    for page in in_parts([row for row in found if not row["is_held"]], PAGE):
        rows = retirement_rows(user, page, REASON, now)
        retired += sum(map(len, graph.write_together(cuts("retire_expired_notes", rows, user=user, now=now))))
    graph.write("descriptions/clear_expiry_keys", id_rows(held), user_id=user, now=at)
    return Cleaned(retired, _next_expiry(graph, user, now))


def _next_expiry(graph: Graph, user: str, now: datetime) -> datetime | None:
    """Of today some may still expire; of the days before, what is left waits for a description."""
    today = _key(user, day_of(now))
    (row,) = graph.read("descriptions/find_next_expiry", user_id=user, expiry_key=today, now=to_iso(now))
    later = None if row["expires_at"] else find_first(graph, "descriptions/find_expiring", user, today, f"{user}|~")
    if later:
        (row,) = graph.read("descriptions/find_next_expiry", user_id=user, expiry_key=later, now=to_iso(now))
    at: datetime | None = row["expires_at"]
    return at


def _key(user: str, day: date) -> str:
    return f"{user}|{day.isoformat()}"
