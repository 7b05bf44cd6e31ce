"""Regressions over hashed features (Weinberger et al., 2009) whose weights lie beside this module as one byte each."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache
from importlib.resources import files
from typing import NamedTuple

import numpy as np
from murmurhash.mrmr import hash as murmur

BUCKETS = 1 << 16
MOST_REASONS = 3


class Regression(NamedTuple):
    """A row of weights for each question, one for each bucket, and what each row has before any feature. ``least``: how
    likely answers have to be, where that was learned, too.
    """

    weights: np.ndarray
    biases: np.ndarray
    least: np.ndarray

    def parts(self, features: Mapping[str, float]) -> np.ndarray:
        """What each feature says for each row."""
        places, signed = places_of(features)
        return self.weights[:, places] * signed

    def score(self, *groups: Mapping[str, float]) -> float:
        """The first row's weighted sum of the features by name, group by group."""
        found = float(self.biases[0])
        for features in groups:
            places, signed = places_of(features)
            found += float(self.weights[0, places] @ signed)
        return found


@cache
def regression(file: str) -> Regression:
    """The one of a file: ``weights`` (one byte a bucket, a row for each question), ``scales`` and ``biases``."""
    with (files("memory_assets.llm.local") / file).open("rb") as opened:
        found = np.load(opened)
        least = found["least"] if "least" in found else np.zeros(0)
        return Regression(found["weights"] * found["scales"][:, None], found["biases"], least)


def bucket(feature: str) -> tuple[int, int]:
    """A feature's place among the weights, and the sign it has there, so that those that meet cancel out."""
    hashed = murmur(feature)
    return hashed % BUCKETS, 1 if (hashed >> 20) & 1 else -1


def places_of(features: Mapping[str, float]) -> tuple[list[int], np.ndarray]:
    """The features' places among the weights, and their values, each with the sign that it has there."""
    places, signs = zip(*map(bucket, features), strict=True)
    return list(places), np.fromiter(features.values(), float) * signs


def reasons(features: Iterable[str], speaks: np.ndarray) -> tuple[str, ...]:
    """The features, three at most, that speak most for something."""
    names = list(features)
    return tuple(names[at] for at in np.argsort(-speaks, kind="stable")[:MOST_REASONS] if speaks[at] > 0)
