"""How long a context takes in a process that runs on, beside bare recall for the same questions in the same run.

The memory is the sample inbox's. A context is all four tiers for a task, a file and a person, with a session of its
own; recall is one question within 2,000 tokens. At most 150 ms are wanted at the 95th percentile.

Then of how many of LoCoMo's questions (categories 1 to 4) a context of 8,000 tokens holds all the turns that answer
them: nine in ten are wanted.

``python -m memory_assets_tests.bench.context [ROUNDS]``.
"""

from __future__ import annotations

import sys
import tempfile
import time
from pathlib import Path

import dagster as dg
import numpy as np

from memory_assets.commands.context import context_for
from memory_assets.context.policy import Asked
from memory_assets.graph import embedded
from memory_assets.graph.graph import open_graph
from memory_assets.recall.policy import split_text
from memory_assets.recall.search import recall
from memory_assets.settings import Settings
from memory_assets.sources.ingest import ingest_paths
from memory_assets.sources.process import process_sources
from memory_assets_tests.bench.corpora import locomo, sessions, write_locomo
from memory_assets_tests.bench.sessions import questions
from memory_assets_tests.support.house import House

ROUNDS, FIRST = 10, 6
SAMPLE = Path(__file__).resolve().parents[2] / "sample_inbox" / "maya"
QUESTIONS = (
    "When is the launch of Tidewatch in Skagness?",
    "Write the letter about the delay to Ruth Amble",
    "What does the cello cost?",
    "How does the hysteresis rule work?",
    "Book a restaurant for the team",
    "Move the database to PostgreSQL",
)


def main(rounds: int = ROUNDS) -> None:
    """Print the percentiles."""
    with tempfile.TemporaryDirectory() as scratch, dg.DagsterInstance.ephemeral() as instance:
        settings = Settings(_env_file=None, home=Path(scratch) / "home")
        graph = open_graph(settings)
        house = House(graph, settings.home, instance, "bench")
        maya = house.user("maya")
        ingest_paths(graph, maya, [SAMPLE], None, house.settings.clock)
        house.run("build_memory")
        bare, ours = [], []
        for number in range(rounds * len(QUESTIONS) + FIRST):
            question = QUESTIONS[number % len(QUESTIONS)]
            asked = Asked(task=question, files=["docs/checklist.md"], people=["Priya Raman"], session=f"s-{number}")
            began = np.array([time.perf_counter(), time.process_time()])
            recall(graph, settings.home, maya, question, 2000)
            middle = np.array([time.perf_counter(), time.process_time()])
            context_for(graph, house.settings, maya, asked)
            if number >= FIRST:  # the first ones read the files
                bare.append(1000 * (middle - began))
                ours.append(1000 * (np.array([time.perf_counter(), time.process_time()]) - middle))
        print(f"\nA context of the sample inbox, {len(ours)} times")
        for name, values in (("recall", bare), ("context", ours)):
            (p50, busy50), (p95, busy95) = np.percentile(values, [50, 95], axis=0)
            print(
                f"  {name:<8}{p50:>7.1f} ms p50 {p95:>7.1f} ms p95; processor {busy50:.1f} ms p50, {busy95:.1f} ms p95"
            )
        wall, busy = np.percentile(ours, 95, axis=0) / np.percentile(bare, 95, axis=0)
        print(f"  at the 95th percentile {wall:.2f} times recall, {busy:.2f} times its processor time")
        graph.close()
        embedded.stop(settings)
    if locomo():
        evidence()


def evidence() -> None:
    """Print the share of questions whose context holds all of the evidence, whole turns, and its tokens."""
    held, sizes = [], []
    for sample in locomo():
        with tempfile.TemporaryDirectory() as scratch, dg.DagsterInstance.ephemeral() as instance:
            settings = Settings(_env_file=None, home=Path(scratch) / "home")
            graph = open_graph(settings)
            house = House(graph, settings.home, instance, "bench")
            owner = house.user("owner")
            write_locomo(sample, Path(scratch) / "in")
            ingest_paths(graph, owner, [Path(scratch) / "in"], None, house.settings.clock)
            process_sources(
                graph,
                owner,
                house.models.language_for("processed_sources"),
                house.models.embedder,
                house.settings.clock,
            )
            said = {turn["dia_id"]: turn["text"] for *_, turns in sessions(sample["conversation"]) for turn in turns}
            for question, turns in questions(sample):
                found = context_for(graph, house.settings, owner, Asked(query=question))
                context = _flat(found["context"])
                pieces = [piece for turn in turns for piece in split_text(said.get(turn, ""))]
                held.append(all(_flat(piece) in context for piece in pieces))
                sizes.append(found["token_count"])
            graph.close()
            embedded.stop(settings)
        print(
            f"  {sample['sample_id']}: of {len(held)} questions so far all of the evidence for"
            f" {100 * np.mean(held):.1f} %, in {np.mean(sizes):,.0f} tokens",
            flush=True,
        )


def _flat(text: str) -> str:
    return " ".join(text.split())


if __name__ == "__main__":
    main(*(int(one) for one in sys.argv[1:2]))
