"""Learn the ranking anew: ``make train`` writes ``memory_assets/recall/ranker.json``, names and numbers only.

A linear model: the softmax over a question's candidates shall give their share to the passages that are evidence.
Before it is written, each talk is asked with weights that were learned without it, and the figures are printed.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from memory_assets.recall import ranking
from memory_assets_tests.labelled.recalled.examples import Example, Talk, examples, talks

HALVING = 6.0
"""So much less of a logit halves a score: below half of the best, packing stops."""
OWN_KEPT = 0.95
_EPOCHS, _STEP, _DECAY, _AT_ONCE = 30, 0.05, 1e-3, 16
_FORMS = (False, True)


def learn(given: Sequence[Example], told: Sequence[Talk]) -> dict[str, Any]:
    """A model as it is stored."""
    names = list(given[0].signals)
    own = [one for one in given if not one.is_foreign]
    sets, biases = [], []
    for is_chat in _FORMS:
        weights, bias = _listwise([one for one in own if told[one.talk].is_chat == is_chat], names)
        sets.append(weights)
        biases.append(bias)
    stored: dict[str, Any] = {
        "weights": {name: [round(float(of[at]), 4) for of in sets] for at, name in enumerate(names)},
        "biases": [round(float(bias), 4) for bias in biases],
        "halving": HALVING,
        "whole": 0.0,
        "sure_weights": {},
        "sure_bias": 0.0,
        "least_sure": 0.0,
    }
    best = [ranking.weighed(one.signals, ranking.model_of(stored)).max() for one in own]
    stored["whole"] = round(float(np.quantile(best, 0.9)), 4)
    return stored | _surety(given, ranking.model_of(stored))


def _listwise(own: Sequence[Example], names: Sequence[str]) -> tuple[np.ndarray, float]:
    """The weights, and the bias with which the mean logit of evidence is 0."""
    if not own:
        return np.zeros(len(names)), 0.0
    values = [np.stack([one.signals[name] for name in names], axis=1) for one in own]
    every = np.concatenate(values)
    mean, spread = every.mean(axis=0), every.std(axis=0) + 1e-6
    values = [(one - mean) / spread for one in values]
    shares = [one.is_evidence / one.is_evidence.sum() for one in own]
    weights, first, second = (np.zeros(len(names)) for _ in range(3))
    rng, done = np.random.RandomState(0), 0
    for epoch in range(_EPOCHS):
        order = rng.permutation(len(own))
        step = _STEP * (0.52 + 0.5 * np.cos(np.pi * epoch / _EPOCHS))
        for start in range(0, len(order), _AT_ONCE):
            slope = np.zeros(len(names))
            for at in order[start : start + _AT_ONCE]:
                logits = values[at] @ weights
                odds = np.exp(logits - logits.max())
                slope += values[at].T @ (odds / odds.sum() - shares[at])
            slope = slope / _AT_ONCE + _DECAY * weights
            done += 1
            first = 0.9 * first + 0.1 * slope
            second = 0.999 * second + 0.001 * slope**2
            weights -= step * (first / (1 - 0.9**done)) / (np.sqrt(second / (1 - 0.999**done)) + 1e-8)
    weights = weights / spread
    evidence = np.concatenate([(v * spread + mean)[one.is_evidence] for v, one in zip(values, own, strict=True)])
    return weights, -float((evidence @ weights).mean())


def _surety(given: Sequence[Example], model: ranking.Model) -> dict[str, Any]:
    """Logistic weights of what tells own questions from foreign ones."""
    told = [ranking.sure_signals(one.signals, ranking.weighed(one.signals, model), one.query) for one in given]
    names = list(told[0])
    values = np.array([[row[name] for name in names] for row in told])
    labels = np.array([not one.is_foreign for one in given], dtype=float)
    mean, spread = values.mean(axis=0), values.std(axis=0) + 1e-6
    scaled = np.column_stack([(values - mean) / spread, np.ones(len(values))])
    weights = np.zeros(scaled.shape[1])
    for _ in range(50):  # Newton's steps
        odds = 1 / (1 + np.exp(-scaled @ weights))
        slope = scaled.T @ (odds - labels) / len(labels) + 1e-3 * weights
        curve = (scaled * (odds * (1 - odds))[:, None]).T @ scaled / len(labels) + 1e-3 * np.eye(len(weights))
        weights -= np.linalg.solve(curve, slope)
    plain = weights[:-1] / spread
    sure = 1 / (1 + np.exp(-scaled @ weights))
    return {
        "sure_weights": {name: round(float(one), 4) for name, one in zip(names, plain, strict=True)},
        "sure_bias": round(float(weights[-1] - plain @ mean), 4),
        "least_sure": round(float(np.quantile(sure[labels == 1], 1 - OWN_KEPT)), 4),
    }


def held_out(told: Sequence[Talk], given: Sequence[Example]) -> list[dict[str, Any]]:
    """For each talk the model that was learned without it."""
    return [learn([one for one in given if one.talk != number], told) for number in range(len(told))]


def main() -> None:
    """Print the figures on talk that was held out, then write the weights of all."""
    from memory_assets_tests.bench.recall import measure, tell

    told = talks()
    if not told:
        print("Recall's ranking is as it was: no conversations are at hand (MEMORY_ASSETS_CORPORA).")
        return
    with tempfile.TemporaryDirectory() as scratch:
        given = examples(told, Path(scratch))
        models = held_out(told, given)
        tell(measure(told, Path(scratch) / "asked", [ranking.model_of(one) for one in models]))
    stored = learn(given, told)
    ranking.WEIGHTS.write_text(json.dumps(stored, indent=1) + "\n", encoding="utf-8")
    print(f"Wrote {ranking.WEIGHTS.name}.")


if __name__ == "__main__":
    main()
