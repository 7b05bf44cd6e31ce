"""Lists of bare things in a note: to pack, to buy, to mix. Pure.

Such a list is one matter, and one task where it has open boxes: its items say nothing one by one. What is noted below
somebody's name or below a heading of tasks is none, nor what says something of something ("shed key = under the pot").
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import groupby
from typing import NamedTuple

from memory_assets.batches import in_batches
from memory_assets.llm.local.language import ENGLISH, Parsed, Token, language_of, rarity, words_in
from memory_assets.llm.local.places import ITEMS, Place, is_pair, lead_of
from memory_assets.llm.local.sentences import MOST_WORDS, Form, Piece
from memory_assets.llm.local.standalone import FINITE
from memory_assets.llm.local.statements import TASK_SECTION

DONE = " (done)"
"""Behind what a note's box says that is ticked off."""
FEWEST_THINGS = 3
MOST_OF_A_LIST = 0.6
"""Of a list's items so many are bare things, or it is a list of something else."""
_MOST_WORDS_OF_THING = 7
_SHORTEST_WORD = 3
_RAREST_VERB = 4.5
_BOXES = frozenset({Form.TODO, Form.DONE})


class Item(NamedTuple):
    """A piece of a note, its place, and its words."""

    piece: Piece
    place: Place
    parsed: Parsed


def in_lists(items: Mapping[int, Item]) -> dict[int, Item]:
    """Those of lists of bare things, by their numbers: the first of each list says all of it, as far as one statement
    goes; what has an open box apart, for that is one thing to do. What is no thing in such a list, and no order, is
    restated as it is, or with the open boxes.
    """
    found: dict[int, Item] = {}
    for _, group in groupby(items, key=lambda at: (items[at].piece.form in ITEMS, items[at].place.above)):
        numbers = list(group)
        language = language_of(" ".join(items[at].piece.text for at in numbers))
        bare = [at for at in numbers if _is_thing(items[at], language)]
        if not _is_of_things([items[at] for at in numbers], len(bare)):
            continue
        listed = {at for at in numbers if at in {*bare} or not _opens_with_verb(items[at].parsed)}
        still_open = {at for at in listed if items[at].piece.form is Form.TODO}
        rows = (*_rows(items, sorted(still_open)), *_rows(items, sorted({*bare} - still_open)))
        for row in (*rows, *([at] for at in sorted(listed - {*bare} - still_open))):
            things = (items[at].piece for at in row)
            text = ", ".join(one.text + (DONE if one.form is Form.DONE else "") for one in things)
            found |= {at: _listed(items[at], text if at == row[0] else "") for at in row}
    return found


def _is_of_things(items: Sequence[Item], things: int) -> bool:
    """Whether a list with so many bare things is one of these.

    A tagger takes "water plants" for two nouns: where there are boxes, half of them hold what can be no order.
    """
    place, forms = items[0].place, {item.piece.form for item in items}
    if not forms <= ITEMS or place.row or things < max(FEWEST_THINGS, MOST_OF_A_LIST * len(items)):
        return False
    if not place.above or not lead_of(place.above[-1]) or any(map(TASK_SECTION.search, place.above)):
        return False  # of nothing, of a day, or to be done
    if forms.isdisjoint(_BOXES):
        return not place.is_below_somebody
    return 2 * sum(_is_no_order(item.parsed.tokens) for item in items) >= len(items)


def _is_no_order(tokens: Sequence[Token]) -> bool:
    """Whether it is one word, opens with no word that can be a bare verb ("socks", "sleeping", "two"), or counts."""
    words = [token for token in tokens if token.text[:1].isalnum()]
    is_thing = words[:1] != [] and words[0].tag in {"NNS", "NNPS", "VBG", "CD", "DT"}
    return is_thing or len(words) == 1 or any(token.tag == "CD" for token in words)


def _is_thing(item: Item, language: str) -> bool:
    """Whether it names something and says nothing of it. Which words are verbs is known in English alone: elsewhere a
    thing is one word and what it is counted in.
    """
    text, tokens = item.piece.text, item.parsed.tokens
    if words_in(text) > _MOST_WORDS_OF_THING or text[-1] in ".!?:" or is_pair(text) or _opens_with_verb(item.parsed):
        return False
    if language != ENGLISH:
        return sum(len(word) >= _SHORTEST_WORD and word.isalpha() for word in text.split()) == 1
    says_how = any(token.dep == "ROOT" and token.pos in {"ADJ", "ADV"} for token in tokens)  # "allergic to wasps"
    names = any(token.pos in {"NOUN", "PROPN"} for token in tokens)
    return names and not says_how and not any(token.tag in FINITE for token in tokens)


def _opens_with_verb(parsed: Parsed) -> bool:
    """Whether it is an order: a bare verb, or what is taken for a noun before an article ("book the ferry")."""
    first, second = (*parsed.tokens[:2], None, None)[:2]
    if first is None or rarity(first.lower) > _RAREST_VERB:
        return False  # the tagger takes what it does not know for anything
    return first.tag == "VB" or second is not None and first.pos in {"NOUN", "PROPN"} and second.tag == "DT"


def _listed(item: Item, row: str) -> Item:
    place = item.place._replace(row=row, is_listed=True)
    form = item.piece.form if item.piece.form is Form.TODO else Form.BULLET
    return item._replace(piece=replace(item.piece, form=form), place=place)


def _rows(items: Mapping[int, Item], numbers: Sequence[int]) -> Iterator[Sequence[int]]:
    """As many things as one statement holds, again and again."""
    return in_batches(numbers, len(numbers), lambda at: words_in(items[at].piece.text) + 1, MOST_WORDS)
