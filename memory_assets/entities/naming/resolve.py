"""Whom each of an owner's names means (specification 004, Phase 2, Step 2). Pure.

A function of the whole set of names, so that neither order nor pieces show. Identity by canonical name within the
owner is the floor; what is joined beyond it, in this order:

1. what a person said, and what the profile says of the owner;
2. full names: accents, order, titles, middle names, short forms of given names, one typing error in a long one;
3. addresses and accounts by those who take part in the sources;
4. initials, surnames, first names and accounts that can mean one person only;
5. what a model said of the pairs that remain.

A first name that could be several people's means, in each source, the one of them who takes part in it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from memory_assets.entities.naming.forms import ROLES, Form, read_form
from memory_assets.entities.naming.likeness import LONG_NAME, is_given_name, nearly, related, same_given
from memory_assets.entities.naming.people import Groups, Item, People, join_full_names, titles_clash
from memory_assets.entities.naming.records import (
    ITS_OWN,
    PERSON,
    PROFILE,
    RULES,
    UNDONE,
    Decision,
    Name,
    Profile,
    Resolution,
    reason_of,
    thing_key,
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
            [*known, *(item.key for item in self.items if item.name_id is None)],
            [(d.one_id, d.other_id) for d in said if not d.same],
        )
        self.why: dict[str, tuple[str, str]] = {}
        for decision in said:
            if decision.same and self.groups.join(decision.one_id, decision.other_id):
                for key in (decision.one_id, decision.other_id):
                    self.why[key] = ("a person said so", PERSON)
        self.in_sources: dict[str, dict[str, str]] = {}

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
            reason = "several people are called so: by who takes part in a source" if sources else ITS_OWN
            by = RULES
        else:
            reason, by = links.why.get(key) or (reason_of(read_form(links.names[key].name)), RULES)
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
        return (-len(name.sources), -weight_of(name), name.canonical_name, name.name_id)
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
            for letter in {name[0] for name in same_given(item.form.single)}:
                blocks[letter].append(item)
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


class ShortNames:
    """The short names among an owner's, joined with the people whom full names give, then with each other."""

    def __init__(self, links: Links) -> None:
        self._links, self._groups = links, links.groups
        self.bare = [item for item in links.items if _is_short(item)]

    def join(self) -> None:
        """Join whom one short name can mean only; keep of the others whom they mean in each source."""
        people = People(self._links.items, self._groups)
        for clear in (True, False):  # who is present shows once everybody clear is joined
            for item in self.bare:
                self._join_short(item, people, clear=clear)
        self._join_leftovers([item for item in self.bare if len(self._groups.members(item.key)) == 1])

    def _join_short(self, item: Item, people: People, *, clear: bool) -> None:
        form, key = item.form, item.key
        if form.is_address and form.handle in ROLES:
            return
        found = {self._groups.root(root) for root in people.called(form)} - {self._groups.root(key)}
        if form.title:
            found = {root for root in found if not titles_clash([form.title, *self._titles(root)])}
        if not found or (
            self._links.profile and self._groups.root(key) == self._groups.root(self._links.profile.person_id)
        ):
            return  # whom the profile names is the owner, even if others are called so
        found = {root for root in found if not self._groups.are_apart(key, root)}
        if form.single and self._roots(self._tables.get(form.single, ())) & found:
            return  # both take part in one source: they are two
        if len(found) == 1 and clear:
            if len(self._groups.members(key)) == 1 or not self._links.has_full(key):
                self._groups.join(key, next(iter(found)))
                self._links.why.setdefault(key, (reason_of(form), RULES))
        elif len(found) > 1 and item.name_id and not clear:
            chosen = {
                source: root for source in sorted(item.sources) if (root := self._present(source, found, form, key))
            }
            if chosen:
                self._links.in_sources[key] = chosen

    def _titles(self, root: str) -> set[str]:
        return {self._links.by_key[k].form.title for k in self._groups.members(root) if k in self._links.by_key} - {""}

    @cached_property
    def _tables(self) -> Mapping[str, set[str]]:
        """By a bare name that takes part in some source: the full ones that take part in it beside that."""
        beside: dict[str, set[str]] = defaultdict(set)
        for cast in self._links.casts.values():
            forms = [(f"cast:{text}", read_form(text)) for text in cast]
            fulls = [key for key, form in forms if form.is_full]
            for _, form in forms if fulls else ():
                if form.single and not form.handle:
                    beside[form.single].update(fulls)
        return beside

    def _roots(self, keys: Iterable[str]) -> set[str]:
        return {self._groups.root(key) for key in keys}

    def _present(self, source: str, found: set[str], form: Form, key: str) -> str | None:
        """The one of several people who takes part in a source; else the one whom it names otherwise too."""
        cast = self._links.casts.get(source, ())
        there = self._roots(f"cast:{text}" for text in cast if f"cast:{text}" in self._links.by_key) & found
        if not there:
            there = {
                root
                for root in found
                if any(
                    source in self._links.by_key[k].sources
                    for k in self._groups.members(root)
                    if k in self._links.by_key and k != key
                )
            }
        return next(iter(there)) if len(there) == 1 else None

    def _join_leftovers(self, bare: Sequence[Item]) -> None:
        """Where nobody has a full name: a title and a surname, an address and what it begins with."""
        singles = {i.form.single: i.key for i in bare if i.name_id and i.form.single and not i.form.title}
        titled: dict[str, list[Item]] = defaultdict(list)
        locals_: dict[str, list[Item]] = defaultdict(list)
        for item in bare:
            if item.form.title and item.form.surname:
                titled[item.form.surname].append(item)
            elif item.form.is_address and item.form.handle not in ROLES:
                locals_[item.form.handle].append(item)
        for surname, alike in sorted(titled.items()):
            if titles_clash(item.form.title for item in alike):
                continue
            keys = [item.key for item in alike] + ([singles[surname]] if surname in singles else [])
            for key in keys[1:]:
                self._links.join(keys[0], key, "the same surname, and nobody else of that name")
        for local, alike in sorted(locals_.items()):
            if local in singles and len({item.form.address for item in alike}) == 1:
                for item in alike:
                    self._links.join(singles[local], item.key, "the account of that name")
        for item in bare:
            if item.name_id is None and item.form.single in singles and item.form.address:
                own = [i for i in bare if i.form.is_address and i.form.address == item.form.address and i.name_id]
                for other in own:
                    self._links.join(singles[item.form.single], other.key, f"the address {item.form.address}")


