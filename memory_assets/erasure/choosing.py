"""What goes with what is erased: everything that rests on it alone. Pure.

What rests on something else, too, stays, and is made again by the ordinary steps.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

IN, OUT = "in", "out"
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
TELLS_OF: Mapping[str, tuple[str, ...]] = {
    "ValueClassification": ("memory_id",),
    "Extraction": ("source_id",),
    "CurationAudit": ("memory_id",),
    "Decision": ("memory_id",),
    "AnchorName": ("resolved_ids",),
    "Note": ("source_id",),
}
"""A node of the label goes when all that these properties of it name is gone."""


@dataclass(frozen=True)
class Node:
    """A node as far as it matters what goes with it."""

    id: str
    owner: str
    labels: tuple[str, ...]
    names: tuple[str, ...] = ()
    """The ids that it tells of."""
    is_kept: bool = False
    """It is the owner's own."""

    @property
    def label(self) -> str:
        """The label that says what it is."""
        return next((label for label in sorted(self.labels) if label != "Memory"), "Memory")


def node_of(row: Mapping[str, Any]) -> Node:
    """The node of a row of ``curation/list_everything``."""
    said = row["properties"]
    names: list[str] = []
    for label in row["labels"]:
        for name in TELLS_OF.get(label, ()):
            value = said.get(name)
            names += [value] if isinstance(value, str) else list(value or ())
    return Node(row["id"], row["owner"], tuple(row["labels"]), tuple(names), bool(said.get("is_owner")))


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
    gone = set(erased)
    left = [node for node in nodes if node.id not in gone and not node.is_kept]
    while True:
        going = {node.id for node in left if _goes(node, links, gone)}
        if not going:
            return gone
        gone |= going
        left = [node for node in left if node.id not in going]


def _goes(node: Node, links: Links, gone: Collection[str]) -> bool:
    if node.names and all(name in gone for name in node.names):
        return True
    for label, type_, direction in RESTS_ON:
        if label in node.labels:
            others = links.others(node.id, type_, direction)
            if others and all(other in gone for other in others):
                return True
    return False


def counted(nodes: Iterable[Node], gone: Collection[str]) -> dict[str, int]:
    """How many nodes of each label go."""
    return dict(sorted(Counter(node.label for node in nodes if node.id in gone).items()))
