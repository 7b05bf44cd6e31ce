"""Regressions over hashed features (Weinberger et al., 2009) whose weights lie beside this module as one byte each."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import NamedTuple

import numpy as np

from memory_assets.llm.local.sentence_model import places_of


class Regression(NamedTuple):
    """A weight for each bucket, and what is there before any feature."""

    weights: np.ndarray
    bias: float

    def score(self, *groups: Mapping[str, float]) -> float:
        """The weighted sum of the features by name, group by group."""
        found = self.bias
        for features in groups:
            places, signed = places_of(features)
            found += float(self.weights[places] @ signed)
        return found


@cache
def regression(file: str) -> Regression:
    """The one of a file: ``weights`` (one byte a bucket), ``scale`` and ``bias``."""
    with (files("memory_assets.llm.local") / file).open("rb") as opened:
        found = np.load(opened)
        return Regression(found["weights"] * found["scale"], float(found["bias"]))
