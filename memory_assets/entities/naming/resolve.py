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

from collections.abc import Iterable
from dataclasses import dataclass

from memory_assets.entities.naming.links import Casts, Links, resolutions_of, to_ask, unclear_short
from memory_assets.entities.naming.people import join_full_names
from memory_assets.entities.naming.records import Decision, Name, Profile, Resolution
from memory_assets.entities.naming.short_names import ShortNames
from memory_assets.entities.naming.sure_joins import (
    join_addresses,
    join_kinds,
    join_profile,
    join_same_spelling,
    join_things,
    join_votes,
)

VERSION = "1"
"""Part of what a resolution is made from: another one resolves everybody's names again."""


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
    join_profile(links)
    join_same_spelling(links)
    unclear = join_full_names(links.items, links.groups)
    join_addresses(links)
    short = ShortNames(links)
    short.join()
    join_votes(links)
    join_kinds(links)
    join_things(links)
    asked = to_ask(links, [*unclear, *unclear_short(links, short.bare)])
    return Outcome(resolutions_of(links), asked)
