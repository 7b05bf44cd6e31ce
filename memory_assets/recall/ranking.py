"""How well each candidate answers a question: named signals, weighed by a small network that was learned. Pure.

The signals are those of words (BM25 of the passage and of its neighbours, how much of the question is covered), of
meaning (cosines, also of what sets vectors apart from their mean), of who speaks and when, and of the form (a question,
the turn after one, length, role). The weights are in ``ranker.json``, made by ``make train``.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from memory_assets.clock import MONTHS

REACH = 4
"""How many neighbours before and after a passage are looked at."""
ASKS, IS_USER, IS_ASSISTANT, SAYS_NUMBER, SAYS_WHEN = 1, 2, 4, 8, 16
"""What is known of a passage's form, as bits."""

_K1, _B = 1.2, 0.75
_ALL = 0.99
FARTHEST = 6.0
"""So many spreads from its mean a signal counts as: beyond that nothing was learned."""
_OF_NO_MEANING = 20.0
"""The mean vector of a few passages is theirs, not talk's: it is taken as if so many more had vectors of zeros."""
_SIZES = (64, 1024)
"""The smallest and largest memory, in passages, that surety was learned from: others count as these."""
_COMMON = 0.5
"""Words less rare than this ask for nothing."""
_NEAR = np.array([0.3, 0.3, 0.5, 0.65, 1.0, 0.65, 0.5, 0.3, 0.3], dtype=np.float32)
"""What a term counts in each place of the combined score (design: 1, .65, .5, .3 by distance)."""
UNRANKED = frozenset({"of_person"})
"""Signals of surety alone: they rank nothing."""
LEAST_SURE = 0.5
"""Below it nothing relevant was found."""
AGAIN = 0.8
"""A turn that is several passages is found by the best of them: the others count so much of their score. Of BEAM's
questions .78 have then a passage of every turn of their evidence in 8,000 tokens, else .74.
"""
LOOKED_AT = 20
"""So many of the best passages are looked at word by word, for whether they are about what is asked."""
_MONTHS = tuple(name.casefold() for name in MONTHS)
_ASKS_WHEN = re.compile(
    r"\bwhen\b|\b(?:what|which) (?:day|date|month|year|time)\b|\bhow (?:long|recently)\b", re.IGNORECASE
)
WEIGHTS = Path(__file__).with_name("ranker.json")


@dataclass(frozen=True)
class Candidates:
    """What ranks some passages: a row for each; of neighbours with a column for each place from -REACH to REACH."""

    source: np.ndarray
    place: np.ndarray
    speaker: np.ndarray
    day: np.ndarray
    """Days since 1970; far below 0 where it is not known."""
    flags: np.ndarray
    tokens: np.ndarray
    lengths: np.ndarray
    counts: np.ndarray
    """Passage x place x term of the question: how often it occurs there."""
    vectors: np.ndarray
    """Passage x (before, itself, after) x width: any length, zeros where there is none."""


@dataclass(frozen=True)
class Query:
    """A question as the ranking sees it; ``passages`` counts for each term the passages that have it."""

    question: str
    terms: dict[int, str]
    passages: np.ndarray
    rarity: np.ndarray
    """How rare each term is in English: that a small memory lacks a common word means nothing."""
    living: int
    mean_length: float
    vector: np.ndarray
    """Of the words that say what is meant (:func:`policy.telling_words`)."""
    speakers: np.ndarray
    """The numbers of the speakers whom it names."""
    names_owner: bool = False
    """Whether it names whose memory it is."""
    words: tuple[str, ...] = ()
    """Its words that say what is meant, without names (:func:`policy.meant_words`)."""
    worth: np.ndarray = field(default_factory=lambda: np.zeros(0))
    """How rare each of these is in English."""


