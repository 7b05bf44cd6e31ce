"""The shell of curation: the cycles that are due, for everybody in one run."""

from collections.abc import Iterable
from functools import partial

from memory_assets.curation import policy
from memory_assets.curation.cadences import Cadence
from memory_assets.curation.cycle import MOST_IN_A_TIER, plan_cycles, run_cycle
from memory_assets.curation.duplicates import list_pairs
from memory_assets.curation.metadata import describe_cycles
from memory_assets.curation.reading import list_due_owners, list_tiers
from memory_assets.curation.stops import check_not_stopped, chosen_mode, why_stopped
from memory_assets.model import fingerprint
from memory_assets.runtime.marks import Step
from memory_assets.runtime.shells import Run, step_asset
from memory_assets.runtime.steps import Done

FIGURES = (repr(policy.CURATION), *(f"{row.kind} {row.state} {row.days} {row.cadence}" for row in policy.TTL))
"""What its decisions follow from beside the memories and the code."""
CURATED = Step(
    "curated_memories",
    lambda models: fingerprint(policy.CODE_VERSION, *FIGURES, *models.names("curated_memories")),
    ("agent_records",),
    after=("accesses",),
    by_news=True,
    for_everybody=True,
    takes=frozenset({"cadences", "dry_run"}),
    asks_models=True,
)


def _cadences(run: Run) -> list[Cadence]:
    return [Cadence(name) for name in run.scope.cadences] or list(Cadence)


def _due(run: Run, owners: list[str]) -> Iterable[str]:
    opened = run.graph
    found = set(owners) & list_due_owners(opened, run.now(), _cadences(run)).keys()
    return {owner for owner in found if why_stopped(opened, owner) is None}


@step_asset(CURATED, group="curation", kinds={"neo4j", "python"}, code_version=policy.CODE_VERSION, news=_due)
def curated_memories(run: Run, user: str) -> Done:
    """What agents record, curated: what has expired goes, tiers stay within their budgets, duplicates are merged.

    In four cadences, each of which reads what is due alone. What a rail protects stays whatever its score or age;
    whatever goes is a tombstone for 30 days, with an audit that brings it back (`memory-assets restore`). With
    `dry_run` in the run's scope nothing is written, and the page shows what the next cycle does.
    """
    opened, now, cadences = run.graph, run.now(), _cadences(run)
    check_not_stopped(opened, user)
    chosen = chosen_mode(opened)
    mode = chosen.name if chosen else None
    language, vectors = run.language, run.settings.duplicates_cache(user)
    if run.scope.dry_run:
        cycles = plan_cycles(opened, user, cadences, now, language=language, vectors=vectors)
    else:
        cycle = partial(run_cycle, opened, user, now=now, language=language, vectors=vectors, mode=mode)
        cycles = [cycle(cadence) for cadence in cadences]
    held = list_tiers(opened, user, MOST_IN_A_TIER)
    shown = describe_cycles(cycles, held, list_pairs(opened, user), now, dry_run=run.scope.dry_run)
    return Done(shown, failed=[problem for cycle in cycles for problem in cycle.problems])
