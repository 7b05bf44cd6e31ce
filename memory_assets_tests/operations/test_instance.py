"""The instance's storage, opened and changed by several processes at once."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from dagster._core.storage.event_log.schema import SqlEventLogStorageMetadata
from sqlalchemy import create_engine

from memory_assets.operations.instance import known_owners, open_instance
from memory_assets.settings import Settings

PROGRAM = """
import sys
from memory_assets.operations.instance import add_owners, open_instance
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
