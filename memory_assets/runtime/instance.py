"""The installation's Dagster instance: its storage is in HOME/dagster, its configuration is the root's dagster.yaml.

A run whose process was killed would look alive for ever, and everything that waits for its end would wait: opening
the instance closes it, and so do the sensors and schedules. Every run, launched or a command's own, logs the number
of its process before its first step.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from importlib.util import find_spec
from pathlib import Path

import dagster as dg
import psutil
from filelock import BaseFileLock, FileLock
from sqlalchemy.exc import SQLAlchemyError

from memory_assets.clock import Clock, in_utc
from memory_assets.errors import SettingsError
from memory_assets.model import can_own, is_team
from memory_assets.runtime.partitions import EVERYBODY, OWNERS, PARTITION_TAG, USERS
from memory_assets.runtime.storage import has_tables
from memory_assets.settings import PACKAGE, Settings, ensure_home

POSTGRES_VARIABLE = "MEMORY_ASSETS_POSTGRES_URL"
# Dagster's own, with its files open between two events.
SQLITE_STORAGE = """
storage:
  custom:
    module: memory_assets.runtime.storage
    class: SqliteStorage
    config:
      base_dir:
        env: DAGSTER_HOME
"""
# The address carries a password: the file names the variable alone.
POSTGRES_STORAGE = f"""
storage:
  postgres:
    postgres_url:
      env: {POSTGRES_VARIABLE}
"""


def prepare_instance(settings: Settings) -> Path:
    """Make HOME (owner-only) and HOME/dagster with today's ``dagster.yaml``; return the latter, for ``DAGSTER_HOME``.

    With ``MEMORY_ASSETS_POSTGRES_URL`` set, the file names Postgres as storage; :class:`SettingsError` without its
    package.
    """
    ensure_home(settings)
    settings.dagster_home.mkdir(exist_ok=True, mode=0o700)
    target = settings.dagster_home / "dagster.yaml"
    project, own = PACKAGE.parent / "dagster.yaml", PACKAGE / "_instance" / "dagster.yaml"  # of a wheel
    wanted = (project if project.is_file() else own).read_text(encoding="utf-8")
    wanted += SQLITE_STORAGE if settings.postgres_url is None else POSTGRES_STORAGE
    if settings.postgres_url is not None and find_spec("dagster_postgres") is None:
        raise SettingsError(
            f"{POSTGRES_VARIABLE} is set, but dagster-postgres is not installed: "
            'pip install "memory-assets[service]", or unset the variable.'
        )
    if not target.is_file() or target.read_text(encoding="utf-8") != wanted:
        scratch = target.with_suffix(f".{os.getpid()}")
        scratch.write_text(wanted, encoding="utf-8")
        scratch.replace(target)
    return settings.dagster_home


def instance_environment(settings: Settings) -> dict[str, str]:
    """What a process of Dagster's own needs in its environment to find the prepared instance, secret included.

    Dagster reads its environment alone, and our settings may be in ``.env``.
    """
    environment = {"DAGSTER_HOME": str(settings.dagster_home), "MEMORY_ASSETS_HOME": str(settings.home)}
    if settings.postgres_url is not None:
        environment[POSTGRES_VARIABLE] = settings.postgres_url.get_secret_value()
    return environment


@contextmanager
def open_instance(settings: Settings) -> Iterator[dg.DagsterInstance]:
    """The instance, with the runs of killed processes closed as failed.

    Raises :class:`SettingsError` when its Postgres cannot be used.
    """
    home = prepare_instance(settings)
    os.environ.update(instance_environment(settings))
    with _alone(home):  # the first to open an instance makes its tables
        event_log = home / "history" / "runs" / "index.db"
        if event_log.is_file() and not has_tables(event_log):
            event_log.unlink()  # its maker was killed before any event, and Dagster makes it whole
        try:
            opened = dg.DagsterInstance.from_config(str(home))
        except Exception as error:
            ours = isinstance(error, SQLAlchemyError) or type(error).__module__.startswith("dagster_postgres")
            if settings.postgres_url is None or not ours:
                raise
            # What the driver says may hold the address, password included.
            raise SettingsError(
                f"The Postgres that {POSTGRES_VARIABLE} names cannot be used ({type(error).__name__}): see that it "
                "runs, that the database exists, and that name and password are right."
            ) from None
    with opened as instance:
        add_owners(instance, [])
        close_abandoned_runs(instance)
        yield instance


def add_owners(instance: dg.DagsterInstance, names: Iterable[str]) -> None:
    """Make sure that each owner has a partition in every set that is theirs, and everybody together.

    Dagster looks before it adds, and two at once would both add.
    """
    with _alone(Path(instance.root_directory)):
        for partitions, missing in _missing(instance, {EVERYBODY, *names}):
            instance.add_dynamic_partitions(partitions, missing)


def have_partitions(instance: dg.DagsterInstance, names: Iterable[str]) -> bool:
    """Whether each of these owners has a partition in every set that is theirs."""
    return not any(_missing(instance, set(names)))


def _missing(instance: dg.DagsterInstance, names: set[str]) -> Iterator[tuple[str, list[str]]]:
    people = {name for name in names if not is_team(name)}
    for partitions, wanted in ((OWNERS, names), (USERS, people)):
        if missing := sorted(wanted - set(instance.get_dynamic_partitions(partitions))):
            yield partitions, missing


def remove_owners(instance: dg.DagsterInstance, names: Iterable[str]) -> None:
    """Take owners out of both sets; what was recorded of them stays, and adding them brings them back."""
    with _alone(Path(instance.root_directory)):
        for name in set(names) - {EVERYBODY}:
            for partitions in (OWNERS, USERS):
                if name in instance.get_dynamic_partitions(partitions):
                    instance.delete_dynamic_partition(partitions, name)


def keep_in_step(instance: dg.DagsterInstance, known: Iterable[str]) -> None:
    """Make both sets hold all who are ``known``, and nobody else: names can be added and taken out by hand.

    A run that waits or is at work for a name may make it known: its partition stays, without which the run would fail.
    """
    wanted = set(known)
    add_owners(instance, wanted)
    there = {name for partitions in (OWNERS, USERS) for name in instance.get_dynamic_partitions(partitions)}
    if strangers := there - wanted - {EVERYBODY}:
        runs = instance.get_runs(dg.RunsFilter(statuses=[dg.DagsterRunStatus.QUEUED, *UNDER_WAY]))
        remove_owners(instance, strangers - {run.tags.get(PARTITION_TAG) for run in runs})


def _alone(home: Path) -> BaseFileLock:
    """One process at a time, for what Dagster's storage does not do in one transaction."""
    return FileLock(home / "instance.lock")


