"""Learn the weights of the model of pairs: part of ``make train``, with ``MEMORY_ASSETS_CORPORA`` at hand.

The same data give the same bytes. How likely a change has to be is chosen by pairs of the learning half, each judged by
a model that was not learned from it; the frozen half is for the printed figures alone.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from scipy.sparse import csr_matrix
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedGroupKFold

import memory_assets.llm.local.pairs as model
from memory_assets.llm.local.pairs import Heads, Relation, features_of
from memory_assets.llm.local.regression import BUCKETS, bucket
from memory_assets_tests.labelled.validity.examples import CHANGES, Example, examples, figures

INVERSE_PENALTY = {"change": 1.0, "done": 1.0, "contradicts": 5.0, "same": 1.0}
PART = {
    "sick": {"change": 0.2, "done": 0.0},
    "told": {"contradicts": 0.0, "same": 0.0},
    "frames": {"change": 0.0, "done": 0.0, "same": 0.0, "contradicts": 0.1},
    "real": {"contradicts": 3.0},
    "near": {"contradicts": 0.0, "same": 0.0},
    "plain": {"contradicts": 0.2},
    "forms": {"contradicts": 0.2},
}
"""So much a source counts for a head: nobody says in a caption what another has changed, what people report of changes
has next to no contradictions, and in frames, of which each makes several pairs, both are of one day.
"""
FALSE_ALARMS, REAL_FALSE_ALARMS = 0.02, 0.005
"""Among what was written to look like a change, and among what is alike in real conversations."""
FALSE_CONTRADICTIONS, REAL_FALSE_CONTRADICTIONS = 0.05, 0.001
"""The same of contradictions: a person is asked about each."""
FOLDS = 5
OTHERS = (Relation.BOTH, Relation.SAME)
QUESTIONS = {
    "change": (CHANGES, OTHERS),
    "done": ((Relation.DONE,), (Relation.CHANGED,)),
    "contradicts": ((Relation.CONTRADICTS,), (*OTHERS, *CHANGES)),
    "same": ((Relation.SAME,), (Relation.BOTH,)),
}
"""For each head the relations that answer yes and no; any other is not asked."""


def matrix(some: Sequence[Example]) -> csr_matrix:
    """The hashed features: a row for each pair, a column for each bucket."""
    ends, places, values = [0], [], []
    for _, features in features_of([(one.earlier, one.later) for one in some]):
        for name, value in features.items():
            place, sign = bucket(name)
            places.append(place)
            values.append(value * sign)
        ends.append(len(places))
    found = csr_matrix((values, places, ends), shape=(len(some), BUCKETS))
    found.sum_duplicates()
    return found


def fit(rows: csr_matrix, some: Sequence[Example], head: str) -> LogisticRegression:
    """The regression of one head."""
    yes, no = QUESTIONS[head]
    asked = [at for at, one in enumerate(some) if one.relation in (*yes, *no)]
    return LogisticRegression(C=INVERSE_PENALTY[head], solver="liblinear").fit(
        rows[asked],
        [some[at].relation in yes for at in asked],
        sample_weight=[some[at].weight * PART.get(some[at].source, {}).get(head, 1.0) for at in asked],
    )


def crossed(rows: csr_matrix, some: Sequence[Example], head: str) -> np.ndarray:
    """Each pair's score by a model that was not learned from its part."""
    scores = np.zeros(len(some))
    strata = [f"{one.source} {one.relation}" for one in some]
    groups = [one.group or str(at) for at, one in enumerate(some)]
    for known, asked in StratifiedGroupKFold(FOLDS, shuffle=True, random_state=0).split(strata, strata, groups):
        regression = fit(rows[known], [some[at] for at in known], head)
        scores[asked] = regression.predict_proba(rows[asked])[:, 1]
    return scores


