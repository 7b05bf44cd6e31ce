"""How long a context takes in a process that runs on, beside bare recall for the same questions in the same run.

The memory is the sample inbox's. A context is all four tiers for a task, a file and a person, with a session of its
own; recall is one question within 2,000 tokens. At most 150 ms are wanted at the 95th percentile.

Then of how many questions, asked alone, a context of 8,000 tokens holds all the turns that answer them, each talk
ranked with weights that were learned without it: nine in ten of LoCoMo's (categories 1 to 4) are wanted, three in four
of BEAM's. Everything was run, so that MEMORY.md and what must always hold have their share. A turn is held where one of
its passages stands there, or a statement that it makes, with its reference; and whole where all of its passages do. Of
a context that abstained none is.

``python -m memory_assets_tests.bench.context [ROUNDS] [TALKS] [QUESTIONS]``: of so many conversations and as many
chats, so many questions of each.
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any
from unittest.mock import patch

import dagster as dg
import numpy as np

from memory_assets.commands.context import context_for
from memory_assets.context.policy import Asked
from memory_assets.graph import embedded
from memory_assets.graph.graph import Graph, open_graph
from memory_assets.graph.said import said_in_turns
from memory_assets.privacy.masking import mask_text
from memory_assets.recall import ranking
from memory_assets.recall.policy import split_text
from memory_assets.recall.search import recall
from memory_assets.settings import Settings
from memory_assets.sources.ingest import ingest_paths
from memory_assets_tests.bench.corpora import (
    BEAM_MARK,
    beam,
    corpora,
    locomo,
    placed,
    sessions,
    write_beam,
    write_locomo,
)
from memory_assets_tests.labelled.recalled.examples import Talk, as_notes, examples, talks
from memory_assets_tests.labelled.recalled.train import held_out
from memory_assets_tests.support.house import House

ROUNDS, FIRST = 10, 6
MOST_TURNS, SHORT = 100, 15
"""Turns of a session; characters of words that many turns may have."""
SAMPLE = Path(__file__).resolve().parents[2] / "sample_inbox" / "maya"
QUESTIONS = (
    "When is the launch of Tidewatch in Skagness?",
    "Write the letter about the delay to Ruth Amble",
    "What does the cello cost?",
    "How does the hysteresis rule work?",
    "Book a restaurant for the team",
    "Move the database to PostgreSQL",
)


def main(rounds: int = ROUNDS, most_talks: int | None = None, most_questions: int | None = None) -> None:
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
    evidence(most_talks, most_questions)


def evidence(most_talks: int | None = None, most_questions: int | None = None) -> None:
    """Print the share of questions whose context holds all of the evidence, and its tokens."""
    told = talks()
    if not told:
        print(f"  evidence not measured: no conversations at {corpora()} (MEMORY_ASSETS_CORPORA)")
        return
    with tempfile.TemporaryDirectory() as scratch:
        models = held_out(told, examples(told, Path(scratch)) + as_notes(told, Path(scratch)))
    folders = {sample["sample_id"]: partial(_conversation, sample) for sample in locomo()}
    folders |= {f"beam-{number}": partial(_chat, chat) for number, chat, _ in beam()}
    print("\nContexts of 8,000 tokens that hold all of the evidence (each talk with weights learned without it)")
    for name, is_chat in (("LoCoMo", False), ("BEAM", True)):
        rows: list[tuple[bool, bool, int, bool]] = []
        some = [(talk, model) for talk, model in zip(told, models, strict=True) if talk.is_chat == is_chat]
        for talk, model in some[:most_talks]:
            with patch.object(ranking, "learned", partial(ranking.model_of, model)):
                rows += held_of(talk, folders[talk.name], most_questions)
            held, whole, tokens, abstained = np.mean(rows, axis=0)
            print(
                f"  {name}, up to {talk.name}: {len(rows)} questions, something of every turn {100 * held:.1f} %,"
                f" every turn whole {100 * whole:.1f} %, in {tokens:,.0f} tokens; {100 * abstained:.1f} % abstained",
                flush=True,
            )


def held_of(
    talk: Talk, write: Callable[[Path], dict[str, str]], most: int | None
) -> list[tuple[bool, bool, int, bool]]:
    """Of each question whether the context has something of every turn of the evidence, whether all words of each, its
    tokens, and whether it abstained.
    """
    found = []
    with tempfile.TemporaryDirectory() as scratch, dg.DagsterInstance.ephemeral() as instance:
        settings = Settings(_env_file=None, home=Path(scratch) / "home")
        graph = open_graph(settings)
        house = House(graph, settings.home, instance, "bench")
        owner = house.user("owner")
        said = write(Path(scratch) / "in")
        ingest_paths(graph, owner, [Path(scratch) / "in"], None, house.settings.clock)
        if not house.run("build_memory").success:
            raise RuntimeError(
                f"The memory of {talk.name} was not built: what is missing would be counted as not held."
            )
        stated = _stated(graph, owner)
        chosen = np.random.RandomState(5).permutation(len(talk.questions))[:most]
        for question, turns in (talk.questions[at] for at in sorted(chosen)):
            answered = context_for(graph, house.settings, owner, Asked(query=question))
            context = _flat(answered["context"])
            texts = [mask_text(said[turn]) for turn in turns if turn in said]
            there = [[_flat(piece) in context for piece in split_text(text)] for text in texts]
            cited = {words for ref, words in stated if f"[{ref}]" in context}
            held = [
                any(row) or any(one in _flat(text) for one in cited) for text, row in zip(texts, there, strict=True)
            ]
            found.append((all(held), all(map(all, there)), answered["token_count"], answered["abstained"]))
        graph.close()
        embedded.stop(settings)
    return found


def _stated(graph: Graph, owner: str) -> list[tuple[str, str]]:
    """The reference and the words of each statement that says something of its turn alone."""
    sources = [row["id"] for row in graph.read("recall/list_sources", user_ids=[owner])]
    rows = said_in_turns(graph, owner, [owner], product(sources, range(MOST_TURNS))).values()
    return [(one["ref"], _flat(one["words"])) for row in rows for one in row["said"] if len(one["words"]) > SHORT]


def _conversation(sample: dict[str, Any], folder: Path) -> dict[str, str]:
    write_locomo(sample, folder)
    return {turn["dia_id"]: turn["text"] for *_, turns in sessions(sample["conversation"]) for turn in turns}


def _chat(chat: list[dict[str, Any]], folder: Path) -> dict[str, str]:
    write_beam(chat, folder)
    said = (message for _, turn in placed(chat) for message in turn)
    return {str(message["id"]): BEAM_MARK.sub("", message["content"]) for message in said}


def _flat(text: str) -> str:
    return " ".join(text.split())


if __name__ == "__main__":
    main(*(int(one) for one in sys.argv[1:4]))
