"""Descriptions: of what is noted of a subject, the one or two whole sentences that say who or what it is, and what
matters about it now (specification 004, Nightly Description Consolidation).

A sentence is a note's statement, behind its speaker's name where it needs that; what needs what was said before it is
taken only where there is nothing else. Nothing is written anew: the notes decide, never how it was described so far.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from memory_assets.llm.local.days import ISO_DAY
from memory_assets.llm.local.describe import are_alike, lemmas, word_values
from memory_assets.llm.local.language import ENGLISH, SPACELESS, Parsed, Token, language_of, parse
from memory_assets.llm.local.lexicon import KIN_AND_ROLES
from memory_assets.llm.local.standalone import FINITE, SUBJECTS
from memory_assets.llm.tasks import DescribedSentence, DescriptionNote, DescriptionRequest, SubjectDescription
from memory_assets.text.attribution import behind_name
from memory_assets.text.content import STOP_WORDS

SENTENCES = {"person": 2, "entity": 2}
"""So many sentences at most; of concepts and relationships one (004)."""
LONGEST, GOOD_LENGTH, SHORTEST = 300, 160, 4
LASTING = {1: 0.0, 2: 0.2, 3: 0.8, 4: 1.2}
"""What a note is worth by the rank of its lifetime: week, month, year, forever."""
IS_ITS_SUBJECT, SAYS_WHAT_IT_IS, IS_PART_OF_IT, BELONGS_TO_SOMEBODY = 1.6, 1.6, 1.2, 1.4
NEWEST, CENTRAL = 0.6, 1.2
BY_ANOTHER, PASSING, LISTED, ADDRESSED, LONG = 0.5, 1.5, 1.2, 1.5, 1.0
SAME_MATTER = 0.5
WORTH_A_SECOND = 0.55
"""So much of the first one's worth a second sentence has at least."""

_IDENTITY = frozenset("become own lead manage head run work live belong build teach study found marry cost".split())
_DAY = r"(?:mon|tues|wednes|thurs|fri|satur|sun)day"
_PASSING = re.compile(
    r"\b(?:today|tonight|tomorrow|yesterday|(?:this|next|last) (?:week|month|year|morning|evening|night|time)|"
    rf"{_DAY}(?! \d)|just now|right now|later|soon|by the way|(?:an?|two|three) \w+ ago)\b",
    re.IGNORECASE,
)
"""What was so on its day alone; a weekday with its date and a habit ("on Tuesdays") last."""
_LABELLED = re.compile(r"^[^:]{1,60}: |^\W")
"""A line of a list that somebody keeps by days: how it was on that day."""
_ADDRESSED = re.compile(r"\b(?:I|[Mm](?:y|e|ine)|[Ww]e|[Oo]urs?|us|[Yy](?:ou|ours?)|[Pp]lease)\b")
_MAIN = frozenset({"ROOT", "conj", "ccomp"})


@dataclass(frozen=True)
class _Candidate:
    note: DescriptionNote
    text: str
    attributed: str
    """Behind the speaker's name where it needs that."""
    place: int
    parsed: Parsed


def describe_subject(request: DescriptionRequest) -> SubjectDescription:
    """The answer to ``descriptions/describe_subject``; nothing where no note speaks of the subject in a sentence."""
    known = _words(request.name)
    candidates = _candidates(request, known, is_standalone=True) or _candidates(request, known, is_standalone=False)
    worths = _worths(request, candidates)
    best = sorted(range(len(candidates)), key=lambda at: (-worths[at], -candidates[at].place))
    chosen = best[:1]
    if chosen and SENTENCES.get(request.kind, 1) > 1 and worths[best[0]] > 0:
        matters = [lemmas(one.parsed) - known for one in candidates]
        others = (at for at in best[1:] if not are_alike(matters[at], matters[best[0]], SAME_MATTER))
        second = next(others, best[0])
        if second != best[0] and worths[second] >= WORTH_A_SECOND * worths[best[0]]:
            chosen.append(second)
    return SubjectDescription(
        sentences=tuple(
            DescribedSentence(text=candidates[at].attributed, refs=(candidates[at].note.ref,)) for at in chosen
        )
    )


def _candidates(request: DescriptionRequest, known: Collection[str], *, is_standalone: bool) -> list[_Candidate]:
    """The sentences about the subject that are understood alone (``standing``), or as they were said: each once, the
    newest of equals.
    """
    found: dict[str, tuple[DescriptionNote, str, str, int]] = {}
    for place, note in enumerate(request.notes):
        text = " ".join((note.statement or "" if is_standalone else note.text).split())
        attributed = behind_name(text, note.speaker) if is_standalone else text
        # A name before the words says who "I" is; a relationship has little else than what was said.
        is_nobodys = (attributed == text or not is_standalone) and _ADDRESSED.search(text)
        leans = request.kind != "relationship" and is_nobodys
        if text and "?" not in text and len(attributed) <= LONGEST and not leans and not ISO_DAY.match(text):
            ended = attributed if _has_ended(attributed) else attributed.rstrip(" ,;:") + "."
            found[text.casefold()] = note, text, ended, place
    return [
        _Candidate(*one, words)
        for one, words in zip(found.values(), parse([text for _, text, _, _ in found.values()]), strict=True)
        if _is_sentence(words) and (request.kind == "relationship" or _named(words, known))
    ]


