"""What comes out of the graph, as plain Python: no type of the driver leaves this package."""

from __future__ import annotations

from datetime import UTC, datetime, time, timedelta
from typing import Any

from neo4j.graph import Node, Path, Relationship
from neo4j.time import Date, DateTime, Duration, Time


def plain(value: Any) -> Any:
    """``value`` without driver types; instants become aware datetimes in UTC."""
    if isinstance(value, (str, int, float, bool)) or value is None:
        return value
    if isinstance(value, (DateTime, datetime)):
        return instant(value)
    if isinstance(value, (list, tuple)):
        if set(map(type, value)) <= {float}:  # an embedding, one of thousands
            return list(value)
        return [plain(item) for item in value]
    if isinstance(value, Node):
        return {"labels": sorted(value.labels), "properties": plain(dict(value))}
    if isinstance(value, Relationship):
        return {"label": value.type, "properties": plain(dict(value))}
    if isinstance(value, Path):
        return [plain(part) for pair in zip(value.nodes[:-1], value.relationships, strict=True) for part in pair] + [
            plain(value.nodes[-1])
        ]
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    if isinstance(value, Date):
        return value.to_native()
    if isinstance(value, (Time, time)):
        return value.iso_format() if isinstance(value, Time) else value.isoformat()
    if isinstance(value, Duration):
        return value.iso_format() if value.months else timedelta(days=value.days, seconds=value.seconds)
    return value


def read_instant(text: str | None) -> datetime | None:
    """The instant of an engine's ``toString``, aware, in UTC; None for none, and where Python's calendar does not reach.

    Neo4j writes ``2026-11-20T12:00:00Z``, ArcadeDB leaves seconds of 0 out; without a zone it is UTC.
    """
    try:
        native = datetime.fromisoformat(text) if text else None
        return native and (native.replace(tzinfo=UTC) if native.tzinfo is None else native.astimezone(UTC))
    except (ValueError, OverflowError):
        return None


def instant(value: DateTime | datetime) -> datetime | str:
    """An aware datetime in UTC; as ISO text where Python's calendar does not reach."""
    try:
        native = value.to_native() if isinstance(value, DateTime) else value
        return native.replace(tzinfo=UTC) if native.tzinfo is None else native.astimezone(UTC)
    except (ValueError, OverflowError):
        return value.iso_format() if isinstance(value, DateTime) else value.isoformat()
