"""What is merged and found of pairs that say the same, and that nothing else is merged; ``figures.py`` prints them."""

from __future__ import annotations

import pytest

from memory_assets.curation.likeness import Likeness
from memory_assets_tests.bench.corpora import corpora
from memory_assets_tests.labelled.likeness.figures import BREAKING, SICK, breaking, measure, sick, total
from memory_assets_tests.labelled.likeness.made import PAIRS, made_pairs


def test_pairs_of_one_meaning_are_merged_and_no_other_pair_is() -> None:
    found = measure(made_pairs())
    same, other = total(found, "same"), total(found, "other")
    assert (same.total(), other.total()) == (PAIRS / 2, PAIRS / 2)
    assert other[Likeness.MERGE] == 0, found
    assert same[Likeness.MERGE] >= 0.98 * same.total() and same[Likeness.APART] == 0, found
    for kind in ("negation", "number", "date", "name", "speaker", "day", "validity"):
        assert found[f"other: {kind}"][Likeness.UNDECIDED] == 0, kind


@pytest.mark.skipif(not (corpora() / SICK).is_file(), reason=f"SICK is not at hand: {corpora() / SICK}")
def test_captions_that_contradict_or_are_merely_related_are_never_merged() -> None:
    found = measure(sick())
    assert found["other: contradiction"][Likeness.MERGE] == found["other: neutral"][Likeness.MERGE] == 0, found
    same = found["same: the same"]
    assert same[Likeness.MERGE] + same[Likeness.UNDECIDED] >= 0.85 * same.total(), same
    assert same[Likeness.MERGE] >= 0.14 * same.total(), same


@pytest.mark.skipif(not (corpora() / BREAKING).is_file(), reason=f"Breaking_NLI is not at hand: {corpora() / BREAKING}")
def test_sentences_that_differ_in_one_word_are_never_merged() -> None:
    found = measure(breaking())
    assert all(counts[Likeness.MERGE] == 0 for kind, counts in found.items() if "entail" not in kind), found
