"""Printing: one JSON document, aligned tables, messages."""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Annotated, Any

import typer

from memory_assets.clock import to_iso

Json = Annotated[bool, typer.Option("--json", help="One JSON document on stdout.")]


def say(message: str) -> None:
    """A message or progress, on stderr."""
    print(message, file=sys.stderr, flush=True)


def emit(document: Any) -> None:
    """One JSON document, on stdout."""
    print(json.dumps(_finite(document), ensure_ascii=False, indent=2, default=_plain, allow_nan=False))


def emitted(document: Any, as_json: bool) -> bool:
    """Whether ``--json`` asks for the document alone, which is printed then."""
    if as_json:
        emit(document)
    return as_json


def listed(found: Sequence[Any], as_json: bool, nothing: str) -> bool:
    """Whether a list is to be printed: else it was given as JSON, or is empty, and ``nothing`` was said."""
    if emitted(found, as_json):
        return False
    if not found:
        say(nothing)
    return bool(found)


def emit_line(document: Any) -> None:
    """One line of JSON lines, on stdout."""
    print(json.dumps(document, ensure_ascii=False, sort_keys=True, default=_plain))


def table(header: Sequence[str], rows: Iterable[Sequence[Any] | Mapping[str, Any]]) -> None:
    """An aligned table, on stdout; figures to the right. The cells of a mapping are those that the header names."""
    shown = ([row[name] for name in header] if isinstance(row, Mapping) else row for row in rows)
    cells = [[str(cell) if cell is not None else "-" for cell in row] for row in shown]
    widths = [max(len(row[i]) for row in [list(header), *cells]) for i in range(len(header))]
    print("  ".join(name.ljust(width) for name, width in zip(header, widths, strict=True)).rstrip())
    for row in cells:
        aligned = (
            cell.rjust(width) if cell.replace(".", "").replace(",", "").isdigit() else cell.ljust(width)
            for cell, width in zip(row, widths, strict=True)
        )
        print("  ".join(aligned).rstrip())


def _finite(value: Any) -> Any:
    """JSON knows no NaN and no infinity: they are null."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, dict):
        return {key: _finite(item) for key, item in value.items()}
    return [_finite(item) for item in value] if isinstance(value, list | tuple) else value


def _plain(value: Any) -> Any:
    if isinstance(value, datetime):
        return to_iso(value)
    return str(value)
