"""The shell of extraction."""

from memory_assets.entities import policy
from memory_assets.entities.extraction import Extractor
from memory_assets.entities.metadata import describe_extraction, read_extent, read_failures
from memory_assets.entities.naming import resolve
from memory_assets.entities.team_sources import list_unrequested, request_sources
from memory_assets.llm.prompt_files import prompts
from memory_assets.llm.tasks import EXTRACT_ENTITIES, SAME_PERSON
from memory_assets.model import fingerprint
from memory_assets.runtime.accesses import access_log
from memory_assets.runtime.marks import Step
from memory_assets.runtime.shells import Run, step_asset
from memory_assets.runtime.steps import Done

EXTRACTED = Step(
    "extracted_entities",
    lambda models: fingerprint(
        *(prompts().prompt_hash(task) for task in (EXTRACT_ENTITIES, SAME_PERSON)),
        *models.names("extracted_entities"),
        policy.CODE_VERSION,
        resolve.VERSION,
    ),
    ("processed_sources",),
    after=("accesses",),  # retiring asks whether it was accessed
    follows_teams=True,
    asks_models=True,
    takes=frozenset({"since", "until", "force", "retry", "sources", "with_team"}),
)


def _request(run: Run, user: str) -> None:
    if run.scope.with_team:
        request_sources(run.graph, user, list_unrequested(run.graph, user), run.now())


@step_asset(EXTRACTED, group="entities", kinds={"neo4j", "openai"}, code_version=policy.CODE_VERSION, before=_request)
def extracted_entities(run: Run, user: str) -> Done:
    """People, concepts, entities and statements of a user's sources and of the user's teams' sources.

    Asks the model once for every source whose extraction is missing or was made from another text, prompt, model
    or code; one that failed is tried again where that can help, after 1, 4, 16, 64 hours, then every week. A team's
    sources are extracted for the members who have opened them, or asked for all of them, each into the member's
    own graph.
    """
    limit = run.settings.work_limit
    shown = access_log(run.settings, user).shown_lately
    extractor = Extractor(run.graph, run.language, run.embedder, run.clock, user, run.log, limit, shown)
    counts = extractor.run(run.scope)
    described = describe_extraction(counts, read_extent(run.graph, user), read_failures(run.graph, user))
    failed, again = extractor.next_attempt()
    return Done(described, extractor.problems, extractor.failed, failed, extractor.unasked, changes_at=again)
