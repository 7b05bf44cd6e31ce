"""The shells of a memory's life."""

from collections.abc import Iterator

import dagster as dg

from memory_assets.lifecycle import policy
from memory_assets.lifecycle.ageing import age_memories, recipe_of
from memory_assets.lifecycle.folding import fold_accesses
from memory_assets.lifecycle.metadata import describe_accesses, describe_states
from memory_assets.model import fingerprint
from memory_assets.runtime.accesses import LOG_MARK, access_log, used_by_agents, users_waiting
from memory_assets.runtime.marks import Step
from memory_assets.runtime.resources import GraphResource, InstallationResource, ModelResource
from memory_assets.runtime.scope import RunScope
from memory_assets.runtime.steps import DAILY, Done, Result, asset_options, work_through

ACCESSES = Step("accesses", lambda models: fingerprint(policy.CODE_VERSION), ("raw_sources",), by_news=True)
STATES = Step(
    "memory_states",
    lambda models: recipe_of(),
    ("extracted_entities", "storylines", "macros"),
    after=("accesses",),
    also=LOG_MARK,
)


@dg.asset(**asset_options(ACCESSES, group="lifecycle", kinds={"neo4j", "sqlite"}, code_version=policy.CODE_VERSION))
def accesses(
    context: dg.AssetExecutionContext,
    scope: RunScope,
    graph: GraphResource,
    models: ModelResource,
    installation: InstallationResource,
) -> Iterator[Result]:
    """Who used which memory: the log of accesses, counted in the graph, each line once.

    Whoever reads appends to the log and writes nothing else. What a memory's frequency, recency and state follow from
    is counted here alone, before anything is retired and before values are made.
    """

    def waiting(owners: list[str]) -> list[str]:
        return users_waiting(graph.open(), installation.settings, owners)

    def fold(user: str) -> Done:
        now = installation.clock.now()
        folded = fold_accesses(graph.open(), access_log(installation.settings, user), user, now)
        by_agent = used_by_agents(installation.settings, user, now)
        return Done(describe_accesses(graph.open(), user, folded, by_agent))

    yield from work_through(context, ACCESSES, scope, graph, models, installation, fold, news=waiting)


@dg.asset(
    **asset_options(
        STATES, group="lifecycle", kinds={"neo4j", "python"}, code_version=policy.CODE_VERSION, freshness=DAILY
    )
)
def memory_states(
    context: dg.AssetExecutionContext,
    scope: RunScope,
    graph: GraphResource,
    models: ModelResource,
    installation: InstallationResource,
) -> Iterator[Result]:
    """What has faded while nobody asked for it, or has expired, is archived; what is said again is back.

    Each memory names the day on which that will be, so that a run reads those whose day has come and those that have
    changed, no others. Nothing is deleted: what is archived stands in no file, and an access brings it back.
    """

    def age(user: str) -> Done:
        opened, now = graph.open(), installation.clock.now()
        aged = age_memories(opened, user, now)
        return Done(describe_states(opened, installation.settings, user, aged, now), changes_at=aged.changes_at)

    yield from work_through(context, STATES, scope, graph, models, installation, age)
