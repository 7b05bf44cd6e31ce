"""The types of relationships (specification 004, Phase 2, Step 4): a small published list, and between whom each can
be.

A type reads from left to right: "X works_at Y". In the symmetric ones the order of the two says nothing.
"""

from __future__ import annotations

from dataclasses import dataclass

PERSON, CONCEPT, ENTITY = "person", "concept", "entity"
ANY = frozenset({PERSON, CONCEPT, ENTITY})
_PERSON, _THING = frozenset({PERSON}), frozenset({ENTITY})
_SUBJECT_MATTER = frozenset({CONCEPT, ENTITY})


@dataclass(frozen=True)
class RelationshipType:
    """A type: what it says, from which kinds to which, and whether both directions are the same."""

    name: str
    says: str
    from_kinds: frozenset[str]
    to_kinds: frozenset[str]
    symmetric: bool = False

    def allows(self, from_kind: str, to_kind: str) -> bool:
        """Whether it can be between these."""
        return from_kind in self.from_kinds and to_kind in self.to_kinds


TYPES: dict[str, RelationshipType] = {
    one.name: one
    for one in (
        RelationshipType("works_with", "two people work together", _PERSON, _PERSON, symmetric=True),
        RelationshipType("works_at", "a person works at an organization or place", _PERSON, _THING),
        RelationshipType("member_of", "a person belongs to a group, team or organization", _PERSON, _SUBJECT_MATTER),
        RelationshipType("manages", "a person leads people, a project or an organization", _PERSON, ANY),
        RelationshipType("owns", "a person or organization owns something", _PERSON | _THING, _SUBJECT_MATTER),
        RelationshipType(
            "uses", "somebody or something uses a tool, product or method", _PERSON | _THING, _SUBJECT_MATTER
        ),
        RelationshipType("lives_in", "a person lives in a place", _PERSON, _THING),
        RelationshipType("family_of", "two people are family", _PERSON, _PERSON, symmetric=True),
        RelationshipType("friend_of", "two people are friends", _PERSON, _PERSON, symmetric=True),
        RelationshipType("part_of", "something is a part of something larger", _SUBJECT_MATTER, _SUBJECT_MATTER),
        RelationshipType(
            "renamed_from", "something (the new name) was called otherwise before (the old name)", ANY, ANY
        ),
        RelationshipType("related_to", "anything else that connects two names", ANY, ANY, symmetric=True),
    )
}
"""Every type by name."""
