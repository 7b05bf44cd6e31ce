"""One function for each place beside the graph that can hold words: what of it goes, or how many would.

Each takes a :class:`Gone` and whether it is only to count; it says how many rows or files of its place are concerned.
"""

from __future__ import annotations

import re
import shutil
import sqlite3
from collections.abc import Callable, Collection, Iterable, Mapping
from contextlib import closing
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import dagster as dg
import sqlalchemy as sql

from memory_assets.automation.history import RETENTION, remove_run, runs_to_go
from memory_assets.client.hook import FAILURES_FILE, KEYS_FOLDER
from memory_assets.client.local import program_key
from memory_assets.clock import Clock
from memory_assets.erasure.searching import Finder
from memory_assets.erasure.sessions import erase_from_sessions
from memory_assets.erasure.words import has_terms, redacted
from memory_assets.errors import GraphQueryError
from memory_assets.files.on_disk import digest_on_disk
from memory_assets.files.resident import LOG_FILE
from memory_assets.graph import embedded
from memory_assets.graph.graph import Graph
from memory_assets.privacy.redaction import OPEN, Door
from memory_assets.runtime.owners import connected_user
from memory_assets.sessions.log import LOG, put
from memory_assets.settings import Settings

_NAME = re.compile(r"[\w-]+")
SQLITE = b"SQLite format 3\x00"
PUBLISHED = ("MEMORY.md", "HEARTBEAT.md")


@dataclass(frozen=True)
class Gone:
    """What was erased, as a place knows it."""

    settings: Settings
    terms: frozenset[str]
    """The words and phrases that only the erased had."""
    finder: Finder
    users: tuple[str, ...]
    """Whose derived state it was in."""
    owner: str | None = None
    """Of an owner who is erased as a whole."""
    memory_ids: frozenset[str] = frozenset()
    own_files: Mapping[Path, Collection[str]] = field(default_factory=dict)
    """Where users have files of their own published, outside of HOME; of an owner's, the digests that may go."""
    door: Door = OPEN
    """What of a person may not be anywhere."""

    def without(self, terms: Collection[str]) -> Gone:
        """The same, but for some terms."""
        left = self.terms - set(terms)
        return replace(self, terms=left, finder=Finder(left, self.finder.known)) if terms else self


def erase_caches(gone: Gone, dry_run: bool) -> int:
    """Indexes and caches of the users concerned: all follow from the graph, and are made again."""
    settings = gone.settings
    found: list[Path] = []
    for user in gone.users:
        indexes = settings.validity_index(user), settings.unjudged_index(user)
        for file in (*indexes, *settings.home.glob(f"recall/{user}.*sqlite3")):
            found += _with_companions(file)
        for folder in (*settings.cache_folders, settings.home / "recall"):
            found += [path for path in (folder / user).rglob("*") if path.is_file()]
    return _removed(found, dry_run)


def erase_copies(gone: Gone, dry_run: bool) -> int:
    """Copies beside published files (edited, from before a migration) with an erased word; an owner's files all."""
    settings = gone.settings
    found: list[Path] = []
    for user in gone.users:
        folder = settings.memory_file(user).parent
        own = user == gone.owner
        found += [
            path
            for path in folder.glob("*")
            if path.is_file() and (own or (path.name not in PUBLISHED and gone.finder.in_file(path)))
        ]
    for path in gone.own_files:
        found += [other for other in copies_beside(path) if gone.finder.in_file(other)]
    return _removed(found, dry_run)


def copies_beside(path: Path) -> list[Path]:
    """What is beside a published file and called after it."""
    return [other for other in path.parent.glob(f"*{path.name}*") if other.is_file() and other != path]


def edited_files(own_files: Mapping[Path, Collection[str]]) -> list[Path]:
    """The files of an owner that somebody has edited since they were published: these are not ours to remove."""
    on_disk = {path: digest_on_disk(path) for path, digests in own_files.items() if digests}
    return [path for path, digest in on_disk.items() if digest is not None and digest not in own_files[path]]


def erase_owner_files(gone: Gone, dry_run: bool) -> int:
    """What only an owner who is erased as a whole has: files outside of HOME as they were published, the log of
    accesses, the lock, the keys of connected agents and of programs, folders that are empty now.
    """
    if gone.owner is None:
        return 0
    settings, owner = gone.settings, gone.owner
    found = [path for path, digests in gone.own_files.items() if digest_on_disk(path) in digests]
    found += _with_companions(settings.accesses_file(owner))
    locks = (settings.home / "locks" / f"{owner}{ending}" for ending in (".lock", ".agents.lock"))
    found += [path for path in locks if path.exists()]
    found += [key for key in [program_key(settings.home, owner)] if key.exists()]
    for path in connections(settings, lambda user: user == owner):
        found += [one for one in (path, path.with_suffix(".key")) if one.exists()]
    count = _removed(found, dry_run)
    if not dry_run:
        for folder in (
            settings.memory_file(owner).parent,
            settings.home / "recall" / owner,
            *(top / owner for top in settings.cache_folders),
        ):
            shutil.rmtree(folder, ignore_errors=True)
    return count