def _is_sentence(parsed: Parsed) -> bool:
    """Whether it is more than a few words of a list; where the tagger knows no verbs, by its end."""
    if language_of(parsed.text) != ENGLISH:
        return _has_ended(parsed.text)
    return len(parsed.tokens) >= SHORTEST and any(token.tag in FINITE for token in parsed.tokens)


def _named(parsed: Parsed, known: Collection[str]) -> list[int]:
    """Where a text names the subject; at its beginning where its words leave that open."""
    found = [at for at, token in enumerate(parsed.tokens) if {token.lower, token.lemma.casefold()} & set(known)]
    is_within = SPACELESS.search(parsed.text) and any(word in parsed.text.casefold() for word in known)
    return found or ([0] if is_within else [])


def _has_ended(text: str) -> bool:
    return text.rstrip("\"'”’»)")[-1:] in {".", "!", "…", "。", "！"}


def _worths(request: DescriptionRequest, candidates: Sequence[_Candidate]) -> list[float]:
    """How well each describes the subject."""
    parsed = [one.parsed for one in candidates]
    values = word_values(parsed)
    times = Counter(word for one in parsed for word in lemmas(one))
    known = _words(request.name)
    central = [
        math.fsum(values[word] * (times[word] - 1) for word in sorted(lemmas(one) - known))
        / (8 + len(one.tokens)) ** 0.5
        for one in parsed
    ]
    most = max(central, default=0.0) or 1.0
    last = max(1, len(request.notes) - 1)
    return [
        LASTING[one.note.lasting]
        + NEWEST * one.place / last
        + CENTRAL * central[at] / most
        + _said_of_it(one.parsed, request, known)
        - _faults(one)
        for at, one in enumerate(candidates)
    ]


def _said_of_it(parsed: Parsed, request: DescriptionRequest, known: Collection[str]) -> float:
    """Whether it says something of the subject first, and says who or what it is."""
    if request.kind == "relationship":
        return 0.0
    tokens = parsed.tokens
    worth = 0.0
    for at in _named(parsed, known):
        head = _head_of_phrase(tokens, at)
        one, verb = tokens[head], tokens[tokens[head].head]
        says_what = _says_what(tokens, tokens[head].head)
        if one.dep in SUBJECTS and verb.dep in _MAIN and verb.lemma.casefold() != "do":
            worth = max(worth, IS_ITS_SUBJECT + (SAYS_WHAT_IT_IS if says_what else 0))
        elif one.dep == "attr" and verb.dep in _MAIN:
            worth = max(worth, IS_ITS_SUBJECT + SAYS_WHAT_IT_IS)
        elif (one.dep == "dobj" and says_what) or one.dep == "poss" and verb.dep in SUBJECTS:
            worth = max(worth, IS_PART_OF_IT)
        beside = [other.lower for other in tokens[max(0, at - 1) : at + 3] if other.pos == "NOUN"]
        if request.kind == "person" and KIN_AND_ROLES.intersection(beside):
            worth = max(worth, BELONGS_TO_SOMEBODY)
    return worth


def _says_what(tokens: Sequence[Token], verb: int) -> bool:
    """Whether a verb says what somebody is or does for long: "is the owner of", "leads", never "is on a boat"."""
    lemma = tokens[verb].lemma.casefold()
    return (
        lemma in _IDENTITY
        or lemma == "be"
        and any(token.dep == "attr" and token.head == verb and token.pos in {"NOUN", "PROPN"} for token in tokens)
    )


def _head_of_phrase(tokens: Sequence[Token], at: int) -> int:
    while tokens[at].dep in {"compound", "appos", "nmod"} and tokens[at].head not in (at, -1):
        at = tokens[at].head
    return at


def _faults(one: _Candidate) -> float:
    return (
        (BY_ANOTHER if one.attributed.rstrip(".") != one.text.rstrip(".") else 0)
        + (PASSING if _PASSING.search(one.text) else 0)
        + (LISTED if _LABELLED.search(one.text) else 0)
        + (ADDRESSED if _ADDRESSED.search(one.text) else 0)
        + LONG * max(0, len(one.attributed) - GOOD_LENGTH) / GOOD_LENGTH
    )


def _words(name: str) -> frozenset[str]:
    """The words by which the subject is named; "of" names nobody."""
    words = frozenset(re.findall(r"\w+", name.casefold()))
    return words - STOP_WORDS or words
