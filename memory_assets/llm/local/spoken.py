"""How people talk: what they leave out, and what they say before they come to the matter. Pure.

"Lost my job" is of its speaker, "this lovely woman, Jean" is somebody whom nobody knows yet, and "Guess what - "
says nothing of what follows.
"""

from __future__ import annotations

import re
from collections.abc import Collection

from memory_assets.llm.local.agreement import has_third_person
from memory_assets.llm.local.language import Parsed, Token
from memory_assets.llm.local.lexicon import KIN_AND_ROLES, TIME_NOUNS
from memory_assets.llm.local.standalone import FINITE, SUBJECTS, TIMES, children

_SPEAKERS = frozenset({"i", "we"})
_OF_SELF = frozenset("i me my mine myself".split())
_BESIDE = frozenset({"relcl", "acl", "advcl"})
_COMPANY = KIN_AND_ROLES - {"birthday", "wedding"} | {"family", "fam"}
_NO_KIND = frozenset("whole entire same very particular specific other".split())
"""What says which one, not of what kind."""
_OF_WEATHER = frozenset("rain snow hail sleet drizzle pour storm thunder freeze".split())
"""Verbs whose subject is "it"."""
_ANNOUNCED = re.compile(
    r"(?:guess what|(?:(?:(?:so|quite) )?(?:a lot|lots|much)|something|(?:(?:a|the|some) )?"
    r"(?:(?:really )?(?:crazy|funny|weird|strange|amazing|big) )?things?)"
    r"(?:['’]s| has| have)?(?: just)? (?:happened|changed)"
    r"(?: (?:lately|recently|since (?:we|I)(?: last)? (?:talked|spoke|chatted|met)))?)"
    r"[!.…]*(?: [-–—]|[—;])\s+",
    re.I,
)
_SOUNDS_OTHERWISE = re.compile(r"u|eu|ew|on[ce]|ho[nu]|hei|[^a-z]")


def implied(tokens: tuple[Token, ...], start: int) -> str | None:
    """The helper that a sentence lacks whose subject, the speaker, goes without saying ("has": "Been writing my
    book"; nothing: "Had a bad week, my car broke down"); None where it has a subject, or lacks perhaps "it".
    """
    at = start
    while at + 1 < len(tokens) and tokens[at].tag == "RB" and tokens[at].dep == "advmod":
        at += 1
    token = tokens[at]
    main = token.head if token.dep in {"aux", "auxpass"} else at
    if children(tokens, main, SUBJECTS) or tokens[main].dep not in {"ROOT", "ccomp", "advcl"}:
        return None
    said = {other.lower for other in tokens[at:]}
    if not said & {"i", "my"} or "me" in said or not children(tokens, main, {"dobj", "xcomp"}):
        return None
    if token.lower == "been":
        return "has" if main != at and tokens[main].tag == "VBG" and tokens[main].lemma not in _OF_WEATHER else None
    is_past = token.tag == "VBD" or token.tag in {"VB", "VBN"} and not has_third_person(token.text)
    return "" if is_past and main == at and token.lemma != "be" else None


def is_of_speaker(parsed: Parsed) -> bool:
    """Whether a sentence is of what the speaker does, and names nobody and nothing else that could do the next."""
    tokens = parsed.tokens
    is_theirs = any(
        token.lower == "i" and token.dep in SUBJECTS and tokens[token.head].dep == "ROOT" for token in tokens
    )
    others = [token for token in tokens if token.pos in {"NOUN", "PROPN", "PRON"} and token.lower not in _OF_SELF]
    return is_theirs and all(token.lemma in TIMES | TIME_NOUNS for token in others)


def _is_finite(tokens: tuple[Token, ...], verb: int) -> bool:
    return any(tokens[at].tag in FINITE for at in (verb, *children(tokens, verb, {"aux", "auxpass"})))


