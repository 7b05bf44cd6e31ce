"""The asset ``installation``: the page that says how it is, from a few queries over all owners.

It is renewed after whatever has run, without a run of its own, and only where it says something else than before.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

import dagster as dg

from memory_assets.automation.overview import CheckFacts, Facts, OwnerFacts, describe
from memory_assets.automation.pipeline import STEPS, what_is_due
from memory_assets.clock import to_iso
from memory_assets.graph.graph import Graph
from memory_assets.llm.opening import open_ledger
from memory_assets.presentation.reports import summarise
from memory_assets.runtime.dagster_internals import (
    DATA_VERSION_IS_USER_PROVIDED_TAG,
    DATA_VERSION_TAG,
    AssetCheckExecutionRecordStatus,
)
from memory_assets.runtime.events import last_materialized, shown
from memory_assets.runtime.owners import known_names
from memory_assets.runtime.partitions import EVERYBODY, partitions_of
from memory_assets.runtime.resources import GraphResource, InstallationResource
from memory_assets.settings import Settings
from memory_assets.sources.seen_files import find_new_files
from memory_assets.sources.source_list import files_set_aside

INSTALLATION = dg.AssetKey("installation")


def read_facts(
    instance: dg.DagsterInstance, graph: Graph, settings: Settings, checks: Iterable[dg.AssetCheckKey]
) -> Facts:
    """How the installation is now, ``checks`` being all that there are."""
    names = sorted(known_names(graph, settings))
    sources: dict[str, dict[str, int]] = {}
    for row in graph.read("automation/count_sources_of_owners", user_ids=names):
        sources.setdefault(row["user_id"], {})[row["status"]] = row["sources"]
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
            OwnerFacts(
                name,
                sources.get(name, {}),
                aside[name],
                len(published.get(name, ())),
                max(published.get(name, [""])),
                due.get(name, ""),
            )
            for name in names
        ],
        checks=_failing(instance, sorted(checks, key=str)),
        calls=total["calls"],
        usd=total["usd"],
        last_run_usd=ledger.last_run_usd(),
        budget_usd=settings.budget_usd,
    )


def tell_installation(
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
    """Where every owner's partition was made one by one, what is made for everybody stands: nothing is missing."""
    for step, spec in STEPS.items():
        keys = set(partitions_of(spec).get_partition_keys(dynamic_partitions_store=instance))
        if len(keys) > 1 and keys - instance.get_materialized_partitions(dg.AssetKey(step)) == {EVERYBODY}:
            description = "Each owner's was made by a run of its own; here they are added up."
            metadata = shown(summarise(step, _last_said(instance, step, keys - {EVERYBODY})))
            event = dg.AssetMaterialization(step, partition=EVERYBODY, description=description, metadata=metadata)
            instance.report_runless_asset_event(event)


def _last_said(instance: dg.DagsterInstance, step: str, names: Iterable[str]) -> dict[str, dict[str, Any]]:
    """The metadata of each owner's latest event, by owner."""
    events = {name: last_materialized(instance, step, name) for name in names}
    made = {name: event.metadata for name, event in events.items() if event}
    return {name: {label: figure.value for label, figure in metadata.items()} for name, metadata in made.items()}


def _failing(instance: dg.DagsterInstance, keys: Sequence[dg.AssetCheckKey]) -> list[CheckFacts]:
    """The checks whose last evaluation has failed, in one query."""
    storage = instance.event_log_storage
    found = []
    for key, record in sorted(storage.get_latest_asset_check_execution_by_key(keys).items(), key=str):
        event = record.event.dagster_event if record.event else None
        if event is None or record.status != AssetCheckExecutionRecordStatus.FAILED:
            continue
        said: dict[str, Any] = {name: value.value for name, value in event.asset_check_evaluation_data.metadata.items()}
        found.append(
            CheckFacts(
                key.asset_key.to_user_string(), key.name, str(said.get("failed_for", "")), said.get("found", 0),
                str(said.get("what_to_do", "")),
            )
        )  # fmt: skip
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
