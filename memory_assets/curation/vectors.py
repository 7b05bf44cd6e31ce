"""The vectors and words of what may be compared of one user's, by kind, in an SQLite file that follows from the graph.

What is near to a memory is found exactly, by one product with all vectors of its kind (50,000 of 256 numbers in a
fraction of a second). The file can be removed at any time: the next comparison makes it again. It is its owner's alone
to read.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

from memory_assets.curation.likeness import RULES, Claim, normalise
from memory_assets.errors import MemoryAssetsError
from memory_assets.files.sqlite_file import DerivedFile
from memory_assets.graph.statements import in_parts
from memory_assets.model import fingerprint

RECIPE = "1"
"""Raise it when a column or the normalised words change: all is made again."""
AT_ONCE = 64
"""So many are compared by one product: its memory has a bound."""
ROUNDING = 0.002
_SCHEMA = """
CREATE TABLE IF NOT EXISTS vectors (
  memory_id TEXT PRIMARY KEY,
  kind TEXT NOT NULL,
  speaker TEXT NOT NULL,
  words TEXT NOT NULL,
  embedder TEXT NOT NULL,
  vector BLOB
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS vectors_by_words ON vectors (kind, speaker, words);
"""


class VectorFileError(MemoryAssetsError):
    """The file cannot be used."""


class Compared(NamedTuple):
    """A memory as it is compared: its kind, what it says, and its vector with whose it is; None without."""

    id: str
    kind: str
    claim: Claim
    embedder: str
    vector: np.ndarray | None
    is_settled: bool = False
    """Somebody has decided something about it: it is never merged unasked."""

    @property
    def speaker(self) -> str:
        """Who says it, in the normal form."""
        return normalise(self.claim.speaker)

    @property
    def words(self) -> str:
        """A digest of its words in their normal form."""
        return fingerprint(normalise(self.claim.text))

    @property
    def half(self) -> bytes | None:
        """Its vector as it is stored, in half the bytes."""
        return None if self.vector is None else np.asarray(self.vector, np.float16).tobytes()


class VectorFile(DerivedFile):
    """One user's vectors at ``path``."""

    schema, error, again = _SCHEMA, VectorFileError, "curate again"

    def replace(self, gone: Iterable[str], there: Iterable[Compared]) -> None:
        """Forget those that are gone; what is given is there as it is now. One transaction."""
        rows = [(one.id, one.kind, one.speaker, one.words, one.embedder, one.half) for one in there]
        with self.transaction() as connection:
            connection.executemany("DELETE FROM vectors WHERE memory_id = ?", ((name,) for name in gone))
            connection.executemany("INSERT OR REPLACE INTO vectors VALUES (?, ?, ?, ?, ?, ?)", rows)

    def near(self, given: Sequence[Compared], least: float = RULES.candidate, most: int = 50) -> list[tuple[str, str]]:
        """The pairs of a given memory and another one of its kind and speaker that has the same words or is so near,
        the nearest ``most`` of each.
        """
        found: set[tuple[str, str]] = set()
        with self.reading() as connection:
            for kind in sorted({one.kind for one in given}):
                of_kind = [one for one in given if one.kind == kind]
                found |= _same_words(connection, of_kind, most) | _near(connection, of_kind, least, most)
        return sorted(found)


def _same_words(connection: sqlite3.Connection, given: Sequence[Compared], most: int) -> set[tuple[str, str]]:
    query = "SELECT memory_id FROM vectors WHERE kind = ? AND words = ? AND speaker = ? AND memory_id <> ? LIMIT ?"
    return {
        _pair(one.id, name)
        for one in given
        for (name,) in connection.execute(query, (one.kind, one.words, one.speaker, one.id, most))
    }


def _near(connection: sqlite3.Connection, given: Sequence[Compared], least: float, most: int) -> set[tuple[str, str]]:
    found: set[tuple[str, str]] = set()
    groups: dict[tuple[str, str, str, int], list[Compared]] = {}
    for one in given:
        if one.vector is not None:
            groups.setdefault((one.kind, one.speaker, one.embedder, len(one.vector)), []).append(one)
    query = (
        "SELECT memory_id, vector FROM vectors WHERE kind = ? AND speaker = ? AND embedder = ? AND length(vector) = ?"
        " ORDER BY memory_id"
    )
    for (kind, speaker, embedder, width), ones in sorted(groups.items()):
        rows = connection.execute(query, (kind, speaker, embedder, 2 * width)).fetchall()
        if not rows:
            continue
        stored = np.frombuffer(b"".join(row[1] for row in rows), np.float16).reshape(-1, width).astype(np.float32)
        for some in in_parts(ones, AT_ONCE):
            asked = np.stack([np.asarray(one.vector, np.float32) for one in some])
            # What is stored in half the bytes may be a little further away: the judge gets the exact cosine.
            for one, cosines in zip(some, asked @ stored.T, strict=True):
                near = np.flatnonzero(cosines >= least - ROUNDING)
                best = near[np.argsort(-cosines[near], kind="stable")][: most + 1]
                found |= {_pair(one.id, rows[at][0]) for at in best if rows[at][0] != one.id}
    return found


def _pair(one: str, other: str) -> tuple[str, str]:
    return (one, other) if one < other else (other, one)
