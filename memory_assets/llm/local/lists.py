"""Lists of bare things in a note: to pack, to buy, to mix. Pure.

Such a list is one matter: its items say nothing one by one, whether they have boxes or not. What is noted below
somebody's name or below a heading of tasks is none, nor what says something of something ("shed key = under the pot").
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import groupby
from typing import NamedTuple

from memory_assets.llm.local.language import ENGLISH, Parsed, language_of, rarity, words_in
from memory_assets.llm.local.patterns import TASK_SECTION
from memory_assets.llm.local.places import ITEMS, Place, is_pair
from memory_assets.llm.local.sentences import MOST_WORDS, Form, Piece
from memory_assets.llm.local.standalone import FINITE

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
    """A piece of a note, where it stands, and its words."""

    piece: Piece
    place: Place
    parsed: Parsed


def in_lists(items: Mapping[int, Item]) -> dict[int, Item]:
    """Those of lists of bare things, by their numbers: the first of each list tells all of it, as far as one statement
    goes. What is no thing in such a list, and nothing to do, is told as it stands.
    """
    found: dict[int, Item] = {}
    for _, group in groupby(items, key=lambda at: (items[at].piece.form in ITEMS, items[at].place.above)):
        numbers = list(group)
        bare = [at for at in numbers if _is_thing(items[at], _language([items[one] for one in numbers]))]
        first = items[numbers[0]]
        is_list = first.piece.form in ITEMS and not first.place.row and bool(first.place.above)
        is_of_things = len(bare) >= max(FEWEST_THINGS, MOST_OF_A_LIST * len(numbers))
        has_boxes = any(items[at].piece.form in _BOXES for at in numbers)
        is_of_another = not has_boxes and first.place.is_below_somebody or TASK_SECTION.search(first.piece.section)
        if not is_list or not is_of_things or is_of_another:
            continue
        others = [[at] for at in numbers if at not in bare and not _opens_with_verb(items[at].parsed)]
        for row in (*_rows(items, bare), *others):
            told = ", ".join(_thing(items[at].piece) for at in row)
            found |= {at: _listed(items[at], told if at == row[0] else "") for at in row}
    return found


def _language(items: Sequence[Item]) -> str:
    return language_of(" ".join(item.piece.text for item in items))


def _is_thing(item: Item, language: str) -> bool:
    """Whether it names something and says nothing of it. Which words are verbs is known in English alone: elsewhere a
    thing is one word and what it is counted in.
    """
    text, tokens = item.piece.text, item.parsed.tokens
    if words_in(text) > _MOST_WORDS_OF_THING or text[-1] in ".!?:" or is_pair(text) or _opens_with_verb(item.parsed):
        return False
    if language != ENGLISH:
        return sum(len(word) >= _SHORTEST_WORD and word.isalpha() for word in text.split()) == 1
    return not any(token.tag in FINITE for token in tokens) and any(token.pos in {"NOUN", "PROPN"} for token in tokens)


def _opens_with_verb(parsed: Parsed) -> bool:
    """Whether it is an order: a bare verb, or what is taken for a noun before an article ("book the ferry")."""
    first, second = (*parsed.tokens[:2], None, None)[:2]
    if first is None or rarity(first.lower) > _RAREST_VERB:
        return False  # the tagger takes what it does not know for anything
    return first.tag == "VB" or second is not None and first.pos in {"NOUN", "PROPN"} and second.tag == "DT"


def _listed(item: Item, row: str) -> Item:
    place = item.place._replace(row=row, is_listed=True)
    return item._replace(piece=replace(item.piece, form=Form.BULLET), place=place)


def _thing(piece: Piece) -> str:
    return f"{piece.text}{DONE}" if piece.form is Form.DONE else piece.text


def _rows(items: Mapping[int, Item], numbers: Sequence[int]) -> Iterator[list[int]]:
    """As many things as one statement holds, again and again."""
    row: list[int] = []
    words = 0
    for at in numbers:
        more = words_in(items[at].piece.text) + 1
        if row and words + more > MOST_WORDS:
            yield row
            row, words = [], 0
        row.append(at)
        words += more
    if row:
        yield row
