"""Greetings, thanks and closings: which of their words name somebody. By place and shape, for nobody's name is a
greeting. Pure.

Where a turn opens or ends with words that only greet, capitals say nothing ("Dear Hiring Manager," "Many Thanks").
A word in them is a name where it is one by itself: somebody's first or last name, or no word of the language at
all.
"""

from __future__ import annotations

from collections.abc import Sequence

from memory_assets.llm.local import lexicon
from memory_assets.llm.local.gazetteer import is_given_name, is_surname
from memory_assets.llm.local.language import Parsed, Token, rarity
from memory_assets.llm.local.standalone import SUBJECTS

MOST_WORDS = 6
HARDLY_A_WORD = 4.6
"""What is capitalised only where every word would be has to be rarer than this."""

_PHRASE_END = frozenset(",!:;.–—")
_VERBS = frozenset({"VBZ", "VBD", "MD"})
_NO_NAMES = lexicon.NOT_NAMES | lexicon.VAGUE_NOUNS | lexicon.PERSON_NOUNS | lexicon.KIN_AND_ROLES | lexicon.TITLES


def opening_line(text: str) -> str:
    """The first line of a turn where it calls somebody ("Hallo zusammen,"), whatever its language; else nothing."""
    line = text.lstrip().partition("\n")[0].strip()
    return line if line[-1:] in (",", "!") and len(line.split()) < MOST_WORDS else ""


def greeting_end(parsed: Parsed, line: str = "") -> int:
    """How many tokens of a turn's first or last sentence greet; 0 where they say something.

    Words that are known to greet do so up to the first mark; others where nothing but them is before it, in the
    whole sentence or on the ``line`` that opens the turn.
    """
    tokens = parsed.tokens
    end = next((at for at, token in enumerate(tokens) if token.text[:1] in _PHRASE_END), len(tokens))
    phrase = tokens[:end]
    if not 0 < end <= MOST_WORDS or any(token.tag in _VERBS for token in phrase):
        return 0
    if not lexicon.GREETINGS.isdisjoint(token.lower for token in phrase):
        # "Many thanks, Petra", "Best wishes, Oskar and Ines": who signs greets, too.
        return len(tokens) if len(tokens) <= MOST_WORDS else end
    if end == len(tokens) or tokens[end].text[:1] not in ",!":
        return 0
    alone = len(tokens) == end + 1 or (
        line != "" and parsed.text.startswith(line[:-1]) and tokens[end].start == len(line) - 1
    )
    return end if alone else 0


def is_known_name(token: Token) -> bool:
    """Whether somebody is called so, and nothing else that people are greeted as."""
    return (
        token.is_capitalised and token.lower not in _NO_NAMES and (is_given_name(token.text) or is_surname(token.text))
    )


def name_among(tokens: Sequence[Token]) -> tuple[int, int]:
    """From where to where words of a greeting are a name, counted within ``tokens``; nowhere when some are none.

    The greeting word itself, and a title, are no part of it: no language greets with a first name. Of several words
    one at least is somebody's name ("Servus beinand" is none).
    """
    start = 0
    while start < len(tokens) and (
        tokens[start].lower.rstrip(".") in _NO_NAMES
        or (not is_known_name(tokens[start]) and any(is_known_name(token) for token in tokens[start + 1 :]))
    ):
        start += 1
    named = tokens[start:]
    known = sum(map(is_known_name, named))
    if not all(is_known_name(token) or _is_no_word(token) for token in named) or len(named) > 1 and not known:
        return 0, 0
    return start, len(tokens)


def called_in(parsed: Parsed) -> str | None:
    """The one person that a letter's first sentence calls: "Dear Ana,", "Ana: the key is ..."; else None."""
    tokens = parsed.tokens
    end = next((at for at, token in enumerate(tokens[: MOST_WORDS + 1]) if token.text in {",", ":"}), 0)
    first, last = name_among(tokens[:end])
    named = tokens[first:last]
    is_one = 0 < len(named) < 3 and any(map(is_known_name, named)) and all(one.dep not in SUBJECTS for one in named)
    return parsed.text[tokens[first].start : tokens[last - 1].end] if is_one else None


def _is_no_word(token: Token) -> bool:
    return token.is_capitalised and token.lower not in _NO_NAMES and rarity(token.lower) >= HARDLY_A_WORD
