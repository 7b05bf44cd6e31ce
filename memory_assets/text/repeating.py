"""Whether a sentence says again what is said already: its words are another one's, in their order. Pure.

An agent that was given a memory says it again in its own answer, as it stands or behind a lead-in ("From memory: …",
"As you decided, …"). What it says beside that is new, wherever it says it.
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field

from memory_assets.text.content import content_words, polarity, weighed, words_in_order

FEWEST_WORDS = 3
"""With fewer content words nothing shows that two sentences mean the same by them."""
LEAST_SAID = 0.5
"""A sentence repeats another one of whose words, by how rare they are, it has at least this share."""
MOST_LED_IN = {False: 0.2, True: 1 / 3}
"""The share of a sentence that leads in to what is repeated; of a line with a colon, which may name a day and whose it
is."""
MOST_COMPARED = 200
"""Sentences that end in the same words; of more the first are compared."""
_REFERENCE = re.compile(r"\[\d{9}\]", re.ASCII)


@dataclass(frozen=True)
class Sentence:
    """What is compared of a text: its content words in their order, where they begin in it, and what they weigh."""

    text: str
    words: Sequence[str]
    places: Sequence[int]
    weights: dict[str, float]

    @classmethod
    def of(cls, text: str) -> Sentence:
        """A text as it is compared: without the references that it cites."""
        text = _REFERENCE.sub(" ", unicodedata.normalize("NFKC", text)).strip()
        found = words_in_order(text)
        return cls(text, [word for word, _ in found], [at for _, at in found], weighed(text))

    def weight(self, words: Sequence[str]) -> float:
        """What some of its words weigh, each once."""
        return math.fsum(self.weights[word] for word in sorted(set(words)))


def repeats(one: Sentence, other: Sentence) -> bool:
    """Whether a sentence says what another one says, or most of it, and no more.

    Its content words are the other's, in the same order, but for a lead-in; both deny something or neither does, and
    both are questions or neither is.
    """
    known = set(other.words)
    begin = max((place + 1 for place, word in enumerate(one.words) if word not in known), default=0)
    body = one.words[begin:]
    if len(set(body)) < FEWEST_WORDS or other.weight(body) < LEAST_SAID * other.weight(other.words):
        return False
    rest = iter(other.words)
    if not all(word in rest for word in body) or (begin and not _leads_in(one, begin)):
        return False
    both = one.text, other.text
    return len({polarity(text)[0] for text in both}) == 1 and len({text.endswith("?") for text in both}) == 1


def _leads_in(one: Sentence, begin: int) -> bool:
    """Whether the words before one place lead in to what is behind them: they end in a colon or in "that", or compare
    it with what was said ("as agreed"), and are few.
    """
    lead = one.text[: one.places[begin]]
    words = lead.casefold().split()
    leads = ":" in lead or words[0] == "as" or "that" in words
    return leads and one.weight(one.words[:begin]) <= MOST_LED_IN[":" in lead] * one.weight(one.words)


@dataclass
class Said:
    """Sentences that are said already, by their words: whether another one repeats one of them is known at once."""

    _texts: list[str] = field(default_factory=list)
    _with: defaultdict[str, list[int]] = field(default_factory=lambda: defaultdict(list))

    def add(self, *texts: str | None) -> None:
        """Take in what is said, in one wording or several."""
        for text in dict.fromkeys(filter(None, texts)):
            for word in content_words(text):
                self._with[word].append(len(self._texts))
            self._texts.append(text)

    def has(self, text: str) -> bool:
        """Whether a sentence repeats one of them (:func:`repeats`): one that has its last words, for it ends with what
        is repeated.
        """
        sentence = Sentence.of(text)
        last = list(dict.fromkeys(reversed(sentence.words)))[:FEWEST_WORDS]
        if len(last) < FEWEST_WORDS:
            return False
        beside = sorted(set.intersection(*(set(self._with.get(word, ())) for word in last)))
        return any(repeats(sentence, Sentence.of(self._texts[place])) for place in beside[:MOST_COMPARED])
