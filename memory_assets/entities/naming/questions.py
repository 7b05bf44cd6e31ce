"""Which pairs of names may be one person's, and no rule can tell: what a model may be asked. Pure."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence

from memory_assets.entities.naming.forms import Form
from memory_assets.entities.naming.likeness import LONG_NAME, is_given_name, nearly, related
from memory_assets.entities.naming.links import Links
from memory_assets.entities.naming.people import Item, titles_clash
from memory_assets.entities.naming.records import PERSON


def unclear_short(links: Links, bare: Sequence[Item]) -> list[tuple[str, str]]:
    """First names alone that may be one person's: Bob and Robert, Tomas and Tomasz; R. Chen and Dr. Chen."""
    alone = [i for i in bare if i.name_id and len(links.groups.members(i.key)) == 1 and i.key not in links.in_sources]
    blocks: dict[str, list[Item]] = defaultdict(list)
    for item in alone:
        if item.form.single:
            blocks[item.form.single[:1]].append(item)
            for word in ("bob", "bill", "jack", "ted", "peggy", "dick"):
                if related(item.form.single, word) and item.form.single[0] != word[0]:
                    blocks[word[0]].append(item)
        elif item.form.surname and len(item.form.surname) > 1:
            blocks[item.form.surname].append(item)
    pairs = set()
    for block in blocks.values():
        for place, one in enumerate(block):
            for other in block[place + 1 :]:
                if one.key != other.key and _may_be_one(one.form, other.form):
                    pairs.add((min(one.key, other.key), max(one.key, other.key)))
    return sorted(pairs)


def to_ask(links: Links, pairs: Iterable[tuple[str, str]]) -> tuple[tuple[str, str], ...]:
    """The pairs of names, each once, of which neither a person nor a rule has said what they are."""
    said = {frozenset((d.one_id, d.other_id)) for d in links.decisions if d.decided_by == PERSON}
    asked: set[frozenset[str]] = set()
    for one, other in pairs:
        ends = [_some_name(links, key) for key in (one, other)]
        if None in ends or ends[0] == ends[1]:
            continue
        pair = frozenset(ends)  # type: ignore[arg-type]
        voted = any(frozenset((d.one_id, d.other_id)) == pair and d.decided_by != PERSON for d in links.decisions)
        if pair in said or pair in asked or (not voted and links.groups.root(one) == links.groups.root(other)):
            continue
        asked.add(pair)
    return tuple(sorted((min(pair), max(pair)) for pair in asked))


def _some_name(links: Links, key: str) -> str | None:
    if key in links.names:
        return key
    return min((k for k in links.groups.members(key) if k in links.names), default=None)


def _may_be_one(one: Form, other: Form) -> bool:
    if one.single and other.single:
        if related(one.single, other.single):
            return True
        words = (one.single, other.single)
        return min(map(len, words)) >= LONG_NAME - 1 and nearly(*words) and not all(map(is_given_name, words))
    if one.surname != other.surname or not one.surname:
        return False
    return not (one.given and other.given and one.given[0] != other.given[0]) and not titles_clash([one.title, other.title])
