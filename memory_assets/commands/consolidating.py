"""Consolidation and curation that an agent asks for: a run of its own, as a command's is; only the answer to a dry run
waits for its end, for some seconds. ``python -m memory_assets.commands.consolidating USER RUN AGENT`` drives it.

An operation is that run: its id is the run's, and what became of it is what the instance has recorded.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import threading
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, time
from typing import Any
from uuid import uuid4

import dagster as dg

from memory_assets.commands.runs import report_of, run_job
from memory_assets.consolidation.carrying_out import is_older, stored
from memory_assets.consolidation.planning import PLANNED
from memory_assets.errors import OwnerBusyError, UnknownReferenceError
from memory_assets.graph.graph import Graph
from memory_assets.runtime.instance import UNDER_WAY, add_owners, open_instance
from memory_assets.runtime.partitions import PARTITION_TAG
from memory_assets.settings import Settings, load_settings

JOB = "consolidate_and_curate"
MODULE = "memory_assets.commands.consolidating"
PLAN, ALL = "plan", "all"
"""What a run's scope says of consolidation: it only says what it would do, or it does it."""
WORKING, DONE, FAILED, CANCELED = "working", "done", "failed", "canceled"
_ENDED = {
    dg.DagsterRunStatus.SUCCESS: DONE,
    dg.DagsterRunStatus.FAILURE: FAILED,
    dg.DagsterRunStatus.CANCELED: CANCELED,
}

Row = dict[str, Any]


@dataclass(frozen=True)
class Wanted:
    """What a run is asked for: whether it only says what it would do, and whether it is of what is older than a day
    alone; curation has no such day, and only says what it would do, too.
    """

    is_dry: bool
    older_than: date | None = None

    @property
    def scope(self) -> Row:
        """The same as the scope of a run."""
        only_says = {"dry_run": True} if self.is_dry or self.older_than else {}
        until = {"until": self.older_than.isoformat()} if self.older_than else {}
        return {"consolidation": PLAN if self.is_dry else ALL, **only_says, **until}

    @classmethod
    def of(cls, run: dg.DagsterRun) -> Wanted:
        """The request that a run was begun with."""
        found: Any = run.run_config  # in the UI a person may leave any of it out
        for name in ("resources", "scope", "config"):
            found = found.get(name) or {}
        until = found.get("until")
        return cls(found.get("consolidation") == PLAN, date.fromisoformat(until[:10]) if until else None)

    def as_json(self) -> Row:
        """As every protocol answers."""
        return {"dry_run": self.is_dry} | ({"older_than": self.older_than.isoformat()} if self.older_than else {})


@dataclass(frozen=True)
class _Begun:
    """A run that a process of ours drives, which the instance may not know yet."""

    operation: str
    wanted: Wanted
    process: subprocess.Popen[bytes]


