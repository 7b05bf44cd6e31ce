"""How long recall takes at a million passages, in a process that runs on, beside the bare index in the same run.

The passages are generated: words by a law like Zipf's, sources of fifty turns, names of speakers; so are the questions,
of words that some passage has. Bare is tantivy's search for the same candidates; recall is all from the question to the
packed text but the graph's part (which follows what is packed, not what is stored). At most 50 ms are wanted at the
95th percentile, and at most twice the bare index.

``python -m memory_assets_tests.bench.recall_size [PASSAGES]``.
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import numpy as np

from memory_assets.llm.tokens import count_tokens
from memory_assets.recall import policy
from memory_assets.recall.index import ALL, PassageIndex, SourceText
from memory_assets.recall.policy import Passage, SourceHead

PASSAGES, TURNS, AT_ONCE = 1_000_000, 50, 400
VOCABULARY, NAMES, QUESTIONS = 60_000, 40, 300
_FIRST = datetime(2021, 1, 4, tzinfo=UTC)
_SYLLABLES = [first + vowel for first in "bdfghklmnprstvz" for vowel in "aeiou"]


def generated(count: int, seed: int = 5) -> Iterator[tuple[str, SourceText]]:
    """So many passages, by source; the same for the same seed."""
    rng = np.random.RandomState(seed)
    words = vocabulary()
    names = [word.capitalize() for word in words[-NAMES:]]
    for number in range(count // TURNS):
        at = _FIRST + timedelta(hours=2 * number)
        pair = rng.randint(0, NAMES, 2)
        lengths = rng.randint(6, 22, TURNS)
        drawn = np.minimum(
            rng.zipf(1.25, int(lengths.sum())) - 1 + rng.randint(0, 12, int(lengths.sum())), VOCABULARY - 1
        )
        texts = np.split(drawn, np.cumsum(lengths)[:-1])
        passages = [
            Passage(turn, names[pair[turn % 2]], at.isoformat(), " ".join(words[one] for one in text.tolist()) + ".")
            for turn, text in enumerate(texts)
        ]
        yield f"source-{number:06d}", SourceText(str(number), at, passages)


def vocabulary() -> list[str]:
    """Made words, each once."""
    rng = np.random.RandomState(1)
    found: dict[str, None] = {}
    while len(found) < VOCABULARY:
        found["".join(rng.choice(_SYLLABLES, rng.randint(2, 5)))] = None
    return list(found)


def questions(sources: list[SourceText]) -> list[str]:
    """What a person may ask of some of the passages: a few of a passage's words, and who said it."""
    rng = np.random.RandomState(9)
    asked = []
    for one in sources[:QUESTIONS]:
        passage = one.passages[rng.randint(len(one.passages))]
        words = list(dict.fromkeys(passage.text.rstrip(".").split()))
        chosen = [words[at] for at in rng.permutation(len(words))[: rng.randint(3, 8)]]
        asked.append(f"What did {passage.speaker} say about {' '.join(chosen)}?")
    return asked


def search_bare(index: PassageIndex, question: str) -> None:
    """Tantivy's search for a question's candidates and nothing else; the index has been searched before."""
    words = {term for word in policy.search_terms(question) for term in policy.query_terms(word)}
    index._best_by_words(sorted(words), ALL, policy.RULES)


def main(count: int = PASSAGES) -> None:
    """Print the percentiles."""
    print(f"\nRecall at {count:,} passages (generated)")
    with tempfile.TemporaryDirectory() as scratch:
        index = PassageIndex(Path(scratch) / "said")
        index.begin()
        began, page, some = time.perf_counter(), {}, []
        every = max(1, count // TURNS // QUESTIONS)
        for number, (key, one) in enumerate(generated(count)):
            page[key] = one
            if number % every == 0:
                some.append(one)
            if len(page) == AT_ONCE:
                index.replace(page)
                page = {}
        if page:
            index.replace(page)
        seconds, size = time.perf_counter() - began, index.size()
        print(f"  made in {seconds:,.0f} s, {size['bytes'] / 1e6:,.0f} MB, {size['passages']:,} passages")
        head = SourceHead("s", "123456789", "user", "conversation", "A talk", _FIRST)
        bare, ours = [], []
        index.search(questions(some)[0])
        for number, question in enumerate(questions(some)):
            began = np.array([time.perf_counter(), time.process_time()])
            search_bare(index, question)
            middle = np.array([time.perf_counter(), time.process_time()])
            answered = index.search(question, ALL, limit=250)  # what recall reads for 2,000 tokens
            heads = {one.source_id: head for one in answered.found}
            policy.pack(policy.good_enough(answered.found), heads, count_tokens, 2000)
            if number >= 20:  # the first ones read the files
                bare.append(1000 * (middle - began))
                ours.append(1000 * (np.array([time.perf_counter(), time.process_time()]) - middle))
        for name, values in (("bare index", bare), ("recall", ours)):
            (p50, busy50), (p95, busy95) = np.percentile(values, [50, 95], axis=0)
            print(
                f"  {name:<12}{p50:>8.1f} ms p50 {p95:>8.1f} ms p95; processor {busy50:.1f} ms p50, {busy95:.1f} ms p95"
            )
        wall, busy = np.percentile(ours, 95, axis=0) / np.percentile(bare, 95, axis=0)
        print(f"  at the 95th percentile {wall:.2f} times the bare index, {busy:.2f} times its processor time")
        index.close()


if __name__ == "__main__":
    main(*(int(one) for one in sys.argv[1:2]))
