"""The shells of consolidation: the plan, and what is carried out of it."""

from functools import partial

from memory_assets.consolidation import policy
from memory_assets.consolidation.carrying_out import carry_out
from memory_assets.consolidation.metadata import describe_plan, describe_run
from memory_assets.consolidation.planning import Planner
from memory_assets.llm.prompt_files import prompts
from memory_assets.llm.tasks import DRAW_INSIGHTS
from memory_assets.model import fingerprint
from memory_assets.runtime.accesses import waiting_accesses
from memory_assets.runtime.marks import Step
from memory_assets.runtime.shells import Run, step_asset
from memory_assets.runtime.steps import DAILY, Done

PLAN = Step(
    "consolidation_plan",
    lambda models: fingerprint(
        prompts().prompt_hash(DRAW_INSIGHTS), *models.names("consolidation_plan"), policy.CODE_VERSION
    ),
    ("notes",),
    after=("accesses", "memory_states"),
    asks_models=True,
)
CONSOLIDATED = Step(
    "consolidated_memories",
    lambda models: fingerprint(policy.CODE_VERSION),
    ("consolidation_plan",),
    takes=frozenset({"consolidation", "until"}),
)


@step_asset(PLAN, group="consolidation", kinds={"neo4j", "openai"}, code_version=policy.CODE_VERSION, freshness=DAILY)
def consolidation_plan(run: Run, user: str) -> Done:
    """Which sources would become knowledge, by which trigger, what would be noted and archived. Archives nothing.

    Sources that are near in time, share whom or what they name and are alike go together. A run plans 25 clusters at
    most, the oldest first; what is left stays due. What is planned can be read a day before it is carried out.
    """
    language, embedder = run.language, run.embedder.name
    planned = Planner(run.graph, language, embedder, run.clock, user).plan()
    shown = describe_plan(planned)
    return Done(shown, planned.problems, unasked=planned.left, changes_at=planned.changes_at)


@step_asset(CONSOLIDATED, group="consolidation", kinds={"neo4j", "python"}, code_version=policy.CODE_VERSION)
def consolidated_memories(run: Run, user: str) -> Done:
    """What was planned on an earlier day, carried out: insights are noted with their evidence, their sources archived.

    The first run for somebody is a dry run, therefore. With `MEMORY_ASSETS_CONSOLIDATE=false` all are, until somebody
    asks: `consolidation` of the run's scope is `all` then. An access, or `memory-assets undo`, brings back what was
    archived.
    """
    by_itself = run.settings.consolidate
    which = {"plan": "none", "all": "all"}.get(run.scope.consolidation, "read" if by_itself else "none")
    now = run.now()
    read_lately = partial(waiting_accesses, run.graph, run.settings, user)
    done = carry_out(run.graph, user, now, which=which, before=run.scope.bounds()[1], read_lately=read_lately)
    shown = describe_run(done, dry=not by_itself)
    return Done(shown, unasked=done.left, changes_at=done.changes_at(now, by_itself=by_itself))
