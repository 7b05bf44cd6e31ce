"""Learn the weights of the model of what a note's line is worth: ``make train``.

The same data give the same bytes. Prints in which order the lines of people come from whose writers' notes nothing was
learned, beside the order by how likely they are needed again by their words.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.sparse import csr_matrix
from sklearn.linear_model import Ridge
from sklearn.metrics import roc_auc_score

import memory_assets.llm.local.note_worth as model
from memory_assets_tests.labelled.noted.examples import FROZEN, NOTES, Example, examples
from memory_assets_tests.labelled.worth.train import matrix, save

PENALTY = 20.0


def rows_of(found: Sequence[Example]) -> csr_matrix:
    """The hashed features: a row for each line."""
    return matrix(
        [(one.candidate.verdict.opinion.features, model.features(*one.candidate, one.source)) for one in found]
    )


def fit(rows: csr_matrix, worth: np.ndarray) -> Ridge:
    """The regression: every line counts the same."""
    return Ridge(alpha=PENALTY).fit(rows, worth)


def _print_figures(name: str, owners: np.ndarray, worth: np.ndarray, scores: np.ndarray) -> None:
    for least in range(1, model.MOST_WORTH + 1):
        areas = [roc_auc_score(worth[owners == owner] >= least, scores[owners == owner]) for owner in np.unique(owners)]
        print(f"{name}: area under the curve of what is worth {least}, person by person: {np.mean(areas):.3f}")


def main() -> None:
    """Train, write the weights, print the figures."""
    known, frozen = list(examples(NOTES)), list(examples(FROZEN))
    rows, worth = rows_of(known), np.array([float(one.worth) for one in known])
    fitted = fit(rows, worth)
    save(model.WEIGHTS, fitted.coef_, fitted.intercept_)
    print(f"{len(known)} lines learned from, of {len({one.owner for one in known})} people")
    writers = np.array([one.writer for one in known])
    apart = np.zeros(len(known))
    for writer in np.unique(writers):
        some = writers == writer
        apart[some] = fit(rows[~some], worth[~some]).predict(rows[some])
    for name, found, scores in (
        ("other writers", known, apart),
        ("frozen", frozen, fitted.predict(rows_of(frozen))),
    ):
        owners, labels = np.array([one.owner for one in found]), np.array([one.worth for one in found])
        words = np.array([one.candidate.verdict.durability for one in found])
        _print_figures(f"{name}, by their words", owners, labels, words)
        _print_figures(f"{name}, by the model", owners, labels, scores)


if __name__ == "__main__":
    main()
