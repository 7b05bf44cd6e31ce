"""How near the words of some texts are to those of a question: "hay" is near "feed", whatever words surround it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from memory_assets.llm.local_embedder import WIDTH, LocalEmbedder
from memory_assets.recall.policy import words_of
from memory_assets.text.words import rarity

_VECTORS: dict[str, np.ndarray] = {}
_MOST_VECTORS = 30_000
"""So many words' vectors are cached: 30 MB."""


class Likenesses:
    """The words of ``texts``, but for the commonest."""

    def __init__(self, texts: Sequence[str]) -> None:
        said = [sorted(word for word in set(words_of(text)) if rarity(word)) for text in texts]
        numbers = {word: place for place, word in enumerate(sorted(set().union(*said)), 1)}
        self._vectors = np.concatenate([np.zeros((1, WIDTH), dtype=np.float32), _vectors(list(numbers))])
        self._words = np.array([place for words in said for place in (0, *(numbers[word] for word in words))], int)
        self._starts = np.cumsum([0, *(len(words) + 1 for words in said)])[:-1]

    def near(self, words: Sequence[str]) -> np.ndarray:
        """Text x word: the cosine of the text's nearest word to it, 0 at least."""
        if not len(self._starts) or not words:
            return np.zeros((len(self._starts), len(words)), dtype=np.float32)
        cosines = self._vectors @ _vectors(words).T
        return np.maximum.reduceat(cosines[self._words], self._starts, axis=0)


def _vectors(words: Sequence[str]) -> np.ndarray:
    """A row for each word; those that were asked for lately are cached."""
    known = {word: vector for word in words if (vector := _VECTORS.get(word)) is not None}
    new = [word for word in dict.fromkeys(words) if word not in known]
    known |= zip(new, LocalEmbedder().embed(new, asset="recall", user_id=""), strict=True)
    if len(_VECTORS) > _MOST_VECTORS:
        _VECTORS.clear()
    _VECTORS.update(known)
    return np.array([known[word] for word in words], dtype=np.float32).reshape(-1, WIDTH)
