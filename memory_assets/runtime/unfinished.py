"""What a step could not finish: told once, a line per problem, in the run's log and in its metadata."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import dagster as dg

UNFINISHED = "unfinished"
LINES_TOLD = 20


def tell_unfinished(context: dg.AssetExecutionContext, problems: Sequence[str], whose: str = "") -> dict[str, Any]:
    """Warn of each problem, and return the metadata by which the command that drives the run sees them.

    ``whose`` is said before each line where the run is for several.
    """
    lines = [" ".join(problem.split()) for problem in problems]
    if len(lines) > LINES_TOLD:
        lines = [*lines[:LINES_TOLD], f"and {len(lines) - LINES_TOLD} more, which the graph names with their reasons."]
    for line in lines:
        context.log.warning(f"{whose}{line}")
    return {UNFINISHED: dg.MetadataValue.json(lines)} if lines else {}


def unfinished_lines(metadata: Mapping[str, Mapping[str, Any]]) -> tuple[str, ...]:
    """Every problem of a run, by the metadata of its steps."""
    return tuple(line for values in metadata.values() for line in values.get(UNFINISHED, ()))
