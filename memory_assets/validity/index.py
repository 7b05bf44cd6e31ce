"""The statements of one user by their terms, in an SQLite file of the installation: made from the graph alone.

For each term its statements lie in order of time, so that those nearest to a day are found in the same time however
many there are. The file can be removed at any time: the next judgement makes it again. It is its owner's alone to read.
"""

from __future__ import annotations

import heapq
import sqlite3
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from memory_assets.errors import MemoryAssetsError
from memory_assets.files.sqlite_file import DerivedFile
from memory_assets.validity.policy import RULES, Statement, ValidityRules, terms_of

_SCHEMA = """
CREATE TABLE IF NOT EXISTS statements (
  number INTEGER PRIMARY KEY,
  memory_id TEXT NOT NULL UNIQUE,
  instant TEXT NOT NULL,
  turn INTEGER NOT NULL,
  position INTEGER NOT NULL,
  speaker TEXT NOT NULL,
  content_type TEXT NOT NULL,
  anchors TEXT NOT NULL,
  text TEXT NOT NULL,
  vector BLOB,
  is_dated INTEGER NOT NULL,
  source_id TEXT NOT NULL
);
CREATE TABLE IF NOT EXISTS terms (
  term INTEGER NOT NULL, instant TEXT NOT NULL, number INTEGER NOT NULL, PRIMARY KEY (term, instant, number)
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS terms_of_statements ON terms (number);
"""
_NEAREST = """
SELECT number FROM (SELECT number FROM terms WHERE term = :term AND instant <= :instant
  ORDER BY instant DESC, number DESC LIMIT :reach)
UNION
SELECT number FROM (SELECT number FROM terms WHERE term = :term AND instant > :instant
  ORDER BY instant, number LIMIT :reach)
"""
_FEW = "SELECT number FROM statements LIMIT :most"
WIDER = 3
"""So many times as many are looked at as are compared in the end: some are other people's."""


class StatementIndexError(MemoryAssetsError):
    """The file cannot be used."""


class StatementIndex(DerivedFile):
    """One user's index at ``path``."""

    schema, error = _SCHEMA, StatementIndexError
    what, again = "index", "materialize statement_validity again"

    def replace(self, gone: Iterable[str], statements: Iterable[Statement]) -> None:
        """Forget those that are gone; what is given is there as it is now. One transaction."""
        given = list(statements)
        with self.transaction() as connection:
            for memory_id in (*gone, *(statement.memory_id for statement in given)):
                _forget(connection, memory_id)
            for statement in given:
                _add(connection, statement)

    def ids(self) -> list[str]:
        """Of which statements it knows."""
        with self.reading() as connection:
            return [row["memory_id"] for row in connection.execute("SELECT memory_id FROM statements")]

    def near(self, statement: Statement, rules: ValidityRules = RULES) -> list[tuple[Statement, float]]:
        """The statements that share most with one, of those nearest in time, each with how much; not itself."""
        shared: defaultdict[int, float] = defaultdict(float)
        buckets: defaultdict[int, float] = defaultdict(float)
        with self.reading() as connection:
            for term, worth in terms_of(statement).items():
                asked = {"term": term, "instant": statement.at[0], "reach": rules.reach}
                counts, by = (shared, worth) if worth else (buckets, 1.0)
                for (number,) in connection.execute(_NEAREST, asked):
                    counts[number] += by
            alike = [number for number in _most(shared, WIDER * rules.by_words) if shared[number] >= rules.least_shared]
            few = [row["number"] for row in connection.execute(_FEW, {"most": rules.few + 1})]
            wanted = sorted(
                {*alike, *_most(buckets, WIDER * rules.by_meaning), *(few if len(few) <= rules.few else ())}
            )
            marks = ", ".join("?" * len(wanted))
            rows = connection.execute(f"SELECT * FROM statements WHERE number IN ({marks})", wanted).fetchall()
        return [(_read(row), shared[row["number"]]) for row in rows if row["memory_id"] != statement.memory_id]


def _most(counts: Mapping[int, float], most: int) -> list[int]:
    """The numbers that count most; of equals those that came first."""
    return heapq.nsmallest(most, counts, key=lambda number: (-counts[number], number))


def _forget(connection: sqlite3.Connection, memory_id: str) -> None:
    row = connection.execute("SELECT number FROM statements WHERE memory_id = ?", (memory_id,)).fetchone()
    if row is not None:
        connection.execute("DELETE FROM terms WHERE number = ?", (row["number"],))
        connection.execute("DELETE FROM statements WHERE number = ?", (row["number"],))


def _add(connection: sqlite3.Connection, statement: Statement) -> None:
    vector = None if statement.vector is None else np.asarray(statement.vector, np.float16).tobytes()
    made = connection.execute(
        "INSERT INTO statements (memory_id, instant, turn, position, speaker, content_type, anchors, text, vector, "
        "is_dated, source_id) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (statement.memory_id, *statement.at, statement.speaker, statement.content_type, "\n".join(statement.anchors))
        + (statement.text, vector, statement.is_dated, statement.source_id),
    )
    rows = [(term, statement.at[0], made.lastrowid) for term in terms_of(statement)]
    connection.executemany("INSERT OR IGNORE INTO terms VALUES (?, ?, ?)", rows)


def _read(row: sqlite3.Row) -> Statement:
    anchors: Sequence[str] = row["anchors"].split("\n") if row["anchors"] else ()
    vector = None if row["vector"] is None else np.frombuffer(row["vector"], np.float16).astype(np.float32)
    at = row["instant"], row["turn"], row["position"]
    fields = row["memory_id"], row["text"], at, row["speaker"], row["content_type"], tuple(anchors), vector
    return Statement(*fields, bool(row["is_dated"]), row["source_id"])
