"""The people whom full names give: which full names are one person's, and who a short name could mean. Pure.

Work is by surname, given name and beginnings, never by all pairs.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from memory_assets.entities.naming.forms import HE, SHE, Form
from memory_assets.entities.naming.likeness import (
    SHORTEST_PREFIX,
    has_variant,
    heard,
    misspelt,
    misspelt_given,
    misspelt_short,
    nearly,
    related,
    same_given,
)


@dataclass(frozen=True)
class Item:
    """A written name among the others: an owner's name, one of the profile's, or a participant's (``name_id`` None)."""

    key: str
    form: Form
    sources: frozenset[str]
    name_id: str | None = None


class Groups:
    """Items joined step by step; what a person keeps apart is never joined, whatever joins it by way of others."""

    def __init__(self, keys: Iterable[str], apart: Collection[tuple[str, str]]) -> None:
        self._parent = {key: key for key in keys}
        self._members = {key: [key] for key in self._parent}
        self._apart: dict[str, set[str]] = defaultdict(set)
        for one, other in apart:
            self._apart[one].add(other)
            self._apart[other].add(one)

    def root(self, key: str) -> str:
        """The representative of an item's group."""
        while self._parent[key] != key:
            self._parent[key] = self._parent[self._parent[key]]
            key = self._parent[key]
        return key

    def members(self, key: str) -> Sequence[str]:
        """Everybody in the group of an item."""
        return self._members[self.root(key)]

    def are_apart(self, one: str, other: str) -> bool:
        """Whether somebody keeps a member of the one group apart from a member of the other."""
        smaller, larger = sorted((self.members(one), self.members(other)), key=len)
        held = set(larger)
        return any(self._apart[key] & held for key in smaller if key in self._apart)

    def join(self, one: str, other: str) -> bool:
        """Make two groups one, if nobody keeps them apart; whether they are one now."""
        first, second = sorted((self.root(one), self.root(other)))
        if first == second:
            return True
        if self.are_apart(first, second):
            return False
        self._parent[second] = first
        self._members[first] += self._members.pop(second)
        return True


def join_full_names(items: Sequence[Item], groups: Groups) -> list[tuple[str, str]]:
    """Join the full names of one person. Returns pairs of keys that may be one person's, and are not clear."""
    by_key: dict[tuple[str, str], list[Item]] = defaultdict(list)
    for item in items:
        if item.form.is_full:
            by_key[item.form.given, heard(item.form.surname)].append(item)
    for alike in by_key.values():
        _join_middles(alike, groups)
    by_surname: dict[str, dict[str, list[Item]]] = defaultdict(dict)
    for (given, surname), alike in sorted(by_key.items()):
        by_surname[surname][given] = alike
    for givens in by_surname.values():
        _join_short_forms(givens, groups)
    return _join_misspelt(by_surname, groups)


def _join_middles(alike: Sequence[Item], groups: Groups) -> None:
    """One given name and surname: one person, unless middle names show two."""
    middles = {item.form.middles[0][0] for item in alike if item.form.middles}
    if len(middles) > 1:
        for letter in sorted(middles):
            _join_all([i for i in alike if i.form.middles and i.form.middles[0][0] == letter], groups)
        _join_all([i for i in alike if not i.form.middles], groups)
    else:
        _join_all(alike, groups)


def _join_all(items: Sequence[Item], groups: Groups) -> bool:
    return all([groups.join(items[0].key, item.key) for item in items[1:]])


def _join_short_forms(givens: Mapping[str, list[Item]], groups: Groups) -> None:
    """One surname: Bob and Robert are one, as long as Bob could be nobody else's short form."""
    left = dict.fromkeys(sorted(givens))
    while left:
        family = [next(iter(left))]
        for one in family:
            left.pop(one, None)
            family += [other for other in left if other not in family and related(one, other)]
        namesakes = any(len({groups.root(item.key) for item in givens[given]}) > 1 for given in family)
        if len(family) > 1 and not namesakes and _is_one_family(family):
            _join_all([item for given in family for item in givens[given]], groups)


def _is_one_family(family: Sequence[str]) -> bool:
    """Whether given names are one name's: all short for one of them, or each of them like every other.

    Dan, Daniel and Danielle are not: Dan may be short for two.
    """
    if any(all(other == hub or has_variant(hub, other) for other in family) for hub in family):
        return True
    return all(related(one, other) for one in family for other in family)


