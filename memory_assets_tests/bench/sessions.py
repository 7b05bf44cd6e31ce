"""What a session's working memory costs and keeps: ``python -m memory_assets_tests.bench.sessions``.

Eviction: the time of a call that evicts, with fsync on. Reuse (LoCoMo): the share of questions whose whole evidence
stands in the working memory before anything is retrieved; after each question 4,000 tokens are retrieved; in the order
of the questions and in random ones, beside least recently used. Reconstruction (LoCoMo): turns that left by their
references, and the evidence that left within 4,000 tokens by question. Age (LoCoMo, BEAM): the evidence that recall
over the whole memory finds, said in the last 100 turns and before, and the same turns once as either. These two rank
each talk with weights that were learned without it.
"""

from __future__ import annotations

import random
import re
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
from wordfreq import top_n_list

from memory_assets.clock import Clock, to_iso
from memory_assets.commands.sessions import find_left, passages_of
from memory_assets.llm.tokens import count_tokens
from memory_assets.recall import policy as recall_policy
from memory_assets.recall import ranking
from memory_assets.recall.index import SourceText
from memory_assets.sessions import policy
from memory_assets.sessions.policy import RULES, Passage, Turn, WorkingMemory
from memory_assets.sessions.working_memory import Sessions
from memory_assets_tests.bench.corpora import corpora, locomo, sessions
from memory_assets_tests.bench.recall import BUDGETS
from memory_assets_tests.labelled.recalled.examples import Talk, as_notes, examples, talks
from memory_assets_tests.labelled.recalled.train import held_out

EVICTIONS = 1000
ORDERS = 5
OLD = 100
BEGAN = datetime(2026, 1, 5, 8, tzinfo=UTC)

Asked = tuple[str, set[str], list[tuple[str, Passage]]]
"""A question, the turns that hold its evidence, and what its retrieval brings: turns with their passages."""


def main() -> None:
    """Print all of it."""
    evictions(EVICTIONS)
    samples = locomo()
    if not samples:
        print(f"  reuse and reconstruction not measured: no LoCoMo at {corpora()} (MEMORY_ASSETS_CORPORA)")
        return
    told = talks()
    reuse([talk for talk in told if not talk.is_chat])
    with tempfile.TemporaryDirectory() as scratch:
        learned = held_out(told, examples(told, Path(scratch)) + as_notes(told, Path(scratch)))
    models = [ranking.model_of(one) for one in learned]
    reconstruction(samples, {talk.name: model for talk, model in zip(told, models, strict=True)})
    ages(told, models)