def signals(c: Candidates, q: Query) -> dict[str, np.ndarray]:
    """Each signal by its name, a number for each candidate."""
    here = REACH
    idf = _frequency(q) if len(q.passages) else np.zeros(c.counts.shape[2], dtype=np.float32)
    whole = max(float(idf.sum()), 1e-6)

    def bm25(counts: np.ndarray, lengths: np.ndarray, mean: float) -> np.ndarray:
        norm = _K1 * (1 - _B + _B * lengths / mean)
        return (counts * (_K1 + 1) / (counts + norm[..., None])) @ idf

    each = bm25(c.counts, c.lengths, q.mean_length)
    weighted = np.einsum("cpt,p->ct", c.counts, _NEAR)
    combined = bm25(weighted, c.lengths.sum(axis=1), q.mean_length * (2 * REACH + 1))
    present = (c.counts > 0).astype(np.float32)
    own = present[:, here]
    beside = present[:, here - 1 : here + 2].max(axis=1)
    window = present.max(axis=1)
    alike, cosines = _cosines(c.vectors, q.vector)
    sources, inverse = np.unique(c.source, return_inverse=True)
    best_of_source = np.zeros(len(sources), dtype=np.float32)
    np.maximum.at(best_of_source, inverse, combined)
    like_of_source = np.full(len(sources), -1, dtype=np.float32)
    np.maximum.at(like_of_source, inverse, cosines[:, 1])
    best = max(float(combined.max(initial=0)), 1e-6)
    speaks = np.isin(c.speaker, q.speakers) & (c.speaker > 0)
    named = len(q.speakers) > 0
    is_before_asking = (c.flags[:, here - 1] & ASKS > 0).astype(np.float32)
    asks = (c.flags[:, here] & ASKS > 0).astype(np.float32)
    when = float(_ASKS_WHEN.search(q.question) is not None)
    says_when = (c.flags[:, here] & SAYS_WHEN > 0).astype(np.float32)
    own_share = each[:, here] / whole
    found = {
        "own": own_share,
        "own_root": np.sqrt(own_share),
        "combined": combined / whole,
        "combined_root": np.sqrt(combined / whole),
        "combined_of_best": combined / best,
        "covered": own @ idf / whole,
        "covered_beside": beside @ idf / whole,
        "covered_around": window @ idf / whole,
        "rarest": (own * idf).max(axis=1) / max(float(idf.max(initial=0)), 1e-6),
        "alike": alike,
        "like": cosines[:, 1],
        "like_before": cosines[:, 0],
        "like_after": cosines[:, 2],
        "of_source": best_of_source[inverse] / best,
        "like_of_source": like_of_source[inverse],
        "speaks": speaks[:, here].astype(np.float32),
        "other_speaks": (named & ~speaks[:, here] & (c.speaker[:, here] > 0)).astype(np.float32),
        "speaks_before": speaks[:, here - 1].astype(np.float32),
        "asks": asks,
        "after_asking": is_before_asking * (1 - asks),
        "length": np.log1p(c.tokens),
        "scant": (c.lengths[:, here] < 6).astype(np.float32),
        "when_says_when": when * says_when,
        "when_says_number": when * (c.flags[:, here] & SAYS_NUMBER > 0),
        "says_when": says_when,
        "user": (c.flags[:, here] & IS_USER > 0).astype(np.float32),
        "assistant": (c.flags[:, here] & IS_ASSISTANT > 0).astype(np.float32),
        "first": (c.place == 0).astype(np.float32),
        "of_person": ((c.speaker[:, here] > 0) & (c.flags[:, here] & (IS_USER | IS_ASSISTANT) == 0)).astype(np.float32),
    } | _dates(c.day, q.question)
    return {name: np.asarray(values, dtype=np.float32) for name, values in found.items()}


