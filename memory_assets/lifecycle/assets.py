"""The shells of a memory's life."""

from memory_assets.lifecycle import policy
from memory_assets.lifecycle.ageing import age_memories, recipe_of
from memory_assets.lifecycle.folding import fold_accesses, recount
from memory_assets.lifecycle.metadata import describe_accesses, describe_states
from memory_assets.model import fingerprint
from memory_assets.runtime.accesses import LOG_MARK, access_log, used_by_agents, users_waiting
from memory_assets.runtime.marks import Step
from memory_assets.runtime.shells import Run, step_asset
from memory_assets.runtime.steps import DAILY, Done

ACCESSES = Step("accesses", lambda models: fingerprint(policy.CODE_VERSION), ("raw_sources",), by_news=True)
STATES = Step(
    "memory_states",
    lambda models: recipe_of(),
    ("extracted_entities", "storylines", "macros"),
    after=("accesses",),
    also=LOG_MARK,
)


@step_asset(
    ACCESSES,
    group="lifecycle",
    kinds={"neo4j", "sqlite"},
    code_version=policy.CODE_VERSION,
    news=lambda run, owners: users_waiting(run.graph, run.settings, owners),
)
def accesses(run: Run, user: str) -> Done:
    """Who used which memory: the log of accesses, counted in the graph, each line once.

    Whoever reads appends to the log and writes nothing else. What a memory's frequency, recency and state follow from
    is counted here alone, before anything is retired and before values are made.
    """
    now = run.now()
    folded = fold_accesses(run.graph, access_log(run.settings, user), user, now)
    by_agent = used_by_agents(run.settings, user, now)
    return Done(describe_accesses(run.graph, user, folded, by_agent))


@step_asset(STATES, group="lifecycle", kinds={"neo4j", "python"}, code_version=policy.CODE_VERSION, freshness=DAILY)
def memory_states(run: Run, user: str) -> Done:
    """What has faded while nobody asked for it, or has expired, is archived; what is said again is back.

    Each memory names the day on which that will be, so that a run reads those whose day has come and those that have
    changed, no others. Nothing is deleted: what is archived is in no file, and an access brings it back.
    """
    opened, now = run.graph, run.now()
    recount(opened, access_log(run.settings, user), user, now)
    aged = age_memories(opened, user, now)
    return Done(describe_states(opened, run.settings, user, aged, now), changes_at=aged.changes_at)
