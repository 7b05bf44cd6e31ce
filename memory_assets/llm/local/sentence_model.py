"""What a sentence is worth to a memory, by a model learned from labelled sentences: its kind, and how long it holds.

A multinomial logistic regression (:mod:`.regression`). ``memory_assets_tests/labelled/kinds`` holds what its weights
are learned from, and the command.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import NamedTuple

import numpy as np

from memory_assets.llm.local.regression import reasons, regression

WEIGHTS = "sentence_model.npz"
"""A row for each of :class:`Kind`, then of :class:`Lasting`."""


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
        return reasons(self.features, self.parts[list(Kind).index(kind)] - self.parts.mean(axis=0))


def opinion(features: Mapping[str, float]) -> Opinion:
    """What the model thinks of a sentence with these features."""
    model = regression(WEIGHTS)
    parts = model.parts(features)
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