def _cosines(vectors: np.ndarray, vector: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The cosine of each candidate's vector and a question's; and of each of its neighbours', too, and the question's,
    each less the mean of the candidates': what all of them share distinguishes none. 0 where there is no vector.
    """
    lengths = np.linalg.norm(vectors, axis=2)
    units = vectors / np.maximum(lengths, 1e-6)[..., None]
    mean = units[:, 1].sum(axis=0) / (len(units) + _OF_NO_MEANING)
    asked = (vector - mean) * vector.any()
    asked /= max(float(np.linalg.norm(asked)), 1e-6)
    apart = np.sqrt(np.maximum(1 - 2 * (units @ mean) + mean @ mean, 1e-6))  # the length of unit - mean
    return units[:, 1] @ vector, np.where(lengths > 0, (units @ asked - mean @ asked) / apart, 0)


def _dates(day: np.ndarray, question: str) -> dict[str, np.ndarray]:
    """Whether the month, the day and the year that a question names are those of the passages."""
    folded = question.casefold()
    words = set(re.findall(r"\w+", folded))
    known = day > -500_000
    dates = np.where(known, day, 0).astype("datetime64[D]")
    months = dates.astype("datetime64[M]")
    month = months.astype(int) % 12
    of_month = (dates - months).astype(int) + 1
    year = dates.astype("datetime64[Y]").astype(int) + 1970
    wanted = [number for number, name in enumerate(_MONTHS) if name in words]
    numbers = [int(n) for n in re.findall(r"\b(\d{1,2})(?:st|nd|rd|th)?\b", folded) if 1 <= int(n) <= 31]
    years = [int(n) for n in re.findall(r"\b((?:19|20)\d\d)\b", folded)]
    in_month = known & np.isin(month, wanted)
    return {
        "month": in_month.astype(np.float32),
        "day": (in_month & np.isin(of_month, numbers)).astype(np.float32),
        "year": (known & np.isin(year, years)).astype(np.float32),
        "other_month": (known & ~in_month & bool(wanted)).astype(np.float32),
    }


@dataclass(frozen=True)
class Network:
    """A layer of rectified units beside a linear way, over signals in spreads from their mean."""

    means: np.ndarray
    spreads: np.ndarray
    linear: np.ndarray
    units: np.ndarray
    """Signal x unit."""
    biases: np.ndarray
    out: np.ndarray

    def logits(self, values: np.ndarray) -> np.ndarray:
        """A number for each row of signals."""
        scaled = np.clip((values - self.means) / self.spreads, -FARTHEST, FARTHEST)
        return scaled @ self.linear + np.maximum(scaled @ self.units + self.biases, 0) @ self.out


@dataclass(frozen=True)
class Surety:
    """Logistic weights of the signals that a question has an answer here."""

    weights: dict[str, float]
    bias: float

    def chance(self, values: dict[str, float]) -> float:
        """From 0 to 1; from :data:`LEAST_SURE` on something relevant was found."""
        return 1 / (1 + float(np.exp(-sum(weight * values[name] for name, weight in self.weights.items()) - self.bias)))


@dataclass(frozen=True)
class Model:
    """What was learned: how signals rank candidates, and which show that a question has an answer here.

    What a person and a model say to each other is weighed otherwise than what people say: ``networks`` has one for
    either, people first. Each ``halving`` below ``whole`` halves a score.
    """

    names: tuple[str, ...]
    networks: tuple[Network, ...]
    halving: float
    whole: float
    sureties: tuple[Surety, ...]
    """How sure it is that there is an answer, as the networks."""


@cache
def learned() -> Model:
    """The model of this version."""
    return model_of(json.loads(WEIGHTS.read_text(encoding="utf-8")))


def model_of(stored: dict[str, Any]) -> Model:
    """A model as it is stored."""
    parts = [{name: np.array(one[name], dtype=np.float64) for name in one} for one in stored["networks"]]
    return Model(
        tuple(stored["names"]),
        tuple(Network(**one) for one in parts),
        stored["halving"],
        stored["whole"],
        tuple(Surety(**one) for one in stored["sureties"]),
    )


def score(
    c: Candidates, q: Query, model: Model | None = None, likenesses: Callable[[np.ndarray], np.ndarray] | None = None
) -> tuple[np.ndarray, float]:
    """How well each candidate answers, above 0; and how likely the question has an answer here at all, from 0 to 1.

    ``likenesses``: of some candidates, for each word of the question, how near their nearest word means; none: 0.
    """
    model = model or learned()
    found = signals(c, q)
    logits = weighed(found, model)
    best = looked_at(logits)
    near = likenesses(best) if likenesses else np.zeros((len(best), len(q.words)), dtype=np.float32)
    sure = sure_signals(found, logits, q, near)
    surety = model.sureties[form(found)]
    scores = np.exp2(np.minimum((logits - model.whole) / model.halving, 0))
    chance = surety.chance(sure)
    if says_all(q) and sure["covered_beside"] > _ALL:
        chance = max(chance, LEAST_SURE)  # all that was asked for occurs together, in however small a memory
    return np.maximum(np.round(scores, 6), 1e-6), round(chance, 6)


def turns_first(scores: np.ndarray, source: np.ndarray, turn: np.ndarray, place: np.ndarray) -> np.ndarray:
    """The scores of passages, of which those have less that are not the best of their turn (:data:`AGAIN`)."""
    order = np.lexsort((place, -scores, turn, source))
    is_again = (np.diff(source[order]) == 0) & (np.diff(turn[order]) == 0)
    found = scores.copy()
    found[order[1:][is_again]] *= AGAIN
    return found


def looked_at(logits: np.ndarray) -> np.ndarray:
    """Which candidates are looked at word by word, the best first."""
    return np.argsort(-logits, kind="stable")[:LOOKED_AT]


def form(found: dict[str, np.ndarray]) -> int:
    """Whether a model takes part in all that was found (1), or not (0)."""
    return int(bool(len(found["user"])) and bool((found["user"] + found["assistant"] > 0).all()))


def weighed(found: dict[str, np.ndarray], model: Model) -> np.ndarray:
    """The logit of each candidate. One network ranks all of them: two have scales of their own, and one would always
    win. That of chats with a model, where nothing else was found.
    """
    values = np.stack([found[name] for name in model.names], axis=1)
    return model.networks[form(found)].logits(values.astype(np.float64))


def sure_signals(found: dict[str, np.ndarray], logits: np.ndarray, q: Query, near: np.ndarray) -> dict[str, float]:
    """The signals of whether a question has an answer here, as numbers of one scale in small memories and in large
    ones. ``near``: :func:`score`'s likenesses of the candidates that are :func:`looked_at`.
    """
    idf = _frequency(q)
    known = float(idf.sum()) / max(float(idf[q.passages > 0].sum()), 1e-6)
    best = np.sort(logits)[::-1]
    nearest = near.max(axis=0, initial=0)
    like = np.sort(found["like"])[::-1]
    names_speaker = float(len(q.speakers) > 0 or q.names_owner)
    return {
        "best": float(best[0]),
        "above": float(best[0] - best.mean()),
        "unknown": unknown(q),
        "covered_beside": float(found["covered_beside"].max()) * known,
        "like": float(like[0]),
        "five_like": float(like[:5].mean()),
        "alike": float(found["alike"].max()),
        "all_alike": float(found["alike"].mean()),
        "meant": float(nearest @ q.worth) / max(float(q.worth.sum()), 1e-6),
        "meant_each": float(nearest.mean()) if len(nearest) else 0.0,
        "names_speaker": names_speaker,
        "names_nobody": float(found["of_person"].mean()) * (1 - names_speaker),
        "terms": float(np.log1p(len(q.passages))),
        "size": float(np.log(np.clip(q.living, *_SIZES))),
    }


def says_all(q: Query) -> bool:
    """Whether every word of a question was said here, but for those that any question can have ("does")."""
    return not bool((q.rarity[q.passages == 0] >= _COMMON).any())


def unknown(q: Query) -> float:
    """Which share of a question is of words that nobody has said here, each as rare as it is in English."""
    return float(q.rarity[q.passages == 0].sum()) / max(float(q.rarity.sum()), 1e-6)


def _frequency(q: Query) -> np.ndarray:
    """The inverse frequency of each term of a question; a number even where there is none."""
    return np.log(1 + (q.living - q.passages + 0.5) / (q.passages + 0.5)).astype(np.float32)
