"""The models' SQLite file: every call with its tokens and cost, and every paid answer, once.

Safe for several threads and processes, and for a kill at any moment: an answer and its ledger line are
one transaction, so that a crash costs at most the one answer that was not yet written.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from dataclasses import astuple, dataclass, fields
from datetime import datetime
from pathlib import Path
from typing import Any

from memory_assets.clock import Clock, to_iso
from memory_assets.errors import ModelError
from memory_assets.files.sqlite_file import SqliteFile

_SCHEMA = """
CREATE TABLE IF NOT EXISTS calls (
  id INTEGER PRIMARY KEY, model TEXT NOT NULL, task TEXT NOT NULL, asset TEXT NOT NULL, user TEXT NOT NULL,
  tokens_in INTEGER NOT NULL, tokens_out INTEGER NOT NULL, usd REAL, cached INTEGER NOT NULL,
  at TEXT NOT NULL, tokens_cached INTEGER NOT NULL, run TEXT NOT NULL);
CREATE INDEX IF NOT EXISTS calls_of_user ON calls (user, asset);
CREATE INDEX IF NOT EXISTS calls_by_time ON calls (user, at);
CREATE TABLE IF NOT EXISTS answers (
  key TEXT PRIMARY KEY, model TEXT NOT NULL, task TEXT NOT NULL, answer TEXT NOT NULL,
  tokens_in INTEGER NOT NULL, tokens_out INTEGER NOT NULL, at TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS vectors (
  key TEXT PRIMARY KEY, model TEXT NOT NULL, width INTEGER NOT NULL, vector BLOB NOT NULL, at TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS widths (model TEXT PRIMARY KEY, width INTEGER NOT NULL);
"""
_TOTALS = """COUNT(*) AS calls, COALESCE(SUM(cached), 0) AS cached, COALESCE(SUM(tokens_in), 0) AS tokens_in,
  COALESCE(SUM(tokens_cached), 0) AS tokens_cached, COALESCE(SUM(tokens_out), 0) AS tokens_out,
  COALESCE(SUM(usd), 0.0) AS usd"""
_NOTHING = {"calls": 0, "cached": 0, "tokens_in": 0, "tokens_cached": 0, "tokens_out": 0, "usd": 0.0}
GROUPS = ("model", "asset", "user", "run", "task", "day")
"""By what the ledger can be summed up. ``day`` is the UTC day of the call."""
BY_DEFAULT = ("model", "asset", "user")
_KEYS_PER_QUERY = 500


@dataclass(frozen=True)
class Call:
    """One line of the ledger. ``usd`` is None when the model's price is not known.

    A call that was answered from the cache has ``cached`` and costs no tokens. ``tokens_cached`` is the part of
    ``tokens_in`` that the service had seen shortly before and charges less for.
    """

    model: str
    task: str
    asset: str
    user_id: str
    tokens_in: int
    tokens_out: int
    usd: float | None = 0.0
    cached: bool = False
    tokens_cached: int = 0


@dataclass(frozen=True)
class StoredAnswer:
    """An answer in the cache: its JSON text and what it cost when it was asked."""

    text: str
    tokens_in: int
    tokens_out: int


class Ledger:
    """One file of answers and calls. Opened on first use; a missing file is an empty ledger.

    ``run`` is the run whose calls this one records, or "".
    """

    def __init__(self, path: Path, clock: Clock | None = None, run: str = "") -> None:
        self.path = Path(path)
        self.run = run
        self._clock = clock or Clock()
        self._file = SqliteFile(
            self.path,
            _SCHEMA,
            lambda reason: ModelError(
                f"The models' file {self.path} cannot be used: {reason}. If it is damaged, move it away: it holds "
                "the cached answers and the ledger, and is made anew."
            ),
        )
        self._reading, self._transaction = self._file.reading, self._file.transaction

    def record(self, *calls: Call) -> None:
        """Write calls, in one transaction."""
        if calls:
            with self._transaction() as connection:
                self._insert(connection, calls)

    def summary(
        self,
        by: Sequence[str] = BY_DEFAULT,
        *,
        user: str | None = None,
        run: str | None = None,
        since: datetime | None = None,
    ) -> dict[str, Any]:
        """Totals, and the same for each of the groups ``by`` (of :data:`GROUPS`), of these calls or of all.

        ``run`` may be the beginning of a run's id; ``since`` is an aware instant. ``unpriced`` names models without a
        price, and ``unpriced_calls`` counts their calls: their tokens are in the sums, their money is not.
        """
        if unknown := sorted(set(by) - set(GROUPS)):
            raise ValueError(f"{', '.join(unknown)}: the ledger is summed up by {', '.join(GROUPS)}.")
        wanted = [("user = ?", user), ("substr(run, 1, length(?)) = ?", run), ("at >= ?", to_iso(since))]
        given = [(condition, value) for condition, value in wanted if value is not None]
        these = "FROM calls" + (" WHERE " + " AND ".join(condition for condition, _ in given) if given else "")
        values = [value for condition, value in given for _ in range(condition.count("?"))]
        columns = ", ".join("substr(at, 1, 10) AS day" if name == "day" else name for name in by)
        names = ", ".join(by)
        total = self._query(f"SELECT {_TOTALS} {these}", values)
        rows = (
            self._query(f"SELECT {columns}, {_TOTALS} {these} GROUP BY {names} ORDER BY {names}", values) if by else []
        )
        no_price = f"{'AND' if given else 'WHERE'} usd IS NULL GROUP BY model ORDER BY model"
        unpriced = self._query(f"SELECT model, COUNT(*) AS calls {these} {no_price}", values)
        return {
            **(total[0] if total else _NOTHING),
            "by": rows,
            "unpriced": [row["model"] for row in unpriced],
            "unpriced_calls": sum(row["calls"] for row in unpriced),
        }

    def spent_in_run(self) -> float:
        """What the calls of this ledger's own run have cost so far (USD), in this process and in any before it."""
        return self._usd_of(self.run)

    def last_run_usd(self) -> float:
        """What the run that asked last has cost (USD); runs' ids are random: only the calls say which it was."""
        last = self._query("SELECT run FROM calls WHERE run <> '' ORDER BY id DESC LIMIT 1")
        return self._usd_of(last[0]["run"]) if last else 0.0

    def _usd_of(self, run: str) -> float:
        rows = self._query("SELECT COALESCE(SUM(usd), 0.0) AS usd FROM calls WHERE run = ?", (run,)) if run else []
        return float(rows[0]["usd"]) if rows else 0.0

    def last_call(self) -> int:
        """The number of the newest call, 0 when there is none: a mark to count from."""
        rows = self._query("SELECT COALESCE(MAX(id), 0) AS id FROM calls")
        return int(rows[0]["id"]) if rows else 0

    def totals(self, asset: str, user: str, after: int = 0) -> dict[str, Any]:
        """Totals of one asset and user since the call ``after`` (:meth:`last_call`); reads these calls alone.

        The index holds each call's number, so that it costs what there is to count, however long the ledger.
        """
        these, given = "FROM calls WHERE user = ? AND asset = ? AND id > ?", (user, asset, after)
        total = self._query(f"SELECT {_TOTALS} {these}", given)
        unpriced = self._query(f"SELECT DISTINCT model {these} AND usd IS NULL ORDER BY model", given)
        return {**(total[0] if total else _NOTHING), "unpriced": [row["model"] for row in unpriced]}

    def find_answers(self, keys: Sequence[str]) -> dict[str, StoredAnswer]:
        """The cached answers under these keys."""
        query = "SELECT key, answer, tokens_in, tokens_out FROM answers WHERE key IN ({})"
        return {row.pop("key"): StoredAnswer(*row.values()) for row in self._find(query, keys)}

    def keep_answer(self, key: str, answer: StoredAnswer, call: Call) -> StoredAnswer:
        """Write an answer with its call, in one transaction; returns the stored one, another process's if faster."""
        with self._transaction() as connection:
            self._insert(connection, [call])
            connection.execute(
                "INSERT OR IGNORE INTO answers (key, model, task, answer, tokens_in, tokens_out, at) "
                "VALUES (?, ?, ?, ?, ?, ?, ?)",
                (key, call.model, call.task, answer.text, answer.tokens_in, answer.tokens_out, self._now()),
            )
            row = connection.execute(
                "SELECT answer, tokens_in, tokens_out FROM answers WHERE key = ?", (key,)
            ).fetchone()
        return StoredAnswer(*row)

    def forget_answer(self, key: str) -> None:
        """Drop an answer that can no longer be read."""
        with self._transaction() as connection:
            connection.execute("DELETE FROM answers WHERE key = ?", (key,))

    def find_vectors(self, keys: Sequence[str]) -> dict[str, bytes]:
        """The cached vectors under these keys."""
        query = "SELECT key, vector FROM vectors WHERE key IN ({})"
        return {row["key"]: row["vector"] for row in self._find(query, keys)}

    def keep_vectors(self, vectors: dict[str, bytes], width: int, call: Call) -> dict[str, bytes]:
        """Write vectors with their call, in one transaction; returns the stored ones."""
        now = self._now()
        with self._transaction() as connection:
            self._insert(connection, [call])
            connection.execute("INSERT OR IGNORE INTO widths (model, width) VALUES (?, ?)", (call.model, width))
            connection.executemany(
                "INSERT OR IGNORE INTO vectors (key, model, width, vector, at) VALUES (?, ?, ?, ?, ?)",
                [(key, call.model, width, vector, now) for key, vector in vectors.items()],
            )
        return self.find_vectors(list(vectors))

    def find_width(self, model: str) -> int | None:
        """The width of an embedder's vectors, from its first answer."""
        rows = self._query("SELECT width FROM widths WHERE model = ?", (model,))
        return int(rows[0]["width"]) if rows else None

    def close(self) -> None:
        """Close the file. The next use opens it again."""
        self._file.close()

    def _query(self, query: str, values: Sequence[object] = ()) -> list[dict[str, Any]]:
        """The rows of a query; none of a file that is not there yet."""
        if not self.path.exists():
            return []
        with self._reading() as connection:
            return [dict(row) for row in connection.execute(query, tuple(values))]

    def _find(self, query: str, keys: Sequence[str]) -> list[dict[str, Any]]:
        parts = [keys[start : start + _KEYS_PER_QUERY] for start in range(0, len(keys), _KEYS_PER_QUERY)]
        return [row for part in parts for row in self._query(query.format(",".join("?" * len(part))), part)]

    def _insert(self, connection: sqlite3.Connection, calls: Sequence[Call]) -> None:
        now = self._now()
        names = ", ".join(field.name for field in fields(Call)).replace("user_id", "user")
        connection.executemany(
            f"INSERT INTO calls ({names}, at, run) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            [(*astuple(call), now, self.run) for call in calls],
        )

    def _now(self) -> str:
        return to_iso(self._clock.now()) or ""
