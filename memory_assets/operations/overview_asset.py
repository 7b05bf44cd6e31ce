"""The asset ``installation``: the page that says how it is."""

import dagster as dg

from memory_assets.operations.materializing import shown
from memory_assets.operations.overview import describe
from memory_assets.operations.overview_facts import confirm_everybody, read_facts
from memory_assets.resources import GraphResource, InstallationResource


@dg.asset(group_name="installation", owners=["team:memory"], kinds={"neo4j", "python"})
def installation(
    context: dg.AssetExecutionContext, graph: GraphResource, installation: InstallationResource
) -> dg.MaterializeResult:
    """How it is: users and teams, how far their sources and files are, what is in the way, what the models have cost.

    Renewed after every run that has changed something, without a run of its own; materialize it to see it now.
    """
    confirm_everybody(context.instance)
    facts = read_facts(context.instance, graph.open(), installation.settings)
    return dg.MaterializeResult(metadata=shown(describe(facts)), data_version=dg.DataVersion(facts.state()))
