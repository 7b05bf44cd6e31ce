"""A memory as its audit keeps it, whole: its labels, properties and relationships, as one JSON text, and back."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from typing import Any

from memory_assets.clock import to_iso
from memory_assets.errors import GraphRowError
from memory_assets.graph.graph import Graph

INSTANT, DAY = "$at", "$day"
"""How JSON says that a text is an instant (UTC, ISO 8601), or a day."""
IN, OUT = "in", "out"


@dataclass(frozen=True)
class Link:
    """One relationship of a memory: ``direction`` is ``out`` where it begins at the memory, else ``in``.

    ``other_labels`` say among what its other end is found.
    """

    type: str
    direction: str
    other_id: str
    other_labels: tuple[str, ...] = ("Memory",)
    properties: Mapping[str, Any] = field(default_factory=dict)

    @property
    def place(self) -> tuple[str, str, str]:
        """What distinguishes it from the others of its memory."""
        return self.type, self.direction, self.other_id


@dataclass(frozen=True)
class Snapshot:
    """A memory as it was: instants are aware datetimes in UTC."""

    labels: tuple[str, ...]
    properties: Mapping[str, Any]
    links: tuple[Link, ...] = ()

    @property
    def id(self) -> str:
        """The memory's."""
        return str(self.properties["id"])

    @property
    def kind(self) -> str:
        """Its type label."""
        return min((label for label in self.labels if label != "Memory"), default="Memory")


def encode(snapshot: Snapshot) -> str:
    """A snapshot as JSON. Equal memories give equal texts, in whatever order the engine returns their relationships.

    Raises :class:`GraphRowError` of a value that would not come back as it was.
    """
    links = [
        {"type": link.type, "direction": link.direction, "other_id": link.other_id}
        | {"other_labels": sorted(link.other_labels), "properties": _typed(link.properties)}
        for link in snapshot.links
    ]
    document = {
        "labels": sorted(snapshot.labels),
        "properties": _typed(snapshot.properties),
        "relationships": sorted(links, key=_dump),
    }
    return _dump(document)


def decode(text: str | None) -> Snapshot | None:
    """The snapshot that an audit holds; None where it holds no whole one (of retirements, and of what only faded)."""
    try:
        document = json.loads(text or "")
    except ValueError:
        return None
    if not isinstance(document, dict) or not document.keys() >= {"labels", "properties", "relationships"}:
        return None
    rows = (link | {"properties": _plain(link["properties"])} for link in document["relationships"])
    return Snapshot(tuple(document["labels"]), _plain(document["properties"]), tuple(map(_link, rows)))


def whole_snapshots(graph: Graph, user: str, ids: Iterable[str]) -> dict[str, str]:
    """Those of some memories of a user that are there, by id, each as its audit has it."""
    return {key: encode(snapshot) for key, snapshot in read_whole(graph, user, ids).items()}


def read_whole(graph: Graph, user: str, ids: Iterable[str]) -> dict[str, Snapshot]:
    """Those of some memories of a user that are there, tombstones too, by id."""
    wanted = sorted(set(ids))
    links: dict[str, list[Link]] = defaultdict(list)
    for row in graph.read_parts("curation/list_links", wanted, user_id=user):
        links[row["id"]].append(_link(row))
    return {
        row["id"]: Snapshot(tuple(sorted(row["labels"])), row["properties"], tuple(links[row["id"]]))
        for row in graph.read_parts("curation/list_whole", wanted, user_id=user)
    }


def _link(row: Mapping[str, Any]) -> Link:
    labels = tuple(sorted(row.get("other_labels", ("Memory",))))
    return Link(row["type"], row["direction"], row["other_id"], labels, row["properties"] or {})


def _dump(document: Any) -> str:
    return json.dumps(document, sort_keys=True, ensure_ascii=False)


def _typed(properties: Mapping[str, Any]) -> dict[str, Any]:
    return {key: _value(key, value) for key, value in sorted(properties.items())}


def _value(key: str, value: Any) -> Any:
    if isinstance(value, datetime):
        return {INSTANT: _iso(value)}
    if isinstance(value, date):
        return {DAY: value.isoformat()}
    if isinstance(value, (list, tuple)):
        return [_value(key, item) for item in value]
    if value is None or isinstance(value, (str, bool, int, float)):
        return value
    raise GraphRowError(f"{key} is {type(value).__name__}, which no snapshot keeps. Store text, numbers or instants.")


def _plain(properties: Mapping[str, Any]) -> dict[str, Any]:
    return {key: _read(value) for key, value in properties.items()}


def _read(value: Any) -> Any:
    if isinstance(value, dict):
        if INSTANT in value:
            return datetime.fromisoformat(value[INSTANT]).astimezone(UTC)
        return date.fromisoformat(value[DAY])
    return [_read(item) for item in value] if isinstance(value, list) else value


def _iso(instant: datetime) -> str | None:
    """As instants travel, and to the microsecond where one is stored so: equal is what comes back."""
    return instant.astimezone(UTC).isoformat() if instant.microsecond % 1000 else to_iso(instant)


def split(properties: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """Some properties as statements take them: those that are instants, as ISO text, and the others."""
    instants = {key: _iso(value) for key, value in properties.items() if isinstance(value, datetime)}
    return {"properties": {key: properties[key] for key in properties if key not in instants}, "instants": instants}
