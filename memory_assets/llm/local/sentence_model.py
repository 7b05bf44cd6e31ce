"""What a sentence is worth to a memory, by a model learned from labelled sentences: its kind, and how long it holds.

A multinomial logistic regression over hashed features (Weinberger et al., 2009), whose weights lie beside this module
as one byte each. ``memory_assets_tests/labelled/kinds`` holds what they are learned from, and the command.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from functools import cache
from importlib.resources import files
from typing import NamedTuple

import numpy as np
from murmurhash.mrmr import hash as murmur

BUCKETS = 1 << 16
WEIGHTS = "sentence_model.npz"
"""``weights`` (one byte each; a row for each of :class:`Kind`, then of :class:`Lasting`), ``scales``, ``biases``."""
MOST_REASONS = 3


class Kind(StrEnum):
    """What a sentence is to a memory."""

    INSTRUCTION = "standing instruction"
    PREFERENCE = "preference"
    TASK = "task"
    FACT = "fact"
    NONE = "none"


class Lasting(StrEnum):
    """How long it is worth knowing."""

    DAYS = "days"
    WEEKS = "weeks"
    YEARS = "years"


class Opinion(NamedTuple):
    """The model's probabilities, each group summing to 1, by which features, and what each says for each kind."""

    kinds: Mapping[Kind, float]
    lasting: Mapping[Lasting, float]
    features: Mapping[str, float]
    parts: np.ndarray

    def reasons(self, kind: Kind) -> tuple[str, ...]:
        """The features, three at most, that speak most for this kind rather than for the others."""
        speaks = self.parts[list(Kind).index(kind)] - self.parts.mean(axis=0)
        strongest = np.argsort(-speaks, kind="stable")[:MOST_REASONS]
        names = list(self.features)
        return tuple(names[at] for at in strongest if speaks[at] > 0)


class _Model(NamedTuple):
    weights: np.ndarray
    biases: np.ndarray


@cache
def _model() -> _Model:
    with (files("memory_assets.llm.local") / WEIGHTS).open("rb") as file:
        found = np.load(file)
        return _Model(found["weights"] * found["scales"][:, None], found["biases"])


def bucket(feature: str) -> tuple[int, int]:
    """A feature's place among the weights, and the sign it has there, so that those that meet cancel out."""
    hashed = murmur(feature)
    return hashed % BUCKETS, 1 if (hashed >> 20) & 1 else -1


def places_of(features: Mapping[str, float]) -> tuple[list[int], np.ndarray]:
    """The features' places among the weights, and their values, each with the sign that it has there."""
    places, signs = zip(*map(bucket, features), strict=True)
    return list(places), np.fromiter(features.values(), float) * signs


def opinion(features: Mapping[str, float]) -> Opinion:
    """What the model thinks of a sentence with these features."""
    model = _model()
    places, values = places_of(features)
    parts = model.weights[:, places] * values
    scores = parts.sum(axis=1) + model.biases
    kinds, lasting = _softmax(scores[: len(Kind)]), _softmax(scores[len(Kind) :])
    return Opinion(
        dict(zip(Kind, map(float, kinds), strict=True)),
        dict(zip(Lasting, map(float, lasting), strict=True)),
        features,
        parts[: len(Kind)],
    )


def _softmax(scores: np.ndarray) -> np.ndarray:
    powers = np.exp(scores - scores.max())
    return np.asarray(powers / powers.sum())
