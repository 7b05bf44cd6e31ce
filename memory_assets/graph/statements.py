"""Rows as statements of bounded size, for one transaction of several."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, TypeVar

from memory_assets.graph.graph import Statement

ROWS_PER_STATEMENT = 500
"""The embedded engine counts a source's record once for every row that holds it, and queries may take half of the heap:
bounded, though the texts of sources are no part of their records."""

T = TypeVar("T")
Row = dict[str, Any]


def in_parts(items: Sequence[T], size: int = ROWS_PER_STATEMENT) -> Iterator[Sequence[T]]:
    """The items in runs of at most ``size``."""
    return (items[start : start + size] for start in range(0, len(items), size))


def in_statements(name: str, rows: Sequence[Row], **params: Any) -> list[Statement]:
    """The rows in statements of bounded size; none for no rows."""
    return [Statement(name, {"rows": list(part), **params}) for part in in_parts(rows)]


def id_rows(ids: Iterable[str]) -> list[Row]:
    """Rows of nothing but an id, in order."""
    return [{"id": key} for key in sorted(ids)]
