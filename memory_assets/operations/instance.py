"""The installation's Dagster instance: its storage lives in HOME/dagster, its configuration is the root's dagster.yaml."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import dagster as dg
import psutil
from filelock import BaseFileLock, FileLock

from memory_assets.model import can_own, is_team
from memory_assets.operations.partitions import owners
from memory_assets.settings import PACKAGE, Settings, ensure_home

PROCESS_TAG = "memory_assets/process"


def instance_configuration() -> Path:
    """The ``dagster.yaml`` that this installation follows: the project's, or the wheel's own copy."""
    project = PACKAGE.parent / "dagster.yaml"
    return project if project.is_file() else PACKAGE / "_instance" / "dagster.yaml"


def prepare_instance(settings: Settings) -> Path:
    """Make HOME (owner-only) and HOME/dagster with today's ``dagster.yaml``; return the latter, for ``DAGSTER_HOME``.

    Dagster reads its configuration only from ``DAGSTER_HOME``, where it also keeps its state. Putting
    the file there at each start keeps one configuration for all homes and the state of each apart.
    """
    ensure_home(settings)
    settings.dagster_home.mkdir(exist_ok=True, mode=0o700)
    target = settings.dagster_home / "dagster.yaml"
    wanted = instance_configuration().read_bytes()
    if not target.is_file() or target.read_bytes() != wanted:
        scratch = target.with_suffix(f".{os.getpid()}")
        scratch.write_bytes(wanted)
        scratch.replace(target)
    return settings.dagster_home


@contextmanager
def open_instance(settings: Settings) -> Iterator[dg.DagsterInstance]:
    """The instance, with the runs of killed processes closed as failed."""
    home = prepare_instance(settings)
    os.environ["DAGSTER_HOME"] = str(home)
    with _alone(home):  # the first to open an instance makes its tables
        opened = dg.DagsterInstance.from_config(str(home))
    with opened as instance:
        _close_abandoned_runs(instance)
        yield instance


def add_owners(instance: dg.DagsterInstance, names: list[str]) -> None:
    """Make sure that each owner has a partition. Dagster looks before it adds, and two at once would both add."""
    with _alone(Path(instance.root_directory)):
        known = set(instance.get_dynamic_partitions(owners.name))
        missing = sorted(set(names) - known)
        if missing:
            instance.add_dynamic_partitions(owners.name, missing)


def _alone(home: Path) -> BaseFileLock:
    """One process at a time, for what Dagster's storage does not do in one transaction."""
    return FileLock(home / "instance.lock")


def known_owners(instance: dg.DagsterInstance) -> list[str]:
    """Every owner with a partition, teams first: members build on what their teams have processed."""
    names = filter(can_own, instance.get_dynamic_partitions(owners.name))
    return sorted(names, key=lambda name: (not is_team(name), name))


def process_tag() -> dict[str, str]:
    """The tag by which a run tells which process drives it."""
    me = psutil.Process()
    return {PROCESS_TAG: f"{me.pid}@{me.create_time():.2f}"}


def _close_abandoned_runs(instance: dg.DagsterInstance) -> None:
    """A run driven by a command ends with its process; one whose process was killed would look alive forever."""
    unfinished = [dg.DagsterRunStatus.STARTED, dg.DagsterRunStatus.STARTING, dg.DagsterRunStatus.NOT_STARTED]
    for run in instance.get_runs(dg.RunsFilter(statuses=unfinished)):
        tag = run.tags.get(PROCESS_TAG)
        if tag and not _is_alive(tag):
            instance.report_run_failed(run, "The process that drove this run was ended. Run it again: it goes on from there.")


def _is_alive(tag: str) -> bool:
    pid, _, started = tag.partition("@")
    try:
        # The clock may have been set since: a few seconds are no other process.
        return abs(psutil.Process(int(pid)).create_time() - float(started)) < 5
    except (psutil.NoSuchProcess, ValueError):
        return False
