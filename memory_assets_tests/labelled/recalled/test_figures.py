"""What recall finds must not fall below what it has found: by this version's weights on some talk, and on all
of it by weights that were learned without each.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import pytest

from memory_assets.recall import ranking
from memory_assets_tests.bench.recall import Figures, auc, measure
from memory_assets_tests.labelled.recalled.examples import Talk, as_notes, examples, talks
from memory_assets_tests.labelled.recalled.train import held_out

Floors = Mapping[bool, tuple[tuple[float, float, float], float]]
"""Of conversations and chats (True): percent of the evidence in the first ten, within 2,000 and 8,000 tokens; AUC."""
LEARNED_WITH: Floors = {False: ((84.0, 93.0, 98.5), 0.99), True: ((60.0, 70.0, 92.0), 0.90)}
LEARNED_WITHOUT: Floors = {False: ((81.0, 93.5, 98.4), 0.98), True: ((58.0, 72.5, 87.0), 0.93)}
MEASURED = {False: 3, True: 2}
"""So many of each, where not all."""


@pytest.fixture(scope="module")
def corpus() -> list[Talk]:
    """The conversations and chats that are at hand."""
    return talks() or pytest.skip("no conversations are at hand (MEMORY_ASSETS_CORPORA)")


@pytest.mark.slow
def test_recall_finds_what_it_has_found(corpus: list[Talk], tmp_path: Path) -> None:
    some = [one for kind, most in MEASURED.items() for one in [one for one in corpus if one.is_chat == kind][:most]]
    check(measure(some, tmp_path, [ranking.learned()] * len(some)), LEARNED_WITH)


@pytest.mark.slow
@pytest.mark.soak
def test_what_was_learned_elsewhere_finds_as_much(corpus: list[Talk], tmp_path: Path) -> None:
    given = examples(corpus, tmp_path / "learned") + as_notes(corpus, tmp_path / "learned")
    models = [ranking.model_of(one) for one in held_out(corpus, given)]
    check(measure(corpus, tmp_path / "asked", models), LEARNED_WITHOUT)


def check(measured: Sequence[Figures], least: Floors) -> None:
    """Each figure is as high as its floor."""
    for is_chat, (floors, least_auc) in least.items():
        some = [one for one in measured if one.is_chat == is_chat]
        figures = 100 * np.mean([row for one in some for row in one.shares["recall"]], axis=0)
        assert (figures >= floors).all(), figures
        own, foreign = ([value for one in some for value in getattr(one, kind)] for kind in ("own", "foreign"))
        assert auc(own, foreign) >= least_auc


def test_the_weights_are_numbers_under_names_and_few() -> None:
    stored = json.loads(ranking.WEIGHTS.read_text(encoding="utf-8"))
    assert ranking.WEIGHTS.stat().st_size < 60_000
    for network in stored["networks"]:
        assert all(np.isfinite(part).all() for part in network.values())
        assert np.shape(network["units"]) == (len(stored["names"]), len(network["out"]))
    assert len(stored["sureties"]) == len(stored["networks"]) == 2
    assert all(np.isfinite([one["bias"], *one["weights"].values()]).all() for one in stored["sureties"])
