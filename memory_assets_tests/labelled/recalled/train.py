"""Learn the ranking anew: ``make train`` writes ``memory_assets/recall/ranker.json``, names and numbers only.

A few small networks whose mean is one: the softmax over a question's candidates shall give their share to the passages
that are evidence.
Before it is written, each talk is asked with weights that were learned without it, and the figures are printed.
"""

from __future__ import annotations

import json
import re
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from memory_assets.recall import ranking
from memory_assets_tests.labelled.recalled.examples import TALK, Example, Talk, as_notes, examples, talks

HALVING = 6.0
"""So much less of a logit halves a score: below half of the best, packing stops."""
ANSWERED = (0.975, 0.95)
"""Of questions that have an answer so many get one: where people speak or write for themselves, of chats."""
_NETWORKS, _UNITS = 3, 16
_EPOCHS, _STEP, _DECAY, _AT_ONCE = 12, 0.01, 3e-3, 16
_DIGITS = 4
_FORMS = (False, True)
_OF_CHATS = ("best", "unknown", "covered_beside", "like", "alike", "all_alike", "terms")
"""What says of chats how sure it is: of so few, more signals learn what is peculiar to them."""


def learn(given: Sequence[Example], corpus: Sequence[Talk]) -> dict[str, Any]:
    """A model as it is stored."""
    own = [one for one in given if not one.is_foreign and one.memory == TALK]
    stored: dict[str, Any] = {
        "names": [name for name in given[0].signals if name not in ranking.UNRANKED],
        "networks": [_network([one for one in own if corpus[one.talk].is_chat == is_chat]) for is_chat in _FORMS],
        "halving": HALVING,
        "whole": 0.0,
        "sureties": [],
    }
    best = [ranking.weighed(one.signals, ranking.model_of(stored)).max() for one in own]
    stored["whole"] = round(float(np.max(best)), _DIGITS)
    model = ranking.model_of(stored)
    talk, chats = ([one for one in given if corpus[one.talk].is_chat == is_chat] for is_chat in _FORMS)
    whole = [one for one in chats if one.memory == TALK]
    return stored | {"sureties": [_surety(talk, model, ANSWERED[0]), _surety(whole, model, ANSWERED[1], _OF_CHATS)]}


def _network(own: Sequence[Example]) -> dict[str, Any]:
    """The mean of some networks that differ in how they begin; the mean logit of evidence is 0."""
    names = [name for name in own[0].signals if name not in ranking.UNRANKED]
    values = [np.stack([one.signals[name] for name in names], axis=1).astype(np.float64) for one in own]
    every = np.concatenate(values)
    means, spreads = every.mean(axis=0), every.std(axis=0) + 1e-3
    scaled = [np.clip((one - means) / spreads, -ranking.FARTHEST, ranking.FARTHEST) for one in values]
    shares = [one.is_evidence / one.is_evidence.sum() for one in own]
    made = [_listwise(scaled, shares, np.random.RandomState(seed)) for seed in range(_NETWORKS)]
    linear, units, biases, out = (list(parts) for parts in zip(*made, strict=True))
    network = {
        "means": means,
        "spreads": spreads,
        "linear": np.mean(linear, axis=0),
        "units": np.concatenate(units, axis=1),
        "biases": np.concatenate(biases),
        "out": np.concatenate(out) / _NETWORKS,
    }
    return {name: np.round(part, _DIGITS).tolist() for name, part in network.items()}


def _listwise(
    values: Sequence[np.ndarray], shares: Sequence[np.ndarray], rng: np.random.RandomState
) -> list[np.ndarray]:
    """One network: the linear way, the units with their biases, and what each of these counts."""
    size = values[0].shape[1]
    parts = [
        np.zeros(size),
        rng.randn(size, _UNITS) / np.sqrt(size),
        np.zeros(_UNITS),
        rng.randn(_UNITS) / 10,
    ]
    first, second, done = [0 * one for one in parts], [0 * one for one in parts], 0
    for epoch in range(_EPOCHS):
        order = rng.permutation(len(values))
        step = _STEP * (0.51 + 0.49 * np.cos(np.pi * epoch / _EPOCHS))
        for start in range(0, len(order), _AT_ONCE):
            slopes = [_DECAY * one for one in parts]
            some = order[start : start + _AT_ONCE]
            for at in some:
                for slope, part in zip(slopes, _slopes(parts, values[at], shares[at]), strict=True):
                    slope += part / len(some)
            done += 1
            for at, slope in enumerate(slopes):
                first[at] = 0.9 * first[at] + 0.1 * slope
                second[at] = 0.999 * second[at] + 0.001 * slope**2
                parts[at] = parts[at] - step * (first[at] / (1 - 0.9**done)) / (
                    np.sqrt(second[at] / (1 - 0.999**done)) + 1e-8
                )
    return parts


