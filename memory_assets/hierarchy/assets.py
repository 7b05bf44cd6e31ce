"""The shells of storylines and macros."""

from collections.abc import Iterator

import dagster as dg

from memory_assets.hierarchy import macros as macro_stage
from memory_assets.hierarchy import policy
from memory_assets.hierarchy import storylines as storyline_stage
from memory_assets.hierarchy.metadata import describe_macros, describe_storylines, read_macros, read_storylines
from memory_assets.hierarchy.stage import Stage, Task
from memory_assets.llm.prompt_files import prompts
from memory_assets.model import fingerprint
from memory_assets.runtime.marks import Step
from memory_assets.runtime.resources import GraphResource, InstallationResource, ModelResource
from memory_assets.runtime.scope import RunScope
from memory_assets.runtime.steps import DAILY, WEEKLY, Done, Result, asset_options, work_through

KINDS = {"neo4j", "openai"}


STORYLINES = Step(
    "storylines",
    lambda models: fingerprint(
        prompts().prompt_hash(storyline_stage.TASK.prompt), *models.names("storylines"), policy.CODE_VERSION
    ),
    ("statement_validity",),
    asks_models=True,
    takes=frozenset({"force"}),
)
MACROS = Step(
    "macros",
    lambda models: fingerprint(
        prompts().prompt_hash(macro_stage.TASK.prompt), *models.names("macros"), policy.CODE_VERSION
    ),
    ("storylines",),
    asks_models=True,
    takes=frozenset({"force"}),
)


@dg.asset(
    **asset_options(STORYLINES, group="hierarchy", kinds=KINDS, code_version=policy.CODE_VERSION, freshness=DAILY)
)
def storylines(
    context: dg.AssetExecutionContext,
    scope: RunScope,
    graph: GraphResource,
    models: ModelResource,
    installation: InstallationResource,
) -> Iterator[Result]:
    """What has been going on with a person, concept or entity: five or more sources on three or more days.

    The sources that mention one of them are split into topics by likeness and by gaps in time. `since` and `until` of a
    run do not apply here: a storyline is made of all sources that belong to it. A run names a hundred at most, the
    oldest first; what is left stays due, and the next run goes on.
    """

    def group(user: str) -> Done:
        stage = _stage(storyline_stage.TASK, user, graph, models, installation)
        counts = storyline_stage.derive_storylines(stage, force=scope.force)
        return Done(
            describe_storylines(counts, *read_storylines(graph.open(), user)),
            stage.problems,
            unasked=stage.left,
            changes_at=stage.changes_at,
            unchanged=bool(counts["users_unchanged"]),
        )

    yield from work_through(context, STORYLINES, scope, graph, models, installation, group)


@dg.asset(**asset_options(MACROS, group="hierarchy", kinds=KINDS, code_version=policy.CODE_VERSION, freshness=WEEKLY))
def macros(
    context: dg.AssetExecutionContext,
    scope: RunScope,
    graph: GraphResource,
    models: ModelResource,
    installation: InstallationResource,
) -> Iterator[Result]:
    """The larger themes: two or more storylines of one person, concept or entity over thirty or more days.

    A run names fifty at most, the oldest first; what is left stays due, and the next run goes on.
    """

    def group(user: str) -> Done:
        stage = _stage(macro_stage.TASK, user, graph, models, installation)
        counts = macro_stage.derive_macros(stage, force=scope.force)
        return Done(describe_macros(counts, *read_macros(graph.open(), user)), stage.problems, unasked=stage.left)

    yield from work_through(context, MACROS, scope, graph, models, installation, group)


def _stage(
    task: Task, user: str, graph: GraphResource, models: ModelResource, installation: InstallationResource
) -> Stage:
    saved = installation.settings.storylines_cache(user)
    return Stage(task, graph.open(), models.language(task.stage), models.embedder(), installation.clock, user, saved)
