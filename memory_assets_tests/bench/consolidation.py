"""What consolidation takes out of the default graph, and what of the evidence out of recall's reach.

LoCoMo's conversations are built as they end; 120 days later everything is run, each question (categories 1 to 4) is
recalled with 2,000 tokens, the plan is carried out, and each question is recalled again. Lost is a question of which a
turn of the evidence was there before and is not after. At most 1 % is wanted, and a default graph 40 to 60 % smaller.

``python -m memory_assets_tests.bench.consolidation [CONVERSATIONS]``.
"""

from __future__ import annotations

import re
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import Any

from memory_assets.graph import query_files
from memory_assets.graph.graph import Graph, open_graph
from memory_assets.llm.tokens import count_tokens
from memory_assets.recall.index import PassageIndex
from memory_assets.recall.search import bring_up_to_date, index_path, recall
from memory_assets.settings import Settings
from memory_assets_tests.bench.corpora import corpora, locomo, sessions, write_locomo
from memory_assets_tests.support.installation import Installation, installation

BUDGET = 2000
LATER = timedelta(days=120)
STATED = """
MATCH (s:Source {user_id: $user})-[r:STATES {user_id: $user}]->(c:KnowledgeChunk)
RETURN s.id AS source_id, s.started_at AS started_at, r.turn AS turn, min(c.ref) AS ref
"""

Turn = tuple[str, int]


@dataclass
class Figures:
    """Of one conversation: the sizes of the default graph, and how many questions and turns of evidence are where."""

    before: dict[str, int] = field(default_factory=dict)
    after: dict[str, int] = field(default_factory=dict)
    asked: int = 0
    there: int = 0
    lost: int = 0
    gained: int = 0
    lost_archived: int = 0
    """Lost also where what was archived is searched too."""
    evidence: int = 0
    by_reference: int = 0
    insights: int = 0

    def __add__(self, other: Figures) -> Figures:
        def sums(one: Mapping[str, int], more: Mapping[str, int]) -> dict[str, int]:
            return {key: one.get(key, 0) + value for key, value in more.items()}

        plain = {key: value + getattr(other, key) for key, value in vars(self).items() if not isinstance(value, dict)}
        return Figures(before=sums(self.before, other.before), after=sums(self.after, other.after), **plain)


def main(conversations: int = 2) -> None:
    """Print a line for each conversation and for all: sizes before and after, and what is out of reach."""
    samples = locomo()[:conversations]
    print(f"\nConsolidation (LoCoMo, {LATER.days} days after the last session; recall within {BUDGET:,} tokens)")
    if not samples:
        print(f"  not measured: no LoCoMo conversations at {corpora()} (MEMORY_ASSETS_CORPORA)")
        return
    whole = Figures()
    for sample in samples:
        found = measure(sample)
        whole += found
        tell(sample["sample_id"].lower(), found)
    tell("all", whole)


def measure(sample: dict[str, Any]) -> Figures:
    """One conversation in an installation of its own."""
    last = max(when for _, when, _ in sessions(sample["conversation"]))
    user = sample["sample_id"].lower()
    with tempfile.TemporaryDirectory() as scratch:
        home, files = Path(scratch) / "home", Path(scratch) / "files"
        write_locomo(sample, files)
        with installation(home, MEMORY_ASSETS_NOW=f"{last.isoformat()}Z") as house:
            house.run("ingest", files, "--user", user)
            house.run("materialize", "--user", user)
            later = Installation(home, (("MEMORY_ASSETS_NOW", f"{(last + LATER).isoformat()}Z"),))
            later.run("materialize", "--user", user)  # plans; the first run is a dry one
            graph = open_graph(Settings(_env_file=None, home=home))
            try:
                return _compared(later, graph, home, user, sample)
            finally:
                graph.close()


def _compared(house: Installation, graph: Graph, home: Path, user: str, sample: dict[str, Any]) -> Figures:
    rows = graph.query_read_only(STATED, {"user": user})
    order = sorted({(str(row["started_at"]), row["source_id"]) for row in rows})
    turns = {
        turn["dia_id"]: (order[number - 1][1], place)
        for number, _, said in sessions(sample["conversation"])
        for place, turn in enumerate(said)
    }
    questions = []
    for question in sample["qa"]:
        named = re.findall(r"D\d+:\d+", " ".join(question.get("evidence") or []))
        evidence = {turns[name] for name in named if name in turns}
        if question.get("category") in (1, 2, 3, 4) and evidence:
            questions.append((question["question"], evidence))
    found = Figures(asked=len(questions), before=_sizes(graph, home, user))

    def recalled(question: str, **more: bool) -> set[Turn]:
        groups = recall(graph, home, user, question, BUDGET, **more).recalled.passages
        return {(head.id, row.turn) for head, passages in groups for row in passages}

    before = [recalled(question) & evidence for question, evidence in questions]
    found.insights = house.json("consolidate", "--user", user, "--carry-out")["figures"]["insights"]
    found.after = _sizes(graph, home, user)
    for (question, evidence), held in zip(questions, before, strict=True):
        now = recalled(question) & evidence
        found.there += bool(held)
        found.lost += bool(held - now)
        found.gained += bool(now - held)
        found.lost_archived += bool(held - recalled(question, archived=True))
    refs = {(row["source_id"], row["turn"]): row["ref"] for row in rows}
    every = {turn for _, evidence in questions for turn in evidence}
    found.evidence = len(every)
    found.by_reference = sum(turn in refs and turn in recalled(refs[turn]) for turn in every)
    return found


def _sizes(graph: Graph, home: Path, user: str) -> dict[str, int]:
    """What the default search, values and files read."""
    counted = query_files.load(Path(__file__).parent / "cypher")["count_default"]
    rows = graph.query_read_only(counted.text, {"user_id": user})
    index = PassageIndex(index_path(home, user))
    try:
        heads = bring_up_to_date(graph, index, [user])
        with index._file.reading() as connection:
            passages = connection.execute("SELECT source_id, turn, text FROM passages").fetchall()
    finally:
        index.close()
    read = [row["text"] for row in passages if heads[row["source_id"]].is_in_reach(row["turn"])]
    sizes = {row["kind"]: row["in_default"] for row in rows}
    return {"memories": sum(sizes.values()), **sizes, "passages": len(read), "tokens": sum(map(count_tokens, read))}


def tell(name: str, found: Figures) -> None:
    """Print one line for the sizes, one for what is out of reach."""

    def size(key: str) -> str:
        before, after = found.before[key], found.after[key]
        return f"{before:,} -> {after:,} {key} ({100 * (1 - after / before):.0f} % less)"

    print(f"  {name}: {', '.join(map(size, found.before))}; {found.insights} insights")
    share = 100 * found.lost / found.asked
    print(
        f"    {found.asked} questions, evidence recalled before for {found.there}: lost {found.lost} ({share:.2f} %),"
    )
    print(
        f"    gained {found.gained}, lost with --archived {found.lost_archived}; by reference {found.by_reference} of"
    )
    print(f"    {found.evidence} turns of evidence")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
