"""The words and vectors of one user's storylines, or of their themes, in an SQLite file: made from the graph, never its
owner. The file can be removed at any time: the next recall makes it again.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from memory_assets.files.sqlite_file import SqliteFile
from memory_assets.recall.index import IndexFileError
from memory_assets.recall.levels import RULES, LevelRules
from memory_assets.recall.policy import match_expression, spaced

_SCHEMA = """
CREATE TABLE IF NOT EXISTS overviews (number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, mark TEXT NOT NULL, embedder TEXT, vector BLOB);
CREATE VIRTUAL TABLE IF NOT EXISTS words USING fts5(title, text, tokenize='porter unicode61 remove_diacritics 2');
"""  # noqa: E501


@dataclass(frozen=True)
class Overview:
    """What is indexed of a storyline or theme; a vector is of its embedder."""

    mark: str
    title: str
    text: str
    embedder: str | None
    vector: Sequence[float] | None


class OverviewIndex:
    """One level of one user's index at ``path``."""

    def __init__(self, path: Path) -> None:
        self._file = SqliteFile(
            path,
            _SCHEMA,
            lambda reason: IndexFileError(
                f"The index {path} cannot be used: {reason}. It follows from the graph: remove it, and recall again."
            ),
        )

    def marks(self) -> dict[str, str]:
        """What each was indexed from."""
        with self._file.reading() as connection:
            return {row["id"]: row["mark"] for row in connection.execute("SELECT id, mark FROM overviews")}

    def replace(self, overviews: Mapping[str, Overview], gone: Iterable[str] = ()) -> None:
        """Index these and forget what is ``gone``, in one transaction."""
        with self._file.transaction() as connection:
            for name in [*gone, *overviews]:
                _forget(connection, name)
            for name, one in overviews.items():
                vector = None if one.vector is None else np.asarray(one.vector, dtype=np.float32).tobytes()
                cursor = connection.execute(
                    "INSERT INTO overviews (id, mark, embedder, vector) VALUES (?, ?, ?, ?)",
                    (name, one.mark, one.embedder, vector),
                )
                connection.execute(
                    "INSERT INTO words (rowid, title, text) VALUES (?, ?, ?)",
                    (cursor.lastrowid, spaced(one.title), spaced(one.text)),
                )

    def by_words(self, terms: Sequence[str], rules: LevelRules = RULES) -> dict[str, float]:
        """The score above 0 of each that has any of these terms."""
        if not terms:
            return {}
        with self._file.reading() as connection:
            rows = connection.execute(
                "SELECT o.id, -bm25(words, ?, 1.0) AS score FROM words JOIN overviews AS o ON o.number = words.rowid"
                " WHERE words MATCH ?",
                (rules.title_weight, match_expression(terms)),
            ).fetchall()
        return {row["id"]: row["score"] for row in rows}

    def by_meaning(self, vector: Sequence[float], embedder: str) -> dict[str, float]:
        """The cosine of each with a vector, less the mean of all; of those with a vector of the same ``embedder``."""
        with self._file.reading() as connection:
            rows = connection.execute(
                "SELECT id, vector FROM overviews WHERE embedder = ? AND vector IS NOT NULL ORDER BY id", (embedder,)
            ).fetchall()
        width = len(vector) * np.dtype(np.float32).itemsize
        known = {row["id"]: np.frombuffer(row["vector"], np.float32) for row in rows if len(row["vector"]) == width}
        if not known:
            return {}
        likeness = np.stack(list(known.values())) @ np.asarray(vector, dtype=np.float32)
        return dict(zip(known, (likeness - likeness.mean()).tolist(), strict=True))

    def close(self) -> None:
        """Close the file."""
        self._file.close()


def _forget(connection: sqlite3.Connection, name: str) -> None:
    for row in connection.execute("SELECT number FROM overviews WHERE id = ?", (name,)).fetchall():
        connection.execute("DELETE FROM words WHERE rowid = ?", (row["number"],))
        connection.execute("DELETE FROM overviews WHERE number = ?", (row["number"],))