def _is_short(item: Item) -> bool:
    return not item.form.is_full and (item.name_id is not None or bool(item.form.address))


VERSION = "2"
"""Part of what a resolution is made from: another one resolves everybody's names again."""

THINGS = frozenset({"product", "project", "work", "event", "date", "group"})
"""What is called like a person and is none: an entity of these types never is one person with a person's name."""
DOUBTFUL = frozenset({"organization", "place"})
"""What the names of people are taken for: only a full name that more sources know as a person's is taken back."""


@dataclass(frozen=True)
class Outcome:
    """The resolutions by name id, and the pairs of names that may be one person and that no rule decides."""

    resolutions: dict[str, Resolution]
    unclear: tuple[tuple[str, str], ...]


def resolve_names(
    names: Iterable[Name],
    profile: Profile | None = None,
    decisions: Iterable[Decision] = (),
    casts: Casts | None = None,
) -> Outcome:
    """Whom each name means. ``casts``: who takes part in a source, as written there ("Name <address>")."""
    links = Links(names, profile, decisions, casts or {})
    _join_profile(links)
    _join_same_spelling(links)
    unclear = join_full_names(links.items, links.groups)
    _join_addresses(links)
    short = ShortNames(links)
    short.join()
    _join_votes(links)
    _join_kinds(links)
    _join_things(links)
    asked = to_ask(links, [*unclear, *unclear_short(links, short.bare)])
    return Outcome(resolutions_of(links), asked)


