"""Which verbs a subject has, and their forms by its person: "I work and sing", "Ana works and sings". Pure."""

from __future__ import annotations

from memory_assets.llm.local.language import Token, rarity
from memory_assets.llm.local.standalone import children

UNHEARD_OF = 3.0
"""A verb's form that is so much rarer than the verb is none: it was a past tense ("swam")."""
_OF_I_ALONE = frozenset({"am", "'m", "’m"})


def verb_of(tokens: tuple[Token, ...], place: int) -> int | None:
    """The verb of a subject; None where a word is none, or one of several."""
    token, following = tokens[place], place + 1
    if following < len(tokens) and tokens[following].lower in _OF_I_ALONE:
        is_helper = tokens[following].dep in {"aux", "auxpass"}  # whatever the parser makes of "& I am leaving"
        return tokens[following].head if is_helper else following
    if token.dep in {"nsubj", "nsubjpass"}:
        head = tokens[token.head]
        is_one = not children(tokens, place, {"conj"})
        return token.head if is_one and (head.pos in {"VERB", "AUX"} or head.tag in {"VB", "VBP"}) else None
    is_beside = token.dep not in {"conj", "dobj", "pobj", "dative"} and following < len(tokens)
    return following if is_beside and tokens[following].tag in {"VBP", "VBD", "MD"} else None


def joined(tokens: tuple[Token, ...], verb: int) -> list[int]:
    """Verbs joined to one that have no subject of their own."""
    found: list[int] = []
    for other in children(tokens, verb, {"conj"}):
        has_own = children(tokens, other, {"nsubj", "nsubjpass", "expl"})
        follows_noun = tokens[other - 1].pos in {"NOUN", "PROPN"}  # its subject, whatever the parser makes of it
        if tokens[other].pos in {"VERB", "AUX"} and not has_own and not follows_noun:
            found += [other, *joined(tokens, other)]
    return found


def is_present(tokens: tuple[Token, ...], verb: int, before: int | None) -> bool:
    """Whether a verb is of the present, also one that is joined to such a verb and tagged as an infinitive."""
    is_joined = before is not None and tokens[before].tag == "VBP" and tokens[verb].tag == "VB"
    return tokens[verb].tag == "VBP" or is_joined


def is_wanted(tokens: tuple[Token, ...], place: int) -> bool:
    """Whether "you" is who the speaker wants to do something: "I want you to"."""
    token = tokens[place]
    verb, wants = tokens[token.head], tokens[token.head].head
    return (
        token.dep == "nsubj"
        and verb.tag == "VB"
        and wants != token.head
        and any(tokens[at].tag == "TO" for at in children(tokens, token.head, {"aux"}))
        and any(tokens[at].lower in {"i", "we"} for at in children(tokens, wants, {"nsubj"}))
    )


def is_modal(tokens: tuple[Token, ...], place: int) -> bool:
    """Whether a verb has one form for everybody: "needn't", "need not go"."""
    token, following = tokens[place], tokens[place + 1 : place + 2]
    return any(other.dep == "neg" and (token.dep == "aux" or other.start == token.end) for other in following)


def has_third_person(verb: str) -> bool:
    """Whether there is a third person of a word: none of a past tense ("swam"), whatever it is taken for."""
    return rarity(third_person(verb).lower()) - rarity(verb.lower()) < UNHEARD_OF


def third_person(verb: str) -> str:
    """The third person of a regular verb: "work", "works"; "carry", "carries"."""
    lower = verb.lower()
    if lower.endswith(("s", "x", "z", "ch", "sh", "o")):
        return f"{verb}es"
    if lower.endswith("y") and lower[-2:-1] not in set("aeiou"):
        return f"{verb[:-1]}ies"
    return f"{verb}s"
