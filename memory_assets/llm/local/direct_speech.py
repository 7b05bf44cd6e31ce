"""Speech that a sentence repeats without quotation marks: "Tom said, I'm leaving you". Pure.

It is a clause of its own beside a verb of saying, behind a comma or a colon or before one. "I" in it is its
speaker, "you" its hearer. Behind "that", or without a mark, it is reported speech.
"""

from __future__ import annotations

from collections.abc import Iterator

from memory_assets.llm.local.language import Token
from memory_assets.llm.local.standalone import above

_SAYING = frozenset("say tell ask reply answer respond write text shout yell whisper explain announce warn".split())
_MARKS = frozenset({",", ":", "-", "–", "—"})
_FIRST = frozenset({"i", "we"})
_SECOND = frozenset("you your yours yourself yourselves ya u".split())


def is_anothers(tokens: tuple[Token, ...], place: int) -> bool:
    """Whether "I" or "you" at a place is not who speaks or listens: somebody else says it, or hears it."""
    for verb in _sayings(tokens, place):
        if tokens[_subject(tokens, verb)].lower not in _FIRST:
            return True
        if tokens[place].lower in _SECOND:
            return True
    return False


def _sayings(tokens: tuple[Token, ...], place: int) -> Iterator[int]:
    """The verbs by which the word at a place is said."""
    for at in above(tokens, place):
        token = tokens[at]
        if token.dep == "ccomp" and _says_nothing_else(tokens, token.head, at) and _is_apart(tokens, at, token.head):
            yield token.head


def _says_nothing_else(tokens: tuple[Token, ...], verb: int, clause: int) -> bool:
    """Whether a verb of saying has nothing beside a clause that could be what is said, or what it is about."""
    rest = [token for at, token in enumerate(tokens) if token.head == verb and at not in {verb, clause}]
    is_more = any(token.dep in {"ccomp", "xcomp"} or token.dep == "prep" and token.lower != "to" for token in rest)
    return tokens[verb].lemma in _SAYING and not is_more


def _is_apart(tokens: tuple[Token, ...], clause: int, beside: int) -> bool:
    """Whether a mark is between a clause and the verb beside it, and no word that joins them."""
    inside = [at for at in range(len(tokens)) if tokens[at].tag[:1].isalpha() and clause in above(tokens, at)]
    if any(tokens[at].dep == "mark" and tokens[at].head == clause for at in inside):
        return False
    at = inside[0] - 1 if beside < clause else inside[-1] + 1
    return 0 <= at < len(tokens) and tokens[at].text in _MARKS


def _subject(tokens: tuple[Token, ...], verb: int) -> int:
    """The subject of a verb, or of the one that it is joined to; the verb itself where there is none."""
    for at in above(tokens, verb):
        subject = next((n for n, t in enumerate(tokens) if t.head == at and t.dep == "nsubj"), None)
        if subject is not None:
            return subject
    return verb