def introduces(tokens: tuple[Token, ...], at: int, names: Collection[int]) -> str | None:
    """ "a" or "an" where "this" is of somebody whom nobody knows yet, whose name follows: "I met this lovely woman,
    Jean". None where it is not, or where the letters leave open which of both. ``names``: the places of people's names.
    """
    token, noun = tokens[at], tokens[at].head
    if token.lower != "this" or token.dep != "det" or tokens[noun].lemma not in KIN_AND_ROLES:
        return None
    is_named = noun + 2 in names and tokens[noun + 1].text == "," and tokens[noun + 2].dep == "appos"
    if not is_named or tokens[noun + 2].head != noun:
        return None
    kinds = children(tokens, noun, {"amod"})
    are_kinds = kinds and all(tokens[other].tag == "JJ" and tokens[other].lower not in _NO_KIND for other in kinds)
    return _article(tokens[at + 1].lower) if are_kinds else None


def _article(word: str) -> str | None:
    """The article before a word; None where its first letters leave its sound open ("unique", "upset", "honest")."""
    if _SOUNDS_OTHERWISE.match(word):
        return None
    return "an" if word[0] in "aeio" else "a"


def pair_of(tokens: tuple[Token, ...], place: int) -> int | None:
    """Where the "I" is in "my wife and I", whose "my" is at ``place``."""
    noun = tokens[place].head
    at = noun + 2
    is_pair = (
        tokens[place].dep == "poss" and at < len(tokens) and tokens[at].text == "I" and tokens[at - 1].lower == "and"
    )
    return at if is_pair and (tokens[at].head == noun or tokens[noun].dep in SUBJECTS) else None


def companion_in(parsed: Parsed, end: int | None = None) -> str | None:
    """With whom a speaker does something, before a place: "with my husband" ("their husband"), "with Joy"; nobody where
    one is angry with somebody, or breaks up with them.
    """
    tokens = parsed.tokens
    for at, token in enumerate(tokens[:end]):
        if token.dep != "pobj" or tokens[token.head].lower != "with":
            continue
        verb = tokens[token.head].head
        does = any(tokens[of].lower in _SPEAKERS for of in _subjects(tokens, verb))
        is_others = any(tokens[of].lower not in {"my", "our"} for of in children(tokens, at, {"poss"}))
        if tokens[verb].pos != "VERB" or not does or is_others or children(tokens, verb, {"prt"}):
            continue
        if token.lemma in _COMPANY:
            return f"their {token.text}"
        name = next((one for one in parsed.names if one.label == "PERSON" and one.start <= at < one.end), None)
        if name is not None:
            return parsed.text[tokens[name.start].start : tokens[name.end - 1].end]
    return None


def _subjects(tokens: tuple[Token, ...], verb: int) -> list[int]:
    """Who does what a verb says, which may be said of the verb before it: "I went rowing"."""
    while True:
        verbs = (verb, *children(tokens, verb, {"aux"}))
        found = [subject for one in verbs for subject in children(tokens, one, {"nsubj"})]
        if found or tokens[verb].dep not in {"xcomp", "advcl", "conj"}:
            return found
        verb = tokens[verb].head


def matter_of(parsed: Parsed) -> int | None:
    """Where the matter begins behind what only announces it ("A lot has happened - I ..."): the character.

    What announces it is one of a few set phrases: any other clause may report, wish, doubt or deny what follows. That
    has the speaker, or what is theirs, as its subject.
    """
    match = _ANNOUNCED.match(parsed.text)
    if match is None:
        return None
    tokens, start = parsed.tokens, match.end()
    subject = next((at for at, token in enumerate(tokens) if token.start >= start and token.dep in SUBJECTS), None)
    if subject is None or not _is_speakers(tokens, subject):
        return None
    verb = tokens[subject].head
    is_statement = tokens[verb].start >= start and tokens[verb].dep not in _BESIDE and _is_finite(tokens, verb)
    return start if is_statement else None


def _is_speakers(tokens: tuple[Token, ...], subject: int) -> bool:
    is_theirs = any(tokens[at].lower in {"my", "our"} for at in children(tokens, subject, {"poss"}))
    return tokens[subject].lower in _SPEAKERS or is_theirs
