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
from collections.abc import Iterable
from dataclasses import dataclass

from memory_assets.entities.naming.forms import ROLES, read_form
from memory_assets.entities.naming.links import OWNER, Casts, Links, resolutions_of, to_ask, unclear_short, weight_of
from memory_assets.entities.naming.people import Item, join_full_names
from memory_assets.entities.naming.records import PERSON, PROFILE, RULES, Decision, Name, Profile, Resolution, thing_key
from memory_assets.entities.naming.short_names import ShortNames

VERSION = "1"
"""Part of what a resolution is made from: another one resolves everybody's names again."""


THINGS = frozenset({"product", "project", "work", "event", "date", "group"})
"""What is called like a person and is none: an entity of these types never is one person with a person's name."""
DOUBTFUL = frozenset({"organization", "place"})
"""What the names of people are taken for: only a full name that more sources know as a person's is taken back."""


@dataclass(frozen=True)
class Outcome:
    """The resolutions by name id, and the pairs of names that may be one person and that no rule can tell."""

    resolutions: dict[str, Resolution]
    unclear: tuple[tuple[str, str], ...]


def resolve_names(
    names: Iterable[Name],
    profile: Profile | None = None,
    decisions: Iterable[Decision] = (),
    casts: Casts | None = None,
) -> Outcome:
    """Whom each name means. ``casts``: who takes part in a source, as it stands there ("Name <address>")."""
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
    """Whoever has one address is one person, unless several full names share it: then it is nobody's own."""
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
