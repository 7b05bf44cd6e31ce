"""The log of accesses: who used which memory of a user's, when and how, appended by each read.

A read never writes the graph. The asset ``accesses`` folds the log into it, and remembers in the same transaction
up to which line (``LOG_MARK``); what is not counted yet, the log counts (:meth:`AccessLog.waiting`).
"""

from __future__ import annotations

import json
import sqlite3
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta
from itertools import islice
from pathlib import Path
from typing import Any

from memory_assets.clock import to_iso
from memory_assets.errors import MemoryAssetsError
from memory_assets.files.sqlite_file import OpenFiles, SqliteFile
from memory_assets.graph.graph import Graph
from memory_assets.graph.merged import families
from memory_assets.graph.owners import MARK
from memory_assets.graph.statements import in_parts
from memory_assets.model import AccessKind, fingerprint
from memory_assets.settings import Settings

LOG_MARK = "access_log"
"""No asset: the mark that changes when accesses are counted."""
ALL = ""
"""Whose uses are those of all memories together."""
SHOWN = (AccessKind.RETRIEVED, AccessKind.INJECTED)
JUDGED = (AccessKind.CITED, AccessKind.IGNORED, AccessKind.WRONG)
"""What becomes of a memory that was shown."""
DIGITS = 12
"""By so many a line is known again."""
MOST_LOGS = 16
"""Of so many logs that were replaced it is known up to where they are counted."""
_THESE = "(SELECT value FROM json_each(?))"
MOST_LINES = 20_000
"""So many of the last lines say what was shown lately."""
AT_ONCE = 500
"""So many ids are asked for in one query."""
_SCHEMA = """
CREATE TABLE IF NOT EXISTS log (name TEXT PRIMARY KEY) WITHOUT ROWID;
INSERT INTO log SELECT lower(hex(randomblob(8))) WHERE NOT EXISTS (SELECT 1 FROM log);
CREATE TABLE IF NOT EXISTS accesses (
  number INTEGER PRIMARY KEY AUTOINCREMENT, user TEXT NOT NULL, memory_id TEXT NOT NULL, kind TEXT NOT NULL,
  at TEXT NOT NULL, agent TEXT NOT NULL, session TEXT NOT NULL, action TEXT NOT NULL DEFAULT '');
CREATE INDEX IF NOT EXISTS accesses_by_memory ON accesses (memory_id, kind, at);
CREATE INDEX IF NOT EXISTS accesses_by_time ON accesses (kind, at);
CREATE INDEX IF NOT EXISTS accesses_by_session ON accesses (session) WHERE session != '';
CREATE TABLE IF NOT EXISTS used (
  memory_id TEXT NOT NULL, kind TEXT NOT NULL, times INTEGER NOT NULL, PRIMARY KEY (memory_id, kind)) WITHOUT ROWID;
CREATE TRIGGER IF NOT EXISTS count_use AFTER INSERT ON accesses BEGIN
  INSERT INTO used VALUES (NEW.memory_id, NEW.kind, 1), ('', NEW.kind, 1) ON CONFLICT DO UPDATE SET times = times + 1;
END;
CREATE TABLE IF NOT EXISTS given (at TEXT NOT NULL, agent TEXT NOT NULL, tokens INTEGER NOT NULL);
CREATE INDEX IF NOT EXISTS given_by_time ON given (at);
CREATE TABLE IF NOT EXISTS late (at TEXT NOT NULL, agent TEXT NOT NULL);
"""
# The last time that each memory was shown, and what was said of it last: in the session, and in any.
_SHOWN_HERE = (
    "SELECT memory_id, MAX(number) AS number, at FROM accesses WHERE session = ? AND session != '' AND kind IN ({}) "
    "GROUP BY memory_id"
)
_OPEN_HERE = (
    "SELECT memory_id, MIN(at) AS at FROM accesses AS shown WHERE session = ? AND session != '' AND kind IN ({}) "
    "AND number > COALESCE((SELECT MAX(number) FROM accesses AS judged WHERE judged.memory_id = shown.memory_id "
    "AND judged.kind IN ({}) AND judged.session = shown.session), 0) GROUP BY memory_id ORDER BY MAX(number) DESC"
)
_SHOWN_OUTSIDE = (
    "SELECT memory_id, MAX(number) AS number, at FROM accesses "
    "WHERE kind IN (?, ?) AND at >= ? AND session = '' AND agent = ?{} GROUP BY memory_id"
)
_JUDGED = (
    "SELECT memory_id, MAX(number) AS anywhere, "
    "MAX(CASE WHEN session = ? OR session = '' AND agent = ? THEN number END) AS here FROM accesses "
    "WHERE kind IN (?, ?, ?) AND at >= ?{} GROUP BY memory_id"
)
_INJECTED_SINCE = "SELECT memory_id, COUNT(*) AS times FROM accesses WHERE kind = ? AND at >= ?{} GROUP BY memory_id"
_ALL_INJECTED_SINCE = "SELECT COUNT(*) AS times FROM accesses WHERE kind = ? AND at >= ?"
_COLUMNS = "number, user, memory_id, kind, at, agent, session, action"


