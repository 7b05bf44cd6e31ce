"""Whom a name means that is no full one: the only person, or in each source the one who takes part in it. Pure."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property

from memory_assets.entities.naming.forms import ROLES, Form, read_form
from memory_assets.entities.naming.links import Links
from memory_assets.entities.naming.people import Item, People, titles_clash
from memory_assets.entities.naming.records import RULES, reason_of


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
            return  # whom the profile names is the owner, whoever else is called so
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
