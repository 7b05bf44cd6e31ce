"""An owner's names with what is joined of them: which one names a group, and which pairs no rule decides. Pure."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from memory_assets.entities.naming.forms import Form, read_form
from memory_assets.entities.naming.likeness import LONG_NAME, is_given_name, nearly, related
from memory_assets.entities.naming.people import Groups, Item, titles_clash
from memory_assets.entities.naming.records import (
    ITS_OWN,
    PERSON,
    RULES,
    UNDONE,
    Decision,
    Name,
    Profile,
    Resolution,
    reason_of,
)

OWNER = "owner:"

Casts = Mapping[str, Sequence[str]]


class Links:
    """An owner's names joined into groups: first by a person's decisions, which also part some, then by rules."""

    def __init__(
        self, names: Iterable[Name], profile: Profile | None, decisions: Iterable[Decision], casts: Casts
    ) -> None:
        self.names = {name.name_id: name for name in sorted(names, key=lambda n: n.name_id)}
        self.profile, self.casts = profile, casts
        known = {*self.names, *([profile.person_id] if profile else [])}
        self.decisions = sorted(
            (d for d in decisions if d.one_id in known and d.other_id in known and d.decided_by != UNDONE),
            key=lambda d: (d.at, d.one_id, d.other_id, d.same),
        )
        self.people = [name for name in self.names.values() if name.kind == "person"]
        self.items = self._items()
        self.by_key = {item.key: item for item in self.items}
        said = [d for d in self.decisions if d.decided_by == PERSON]
        self.groups = Groups(
            [*self.names, *(item.key for item in self.items if item.name_id is None), *self._owner_key()],
            [(d.one_id, d.other_id) for d in said if not d.same],
        )
        self.why: dict[str, tuple[str, str]] = {}
        for decision in said:
            if decision.same and self.groups.join(decision.one_id, decision.other_id):
                for key in (decision.one_id, decision.other_id):
                    self.why[key] = ("a person said so", PERSON)
        self.in_sources: dict[str, dict[str, str]] = {}

    def _owner_key(self) -> list[str]:
        if self.profile is None or self.profile.person_id in self.names:
            return []
        return [self.profile.person_id]

    def _items(self) -> list[Item]:
        """The names of people, the profile's, and those of participants, which nobody need have mentioned."""
        items = [Item(n.name_id, read_form(n.name), frozenset(n.sources), n.name_id) for n in self.people]
        if self.profile:
            items += [Item(f"{OWNER}{text}", read_form(text), frozenset()) for text in self.profile.names]
        seen: dict[str, set[str]] = defaultdict(set)
        for source, cast in self.casts.items():
            for text in cast:
                seen[text].add(source)
        items += [
            Item(f"cast:{text}", form, frozenset(sources))
            for text, sources in sorted(seen.items())
            if (form := read_form(text)).is_full or form.address
        ]
        return [item for item in items if not item.form.is_empty]

    def join(self, one: str, other: str, reason: str) -> None:
        """Join two of the names by a rule, and keep why, where it is the first that says so."""
        if self.groups.join(one, other):
            for key in (one, other):
                if key in self.names:
                    self.why.setdefault(key, (reason, RULES))

    def has_full(self, key: str) -> bool:
        """Whether somebody in the group of an item has a full name."""
        return any(self.by_key[k].form.is_full for k in self.groups.members(key) if k in self.by_key)


def resolutions_of(links: Links) -> dict[str, Resolution]:
    """What every name means, by its id, once everything is joined."""
    preferred = {d.keep_id: d.at for d in links.decisions if d.same and d.decided_by == PERSON and d.keep_id}
    chosen: dict[str, str] = {}
    result: dict[str, Resolution] = {}
    for key in links.names:
        root = links.groups.root(key)
        if root not in chosen:
            chosen[root] = _representative(links, links.groups.members(root), preferred)
    for key in links.names:
        anchor = chosen[links.groups.root(key)]
        sources = {
            source: where
            for source, root in links.in_sources.get(key, {}).items()
            if (where := chosen.get(links.groups.root(root))) and where != anchor
        }
        if anchor == key:
            reason, by = (ITS_OWN, RULES)
        else:
            reason, by = links.why.get(key) or (reason_of(read_form(links.names[key].name)), RULES)
        if sources and anchor == key:
            reason = "several people are called so: by who takes part in a source"
        result[key] = Resolution(anchor, reason, by, sources)
    return result


def _representative(links: Links, members: Sequence[str], preferred: Mapping[str, str]) -> str:
    if links.profile and links.profile.person_id in members:
        return links.profile.person_id
    names = [links.names[key] for key in members if key in links.names]
    if not names:
        return ""
    if by_word := [key for key in members if key in preferred]:
        return max(by_word, key=lambda key: (preferred[key], key))
    persons = [name for name in names if name.kind == "person"]
    others = [name for name in names if name.kind != "person"]
    if persons and others and len(persons) == 1 and max(map(weight_of, others)) > weight_of(persons[0]):
        names = others
    else:
        names = persons or names
    return min(names, key=_fullest).name_id


def weight_of(name: Name) -> float:
    """How much the sources say that this is what the name is."""
    return round(sum(name.sources.values()), 6)


def _fullest(name: Name) -> tuple[object, ...]:
    if name.kind != "person":
        return (-len(name.sources), -round(weight_of(name), 6), name.canonical_name, name.name_id)
    form = read_form(name.name)
    return (
        -form.fullness,
        form.turned or bool(form.handle) or bool(form.address),
        -len(form.given) if form.is_full else 0,
        bool(form.title),
        -len(form.middles),
        -len(name.sources),
        name.canonical_name,
        name.name_id,
    )


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
        pair = frozenset(name for key in (one, other) if (name := _some_name(links, key)) is not None)
        if len(pair) < 2:
            continue
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
    return not (one.given and other.given and one.given[0] != other.given[0]) and not titles_clash(
        [one.title, other.title]
    )
