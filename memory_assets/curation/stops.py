"""Curation stopped for an owner because a rail was passed, until a person has looked; and how often it looks.

Both are a person's to set, and outlive a restart: a stop is a stage of the owner's, the mode one of the installation's.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from memory_assets.clock import to_iso
from memory_assets.curation.cadences import MODES, Mode
from memory_assets.errors import MemoryAssetsError
from memory_assets.graph.graph import Graph
from memory_assets.graph.owners import find_stage, stage_made

STOPPED = "curation_stopped"
SINCE_STOPPED = "stopped: "


JUDGED = "cuts_judged"
WHOLE_EVERY = timedelta(days=1)
OVERLAP = timedelta(hours=1)
"""What was cut so long before the last judgement is judged again: a cycle writes when it began, and commits later."""


@dataclass(frozen=True)
class Judged:
    """When an owner's cuts were last judged, all that have an audit and those since then; None where never."""

    whole_at: datetime | None = None
    at: datetime | None = None

    def since(self, now: datetime, keeps: timedelta) -> datetime:
        """From when on cuts are to be judged: what is new, and once a day, or with a clock set back, all of them."""
        if self.whole_at and self.at and self.whole_at <= self.at <= now < self.whole_at + WHOLE_EVERY:
            return self.at - OVERLAP
        return now - keeps


def judged(graph: Graph, user: str) -> Judged:
    """When an owner's cuts were last judged, and nothing found."""
    said = (find_stage(graph, user, JUDGED) or "").split()
    return Judged(*map(datetime.fromisoformat, said))


def set_judged(graph: Graph, user: str, before: Judged, now: datetime, *, is_whole: bool) -> None:
    """An owner's cuts are judged, and nothing was found."""
    whole_at = now if is_whole or before.whole_at is None else before.whole_at
    graph.write_together([stage_made(user, JUDGED, f"{to_iso(whole_at)} {to_iso(now)}", now)])


class CurationStoppedError(MemoryAssetsError):
    """Curation is stopped for an owner."""


def stop(graph: Graph, user: str, reason: str, now: datetime) -> None:
    """Let no cycle cut anything of an owner's until :func:`resume`."""
    graph.write_together([stage_made(user, STOPPED, f"{SINCE_STOPPED}{reason}", now)])


def resume(graph: Graph, user: str, now: datetime) -> bool:
    """Let cycles work for an owner again; whether they were stopped."""
    was = why_stopped(graph, user)
    if was is not None:
        graph.write_together([stage_made(user, STOPPED, now.isoformat(), now)])
    return was is not None


def why_stopped(graph: Graph, user: str) -> str | None:
    """Why curation is stopped for an owner; None where it is not."""
    said = find_stage(graph, user, STOPPED) or ""
    return said.removeprefix(SINCE_STOPPED) if said.startswith(SINCE_STOPPED) else None


def resumed_at(graph: Graph, user: str) -> datetime | None:
    """When a person last let curation go on for an owner: what was cut before that has been looked at."""
    said = find_stage(graph, user, STOPPED) or ""
    return datetime.fromisoformat(said) if said and not said.startswith(SINCE_STOPPED) else None


def check_not_stopped(graph: Graph, user: str) -> None:
    """Raise :class:`CurationStoppedError` where a check has stopped curation for an owner."""
    if reason := why_stopped(graph, user):
        raise CurationStoppedError(
            f"Curation is stopped for {user}: {reason}. Look at `memory-assets audits --user {user}`, bring back what "
            f"should be there with `memory-assets restore`, then `memory-assets curation resume --user {user}`."
        )


def chosen_mode(graph: Graph) -> Mode | None:
    """The mode that a person has chosen; None: it follows from agents' activity."""
    rows = graph.read("curation/find_mode")
    return MODES.get(rows[0]["mode"]) if rows else None


def choose(graph: Graph, name: str, now: datetime) -> None:
    """Set the mode by hand; ``AUTO``: by agents' activity."""
    graph.write("curation/set_mode", [{"id": "config:curation", "mode": name}], now=to_iso(now))