def evictions(wanted: int) -> None:
    """Time the calls that evict: twenty turns of a chat at once, secrets looked for, summary remade, fsync."""
    words, chance = top_n_list("en", 20_000), random.Random(17)
    times: list[float] = []
    others: list[float] = []
    processor: list[float] = []
    with tempfile.TemporaryDirectory() as home:
        kept = Sessions(Path(home), Clock())
        number = 0
        while len(times) < wanted:
            turns = []
            for _ in range(20):
                number += 1
                text = " ".join(chance.choices(words, k=chance.randint(5, 40))).capitalize() + "."
                at = BEGAN + timedelta(minutes=number // 2 + 90 * (number // 300))
                turns.append(
                    {
                        "role": "user" if number % 2 else "assistant",
                        "content": text,
                        "at": at.isoformat(),
                        "id": f"t{number}",
                    }
                )
            began, spent = time.perf_counter(), time.process_time()
            added = kept.add("bench", "session", turns)
            (times if added["evicted"] else others).append(time.perf_counter() - began)
            processor += [time.process_time() - spent] if added["evicted"] else []
        size = sum(path.stat().st_size for path in (Path(home) / "sessions" / "bench").iterdir())
    for name, found in (
        ("with an eviction", times),
        ("processor time of these", processor),
        ("without an eviction", others),
    ):
        p50, p95, p99 = (1000 * float(np.percentile(found, share)) for share in (50, 95, 99))
        print(f"Adding 20 turns, {name}: p50 {p50:.0f} ms, p95 {p95:.0f} ms, p99 {p99:.0f} ms ({len(found)} calls)")
    first, last = (1000 * float(np.percentile(part, 50)) for part in (processor[:100], processor[-100:]))
    print(f"  processor time, p50 of the first hundred {first:.0f} ms, of the last {last:.0f} ms")
    print(f"  {number:,} turns, {size / 1e6:.1f} MB")


def asked_of(talk: Talk, scratch: Path) -> list[Asked]:
    """The questions of a conversation, each with what is retrieved for it."""
    index = talk.index(scratch)
    heads = {key: replace(head, ref=None) for key, head in talk.heads.items()}  # a source is called by its key here
    found = []
    for question, evidence in talk.questions:
        ranked = index.search(question).found
        recalled = recall_policy.pack(ranked, heads, count_tokens, RULES.recalled_tokens)
        names = {(row.source_id, row.place): talk.turns_of([row])[0] for _, rows in recalled.passages for row in rows}
        passages = [(names[one.source, one.place], one) for one in passages_of(recalled)]
        found.append((question, set(evidence), passages))
    index.close()
    return found


def questions(sample: dict[str, Any]) -> Iterator[tuple[str, set[str]]]:
    """Those of categories 1 to 4 that have evidence."""
    for question in sample["qa"]:
        evidence = set(re.findall(r"D\d+:\d+", " ".join(question.get("evidence") or [])))
        if question.get("category") in (1, 2, 3, 4) and evidence:
            yield question["question"], evidence


def reuse(told: list[Talk]) -> None:
    """Share of questions that the working memory answers by itself."""
    with tempfile.TemporaryDirectory() as scratch:
        asked = [asked_of(talk, Path(scratch)) for talk in told]
    print(f"\nReuse (LoCoMo, % of {sum(map(len, asked))} questions whose evidence is all there before any retrieval)")
    print(f"  {'':<44}{'in order':>10}{'random':>10}")
    ways: tuple[tuple[str, Callable[[list[Asked]], int]], ...] = (
        ("passages alone, least recently used", lambda rows: recently(rows)),
        ("passages alone, most used", lambda rows: used(rows, with_questions=False)),
        ("beside the questions as turns, most used", lambda rows: used(rows, with_questions=True)),
    )
    for name, way in ways:
        ordered = sum(map(way, asked)) / sum(map(len, asked))
        shuffled = sum(way(random.Random(seed).sample(rows, len(rows))) for rows in asked for seed in range(ORDERS))
        print(f"  {name:<44}{100 * ordered:>10.1f}{100 * shuffled / ORDERS / sum(map(len, asked)):>10.1f}")


def used(asked: list[Asked], *, with_questions: bool) -> int:
    """How many questions our working memory answers by itself."""
    memory, hits = WorkingMemory(), 0
    names: dict[str, str] = {}
    for question, evidence, rows in asked:
        hits += evidence <= {names[one.ref] for one in memory.recalled}
        if with_questions:
            turn = Turn(memory.count, "user", question, BEGAN.isoformat(), count_tokens(question))
            memory = policy.with_turns(memory, [turn])
        names |= {one.ref: name for name, one in rows}
        memory = policy.with_passages(memory, [one for _, one in rows])
        memory = policy.trimmed(policy.evicted(memory, policy.decide_left(memory)))
    return hits


def recently(asked: list[Asked]) -> int:
    """The same with what was retrieved least recently going first."""
    kept: dict[str, int] = {}
    hits = 0
    for _, evidence, rows in asked:
        hits += evidence <= kept.keys()
        for name, one in reversed(rows):  # the best is the last to go
            kept.pop(name, None)
            kept[name] = count_tokens(one.line)
        while sum(kept.values()) > RULES.budget:
            del kept[next(iter(kept))]
    return hits


def reconstruction(samples: list[dict[str, Any]], models: Mapping[str, ranking.Model]) -> None:
    """What left, had back by reference and by question; ``models`` is by conversation the one that has not seen it."""
    found: list[bool] = []
    left = same = asked = 0
    spent = 0.0
    with tempfile.TemporaryDirectory() as home:
        kept = Sessions(Path(home), Clock(), keep_originals=True)
        for sample in samples:
            name, said = str(sample["sample_id"]), {}
            for _, when, turns in sessions(sample["conversation"]):
                said |= {turn["dia_id"]: turn["text"] for turn in turns}
                rows = [
                    {"role": "user", "name": t["speaker"], "content": t["text"], "at": when.isoformat()} for t in turns
                ]
                kept.add("bench", name, rows)
            back = kept.back("bench", name)
            texts, numbers = list(said.values()), {turn: number for number, turn in enumerate(said)}
            left += len(back)
            same += sum(row["content"] == texts[int(row["ref"])] for row in back)
            for question, evidence in questions(sample):
                gone = {numbers[one] for one in evidence if one in numbers and numbers[one] < len(back)}
                began = time.perf_counter()
                with patch.object(ranking, "learned", lambda model=models[name]: model):
                    recalled = find_left(kept, "bench", name, question, RULES.recalled_tokens)
                spent += time.perf_counter() - began
                asked += 1
                there = {row.turn for _, rows in recalled.passages for row in rows}
                found += [number in there for number in gone]
    print(f"\nReconstruction (LoCoMo): {same} of {left} turns that left come back byte for byte")
    print(f"  evidence that left, within {RULES.recalled_tokens:,} tokens by question: {100 * np.mean(found):.1f} %"
          f" ({sum(found)} of {len(found)}; each conversation with weights learned without it)")  # fmt: skip
    print(f"  {1000 * spent / asked:.0f} ms a question, its index made anew")


def ages(told: list[Talk], models: list[ranking.Model]) -> None:
    """What recall finds of old evidence and of young. A question that needs several turns more often needs an old one,
    and finds fewer of them: so those that one turn answers have a line of their own, and what is young once more with
    the conversation's days in reverse, so that the same turns are asked for as old ones and as young.
    """
    found: dict[tuple[bool, int, str], list[tuple[bool, bool]]] = {}
    with tempfile.TemporaryDirectory() as scratch:
        for talk, model in zip(told, models, strict=True):
            order = {talk.turns[place]: number for number, place in enumerate(sorted(talk.turns))}
            for is_reversed in (False, True):
                asked = in_reverse(talk) if is_reversed else talk
                index = asked.index(Path(scratch) / f"asked{is_reversed}")
                for question, evidence in asked.questions:
                    ranked = index.search(question, model=model).found
                    for budget in BUDGETS:
                        packed = recall_policy.pack(ranked, asked.heads, count_tokens, budget)
                        there = {turn for _, rows in packed.passages for turn in talk.turns_of(rows)}
                        for turn in evidence & order.keys():
                            ago = len(order) - order[turn], order[turn] + 1
                            row = ago[is_reversed] > OLD, turn in there
                            lines = {"all": not is_reversed, "one turn": not is_reversed and len(evidence) == 1}
                            lines["the same turns, also with their days in reverse"] = min(ago) <= OLD < max(ago)
                            for line in (name for name, holds in lines.items() if holds):
                                found.setdefault((talk.is_chat, budget, line), []).append(row)
                index.close()
    print("\nAge (% of the evidence's turns that recall over the whole memory finds)")
    for (is_chat, budget, line), rows in sorted(found.items()):
        old, young = ([hit for is_old, hit in rows if is_old == wanted] for wanted in (True, False))
        shares = f"older than {OLD} turns {100 * np.mean(old):.1f} ({len(old)})"
        shares += f", younger {100 * np.mean(young):.1f} ({len(young)})"
        print(f"  {'BEAM' if is_chat else 'LoCoMo'}, {budget:,} tokens, {line}: {shares}")


def in_reverse(talk: Talk) -> Talk:
    """A conversation whose last session was the first."""
    first, *_, last = sorted(one.started_at for one in talk.sources.values() if one.started_at)

    def moved(one: SourceText) -> SourceText:
        by = first + (last - one.started_at) - one.started_at if one.started_at else timedelta(0)
        passages = [
            said._replace(said_at=said.said_at and to_iso(datetime.fromisoformat(said.said_at) + by))
            for said in one.passages
        ]
        return one._replace(started_at=one.started_at and one.started_at + by, passages=passages)

    return replace(talk, sources={key: moved(one) for key, one in talk.sources.items()})


if __name__ == "__main__":
    main()
