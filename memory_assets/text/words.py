"""How rare a word is, how to cut scripts without spaces, and which of many texts say most within so many tokens. Pure.

Greedy maximum coverage per token (Lin and Bilmes, 2010): a text's gain is the sum over its content words that no
chosen text has, each worth how rare it is in English and how often the whole speaks of it. A gain only ever falls
while texts are chosen, so that it is worked out anew for the best alone (lazy greedy). Wordfreq is imported at the
first question, since it takes time.
"""

from __future__ import annotations

import heapq
import math
import re
import unicodedata
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache


def zipf_frequency(word: str, language: str, wordlist: str = "best") -> float:
    """From 0 (unknown) to about 8 ("the"). The import of wordfreq waits for this: it takes half a second."""
    from wordfreq import zipf_frequency as asked

    return asked(word, language, wordlist)


_SIGN = r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u2e80-\u30ff\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]"
UNSPACED_SIGN = re.compile(_SIGN)
UNSPACED_RUN = re.compile(f"{_SIGN}+")
SPACED_SIGN = re.compile(rf"[^\W{_SIGN[1:-1]}]")
"""Of a word in a script with spaces."""
PAIR_RARITY = 2.0
"""The rarity of a pair, where words have theirs: that of a middling word."""


def pairs(run: str) -> Iterator[str]:
    """Each two signs of ``run`` that follow each other; one sign alone is its own pair."""
    return (run[place : place + 2] for place in range(max(1, len(run) - 1)))


COMMON = 6.0
"""Words of this Zipf frequency and more ("the", "to", "and") say nothing by themselves."""

WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
"""A word as people write it: letters and digits, with the apostrophes inside of it."""
BARE_WORD = re.compile(r"[^\W_]+")
"""Letters and digits in a row."""
POSSESSIVE = re.compile(r"['’]s?$")
"""The ending of a name that owns the next word."""
SENTENCE_END = re.compile(r"(?<=[.!?…])\s+|(?<=[。！？])")
"""Where one sentence of a clean text ends and the next one begins."""
_OVERHEAD = 8
"""Tokens added to each text's own where its gain is divided by them: a heap of shreds reads badly."""


@dataclass(frozen=True)
class Candidate:
    """A text to choose: its content words, what it costs in tokens, and a factor on what it is worth."""

    words: frozenset[str]
    tokens: int
    factor: float = 1.0


def content_words(text: str) -> frozenset[str]:
    """The words of ``text`` that say something, case folded."""
    found: set[str] = set()
    for match in WORD.finditer(unicodedata.normalize("NFKC", text).casefold().replace("’", "'")):
        for run in UNSPACED_RUN.findall(match[0]):
            found.update(pairs(run))
        rest = UNSPACED_RUN.sub("", match[0]).removesuffix("'s")
        if rest and rarity(rest) > 0:
            found.add(rest)
    return frozenset(found)


@lru_cache(maxsize=50_000)
def rarity(word: str) -> float:
    """What a word is worth: :data:`COMMON` less its Zipf frequency in English, never below 0."""
    if UNSPACED_RUN.match(word):
        return PAIR_RARITY
    return max(0.0, COMMON - zipf_frequency(word, "en"))


def word_weights(texts: Collection[frozenset[str]]) -> dict[str, float]:
    """What saying each word of ``texts`` first is worth: rarity x (1 + .5 ln of the texts that have it)."""
    counts = Counter(word for words in texts for word in words)
    return {word: rarity(word) * (1 + 0.5 * math.log(count)) for word, count in counts.items()}


def choose_covering(
    candidates: Sequence[Candidate], budget: int, weights: Mapping[str, float], said: Collection[str] = ()
) -> list[int]:
    """The places of the chosen candidates, the best first; together they cost at most ``budget`` tokens.

    ``said`` are words that need no saying. What adds nothing is not chosen, whatever room is left. Of equals, the
    first is chosen.
    """
    covered = set(said)

    def score(place: int) -> float:
        one = candidates[place]
        gain = math.fsum(weights.get(word, 0.0) for word in sorted(one.words - covered))
        return one.factor * gain / (one.tokens + _OVERHEAD)

    heap = [(-score(place), place) for place in range(len(candidates))]
    heapq.heapify(heap)
    chosen: list[int] = []
    left = budget
    while heap:
        _, place = heapq.heappop(heap)
        if candidates[place].tokens > left:
            continue  # what is left only falls
        now = score(place)
        if now <= 0:
            continue
        if heap and (-now, place) > heap[0]:
            heapq.heappush(heap, (-now, place))
            continue
        chosen.append(place)
        covered |= candidates[place].words
        left -= candidates[place].tokens
    return chosen
