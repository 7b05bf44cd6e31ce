"""What two sayings show of each other, as named numbers: the input of the model of pairs.

The words of both are set against each other: those alike (equal stem, or near vectors) say whether both speak of one
thing, those left over say what differs. Words of change, doubt and other times are data (``pair_marks.tsv``: group,
language, phrases). Nothing is parsed, so that all languages of the marks are judged the same way.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache, lru_cache
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from snowballstemmer import stemmer

from memory_assets.llm.local.language import COMMONEST, ENGLISH, LANGUAGES, LONGEST_WORD, language_of, table
from memory_assets.llm.local.sentence_features import runs
from memory_assets.llm.local_embedder import LocalEmbedder
from memory_assets.text.words import zipf_frequency

MARKS = "pair_marks.tsv"
MOST_WORDS = 60
"""So many words of a saying are looked at: its cost must have a bound."""
ALIKE = 0.6
"""From this cosine on two different words may mean the same."""
JOINTS = 1.0
"""Up to this rarity a word only joins others ("the", "to", "is"); figures are as rare as ``OF_FIGURES``."""
OF_FIGURES = 4.0
NUMBERS, DIFFERENCE, WORDS = 0.5, 0.3, 1.5
"""How much each group of features weighs beside the letters, as pairs that were not learned from are judged best."""
_WORD = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]|[^\W\d_]+(?:['-][^\W\d_]+)*|\d+(?:[.,:]\d+)*|[?!\"“”«»:;=%€$£😄😂]")
_LONGEST_PHRASE = 4
_PIECES = range(3, 6)
_FEW = 3


class Word(NamedTuple):
    """A word in small letters, its stem, rarity (0 for joints), whether a name or a figure, and its groups of marks."""

    lower: str
    stem: str
    worth: float
    is_name: bool
    is_figure: bool
    marks: frozenset[str]


class Read(NamedTuple):
    """A text cut into its words; ``rows`` are their unit vectors, ``vector`` is the text's."""

    words: tuple[Word, ...]
    rows: np.ndarray
    worth: np.ndarray
    vector: np.ndarray
    marks: frozenset[str]
    language: str


class Alignment(NamedTuple):
    """Two texts, and for each word of both how near the nearest of the other is, and whether it is in both."""

    texts: tuple[Read, Read]
    near: tuple[np.ndarray, np.ndarray]
    same: tuple[np.ndarray, np.ndarray]

    @property
    def earlier(self) -> Read:
        return self.texts[0]

    @property
    def later(self) -> Read:
        return self.texts[1]


@cache
def _stemmer() -> Any:
    return stemmer("english")


@lru_cache(maxsize=100_000)
def stem(word: str) -> str:
    """The stem of an English word, or what its stemmer makes of another."""
    return str(_stemmer().stemWord(word.removesuffix("'s")))


@cache
def _marks() -> Mapping[str, Mapping[tuple[str, ...], frozenset[str]]]:
    """By language the groups of each phrase, which is given by its stems."""
    found: dict[str, dict[tuple[str, ...], frozenset[str]]] = {}
    for group, language, phrases in table(MARKS):
        known = found.setdefault(language, {})
        for phrase in phrases.split("; "):
            key = tuple(map(stem, _WORD.findall(phrase)))
            known[key] = known.get(key, frozenset()) | {group}
    return found


@cache
def stems_of(group: str, language: str = ENGLISH) -> frozenset[str]:
    """The single words of a group of marks; none of a language that has no marks."""
    known = _marks().get(language, {})
    return frozenset(phrase[0] for phrase, groups in known.items() if group in groups and len(phrase) == 1)


def read(texts: Iterable[str]) -> dict[str, Read]:
    """The words of each text with their vectors."""
    cut = {text: words_of(text) for text in texts}
    spelled = sorted({word.lower for words, _ in cut.values() for word in words})
    found = LocalEmbedder().embed([*spelled, *cut], asset="", user_id="")
    places = {word: at for at, word in enumerate(spelled)}
    return {
        text: Read(
            words,
            found[[places[word.lower] for word in words]],
            np.array([word.worth for word in words]),
            whole,
            frozenset().union(*(word.marks for word in words)),
            language,
        )
        for (text, (words, language)), whole in zip(cut.items(), found[len(spelled) :], strict=True)
    }


