"""What recall finds must not fall below what it has found, by the weights of this version.

`python -m memory_assets_tests.bench.recall` learns others without each talk, and measures all: a quarter of an hour.
"""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from memory_assets.recall import ranking
from memory_assets_tests.bench.recall import auc, measure
from memory_assets_tests.labelled.recalled.examples import talks

FLOORS = {False: (84.0, 93.0, 98.5), True: (60.0, 70.0, 92.0)}
"""Percent of the evidence in the first ten, within 2,000 and 8,000 tokens: of conversations, of chats."""
LEAST_AUC = {False: 0.99, True: 0.90}
MEASURED = {False: 3, True: 2}
"""So many of each."""


@pytest.mark.slow
def test_recall_finds_what_it_has_found(tmp_path: Path) -> None:
    corpus = talks()
    if not corpus:
        pytest.skip("no conversations are at hand (MEMORY_ASSETS_CORPORA)")
    some = [one for kind, most in MEASURED.items() for one in [one for one in corpus if one.is_chat == kind][:most]]
    measured = measure(some, tmp_path / "asked", [ranking.learned()] * len(some))
    for is_chat, floors in FLOORS.items():
        of_kind = [one for one in measured if one.is_chat == is_chat]
        figures = 100 * np.mean([row for one in of_kind for row in one.shares["recall"]], axis=0)
        assert (figures >= floors).all(), figures
        own, foreign = ([value for one in of_kind for value in getattr(one, kind)] for kind in ("own", "foreign"))
        assert auc(own, foreign) >= LEAST_AUC[is_chat]


def test_the_weights_are_numbers_under_names_and_few() -> None:
    stored = json.loads(ranking.WEIGHTS.read_text(encoding="utf-8"))
    assert ranking.WEIGHTS.stat().st_size < 60_000
    for network in stored["networks"]:
        assert all(np.isfinite(part).all() for part in network.values())
        assert np.shape(network["units"]) == (len(stored["names"]), len(network["out"]))
    assert len(stored["sureties"]) == len(stored["networks"]) == 2
    assert all(np.isfinite([one["bias"], *one["weights"].values()]).all() for one in stored["sureties"])
