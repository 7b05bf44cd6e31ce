"""What a text says, as content words: stems, how rare each is in English, how often the memories use it.

The gain of an entry is the sum over its words not said yet of rarity (7 minus the Zipf frequency of
``wordfreq``, not below 0) times its kind (names :data:`NAMED`, numbers and nouns 1, adjectives .6, verbs .5,
told apart by capitals and endings) times (1 + .5 ln of the number of memories with the word). When and how many
is asked of everything: numbers and words of time count :data:`WHEN_AND_HOW_MANY` at least, common as they are.
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable
from functools import lru_cache

import snowballstemmer

from memory_assets.text.words import PAIR_RARITY, UNSPACED_RUN, pairs, zipf_frequency

_TOKEN = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
_RAREST_KNOWN = 5.95
_MISSPELT = 3.0
_NEGATION = re.compile(r"\b(?:no|not|never|none|nothing|without|cannot|stop|avoid)\b|n['’]t\b", re.I)
_NUMBER = re.compile(r"\d+")
# Endings that tell most adjectives, adverbs and verb forms from nouns; what they miss counts as a noun.
_KINDS = (
    (re.compile(r"(?<=[^\W\d_]{3})ly$"), 0.4),
    (re.compile(r"(?<=[^\W\d_]{3})(?:ed|ing|ise[sd]?|ize[sd]?)$"), 0.5),
    (re.compile(r"(?<=[^\W\d_]{3})(?:ful|ous|able|ible|ive|less|ish|ical|iest|ier)$"), 0.6),
)

STOP_WORDS = frozenset(
    """
    a about above actually again against all almost also although always am an and any anyone
    anything are aren't around as at away back be became because become been being below between
    both but by came can can't cannot come could couldn't did didn't do does doesn't doing don don't
    done down during each either else enough especially etc even ever every everyone everything few for
    from further gave get gets getting give go goes going gone gonna good got gotta great had hadn't has
    hasn't have haven't having he he'd he'll he's her here here's hers herself hey hi him himself his
    how how's however i i'd i'll i'm i've if in instead into is isn't it it'd it'll it's its itself just
    kind know let let's like likely lot lots made make makes making many may maybe me mean might
    mine more most much must my myself need never new no nor not nothing now of off oh ok okay on once
    one only onto or other others our ours ourselves out over own perhaps please pretty put quite rather
    re really right said same saw say saying says see seem seems seen she she'd she'll she's should
    shouldn't since so some someone something sometimes soon still stuff such sure take taken takes
    taking tell than thank thanks that that's the their theirs them themselves then there there's these
    they they'd they'll they're they've thing things think this those though through thus to today
    together told too took totally toward towards try trying under until up upon us use used using
    usually very wanna want wanted wants was wasn't way we we'd we'll we're we've well went were weren't
    what what's when when's where where's whether which while who who's whom whose why will with within
    without won't would wouldn't wow yeah yep yes yet you you'd you'll you're you've your yours yourself
    """.split()
)


NAMED = 2.0
WHEN_AND_HOW_MANY = 14.0
_TIMES_AND_NUMBERS = frozenset(
    snowballstemmer.stemmer("english").stemWords(
        """
        two three four five six seven eight nine ten eleven twelve dozen hundred thousand half once twice
        first second third before after ago last next today yesterday tomorrow morning afternoon evening
        night day week weekend month year monday tuesday wednesday thursday friday saturday sunday january
        february march april june july august september october november december spring summer autumn
        winter
        """.split()
    )
)


class Vocabulary:
    """The content words of one owner's memories; made once per selection."""

    def __init__(self) -> None:
        self._stemmer = snowballstemmer.stemmer("english")
        self._stems: dict[str, str] = {}
        self._rarity: dict[str, float] = {}
        self._counts: Counter[str] = Counter()
        self._kinds: dict[str, float] = {}
        self._names: set[str] = set()
        self._weights: dict[str, float] = {}

    def read(self, text: str) -> frozenset[str]:
        """The content words of ``text``, counted as one memory's."""
        words = self.words_of(text)
        self._counts.update(words)
        return words

    def words_of(self, text: str) -> frozenset[str]:
        """The content words of ``text``."""
        words: set[str] = set()
        self._weights.clear()
        normal = unicodedata.normalize("NFKC", text)
        for match in _TOKEN.finditer(normal):
            token = match[0]
            # A capital inside a sentence makes a name.
            is_name = token[0].isupper() and normal[max(0, match.start() - 2) : match.start()][:1].isalnum()
            for word in self._words_of(token.casefold().replace("’", "'")):
                words.add(word)
                if is_name:
                    self._kinds[word] = 1.0
                    self._names.add(word)
        return frozenset(words)

    def weight(self, word: str) -> float:
        """What saying ``word`` for the first time is worth; final once every memory has been read."""
        if (known := self._weights.get(word)) is not None:
            return known
        rarity = self._rarity[word]
        if rarity > _RAREST_KNOWN and word not in self._names and not any(map(str.isdigit, word)):
            rarity = _MISSPELT  # nobody's name and in no corpus: mostly a slip of the hand
        often = 1 + 0.5 * math.log(max(1, self._counts[word]))
        weight = rarity * (NAMED if word in self._names else self._kinds.get(word, 1.0)) * often
        if word.isdecimal() or word in _TIMES_AND_NUMBERS:
            weight = max(weight, WHEN_AND_HOW_MANY)
        self._weights[word] = weight
        return self._weights[word]

    def _words_of(self, token: str) -> Iterable[str]:
        if token in STOP_WORDS:
            return
        for run in UNSPACED_RUN.findall(token):
            for pair in pairs(run):
                self._rarity[pair] = PAIR_RARITY
                yield pair
        rest = UNSPACED_RUN.sub("", token).removesuffix("'s")
        if len(rest) < 2 and not rest.isdigit():
            return
        stem = self._stems.get(rest)
        if stem is None:
            stem = self._stems[rest] = self._stemmer.stemWord(rest)
            # A stem is as common as its most common form, whichever comes first.
            self._rarity[stem] = min(self._rarity.get(stem, 7.0), rarity(rest))
            self._kinds[stem] = max(self._kinds.get(stem, 0.0), kind(rest))
        yield stem


@lru_cache(maxsize=50_000)
def rarity(word: str) -> float:
    """7 minus the word's Zipf frequency in English, not below 0: 0 for "the", 7 for an unheard-of word."""
    return max(0.0, 7.0 - zipf_frequency(word, "en"))


def kind(word: str) -> float:
    """What a word's part of speech counts, as far as its ending shows it."""
    return next((weight for ending, weight in _KINDS if ending.search(word)), 1.0)


def polarity(text: str) -> tuple[bool, tuple[str, ...]]:
    """Whether ``text`` denies something, and its numbers: texts that differ here never say the same."""
    return bool(_NEGATION.search(text)), tuple(sorted(_NUMBER.findall(text)))
