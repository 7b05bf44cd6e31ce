"""What resolution takes and gives: names, profiles, decisions, what is equal for two ways to write one name. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from memory_assets.entities.naming.forms import Form, fold

RULES = "rules"
PERSON = "person"
PROFILE = "profile"
UNDONE = "undone"
"""Who decided what a person has taken back: it says nothing any more."""
ITS_OWN = "a name of its own"


@dataclass(frozen=True)
class Name:
    """A name as an owner's sources use it. ``sources``: confidence (0 to 1) by the id of each source that uses it.

    ``kind`` is person, entity or concept; ``name`` as it is written; ``name_id`` the anchor's id by this name alone.
    """

    name_id: str
    kind: str
    name: str
    canonical_name: str
    entity_type: str = "person"
    sources: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True)
class Profile:
    """Who the owner is: a name, other names, handles and addresses, and the id of the owner's own Person."""

    name: str
    also: tuple[str, ...] = ()
    person_id: str = "owner"

    @property
    def names(self) -> tuple[str, ...]:
        """All of them, the name first."""
        return (self.name, *self.also)


@dataclass(frozen=True)
class Decision:
    """That two names mean one person, or two: by a person, or by a model (its name), whose word weighs less.

    ``keep_id``: by which of the two names the person goes. Of several such decisions the one with the greatest
    ``at`` (an instant as ISO 8601 text) wins.
    """

    one_id: str
    other_id: str
    same: bool
    decided_by: str = PERSON
    keep_id: str | None = None
    at: str = ""


@dataclass(frozen=True)
class Resolution:
    """Whom a name means: the id of a name (itself where nothing else is known), why, and who said so.

    ``in_sources`` holds the sources in which an ambiguous name means somebody else than ``resolved_id``.
    """

    resolved_id: str
    reason: str = ITS_OWN
    decided_by: str = RULES
    in_sources: Mapping[str, str] = field(default_factory=dict)

    def resolved_in(self, source_id: str) -> str:
        """Whom the name means in one source."""
        return self.in_sources.get(source_id, self.resolved_id)

    @property
    def resolved_ids(self) -> tuple[str, ...]:
        """Everybody whom the name means somewhere, in order."""
        return tuple(sorted({self.resolved_id, *self.in_sources.values()}))


def reason_of(form: Form) -> str:
    """Why a name of this form was joined with somebody's."""
    if form.is_full:
        return "the same person's name, written another way"
    if form.is_address or form.handle:
        return "an account of that name"
    if form.given:
        return "initials that fit one person only"
    if form.surname:
        return "a surname that one person only has"
    return "a first name that one person only has"


_LEGAL = frozenset("ltd limited inc incorporated corp corporation co company gmbh ag llc plc sa bv oy ab as kg".split())
_SPELT = {"&": "and", "dept": "department", "st": "saint", "mt": "mount", "intl": "international", "colour": "color"}
_NO_NAME = frozenset({"", "project", "the"})


def thing_key(kind: str, entity_type: str, name: str) -> str:
    """What is equal for two ways to write one thing's name: without spaces, legal forms, a subject's plural."""
    words = [_SPELT.get(word, word) for word in re.findall(r"[^\W_]+|&", fold(name).replace("'s", "s"))]
    if kind == "entity":
        while len(words) > 1 and words[-1] in _LEGAL:
            words = words[:-1]
        if entity_type == "project":
            named = [word for word in words if word != "project"]
            words = named or words
    elif words and len(words[-1]) > 3 and words[-1].endswith("s") and not words[-1].endswith(("ss", "us", "is")):
        words = [*words[:-1], words[-1][:-1]]
    key = "".join(words)
    return "" if key in _NO_NAME else f"{kind} {entity_type if kind == 'entity' else ''} {key}"