class AccessLogError(MemoryAssetsError):
    """The log of accesses cannot be used."""


@dataclass(frozen=True)
class Access:
    """One line: a memory of ``user``, by its id; ``agent`` and ``session`` are "" where they are not known, ``action``,
    for what the agent used it, where it does not say.
    """

    user: str
    memory_id: str
    at: datetime
    kind: AccessKind = AccessKind.RETRIEVED
    agent: str = ""
    session: str = ""
    action: str = ""


@dataclass(frozen=True)
class Given:
    """What one answer or injection has cost the agent that it was for, in tokens."""

    user: str
    at: datetime
    tokens: int
    agent: str = ""


@dataclass(frozen=True)
class Position:
    """Up to which line of which log accesses are counted, when that was done, where it is known, and what that line
    is by its ``digest``.
    """

    log: str = ""
    number: int = 0
    at: datetime | None = None
    digest: str = ""
    others: tuple[Position, ...] = ()
    """The same of the logs that were in this one's place before, the last one first, so many at most: one that comes
    back is counted on."""

    @property
    def text(self) -> str:
        """As the graph keeps it."""
        kept = ((one.log, str(one.number), one.digest, to_iso(one.at) or "") for one in (self, *self.others))
        return " ".join(map(":".join, kept))

    @classmethod
    def of(cls, text: str | None, at: datetime | None = None) -> Position:
        """What the graph keeps; the beginning where it keeps nothing."""
        found = [cls._one_of(part) for part in (text or "").split()]
        return replace(found[0], at=at, others=tuple(found[1:])) if found else cls()

    @classmethod
    def _one_of(cls, text: str) -> Position:
        log, number, digest, at = (text.split(":", 3) + [""] * 3)[:4]
        known = datetime.fromisoformat(at) if at else None
        return cls(log, int(number), known, digest) if log and number.isdigit() else cls()

    def in_log(self, name: str) -> Position:
        """Up to where a log is counted: its beginning where nothing of it is."""
        return next((one for one in (self, *self.others) if one.log == name), Position(name))

    def behind(self, name: str, line: sqlite3.Row) -> Position:
        """The position behind a line of a log."""
        logs = (replace(one, others=()) for one in (self, *self.others) if one.log not in ("", name))
        return Position(name, line["number"], None, _digest(line), tuple(islice(logs, MOST_LOGS)))


