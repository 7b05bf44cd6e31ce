"""Consolidation and curation that an agent asks for: a run of its own, as a command's is, of which the answer does not
wait for the end. ``python -m memory_assets.commands.consolidating USER RUN AGENT`` drives it.

An operation is that run: its id is the run's, and what became of it is what the instance has recorded.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from uuid import uuid4

import dagster as dg

from memory_assets.commands.runs import report_of, run_job
from memory_assets.consolidation.carrying_out import stored
from memory_assets.consolidation.planning import PLANNED
from memory_assets.errors import OwnerBusyError, UnknownReferenceError
from memory_assets.graph.graph import Graph
from memory_assets.runtime.instance import UNDER_WAY, add_owners, open_instance
from memory_assets.runtime.partitions import PARTITION_TAG
from memory_assets.settings import Settings, load_settings

JOB = "consolidate_and_curate"
MODULE = "memory_assets.commands.consolidating"
PLAN = {"consolidation": "plan", "dry_run": True}
ALL = {"consolidation": "all"}
"""The scopes of a run that only says what it would do, and of one that does it."""
WORKING, DONE, FAILED, CANCELED = "working", "done", "failed", "canceled"
_ENDED = {
    dg.DagsterRunStatus.SUCCESS: DONE,
    dg.DagsterRunStatus.FAILURE: FAILED,
    dg.DagsterRunStatus.CANCELED: CANCELED,
}

Row = dict[str, Any]


@dataclass(frozen=True)
class _Begun:
    """A run that a process of ours drives, which the instance may not know yet."""

    operation: str
    is_dry: bool
    process: subprocess.Popen[bytes]


@dataclass
class Consolidations:
    """What callers have asked for. Safe for several threads of the one server."""

    graph: Graph
    settings: Settings
    _begun: dict[str, _Begun] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def ask(self, user: str, agent: str, *, dry_run: bool) -> Row:
        """Start one for a user: ``operation``, ``state`` and ``dry_run``; while one is at work, that one.

        Raises :class:`OwnerBusyError` where that one is a dry run and this is none, or the other way round.
        """
        with self._lock:
            at_work = self._at_work(user)
            if at_work is None:
                self._begun[user] = begun = self._begin(user, agent, dry_run)
                at_work = begun.operation, dry_run
        operation, is_dry = at_work
        if is_dry != dry_run:
            kind = "dry run" if is_dry else "consolidation"
            raise OwnerBusyError(
                f"A {kind} of the memory of {user} is at work (GET /operations/{operation}): ask again when it has "
                "ended."
            )
        return {"operation": operation, "state": WORKING, "dry_run": is_dry}

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
                found = {"operation": operation, "state": WORKING if lives else FAILED, "dry_run": begun.is_dry}
                return found | ({"problems": problems} if problems else {})
            is_dry, state = _is_dry(run), _ENDED.get(run.status, WORKING)
            found = {"operation": operation, "state": state, "dry_run": is_dry}
            if state == WORKING:
                return found
            report = report_of(instance, run, user)
        if problems := report.failures_of(user):
            return found | {"state": FAILED if state == DONE else state, "problems": problems}
        if state != DONE:
            return found | {"problems": ["It did not come to its end: ask for it again."]}
        plans = stored(self.graph, user, PLANNED) if is_dry else []
        return found | figures(report.metadata.get(user, {}), plans, is_dry=is_dry)

    def _at_work(self, user: str) -> tuple[str, bool] | None:
        begun = self._begun.get(user)
        with open_instance(self.settings) as instance:
            if begun is not None and begun.process.poll() is None:
                run = instance.get_run_by_id(begun.operation)
                if run is None or not run.is_finished:  # its process tidies up for a while after its end
                    return begun.operation, begun.is_dry
            # One that a server before this one has begun.
            mine = dg.RunsFilter(job_name=JOB, tags={PARTITION_TAG: user}, statuses=list(UNDER_WAY))
            runs = instance.get_runs(mine, limit=1)
        return (runs[0].run_id, _is_dry(runs[0])) if runs else None

    def _begin(self, user: str, agent: str, is_dry: bool) -> _Begun:
        operation = str(uuid4())
        process = subprocess.Popen(
            [sys.executable, "-P", "-m", MODULE, *(["--dry-run"] if is_dry else []), "--", user, operation, agent],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            start_new_session=True,  # it goes on where the server ends
            env=os.environ | {"MEMORY_ASSETS_HOME": str(self.settings.home)},
        )
        return _Begun(operation, is_dry, process)


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


def _is_dry(run: dg.DagsterRun) -> bool:
    found: Any = run.run_config  # in the UI a person may leave any of it out
    for name in ("resources", "scope", "config"):
        found = found.get(name) or {}
    return bool(found.get("dry_run"))


def main() -> None:
    """Drive one run to its end."""
    parser = argparse.ArgumentParser(description="Consolidate and curate a user's memory (started by the server).")
    parser.add_argument("user")
    parser.add_argument("operation")
    parser.add_argument("agent")
    parser.add_argument("--dry-run", action="store_true")
    given = parser.parse_args()
    with open_instance(load_settings()) as instance:
        add_owners(instance, [given.user])
        scope = PLAN if given.dry_run else ALL
        run_job(instance, JOB, [given.user], scope=scope, run_id=given.operation, by=given.agent)


if __name__ == "__main__":
    main()
