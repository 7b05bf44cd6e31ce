"""Learn the weights of the model of what is worth a line: ``make train``, with ``MEMORY_ASSETS_CORPORA`` at hand.

The same data give the same bytes. Prints how well statements of files that were not learned from are ordered, beside
how likely they are needed again.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
from scipy.sparse import csr_matrix, hstack
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score

import memory_assets.llm.local.worth as model
from memory_assets.llm.local import regression
from memory_assets.llm.local.regression import BUCKETS, places_of
from memory_assets_tests.labelled.worth.examples import GOOD, Example, counts, group_of, invented, learned_from
from memory_assets_tests.labelled.worth.invented import FROZEN
from memory_assets_tests.labelled.worth.material import is_read

INVERSE_PENALTY, OF_LASTING = 0.7, 0.2
OF_INVENTED = 0.6
"""What a statement counts that somebody has invented, where one of outside corpora counts 1."""
STRICTNESS = 2.0
"""A writer's column where it is theirs: so high, the penalty leaves how strict they are to it."""
CUTS = (0.3, 0.5, 0.65)


def matrix(rows: Sequence[Sequence[Mapping[str, float]]]) -> csr_matrix:
    """The hashed features: a row for each example, a column for each bucket."""
    ends, places, values = [0], [], []
    for groups in rows:
        for group in groups:
            at, signed = places_of(group)
            places += at
            values += signed.tolist()
        ends.append(len(places))
    found = csr_matrix((values, places, ends), shape=(len(rows), BUCKETS))
    found.sum_duplicates()
    return found


def rows_of(found: Sequence[Example]) -> csr_matrix:
    """The features that the model judges by."""
    return matrix(
        [(one.candidate.verdict.opinion.features, model.features(*one.candidate, one.source)) for one in found]
    )


def writers_of(found: Sequence[Example]) -> csr_matrix:
    """A column for each writer of what is invented: how strict a writer is says nothing of a statement, so that it is
    learned apart, and the model judges as strictly as the reader of all else.
    """
    writers = sorted({one.writer for one in found if one.writer})
    return csr_matrix([[STRICTNESS * (one.writer == writer) for writer in writers] for one in found])


def counting(found: Sequence[Example]) -> np.ndarray:
    """What each statement counts; 0: nothing is learned from it."""
    return np.array([0.0 if is_read(one.place) else OF_INVENTED if one.writer else 1.0 for one in found])


def lasting_of(found: Sequence[Example]) -> tuple[np.ndarray, np.ndarray]:
    """Whether each holds a year later, and 1 where that is known, else 0."""
    known = np.array([float(example.lasts is not None) for example in found])
    return np.array([bool(example.lasts) for example in found]), known


def fit(
    rows: csr_matrix, writers: csr_matrix, is_good: np.ndarray, weights: np.ndarray, penalty: float = INVERSE_PENALTY
) -> tuple[np.ndarray, float]:
    """The regression's weights of the features, and its bias; those of the writers are left out."""
    learned = weights > 0
    found = LogisticRegression(C=penalty, max_iter=500)
    found.fit(hstack([rows, writers]).tocsr()[learned], is_good[learned], sample_weight=weights[learned])
    return found.coef_[0][: rows.shape[1]], float(found.intercept_[0])


def judged(rows: csr_matrix, fitted: tuple[np.ndarray, float]) -> np.ndarray:
    """The probability of each statement."""
    coefficients, bias = fitted
    return 1.0 / (1.0 + np.exp(-(rows @ coefficients + bias)))


def held_back(
    rows: csr_matrix, writers: csr_matrix, is_good: np.ndarray, groups: np.ndarray, weights: np.ndarray
) -> np.ndarray:
    """The probability of each statement by a model that has seen none of its file, nor any that people read."""
    found = np.zeros(len(is_good))
    for group in np.unique(groups):
        apart = groups == group
        found[apart] = judged(rows[apart], fit(rows, writers, is_good, np.where(apart, 0.0, weights)))
    return found


def save(file: str, weights: np.ndarray, bias: float) -> None:
    """Write the weights as one byte each into a file beside the models."""
    scale = np.abs(weights).max() / 127
    np.savez_compressed(
        Path(regression.__file__).with_name(file),
        weights=np.round(weights / scale).astype(np.int8)[None],
        scales=np.float32([scale]),
        biases=np.float32([bias]),
    )


def _print_figures(found: Sequence[Example], is_good: np.ndarray, ours: np.ndarray) -> None:
    today = np.array([example.candidate.verdict.durability for example in found])
    corpora = np.array([example.place.corpus for example in found])
    print(f"{'':<8}{'labelled':>9}{'good':>6}{'area under the curve':>22}{'needed again':>14}  right from each cut on")
    groups = np.array([group_of(example) for example in found])
    for corpus in ("", *np.unique(corpora), *np.unique(groups[corpora == "beam"])):
        some = (corpora == corpus) | (groups == corpus) | (corpus == "")
        areas = [roc_auc_score(is_good[some], scores[some]) for scores in (ours, today)]
        cuts = (some & (ours >= cut) for cut in CUTS)
        right = ", ".join(
            f"{cut}: {is_good[at].mean():.2f} of {at.sum()}" for cut, at in zip(CUTS, cuts, strict=True) if at.any()
        )
        print(f"{corpus or 'all':<8}{some.sum():>9}{is_good[some].sum():>6}{areas[0]:>22.3f}{areas[1]:>14.3f}  {right}")


def main() -> None:
    """Train, write the weights, print the figures of what is held back (without, with ``--no-figures``)."""
    found = learned_from()
    rows, writers, weights = rows_of(found), writers_of(found), counting(found)
    is_good = np.array([example.label == GOOD for example in found])
    print(f"{(weights > 0).sum()} statements learned from: {counts(one for one in found if not is_read(one.place))}")
    fitted = fit(rows, writers, is_good, weights)
    save(model.WEIGHTS, *fitted)
    lasts, knows = lasting_of(found)
    lasting = fit(rows, csr_matrix((len(found), 0)), lasts, knows, OF_LASTING)
    save(model.LASTING_WEIGHTS, *lasting)
    if "--no-figures" not in sys.argv:
        groups = np.array([group_of(example) for example in found])
        _print_figures(found, is_good, held_back(rows, writers, is_good, groups, weights))
        frozen = list(invented(FROZEN))
        frozen_rows = rows_of(frozen)
        _print_figures(frozen, np.array([one.label == GOOD for one in frozen]), judged(frozen_rows, fitted))
        lasts, knows = lasting_of(frozen)
        area = roc_auc_score(lasts[knows > 0], judged(frozen_rows, lasting)[knows > 0])
        print(f"holds a year later: {int(knows.sum())} frozen, area under the curve {area:.3f}")


if __name__ == "__main__":
    main()
