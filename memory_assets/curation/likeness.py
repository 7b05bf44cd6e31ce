"""Whether two memories say the same, so that one may replace both: by their words, not by vectors alone. Pure.

A vector of an embedder of single words is the same for "the dog bit the man" and "the man bit the dog", and nearly the
same with and without a "not". So likeness only says what is looked at (001, Deduplication: 0.85), and two are merged
unasked where their words are the same ones in the same order, but for case, closing marks, articles, politeness,
contractions and British or American spelling. Another speaker, number, denial, day, name or time of validity keeps
them apart, whatever a person or model thinks; any other difference is for them to decide.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from enum import StrEnum
from functools import lru_cache

from memory_assets.llm.local.days import days_in, is_of_then
from memory_assets.llm.local.gazetteer import is_given_name
from memory_assets.llm.local.language import ENGLISH, language_of
from memory_assets.llm.local.pair_features import stem, stems_of
from memory_assets.llm.local.sentences import cut_lead_in
from memory_assets.text.content import STOP_WORDS
from memory_assets.text.when import NUMBERS, notes_of


class Likeness(StrEnum):
    """What is to become of two memories."""

    MERGE = "merge"
    UNDECIDED = "undecided"
    APART = "apart"


@dataclass(frozen=True)
class LikenessRules:
    """Cosines: from which on two are looked at, and may be merged unasked (001, Deduplication)."""

    candidate: float = 0.85
    merged: float = 0.92


RULES = LikenessRules()


@dataclass(frozen=True, slots=True)
class Claim:
    """What a memory says: its words, who says so ("" is the owner, for records the agent), the day that "yesterday"
    counts from, and until when it holds (ISO 8601) or how far it is outdated, "" where it holds.
    """

    text: str
    speaker: str = ""
    day: date | None = None
    over: str = ""


@dataclass(frozen=True, slots=True)
class Verdict:
    """What is to become of two, and why, in words."""

    likeness: Likeness
    reason: str


def judge(one: Claim, other: Claim, cosine: float | None) -> Verdict:
    """Whether two memories of one owner and type are one; ``cosine`` is None where either has no vector."""
    if reason := guarded(one, other):
        return Verdict(Likeness.APART, reason)
    is_same = normalise(one.text) == normalise(other.text)
    if not is_same and (cosine is None or cosine < RULES.candidate):
        return Verdict(Likeness.APART, "not near enough in meaning")
    if reason := _unsure(one, other):
        return Verdict(Likeness.UNDECIDED, reason)
    if is_same:
        return Verdict(Likeness.MERGE, "the same words")
    if not all(language_of(claim.text) == ENGLISH for claim in (one, other)):
        return Verdict(Likeness.UNDECIDED, "near in meaning, in another language than English")
    keys = _keys(one.text), _keys(other.text)
    if 0 < len(keys[0]) == len(keys[1]) and all(map(_is_one, *keys)):
        if cosine is not None and cosine >= RULES.merged:
            return Verdict(Likeness.MERGE, "the same words but for their form")
        return Verdict(Likeness.UNDECIDED, "the same words but for their form, and not near enough in meaning")
    rest = [sorted((Counter(keys[at]) - Counter(keys[1 - at])).elements()) for at in (0, 1)]
    if not any(rest):
        return Verdict(Likeness.UNDECIDED, "the same words in another order")
    return Verdict(Likeness.UNDECIDED, " / ".join(" ".join(words) or "-" for words in rest))


def guarded(one: Claim, other: Claim) -> str | None:
    """What keeps two apart, even where a person or model takes them for the same; None where nothing does."""
    if normalise(one.speaker) != normalise(other.speaker):
        return "said by others"
    if one.over != other.over:
        return "of other times of validity"
    if _denials(one.text) != _denials(other.text):
        return "only one denies it, or they deny otherwise"
    if numbers(one.text) != numbers(other.text):
        return "other numbers"
    if _times(one) != _times(other):
        return "of other days or times"
    if named := sorted(_names_beside(one.text, other.text) | _names_beside(other.text, one.text)):
        return f"only one names {named[0]}"
    return None


def _unsure(one: Claim, other: Claim) -> str | None:
    """What leaves open whether the same words mean the same."""
    if one.day != other.day and any(_of_group(claim.text, group) for claim in (one, other) for group in _OF_MOMENTS):
        return "said of a moment, on other days"
    spelled = _capitals(one.text), _capitals(other.text)
    if None not in spelled:
        turned = {word for at in (0, 1) for word in spelled[at][0] & spelled[1 - at][1]}  # type: ignore[index]
        if turned:
            return f"{min(turned)!r} is capitalised in one alone"
    return None


_QUOTES = dict.fromkeys(map(ord, "“”„«»‹›「」『』"), '"')
_MARKS = {**dict.fromkeys(",;:，、；：()[]", ","), **dict.fromkeys(".!…。！", "."), **dict.fromkeys("?？", "?")}
"""What marks count as: where a sentence ends or a part of it does, and whether it asks."""
_DASHES = "-‐‑‒–—―−"
_APOSTROPHES = dict.fromkeys(map(ord, "’‘ʼ`´"), "'")
_BEFORE_JOINERS = re.compile(r", (?=(?:and|or|but)\b)")
_MARK_RUN = re.compile(r"(?: ?[,.])+(?= |$)")


@lru_cache(maxsize=20_000)
def normalise(text: str) -> str:
    """The form by which two texts have the same words: case, space, closing marks and the kind of marks do not
    matter. Whatever else can distinguish two texts stays: signs, quotation marks, what asks.
    """
    letters = unicodedata.normalize("NFC", unicodedata.normalize("NFC", text).lower())
    letters = letters.translate(_QUOTES).translate(_APOSTROPHES)
    parts: list[str] = []
    for at, sign in enumerate(letters):
        before, after = letters[at - 1 : at], letters[at + 1 : at + 2]
        is_within = before.isalnum() and after.isalnum()
        if sign in _DASHES:
            is_sign = after.isdigit() and not before.isalnum()
            is_span = is_within and before.isdigit() and after.isdigit()
            parts.append("-" if is_sign or is_span else " " if is_within else " , " if not before.strip() else " ")
        elif sign in _MARKS and not is_within and not (sign == "!" and after.isalnum()):
            parts.append(f" {_MARKS[sign]} ")
        elif sign == '"' or unicodedata.category(sign).startswith("S"):
            parts.append(f" {sign} ")
        else:
            parts.append(" " if unicodedata.category(sign) in ("Cc", "Zs", "Zl", "Zp") else sign)
    spaced = _BEFORE_JOINERS.sub(" ", " ".join("".join(parts).split()))
    return " ".join(_MARK_RUN.sub(_strongest, spaced).split()).strip(" ,.")


def _strongest(marks: re.Match[str]) -> str:
    return " ." if "." in marks[0] else " ,"


_FORMS = {"'m": "am", "'re": "are", "'ve": "have", "'ll": "will"}
_SHORT = re.compile(r"(?<=[^\W\d_])('(?:m|re|ve|ll|s|d))\b")
_SHORT_OF = {"'s": ("is", "has"), "'d": ("had", "would")}
_NOT = {word: word[:-3] for word in STOP_WORDS if word.endswith("n't")} | {"can't": "can", "won't": "will"}
_NOT |= {word.replace("'", ""): verb for word, verb in _NOT.items() if word.replace("'", "") not in ("wont", "cant")}
_SPOKEN_NOT = re.compile(rf"\b({'|'.join(sorted(_NOT, key=len, reverse=True))})\b")
_NOTHING_SAID = frozenset(("a", "an", "the", "please"))
_COUNTING = frozenset(("few", "little", "lot"))
"""Behind these an article counts: "few came", "a few came"."""
_SPELLINGS = (
    (re.compile(r"(?<=\w{3})our(?=s?$|ed$|ing$|ite|able|ful|less|hood)"), "or"),
    (re.compile(r"(?<=\w{3})is(?=e[ds]?$|ing$|ation)"), "iz"),
    (re.compile(r"(?<=\w{2})tre(?=s?$)"), "ter"),
)
"""British forms in American ones: of words that are long enough for no other word to be meant."""


@lru_cache(maxsize=20_000)
def _keys(text: str) -> tuple[str, ...]:
    """The words of an English text by what they are compared by, in order."""
    words = _spelled_out(normalise(cut_lead_in(text.strip()))).split()
    following = [*words, ""][1:]
    significant = (
        word for word, after in zip(words, following, strict=True) if word not in _NOTHING_SAID or after in _COUNTING
    )
    found = list(map(_spelling, significant))
    while found and found[-1] in (",", "."):
        found.pop()
    return tuple(found)


def _spelled_out(normalised: str) -> str:
    expanded = _SPOKEN_NOT.sub(lambda found: f"{_NOT[found[1]]} not", normalised).replace("cannot", "can not")
    return _SHORT.sub(lambda found: f" {_FORMS.get(found[1], found[1])}", expanded)


@lru_cache(maxsize=50_000)
def _spelling(word: str) -> str:
    if word in _NUMBER_WORDS or word[:1].isdigit():
        return _NUMBER_WORDS.get(word) or _THOUSANDS.sub("", word)
    for british, american in _SPELLINGS:
        word = british.sub(american, word)
    return word


def _is_one(one: str, other: str) -> bool:
    return one == other or other in _SHORT_OF.get(one, ()) or one in _SHORT_OF.get(other, ())


_WORDS = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]|[^\W\d_]+(?:'[^\W\d_]+)*")


@lru_cache(maxsize=20_000)
def _stems(text: str) -> tuple[str, ...]:
    return tuple(map(stem, _WORDS.findall(_spelled_out(normalise(text)))))


def _of_group(text: str, group: str) -> Counter[str]:
    """How often each word of a group of marks is in a text, by its language."""
    known = stems_of(group, language_of(text))
    return Counter(word for word in _stems(text) if word in known)


def _denials(text: str) -> Counter[str]:
    return _of_group(text, "negation")


_FIGURE = re.compile(r"(?:(?<!\w)[-+±])?\d+(?:[.,:/-]\d+)*(?: ?[%‰°$€£¥])?|[$€£¥] ?\d+(?:[.,]\d+)*")
_THOUSANDS = re.compile(r"(?<=\d),(?=\d{3}(?:\D|$))")
_NUMBER_WORDS = {word: str(number) for word, number in NUMBERS.items() if word != "one"}


def numbers(text: str) -> Counter[str]:
    """The figures in a text, with their signs; the small ones also in words."""
    figures = (_THOUSANDS.sub("", found[0].replace(" ", "")) for found in _FIGURE.finditer(normalise(text)))
    words = (_NUMBER_WORDS[word] for word in _WORDS.findall(normalise(text)) if word in _NUMBER_WORDS)
    return Counter((*figures, *words))


def _times(claim: Claim) -> tuple[Counter[str], frozenset[date], frozenset[str], date | None]:
    """The times that a text names, and its day where they count from that."""
    named = _of_group(claim.text, "time")
    meant = frozenset(meaning for _, meaning in notes_of(claim.text, claim.day))
    counts = bool(named or meant or is_of_then(claim.text))
    return named, frozenset(days_in(claim.text, claim.day)), meant, claim.day if counts else None


def times_named(text: str) -> set[str]:
    """The weekdays, months and times of day that a text names, by their stems."""
    return set(_of_group(text, "time"))


def capitalised(text: str) -> set[str]:
    """The names in a text, small: what is capitalised within a sentence, or opens one and is somebody's."""
    if _capitals(text) is None:
        return set()
    return {
        word.lower()
        for word, opens in _placed(text)
        if word[0].isupper() and word.lower() not in STOP_WORDS and not word.startswith("I'")
        if not opens or is_given_name(word)
    }


