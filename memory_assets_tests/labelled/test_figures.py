"""The local model's figures on the labelled material do not fall from one release to the next without a word."""

from __future__ import annotations

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from memory_assets.entities.text import canonical_name
from memory_assets_tests.labelled import figures
from memory_assets_tests.labelled.material import (
    KINDS,
    SETS,
    Score,
    counts,
    labelled_sources,
    score,
    score_pairs,
    worlds,
)


def test_enough_is_labelled_in_both_sets() -> None:
    labelled = counts()
    assert labelled["sources"] >= 40 and labelled["mentions"] >= 300 and labelled["variants"] >= 60
    assert all(labelled[f"mentions {subset} {kind}"] >= 50 for subset in SETS for kind in KINDS)
    assert Counter(world.subset for world in worlds()) == {"dev": 2, "held": 2}


def test_every_required_mention_is_in_its_source() -> None:
    """A label that no reader could find would only lower the figures."""
    for source in labelled_sources():
        said = canonical_name(
            " ".join([source.text.title, *(f"{turn.speaker} {turn.text}" for turn in source.text.turns)])
        )
        for label in source.labels:
            assert any(form.rstrip("y").rstrip(".") in said for form in label.forms), (source.identifier, label)


def test_figures_have_not_fallen() -> None:
    worse = figures.fallen(figures.committed(), figures.measured())
    assert not worse, (
        f"Extraction or the resolution of names is worse on the labelled material: {'; '.join(worse)}. If that is "
        "meant, renew the figures with 'python -m memory_assets_tests.labelled.figures' and say in CHANGELOG.md why."
    )


def test_a_fall_is_reported() -> None:
    before = {"held person": {"precision": 0.9, "recall": 0.9}}
    assert not figures.fallen(before, {"held person": {"precision": 0.899, "recall": 0.95}})
    assert figures.fallen(before, {"held person": {"precision": 0.8, "recall": 0.9}}) == [
        "held person: precision fell from 0.900 to 0.800"
    ]
    assert len(figures.fallen(before, {})) == 2


def test_a_perfect_answer_scores_one_and_wrong_kinds_count_twice() -> None:
    for source in labelled_sources():
        required = [label for label in source.labels if not label.optional]
        right = score(source, [(label.kind, min(label.forms)) for label in required])
        assert all(one.found == one.expected and one.wrong == 0 for one in right.values()), source.identifier
    source = next(one for one in labelled_sources() if one.identifier == "slack-incident")
    wrong = score(source, [("person", "Redis"), ("person", "Lucia")])
    assert wrong["person"] == Score(found=1, expected=4, wrong=1) and wrong["entity"].found == 0


def test_pairs_of_a_perfect_resolution_score_one() -> None:
    for world in worlds():
        right = score_pairs(world, [variant["who"] for variant in world.variants])
        assert right.f1 == 1.0 and right.expected > 0
        apart = score_pairs(world, list(range(len(world.variants))))
        assert apart.recall == 0.0 and apart.wrong == 0


@given(st.integers(0, 50), st.integers(0, 50), st.integers(0, 50))
def test_f1_lies_between_precision_and_recall(found: int, missed: int, wrong: int) -> None:
    one = Score(found, found + missed, wrong)
    low, high = sorted((one.precision, one.recall))
    assert low - 1e-9 <= one.f1 <= high + 1e-9
