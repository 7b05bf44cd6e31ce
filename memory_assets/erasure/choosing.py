"""What goes with what is erased: everything that rests on it alone. Pure.

What rests on something else, too, stays, and is made again by the ordinary steps.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from memory_assets.curation.snapshots import IN, OUT, decode
from memory_assets.graph.decisions import DOUBT

RESTS_ON: tuple[tuple[str, str, str], ...] = (
    ("SourceText", "HAS_RAW_CONTENT", IN),
    ("SourceText", "HAS_ORIGINAL_CONTENT", IN),
    ("SourceText", "HAS_CONTENT", IN),
    ("SourceText", "HAS_TURNS", IN),
    ("KnowledgeChunk", "STATES", IN),
    ("Person", "MENTIONS", IN),
    ("Concept", "MENTIONS", IN),
    ("Entity", "MENTIONS", IN),
    ("Note", "TAKEN_FROM", OUT),
    ("Relationship", "SUPPORTS", IN),
    ("CompressedContext", "CONTEXT_OF", OUT),
    ("CompressedContext", "SUMMARIZED_TO", IN),
    ("Storyline", "INCLUDES", OUT),
    ("Macro", "GROUPS", OUT),
    ("ValueClassification", "HAS_VALUE", IN),
    ("Memory", "RECORDED_IN", OUT),
)
"""A node of the label goes with the last of the nodes at the other end of these relationships."""
MADE_OF_ALL = frozenset(
    {"Person", "Concept", "Entity", "Note", "Relationship", "CompressedContext", "Storyline", "Macro"}
)
"""These have words from all that they rest on; the words of any other node are in each of its sources."""
GOES_WITH_ALL: Mapping[str, tuple[str, ...]] = {
    "ValueClassification": ("memory_id",),
    "Extraction": ("source_id",),
    "CurationAudit": ("memory_id",),
    "Decision": ("memory_id",),
    "AnchorName": ("resolved_ids",),
    "Note": ("source_id",),
}
"""A node of the label goes when all that these properties of it name is gone."""
GOES_WITH_ANY: Mapping[str, tuple[str, ...]] = {"DuplicatePair": ("a", "b")}
"""A node of the label goes when any of what these properties of it name is gone: it has a digest of what both say."""
Place = tuple[str, str, str]
"""A relationship of a node: its type, its direction, and the node at its other end."""


@dataclass(frozen=True)
class Node:
    """A node as far as it matters what goes with it."""

    id: str
    owner: str
    labels: tuple[str, ...]
    names: tuple[str, ...] = ()
    """The ids that it is about."""
    is_owners: bool = False
    """It is the owner's own person, and stays."""
    each: tuple[str, ...] = ()
    """The ids without any of which it goes."""
    merged_by: str | None = None
    """The audit that says what it was linked to before it was merged into another one, where it was."""
    moved: tuple[Place, ...] = ()
    """What the memory of a merge's audit was linked to."""

    @property
    def label(self) -> str:
        """The label that says what it is."""
        return next((label for label in sorted(self.labels) if label != "Memory"), "Memory")


def node_of(row: Mapping[str, Any]) -> Node:
    """The node of a row of ``curation/list_everything``."""
    said, labels = row["properties"], tuple(row["labels"])
    names, each = _named(GOES_WITH_ALL, labels, said), _named(GOES_WITH_ANY, labels, said)
    if said.get("kind") == DOUBT and said.get("by_memory_id"):
        each = (*each, said["by_memory_id"])  # it has the words that are held against the other
    merged_by = said.get("merged_by") if said.get("tombstone") else None
    snapshot = decode(said.get("snapshot")) if "CurationAudit" in labels and said.get("action") == "merge" else None
    moved = tuple(link.place for link in snapshot.links) if snapshot is not None else ()
    return Node(row["id"], row["owner"], labels, names, bool(said.get("is_owner")), each, merged_by, moved)


def _named(of: Mapping[str, tuple[str, ...]], labels: Iterable[str], said: Mapping[str, Any]) -> tuple[str, ...]:
    values = [said.get(name) for label in labels for name in of.get(label, ())]
    return tuple(one for value in values for one in ([value] if isinstance(value, str) else value or ()))


@dataclass(frozen=True)
class Links:
    """Relationships by both ends."""

    into: Mapping[tuple[str, str], Sequence[str]] = field(default_factory=dict)
    out: Mapping[tuple[str, str], Sequence[str]] = field(default_factory=dict)

    @classmethod
    def of(cls, rows: Iterable[Mapping[str, Any]]) -> Links:
        """Those of rows of ``curation/list_every_link``."""
        into: dict[tuple[str, str], list[str]] = defaultdict(list)
        out: dict[tuple[str, str], list[str]] = defaultdict(list)
        for row in rows:
            into[row["end_id"], row["type"]].append(row["start_id"])
            out[row["start_id"], row["type"]].append(row["end_id"])
        return cls(into, out)

    def others(self, node: str, type_: str, direction: str) -> Sequence[str]:
        """The nodes at the other end."""
        return (self.into if direction == IN else self.out).get((node, type_), ())


def choose_gone(nodes: Iterable[Node], links: Links, erased: Collection[str]) -> set[str]:
    """The ids of all that goes with ``erased``, these among them."""
    gone, nodes = set(erased), list(nodes)
    moved = {node.id: node.moved for node in nodes if node.moved}
    left = [node for node in nodes if node.id not in gone and not node.is_owners]
    while True:
        going = {node.id for node in left if _goes(node, links, moved.get(node.merged_by or "", ()), gone)}
        if not going:
            return gone
        gone |= going
        left = [node for node in left if node.id not in going]


def _goes(node: Node, links: Links, moved: Sequence[Place], gone: Collection[str]) -> bool:
    if node.names and all(name in gone for name in node.names) or any(name in gone for name in node.each):
        return True
    for label, type_, direction in RESTS_ON:
        if label in node.labels:
            others = [*links.others(node.id, type_, direction)]
            others += [other for *place, other in moved if place == [type_, direction]]
            if others and all(other in gone for other in others):
                return True
    return False


def choose_untouched(nodes: Iterable[Node], links: Links, gone: Collection[str]) -> set[str]:
    """The memories and notes that stay, and in whose words none of ``gone`` has a part."""
    touched = set(gone)
    left = [node for node in nodes if node.id not in touched and ("Memory" in node.labels or node.label in MADE_OF_ALL)]
    rules = [rule for rule in RESTS_ON if rule[0] in MADE_OF_ALL]
    while True:
        found = {
            node.id
            for node in left
            for label, type_, direction in rules
            if label in node.labels and not touched.isdisjoint(links.others(node.id, type_, direction))
        }
        if found <= touched:
            return {node.id for node in left} - touched
        touched |= found


def counted(nodes: Iterable[Node], gone: Collection[str]) -> dict[str, int]:
    """How many nodes of each label go."""
    return dict(sorted(Counter(node.label for node in nodes if node.id in gone).items()))