class AccessLog:
    """One user's log, a line for each access. Appending makes the file; without one there are no accesses.

    Safe for several threads and processes: what was appended is on the disk when :meth:`append` returns, and lines are
    numbered in the order in which they came.
    """

    def __init__(self, path: Path) -> None:
        self.path = Path(path)
        self._file = SqliteFile(
            self.path,
            _SCHEMA,
            lambda reason: AccessLogError(
                f"The log of accesses {self.path} cannot be used: {reason}. What the graph has counted stays. Move the "
                "file away where it is broken, and a new one is begun."
            ),
        )

    def append(self, accesses: Iterable[Access], given: Given | None = None) -> None:
        """Add lines, and what the answer with them has cost, in one transaction."""
        rows = [(a.user, a.memory_id, a.kind.value, to_iso(a.at), a.agent, a.session, a.action) for a in accesses]
        if rows or given:
            with self._file.transaction() as connection:
                if given:
                    cost = (to_iso(given.at), given.agent, given.tokens)
                    connection.execute("INSERT INTO given (at, agent, tokens) VALUES (?, ?, ?)", cost)
                connection.executemany(
                    f"INSERT INTO accesses ({_COLUMNS}) VALUES (NULL, ?, ?, ?, ?, ?, ?, ?)",
                    rows,
                )

    def note_late(self, at: datetime, agent: str) -> None:
        """An event of an agent's was answered with what was ready in its time, or with nothing."""
        with self._file.transaction() as connection:
            connection.execute("INSERT INTO late (at, agent) VALUES (?, ?)", (to_iso(at), agent))

    def late(self, since: datetime, agent: str) -> int:
        """How often that was since an instant."""
        rows = self._rows("SELECT COUNT(*) AS n FROM late WHERE at >= ? AND agent = ?", to_iso(since), agent)
        return int(rows[0]["n"]) if rows else 0

    def after(self, position: Position, limit: int) -> tuple[Position, list[Access]]:
        """The first lines behind a position, and the position behind them.

        A log that the position does not know is new: all of it is behind. One in which the last counted line is
        another, or is not there, was restored from a backup: what has come since accesses were counted is behind it.
        """
        log, rows = self._since(position, f"SELECT {_COLUMNS} FROM accesses WHERE {{}} ORDER BY number LIMIT ?", limit)
        return position.behind(log, rows[-1]) if rows else position, [_access(row) for row in rows]

    def waiting(
        self, position: Position, memory_ids: Collection[str] | None = None, kind: AccessKind = AccessKind.RETRIEVED
    ) -> dict[str, int]:
        """How many accesses of a kind come after a position, by memory: of these memories, or of all."""
        counted = "SELECT memory_id, COUNT(*) AS accesses FROM accesses WHERE {{}} AND kind = ?{} GROUP BY memory_id"
        found: dict[str, int] = {}
        for condition, ids in _in_parts(memory_ids):
            _, rows = self._since(position, counted.format(condition), kind.value, *ids)
            found |= {row["memory_id"]: row["accesses"] for row in rows}
        return found

    def counts(
        self, ids: Sequence[str], since: datetime | None = None, until: datetime | None = None
    ) -> dict[str, int]:
        """How often a memory, by any of these ids, was used, by kind, whether it is counted in the graph or not: from
        an instant on, up to another one.
        """
        rows = self._rows(
            f"SELECT kind, COUNT(*) AS accesses FROM accesses WHERE memory_id IN {_THESE} AND at >= ? "
            "AND (? IS NULL OR at <= ?) GROUP BY kind",
            *(json.dumps(list(ids)), to_iso(since) or "", to_iso(until), to_iso(until)),
        )
        return {row["kind"]: row["accesses"] for row in rows}

    def usage(self, memory_ids: Collection[str], injected_before: datetime | None = None) -> dict[str, Counter[str]]:
        """How often memories were used, by kind, but for what was injected from an instant on; :data:`ALL` among the
        ids is all of them together. They are counted as they come: the cost follows the ids.
        """
        found: dict[str, Counter[str]] = defaultdict(Counter)
        lately = AccessKind.INJECTED.value, to_iso(injected_before)
        for condition, ids in _in_parts(memory_ids):
            for row in self._rows(f"SELECT memory_id, kind, times FROM used WHERE 1{condition}", *ids):
                found[row["memory_id"]][row["kind"]] = row["times"]
            for row in self._rows(_INJECTED_SINCE.format(condition), *lately, *ids) if injected_before else ():
                found[row["memory_id"]][AccessKind.INJECTED] -= row["times"]
        if injected_before and ALL in found:
            (row,) = self._rows(_ALL_INJECTED_SINCE, *lately)
            found[ALL][AccessKind.INJECTED] -= row["times"]
        return dict(found)

    def unjudged(self, session: str, agent: str, since: datetime, memory_ids: Collection[str] | None) -> set[str]:
        """What was shown in a session, or to its agent outside of any since an instant, and nobody has said after that
        what became of it: of these memories; with None of what was injected into the session itself. What was shown
        outside is judged in any session.
        """
        if not session:
            return set()
        kinds = SHOWN if memory_ids is not None else (AccessKind.INJECTED,)
        here = self._by_memory(_SHOWN_HERE.format(_marks(kinds)), (session, *kinds))
        ids = here.keys() if memory_ids is None else set(memory_ids)
        here = {name: row for name, row in here.items() if name in ids}
        asked = ids if memory_ids is not None else ()
        outside = self._by_memory(_SHOWN_OUTSIDE, (*SHOWN, to_iso(since) or "", agent), asked)
        shown = here.keys() | outside.keys()
        first = min((row["at"] for row in (*here.values(), *outside.values())), default="")
        judged = self._by_memory(_JUDGED, (session, agent, *JUDGED, first), shown)

        def is_open(row: sqlite3.Row | None, name: str, where: str) -> bool:
            last = judged[name][where] if name in judged else None
            return row is not None and row["number"] > (last or 0)

        return {
            name
            for name in shown
            if is_open(here.get(name), name, "here") or is_open(outside.get(name), name, "anywhere")
        }

    def shown(self, session: str) -> dict[str, datetime]:
        """What was shown in a session and nobody has said since what became of it, each since when: what was shown last
        first.
        """
        asked = _OPEN_HERE.format(_marks(SHOWN), _marks(JUDGED))
        rows = self._rows(asked, session, *SHOWN, *JUDGED) if session else []
        return {row["memory_id"]: datetime.fromisoformat(row["at"]) for row in rows}

    def shown_lately(self, most: int = MOST_LINES) -> dict[str, datetime]:
        """What agents and others were shown in so many last lines, each since when."""
        lately = "SELECT memory_id, kind, at FROM accesses ORDER BY number DESC LIMIT ?"
        asked = f"SELECT memory_id, MIN(at) AS at FROM ({lately}) WHERE kind IN (?, ?) GROUP BY memory_id"
        return {row["memory_id"]: datetime.fromisoformat(row["at"]) for row in self._rows(asked, most, *SHOWN)}

    def uses(self, most: int = MOST_LINES) -> list[tuple[str, str]]:
        """What was used for what in so many last lines, by id and kind, in their order."""
        rows = self._rows("SELECT memory_id, kind FROM accesses ORDER BY number DESC LIMIT ?", most)
        return [(row["memory_id"], row["kind"]) for row in reversed(rows)]

    def agent_in(self, session: str) -> str | None:
        """To whom something was shown last in a session; None where nothing was."""
        last = "SELECT agent FROM accesses WHERE session = ? AND session != '' AND kind IN (?, ?) "
        rows = self._rows(f"{last} ORDER BY number DESC LIMIT 1", session, *SHOWN)
        return str(rows[0]["agent"]) if rows else None

    def used_around(self, at: datetime, minutes: int, most: int) -> tuple[dict[str, int], int]:
        """Of the last so many uses (retrieved or cited): on how many days before ``at`` each memory was used within so
        many minutes of that time of day, and on how many days any was.
        """
        at = at.astimezone(UTC)
        rows = self._rows(
            "SELECT memory_id, at FROM accesses WHERE kind IN (?, ?) ORDER BY number DESC LIMIT ?",
            *(AccessKind.RETRIEVED.value, AccessKind.CITED.value, most),
        )
        days: dict[str, set[date]] = defaultdict(set)
        for row in rows:
            used = datetime.fromisoformat(row["at"])
            apart = abs((used.hour - at.hour) * 60 + used.minute - at.minute)
            if used.date() < at.date() and min(apart, 24 * 60 - apart) <= minutes:
                days[row["memory_id"]].add(used.date())
        return {name: len(found) for name, found in days.items()}, len(set().union(*days.values()))

    def by_agent(self, since: datetime) -> list[dict[str, Any]]:
        """For each agent how often it used memories since an instant, by kind, and the ``tokens`` that what it was
        given has cost: ``agent``, a number of each kind, ``tokens``.
        """
        sums = ", ".join(f"SUM(kind = '{kind.value}') AS {kind.value}" for kind in AccessKind)
        none = dict.fromkeys((kind.value for kind in AccessKind), 0)
        used = self._rows(f"SELECT agent, {sums} FROM accesses WHERE at >= ? GROUP BY agent", to_iso(since))
        cost = self._rows("SELECT agent, SUM(tokens) AS tokens FROM given WHERE at >= ? GROUP BY agent", to_iso(since))
        counts, tokens = {row["agent"]: dict(row) for row in used}, {row["agent"]: row["tokens"] for row in cost}
        return [
            {"agent": agent} | none | counts.get(agent, {}) | {"tokens": tokens.get(agent, 0)}
            for agent in sorted(counts.keys() | tokens.keys())
        ]

    def most_retrieved(self, most: int) -> list[str]:
        """The memories that were retrieved most often, so many at most."""
        rows = self._rows(
            "SELECT memory_id FROM accesses WHERE kind = ? GROUP BY memory_id "
            "ORDER BY COUNT(*) DESC, memory_id LIMIT ?",
            *(AccessKind.RETRIEVED.value, most),
        )
        return [row["memory_id"] for row in rows]

    def latest(self, most: int) -> list[datetime]:
        """When the last accesses were, so many at most, the latest first."""
        rows = self._rows("SELECT at FROM accesses ORDER BY number DESC LIMIT ?", most)
        return [datetime.fromisoformat(row["at"]) for row in rows]

    def retrieved(self, position: Position, ids: Sequence[str]) -> list[datetime]:
        """When a memory, by any of these ids, was retrieved since a position."""
        found = f"SELECT at FROM accesses WHERE {{}} AND memory_id IN {_THESE} AND kind = ? ORDER BY number"
        _, rows = self._since(position, found, json.dumps(list(ids)), AccessKind.RETRIEVED.value)
        return [datetime.fromisoformat(row["at"]) for row in rows]

    def retrieved_until(self, position: Position, ids: Sequence[str]) -> list[datetime]:
        """When a memory, by any of these ids, was retrieved up to a position; nothing where that does not know the
        log.
        """
        found = f"SELECT at FROM accesses WHERE {{}} AND memory_id IN {_THESE} AND kind = ? ORDER BY number"
        _, rows = self._since(position, found, json.dumps(list(ids)), AccessKind.RETRIEVED.value, until=True)
        return [datetime.fromisoformat(row["at"]) for row in rows]

    def is_gone(self) -> bool:
        """Whether the file that this has open was removed or replaced."""
        return self._file.is_gone()

    def close(self) -> None:
        """Close the file; the next use opens it again."""
        self._file.close()

    def _rows(self, statement: str, *given: Any) -> list[sqlite3.Row]:
        """What a statement finds; nothing where there is no log."""
        if not self.path.exists():
            return []
        with self._file.reading() as connection:
            return connection.execute(statement, given).fetchall()

    def _by_memory(
        self, statement: str, given: Iterable[str], memory_ids: Collection[str] | None = None
    ) -> dict[str, sqlite3.Row]:
        """What a statement finds, by memory: of these memories, or of all."""
        values = [str(value) for value in given]
        parts = _in_parts(memory_ids)
        found = (row for condition, ids in parts for row in self._rows(statement.format(condition), *values, *ids))
        return {row["memory_id"]: row for row in found}

    def _since(
        self, position: Position, statement: str, *given: Any, until: bool = False
    ) -> tuple[str, list[sqlite3.Row]]:
        """The log's name, and what a statement finds behind a position in it (``until``: up to it), or in all of it
        where the position does not know it (in nothing of it); nothing where there is no log.
        """
        if not self.path.exists():
            return position.log, []
        with self._file.reading() as connection:
            (name,) = connection.execute("SELECT name FROM log").fetchone()
            lines = f"number {'<=' if until else '>'} {_counted(connection, position.in_log(name))}"
            return name, connection.execute(statement.format(lines), given).fetchall()