def connections(settings: Settings, is_meant: Callable[[str | None], bool]) -> list[Path]:
    """What is recorded of agents that are connected to the memories of some users: where their files are."""
    return [path for path in sorted((settings.home / KEYS_FOLDER).glob("*.json")) if is_meant(connected_user(path))]


def erase_sessions(gone: Gone, dry_run: bool) -> int:
    """Sessions of erased sources, what an erased person said in the others, an owner's all."""
    settings = gone.settings
    count = 0
    for user in gone.users:
        if user != gone.owner:
            count += erase_from_sessions(settings.home, user, gone.memory_ids, gone.door, dry_run=dry_run)
            continue
        folder = settings.home / "sessions" / user
        count += sum(1 for _ in folder.glob(f"*{LOG}"))
        if not dry_run:
            shutil.rmtree(folder, ignore_errors=True)
    return count


def erase_accesses(gone: Gone, dry_run: bool) -> int:
    """Accesses of memories that are gone, and those by agents, in sessions or for what only the erased were called."""

    def concerns(row: Mapping[str, Any]) -> bool:
        return row["memory_id"] in gone.memory_ids or any(
            has_terms(str(row[name]), gone.terms) for name in ("agent", "session", "action")
        )

    files = (gone.settings.accesses_file(user) for user in gone.users if user != gone.owner)
    return sum(_delete_rows(file, "accesses", concerns, dry_run) for file in files)


def erase_answers(gone: Gone, dry_run: bool) -> int:
    """Answers of models that hold an erased word; of an owner, their name in the ledger of calls."""
    file = gone.settings.models_file
    count = _delete_rows(file, "answers", lambda row: has_terms(row["answer"], gone.terms), dry_run)
    if gone.owner is not None:
        count += _delete_rows(file, "calls", lambda row: row["user"] == gone.owner, dry_run)
    return count


def erase_alerts(gone: Gone, dry_run: bool) -> int:
    """Alerts that hold an erased word, or an owner's name."""
    file = gone.settings.alerts_file
    return _changed(f"sqlite:///{file}", lambda _, row: _names(row, gone), dry_run) if file.is_file() else 0


def erase_hooks(gone: Gone, dry_run: bool) -> int:
    """Lines of agents' events that reached no server, where a reason has an erased word or an owner's name; and what
    the server has said, as a whole.
    """
    settings, count = gone.settings, 0
    for path in (settings.home / f"{FAILURES_FILE}{ending}" for ending in ("", ".1")):
        lines = path.read_bytes().splitlines(keepends=True) if path.is_file() else []
        left = [line for line in lines if not _concerns(line, gone)]
        count += len(lines) - len(left)
        if not dry_run and left != lines:
            put(path, b"".join(left))
    log = settings.server_home / LOG_FILE
    return count + _removed([log] if log.is_file() and gone.finder.in_file(log) else [], dry_run)


def erase_runs(instance: dg.DagsterInstance, found: Collection[str], dry_run: bool) -> int:
    """Those of some runs (:func:`holding_runs`) upon which nothing rests: with all their events, logs and files."""
    finished = set(runs_to_go(instance, Clock().now(), RETENTION.model_copy(update={"keep_days": 0})))
    holding = finished.intersection(found)
    if not dry_run:
        for run_id in sorted(holding):
            remove_run(instance, run_id)
    return len(holding)


def holding_runs(gone: Gone) -> list[str]:
    """The runs with a file that holds an erased word. No instance may be open in this process: opening and closing a
    file of SQLite's releases all locks that the process has on it.
    """
    base = gone.settings.dagster_home / "history" / "runs"
    return [
        path.stem
        for path in base.glob("*.db")
        if path.stem != "index" and any(map(gone.finder.in_file, _with_companions(path)))
    ]


def redact_history(gone: Gone, dry_run: bool) -> int:
    """Records of runs that stay, because the state of assets rests upon them: values with an erased word become a mark.

    Of an owner who is erased, what is recorded of their partitions goes. Each database is then written anew.
    """
    urls = [f"sqlite:///{path}" for path in gone.settings.dagster_home.rglob("*.db") if _is_sqlite(path)]
    if (url := gone.settings.postgres_url) is not None:
        urls.append(url.get_secret_value())
    return sum(_changed(url, lambda table, row: _redacted(table, row, gone), dry_run) for url in urls)


def erase_logs(gone: Gone, dry_run: bool) -> int:
    """Files of Dagster's that are no databases and hold an erased word: captured output of runs, logs of ticks."""
    files = (path for path in gone.settings.dagster_home.rglob("*") if path.is_file() and not path.is_symlink())
    logs = [path for path in files if ".db" not in path.name and path.name != "dagster.yaml"]
    return _removed([path for path in logs if gone.finder.in_file(path)], dry_run)


CACHES = ("indexes and caches", erase_caches)
PLACES: tuple[tuple[str, Callable[[Gone, bool], int]], ...] = (
    CACHES,
    ("copies of published files", erase_copies),
    ("the owner's files", erase_owner_files),
    ("sessions", erase_sessions),
    ("accesses", erase_accesses),
    ("models' answers", erase_answers),
    ("alerts", erase_alerts),
    ("agents' hooks and the server", erase_hooks),
    ("Dagster's records", redact_history),
    ("logs of runs", erase_logs),
)
"""Every place beside the graph and the runs, in the order in which it is cleaned."""


