"""How much of the evidence recall finds: LoCoMo's questions (categories 1 to 4), unit = turn.

Beside it plain BM25 over single turns, the lexical floor. Run: ``python -m memory_assets_tests.bench.recall``; what
consolidation takes out of its reach prints ``python -m memory_assets_tests.bench.consolidation``.
"""

from __future__ import annotations

import re
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from memory_assets.llm.tokens import count_tokens
from memory_assets.recall import policy
from memory_assets.recall.index import PassageIndex
from memory_assets.recall.policy import Found, Passage, RecallRules, SourceHead
from memory_assets_tests.bench.corpora import corpora, locomo, sessions

BUDGETS = (2000, 8000)
FLOOR = RecallRules(field_weights=(1.0, 0.0, 0.0, 0.0))


def main() -> None:
    """Print the share of the evidence in the first ten passages and within each budget."""
    samples = locomo()
    print("\nRecall (LoCoMo, % of the evidence's turns that are found)")
    if not samples:
        print(f"  not measured: no LoCoMo conversations at {corpora()} (MEMORY_ASSETS_CORPORA)")
        return
    sums: dict[str, list[float]] = {"plain BM25": [0.0] * 3, "recall": [0.0] * 3}
    asked, spent = 0, 0.0
    with tempfile.TemporaryDirectory() as scratch:
        for sample in samples:
            index, heads, names = index_of(sample, Path(scratch))
            for question in sample["qa"]:
                evidence = set(re.findall(r"D\d+:\d+", " ".join(question.get("evidence") or [])))
                if question.get("category") not in (1, 2, 3, 4) or not evidence:
                    continue
                asked += 1
                began = time.perf_counter()
                ranked = ours(index, heads, question["question"])
                spent += time.perf_counter() - began
                plain = index.search(policy.search_terms(question["question"]), FLOOR)
                for method, order in (("recall", ranked), ("plain BM25", plain)):
                    for column, share in enumerate(shares(order, heads, names, evidence)):
                        sums[method][column] += share
            index.close()
    print(f"  {'':<12}{'top 10':>8}" + "".join(f"{budget:>8}" for budget in BUDGETS))
    for method, totals in sums.items():
        print(f"  {method:<12}" + "".join(f"{100 * total / asked:>8.1f}" for total in totals))
    print(f"  {asked} questions, {1000 * spent / asked:.1f} ms each")


def ours(index: PassageIndex, heads: dict[str, SourceHead], question: str) -> list[Found]:
    """The ranking of the command, without the graph."""
    found = index.search(policy.search_terms(question))
    following = index.at((p.source_id, p.place + 1) for p in found)
    return policy.rank(question, found, following, {key: head.started_at for key, head in heads.items()})


def index_of(sample: dict, scratch: Path) -> tuple[PassageIndex, dict[str, SourceHead], dict[tuple[str, int], str]]:
    """A conversation's index, a passage per turn, and which turn each passage is."""
    index = PassageIndex(scratch / f"{sample['sample_id']}.sqlite3")
    heads, names, rows = {}, {}, {}
    for number, when, turns in sessions(sample["conversation"]):
        key = f"session-{number:02d}"
        heads[key] = SourceHead(key, "123456789", "user", "conversation", key, when)
        rows[key] = (key, [Passage(n, turn["speaker"], None, turn["text"]) for n, turn in enumerate(turns)])
        names.update({(key, n): turn["dia_id"] for n, turn in enumerate(turns)})
    index.replace(rows)
    return index, heads, names


def shares(
    ranked: list[Found], heads: dict[str, SourceHead], names: dict[tuple[str, int], str], evidence: set[str]
) -> list[float]:
    """The share of the evidence among the first ten, and within each budget."""
    name: Callable[[Found], str] = lambda row: names[row.source_id, row.place]  # noqa: E731
    groups = [set(map(name, ranked[:10]))]
    for budget in BUDGETS:
        recalled = policy.pack(ranked, heads, count_tokens, budget)
        groups.append({name(row) for _, rows in recalled.passages for row in rows})
    return [len(evidence & group) / len(evidence) for group in groups]


if __name__ == "__main__":
    main()
