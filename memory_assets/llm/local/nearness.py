"""How near statements are to each other: by their embeddings and by the rare words that they share, but for names and
times.
"""

from __future__ import annotations

import calendar
import hashlib
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache

import numpy as np

from memory_assets.clock import MONTHS
from memory_assets.llm.local.language import ENGLISH, Token, is_word, language_of, parse
from memory_assets.llm.local.lexicon import TIME_NOUNS
from memory_assets.llm.local_embedder import LocalEmbedder
from memory_assets.text.content import content_words, weighed
from memory_assets.text.words import WORD

OF_WORDS = 0.4
"""How much of nearness is shared words."""
WORD_PLACES = 256
NOUNS_CACHED = 10_000
"""The nouns of so many texts are cached: whichever waits for a storyline is asked for again."""
_TIMES = content_words(" ".join((*MONTHS, *calendar.day_name, *TIME_NOUNS)))
"""What happens in one month or at one time of the day is not of one matter for it."""


def compared_words(text: str) -> dict[str, float]:
    """The rare words of a text, each by what it is worth; no times and no figures."""
    return {word: worth for word, worth in weighed(text).items() if word not in _TIMES and not word[0].isdigit()}


@lru_cache(maxsize=NOUNS_CACHED)
def noun_words(text: str) -> frozenset[str]:
    """The words that a text says as nouns and names, what is done among them: "flat" of "the flat", and not of "a flat
    price"; "rowing" of "I love rowing", and not of "is rowing". All, where it is not English.
    """
    if language_of(text) != ENGLISH:
        return content_words(text)
    tokens = parse([text], nameless=[text], shallow=[text])[0].tokens
    return frozenset(
        word
        for at, token in enumerate(tokens)
        if token.pos in {"NOUN", "PROPN"} or (token.tag == "VBG" and not _is_going_on(tokens, at))
        for word in content_words(token.text)
    )


def _is_going_on(tokens: Sequence[Token], at: int) -> bool:
    """Whether a word in -ing is what somebody is doing."""
    before = [token.lemma for token in tokens[max(0, at - 3) : at] if token.pos not in {"ADV", "PART"}]
    return before[-1:] == ["be"]


def said_names(names: frozenset[str], text: str) -> frozenset[str]:
    """Of the words of names those that a text says as such: where it is not English, a word of its language is none,
    with a capital or not.
    """
    said = names & content_words(text) if names else names
    if not said or (language := language_of(text)) == ENGLISH:
        return said
    return said - content_words(" ".join(word for word in WORD.findall(text) if is_word(word, language)))


def statement_vector(embedding: np.ndarray, words: Mapping[str, float]) -> np.ndarray:
    """What a statement is compared by, a unit vector where it has both parts: its embedding (zeros, without one) with
    three fifths of the cosine, then its words by what each is worth, folded into :data:`WORD_PLACES` places.
    """
    folded = np.zeros(WORD_PLACES)
    for word, worth in words.items():
        place, is_positive = _place(word)
        folded[place] += worth if is_positive else -worth
    parts = ((1 - OF_WORDS, embedding), (OF_WORDS, folded))
    return np.concatenate([share**0.5 * part / (float(np.linalg.norm(part)) or 1.0) for share, part in parts])


def without_words(vector: np.ndarray, words: Iterable[str]) -> np.ndarray:
    """A vector as if some words had not been said: what is said of the same people is not of one matter for it."""
    found = vector.copy()
    said = found[-WORD_PLACES:]
    said[[_place(word)[0] for word in words]] = 0.0
    length = float(np.linalg.norm(said))
    said *= OF_WORDS**0.5 / length if length else 1.0
    return found


def nearness(texts: Sequence[str], names: Iterable[str]) -> np.ndarray:
    """The cosine of each text to each, as if the names had not been said: a square table."""
    unsaid = content_words(" ".join(names))
    embeddings = LocalEmbedder().embed(texts, asset="", user_id="")
    vectors = [
        without_words(statement_vector(embedding, compared_words(text)), unsaid)
        for text, embedding in zip(texts, embeddings.astype(np.float64), strict=True)
    ]
    table = np.array(vectors) if vectors else np.zeros((0, 1))
    return np.round(table @ table.T, 6)


def _place(word: str) -> tuple[int, bool]:
    """Where a word is folded to, and with which sign."""
    place = int.from_bytes(hashlib.blake2b(word.encode(), digest_size=4).digest(), "big")
    return place % WORD_PLACES, bool(place & 1 << 31)