def _slopes(parts: Sequence[np.ndarray], values: np.ndarray, shares: np.ndarray) -> Iterator[np.ndarray]:
    """By how much a question's loss grows with each part of a network."""
    linear, units, biases, out = parts
    active = np.maximum(values @ units + biases, 0)
    logits = active @ out + values @ linear
    odds = np.exp(logits - logits.max())
    off = odds / odds.sum() - shares
    below = np.outer(off, out) * (active > 0)
    yield from (values.T @ off, values.T @ below, below.sum(axis=0), active.T @ off)


def _surety(
    given: Sequence[Example], model: ranking.Model, answered: float, signals: Sequence[str] | None = None
) -> dict[str, Any]:
    """Logistic weights that separate own questions from foreign ones; each sort of memory and question counts alike.
    Of each the share that is ``answered`` has at least :data:`ranking.LEAST_SURE`.
    """
    seen = []
    for one in given:
        logits = ranking.weighed(one.signals, model)
        seen.append(ranking.sure_signals(one.signals, logits, one.query, one.near[ranking.looked_at(logits)]))
    names = list(signals or seen[0])
    values = np.array([[row[name] for name in names] for row in seen])
    labels = np.array([not one.is_foreign for one in given], dtype=float)
    sorts = np.array([4 * one.memory + 2 * one.is_far + one.is_foreign for one in given])
    counts = np.bincount(sorts)
    counted = 1 / counts[sorts] / (counts > 0).sum()
    mean, spread = values.mean(axis=0), values.std(axis=0) + 1e-6
    scaled = np.column_stack([(values - mean) / spread, np.ones(len(values))])
    weights = np.zeros(scaled.shape[1])
    for _ in range(50):  # Newton's steps
        odds = 1 / (1 + np.exp(-scaled @ weights))
        slope = scaled.T @ (counted * (odds - labels)) + 1e-3 * weights
        curve = (scaled * (counted * odds * (1 - odds))[:, None]).T @ scaled + 1e-3 * np.eye(len(weights))
        weights -= np.linalg.solve(curve, slope)
    plain = weights[:-1] / spread
    sure = scaled @ weights
    least = min(float(np.quantile(sure[sorts == one], 1 - answered)) for one in set(sorts[labels == 1]))
    return {
        "weights": {name: round(float(one), _DIGITS) for name, one in zip(names, plain, strict=True)},
        "bias": round(float(weights[-1] - plain @ mean) - least, _DIGITS),
    }


def held_out(corpus: Sequence[Talk], given: Sequence[Example]) -> list[dict[str, Any]]:
    """For each talk the model that was learned without it."""
    return [learn([one for one in given if one.talk != number], corpus) for number in range(len(corpus))]


def main() -> None:
    """Print the figures on talk that was held out, then write the weights of all."""
    from memory_assets_tests.bench.recall import measure, tell

    corpus = talks()
    if not corpus:
        print("Recall's ranking is as it was: no conversations are at hand (MEMORY_ASSETS_CORPORA).")
        return
    with tempfile.TemporaryDirectory() as scratch:
        given = examples(corpus, Path(scratch)) + as_notes(corpus, Path(scratch))
        models = held_out(corpus, given)
        tell(measure(corpus, Path(scratch) / "asked", [ranking.model_of(one) for one in models]))
    stored = learn(given, corpus)
    ranking.WEIGHTS.write_text(re.sub(r",(?= *[\[\"])", ",\n", json.dumps(stored)) + "\n", encoding="utf-8")
    print(f"Wrote {ranking.WEIGHTS.name}.")


if __name__ == "__main__":
    main()
