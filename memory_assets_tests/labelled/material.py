"""The labelled sources and names as records, and precision and recall of answers on them."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import combinations
from pathlib import Path
from typing import Any

from memory_assets.entities.text import canonical_name
from memory_assets.llm.tasks import SourceText, TurnText

FOLDER = Path(__file__).parent
KINDS = ("person", "entity", "concept")
SETS = ("dev", "held")

Named = tuple[str, str]
"""A kind and a name as an answer gives them."""


@dataclass(frozen=True)
class Label:
    """A person, entity or concept that a source names, under any of ``forms`` (canonical names)."""

    kind: str
    entity_type: str
    forms: frozenset[str]
    optional: bool


@dataclass(frozen=True)
class LabelledSource:
    """A source as models see it, and what it names."""

    identifier: str
    subset: str
    text: SourceText
    labels: tuple[Label, ...]


@dataclass
class Score:
    """Counts over sources: ``found`` of ``expected`` labels, and ``wrong`` names beside them."""

    found: int = 0
    expected: int = 0
    wrong: int = 0

    def __iadd__(self, other: Score) -> Score:
        self.found += other.found
        self.expected += other.expected
        self.wrong += other.wrong
        return self

    @property
    def precision(self) -> float:
        """Of what was answered, the share that is right; 0 where nothing was answered."""
        return self.found / (self.found + self.wrong) if self.found + self.wrong else 0.0

    @property
    def recall(self) -> float:
        """Of what is labelled, the share that was answered."""
        return self.found / self.expected if self.expected else 0.0

    @property
    def f1(self) -> float:
        """The harmonic mean of precision and recall."""
        total = self.precision + self.recall
        return 2 * self.precision * self.recall / total if total else 0.0


@dataclass(frozen=True)
class World:
    """One owner's names. ``variants``: records with kind, entity_type, name, who, perhaps address."""

    name: str
    subset: str
    owner: Mapping[str, Any]
    variants: tuple[Mapping[str, str], ...] = field(default=())


def _records(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (FOLDER / name).read_text(encoding="utf-8").splitlines()]


@lru_cache(maxsize=1)
def labelled_sources() -> tuple[LabelledSource, ...]:
    """All of sources.jsonl, in the file's order."""
    return tuple(_source(record) for record in _records("sources.jsonl"))


def _source(record: Mapping[str, Any]) -> LabelledSource:
    turns = (TurnText(index=at, speaker=who, text=text) for at, (who, text) in enumerate(record["turns"]))
    text = SourceText(
        source_type=record["source_type"],
        title=record["title"],
        started_at=None,
        owner_speaker=record["owner_speaker"],
        turns=tuple(turns),
    )
    labels = (
        Label(
            label["kind"],
            label["entity_type"],
            frozenset(canonical_name(form) for form in (label["name"], *label.get("also", ()))),
            label.get("optional", False),
        )
        for label in record["mentions"]
    )
    return LabelledSource(record["id"], record["set"], text, tuple(labels))


def score(source: LabelledSource, answered: Iterable[Named]) -> dict[str, Score]:
    """Precision and recall of one source's answer, by kind.

    A name is right where a label of its kind has it. A second form of the same label, and what is
    labelled as optional, is neither right nor wrong; a name of the wrong kind is wrong, and missing.
    """
    result = {kind: Score() for kind in KINDS}
    for label in source.labels:
        result[label.kind].expected += not label.optional
    found: set[int] = set()
    for kind, name in dict.fromkeys((kind, canonical_name(name)) for kind, name in answered):
        having = [at for at, label in enumerate(source.labels) if label.kind == kind and name in label.forms]
        if not having:
            result[kind].wrong += 1
        elif not source.labels[having[0]].optional and having[0] not in found:
            found.add(having[0])
            result[kind].found += 1
    return result


def total(scores: Iterable[Mapping[str, Score]]) -> dict[str, Score]:
    """The scores of several sources as one: every mention counts the same."""
    result = {kind: Score() for kind in KINDS}
    for one in scores:
        for kind, score_ in one.items():
            result[kind] += score_
    return result


@lru_cache(maxsize=1)
def worlds() -> tuple[World, ...]:
    """All of names.jsonl, one world per owner."""
    owners: dict[str, tuple[str, Mapping[str, Any]]] = {}
    variants: dict[str, list[Mapping[str, str]]] = {}
    for record in _records("names.jsonl"):
        if "owner" in record:
            owners[record["world"]] = (record["set"], record["owner"])
        else:
            variants.setdefault(record["world"], []).append(record)
    return tuple(World(name, subset, owner, tuple(variants[name])) for name, (subset, owner) in owners.items())


def score_pairs(world: World, group_of: Sequence[object]) -> Score:
    """Pairs of a world's variants that an answer calls one: right where the labels do.

    ``group_of``: for each variant, in order, whatever names its group; equal means one and the same.
    Only pairs of one kind count: a person is never an entity.
    """
    result = Score()
    for (at, one), (other_at, other) in combinations(enumerate(world.variants), 2):
        if one["kind"] != other["kind"]:
            continue
        same, called_same = one["who"] == other["who"], group_of[at] == group_of[other_at]
        result.expected += same
        result.found += same and called_same
        result.wrong += called_same and not same
    return result


def counts() -> Counter[str]:
    """How much is labelled: sources, mentions that count, by kind and set; variants and people behind them."""
    result: Counter[str] = Counter(sources=len(labelled_sources()))
    for source in labelled_sources():
        for label in source.labels:
            if not label.optional:
                result["mentions"] += 1
                result[f"mentions {source.subset} {label.kind}"] += 1
    for world in worlds():
        result["variants"] += len(world.variants)
        result["groups"] += len({(variant["kind"], variant["who"]) for variant in world.variants})
    return result
