"""Dagster's own SQLite storage, with its files open between two events: ``dagster.yaml`` in HOME/dagster names it.

Dagster opens and closes a file for each event, and compiles each statement anew. In SQLite's WAL mode, the last close
of a file copies its log into it and waits for the disk. And it makes each file, one for each run among them, table by
table and looks through all its migrations for the newest. Here a file comes with its tables at once, as a copy of an
empty one that Dagster has made. What is written, and where, is the same.
"""

from __future__ import annotations

import os
import sqlite3
from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from functools import cache, cached_property
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from filelock import FileLock
from sqlalchemy import Connection, Engine, create_engine, event

from memory_assets.runtime.dagster_internals import (
    ConfigurableClassData,
    DagsterSqliteStorage,
    SqliteEventLogStorage,
    SqliteRunStorage,
    SqliteScheduleStorage,
    create_db_conn_string,
)

RUNS, EVENTS, SCHEDULES = "runs.db", "index.db", "schedules.db"
"""Dagster's names; a run's own events have a file with the tables of the one that is asked across runs."""
MOST_OPEN = 8
"""Files that stay open: each run has its own, and few are at work at once."""
BUSY_SECONDS = 30
"""How long a writer waits for another process's, as in Dagster."""


def _open_engine(address: str) -> Engine:
    engine = create_engine(address, connect_args={"timeout": BUSY_SECONDS})
    event.listen(engine, "connect", _trust_the_log)
    return engine


def _trust_the_log(connection: Any, _: Any) -> None:
    """Wait for the disk where the log is copied, not at each event: a power cut may take the last ones, no file."""
    connection.execute("PRAGMA synchronous = NORMAL")


@cache
def _empty(make: Callable[[str], object], name: str) -> bytes:
    """The bytes of a file without events that Dagster makes in a folder."""
    with TemporaryDirectory() as folder:
        make(folder)
        return Path(folder, name).read_bytes()


def has_tables(path: Path) -> bool:
    """Whether a file has a version: one without was left by a maker who was killed, before any event."""
    with closing(sqlite3.connect(path)) as database:
        found = database.execute("SELECT 1 FROM sqlite_master WHERE name = 'alembic_version'").fetchone()
    return found is not None


def _ensure(path: Path, make: Callable[[str], object], name: str) -> bool:
    """Put an empty file at ``path`` where there is none: whole or not at all, by one process alone. False where there
    is one that has no tables: Dagster gives it them.
    """
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        with FileLock(str(path.parent / ".making")):
            if not path.exists():
                for rest in ("-wal", "-shm"):  # of a file that somebody has removed
                    path.with_name(path.name + rest).unlink(missing_ok=True)
                copy = path.with_name(f".{path.name}.new")
                with copy.open("wb") as file:
                    file.write(_empty(make, name))
                    file.flush()
                    os.fsync(file.fileno())
                copy.replace(path)
    return has_tables(path)


def _address(path: Path, make: Callable[[str], object]) -> str:
    """Where SQLAlchemy finds a file, which has its tables by then."""
    folder = str(path.parent)
    if not _ensure(path, make, path.name):
        make(folder)
    return create_db_conn_string(folder, path.stem)


class _EventLog(SqliteEventLogStorage):
    """A file for each run, and one for what is asked across runs: the least recently used is closed."""

    def __init__(self, base_dir: str) -> None:
        self._engines: OrderedDict[str, Engine] = OrderedDict()
        self._tables: set[str] = set()
        _ensure(Path(base_dir, EVENTS), SqliteEventLogStorage, EVENTS)
        super().__init__(base_dir)

    def has_table(self, table_name: str) -> bool:
        """Dagster opens the file anew to ask, at each look at a partition; a table that is there stays."""
        if table_name not in self._tables and super().has_table(table_name):
            self._tables.add(table_name)
        return table_name in self._tables

    @contextmanager
    def _connect(self, shard: str) -> Iterator[Connection]:
        if shard not in self._initialized_dbs:
            self.conn_string_for_shard(shard)  # refuses what names no file
            if not _ensure(Path(self.path_for_shard(shard)), SqliteEventLogStorage, EVENTS):
                with super()._connect(shard):
                    pass
            self._initialized_dbs.add(shard)
        with self._db_lock, self._engine(shard).begin() as connection:
            yield connection

    def _engine(self, shard: str) -> Engine:
        if shard not in self._engines:
            self._engines[shard] = _open_engine(self.conn_string_for_shard(shard))
        self._engines.move_to_end(shard)
        while len(self._engines) > MOST_OPEN:
            self._engines.popitem(last=False)[1].dispose()
        return self._engines[shard]

    def delete_events_for_run(self, conn: Connection, run_id: str) -> None:
        if run_id in self._engines:  # its file goes next
            self._engines.pop(run_id).dispose()
        super().delete_events_for_run(conn, run_id)

    def dispose(self) -> None:
        super().dispose()
        with self._db_lock:
            while self._engines:
                self._engines.popitem()[1].dispose()


class _Runs(SqliteRunStorage):
    @cached_property
    def _engine(self) -> Engine:
        return _open_engine(self._conn_string)

    @contextmanager
    def connect(self) -> Iterator[Connection]:
        with self._engine.begin() as connection:
            yield connection

    def dispose(self) -> None:
        super().dispose()
        self._engine.dispose()


class SqliteStorage(DagsterSqliteStorage):
    """Runs, events and schedules in the folders that Dagster's own has in ``base_dir``."""

    def __init__(self, base_dir: str, inst_data: ConfigurableClassData | None = None) -> None:
        self.base_dir = base_dir
        self._run_storage = _Runs(_address(Path(base_dir, "history", RUNS), SqliteRunStorage.from_local))
        self._event_log_storage = _EventLog(str(Path(base_dir, "history", "runs")))
        schedules = _address(Path(base_dir, "schedules", SCHEDULES), SqliteScheduleStorage.from_local)
        self._schedule_storage = SqliteScheduleStorage(schedules)
        self._inst_data = inst_data
        super(DagsterSqliteStorage, self).__init__()  # not Dagster's, which would make its own three

    @classmethod
    def from_config_value(cls, inst_data: ConfigurableClassData, config_value: Any) -> SqliteStorage:
        return cls(inst_data=inst_data, **config_value)
