"""The outbox ``HOME/alerts.sqlite``: what was looked at, which alerts there are, and who has received them.

All that makes "each once" true is here, in transactions: a fact is taken together with its alert, an alert is claimed
before it is sent, and what a channel has confirmed is never claimed again. A process that is killed between the
confirmation and its record sends once more, under the same idempotency key. Instants are ISO text, which sorts.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from memory_assets.automation.alerts.alert import ALERT, Alert
from memory_assets.automation.alerts.conditions import Changes, Condition, RunFacts, changes, of_check, subjects
from memory_assets.clock import to_iso
from memory_assets.errors import MemoryAssetsError
from memory_assets.files.sqlite_file import SqliteFile

_SCHEMA = """
CREATE TABLE IF NOT EXISTS facts (fact TEXT PRIMARY KEY, happened TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS automations (
  selector TEXT PRIMARY KEY, seen_until REAL NOT NULL, failing INTEGER NOT NULL, since REAL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS conditions (
  subject TEXT NOT NULL, owner TEXT NOT NULL, since TEXT NOT NULL, seen TEXT NOT NULL, reasons TEXT NOT NULL,
  PRIMARY KEY (subject, owner)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS judged (subject TEXT PRIMARY KEY, at TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS alerts (id TEXT PRIMARY KEY, body TEXT NOT NULL, made_at TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS deliveries (
  alert TEXT NOT NULL REFERENCES alerts (id), channel TEXT NOT NULL, state TEXT NOT NULL, tries INTEGER NOT NULL,
  next_at TEXT NOT NULL, PRIMARY KEY (alert, channel)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS holds (channel TEXT PRIMARY KEY, until TEXT NOT NULL) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS waiting ON deliveries (channel, next_at) WHERE state = 'waiting';
"""
WAITING, CONFIRMED, UNDELIVERABLE = "waiting", "confirmed", "undeliverable"


class AlertOutboxError(MemoryAssetsError):
    """The file of the alerts cannot be used."""


@dataclass(frozen=True)
class Look:
    """How far a sensor's or schedule's ticks were read (Unix seconds), whether the last one failed, and since when."""

    seen_until: float
    failing: bool
    since: float | None = None


class Outbox:
    """The outbox of one installation, for alerts to these channels. Safe for several processes and for kills."""

    def __init__(self, path: Path, channels: Sequence[str] = ()) -> None:
        self.path, self.channels = path, channels
        self._file = SqliteFile(
            self.path,
            _SCHEMA,
            lambda reason: AlertOutboxError(
                f"The alerts' file {self.path} cannot be used: {reason}. If it is damaged, move it away: alerts of the "
                "last hour are then sent once more."
            ),
        )

    def is_known(self, fact: str) -> bool:
        """Whether the fact was taken before."""
        with self._file.reading() as db:
            return db.execute("SELECT 1 FROM facts WHERE fact = ?", (fact,)).fetchone() is not None

    def take(self, fact: str, happened: datetime, alerts: Sequence[Alert], now: datetime) -> int:
        """Take a fact, once, together with its alerts; how many of them are new."""
        with self._file.transaction() as db:
            return self._take(db, fact, happened, alerts, now)

    def take_run(self, fact: str, facts: RunFacts, word: Callable[[Changes], Sequence[Alert]], now: datetime) -> int:
        """Take a run's facts, once, with what they change of the open conditions and the alerts that ``word`` it.

        All in one transaction: of two who take the same run, and of a kill between, no alert is lost or said twice.
        """
        with self._file.transaction() as db:
            if db.execute("SELECT 1 FROM facts WHERE fact = ?", (fact,)).fetchone():
                return 0
            about = sorted(subjects(facts))
            judged = {row["subject"]: datetime.fromisoformat(row["at"]) for row in _about(db, "judged", about)}
            known = {one.key: one for one in map(_condition, _about(db, "conditions", about))}
            changed = changes(facts, known, judged)
            gone = [condition.key for condition in (*changed.closed, *changed.open)]
            db.executemany("DELETE FROM conditions WHERE subject = ? AND owner = ?", gone)
            db.executemany("INSERT INTO conditions VALUES (?, ?, ?, ?, ?)", map(_row, changed.open))
            newest = [(of_check(check), to_iso(check.at)) for check in facts.checks if check.at]
            db.executemany(
                "INSERT INTO judged VALUES (?, ?) ON CONFLICT (subject) DO UPDATE SET at = max(at, excluded.at)", newest
            )
            return self._take(db, fact, facts.ended, word(changed), now)

    def look_at(self, selector: str) -> Look | None:
        """How far the ticks under this selector were read; None when they never were."""
        with self._file.reading() as db:
            row = db.execute("SELECT * FROM automations WHERE selector = ?", (selector,)).fetchone()
        return Look(row["seen_until"], bool(row["failing"]), row["since"]) if row else None

    def looked(self, selector: str, look: Look, alerts: Sequence[Alert], now: datetime) -> int:
        """Remember how far ticks were read, together with the alerts of them; returns how many of these are new."""
        with self._file.transaction() as db:
            db.execute(
                "INSERT OR REPLACE INTO automations (selector, seen_until, failing, since) VALUES (?, ?, ?, ?)",
                (selector, look.seen_until, int(look.failing), look.since),
            )
            return sum(self._insert(db, alert, now) for alert in alerts)

    def due(self, channel: str, now: datetime) -> list[str]:
        """The ids of the alerts that the channel may be tried with now, the earliest made first."""
        with self._file.reading() as db:
            rows = db.execute(
                "SELECT id FROM deliveries JOIN alerts ON id = alert "
                "WHERE channel = :channel AND state = 'waiting' AND next_at <= :now "
                "AND NOT EXISTS (SELECT 1 FROM holds WHERE channel = :channel AND until > :now) ORDER BY made_at, id",
                {"channel": channel, "now": to_iso(now)},
            ).fetchall()
        return [row["id"] for row in rows]

    def claim(self, alert: str, channel: str, now: datetime, until: datetime) -> tuple[Alert, int] | None:
        """The alert, to be sent by the caller alone until then, and how often it was tried; None when somebody else has
        it or has sent it.

        Who is killed while sending leaves the claim to run out, and the alert is due again.
        """
        with self._file.transaction() as db:
            claimed = db.execute(
                "UPDATE deliveries SET next_at = ? "
                "WHERE alert = ? AND channel = ? AND state = 'waiting' AND next_at <= ?",
                (to_iso(until), alert, channel, to_iso(now)),
            ).rowcount
            if not claimed:
                return None
            row = db.execute(
                "SELECT body, tries FROM deliveries JOIN alerts ON id = alert WHERE alert = ? AND channel = ?",
                (alert, channel),
            ).fetchone()
        return ALERT.validate_json(row["body"]), row["tries"]

    def end(self, alert: str, channel: str, state: str) -> None:
        """The channel has received the alert (``CONFIRMED``), or is not tried with it again (``UNDELIVERABLE``)."""
        with self._file.transaction() as db:
            db.execute(
                "UPDATE deliveries SET state = ? WHERE alert = ? AND channel = ? AND state = 'waiting'",
                (state, alert, channel),
            )

    def postpone(self, alert: str, channel: str, until: datetime) -> None:
        """One more round has failed; the next one is not before then."""
        with self._file.transaction() as db:
            db.execute(
                "UPDATE deliveries SET tries = tries + 1, next_at = ? "
                "WHERE alert = ? AND channel = ? AND state = 'waiting'",
                (to_iso(until), alert, channel),
            )

    def hold(self, channel: str, until: datetime) -> None:
        """The channel asked to be left alone: nothing is due for it before then, new alerts neither."""
        with self._file.transaction() as db:
            db.execute("INSERT OR REPLACE INTO holds VALUES (?, ?)", (channel, to_iso(until)))

    def expire(self, made_before: datetime) -> list[tuple[str, str]]:
        """Give up what waits since before then, for channels that are configured no more as well: (alert, channel)."""
        with self._file.transaction() as db:
            rows = db.execute(
                "UPDATE deliveries SET state = 'undeliverable' WHERE state = 'waiting' "
                "AND alert IN (SELECT id FROM alerts WHERE made_at < ?) RETURNING alert, channel",
                (to_iso(made_before),),
            ).fetchall()
        return sorted((row["alert"], row["channel"]) for row in rows)

    def forget(self, facts_before: datetime, alerts_before: datetime) -> None:
        """Remove facts that happened before, and alerts made before, which by then wait for nobody."""
        with self._file.transaction() as db:
            db.execute("DELETE FROM facts WHERE happened < ?", (to_iso(facts_before),))
            old = "SELECT id FROM alerts WHERE made_at < ?"
            db.execute(
                f"DELETE FROM deliveries WHERE state != 'waiting' AND alert IN ({old})", (to_iso(alerts_before),)
            )
            db.execute(
                "DELETE FROM alerts WHERE made_at < ? AND id NOT IN (SELECT alert FROM deliveries)",
                (to_iso(alerts_before),),
            )

    def counts(self) -> dict[str, int]:
        """How many deliveries there are by state; a missing file is an empty outbox and is not made."""
        if not self.path.exists():
            return {}
        with self._file.reading() as db:
            return dict(tuple(row) for row in db.execute("SELECT state, COUNT(*) FROM deliveries GROUP BY state"))

    def close(self) -> None:
        """Close the file. The next use opens it again."""
        self._file.close()

    def _take(
        self, db: sqlite3.Connection, fact: str, happened: datetime, alerts: Sequence[Alert], now: datetime
    ) -> int:
        new = db.execute("INSERT OR IGNORE INTO facts VALUES (?, ?)", (fact, to_iso(happened))).rowcount == 1
        return sum(self._insert(db, alert, now) for alert in alerts) if new else 0

    def _insert(self, db: sqlite3.Connection, alert: Alert, now: datetime) -> bool:
        body = json.dumps(alert.as_json(), ensure_ascii=False)
        new = db.execute("INSERT OR IGNORE INTO alerts VALUES (?, ?, ?)", (alert.id, body, to_iso(now))).rowcount == 1
        if new:
            rows = [(alert.id, channel, WAITING, 0, to_iso(now)) for channel in self.channels]
            db.executemany("INSERT INTO deliveries VALUES (?, ?, ?, ?, ?)", rows)
        return new


def _about(db: sqlite3.Connection, table: str, about: Sequence[str]) -> sqlite3.Cursor:
    return db.execute(f"SELECT * FROM {table} WHERE subject IN ({', '.join('?' * len(about))})", list(about))


def _condition(row: sqlite3.Row) -> Condition:
    since, seen = datetime.fromisoformat(row["since"]), datetime.fromisoformat(row["seen"])
    return Condition(row["subject"], row["owner"], since, seen, frozenset(json.loads(row["reasons"])))


def _row(condition: Condition) -> tuple[str, ...]:
    since, seen = to_iso(condition.since) or "", to_iso(condition.seen) or ""
    return condition.subject, condition.owner, since, seen, json.dumps(sorted(condition.reasons))
