"""Learn the weights of the model of sentences' kinds: ``make train``, with ``MEMORY_ASSETS_CORPORA`` at hand.

The same data give the same bytes. Prints how well real and written sentences are judged that were not learned from.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from scipy.sparse import csr_matrix
from sklearn.linear_model import LogisticRegression

import memory_assets.llm.local.sentence_model as model
from memory_assets.llm.local.language import parse
from memory_assets.llm.local.regression import BUCKETS, bucket
from memory_assets.llm.local.sentence_features import features
from memory_assets.llm.local.sentence_model import Kind, Lasting
from memory_assets_tests.labelled.kinds.examples import WRITTEN, Example, figures, real, written

INVERSE_PENALTY = 5.0
RARE_KINDS = 0.5
"""A kind counts by the power of so much of how rare it is."""


def matrix(examples: Sequence[Example]) -> csr_matrix:
    """The hashed features: a row for each example, a column for each bucket."""
    ends, places, values = [0], [], []
    for example, parsed in zip(examples, parse([example.piece.text for example in examples]), strict=True):
        for name, value in features(example.piece, parsed, example.setting).items():
            place, sign = bucket(name)
            places.append(place)
            values.append(value * sign)
        ends.append(len(places))
    found = csr_matrix((values, places, ends), shape=(len(examples), BUCKETS))
    found.sum_duplicates()
    return found


def fit(rows: csr_matrix, labels: Sequence[str], weights: Sequence[float], order: Sequence[str]) -> LogisticRegression:
    """A regression whose classes come in a given order (weights of rare ones raised)."""
    total: Counter[str] = Counter()
    for label, weight in zip(labels, weights, strict=True):
        total[label] += weight
    most = max(total.values())
    balanced = [w * (most / total[label]) ** RARE_KINDS for label, w in zip(labels, weights, strict=True)]
    places = [order.index(label) for label in labels]
    return LogisticRegression(C=INVERSE_PENALTY, max_iter=500).fit(rows, places, sample_weight=balanced)


def save(path: Path, *regressions: LogisticRegression) -> None:
    """Write the rows of all regressions as one byte a weight."""
    coefficients = np.vstack([regression.coef_ for regression in regressions])
    scales = np.abs(coefficients).max(axis=1) / 127
    np.savez_compressed(
        path,
        weights=np.round(coefficients / scales[:, None]).astype(np.int8),
        scales=scales.astype(np.float32),
        biases=np.concatenate([regression.intercept_ for regression in regressions]).astype(np.float32),
    )


def main() -> None:
    """Train, write the weights, print the figures of the frozen half."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("more", nargs="*", type=Path, help="more written sentences, one JSON object a line")
    asked = parser.parse_args()
    examples = [*real(), *(one for path in (WRITTEN, *asked.more) for one in written(path))]
    train = [one for one in examples if not one.is_test]
    rows = matrix(train)
    kinds = fit(rows, [one.kind for one in train], [one.weight for one in train], list(Kind))
    lasting = [at for at, one in enumerate(train) if one.lasting is not None]
    spans = fit(rows[lasting], [str(train[at].lasting) for at in lasting], [1.0] * len(lasting), list(Lasting))
    save(Path(model.__file__).with_name(model.WEIGHTS), kinds, spans)
    print(f"{len(train)} sentences learned from")
    real_test = [one for one in real() if one.is_test]
    tests = {"real": real_test} if real_test else {}
    for language in sorted({one.language for one in written(WRITTEN)}):
        tests[f"written {language}"] = [one for one in written(WRITTEN) if one.is_test and one.language == language]
    print(json.dumps({name: figures(some) for name, some in tests.items()}, indent=1))


if __name__ == "__main__":
    main()
