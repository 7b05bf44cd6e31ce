"""An owner's names with all that is known of them, and what is joined of them so far, with the reasons. Pure."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from memory_assets.entities.naming.forms import read_form
from memory_assets.entities.naming.people import Groups, Item
from memory_assets.entities.naming.records import PERSON, RULES, UNDONE, Decision, Name, Profile

OWNER = "owner:"

Casts = Mapping[str, Sequence[str]]


class Links:
    """What a person said is joined and kept apart from the beginning; everything else is joined step by step."""

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