def compact(gone: Gone) -> None:
    """Have every SQLite file of the home drop what was deleted, also from its write-ahead log."""
    for path in gone.settings.home.rglob("*"):
        if path.is_file() and not path.is_symlink() and _is_sqlite(path):
            with closing(sqlite3.connect(path, timeout=60, isolation_level=None)) as database:
                database.execute("PRAGMA secure_delete = ON")
                database.execute("VACUUM")
                database.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()


NEO4J_KEEPS = (
    "Neo4j keeps what was deleted in its transaction logs until they are pruned (db.tx_log.rotation.retention_policy), "
    "in its store's free records until they are used again, and in backups: that is its operator's."
)


def drop_old_bytes(graph: Graph, settings: Settings) -> str | None:
    """Have the engine drop the bytes of what was deleted: the embedded one writes its database anew, Neo4j what it
    offers. Returns what it keeps all the same, for a person.
    """
    if graph.engine == "embedded":
        graph.close()
        embedded.write_anew(settings)
        graph.apply_schema(settings.clock.now().isoformat())
        return None
    try:
        graph.checkpoint()
    except GraphQueryError as error:
        return f"{NEO4J_KEEPS} It refused a checkpoint: {error}"
    return NEO4J_KEEPS


def _with_companions(file: Path) -> list[Path]:
    """A file of SQLite's and what it keeps beside it, as far as they are there."""
    return [path for ending in ("", "-wal", "-shm", "-journal") if (path := Path(f"{file}{ending}")).exists()]


def _removed(paths: Iterable[Path], dry_run: bool) -> int:
    found = sorted(set(paths))
    if not dry_run:
        for path in found:
            path.unlink(missing_ok=True)
    return len(found)


def _is_sqlite(path: Path) -> bool:
    with path.open("rb") as file:
        return file.read(len(SQLITE)) == SQLITE


Decide = Callable[[sql.Table, Mapping[str, Any]], Mapping[str, str] | bool]
"""What becomes of a row of a table: it goes (True), some of its texts change, or nothing."""


def _delete_rows(path: Path, table: str, concerns: Callable[[Mapping[str, Any]], bool], dry_run: bool) -> int:
    """Delete the rows of a table that are concerned; none of a file or table that is not there."""
    if not path.is_file():
        return 0
    return _changed(f"sqlite:///{path}", lambda _, row: concerns(row), dry_run, only=table)


def _changed(url: str, decide: Decide, dry_run: bool, only: str | None = None) -> int:
    """Do in a database, or in one table ``only``, what is decided of each row that has a key; to how many rows."""
    engine, meta = sql.create_engine(url), sql.MetaData()
    count = 0
    try:
        meta.reflect(engine, only=lambda name, _: only in (None, name))
        with engine.begin() as connection:
            for table in meta.sorted_tables:
                keys = list(table.primary_key.columns)
                if not keys:
                    continue
                rows = map(dict, connection.execute(sql.select(*keys, *_texts(table))).mappings())
                decided = [([row[key.name] for key in keys], what) for row in rows if (what := decide(table, row))]
                count += len(decided)
                for values, what in () if dry_run else decided:
                    is_it = sql.and_(*(key == value for key, value in zip(keys, values, strict=True)))
                    change = table.delete() if what is True else table.update().values(what)
                    connection.execute(change.where(is_it))
    finally:
        engine.dispose()
    return count


def _concerns(line: bytes, gone: Gone) -> bool:
    return bool(gone.finder.in_bytes(line)) or _names({"": line.decode("utf-8", "replace")}, gone)


def _names(row: Mapping[str, Any], gone: Gone) -> bool:
    texts = [value for value in row.values() if isinstance(value, str)]
    return any(gone.owner in _NAME.findall(value) or has_terms(value, gone.terms) for value in texts)


def _redacted(table: sql.Table, row: Mapping[str, Any], gone: Gone) -> Mapping[str, str] | bool:
    """Of a row of Dagster's: one of an owner's partitions goes, texts with a word change."""
    if len(table.primary_key.columns) != 1:
        return False
    if gone.owner is not None and row.get("partition") == gone.owner:
        return True
    texts = {column.name: row[column.name] for column in _texts(table)}
    return {
        name: redacted(text, gone.terms) for name, text in texts.items() if isinstance(text, str) and _holds(text, gone)
    }


def _texts(table: sql.Table) -> list[sql.Column[Any]]:
    """The columns of texts that are no part of the key."""
    return [column for column in table.columns if isinstance(column.type, sql.String) and not column.primary_key]


def _holds(text: str, gone: Gone) -> bool:
    """Whether a stored text, in which JSON may escape letters, holds a term."""
    if not gone.finder.in_bytes(text.encode("utf-8", "surrogatepass")):
        return False
    return has_terms(text, gone.terms) or ("\\" in text and redacted(text, gone.terms) != text)
