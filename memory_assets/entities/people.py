"""What a person says about names: who the owner is, which names are one, which are two. Undoable by each other.

Each is one transaction: the decision, its audit, the names resolved anew, and the word that everything derived is due.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from memory_assets.clock import Clock, to_iso
from memory_assets.entities.naming.forms import read_form
from memory_assets.entities.naming.records import PERSON, PROFILE, UNDONE, Profile, Resolution
from memory_assets.entities.resolving import (
    DUE,
    STAGE,
    Known,
    apply_names,
    decision_id,
    name_decision,
    read_known,
)
from memory_assets.entities.text import canonical_name, clean
from memory_assets.errors import MemoryAssetsError, WrongUseError
from memory_assets.graph.decisions import recorded
from memory_assets.graph.graph import Graph, Statement
from memory_assets.graph.owners import find_stage, readable_owners, source_mark
from memory_assets.graph.statements import Row, id_rows, in_statements
from memory_assets.model import own_person_id, reference

LONGEST_PROFILE_NAME = 200
MOST_CANDIDATES = 8
OWNER_BEGINS = {
    "confidence": 1.0,
    "salience": 1.0,
    "state": "core",
    "ttl_policy": "keep_forever",
    "source_count": 0,
    "distinct_source_days": 0,
    "has_meso": False,
    "has_macro": False,
    "access_count": 0,
    "recall_frequency": 0,
    "last_recall_interval": 0,
    "decay_gradient": 1.0,
}
"""The owner's own Person, from the profile and never from text (004, Phase 2, Step 2): certain, core, for good."""


class UnknownNameError(MemoryAssetsError):
    """No name of the owner's is meant, or several could be."""


@dataclass(frozen=True)
class Person:
    """A person with all names that mean that person somewhere. ``variants``: name, sources, reason, decided_by, id."""

    id: str
    ref: str
    name: str
    kind: str
    is_owner: bool
    sources: int
    variants: tuple[Mapping[str, Any], ...]

    def as_json(self) -> dict[str, Any]:
        """As the command line prints it."""
        shown = ("name", "sources", "reason", "decided_by")
        return asdict(self) | {"variants": [{key: variant[key] for key in shown} for variant in self.variants]}


