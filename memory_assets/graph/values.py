"""What may travel into the graph and what comes out: plain Python, in forms that both engines store.

Neo4j refuses nested lists, lists of mixed types and maps as properties; the embedded engine takes some
of them. So they are refused here, by row and field, before anything is sent. No type of the driver leaves this package.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence, Set
from datetime import date, datetime, time, timedelta
from enum import Enum
from pathlib import PurePath
from typing import Any

import numpy as np
from neo4j.graph import Node, Path, Relationship
from neo4j.time import Date, DateTime, Duration, Time

from memory_assets.clock import in_utc, to_iso
from memory_assets.errors import GraphRowError

REPLACEMENT = "\ufffd"
_PLAIN = frozenset({str, int, float, bool, type(None)})
WHOLE_NUMBERS = range(-(2**63), 2**63)


def prepare_parameters(name: str, params: Mapping[str, Any]) -> dict[str, Any]:
    """The parameters of statement ``name``: scalars, flat lists, flat maps, or lists of flat maps (rows)."""
    prepared: dict[str, Any] = {}
    for key, value in params.items():
        if isinstance(value, Mapping):
            prepared[key] = _row(value, f"{name}: ${key}")
        elif _is_list(value) and any(isinstance(item, Mapping) for item in value):
            prepared[key] = prepare_rows(name, value, key)
        else:
            prepared[key] = _value(value, f"{name}: ${key}")
    return prepared


def prepare_rows(name: str, rows: Sequence[Any], key: str = "rows") -> list[dict[str, Any]]:
    """Each of ``rows`` as a flat map, or :class:`GraphRowError` naming row and field."""
    return [_row(row, f"{name}: row {number} of ${key}") for number, row in enumerate(rows)]


def clean_text(text: str) -> str:
    """``text`` as both engines store it: no lone surrogates, no NUL."""
    if text.isascii() and "\x00" not in text:
        return text
    if "\x00" in text:
        text = text.replace("\x00", REPLACEMENT)
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        # Pairs of surrogates are one character; only the lone ones are replaced.
        text = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text


def weight(row: Mapping[str, Any]) -> int:
    """About how many bytes a prepared row takes on the wire."""
    return sum(len(key) + _weight(value) for key, value in row.items())


def _weight(value: Any) -> int:
    if isinstance(value, str):
        return len(value) * 2
    if isinstance(value, list):  # of one type, once prepared
        return 8 + (8 * len(value) if value and type(value[0]) is float else sum(_weight(item) for item in value))
    return 8


def _row(row: Any, where: str) -> dict[str, Any]:
    if not isinstance(row, Mapping):
        raise GraphRowError(f"{where} is {type(row).__name__}, not a map. Send each row as a dict.")
    return {clean_text(str(field)): _value(value, f"{where}, field {field!r}") for field, value in row.items()}


def _is_list(value: Any) -> bool:
    return isinstance(value, (list, tuple, Set, np.ndarray))


def _value(value: Any, where: str) -> Any:
    if type(value) is str:
        return clean_text(value)
    if isinstance(value, Mapping):
        raise GraphRowError(f"{where} is a map, and a property cannot hold one. Send it as JSON text.")
    if _is_list(value):
        return _list(value, where)
    return _scalar(value, where)


def _list(value: Any, where: str) -> list[Any]:
    if isinstance(value, np.ndarray):
        value = value.tolist()
    if isinstance(value, (list, tuple)):
        kinds = set(map(type, value))
        if kinds == {float} and all(map(math.isfinite, value)):
            return list(value)  # an embedding, one of thousands
        if kinds == {str}:
            return list(map(clean_text, value))
    items = [_item(item, where) for item in (sorted(value) if isinstance(value, Set) else value)]
    kinds = {type(item) for item in items}
    if kinds == {int, float}:
        return [float(item) for item in items]
    if len(kinds) > 1:
        names = ", ".join(sorted(kind.__name__ for kind in kinds))
        raise GraphRowError(f"{where} is a list of mixed types ({names}). Make them one type.")
    return items


def _item(item: Any, where: str) -> Any:
    if _is_list(item) or isinstance(item, Mapping):
        raise GraphRowError(f"{where} is nested, and a property cannot hold that. Send it as JSON text.")
    scalar = _scalar(item, where)
    if scalar is None:
        raise GraphRowError(f"{where} is a list with a missing item. Leave it out of the list.")
    return scalar


def _scalar(value: Any, where: str) -> Any:
    if type(value) is str:  # nearly all of them are
        return clean_text(value)
    if isinstance(value, Enum):
        value = value.value
    if isinstance(value, np.generic):
        value = value.item()
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, str):
        return clean_text(str(value))
    if isinstance(value, int):
        if value not in WHOLE_NUMBERS:
            raise GraphRowError(f"{where} is a whole number beyond 64 bits. Send it as text.")
        return int(value)
    if isinstance(value, float):
        if math.isinf(value):
            raise GraphRowError(f"{where} is infinite. Send a finite number or None.")
        return None if math.isnan(value) else float(value)
    if isinstance(value, datetime):
        return to_iso(value)
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, PurePath):
        return clean_text(str(value))
    raise GraphRowError(
        f"{where} is {type(value).__name__}, which no property can hold. "
        "Send text, numbers, booleans, times, or flat lists of one of them."
    )


def plain(value: Any) -> Any:
    """``value`` without driver types; instants become aware datetimes in UTC."""
    if type(value) in _PLAIN or isinstance(value, (str, int, float)):
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
        return {key: item if type(item) in _PLAIN else plain(item) for key, item in value.items()}
    if isinstance(value, Date):
        return value.to_native()
    if isinstance(value, (Time, time)):
        return value.iso_format() if isinstance(value, Time) else value.isoformat()
    if isinstance(value, Duration):
        return value.iso_format() if value.months else timedelta(days=value.days, seconds=value.seconds)
    return value


def read_instant(text: str | None) -> datetime | None:
    """The instant of an engine's ``toString``, aware, in UTC; None for none, and where Python's calendar does not
    reach.

    Neo4j writes ``2026-11-20T12:00:00Z``, ArcadeDB leaves seconds of 0 out; without a zone it is UTC.
    """
    try:
        native = datetime.fromisoformat(text) if text else None
        return native and in_utc(native)
    except (ValueError, OverflowError):
        return None


def instant(value: DateTime | datetime) -> datetime | str:
    """An aware datetime in UTC; as ISO text where Python's calendar does not reach."""
    try:
        return in_utc(value.to_native() if isinstance(value, DateTime) else value)
    except (ValueError, OverflowError):
        return value.iso_format() if isinstance(value, DateTime) else value.isoformat()
