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
from memory_assets.entities.naming.links import OWNER, Casts, Links, resolutions_of, to_ask, unclear_short, weight_of
from memory_assets.entities.naming.people import Item, People, join_full_names, titles_clash
from memory_assets.entities.naming.records import (
    PERSON,
    PROFILE,
    RULES,
    Decision,
    Name,
    Profile,
    Resolution,
    reason_of,
    thing_key,
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


VERSION = "1"
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