def known_owners(instance: dg.DagsterInstance) -> list[str]:
    """Every owner with a partition, teams first: members build on what their teams have processed."""
    names = filter(can_own, instance.get_dynamic_partitions(OWNERS))
    return sorted(names, key=lambda name: (not is_team(name), name))


PID_TAG = "memory_assets/pid"
"""A run and the process that a command drives it in: known from its first moment, before any event says it."""
SILENT = timedelta(minutes=10)
"""A run that has not named its process for as long never will."""
ENDED = "The process that drove this run was ended. Run it again: it goes on from there."
NEVER_BEGUN = "This run was created, and whatever created it was ended before it could start. Run it again."
UNDER_WAY = (
    dg.DagsterRunStatus.NOT_STARTED,
    dg.DagsterRunStatus.STARTING,
    dg.DagsterRunStatus.STARTED,
    dg.DagsterRunStatus.CANCELING,
)


def close_abandoned_runs(instance: dg.DagsterInstance) -> list[str]:
    """Close the runs whose process is gone, as failed, or as canceled if that was asked of them; their ids.

    Costs one query when no run is at work. A run of another machine on the same storage would be taken for dead:
    an installation is one machine's.
    """
    closed = []
    for record in instance.get_run_records(dg.RunsFilter(statuses=list(UNDER_WAY))):
        run_id = record.dagster_run.run_id
        why = _why_abandoned(instance, record)
        run = instance.get_run_by_id(run_id) if why else None
        if why and run and not run.is_finished:  # several processes look at once, and it may have ended since
            is_canceling = run.status == dg.DagsterRunStatus.CANCELING
            (instance.report_run_canceled if is_canceling else instance.report_run_failed)(run, why)
            closed.append(run_id)
    return closed


def _why_abandoned(instance: dg.DagsterInstance, record: dg.RunRecord) -> str | None:
    """The sentence for the run's log; None for a run that lives, or may."""
    run_id, _, driver = record.dagster_run.tags.get(PID_TAG, "").partition(":")
    if run_id == record.dagster_run.run_id:  # a run that repeats another one has that one's tags
        return None if _lives(int(driver), in_utc(record.create_timestamp).timestamp()) else ENDED
    events = instance.get_records_for_run(
        record.dagster_run.run_id, of_type=dg.DagsterEventType.ENGINE_EVENT, limit=100
    ).records
    for entry in (event.event_log_entry for event in events):
        pid = entry.dagster_event.engine_event_data.metadata.get("pid") if entry.dagster_event else None
        if pid is not None:
            return None if _lives(int(str(pid.value)), entry.timestamp) else ENDED
    # Since the last word of it, not since its creation: a run may have waited in the queue for hours.
    newest = instance.get_records_for_run(record.dagster_run.run_id, limit=1, ascending=False).records
    since = max([in_utc(record.create_timestamp).timestamp(), *(event.event_log_entry.timestamp for event in newest)])
    return NEVER_BEGUN if Clock().now().timestamp() - since > SILENT.total_seconds() else None


def _lives(pid: int, at: float) -> bool:
    """Whether the process that had this number at an instant still has it."""
    try:
        process = psutil.Process(pid)
        # The clock may have been set since: a few seconds are no other process.
        return process.create_time() < at + 5 and process.status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False
