"""Trying again whatever was set aside or failed, because somebody asks for it: files, processing, extraction.

What has failed is made due in the graph first, then a run does what is due: a kill on the way loses nothing.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import dagster as dg

from memory_assets.clock import to_iso
from memory_assets.commands.runs import RunReport, job_for, run_job
from memory_assets.graph.graph import Graph
from memory_assets.model import is_team
from memory_assets.runtime.chain import read_chain, record_mark
from memory_assets.runtime.instance import add_owners
from memory_assets.runtime.marks import begun
from memory_assets.settings import Settings
from memory_assets.sources.source_list import Line, failures

Run = Callable[..., RunReport]


@dataclass
class Retried:
    """What became of what was tried again: lines as ``source_list`` has them, and the runs that did it."""

    passed: list[Line] = field(default_factory=list)
    failed: list[Line] = field(default_factory=list)
    gone: list[Line] = field(default_factory=list)
    """Files that are no longer where they were: nothing more is said of them."""
    runs: list[str] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    """What stood in the way of a run as a whole."""


def retry_failures(
    instance: dg.DagsterInstance,
    graph: Graph,
    settings: Settings,
    owners: Sequence[str],
    user: str | None,
    run: Run = run_job,
) -> Retried:
    """Try again now whatever of ``owners`` is set aside or has failed, as ``user`` sees it or each of them does."""
    before = failures(graph, owners, user)
    report = Retried()
    if not before:
        return report
    add_owners(instance, sorted({line["owner"] for line in before} | set(owners)))
    files = [line for line in before if line["title"] is None]
    report.gone = _read_again(instance, graph, files, report, run)
    failed = [line for line in before if line not in files]
    working = _make_due(graph, settings, owners, failed) if failed else []
    working = sorted({*working, *(line["owner"] for line in files if line not in report.gone)})
    if working:
        _note(report, run(instance, job_for(working), working), working)
    after = {line["id"]: line for line in failures(graph, owners, user)}
    gone = {line["id"] for line in report.gone}
    report.failed = [after[line["id"]] for line in before if line["id"] in after]
    report.passed = [line for line in before if line["id"] not in after and line["id"] not in gone]
    return report


def path_to_read(path: str) -> Path | None:
    """Where a file that was set aside lies now: itself, or the archive in which it was; None when neither is there."""
    found = Path(path)
    if os.path.lexists(found):
        return found
    above = next((parent for parent in found.parents if os.path.lexists(parent)), None)
    return above if above is not None and above.is_file() else None


def _read_again(
    instance: dg.DagsterInstance, graph: Graph, files: Sequence[Line], report: Retried, run: Run
) -> list[Line]:
    """Read the files that are still there, a run for each owner and kind; return those that are not."""
    gone: list[Line] = []
    groups: dict[tuple[str, str | None], set[str]] = {}
    for line in files:
        if (found := path_to_read(line["path"])) is None:
            gone.append(line)
        else:
            groups.setdefault((line["owner"], line["kind"]), set()).add(str(found))
    for owner in sorted({line["owner"] for line in gone}):
        rows = [{"id": line["id"]} for line in gone if line["owner"] == owner]
        graph.write("sources/set_files_gone", rows, user_id=owner)
    for (owner, kind), paths in sorted(groups.items(), key=str):
        config = {"paths": sorted(paths), "kind": kind, "force": True}
        _note(report, run(instance, "ingest_sources", [owner], config=config), [owner])
    return gone


def _make_due(graph: Graph, settings: Settings, owners: Sequence[str], failed: Sequence[Line]) -> list[str]:
    """Make the failures due in the graph and by the marks; for whom there is something to do then."""
    now = to_iso(settings.clock.now())
    working: set[str] = set()
    chain = read_chain(graph, {}, {}, owners, settings.clock.now())
    for owner in owners:
        steps = []
        if graph.write("sources/set_failures_due", user_id=owner, now=now):
            steps.append("processed_sources")
        if not is_team(owner) and graph.write("entities/set_failures_due", user_id=owner, now=now):
            steps.append("extracted_entities")
        if not is_team(owner) and graph.write("notes/set_failures_due", user_id=owner):
            steps.append("notes")
        for step in steps:
            if (mark := chain.mark(owner, step)) is not None:
                record_mark(graph, settings, owner, step, begun(mark))
        if steps:
            working.add(owner)
    teams = {owner for owner in working if is_team(owner)}
    working |= {user for user, of_user in chain.teams.items() if teams.intersection(of_user)}
    return sorted(working)


def _note(report: Retried, run: RunReport, owners: Sequence[str]) -> None:
    report.runs.append(run.run_id)
    report.problems += dict.fromkeys(problem for owner in owners for problem in run.failures_of(owner))


def as_document(report: Retried) -> Mapping[str, Any]:
    """The report as the command's JSON document."""
    return {
        "passed": [_public(line) for line in report.passed],
        "failed": [_public(line) for line in report.failed],
        "gone": [_public(line) for line in report.gone],
        "runs": report.runs,
        "problems": report.problems,
    }


def _public(line: Line) -> Line:
    return {name: value for name, value in line.items() if name != "owner"}