def _join_misspelt(by_surname: Mapping[str, Mapping[str, list[Item]]], groups: Groups) -> list[tuple[str, str]]:
    """A letter wrong in a long given name or surname: joined if there is one such neighbour and no source has both."""
    entries = [
        (given, surname, alike) for surname, givens in sorted(by_surname.items()) for given, alike in givens.items()
    ]
    blocks: dict[tuple[str, ...], list[int]] = defaultdict(list)
    for at, (given, surname, _) in enumerate(entries):
        blocks[given, surname[0]].append(at)
        blocks[given[0], surname, ""].append(at)
    sure: dict[int, set[int]] = defaultdict(set)
    unsure: set[tuple[int, int]] = set()
    for block in blocks.values():
        for place, one in enumerate(block):
            for other in block[place + 1 :]:
                likeness = _compare(entries[one], entries[other])
                if likeness == "sure" and not _meet(entries[one][2], entries[other][2]):
                    sure[one].add(other)
                    sure[other].add(one)
                elif likeness:
                    unsure.add((min(one, other), max(one, other)))
    for one in sorted(sure):
        for other in sorted(sure[one]):
            if len(sure[one]) == 1 and len(sure[other]) == 1:
                groups.join(entries[one][2][0].key, entries[other][2][0].key)
            else:
                unsure.add((min(one, other), max(one, other)))
    return [(entries[one][2][0].key, entries[other][2][0].key) for one, other in sorted(unsure)]


def _compare(one: tuple[str, str, list[Item]], other: tuple[str, str, list[Item]]) -> str:
    if one[0] == other[0]:
        surnames = [entry[2][0].form.surname for entry in (one, other)]
        return "sure" if misspelt(*surnames) else "unsure" if nearly(*surnames) else ""
    if related(one[0], other[0]):
        return ""
    return "sure" if misspelt_given(one[0], other[0]) else "unsure" if nearly(one[0], other[0]) else ""


def _meet(one: Iterable[Item], other: Iterable[Item]) -> bool:
    """Whether a source names both, so that they are two."""
    return not {s for item in one for s in item.sources}.isdisjoint({s for item in other for s in item.sources})


class People:
    """The groups that have a full name, found by what a short name says."""

    def __init__(self, items: Sequence[Item], groups: Groups) -> None:
        self._by: dict[tuple[str, str], set[str]] = defaultdict(set)
        """Groups by what is known of them, and given names by how they begin."""
        for item in items:
            if not item.form.is_full:
                continue
            root, form = groups.root(item.key), item.form
            givens = {form.given, form.aside} - {""}
            for given in givens:
                self._by["given", given].add(root)
                self._by["begins", given[:SHORTEST_PREFIX]].add(given)
                self._by["letter", given[0]].add(given)
                self._by["heard", heard(given)].add(root)
            self._by["surname", form.surname].add(root)
            self._by["initial", form.surname[0]].add(root)
            self._by["letters", root] |= {name[0] for given in givens for name in same_given(given)}
            self._by["middles", root] |= {middle[0] for middle in form.middles}
            if form.address:
                self._by["address", form.address].add(root)
            for handle in _handles(form, givens):
                self._by["handle", handle].add(root)

    def _of(self, kind: str, word: str) -> set[str]:
        return set(self._by.get((kind, word), ()))

    def called(self, form: Form) -> set[str]:
        """The groups that a name which is no full one may mean."""
        if form.address and (known := self._of("address", form.address)):
            return known
        if form.is_address:
            return self._of("handle", _plain(form.handle)) or self._first_or_last(form.handle)
        if form.given:
            return self._with_initial(form)
        if form.surname:
            return self._of("surname", form.surname)
        if form.handle and (known := self._of("handle", _plain(form.handle))):
            return known
        return self._first_or_last(form.single) or self._of("handle", form.single)

    def _first_or_last(self, word: str) -> set[str]:
        return self.by_given(word) or self._of("surname", word)

    def by_given(self, word: str) -> set[str]:
        """By a given name or a short form of it; else by one with a typing error."""
        if exact := self._of("given", word):
            return exact
        found = {root for name in same_given(word) for root in self._of("given", name)}
        found |= self._of("heard", heard(word))
        alike = [name for name in self._of("begins", word[:SHORTEST_PREFIX]) if name != word]
        found |= {root for name in alike if related(word, name) for root in self._of("given", name)}
        if found:
            return found
        wrong = [
            name for name in self._of("letter", word[:1]) if misspelt_given(word, name) or misspelt_short(word, name)
        ]
        return {root for name in wrong for root in self._of("given", name)}

    def _with_initial(self, form: Form) -> set[str]:
        if len(form.surname) == 1:
            return self.by_given(form.given) & self._of("initial", form.surname)
        found = {root for root in self._of("surname", form.surname) if form.given in self._of("letters", root)}
        second = {middle[0] for middle in form.middles}
        return {root for root in found if not second or second & (self._of("middles", root) or second)}


def _handles(form: Form, givens: Iterable[str]) -> set[str]:
    """What an account of somebody of this name is usually called; punctuation and figures do not count."""
    surname = form.surname.replace(" ", "").replace("-", "")
    made = {_plain(form.handle)} if form.handle else set()
    for formal in givens:
        for given in same_given(formal):
            made |= {given + surname, surname + given, given[0] + surname, given + surname[0], surname + given[0]}
    return made


def _plain(handle: str) -> str:
    return "".join(c for c in handle if c.isalpha())


def titles_clash(titles: Iterable[str]) -> bool:
    """Mr. Chen and Mrs. Chen are two."""
    given = set(titles)
    return bool(given & HE and given & SHE)