@lru_cache(maxsize=4_096)
def words_of(text: str) -> tuple[tuple[Word, ...], str]:
    """The words of a text in order, up to :data:`MOST_WORDS`, and its language."""
    language = language_of(text)
    spelled = _WORD.findall(text.replace("’", "'"))[:MOST_WORDS]
    stems = [stem(word.lower()) for word in spelled]
    groups: list[frozenset[str]] = [frozenset()] * len(stems)
    known = _marks().get(language, {})
    for at in range(len(stems)):
        for end in range(at + 1, min(len(stems), at + _LONGEST_PHRASE) + 1):
            if of := known.get(tuple(stems[at:end])):
                groups[at:end] = [one | of for one in groups[at:end]]
    found = (
        Word(
            lower := word.lower(),
            stems[at],
            max(0.0, _rarity(lower, language if language in LANGUAGES else ENGLISH) - JOINTS),
            bool(at) and word[0].isupper() and "self" not in groups[at],
            word[0].isdigit(),
            groups[at],
        )
        for at, word in enumerate(spelled)
    )
    return tuple(found), language


@lru_cache(maxsize=100_000)
def _rarity(word: str, language: str) -> float:
    if len(word) > LONGEST_WORD or not word[0].isalnum():
        return 0.0
    return OF_FIGURES if word[0].isdigit() else COMMONEST - min(COMMONEST, zipf_frequency(word, language, "small"))


def align(earlier: Read, later: Read) -> Alignment:
    """Set the words of two texts against each other."""
    if not earlier.words or not later.words:
        nothing = (np.zeros(len(earlier.words)), np.zeros(len(later.words)))
        return Alignment((earlier, later), nothing, (nothing[0] > 0, nothing[1] > 0))
    stems = [np.array([word.stem for word in one.words]) for one in (earlier, later)]
    same = stems[0][:, None] == stems[1][None, :]
    near = np.where(same, 1.0, earlier.rows @ later.rows.T)
    return Alignment((earlier, later), (near.max(axis=1), near.max(axis=0)), (same.any(axis=1), same.any(axis=0)))


def left(found: Alignment, side: int) -> list[Word]:
    """The content words of one side (0 the earlier, 1 the later) that the other has none like."""
    words = zip(found.texts[side].words, found.near[side], strict=True)
    return [word for word, near in words if near < ALIKE and word.worth > 0]


def pair_features(found: Alignment, flags: Mapping[str, bool]) -> dict[str, float]:
    """All features of a pair by name; ``flags`` are those that no word shows."""
    shape = ["^", *_shape(found), "$"]
    new = (word for word, same in zip(found.later.words, found.same[1], strict=True) if not same)
    return {
        **{name: NUMBERS for name, holds in flags.items() if holds},
        **{name: NUMBERS * value for name, value in _numbers(found).items() if value},
        **dict.fromkeys(_difference(found), DIFFERENCE),
        **_unit((f"the later “{one}”" for one in shape), WORDS),
        **_unit((f"the later “{one} {other}”" for one, other in pairwise(shape)), WORDS),
        **_unit(f"the later “{one} … {other}”" for one, other in zip(shape, shape[2:], strict=False)),
        **_unit(f"the letters “{run}” in the later" for word in new for run in runs(f" {word.lower} ", _PIECES)),
    }