_OF_MOMENTS = ("now", "brief")
"""Marks of what is said of the time at which it is said: "for now", "currently"."""
_CAPITALISED = re.compile(r"[^\W\d_][\w'-]*")
_OPENS = frozenset('.!?…:;\n"“«(-–—•*#。！？')


def _placed(text: str) -> Iterator[tuple[str, bool]]:
    """The words of a text as they are written, each with whether it opens a sentence."""
    plain = text.translate(_APOSTROPHES)
    for found in _CAPITALISED.finditer(plain):
        before = plain[max(0, found.start() - 4) : found.start()].rstrip(" \t")
        yield found[0].removesuffix("'s"), not before or before[-1] in _OPENS


@lru_cache(maxsize=20_000)
def _capitals(text: str) -> tuple[frozenset[str], frozenset[str]] | None:
    """The words that are capitalised within a sentence, and those that nowhere are; None where all words are written
    alike, so that capitals say nothing.
    """
    placed = list(_placed(text))
    within = [word for word, opens in placed if not opens and word != "I"]
    if not within or all(word.islower() for word, _ in placed) or all(word[0].isupper() for word in within):
        return None
    high = frozenset(word.lower() for word in within if word[0].isupper())
    low = frozenset(word.lower() for word in within if word.islower())
    return high - low, low - high


def _names_beside(text: str, other: str) -> set[str]:
    """The names in a text that the other one does not say at all."""
    said = {word.lower() for word, _ in _placed(other)}
    return {
        word
        for word, opens in _placed(text)
        if word[0].isupper() and word.lower() not in said and word.lower() not in STOP_WORDS
        if (is_given_name(word) if opens else _capitals(text) is not None and not word.startswith("I'"))
    }
