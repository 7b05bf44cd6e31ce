"""What a statement takes out of the graph, read from its tokens: no search for a word, which may stand anywhere."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from memory_assets.graph.query_files import bare

TOKEN = re.compile(r"'(?>(?:\\.|[^'\\])*)'|\$?[A-Za-z_]\w*|\+=|->|<-|\S")
CLAUSES = frozenset(
    {"MATCH", "OPTIONAL", "WHERE", "WITH", "SET", "REMOVE", "DELETE", "DETACH", "MERGE", "CREATE", "UNWIND", "RETURN",
     "FOREACH", "CALL", "UNION", "ON", "ORDER", "LIMIT", "SKIP"}
)  # fmt: skip
NODE, LINK = "node", "link"
# A memory of which one of these is set is in use no more.
OUT_OF_USE = {"state": "'archived'", "tombstone": "true", "removed_at": None, "withdrawn_at": None}


@dataclass
class Removals:
    """What a statement removes: ``nodes`` by their variables, ``links`` alike, and properties as (labels, name)."""

    nodes: list[str] = field(default_factory=list)
    links: list[str] = field(default_factory=list)
    properties: list[tuple[frozenset[str], str]] = field(default_factory=list)
    put_out: list[tuple[frozenset[str], str]] = field(default_factory=list)
    overwritten: list[frozenset[str]] = field(default_factory=list)


def tokens_of(text: str) -> list[str]:
    """The tokens of a statement, without comments."""
    return TOKEN.findall(bare(text, keep_strings=True))


def removals(text: str) -> Removals:
    """What a statement removes, puts out of use, or overwrites."""
    tokens = tokens_of(text)
    kinds, labels = _variables(tokens)
    found = Removals()
    for place, token in enumerate(tokens):
        word = token.upper()
        if _is_name(tokens, place) or word not in CLAUSES:
            continue
        if word == "DELETE":
            for name in _names(tokens, place + 1):
                (found.links if kinds.get(name) == LINK else found.nodes).append(name)
        elif word == "REMOVE":
            for item in _items(tokens, place + 1):
                if kinds.get(item[0]) != LINK:
                    found.properties.append((labels.get(item[0], frozenset()), "".join(item[1:]).lstrip(".")))
        elif word == "SET":
            for item in _items(tokens, place + 1):
                _assigned(item, kinds, labels, found)
    return found


def _assigned(item: list[str], kinds: dict[str, str], labels: dict[str, frozenset[str]], found: Removals) -> None:
    name = item[0]
    if kinds.get(name) == LINK:
        return
    of = labels.get(name, frozenset())
    if item[1:2] == ["="]:
        found.overwritten.append(of)
    elif item[1:2] == ["."] and item[3:4] == ["="]:
        value = item[4:]
        if [token.lower() for token in value] == ["null"]:
            found.properties.append((of, item[2]))
        elif item[2] in OUT_OF_USE and OUT_OF_USE[item[2]] in (None, value[0].lower()) and not _keeps(item[:3], value):
            found.put_out.append((of, item[2]))


def _keeps(wanted: list[str], value: list[str]) -> bool:
    """Whether a value is what the property was, as far as it is anything."""
    return any(value[place : place + 3] == wanted for place in range(len(value)))


def _variables(tokens: list[str]) -> tuple[dict[str, str], dict[str, frozenset[str]]]:
    """Which variables stand for nodes and which for relationships, lists of them alike; and the labels of nodes."""
    kinds: dict[str, str] = {}
    labels: dict[str, frozenset[str]] = {}
    for place, token in enumerate(tokens[:-2]):
        name, behind = tokens[place + 1], tokens[place + 2]
        if token == "[" and place and tokens[place - 1] in ("-", "<-") and behind in (":", "]", "{"):
            kinds[name] = LINK
        elif token == "(" and behind in (":", ")", "{") and not _is_call(tokens, place) and name.isidentifier():
            kinds.setdefault(name, NODE)
            labels[name] = labels.get(name, frozenset()) | frozenset(_labels(tokens, place + 2))
    # Names that stand for others: lists, their items, and what WITH calls otherwise.
    for _ in range(3):
        for place, token in enumerate(tokens[:-5]):
            if token.lower() == "collect":
                inside = [name for name in tokens[place + 2 : place + 4] if name.upper() != "DISTINCT"][0]
                end = tokens.index(")", place)
                if tokens[end + 1].upper() == "AS":
                    _alias(inside, tokens[end + 2], kinds, labels)
            elif token.upper() == "FOREACH" and tokens[place + 3].upper() == "IN":
                _alias(tokens[place + 4], tokens[place + 2], kinds, labels)
            elif token.upper() == "AS" and place and tokens[place - 2] in (",", "WITH", "DISTINCT"):
                _alias(tokens[place - 1], tokens[place + 1], kinds, labels)
    return kinds, labels


def _alias(old: str, new: str, kinds: dict[str, str], labels: dict[str, frozenset[str]]) -> None:
    if old in kinds and old != new:
        kinds[new] = kinds[old]
        labels[new] = labels.get(new, frozenset()) | labels.get(old, frozenset())


def _labels(tokens: list[str], place: int) -> Iterator[str]:
    while tokens[place] == ":":
        yield tokens[place + 1]
        place += 2


def _is_call(tokens: list[str], place: int) -> bool:
    """Whether a bracket is a function's, or that of a subquery's variables."""
    before = tokens[place - 1] if place else ""
    return before.isidentifier() and before.upper() not in CLAUSES | {"AND", "OR", "NOT", "XOR", "IN", "THEN", "ELSE"}


def _is_name(tokens: list[str], place: int) -> bool:
    """Whether a word is a property, a label or a key."""
    before, behind = tokens[place - 1] if place else "", tokens[place + 1] if place + 1 < len(tokens) else ""
    return before in (".", ":") or behind == ":"


def _names(tokens: list[str], place: int) -> Iterator[str]:
    while place < len(tokens) and tokens[place].isidentifier():
        yield tokens[place]
        if tokens[place + 1 : place + 2] != [","]:
            return
        place += 2


def _items(tokens: list[str], place: int) -> Iterator[list[str]]:
    """The items of a SET or REMOVE, up to the next clause of its level."""
    item: list[str] = []
    depth = cases = 0
    for at in range(place, len(tokens)):
        token, word = tokens[at], tokens[at].upper()
        if token in "([{":
            depth += 1
        elif token in ")]}":
            depth -= 1
            if depth < 0:
                break
        elif not _is_name(tokens, at):
            cases += (word == "CASE") - (word == "END")
            if depth == cases == 0 and word in CLAUSES:
                break
        if token == "," and depth == cases == 0:
            yield item
            item = []
        else:
            item.append(token)
    if item:
        yield item
