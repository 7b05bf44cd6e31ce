"""The instance's storage, opened and changed by several processes at once."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import dagster as dg
import psutil
import pytest
from dagster._core.storage.event_log.schema import SqlEventLogStorageMetadata
from sqlalchemy import create_engine

from memory_assets.automation.history import remove_run
from memory_assets.runtime.instance import add_owners, keep_in_step, known_owners, open_instance, remove_owners
from memory_assets.runtime.partitions import EVERYBODY, PARTITION_TAG
from memory_assets.runtime.storage import MOST_OPEN, SqliteStorage, has_tables
from memory_assets.settings import Settings

PROGRAM = """
import sys
from memory_assets.runtime.instance import add_owners, open_instance
from memory_assets.settings import load_settings
with open_instance(load_settings()) as instance:
    print("ready", flush=True)
    sys.stdin.readline()
    for number in range(20):
        add_owners(instance, [f"user-{number}", "team-shared"])
"""


def test_several_processes_add_the_same_owners_to_a_new_instance(tmp_path: Path) -> None:
    home = tmp_path / "home"
    environment = os.environ | {"MEMORY_ASSETS_HOME": str(home)}
    processes = [
        subprocess.Popen(
            [sys.executable, "-c", PROGRAM],
            env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        )
        for _ in range(3)
    ]  # fmt: skip
    assert [process.stdout.readline() for process in processes] == ["ready\n"] * 3
    results = [process.communicate("go\n", timeout=300) for process in processes]
    assert [process.returncode for process in processes] == [0, 0, 0], results
    with open_instance(Settings(home=home)) as instance:
        assert known_owners(instance) == ["team-shared", *sorted(f"user-{number}" for number in range(20))]


@pytest.mark.parametrize("made", [["event_logs"], []])
def test_what_was_killed_while_it_made_the_tables_is_made_by_the_next(tmp_path: Path, made: list[str]) -> None:
    with open_instance(Settings(home=tmp_path / "whole")) as instance:
        index = Path(instance.event_log_storage.path_for_shard("index")).relative_to(tmp_path / "whole")
    half = tmp_path / "half" / index
    half.parent.mkdir(parents=True)
    engine = create_engine(f"sqlite:///{half}")
    with engine.begin() as connection:
        connection.exec_driver_sql("PRAGMA user_version = 0")
        SqlEventLogStorageMetadata.create_all(connection, [SqlEventLogStorageMetadata.tables[name] for name in made])
    engine.dispose()
    half.touch()
    for _ in range(2):
        with open_instance(Settings(home=tmp_path / "half")) as instance:
            assert known_owners(instance) == []


def sets(instance: dg.DagsterInstance) -> tuple[list[str], list[str]]:
    """Both sets of partitions, sorted."""
    return tuple(sorted(instance.get_dynamic_partitions(name)) for name in ("owners", "users"))


def test_an_owner_is_in_every_set_that_is_theirs(tmp_path: Path) -> None:
    with open_instance(Settings(home=tmp_path / "home")) as instance:
        assert sets(instance) == ([EVERYBODY], [EVERYBODY])
        add_owners(instance, ["nora", "team-garden"])
        assert sets(instance) == ([EVERYBODY, "nora", "team-garden"], [EVERYBODY, "nora"])
        remove_owners(instance, ["nora", "team-garden"])
        assert sets(instance) == ([EVERYBODY], [EVERYBODY])


def test_both_sets_hold_whoever_is_known_and_nobody_else(tmp_path: Path) -> None:
    with open_instance(Settings(home=tmp_path / "home")) as instance:
        add_owners(instance, ["nora", "olaf", "team-garden"])
        for name in ("nora", "olaf"):
            instance.delete_dynamic_partition("users", name)
        instance.add_dynamic_partitions("users", ["norra"])
        keep_in_step(instance, ["olaf", "team-garden"])
        assert sets(instance) == ([EVERYBODY, "olaf", "team-garden"], [EVERYBODY, "olaf"])


def test_a_partition_for_which_a_run_waits_or_works_stays(tmp_path: Path) -> None:
    with open_instance(Settings(home=tmp_path / "home")) as instance:
        under_way = {"nora": dg.DagsterRunStatus.STARTING, "olaf": dg.DagsterRunStatus.STARTED}
        ended = {"norra": dg.DagsterRunStatus.SUCCESS}
        add_owners(instance, [*under_way, *ended, "ola"])
        for name, status in (under_way | ended).items():
            run = dg.DagsterRun(job_name="build_memory", status=status, tags={PARTITION_TAG: name})
            instance.add_run(run)
        keep_in_step(instance, [])
        assert sets(instance) == ([EVERYBODY, *under_way], [EVERYBODY, *under_way])


def open_in(folder: Path, name: str = "") -> set[str]:
    """The names of the files in a folder that this process has open."""
    paths = (Path(file.path) for file in psutil.Process().open_files())
    return {path.name for path in paths if path.is_relative_to(folder) and name in path.name}


def test_more_runs_than_files_stay_open_lose_no_event_and_a_removed_one_takes_its_file(tmp_path: Path) -> None:
    with open_instance(Settings(home=tmp_path / "home")) as instance:
        runs = [dg.DagsterRun(job_name="build_memory") for _ in range(MOST_OPEN + 3)]
        for run in runs:
            instance.add_run(run)
        for run in (*runs, *runs):
            instance.report_engine_event("at work", run)
        assert len({f"{run.run_id}.db" for run in runs} & open_in(tmp_path)) == MOST_OPEN
        with open_instance(Settings(home=tmp_path / "home")) as another:
            assert all(len(another.all_logs(run.run_id)) == 2 for run in runs)
        remove_run(instance, runs[-1].run_id)
        assert not open_in(tmp_path, runs[-1].run_id)
        assert instance.get_runs_count() == len(runs) - 1
    assert not [file for file in psutil.Process().open_files() if str(tmp_path) in file.path], (
        "closed with the instance"
    )
    assert not [*tmp_path.rglob("*.db-wal")]


@pytest.mark.parametrize("name", ["history/runs.db", "history/runs/abc.db", "schedules/schedules.db"])
def test_a_file_whose_maker_was_killed_gets_its_tables(tmp_path: Path, name: str) -> None:
    left = tmp_path / name
    left.parent.mkdir(parents=True)
    left.touch()
    storage = SqliteStorage(str(tmp_path))
    with storage.event_log_storage.run_connection("abc") as connection:
        assert connection.exec_driver_sql("SELECT COUNT(*) FROM event_logs").scalar() == 0
    assert storage.run_storage.get_runs() == [] and list(storage.schedule_storage.all_instigator_state()) == []
    assert not list(tmp_path.rglob("*.new")) and has_tables(left)
