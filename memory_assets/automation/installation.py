"""The asset ``installation``: the page that says how it is, from a few queries over all owners.

It is renewed after whatever has run, without a run of its own, and only where it says something else than before.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

import dagster as dg

from memory_assets.automation.pipeline import STEPS, what_is_due
from memory_assets.clock import to_iso
from memory_assets.graph.graph import Graph
from memory_assets.llm.opening import open_ledger
from memory_assets.model import fingerprint, is_team
from memory_assets.presentation.reports import IN_PLACE, markdown_table, summarise
from memory_assets.runtime.dagster_internals import (
    DATA_VERSION_IS_USER_PROVIDED_TAG,
    DATA_VERSION_TAG,
    AssetCheckExecutionRecordStatus,
)
from memory_assets.runtime.events import last_materialized, shown
from memory_assets.runtime.held_up import HELD_UP_CHECK
from memory_assets.runtime.owners import known_names
from memory_assets.runtime.partitions import EVERYBODY, partitions_of
from memory_assets.runtime.resources import GraphResource, InstallationResource
from memory_assets.settings import Settings
from memory_assets.sources.seen_files import find_new_files
from memory_assets.sources.source_list import files_set_aside

WELL = "All is well: every file is up to date, and nothing is in the way."
NOTHING = "nothing"
DESCRIBED, EXPECTED_USD = "descriptions", 9.60
"""The asset that 004 estimates, and what a month of its nights costs for 1,000 users (Nightly Consolidation Cost
Estimates).
"""
MONTH = timedelta(days=30)
EDIT_CHECKS = ("edits_are_taken_in", "task_edits_are_taken_in")
"""The checks that find edits which wait for a decision."""

Row = Mapping[str, Any]


@dataclass(frozen=True)
class Facts:
    """An installation at one moment, in counts: nothing of a memory's content. ``sources`` are by how far they have
    come; each owner is a row as :func:`owner_row` makes it, each check that its last evaluation found failing one of
    ``asset``, ``check``, ``failed_for``, ``found`` and ``what_to_do``.
    """

    owners: Sequence[Row] = ()
    checks: Sequence[Row] = ()
    sources: Mapping[str, int] = field(default_factory=dict)
    calls: int = 0
    usd: float = 0.0
    last_run_usd: float = 0.0
    budget_usd: float | None = None
    """What a run may spend."""
    spent: Sequence[Row] = ()
    """What services have cost in the last 30 days: ``day``, ``asset``, ``usd``."""

    def state(self) -> str:
        """A digest: another one when anything of it is."""
        return fingerprint(repr(self))


def owner_row(
    owner: str, sources: int = 0, set_aside: int = 0, files: int = 0, published_at: str = "", due: str = ""
) -> Row:
    """An owner on the page. ``set_aside``: files that gave no source; ``due``: why there is something to do."""
    row = {"owner": owner, "sources": sources, "set aside": set_aside, "published files": files}
    return row | {"last published (UTC)": published_at[:16].replace("T", " "), "to do": due or NOTHING}


def describe(facts: Facts) -> dict[str, Any]:
    """The page: counts, a table of owners, what is in the way and what to do about it."""
    owners, checks = facts.owners, facts.checks
    behind = sum(one["to do"] != NOTHING for one in owners)
    aside = sum(one["set aside"] for one in owners)
    by_state = [{"state": state, "sources": number} for state, number in sorted(facts.sources.items())]
    held_up = {name for one in checks if one["check"] == HELD_UP_CHECK for name in one["failed_for"].split(", ")} - {""}
    limit = "no limit is set" if facts.budget_usd is None else f"a run may spend {facts.budget_usd:g}"
    return {
        "how_is_it": _sentence(facts, behind, aside),
        "users": sum(not is_team(one["owner"]) for one in owners),
        "teams": sum(is_team(one["owner"]) for one in owners),
        "sources": sum(facts.sources.values()),
        "sources_by_state": markdown_table(["state", "sources"], by_state),
        "files_set_aside": aside,
        "published_files": sum(one["published files"] for one in owners),
        "owners_with_something_to_do": behind,
        "owners_held_up": ", ".join(sorted(held_up)) or "nobody",
        "open_edits": sum(one["found"] for one in checks if one["check"] in EDIT_CHECKS),
        "failing_checks": len(checks),
        "in_the_way": markdown_table(list(checks[0]), checks, fit=IN_PLACE) if checks else NOTHING,
        "by_owner": markdown_table(list(owner_row("")), owners, fit=IN_PLACE),
        "model_calls": facts.calls,
        "cost_so_far_usd": round(facts.usd, 4),
        "budget": f"{facts.last_run_usd:.4f} USD by the last run that asked a model; {limit}",
        **_spent(facts),
    }


def _spent(facts: Facts) -> dict[str, Any]:
    """What services have cost by night and by asset, and what the nights of a thousand such users would cost; nothing
    where nothing was paid.
    """
    total = sum(row["usd"] for row in facts.spent)
    if not total:
        return {}
    by_day, by_asset, by_night = Counter[str](), Counter[str](), Counter[str]()
    for row in facts.spent:
        by_day[row["day"]] += row["usd"]
        by_asset[row["asset"]] += row["usd"]
        by_night[row["day"]] += row["usd"] * (row["asset"] == DESCRIBED)
    users = max(1, sum(not is_team(one["owner"]) for one in facts.owners))
    days = [
        {"day": day, "USD": round(usd, 4), DESCRIBED: round(by_night[day], 4)}
        for day, usd in sorted(by_day.items(), reverse=True)
    ]
    assets = [{"asset": asset, "USD": round(usd, 4)} for asset, usd in by_asset.most_common()]
    nights = by_night.total()
    return {
        "cost_of_30_days": f"{total:.4f} USD for {users} users, {nights:.4f} of it for {DESCRIBED}: "
        f"{1_000 * nights / users:.2f} USD a month for 1,000 such users, where {EXPECTED_USD:.2f} are expected",
        "cost_by_day": markdown_table(["day", "USD", DESCRIBED], days),
        "cost_by_asset": markdown_table(["asset", "USD"], assets),
    }


def _sentence(facts: Facts, behind: int, aside: int) -> str:
    if not facts.owners:
        return "Nobody is here yet: `memory-assets ingest PATH --user NAME`, or files in inbox/NAME."
    found = [
        (behind, "owner", "with something to do"),
        (len(facts.checks), "check", "failing"),
        (aside, "file", "set aside (`memory-assets sources` says why)"),
    ]
    return ", ".join(f"{number} {what}{'s' * (number != 1)} {how}" for number, what, how in found if number) or WELL


INSTALLATION = dg.AssetKey("installation")


def read_facts(
    instance: dg.DagsterInstance, graph: Graph, settings: Settings, checks: Iterable[dg.AssetCheckKey]
) -> Facts:
    """How the installation is now, ``checks`` being all that there are."""
    names = sorted(known_names(graph, settings))
    by_owner, by_state = Counter[str](), Counter[str]()
    for row in graph.read("automation/count_sources_of_owners", user_ids=names):
        by_owner[row["user_id"]] += row["sources"]
        by_state[row["status"]] += row["sources"]
    published: dict[str, list[str]] = {}
    for row in graph.read("memory_file/list_published", user_ids=names):
        published.setdefault(row["user_id"], []).append(to_iso(row["published_at"]) or "")
    aside = Counter(line["owner"] for line in files_set_aside(graph, names))
    due = dict.fromkeys(find_new_files(graph, settings, names), "There are new files in the inbox.")
    due |= what_is_due(graph, settings, names)
    ledger = open_ledger(settings)
    total = ledger.summary(())
    return Facts(
        owners=[
            owner_row(name, by_owner[name], aside[name], len(files), max(files, default=""), due.get(name, ""))
            for name in names
            for files in [published.get(name, [])]
        ],
        sources=by_state,
        checks=_failing(instance, sorted(checks, key=str)),
        calls=total["calls"],
        usd=total["usd"],
        last_run_usd=ledger.last_run_usd(),
        budget_usd=settings.budget_usd,
        spent=[row for row in ledger.summary(("day", "asset"), since=settings.clock.now() - MONTH)["by"] if row["usd"]],
    )


def report_installation(
    instance: dg.DagsterInstance, graph: Graph, settings: Settings, checks: Iterable[dg.AssetCheckKey]
) -> bool:
    """Renew the installation's page where it says something else than before; whether it did."""
    confirm_everybody(instance)
    facts = read_facts(instance, graph, settings, checks)
    last = instance.get_latest_materialization_event(INSTALLATION)
    before = last.asset_materialization if last else None
    if before and before.tags and before.tags.get(DATA_VERSION_TAG) == facts.state():
        return False
    tags = {DATA_VERSION_TAG: facts.state(), DATA_VERSION_IS_USER_PROVIDED_TAG: "true"}
    event = dg.AssetMaterialization(INSTALLATION, metadata=shown(describe(facts)), tags=tags)
    instance.report_runless_asset_event(event)
    return True