def _numbers(found: Alignment) -> dict[str, float]:
    """How much of each is in the other, what each has more, and the marks in both."""
    numbers: dict[str, float] = {"how alike they are": float(found.earlier.vector @ found.later.vector)}
    rest = left(found, 0), left(found, 1)
    for side, name in enumerate(("earlier", "later")):
        one = found.texts[side]
        total = one.worth.sum() or 1.0
        numbers[f"how much of the {name} is in the other"] = float(one.worth @ found.same[side] / total)
        numbers[f"how much of the {name} is like the other"] = float(one.worth @ found.near[side] / total)
        numbers[f"how much the {name} has beside"] = math.log1p(sum(word.worth for word in rest[side])) / 2
        numbers[f"how long the {name} is"] = math.log1p(len(one.words)) / 4
        for what, words in (("beside", rest[side]), ("", one.words)):
            numbers[f"the {name} has a figure {what}"] = float(any(word.is_figure for word in words))
            numbers[f"the {name} has a name {what}"] = float(any(word.is_name for word in words))
        numbers[f"the {name} asks"] = float(any(word.lower == "?" for word in one.words))
        numbers[f"the {name} quotes"] = float(any(word.lower in '"“”«»' for word in one.words))
        numbers[f"the {name} begins with its speaker"] = float(any("self" in word.marks for word in one.words[:2]))
        numbers |= {f"the {name} has words of “{group}”": 1.0 for group in sorted(one.marks)}
    shared = [word for word, same in zip(found.earlier.words, found.same[0], strict=True) if same]
    numbers["the rarest word of both"] = max((word.worth for word in shared), default=0.0) / 4
    numbers["how many words both have"] = min(6, sum(word.worth > 0 for word in shared)) / 4
    numbers["both have a name"] = float(any(word.is_name for word in shared))
    numbers["both have a figure"] = float(any(word.is_figure for word in shared))
    numbers["both begin alike"] = float(found.earlier.words[:1] == found.later.words[:1])
    numbers |= {f"{name} of the earlier are in the later": share for name, share in _halves(found)}
    return numbers


def _halves(found: Alignment) -> Iterator[tuple[str, float]]:
    """How near what the earlier speaks of, and what it says of that, come in the later."""
    near = found.near[0][found.earlier.worth > 0]
    middle = (len(near) + 1) // 2
    yield "the first words", float(near[:middle].mean()) if len(near) else 0.0
    yield "the last words", float(near[middle:].mean()) if len(near) > 1 else 0.0


def _difference(found: Alignment) -> Iterator[str]:
    """In which way they differ: how few words, of which sort, and whether only one denies."""
    rest = left(found, 0), left(found, 1)
    sizes = "-".join(str(min(_FEW, len(words))) for words in rest)
    denies = [("negation" in one.marks) for one in (found.earlier, found.later)]
    how = "one denies" if denies[0] != denies[1] else "both deny" if all(denies) else "none denies"
    sorts = [_sort(words) for words in rest]
    yield f"words beside: {sizes}"
    yield f"{how}, words beside: {sizes}"
    yield f"{how}, {'it' if sorts[0] == sorts[1] else sorts[0]} differs: {sorts[1]}"
    yield f"{how}, words beside: {sizes}, {sorts[0]}, {sorts[1]}"
    for mark in ("now", "instead", "still", "doubt", "also"):
        if mark in found.later.marks:
            yield f"words of “{mark}” in the later, {sorts[0]}, {sorts[1]}"
    if max(map(len, rest)) < _FEW:
        yield from (f"“{one.stem}” and “{other.stem}”" for one in rest[0] for other in rest[1])


def _sort(words: Sequence[Word]) -> str:
    if any(word.is_figure for word in words):
        return "a figure"
    if any("time" in word.marks for word in words):
        return "a time"
    return "a name" if any(word.is_name for word in words) else "words" if words else "nothing"


def _shape(found: Alignment) -> Iterator[str]:
    for word, same in zip(found.later.words, found.same[1], strict=True):
        blank = "0" if word.is_figure else "N" if word.is_name else word.stem
        yield "=" if same and word.worth > 0 else blank


def _unit(names: Iterable[str], length: float = 1.0) -> dict[str, float]:
    known = list(dict.fromkeys(names))
    return dict.fromkeys(known, length / math.sqrt(len(known) or 1))
