"""Where erased words are found: a search through the bytes of all files of a home, whoever has written them.

Words are looked for as UTF-8 and as JSON escapes them, without case. A word counts where it stands by itself, or with
at most two letters before and behind it: lengths and escapes stand there (a length of 65 is the letter A).
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator, Mapping
from pathlib import Path

import numpy as np

CHUNK = 1 << 24
OVERLAP = 512
BESIDE = 2
PREFIX = 4
_HASH = np.uint32(2_654_435_761)
_BITS = 16


def files_in(home: Path, *, without: Collection[Path] = ()) -> Iterator[Path]:
    """Every regular file below a folder, but what is below ``without``; no link is followed."""
    for path in sorted(home.rglob("*")):
        if path.is_symlink() or not path.is_file() or any(path.is_relative_to(other) for other in without):
            continue
        yield path


def search(paths: Iterable[Path], words: Collection[str], known: Collection[str] = ()) -> dict[Path, set[str]]:
    """The words that each file holds, for files that hold any. What is one of the ``known`` words is none of them."""
    finder = Finder(words, known)
    found = ((path, finder.in_file(path)) for path in paths)
    return {path: hits for path, hits in found if hits}


class Finder:
    """Looks for words in bytes."""

    def __init__(self, words: Collection[str], known: Collection[str] = ()) -> None:
        self.known = known
        self._forms: dict[int, list[tuple[bytes, str]]] = {}
        for word in words:
            for form in _forms(word):
                self._forms.setdefault(int.from_bytes(form[:PREFIX], "little"), []).append((form, word))
        prefixes = np.array(sorted(self._forms), dtype=np.uint32)
        self._prefixes = prefixes
        self._seen = np.zeros(1 << _BITS, dtype=bool)
        self._seen[_hashed(prefixes)] = True

    def in_file(self, path: Path) -> set[str]:
        """The words in a file; none in one that has gone meanwhile."""
        found: set[str] = set()
        try:
            with path.open("rb") as file:
                before = b""
                while data := file.read(CHUNK):
                    found |= self.in_bytes(before + data)
                    before = data[-OVERLAP:]
        except FileNotFoundError:
            return set()
        return found

    def in_bytes(self, data: bytes) -> set[str]:
        """The words in some bytes."""
        low = data.lower()
        if len(low) < PREFIX or not len(self._prefixes):
            return set()
        letters = np.frombuffer(low, dtype=np.uint8).astype(np.uint32)
        starts = letters[:-3] | letters[1:-2] << 8 | letters[2:-1] << 16 | letters[3:] << 24
        near = np.flatnonzero(self._seen[_hashed(starts)])
        near = near[np.isin(starts[near], self._prefixes)]
        found: set[str] = set()
        for at in near.tolist():
            for form, word in self._forms[int(starts[at])]:
                if word not in found and low.startswith(form, at) and self._stands(low, at, at + len(form)):
                    found.add(word)
        return found

    def _stands(self, low: bytes, start: int, end: int) -> bool:
        """Whether it is a word there, and no part of another."""
        first, last = start, end
        while first > 0 and start - first <= BESIDE and _is_letter(low[first - 1]):
            first -= 1
        while last < len(low) and last - end <= BESIDE and _is_letter(low[last]):
            last += 1
        if start - first > BESIDE or last - end > BESIDE:
            return False
        runs = (
            low[cut:to] for cut in range(first, start + 1) for to in range(end, last + 1) if (cut, to) != (start, end)
        )
        return not any(run.decode("utf-8", "replace") in self.known for run in runs)


def _is_letter(byte: int) -> bool:
    return byte >= 0x80 or 48 <= byte <= 57 or 97 <= byte <= 122


def _forms(word: str) -> set[bytes]:
    if word.isascii():
        return {word.encode()}
    cased = {word, word.title(), word.upper()}
    return {text.encode().lower() for form in cased for text in (form, json.dumps(form)[1:-1])}


def _hashed(values: np.ndarray) -> np.ndarray:
    return (values * _HASH) >> np.uint32(32 - _BITS)


def told(found: Mapping[Path, set[str]], home: Path) -> dict[str, int]:
    """How many of the words each file holds, by its path; never a word."""
    return {str(path.relative_to(home)): len(hits) for path, hits in sorted(found.items())}