@dataclass
class Consolidations:
    """What callers have asked for. Safe for several threads of the one server."""

    graph: Graph
    settings: Settings
    _begun: dict[str, _Begun] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def ask(self, user: str, agent: str, *, dry_run: bool, older_than: date | None = None, seconds: float = 0.0) -> Row:
        """Start one for a user: ``operation``, ``state`` and ``dry_run``; while one is at work, that one. What becomes
        of it (:meth:`look`) where it is started by this and ends within so many ``seconds``: whoever asks while it is
        at work waits for nothing, and holds up nobody.

        Raises :class:`OwnerBusyError` where that one is a dry run and this is none, or the other way round, or where it
        is of another age.
        """
        wanted = Wanted(dry_run, older_than)
        with self._lock:
            at_work = self._at_work(user)
            if at_work is None:
                self._begun[user] = begun = self._begin(user, agent, wanted)
        if at_work is None:
            with suppress(subprocess.TimeoutExpired):
                begun.process.wait(seconds)
                return self.look(user, begun.operation)
        operation, there = at_work or (begun.operation, wanted)
        if there != wanted:
            kind = "dry run" if there.is_dry else "consolidation"
            raise OwnerBusyError(
                f"A {kind} of the memory of {user} is at work (GET /operations/{operation}): ask again when it has "
                "ended."
            )
        return {"operation": operation, "state": WORKING, **wanted.as_json()}

    def look(self, user: str, operation: str) -> Row:
        """How far one of a user's is: ``state``, and where it has ended well its figures and, of a dry run, its
        ``plan``; else ``problems``. Raises :class:`UnknownReferenceError`, for somebody else's too.
        """
        begun = self._begun.get(user)
        is_begun = begun is not None and begun.operation == operation
        lives = is_begun and begun is not None and begun.process.poll() is None
        with open_instance(self.settings) as instance:
            run = instance.get_run_by_id(operation)
            if run is None or run.job_name != JOB or run.tags.get(PARTITION_TAG) != user:
                if not is_begun or begun is None:
                    raise UnknownReferenceError(f"{user} has no operation {operation[:64]!r}.")
                problems = [] if lives else ["It ended before its run began: the server's log says why."]
                found = {"operation": operation, "state": WORKING if lives else FAILED, **begun.wanted.as_json()}
                return found | ({"problems": problems} if problems else {})
            wanted, state = Wanted.of(run), _ENDED.get(run.status, WORKING)
            found = {"operation": operation, "state": state, **wanted.as_json()}
            if state == WORKING:
                return found
            report = report_of(instance, run, user)
        if problems := report.failures_of(user):
            return found | {"state": FAILED if state == DONE else state, "problems": problems}
        if state != DONE:
            return found | {"problems": ["It did not come to its end: ask for it again."]}
        said = dict(report.metadata.get(user, {}))
        plans = stored(self.graph, user, PLANNED) if wanted.is_dry else []
        if wanted.older_than:
            before = datetime.combine(wanted.older_than, time(), UTC)
            plans = [row for row in plans if is_older(row, before)]
            said.pop("curated_memories", None)
        return found | figures(said, plans, is_dry=wanted.is_dry)

    def _at_work(self, user: str) -> tuple[str, Wanted] | None:
        begun = self._begun.get(user)
        with open_instance(self.settings) as instance:
            if begun is not None and begun.process.poll() is None:
                run = instance.get_run_by_id(begun.operation)
                if run is None or not run.is_finished:  # its process tidies up for a while after its end
                    return begun.operation, begun.wanted
            # One that a server before this one has begun.
            mine = dg.RunsFilter(job_name=JOB, tags={PARTITION_TAG: user}, statuses=list(UNDER_WAY))
            runs = instance.get_runs(mine, limit=1)
        return (runs[0].run_id, Wanted.of(runs[0])) if runs else None

    def _begin(self, user: str, agent: str, wanted: Wanted) -> _Begun:
        operation = str(uuid4())
        given = ["--dry-run"] if wanted.is_dry else []
        given += [f"--older-than={wanted.older_than}"] if wanted.older_than else []
        process = subprocess.Popen(
            [sys.executable, "-P", "-m", MODULE, *given, "--", user, operation, agent],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            start_new_session=True,  # it goes on where the server ends
            env=os.environ | {"MEMORY_ASSETS_HOME": str(self.settings.home)},
        )
        return _Begun(operation, wanted, process)


def figures(said: Mapping[str, Mapping[str, Any]], plans: Sequence[Row], *, is_dry: bool) -> Row:
    """What a run has done, or would do, by what its assets ``said`` and the ``plans`` that are there. Pure.

    ``deduped``: memories merged; ``compressed``: sources that become insights, and records made shorter; ``forgotten``:
    what leaves the default search. Of a dry run ``plan`` has a row for each plan.
    """
    curated, done = said.get("curated_memories", {}), said.get("consolidated_memories", {})
    sources, statements = done.get("sources_archived", 0), done.get("statements_archived", 0)
    if is_dry:
        sources = sum(len(row["source_ids"]) for row in plans)
        statements = sum(len(row["folded_ids"]) for row in plans)
    found: Row = {
        "deduped": curated.get("merged", 0),
        "compressed": sources + curated.get("condensed", 0),
        "forgotten": statements + curated.get("pruned", 0) + curated.get("archived", 0),
    }
    if is_dry:
        found["plan"] = [{"action": "consolidate", "ref": row["ref"], "reason": row["why"]} for row in plans]
    return found


def main() -> None:
    """Drive one run to its end."""
    parser = argparse.ArgumentParser(description="Consolidate and curate a user's memory (started by the server).")
    parser.add_argument("user")
    parser.add_argument("operation")
    parser.add_argument("agent")
    parser.add_argument("--dry-run", action="store_true")
    parser.add_argument("--older-than", type=date.fromisoformat)
    given = parser.parse_args()
    with open_instance(load_settings()) as instance:
        add_owners(instance, [given.user])
        scope = Wanted(given.dry_run, given.older_than).scope
        run_job(instance, JOB, [given.user], scope=scope, run_id=given.operation, by=given.agent)


if __name__ == "__main__":
    main()
