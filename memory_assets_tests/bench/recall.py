"""How much of the evidence recall finds (LoCoMo's questions of categories 1 to 4, BEAM's with gold messages; unit =
turn), and whether it knows that another's question has no answer here.

Beside it plain BM25 over single turns, the lexical floor. Each talk is ranked with weights learned without it.
Run: ``python -m memory_assets_tests.bench.recall``; what consolidation takes out of its reach prints
``python -m memory_assets_tests.bench.consolidation``.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from memory_assets.llm.tokens import count_tokens
from memory_assets.recall import policy, ranking
from memory_assets.recall.policy import Found
from memory_assets_tests.bench.corpora import corpora
from memory_assets_tests.labelled.recalled.examples import Talk, as_notes, examples, talks
from memory_assets_tests.labelled.recalled.train import held_out

BUDGETS = (2000, 8000)
FLOOR = ranking.model_of(
    {
        "names": ["own"],
        "networks": [
            {"means": [0.0], "spreads": [1.0], "linear": [1.0], "units": [[0.0]], "biases": [0.0], "out": [0.0]}
        ]
        * 2,
        "halving": 1.0,
        "whole": 9.0,
        "sureties": [{"weights": {"covered_beside": 1.0}, "bias": 0.0}] * 2,
    }
)
"""BM25 over single turns."""


@dataclass
class Figures:
    """Of one talk, or of several: a number for each question."""

    is_chat: bool
    shares: dict[str, list[list[float]]] = field(default_factory=dict)
    """By method: of each question the share in the first ten and within each budget, filled."""
    stopped: list[tuple[float, int]] = field(default_factory=list)
    """As callers get it by default, within the first budget where packing stops, and the nearest alone where nothing
    relevant was found: the share, and the tokens.
    """
    own: list[float] = field(default_factory=list)
    """How sure recall is of own questions, and of foreign ones."""
    foreign: list[float] = field(default_factory=list)
    foreign_tokens: list[int] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)


def main() -> None:
    """Print the share of the evidence in the first ten passages and within each budget."""
    told = talks()
    print("\nRecall (% of the evidence's turns that are found; each talk with weights that were learned without it)")
    if not told:
        print(f"  not measured: no conversations at {corpora()} (MEMORY_ASSETS_CORPORA)")
        return
    with tempfile.TemporaryDirectory() as scratch:
        learned = Path(scratch) / "learned"
        models = held_out(told, examples(told, learned) + as_notes(told, learned))
        tell(measure(told, Path(scratch), [ranking.model_of(one) for one in models]))


def measure(told: Sequence[Talk], folder: Path, models: Sequence[ranking.Model]) -> list[Figures]:
    """The figures of each talk with its model."""
    found = []
    for number, (talk, model) in enumerate(zip(told, models, strict=True)):
        index, figures = talk.index(folder), Figures(talk.is_chat)
        for question, evidence in talk.questions:
            began = time.perf_counter()
            answered = index.search(question, model=model)
            figures.seconds.append(time.perf_counter() - began)
            plain = index.search(question, model=FLOOR)
            for method, one in (("recall", answered), ("plain BM25", plain)):
                figures.shares.setdefault(method, []).append(shares(talk, one.found, evidence))
            packed = _by_default(talk, answered)
            figures.stopped.append((_share(talk, packed, evidence), packed.tokens))
            figures.own.append(answered.confidence)
        foreign = [
            question for other in told if other is not talk and other.is_chat == talk.is_chat
            for question, _ in other.questions
        ]  # fmt: skip
        for at in np.random.RandomState(number).permutation(len(foreign))[: len(talk.questions)]:
            answered = index.search(foreign[at], model=model)
            figures.foreign.append(answered.confidence)
            figures.foreign_tokens.append(_by_default(talk, answered).tokens)
        index.close()
        found.append(figures)
    return found


def tell(measured: Sequence[Figures]) -> None:
    """Print them: conversations, then chats."""
    for name, is_chat in (("LoCoMo", False), ("BEAM", True)):
        some = [one for one in measured if one.is_chat == is_chat]
        if not some:
            continue
        print(f"  {name:<12}{'top 10':>8}" + "".join(f"{budget:>8}" for budget in BUDGETS) + f"{'whole at 8000':>15}")
        for method in some[0].shares:
            rows = np.array([row for one in some for row in one.shares[method]])
            whole = 100 * float((rows[:, -1] >= 1).mean())
            print(
                f"  {method:<12}" + "".join(f"{100 * share:>8.1f}" for share in rows.mean(axis=0)) + f"{whole:>15.1f}"
            )
        stopped = np.array([row for one in some for row in one.stopped])
        print(
            f"  by default, stopped where it no longer helps, within {BUDGETS[0]:,}:"
            f" {100 * stopped[:, 0].mean():.1f} in {stopped[:, 1].mean():,.0f} tokens"
        )
        own, foreign = ([value for one in some for value in getattr(one, kind)] for kind in ("own", "foreign"))
        talkative = np.mean([tokens > 200 for one in some for tokens in one.foreign_tokens])
        kept = np.mean([value >= _least(own) for value in own])
        beyond = np.mean([value >= _least(own) for value in foreign])
        print(f"  another's questions: AUC {auc(own, foreign):.3f}; with {100 * kept:.0f} % of the own kept"
              f" {100 * beyond:.0f} % get more than 200 tokens (as set: {100 * talkative:.0f} %)")  # fmt: skip
        seconds = [value for one in some for value in one.seconds]
        print(f"  {len(seconds)} questions, {1000 * np.mean(seconds):.1f} ms each")


def auc(own: Sequence[float], foreign: Sequence[float]) -> float:
    """How often an own question is surer than a foreign one; of equals half."""
    first, second = np.array(own)[:, None], np.array(foreign)[None, :]
    return float((first > second).mean() + (first == second).mean() / 2)


def _least(own: Sequence[float]) -> float:
    return float(np.quantile(own, 0.05))


def shares(talk: Talk, ranked: Sequence[Found], evidence: frozenset[str]) -> list[float]:
    """The share of the evidence among the first ten, and within each budget when it is filled."""
    first = len(evidence & set(talk.turns_of(ranked[:10]))) / len(evidence)
    packed = (policy.pack(ranked, talk.heads, count_tokens, budget) for budget in BUDGETS)
    return [first, *(_share(talk, one, evidence) for one in packed)]


def _by_default(talk: Talk, answered: policy.Answered) -> policy.Recalled:
    limit = BUDGETS[0] if answered.is_sure else policy.RULES.nearest_tokens
    return policy.pack(policy.good_enough(answered.found), talk.heads, count_tokens, limit)


def _share(talk: Talk, recalled: policy.Recalled, evidence: frozenset[str]) -> float:
    turns = {turn for _, rows in recalled.passages for turn in talk.turns_of(rows)}
    return len(evidence & turns) / len(evidence)


if __name__ == "__main__":
    main()
