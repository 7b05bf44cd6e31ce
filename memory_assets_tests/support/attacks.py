"""Texts on which a pattern would work hard, made from its own parse tree.

A matcher that goes back works hard where the same characters can be shared out in many ways: a repetition within a
repetition, two that follow each other, one that begins anew at each character. So each repetition is fed what it
likes, over and over, between what must stand before it and something that no pattern likes.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Sequence
from re import _parser  # the pattern's tree, as the compiler reads it
from typing import Any, NamedTuple

MANY = 9
"""A repetition up to fewer than this costs a constant."""
MOST_PUMPS = 10
ODD = ("", "\x01", "\n\x01")
ALPHABET = "".join(map(chr, range(32, 127))) + "\n\t\r\x00\x01éßЖ漢—’“٣\xa0İ"
PLAIN = tuple(
    "a| |A|0|.|,|:|-|_|'|\"|(|[|{|<|>|/|*|#|`|=|@|\\|\n|\t|\r|漢|é|’|a |A |Ab |Abcd |0 |, |. |- |1.|a.|a, |a: |> "
    "|a\n|\n\n"
    '|\n |- a\n|http://a.|a@b.|[a](|| a |<a>|**a|"a": |(a |0:00:|a\'b |“a| \n|a\x00'.split("|")
)


class Attack(NamedTuple):
    """What is repeated, and what stands before and after it."""

    before: str
    pump: str
    after: str

    def text(self, size: int) -> str:
        """A text of about ``size`` characters."""
        return self.before + self.pump * (size // len(self.pump)) + self.after


def attacks(pattern: re.Pattern[Any]) -> Iterator[Attack]:
    """Each once; the same ones at every call."""
    return (Attack(*plan) for plan in dict.fromkeys(_plans(pattern)) if plan[1])


def _plans(pattern: re.Pattern[Any]) -> Iterator[tuple[str, str, str]]:
    for pump in PLAIN:
        yield "", pump, "\x01"
    text = pattern.pattern if isinstance(pattern.pattern, str) else pattern.pattern.decode("latin-1")
    flags = pattern.flags if isinstance(pattern.pattern, str) else pattern.flags | re.ASCII
    tree = _parser.parse(text, flags & ~re.DEBUG)
    maker = _Maker(tree, bool(flags & re.IGNORECASE))
    for before, body in _repetitions(list(tree), []):
        start = maker.make(before)
        pumps = maker.pumps(body)
        likes = [*pumps, *(start[-30:] + pump for pump in pumps[:4] if start)]
        for pump in dict.fromkeys(likes):
            for after in ODD:
                yield start, pump, after


def _repetitions(nodes: Sequence[Any], before: Sequence[Any]) -> Iterator[tuple[list[Any], Any]]:
    """Each repetition of a tree with all that stands before it."""
    for number, (op, value) in enumerate(nodes):
        path = [*before, *nodes[:number]]
        if str(op) in ("MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT") and value[1] >= MANY:
            yield path, value[2]
        for inner in _inside(op, value):
            yield from _repetitions(inner, path)


def _inside(op: Any, value: Any) -> list[Sequence[Any]]:
    match str(op):
        case "MAX_REPEAT" | "MIN_REPEAT" | "POSSESSIVE_REPEAT":
            return [list(value[2])]
        case "SUBPATTERN":
            return [list(value[3])]
        case "BRANCH":
            return [list(one) for one in value[1]]
        case "ASSERT" | "ASSERT_NOT":
            return [list(value[1])]
        case "ATOMIC_GROUP":
            return [list(value)]
        case "GROUPREF_EXISTS":
            return [list(one) for one in value[1:] if one is not None]
    return []


class _Maker:
    """Makes texts that parts of one pattern match, of as few different characters as tell its sets apart."""

    def __init__(self, tree: Any, ignores_case: bool) -> None:
        self._ignores_case = ignores_case
        self._fitting: dict[tuple[str, Any], list[str]] = {}
        nodes = [node for node in _leaves(list(tree))]
        letters = dict.fromkeys(ALPHABET + "".join(chr(value) for op, value in nodes if str(op) == "LITERAL"))
        members = [{char for char in letters if self._holds(node, char)} for node in nodes]
        kinds: dict[tuple[bool, ...], str] = {}
        for char in sorted(letters, key=lambda char: (not char.isalpha(), char != " ", char)):
            kinds.setdefault(tuple(char in one for one in members), char)
        self._reps = list(kinds.values())

    def pumps(self, body: Any) -> list[str]:
        """What a repetition of ``body`` takes, in ways as different as possible."""
        found = [self.make(list(body), prefer) for prefer in self._reps]
        found += [self.make(list(body), luck=random.Random(number)) for number in range(4)]
        return list(dict.fromkeys(text for text in found if text))[:MOST_PUMPS]

    def make(self, nodes: Sequence[Any], prefer: str = "a", luck: random.Random | None = None) -> str:
        """A text for a sequence of nodes; what only looks around adds nothing."""
        return "".join(self._one(op, value, prefer, luck) for op, value in nodes)

    def _one(self, op: Any, value: Any, prefer: str, luck: random.Random | None) -> str:
        match str(op):
            case "LITERAL":
                return chr(value)
            case "NOT_LITERAL" | "ANY" | "IN":
                return self._char((op, value), prefer, luck)
            case "MAX_REPEAT" | "MIN_REPEAT" | "POSSESSIVE_REPEAT":
                times = value[0] or (luck.randint(0, min(2, value[1])) if luck else 0)
                return self.make(list(value[2]), prefer, luck) * times
            case "BRANCH":
                ways = [
                    self.make(list(one), prefer, luck)
                    for one in (value[1] if luck is None else [luck.choice(value[1])])
                ]
                return next((way for way in ways if prefer in way), ways[0])
            case "SUBPATTERN" | "ATOMIC_GROUP" | "GROUPREF_EXISTS":
                return self.make(_inside(op, value)[0], prefer, luck)
        return ""

    def _char(self, node: Any, prefer: str, luck: random.Random | None) -> str:
        op, value = node
        # A set is a list of the tree, which lives as long as this does.
        known = (str(op), id(value) if isinstance(value, list) else value)
        if known not in self._fitting:
            self._fitting[known] = [char for char in self._reps if self._holds(node, char)]
        fitting = self._fitting[known]
        if prefer in fitting and (luck is None or luck.random() < 0.3):
            return prefer
        return (luck.choice(fitting) if luck else fitting[0]) if fitting else ""

    def _holds(self, node: Any, char: str) -> bool:
        op, value = node
        chars = {char, char.lower(), char.upper()} if self._ignores_case else {char}
        match str(op):
            case "LITERAL":
                return chr(value) in chars
            case "NOT_LITERAL":
                return chr(value) not in chars
            case "ANY":
                return char != "\n"
        negated = bool(value) and str(value[0][0]) == "NEGATE"
        return negated != any(_in_item(item, one) for item in value[negated:] for one in chars)


def _in_item(item: Any, char: str) -> bool:
    op, value = item
    match str(op):
        case "LITERAL":
            return ord(char[0]) == value
        case "RANGE":
            return value[0] <= ord(char[0]) <= value[1]
    kind = str(value).rpartition("_")[2]
    is_in = {"DIGIT": char.isdigit(), "SPACE": char.isspace(), "WORD": char.isalnum() or char == "_"}[kind]
    return is_in != ("_NOT_" in str(value))


def _leaves(nodes: Sequence[Any]) -> Iterator[Any]:
    for op, value in nodes:
        if str(op) in ("LITERAL", "NOT_LITERAL", "ANY", "IN"):
            yield op, value
        for inner in _inside(op, value):
            yield from _leaves(inner)