def least_change(scores: np.ndarray, some: Sequence[Example]) -> float:
    """How likely a change must be for so few false alarms among what people say of other things."""
    judged = [(score, one.source) for score, one in zip(scores, some, strict=True) if one.relation in OTHERS]
    written = [score for score, source in judged if source in ("pairs", "plain", "written", "told")]
    real = [score for score, source in judged if source == "real"]
    return float(max(np.quantile(written, 1 - FALSE_ALARMS), np.quantile(real, 1 - REAL_FALSE_ALARMS)))


def least_contradiction(scores: np.ndarray, some: Sequence[Example]) -> float:
    """How likely a contradiction must be for so few false ones among what looks like one, and in real talk."""
    judged = [(score, one.source) for score, one in zip(scores, some, strict=True) if one.relation in OTHERS]
    framed = [score for score, source in judged if source == "frames"]
    real = [score for score, source in judged if source == "real"]
    return float(max(np.quantile(framed, 1 - FALSE_CONTRADICTIONS), np.quantile(real, 1 - REAL_FALSE_CONTRADICTIONS)))


def save(path: Path, regressions: Sequence[LogisticRegression], least: Sequence[float]) -> None:
    """Write the rows of all heads as one byte a weight."""
    coefficients = np.vstack([regression.coef_ for regression in regressions])
    scales = np.abs(coefficients).max(axis=1) / 127
    np.savez_compressed(
        path,
        weights=np.round(coefficients / scales[:, None]).astype(np.int8),
        scales=scales.astype(np.float32),
        biases=np.concatenate([regression.intercept_ for regression in regressions]).astype(np.float32),
        least=np.array(least, np.float32),
    )


def recall_table(scores: np.ndarray, some: Sequence[Example]) -> dict[str, list[float]]:
    """Of changes and tasks done the share above the score that 2, 5 and 10 of 100 others reach."""
    others = [score for score, one in zip(scores, some, strict=True) if one.relation in OTHERS]
    return {
        relation.value: [
            round(float(np.mean(scores[[one.relation is relation for one in some]] > np.quantile(others, 1 - rate))), 3)
            for rate in (0.02, 0.05, 0.1)
        ]
        for relation in CHANGES
    }


def main() -> None:
    """Train, write the weights, print the figures of what was held back."""
    known = examples()
    some = [one for one in known if not one.is_test]
    rows = matrix(some)
    change, contradicts = crossed(rows, some, "change"), crossed(rows, some, "contradicts")
    regressions = [fit(rows, some, head) for head in Heads._fields]
    least = least_change(change, some), least_contradiction(contradicts, some)
    save(Path(model.__file__).with_name(model.WEIGHTS), regressions, least)
    print(f"{len(some)} pairs learned from; least {least}")
    for source in ("pairs", "plain", "written", "told"):
        at = [place for place, one in enumerate(some) if one.source == source]
        print(f"crossed, {source}: {recall_table(change[at], [some[place] for place in at])}")
    frozen = [one for one in known if one.is_test and one.source == "pairs"]
    print(f"frozen half: {recall_table(regressions[0].predict_proba(matrix(frozen))[:, 1], frozen)}")
    groups = {
        "frozen": frozen,
        "plain": [one for one in known if one.is_test and one.source == "plain"],
        "real": [one for one in known if one.is_test and one.source == "real"],
        "near": [one for one in known if one.is_test and one.source == "near"],
        "strangers": [one for one in known if one.is_test and one.source == "strangers"],
        "sick": [one for one in known if one.is_test and one.source == "sick"],
    }
    framed = [one for one in known if one.is_test and one.source == "frames"]
    groups |= {
        f"frames, {kind}": [one for one in framed if one.kind == kind] for kind in sorted({one.kind for one in framed})
    }
    for language in sorted({one.language for one in known}):
        groups[f"written {language}"] = [
            one for one in known if one.is_test and one.source == "written" and one.language == language
        ]
    print(json.dumps({name: figures(group) for name, group in groups.items()}, indent=1))


if __name__ == "__main__":
    main()