def _counted(connection: sqlite3.Connection, position: Position) -> int:
    """The last line of a log that a position in it counts. Where that line is another one or is not there, the log is
    an older one that was restored from a backup, and may have grown since: then it is the last that was there when
    accesses were counted, and those behind it are new.
    """
    asked = f"SELECT {_COLUMNS} FROM accesses WHERE number = ?"
    line = connection.execute(asked, (position.number,)).fetchone() if position.number else None
    if not position.number or line is not None and position.digest in ("", _digest(line)):
        return position.number
    before = "SELECT number FROM accesses WHERE ? IS NULL OR at <= ? ORDER BY number DESC LIMIT 1"
    row = connection.execute(before, (to_iso(position.at),) * 2).fetchone()
    return int(row[0]) if row else 0


def _digest(line: sqlite3.Row) -> str:
    return fingerprint(*line)[:DIGITS]


def _access(row: sqlite3.Row) -> Access:
    kind, at = AccessKind(row["kind"]), datetime.fromisoformat(row["at"])
    return Access(row["user"], row["memory_id"], at, kind, row["agent"], row["session"], row["action"])


def _in_parts(ids: Collection[str] | None) -> Iterable[tuple[str, Sequence[str]]]:
    if ids is None:
        return [("", ())]
    parts = in_parts(sorted(ids), AT_ONCE)
    return [(f" AND memory_id IN ({_marks(part)})", part) for part in parts]