def _join_profile(links: Links) -> None:
    """What the owner's profile says of its names and addresses."""
    if links.profile is None:
        return
    for text in links.profile.names:
        if f"{OWNER}{text}" in links.by_key:
            links.groups.join(links.profile.person_id, f"{OWNER}{text}")
    spelt = {_spelling(text) for text in links.profile.names}
    addresses = {read_form(text).address for text in links.profile.names} - {""}
    for item in links.items:
        if item.name_id and (_spelling(links.names[item.name_id].name) in spelt or item.form.address in addresses):
            if links.groups.join(links.profile.person_id, item.key):
                links.why.setdefault(item.key, ("a name of the owner's profile", PROFILE))


def _join_same_spelling(links: Links) -> None:
    """What differs by accents, case or a handle's sign alone."""
    by_spelling: dict[str, list[str]] = defaultdict(list)
    for item in links.items:
        if item.name_id and not item.form.is_full and not item.form.title:
            by_spelling[_spelling(links.names[item.name_id].name)].append(item.key)
    for keys in by_spelling.values():
        for key in keys[1:]:
            links.join(keys[0], key, "the same name")


def _join_addresses(links: Links) -> None:
    """All who have one address are one person, unless several full names share it: then it is nobody's own."""
    by_address: dict[str, list[Item]] = defaultdict(list)
    for item in links.items:
        if item.form.address and item.form.address.partition("@")[0] not in ROLES:
            by_address[item.form.address].append(item)
    for address, alike in sorted(by_address.items()):
        full = {links.groups.root(item.key) for item in alike if item.form.is_full}
        if len(full) > 1:
            continue
        bare = [item for item in alike if item.form.is_full or item.form.is_address]
        for item in bare[1:]:
            links.join(bare[0].key, item.key, f"the address {address}")


def _join_votes(links: Links) -> None:
    """What a model was asked and answered."""
    for decision in links.decisions:
        if decision.same and decision.decided_by != PERSON and links.groups.join(decision.one_id, decision.other_id):
            for key in (decision.one_id, decision.other_id):
                links.why.setdefault(key, ("the model took them for one", decision.decided_by))
                links.in_sources.pop(key, None)


def _join_kinds(links: Links) -> None:
    """A person's name that some sources take for something else: one anchor, of the kind that weighs more."""
    people: dict[str, list[Name]] = defaultdict(list)
    for name in links.people:
        people[name.canonical_name].append(name)
    for name in links.names.values():
        if name.kind == "person" or name.entity_type in THINGS or name.canonical_name not in people:
            continue
        person = people[name.canonical_name][0]
        stronger = weight_of(person) >= weight_of(name)
        if name.entity_type in DOUBTFUL and not (
            read_form(person.name).is_full and weight_of(person) > weight_of(name)
        ):
            continue
        if stronger or len(links.groups.members(person.name_id)) == 1:
            if links.groups.join(person.name_id, name.name_id):
                weaker = name.name_id if stronger else person.name_id
                links.why.setdefault(weaker, ("the same name, taken for something else", RULES))


def _join_things(links: Links) -> None:
    """Things and subjects of one kind that are only written otherwise."""
    by_key: dict[str, list[Name]] = defaultdict(list)
    for name in links.names.values():
        if name.kind != "person" and (key := thing_key(name.kind, name.entity_type, name.name)):
            by_key[key].append(name)
    for alike in by_key.values():
        for name in alike[1:]:
            links.join(alike[0].name_id, name.name_id, "the same name, written another way")


def _spelling(text: str) -> str:
    form = read_form(text)
    return " ".join(filter(None, (form.title, form.given, *form.middles, form.surname, form.single))) or form.address
