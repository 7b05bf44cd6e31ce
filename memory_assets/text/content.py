"""What a text is about: its content words, how rare a word is in English, and what it denies and counts. Pure."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

import snowballstemmer

from memory_assets.text.words import UNSPACED_RUN, WORD, pairs, zipf_frequency
from memory_assets.text.words import rarity as text_rarity

_NEGATION = re.compile(r"\b(?:no|not|never|none|nothing|without|cannot|stop|avoid)\b|n['’]t\b", re.I)
_DENIAL = re.compile(
    rf"{_NEGATION.pattern}|\b(?:neither|nor|nobody|nowhere|hardly|barely|scarcely|rarely|seldom)\b", re.I
)
_CLAUSE_END = re.compile(r"[.,;:!?…—]|\b(?:but|and)\b")
_NUMBER = re.compile(r"\d+")
FIGURE = re.compile(r"\d+(?:[.,:/-]\d+)*")
_NAME = re.compile(r"(?<=[\w,] )(?!I\b)[A-Z][\w-]+")
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


_STEMMER = snowballstemmer.stemmer("english")


def content_words(text: str) -> frozenset[str]:
    """The stems of what a text is about; of scripts without spaces each two signs that follow each other."""
    return frozenset(word for token in {*_tokens(text)} for word in _words_of(token))


def weighed(text: str) -> dict[str, float]:
    """The content words of a text, each by how rare it is in English: 0 for "the", 6 for an unheard-of word."""
    found: dict[str, float] = {}
    for token in _tokens(text):
        for word in _words_of(token):
            found[word] = max(found.get(word, 0.0), text_rarity(word if UNSPACED_RUN.match(word) else token))
    return found


def _tokens(text: str) -> list[str]:
    found = WORD.findall(unicodedata.normalize("NFKC", text).casefold().replace("’", "'"))
    return [token for token in found if token not in STOP_WORDS]


@lru_cache(maxsize=50_000)
def _words_of(token: str) -> tuple[str, ...]:
    signs = tuple(pair for run in UNSPACED_RUN.findall(token) for pair in pairs(run))
    rest = UNSPACED_RUN.sub("", token).removesuffix("'s")
    return (*signs, _STEMMER.stemWord(rest)) if len(rest) > 1 or rest.isdigit() else signs


@lru_cache(maxsize=50_000)
def rarity(word: str) -> float:
    """7 minus the word's Zipf frequency in English, not below 0: 0 for "the", 7 for an unheard-of word."""
    return max(0.0, 7.0 - zipf_frequency(word, "en"))


def denied(text: str) -> list[str]:
    """What follows each word of denial in ``text``, to the end of its clause."""
    return [_CLAUSE_END.split(text[match.end() :], maxsplit=1)[0] for match in _DENIAL.finditer(text)]


def polarity(text: str) -> tuple[bool, tuple[str, ...]]:
    """Whether ``text`` denies something, and its numbers: texts that differ here never say the same."""
    return bool(_NEGATION.search(text)), tuple(sorted(_NUMBER.findall(text)))


def names_beside(text: str, other: str) -> frozenset[str]:
    """The names in a text that are not in another one."""
    folded = other.casefold()
    return frozenset(name.casefold() for name in _NAME.findall(text) if name.casefold() not in folded)
