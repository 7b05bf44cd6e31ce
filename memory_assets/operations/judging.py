"""What every check has in common: whom it judges, and how its page says for whom it failed and what to do.

Checks are not partitioned: one evaluation judges all owners of its run. A partitioned check would lose its
owner in a run of several, and could not be launched from its page.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import dagster as dg

from memory_assets.model import can_own, is_team
from memory_assets.operations.partitions import owners

ROWS_SHOWN = 20


def owners_to_judge(context: dg.AssetCheckExecutionContext) -> list[str]:
    """The owners of a check's run; every owner where the check is launched by itself, without a partition."""
    if context.has_partition_key or context.has_partition_key_range:
        names = list(context.partition_keys)
    else:
        names = sorted(context.instance.get_dynamic_partitions(owners.name))
    return [name for name in names if can_own(name)]


def users_to_judge(context: dg.AssetCheckExecutionContext) -> list[str]:
    """The same without teams, which own sources alone."""
    return [owner for owner in owners_to_judge(context) if not is_team(owner)]


def verdict(
    judged: Sequence[str],
    found: Sequence[Mapping[str, Any]],
    remedy: str,
    severity: dg.AssetCheckSeverity = dg.AssetCheckSeverity.ERROR,
) -> dg.AssetCheckResult:
    """Passed where nothing was ``found``; its rows name their owner as ``user``."""
    failed = sorted({row["user"] for row in found})
    metadata: dict[str, Any] = {"judged": ", ".join(judged) or "nobody", "found": len(found)}
    if found:
        metadata["failed_for"] = ", ".join(failed)
        metadata["what_failed"] = dg.MetadataValue.md(_table(found[:ROWS_SHOWN]))
        metadata["what_to_do"] = remedy
    return dg.AssetCheckResult(
        passed=not found,
        severity=severity,
        description=f"{len(found)} found for {', '.join(failed)}: {remedy}" if found else None,
        metadata=metadata,
    )


def _table(rows: Sequence[Mapping[str, Any]]) -> str:
    columns = list(rows[0])
    lines = ["| " + " | ".join(columns) + " |", "|" + "---|" * len(columns)]
    lines += ["| " + " | ".join(_cell(row[column]) for column in columns) + " |" for row in rows]
    return "\n".join(lines)


def _cell(value: object) -> str:
    return str(value).replace("|", "\\|").replace("\n", " ")[:300]
