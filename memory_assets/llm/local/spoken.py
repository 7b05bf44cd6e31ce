"""How people talk: what they leave out, and what they say before they come to the matter. Pure.

"Lost my job" is of whoever says it, "this lovely woman, Jean" is somebody whom nobody knows yet, and "Guess what - "
tells nothing of what follows.
"""

from __future__ import annotations

import math
from collections.abc import Collection

from memory_assets.llm.local.agreement import has_third_person
from memory_assets.llm.local.language import Parsed, Token, weight
from memory_assets.llm.local.lexicon import TIME_NOUNS
from memory_assets.llm.local.standalone import FINITE, SUBJECTS, TIMES, children

_SPEAKERS = frozenset({"i", "we"})
_MARKS = frozenset({"-", "–", "—", ";"})
_BESIDE = frozenset({"relcl", "acl", "advcl"})
_NO_KIND = frozenset("whole entire same very particular specific other".split())
"""What says which one, not of what kind."""
MOST_WORDS_OF_LEAD = 14
TELLS_NOTHING = 4.25
"""What tells no more than this, by its words' weights, is no news: a word of its own weighs more ("pottery": 6)."""


def implied(tokens: tuple[Token, ...], start: int) -> str | None:
    """The helper that a sentence lacks whose subject, the speaker, goes without saying ("has": "Been working on a
    book"; nothing: "Had a bad week, my car broke down"); None where it has a subject, or lacks perhaps "it".
    """
    at = start
    while at + 1 < len(tokens) and tokens[at].tag == "RB" and tokens[at].dep == "advmod":
        at += 1
    token = tokens[at]
    main = token.head if token.dep in {"aux", "auxpass"} else at
    if children(tokens, main, SUBJECTS) or tokens[main].dep not in {"ROOT", "ccomp", "advcl"}:
        return None
    if token.lower == "been":
        return "has" if main != at and tokens[main].tag == "VBG" else None
    is_past = token.tag == "VBD" or token.tag in {"VB", "VBN"} and not has_third_person(token.text)
    is_done = is_past and token.lemma != "be" and bool(children(tokens, at, {"dobj", "xcomp"}))
    said = {other.lower for other in tokens[at:]}
    return "" if is_done and said & {"i", "my"} and "me" not in said else None


def _is_finite(tokens: tuple[Token, ...], verb: int) -> bool:
    return any(tokens[at].tag in FINITE for at in (verb, *children(tokens, verb, {"aux", "auxpass"})))


def introduces(tokens: tuple[Token, ...], at: int, said: Collection[str]) -> bool:
    """Whether "this" is of something that nobody knows yet: "I met this lovely woman". ``said``: the nouns so far."""
    token, noun = tokens[at], tokens[tokens[at].head]
    is_this = token.lower in {"this", "these"} and token.dep == "det" and noun.pos == "NOUN"
    if not is_this or noun.dep not in {"dobj", "attr", "pobj"}:
        return False
    kinds = children(tokens, token.head, {"amod"})
    are_kinds = kinds and all(tokens[other].tag == "JJ" and tokens[other].lower not in _NO_KIND for other in kinds)
    if (
        not are_kinds
        or noun.lemma in said
        or noun.lemma in TIMES
        or any(other.lemma == noun.lemma for other in tokens[:at])
    ):
        return False
    verb = tokens[noun.head].head if noun.dep == "pobj" else noun.head
    while tokens[verb].dep in {"xcomp", "conj"} and not children(tokens, verb, SUBJECTS):
        verb = tokens[verb].head
    subjects = children(tokens, verb, SUBJECTS)
    return noun.dep == "attr" or bool(subjects) and tokens[subjects[0]].lower in _SPEAKERS


def article(word: str) -> str:
    """ "a" or "an", as the word behind it asks."""
    return "an" if word[:1].lower() in "aeio" or word[:2].lower() == "un" else "a"


def pair_of(tokens: tuple[Token, ...], place: int) -> int | None:
    """Where the "I" stands of "my wife and I", whose "my" is at ``place``."""
    noun = tokens[place].head
    at = noun + 2
    is_pair = (
        tokens[place].dep == "poss" and at < len(tokens) and tokens[at].text == "I" and tokens[at - 1].lower == "and"
    )
    return at if is_pair and (tokens[at].head == noun or tokens[noun].dep in SUBJECTS) else None


def matter_of(parsed: Parsed) -> int | None:
    """Where the matter begins behind a clause that only leads to it ("A lot has happened - I ..."): the character.

    The lead tells nothing in particular, no day and no name; what follows has the speaker, or what is theirs, as its
    subject, and tells more.
    """
    tokens = parsed.tokens
    mark = next((at for at, token in enumerate(tokens[:MOST_WORDS_OF_LEAD]) if _cuts(parsed, at)), 0)
    subject = next((at for at in range(mark + 1, len(tokens)) if tokens[at].dep in SUBJECTS), None)
    if not mark or subject is None or not _is_speakers(tokens, subject):
        return None
    verb = tokens[subject].head
    is_told = verb > mark and tokens[verb].dep not in _BESIDE and _is_finite(tokens, verb)
    is_named = any(name.start < mark for name in parsed.names) or any(token.pos == "PROPN" for token in tokens[:mark])
    if not is_told or is_named or any(token.lemma in TIMES | TIME_NOUNS for token in tokens[:mark]):
        return None
    lead, matter = _weight(tokens[:mark]), _weight(tokens[mark + 1 :])
    return tokens[mark + 1].start if lead <= min(TELLS_NOTHING, matter) else None


def _cuts(parsed: Parsed, at: int) -> bool:
    token = parsed.tokens[at]
    return token.text in _MARKS and parsed.text[token.end : token.end + 1].isspace()


def _is_speakers(tokens: tuple[Token, ...], subject: int) -> bool:
    is_theirs = any(tokens[at].lower in {"my", "our"} for at in children(tokens, subject, {"poss"}))
    return tokens[subject].lower in _SPEAKERS or is_theirs


def _weight(tokens: tuple[Token, ...]) -> float:
    return math.fsum({token.lemma: weight(token) for token in tokens}.values())
