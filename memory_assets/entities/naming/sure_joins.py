"""What is one beyond doubt: by the profile, the spelling, an address, a model's word, or the kind of thing. Pure."""

from __future__ import annotations

from collections import defaultdict

from memory_assets.entities.naming.forms import ROLES, read_form
from memory_assets.entities.naming.links import OWNER, Links, weight_of
from memory_assets.entities.naming.people import Item
from memory_assets.entities.naming.records import PERSON, PROFILE, RULES, Name, thing_key

THINGS = frozenset({"product", "project", "work", "event", "date", "group"})
"""What is called like a person and is none: an entity of these types never is one person with a person's name."""
DOUBTFUL = frozenset({"organization", "place"})
"""What the names of people are taken for: only a full name that more sources know as a person's is taken back."""


def join_profile(links: Links) -> None:
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


def join_same_spelling(links: Links) -> None:
    """What differs by accents, case or a handle's sign alone."""
    by_spelling: dict[str, list[str]] = defaultdict(list)
    for item in links.items:
        if item.name_id and not item.form.is_full and not item.form.title:
            by_spelling[_spelling(links.names[item.name_id].name)].append(item.key)
    for keys in by_spelling.values():
        for key in keys[1:]:
            links.join(keys[0], key, "the same name")


def join_addresses(links: Links) -> None:
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


def join_votes(links: Links) -> None:
    """What a model was asked and answered."""
    for decision in links.decisions:
        if decision.same and decision.decided_by != PERSON and links.groups.join(decision.one_id, decision.other_id):
            for key in (decision.one_id, decision.other_id):
                links.why.setdefault(key, ("the model took them for one", decision.decided_by))
                links.in_sources.pop(key, None)


def join_kinds(links: Links) -> None:
    """A person's name that some sources take for something else: one anchor, of the kind that weighs more."""
    people: dict[str, list[Name]] = defaultdict(list)
    for name in links.people:
        people[name.canonical_name].append(name)
    for name in links.names.values():
        if name.kind == "person" or name.entity_type in THINGS or name.canonical_name not in people:
            continue
        person = people[name.canonical_name][0]
        stronger = weight_of(person) >= weight_of(name)
        if name.entity_type in DOUBTFUL and not (read_form(person.name).is_full and weight_of(person) > weight_of(name)):
            continue
        if stronger or len(links.groups.members(person.name_id)) == 1:
            if links.groups.join(person.name_id, name.name_id):
                weaker = name.name_id if stronger else person.name_id
                links.why.setdefault(weaker, ("the same name, taken for something else", RULES))


def join_things(links: Links) -> None:
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
