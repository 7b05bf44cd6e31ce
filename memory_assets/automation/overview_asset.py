"""The asset ``installation``: the page that says how it is."""

from collections.abc import Iterable

import dagster as dg

from memory_assets.automation.overview import describe
from memory_assets.automation.overview_facts import confirm_everybody, read_facts
from memory_assets.runtime.materializing import shown
from memory_assets.runtime.resources import GraphResource, InstallationResource


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
