"""What every check has in common: whom it judges, and how its page says for whom it failed and what to do.

One evaluation judges all owners for whom its run has worked: a partitioned check would lose its owner in a run of
several. Without ``from __future__ import annotations``: Dagster reads the types of a check's parameters as they are.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

import dagster as dg

from memory_assets.clock import Clock, to_iso
from memory_assets.graph.graph import Graph
from memory_assets.model import can_own, fingerprint, is_team
from memory_assets.presentation.reports import markdown_table, some
from memory_assets.runtime.events import LOOKED_AT, failed_owners, last_evaluation, worked_for
from memory_assets.runtime.partitions import EVERYBODY, OWNERS
from memory_assets.runtime.resources import GraphResource, InstallationResource

TRIED_AGAIN = (
    "their errors say what is in the way; what may pass is tried again by itself, `memory-assets retry` tries all of "
    "them now"
)
ROWS_SHOWN = 20
DIGITS, MOST_DIGESTS = 8, 200


def owners_to_judge(context: dg.AssetCheckExecutionContext) -> list[str]:
    """The owner of a run for one; those for whom a run for several has made the check's asset, or what that follows
    from; and who failed before.

    Every owner where the check is launched by itself.
    """
    if is_for_one(context):
        names = [context.partition_key]
    elif (worked := worked_for(context, _made_from(context))) is not None:
        names = worked
    else:
        names = context.instance.get_dynamic_partitions(OWNERS)
    # A page must not turn green because somebody else was judged.
    before = (last_evaluation(context.instance, key) for key in context.selected_asset_check_keys)
    return sorted({*filter(can_own, names), *(name for one in before for name in failed_owners(one))})


def _made_from(context: dg.AssetCheckExecutionContext) -> set[dg.AssetKey]:
    """A check's asset and whatever of its run that, or the check, follows from: nothing else can change its verdict."""
    graph = context.job_def.asset_layer.asset_graph
    found: set[dg.AssetKey] = set()
    waiting = [
        key
        for check in context.selected_asset_check_keys
        for key in (check.asset_key, *graph.get(check).parent_entity_keys)
    ]
    while waiting:
        key = waiting.pop()
        if isinstance(key, dg.AssetKey) and key not in found and graph.has(key):
            found.add(key)
            waiting += graph.get(key).parent_keys
    return found


def is_for_one(context: dg.AssetCheckExecutionContext) -> bool:
    """Whether a run is for one owner alone, so that a blocking check stops nobody else."""
    return context.has_partition_key and context.partition_key != EVERYBODY


def users_to_judge(context: dg.AssetCheckExecutionContext) -> list[str]:
    """The same without teams, which own sources alone."""
    return [owner for owner in owners_to_judge(context) if not is_team(owner)]


def users_check(
    asset: dg.AssetsDefinition | str,
    name: str,
    claim: str,
    rows: str | Callable[[Graph, str, datetime], Iterable[Mapping[str, Any]]],
    what: str,
    remedy: str,
    severity: dg.AssetCheckSeverity = dg.AssetCheckSeverity.ERROR,
    *,
    blocking: bool = False,
    identity: str | None = None,
    additional_deps: Sequence[str] = (),
    of_teams: bool = False,
    params: Mapping[str, Any] | None = None,
) -> dg.AssetChecksDefinition:
    """A check that fails for each row of ``what`` should not be there.

    ``rows`` is a statement that lists them for one user, with ``params`` of its own, or a function of the graph, the
    user and the present instant. ``of_teams``: teams are judged, too.
    """

    @dg.asset_check(
        asset=asset, name=name, description=claim, blocking=blocking, additional_deps=additional_deps or None
    )
    def check(
        context: dg.AssetCheckExecutionContext, graph: GraphResource, installation: InstallationResource
    ) -> dg.AssetCheckResult:
        users = owners_to_judge(context) if of_teams else users_to_judge(context)
        opened, now = graph.open(), installation.clock.now()

        def wrong_for(user: str) -> Iterable[Mapping[str, Any]]:
            return (
                opened.read(rows, user_id=user, **(params or {})) if isinstance(rows, str) else rows(opened, user, now)
            )

        found = [{"user": user} | dict(row) for user in users for row in wrong_for(user)]
        said: dict[str, Any] = {"alert": f"{len(found)} {what}", "claim": claim, "identity": identity}
        return verdict(context, users, found, remedy, severity, blocking=blocking, **said)

    return check


def verdict(
    context: dg.AssetCheckExecutionContext,
    judged: Sequence[str],
    found: Sequence[Mapping[str, Any]],
    remedy: str,
    severity: dg.AssetCheckSeverity = dg.AssetCheckSeverity.ERROR,
    *,
    blocking: bool = False,
    alert: str | None = None,
    claim: str | None = None,
    metadata: Mapping[str, Any] | None = None,
    identity: str | None = None,
) -> dg.AssetCheckResult:
    """Passed where nothing was ``found``; its rows name their owner as ``user``. Where nobody was judged, nothing is
    new.

    ``alert`` says what failed without a word of anybody's memory. A ``blocking`` check only warns unless the run is
    for the one who fails alone. ``identity`` is the column of what stays the same thing: another one for an owner
    is news.
    """
    if not judged and (unchanged := _as_before(context)):
        return unchanged
    failed = sorted({row["user"] for row in found})
    shown: dict[str, Any] = {"judged": some(judged, ROWS_SHOWN) or "nobody", "found": len(found), **(metadata or {})}
    if found:
        shown["failed_for"] = ", ".join(failed)
        shown["what_failed"] = dg.MetadataValue.md(markdown_table(list(found[0]), found, most=ROWS_SHOWN))
        shown["what_to_do"] = remedy
        shown["alert"] = alert or f"{len(found)} found"
        if identity:
            shown["alert_reasons"] = _digests(found, identity)
    if found and blocking and not (is_for_one(context) and context.partition_key in failed):
        severity = dg.AssetCheckSeverity.WARN
    said = f"{len(found)} found for {', '.join(failed)}: {remedy}" if found else claim
    return dg.AssetCheckResult(passed=not found, severity=severity, description=said, metadata=shown)


def _as_before(context: dg.AssetCheckExecutionContext) -> dg.AssetCheckResult | None:
    """The last evaluation once more, with a word that nobody was judged; None where there is none."""
    (key,) = context.selected_asset_check_keys
    if (last := last_evaluation(context.instance, key)) is None:
        return None
    shown: dict[str, Any] = {**last.metadata, LOOKED_AT: f"{to_iso(Clock().now())}: there was nobody to judge"}
    return dg.AssetCheckResult(passed=last.passed, severity=last.severity, description=last.description, metadata=shown)


def _digests(found: Sequence[Mapping[str, Any]], identity: str) -> dict[str, list[str]]:
    """By owner, what was found, so that it is known again and says nothing of itself."""
    known: dict[str, set[str]] = {}
    for row in found:
        known.setdefault(row["user"], set()).add(f"x{fingerprint(row[identity])[:DIGITS]}")
    return {owner: sorted(digests)[:MOST_DIGESTS] for owner, digests in known.items()}
