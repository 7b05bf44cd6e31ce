"""The words of one user's readable sources in an SQLite file of the installation: made from the graph, never its owner.

FTS5 with four fields per passage (``passages.fields``). The file can be removed at any time: the next recall makes
it again. It holds what the graph holds of the user's readable sources, masked as that is, and is the owner's alone
to read.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from datetime import date, timedelta
from pathlib import Path

from memory_assets.errors import MemoryAssetsError
from memory_assets.files.sqlite_file import SqliteFile
from memory_assets.recall.policy import RULES, Found, Passage, RecallRules, fields, match_expression

VERSION = 1
"""Part of each source's mark: raise it when the same source would be indexed differently."""

_SCHEMA = """
CREATE TABLE IF NOT EXISTS sources (id TEXT PRIMARY KEY, mark TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS passages (
  number INTEGER PRIMARY KEY,
  source_id TEXT NOT NULL,
  place INTEGER NOT NULL,
  turn INTEGER NOT NULL,
  speaker TEXT,
  said_at TEXT,
  text TEXT NOT NULL,
  UNIQUE (source_id, place)
);
CREATE VIRTUAL TABLE IF NOT EXISTS words USING fts5(own, next1, next2, next4, content='', tokenize='porter unicode61 remove_diacritics 2');
"""  # noqa: E501


_SAID_BEFORE = (
    " AND EXISTS (SELECT 1 FROM passages AS q WHERE q.number = words.rowid AND (q.said_at IS NULL OR q.said_at < ?))"
)


class IndexFileError(MemoryAssetsError):
    """The file cannot be used."""


class PassageIndex:
    """One user's index at ``path``."""

    def __init__(self, path: Path) -> None:
        self._file = SqliteFile(
            path,
            _SCHEMA,
            lambda reason: IndexFileError(
                f"The index {path} cannot be used: {reason}. It follows from the graph: remove it, and recall again."
            ),
        )

    def marks(self) -> dict[str, str]:
        """What each indexed source was indexed from."""
        with self._file.reading() as connection:
            return {row["id"]: row["mark"] for row in connection.execute("SELECT id, mark FROM sources")}

    def replace(self, sources: Mapping[str, tuple[str, Sequence[Passage]]]) -> None:
        """Index these sources, each with its mark, in one transaction; what stood of them before is forgotten."""
        with self._file.transaction() as connection:
            for identifier, (mark, passages) in sources.items():
                _forget(connection, identifier)
                for place, (passage, columns) in enumerate(zip(passages, fields(passages), strict=True)):
                    cursor = connection.execute(
                        "INSERT INTO passages (source_id, place, turn, speaker, said_at, text) VALUES (?, ?, ?, ?, "
                        "?, ?)",
                        (identifier, place, *passage),
                    )
                    connection.execute(
                        "INSERT INTO words (rowid, own, next1, next2, next4) VALUES (?, ?, ?, ?, ?)",
                        (cursor.lastrowid, *columns),
                    )
                connection.execute("INSERT INTO sources (id, mark) VALUES (?, ?)", (identifier, mark))

    def forget(self, identifiers: Iterable[str]) -> None:
        """Drop sources that are gone, or that the user may not read any more."""
        with self._file.transaction() as connection:
            for identifier in identifiers:
                _forget(connection, identifier)

    def search(self, terms: Sequence[str], rules: RecallRules = RULES, until: date | None = None) -> list[Found]:
        """The passages with any of these terms, best first, at most ``rules.candidates``; said up to a day (UTC), or
        at a time that is not known.
        """
        if not terms:
            return []
        # Asked for a day alone: to look each match up costs more than to rank it.
        said = _SAID_BEFORE if until else ""
        before = [(until + timedelta(days=1)).isoformat()] if until else []
        with self._file.reading() as connection:
            rows = connection.execute(
                "SELECT p.source_id, p.place, p.turn, p.speaker, p.said_at, p.text, -found.score AS score FROM ("
                f" SELECT rowid AS number, bm25(words, ?, ?, ?, ?) AS score FROM words WHERE words MATCH ?{said}"
                " ORDER BY score, rowid LIMIT ?) AS found JOIN passages AS p ON p.number = found.number"
                " ORDER BY found.score, p.source_id, p.place",
                (*rules.field_weights, match_expression(terms), *before, rules.candidates),
            ).fetchall()
        return [Found(**dict(row)) for row in rows]

    def at(self, places: Iterable[tuple[str, int]]) -> dict[tuple[str, int], Found]:
        """The passages at these places of their sources, as far as there are any; their score is 0."""
        with self._file.reading() as connection:
            found = [
                connection.execute(
                    "SELECT source_id, place, turn, speaker, said_at, text, 0.0 AS score FROM passages"
                    " WHERE source_id = ? AND place = ?",
                    place,
                ).fetchone()
                for place in places
            ]
        return {(row["source_id"], row["place"]): Found(**dict(row)) for row in found if row is not None}

    def of_turns(self, turns: Iterable[tuple[str, int]], around: int) -> list[Found]:
        """The passages of these turns of their sources, and so many turns before and after them; scored by nearness."""
        best: dict[tuple[str, int], Found] = {}
        with self._file.reading() as connection:
            for source_id, turn in turns:
                rows = connection.execute(
                    "SELECT source_id, place, turn, speaker, said_at, text,"
                    " 1.0 / (1 + abs(turn - ?)) AS score FROM passages"
                    " WHERE source_id = ? AND turn BETWEEN ? AND ? ORDER BY place",
                    (turn, source_id, turn - around, turn + around),
                )
                for row in rows:
                    passage = Found(**dict(row))
                    key = passage.source_id, passage.place
                    if key not in best or best[key].score < passage.score:
                        best[key] = passage
        return sorted(best.values(), key=lambda p: (-p.score, p.source_id, p.place))

    def close(self) -> None:
        """Close the file."""
        self._file.close()


def _forget(connection: sqlite3.Connection, identifier: str) -> None:
    """Contentless FTS5 forgets a row when it is told once more what stood there: it follows from the passages."""
    rows = connection.execute(
        "SELECT number, turn, speaker, said_at, text FROM passages WHERE source_id = ? ORDER BY place", (identifier,)
    ).fetchall()
    passages = [Passage(row["turn"], row["speaker"], row["said_at"], row["text"]) for row in rows]
    for row, columns in zip(rows, fields(passages), strict=True):
        connection.execute(
            "INSERT INTO words (words, rowid, own, next1, next2, next4) VALUES ('delete', ?, ?, ?, ?, ?)",
            (row["number"], *columns),
        )
    connection.execute("DELETE FROM passages WHERE source_id = ?", (identifier,))
    connection.execute("DELETE FROM sources WHERE id = ?", (identifier,))
