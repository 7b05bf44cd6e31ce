"""The pipeline: every step in the order of the story, as its room declares it, and what of it is due for whom."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from memory_assets.compression.assets import COMPRESSED
from memory_assets.consolidation.assets import CONSOLIDATED, PLAN
from memory_assets.curation.assets import CURATED
from memory_assets.descriptions.assets import CURRENT_NOTES, DESCRIPTIONS
from memory_assets.entities.assets import EXTRACTED
from memory_assets.graph.graph import Graph
from memory_assets.heartbeat.assets import HEARTBEAT
from memory_assets.heartbeat.heartbeat_file import changed_heartbeats
from memory_assets.hierarchy.assets import MACROS, STORYLINES
from memory_assets.lifecycle.assets import ACCESSES, STATES
from memory_assets.llm.opening import open_models
from memory_assets.memory_file.assets import DRAFT, PUBLISHED
from memory_assets.memory_file.drafts import changed_files
from memory_assets.metrics.assets import METRICS
from memory_assets.notes.assets import NOTES
from memory_assets.recall.assets import RECALL_INDEX
from memory_assets.records.assets import RECORDS
from memory_assets.runtime.accesses import users_waiting
from memory_assets.runtime.chain import read_chain, recipes_of
from memory_assets.runtime.marks import Step, due_steps
from memory_assets.settings import Settings
from memory_assets.sources.assets import PROCESSED, RAW
from memory_assets.validity.assets import VALIDITY
from memory_assets.values.assets import VALUES

STEPS: dict[str, Step] = {
    step.name: step
    for step in (
        *(RAW, PROCESSED, RECALL_INDEX, ACCESSES, RECORDS, EXTRACTED, VALIDITY, NOTES, DESCRIPTIONS, CURRENT_NOTES),
        *(COMPRESSED, STORYLINES, MACROS, STATES, PLAN, CONSOLIDATED, CURATED),
        *(VALUES, DRAFT, PUBLISHED, HEARTBEAT, METRICS),
    )
}


def what_is_due(
    graph: Graph, settings: Settings, owners: Sequence[str], steps: Iterable[str] = tuple(STEPS)
) -> dict[str, str]:
    """In a few words, what a run of ``steps`` would do, for each owner for whom it would do something.

    A published file that somebody changed is due too, and so are accesses that are not counted yet; new files in an
    inbox are not looked for.
    """
    chain = read_chain(graph, STEPS, recipes_of(STEPS, open_models(settings)), owners, settings.clock.now())
    wanted = tuple(steps)
    reasons = {}
    for owner in owners:
        if due := due_steps(chain, owner, wanted):
            reasons[owner] = f"{due[0]} is due: {chain.reason(owner, due[0])}."
    if ACCESSES.name in wanted:
        for user in users_waiting(graph, settings, owners):
            reasons.setdefault(user, "accesses are to be counted.")
    if PUBLISHED.name in wanted:
        for user, paths in changed_files(graph, owners).items():
            which = "its MEMORY.md" if paths == [settings.memory_file(user)] else ", ".join(map(str, paths))
            reasons.setdefault(user, f"{which} has been changed or removed by somebody.")
    if HEARTBEAT.name in wanted:
        for user, paths in changed_heartbeats(graph, owners).items():
            reasons.setdefault(user, f"{', '.join(map(str, paths))} has been changed or removed by somebody.")
    return reasons