def confirm_everybody(instance: dg.DagsterInstance) -> None:
    """Report a step as made for everybody where every owner's own partition of it was made: nothing is missing."""
    for step, spec in STEPS.items():
        keys = set(partitions_of(spec).get_partition_keys(dynamic_partitions_store=instance))
        if len(keys) > 1 and keys - instance.get_materialized_partitions(dg.AssetKey(step)) == {EVERYBODY}:
            description = "Each owner's was made by a run of its own; here they are added up."
            last = {name: last_materialized(instance, step, name) for name in keys - {EVERYBODY}}
            said = {
                name: {label: figure.value for label, figure in made.metadata.items()}
                for name, made in last.items()
                if made
            }
            metadata = shown(summarise(said))
            event = dg.AssetMaterialization(step, partition=EVERYBODY, description=description, metadata=metadata)
            instance.report_runless_asset_event(event)


def _failing(instance: dg.DagsterInstance, keys: Sequence[dg.AssetCheckKey]) -> list[dict[str, Any]]:
    """The checks whose last evaluation has failed, in one query."""
    storage = instance.event_log_storage
    found = []
    for key, record in sorted(storage.get_latest_asset_check_execution_by_key(keys).items(), key=str):
        event = record.event.dagster_event if record.event else None
        if event is None or record.status != AssetCheckExecutionRecordStatus.FAILED:
            continue
        said: dict[str, Any] = {name: value.value for name, value in event.asset_check_evaluation_data.metadata.items()}
        texts = {name: str(said.get(name, "")) for name in ("failed_for", "what_to_do")}
        check = {"asset": key.asset_key.to_user_string(), "check": key.name, "failed_for": texts["failed_for"]}
        found.append(check | {"found": said.get("found", 0), "what_to_do": texts["what_to_do"]})
    return found


def checks_of(context: dg.AssetExecutionContext | dg.SensorEvaluationContext) -> Iterable[dg.AssetCheckKey]:
    """Every check of this code location."""
    assert context.repository_def is not None  # within a code location there is one
    return context.repository_def.asset_graph.asset_check_keys


@dg.asset(group_name="installation", owners=["team:memory"], kinds={"neo4j", "python"})
def installation(
    context: dg.AssetExecutionContext, graph: GraphResource, installation: InstallationResource
) -> dg.MaterializeResult:
    """How it is: users and teams, how far their sources and files are, what is in the way, what the models have cost.

    Renewed after every run that has changed something, without a run of its own; materialize it to see it now.
    """
    confirm_everybody(context.instance)
    facts = read_facts(context.instance, graph.open(), installation.settings, checks_of(context))
    return dg.MaterializeResult(metadata=shown(describe(facts)), data_version=dg.DataVersion(facts.state()))
