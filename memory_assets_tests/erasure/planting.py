"""Words and sentences that nobody else has, and a search for them that is not the one that an erasure ends with: it
takes each file as a whole, and all that a server of its own stores.
"""

from __future__ import annotations

import json
import os
import random
import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

import neo4j

SYLLABLES = ["zor", "vex", "quil", "mub", "drax", "fyn", "hop", "jast", "kly", "wem", "pruv", "gwi"]
COMMON = (
    "we will not be able to go on with this and so it was for her then they came home late had no more of that".split()
)
"""Words that stand in anything: a sentence of them is known by their order alone."""
LENGTH = 14
_ESCAPE = re.compile(rb"\\+(?:u[0-9a-f]{4}|[nrt])")
_BETWEEN = re.compile(rb"[^a-z0-9]+")


def planted(seed: str, count: int = 50) -> list[str]:
    """Words that nobody else has."""
    chance = random.Random(seed)
    words: set[str] = set()
    while len(words) < count:
        words.add("".join(chance.choices(SYLLABLES, k=3)) + seed[0])
    return sorted(words)


class Garden:
    """What is planted of one owner, by place: words, and sentences of common words alone."""

    def __init__(self, owner: str, count: int = 200) -> None:
        self._words = iter(planted(owner, count))
        self._chance = random.Random(owner)
        self.by_place: dict[str, list[str]] = defaultdict(list)

    def word(self, place: str) -> str:
        """A new word, as names are written."""
        self.by_place[place].append(word := next(self._words))
        return word.capitalize()

    def plain(self, place: str) -> str:
        """A new sentence of common words; its two halves are looked for, because texts are cut."""
        words = self._chance.choices(COMMON, k=LENGTH)
        self.by_place[place] += [" ".join(words[: LENGTH // 2]), " ".join(words[LENGTH // 2 :])]
        return f"{' '.join(words).capitalize()}."

    def said(self, place: str) -> str:
        """Something worth keeping with a new word, and a sentence of common words."""
        return f"I decided that the {self.word(place)} project costs 400 euros. {self.plain(place)}"

    def of(self, *places: str) -> dict[str, list[str]]:
        """What is planted in some places."""
        return {place: self.by_place[place] for place in places}


def bytes_of(home: Path, *, inbox: bool = False) -> list[bytes]:
    """Everything that the installation stores, without case: files with their paths, and a server's graph."""
    paths = [path for path in sorted(home.rglob("*")) if path.is_file() and not path.is_symlink()]
    stored = [
        path.read_bytes().lower() + b"\0" + str(path.relative_to(home)).lower().encode()
        for path in paths
        if inbox or not path.is_relative_to(home / "inbox")
    ]
    return [*stored, *served()]


def served() -> list[bytes]:
    """All nodes and relationships of the Neo4j that the tests run on; nothing where they run on embedded engines."""
    if "NEO4J_URI" not in os.environ:
        return []
    login = (os.environ.get("NEO4J_USERNAME", "neo4j"), os.environ["NEO4J_PASSWORD"])
    parts = (
        "MATCH (n) RETURN labels(n) AS t, properties(n) AS p",
        "MATCH ()-[r]->() RETURN type(r) AS t, properties(r) AS p",
    )
    with (
        closing(neo4j.GraphDatabase.driver(os.environ["NEO4J_URI"], auth=login)) as driver,
        driver.session(database=os.environ.get("NEO4J_DATABASE")) as session,
    ):
        return [
            json.dumps(session.run(part).data(), default=str, ensure_ascii=False).lower().encode() for part in parts
        ]


def found(home: Path, needles: Iterable[str], *, inbox: bool = False) -> set[str]:
    """Which of the words and phrases stand anywhere; of phrases white space, marks and escapes are no part."""
    needles = set(needles)
    there: set[str] = set()
    for data in bytes_of(home, inbox=inbox):
        plain = _BETWEEN.sub(b" ", _ESCAPE.sub(b" ", data)) if any(" " in needle for needle in needles - there) else b""
        there |= {one for one in needles - there if one.lower().encode() in (plain if " " in one else data)}
    return there


def found_by_place(home: Path, wanted: Mapping[str, Iterable[str]], *, inbox: bool = False) -> dict[str, Any]:
    """What of each place is found anywhere, for places of which anything is."""
    there = found(home, {one for needles in wanted.values() for one in needles}, inbox=inbox)
    left = {place: sorted(there.intersection(needles)) for place, needles in wanted.items()}
    return {place: needles for place, needles in left.items() if needles}
