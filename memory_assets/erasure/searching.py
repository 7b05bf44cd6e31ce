"""Where erased words and phrases are found: a search through the bytes of all files of a home, whatever wrote them.

They are looked for as UTF-8 and as JSON escapes them, words without case. A word counts by itself, or with at
most two letters before and behind it: lengths and escapes are there (a length of 65 is the letter A). So do the first
and the last word of a phrase. In a UUID, as runs bear one, no letters may be beside it: it is random, and short
words of hexadecimal digits (a commit, a reference) would be found in it by chance.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from pathlib import Path

import numpy as np

from memory_assets.erasure.words import PHRASE, readings_of, runs_in

CHUNK = 1 << 24
OVERLAP = 2048
BESIDE = 2
PREFIX = 4
_UUID = re.compile(rb"[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}")
_UUID_LENGTH = 36
_HASH = np.uint32(2_654_435_761)
_BITS = 16
_WEIGHTS = np.array([0x9E3779B97F4A7C15**power % (1 << 64) for power in range(PHRASE)], dtype=np.uint64)


def files_in(home: Path, *, without: Collection[Path] = ()) -> Iterator[Path]:
    """Every regular file below a folder, but what is below ``without``; no link is followed."""
    for path in sorted(home.rglob("*")):
        if path.is_symlink() or not path.is_file() or any(path.is_relative_to(other) for other in without):
            continue
        yield path


def search(paths: Iterable[Path], finder: Finder) -> dict[Path, set[str]]:
    """The words and phrases that each file holds, or is called by, for files that hold any."""
    found = ((path, finder.in_file(path) | finder.in_bytes(os.fsencode(path))) for path in paths)
    return {path: hits for path, hits in found if hits}


class Finder:
    """Looks for words and phrases in bytes. What is one of the ``known`` words is none of them."""

    def __init__(self, terms: Collection[str], known: Collection[str] = ()) -> None:
        self.known = known
        phrases = [tuple(term.encode().split()) for term in terms if " " in term]
        self._numbers = {run: number for number, run in enumerate(sorted({run for one in phrases for run in one}), 1)}
        self._phrases = {tuple(self._numbers[run] for run in one) for one in phrases}
        self._sums = np.array(sorted({_sum(one) for one in self._phrases}), dtype=np.uint64)
        self._texts = sorted(self._numbers, key=self._numbers.__getitem__)
        self._forms: dict[int, list[tuple[bytes, str]]] = {}
        for word in terms:
            if " " in word:
                continue
            for form in _forms(word):
                self._forms.setdefault(int.from_bytes(form[:PREFIX], "little"), []).append((form, word))
        prefixes = np.array(sorted(self._forms), dtype=np.uint32)
        self._prefixes = prefixes
        self._seen = np.zeros(1 << _BITS, dtype=bool)
        self._seen[_hashed(prefixes)] = True

    def in_file(self, path: Path) -> set[str]:
        """The words and phrases in a file; none in one that has gone meanwhile."""
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
        """The words and phrases in some bytes."""
        return self._words_in(data.lower()).union(*map(self._phrases_in, readings_of(data) if self._phrases else ()))

    def _phrases_in(self, data: bytes) -> set[str]:
        runs = runs_in(data)
        if len(runs) < PHRASE:
            return set()
        numbers = np.fromiter((self._numbers.get(run, 0) for run in runs), dtype=np.uint64, count=len(runs))
        inner = np.lib.stride_tricks.sliding_window_view(numbers, PHRASE - 2).min(axis=1) > 0
        ends = np.unique(np.concatenate((np.flatnonzero(inner) - 1, np.flatnonzero(inner) + PHRASE - 2)))
        for at in ends[(ends >= 0) & (ends < len(runs))].tolist():
            numbers[at] = numbers[at] or self._beside(runs[at])
        windows = np.lib.stride_tricks.sliding_window_view(numbers, PHRASE)
        windows = windows[inner[1:-1] & (windows.min(axis=1) > 0)]
        windows = windows[np.isin((windows * _WEIGHTS).sum(axis=1, dtype=np.uint64), self._sums)]
        found = self._phrases.intersection(map(tuple, windows.tolist()))
        return {b" ".join(self._texts[number - 1] for number in one).decode("utf-8", "replace") for one in found}

    def _beside(self, run: bytes) -> int:
        """The number of a word that has letters beside it; 0 of any other."""
        if len(run) < 3 or run.decode("utf-8", "replace") in self.known:
            return 0
        cut = (run[before : len(run) - after] for before in range(BESIDE + 1) for after in range(BESIDE + 1))
        return next((number for one in cut if (number := self._numbers.get(one))), 0)

    def _words_in(self, low: bytes) -> set[str]:
        if len(low) < PREFIX or not len(self._prefixes):
            return set()
        letters = np.frombuffer(low, dtype=np.uint8).astype(np.uint32)
        starts = letters[:-3] | letters[1:-2] << 8 | letters[2:-1] << 16 | letters[3:] << 24
        near = np.flatnonzero(self._seen[_hashed(starts)])
        near = near[np.isin(starts[near], self._prefixes)]
        found: set[str] = set()
        for at in near.tolist():
            for form, word in self._forms[int(starts[at])]:
                if word not in found and low.startswith(form, at) and self._is_word(low, at, at + len(form)):
                    found.add(word)
        return found

    def _is_word(self, low: bytes, start: int, end: int) -> bool:
        """Whether it is a word there, and no part of another."""
        first, last = start, end
        while first > 0 and start - first <= BESIDE and _is_letter(low[first - 1]):
            first -= 1
        while last < len(low) and last - end <= BESIDE and _is_letter(low[last]):
            last += 1
        if start - first > BESIDE or last - end > BESIDE:
            return False
        if _is_part_in_uuid(low, start, end):
            return False
        runs = (
            low[cut:to] for cut in range(first, start + 1) for to in range(end, last + 1) if (cut, to) != (start, end)
        )
        return not any(run.decode("utf-8", "replace") in self.known for run in runs)


def _is_part_in_uuid(low: bytes, start: int, end: int) -> bool:
    """Whether a UUID is around it of which it is no whole group."""
    uuids = _UUID.finditer(low, max(0, start - _UUID_LENGTH), end + _UUID_LENGTH)
    around = (match for match in uuids if match.start() <= start and end <= match.end())
    return any(
        (start > match.start() and low[start - 1] != ord("-")) or (end < match.end() and low[end] != ord("-"))
        for match in around
    )


def _is_letter(byte: int) -> bool:
    return byte >= 0x80 or 48 <= byte <= 57 or 97 <= byte <= 122


def _forms(word: str) -> set[bytes]:
    if word.isascii():
        return {word.encode()}
    cased = {word, word.title(), word.upper()}
    return {text.encode().lower() for form in cased for text in (form, json.dumps(form)[1:-1])}


def _sum(numbers: Collection[int]) -> int:
    return sum(number * int(weight) for number, weight in zip(numbers, _WEIGHTS, strict=True)) % (1 << 64)


def _hashed(values: np.ndarray) -> np.ndarray:
    return (values * _HASH) >> np.uint32(32 - _BITS)


def counts_by_file(found: Mapping[Path, set[str]], home: Path) -> dict[str, int]:
    """How many of the words each file holds, by its path, in the home from there; never a word."""
    named = {path: path.relative_to(home) if path.is_relative_to(home) else path for path in sorted(found)}
    return {str(name): len(found[path]) for path, name in named.items()}