def _marks(values: Collection[Any]) -> str:
    return ", ".join("?" * len(values))


_OPENED = OpenFiles(AccessLog)


def access_log(settings: Settings, user: str) -> AccessLog:
    """A user's log, which stays open in this process."""
    return _OPENED.at(settings.accesses_file(user))


def counted_to(graph: Graph, user: str) -> Position:
    """Up to where a user's accesses are counted in the graph."""
    rows = graph.read("graph/find_stage", user_id=user, stage=MARK + LOG_MARK)
    return Position.of(rows[0]["fingerprint"], rows[0]["completed_at"]) if rows else Position()


def record_accesses(settings: Settings, accesses: Sequence[Access], given: Given | None = None) -> None:
    """Append what was accessed of one user's memories to the user's log, and what the answer with it has cost."""
    given = given if given and given.tokens else None
    if user := given.user if given else accesses[0].user if accesses else "":
        access_log(settings, user).append(accesses, given)


AGENTS_WINDOW = timedelta(days=30)


def used_by_agents(settings: Settings, user: str, now: datetime) -> list[dict[str, Any]]:
    """What each agent has used of a user's memory in the last 30 days (:meth:`AccessLog.by_agent`)."""
    return access_log(settings, user).by_agent(now - AGENTS_WINDOW)


def waiting_accesses(graph: Graph, settings: Settings, user: str, memory_ids: Collection[str]) -> dict[str, int]:
    """How often these memories, and what was merged into them, were retrieved since accesses were counted."""
    log, counted = access_log(settings, user), counted_to(graph, user)
    if not log.after(counted, 1)[1]:
        return {}
    known_as = families(graph, user, memory_ids)
    waiting = log.waiting(counted, [one for ids in known_as.values() for one in ids])
    found = {name: sum(waiting.get(one, 0) for one in ids) for name, ids in known_as.items() if name in memory_ids}
    return {name: accesses for name, accesses in found.items() if accesses}


def users_waiting(graph: Graph, settings: Settings, owners: Iterable[str]) -> list[str]:
    """The users for whom accesses wait to be counted: no cost for those who have none."""
    found = []
    for user in owners:
        log = access_log(settings, user)
        if log.path.exists() and log.after(counted_to(graph, user), 1)[1]:
            found.append(user)
    return found