class Names:
    """One owner's names, read once, and what may be said about them. A writer holds the owner's lock."""

    def __init__(self, graph: Graph, clock: Clock, user: str) -> None:
        self.graph, self.clock, self.user = graph, clock, user
        self.owners = tuple(readable_owners(graph, user))
        self.known = read_known(graph, user, self.owners)

    def people(self) -> list[Person]:
        """Everybody, the owner first, then by the number of sources."""
        by_anchor: dict[str, dict[str, set[str]]] = {}
        for row in self.known.mentions:
            by_anchor.setdefault(row["anchor_id"], {}).setdefault(row["name_id"], set()).add(row["source_id"])
        owner = self.known.profile.person_id if self.known.profile else None
        if owner:
            by_anchor.setdefault(owner, {})
        people = [
            self._person(anchor, sources)
            for anchor, sources in by_anchor.items()
            if anchor == owner or any(self.known.names[name]["kind"] == "person" for name in sources)
        ]
        return sorted(people, key=lambda person: (not person.is_owner, -person.sources, person.name, person.id))

    def _person(self, anchor: str, sources: Mapping[str, set[str]]) -> Person:
        profile = self.known.profile if self.known.profile and self.known.profile.person_id == anchor else None
        own = self.known.names.get(anchor)
        rows = [self.known.names[name] for name in sorted(sources)]
        shown = ("id", "name", "reason", "decided_by")
        variants = [{key: row[key] for key in shown} | {"sources": len(sources[row["id"]])} for row in rows]
        if profile:
            known = {row["name"] for row in rows}
            variants += [
                {"id": anchor, "name": name, "sources": 0, "reason": "the owner's profile", "decided_by": PROFILE}
                for name in profile.names
                if name not in known
            ]
        name = profile.name if profile else own["name"] if own else variants[0]["name"]
        variants.sort(key=lambda v: (v["name"] != name, -v["sources"], v["name"]))
        kind, in_all = own["kind"] if own else "person", len(set().union(*sources.values()))
        return Person(anchor, reference(anchor), name, kind, profile is not None, in_all, tuple(variants))

    def find(self, text: str) -> str:
        """The id of the name that a person means: by its text, a reference or an id; one of them, or an error."""
        wanted = clean(text).strip("[]")
        if wanted in self.known.names and self.known.names[wanted]["kind"] == "person":
            return wanted
        people = self.people()
        if meant := next((person.id for person in people if wanted in (person.id, person.ref)), None):
            return meant
        theirs = {variant["id"] for person in people for variant in person.variants}
        names = [row for row in self.known.names.values() if row["kind"] == "person" or row["id"] in theirs]
        found = [row for row in names if row["name"] == wanted] or [
            row for row in names if row["canonical_name"] == canonical_name(wanted)
        ]
        persons = [row for row in found if row["kind"] == "person"] or found
        if len(persons) == 1:
            return persons[0]["id"]
        profile = self.known.profile
        if not persons and profile and canonical_name(wanted) in map(canonical_name, profile.names):
            return profile.person_id
        words = _words(wanted)
        near = persons or sorted((row for row in names if words & _words(row["name"])), key=lambda row: row["name"])
        listed = "; ".join(f"{row['name']} [{reference(row['id'])}]" for row in near[:MOST_CANDIDATES])
        advice = f"Did you mean: {listed}? Give the number."
        if not listed:
            advice = f"`memory-assets names --user {self.user}` lists them."
        raise UnknownNameError(
            f"{text!r} names {'several' if persons else 'nobody'} among the names of {self.user}. {advice}"
        )

    def merge(self, keep: str, others: Sequence[str]) -> Counter[str]:
        """Make the names one person, who goes by ``keep``. Nothing where they are one already by a person's word."""
        target = self.find(keep)
        decisions: dict[str, Row] = {}
        for other in others:
            found = self.find(other)
            for one in self._group(target):
                for two in self._group(found):
                    if one != two and self._is_held_apart(one, two):
                        row = self._decision(one, two, False, None) | {"decided_by": UNDONE}
                        decisions[row["id"]] = row
            resolved = self._resolved_with(decisions)
            if found != target and not (self._meant(resolved, target) == self._meant(resolved, found) == target):
                row = self._decision(target, found, True, target)
                decisions[row["id"]] = row
        return self._decide(list(decisions.values()), "merge_names")

    def split(self, text: str) -> Counter[str]:
        """Take a name out of its person, for good. An error where it is a person by itself."""
        name_id = self.find(text)
        group = [key for key in self._group(name_id) if key != name_id]
        undone = {
            key: row | {"same": False, "decided_by": UNDONE, "keep_id": None}
            for key, row in self.known.decisions.items()
            if name_id in (row["one_id"], row["other_id"]) and row["same"] and row["decided_by"] == PERSON
        }
        resolved = self._resolved_with(undone)
        together = [key for key in group if self._meant(resolved, key) == self._meant(resolved, name_id)]
        if not undone and not together:
            if any(self._is_held_apart(name_id, key) for key in (*self.known.names, own_person_id(self.user))):
                return Counter()
            raise UnknownNameError(
                f"{text!r} is a person by itself among the names of {self.user}: there is nothing to split."
            )
        apart = [self._decision(name_id, key, False, None) for key in together]
        return self._decide([*undone.values(), *apart], "split_names")

    def _called(self, name_id: str) -> str:
        """A name's text; the owner's by the profile."""
        profile = self.known.profile
        if profile and profile.person_id == name_id:
            return profile.name
        return self.known.names[name_id]["name"] if name_id in self.known.names else name_id

    def take_back(self, identifier: str) -> Counter[str]:
        """Take back what a person has said of two names: they are resolved as if it had not been said."""
        row = self.known.decisions[identifier]
        undone = row | {"id": identifier, "same": False, "decided_by": UNDONE, "keep_id": None}
        return self._decide([undone], "split_names" if row["same"] else "merge_names")

    def _resolved_with(self, decisions: Mapping[str, Row]) -> Mapping[str, Resolution]:
        return replace(self.known, decisions={**self.known.decisions, **decisions}).resolve().resolutions

    @staticmethod
    def _meant(resolved: Mapping[str, Resolution], name_id: str) -> str:
        return resolved[name_id].resolved_id if name_id in resolved else name_id

    def _group(self, name_id: str) -> list[str]:
        """The names that mean the same person as this one, with that person's own id."""
        target = self.known.names[name_id]["resolved_id"] if name_id in self.known.names else name_id
        same = {key for key, row in self.known.names.items() if row["resolved_id"] == target}
        return sorted({name_id, target, *same})

    def _is_held_apart(self, one: str, other: str) -> bool:
        row = self.known.decisions.get(decision_id(self.user, one, other))
        return row is not None and not row["same"] and row["decided_by"] == PERSON

    def _decision(self, one: str, other: str, same: bool, keep: str | None) -> Row:
        both = {"one_id": min(one, other), "other_id": max(one, other), "same": same, "keep_id": keep}
        said = {"decided_by": PERSON, "evidence": None, "at": to_iso(self.clock.now())}
        return {"id": decision_id(self.user, one, other), **both, **said}

    def _decide(self, decisions: Sequence[Row], action: str) -> Counter[str]:
        unique = {row["id"]: row for row in decisions}
        new = [row for key, row in sorted(unique.items()) if not self._is_decided(key, row)]
        if not new:
            return Counter()
        at = to_iso(self.clock.now())
        first = self._recorded([row | {"at": at} for row in new], action)
        return self._apply(replace(self.known, decisions={**self.known.decisions, **unique}), first)

    def _is_decided(self, key: str, row: Row) -> bool:
        known = self.known.decisions.get(key)
        return known is not None and all(known[name] == row[name] for name in ("same", "decided_by", "keep_id"))

    def _recorded(self, rows: Iterable[Row], action: str) -> list[Statement]:
        both = ((row, " / ".join(self._called(row[name]) for name in ("one_id", "other_id"))) for row in rows)
        said = [name_decision(self.user, row, two, _SAID[row["same"], row["decided_by"]], action) for row, two in both]
        return recorded(self.user, said, self.clock.now())

    def _apply(self, known: Known, first: Sequence[Statement]) -> Counter[str]:
        now = self.clock.now()
        recipe = find_stage(self.graph, self.user, STAGE) or DUE
        mark = source_mark(self.user, now)
        counts = apply_names(self.graph, self.user, self.owners, known, now, recipe=recipe, first=first, last=[mark])
        self.known = read_known(self.graph, self.user, self.owners)
        return counts

    def set_profile(self, name: str, also: Sequence[str]) -> bool:
        """Make the owner's own Person, or call it otherwise; whether anything has changed.

        A name that is newly the owner's takes back what was said before of whom it does not mean.
        """
        profile = checked_profile(self.user, name, also)
        if self.known.profile == profile:
            return False
        at = to_iso(self.clock.now())
        row = {"id": profile.person_id, "ref": reference(profile.person_id)}
        names = {"id": profile.person_id, "name": profile.name, "also": list(profile.also)}
        names |= {"canonical_name": canonical_name(profile.name)}
        undone = self._taken_back(profile)
        first = [
            *in_statements("entities/upsert_owner", [row], user_id=self.user, beginning=OWNER_BEGINS, now=at),
            Statement("entities/set_owner_names", names | {"user_id": self.user, "now": at}),
            *self._recorded(undone, "merge_names"),
        ]
        last_name = in_statements("entities/set_anchor_names", id_rows([profile.person_id]), user_id=self.user)
        decisions = {**self.known.decisions, **{one["id"]: one for one in undone}}
        self._apply(replace(self.known, profile=profile, decisions=decisions), [*first, *last_name])
        return True

    def _taken_back(self, profile: Profile) -> list[Row]:
        """What a person has said earlier that keeps the profile's new names apart from others, as taken back."""
        before = self.known.profile.names if self.known.profile else ()
        new = set(map(canonical_name, profile.names)) - set(map(canonical_name, before))
        named = {
            key for key, row in self.known.names.items() if row["kind"] == "person" and row["canonical_name"] in new
        }
        return [
            row | {"id": key, "decided_by": UNDONE, "keep_id": None, "at": to_iso(self.clock.now())}
            for key, row in sorted(self.known.decisions.items())
            if named & {row["one_id"], row["other_id"]} and not row["same"] and row["decided_by"] == PERSON
        ]


_SAID = {
    (True, PERSON): "a person said that two names are one",
    (False, PERSON): "a person said that two names are two",
    (False, UNDONE): "a person took back what was said about two names",
}


def checked_profile(user: str, name: str, also: Sequence[str]) -> Profile:
    """A profile as it is stored: clean, each name once, in the order given. An error where it names nobody."""
    names = [clean(text) for text in (name, *also)]
    for text in names:
        if not canonical_name(text) or len(text) > LONGEST_PROFILE_NAME:
            raise WrongUseError(
                f"{text!r} cannot be a name of {user}: give 1 to {LONGEST_PROFILE_NAME} characters with a letter "
                "or a figure."
            )
    distinct = list(dict.fromkeys(names))
    return Profile(distinct[0], tuple(distinct[1:]), own_person_id(user))


def _words(name: str) -> set[str]:
    form = read_form(name)
    return {form.given, form.surname, form.single} - {""}
