"""The shells of descriptions, and of the notes that are left."""

from collections.abc import Iterator

import dagster as dg

from memory_assets.descriptions import policy
from memory_assets.descriptions.cleaning import retire_expired
from memory_assets.descriptions.consolidating import Consolidator
from memory_assets.descriptions.metadata import describe_current_notes, describe_descriptions
from memory_assets.llm.prompt_files import prompts
from memory_assets.llm.tasks import DESCRIBE_SUBJECT
from memory_assets.model import fingerprint
from memory_assets.runtime.marks import Step
from memory_assets.runtime.resources import GraphResource, InstallationResource, ModelResource
from memory_assets.runtime.scope import RunScope
from memory_assets.runtime.steps import DAILY, Done, Result, asset_options, work_through

DESCRIPTIONS = Step(
    "descriptions",
    lambda models: fingerprint(
        prompts().prompt_hash(DESCRIBE_SUBJECT), *models.names("descriptions"), policy.CODE_VERSION
    ),
    ("notes", "statement_validity"),
    after=("accesses",),
    asks_models=True,
    takes=frozenset({"force"}),
)
CURRENT_NOTES = Step("current_notes", lambda models: fingerprint(policy.CODE_VERSION), ("descriptions",))


@dg.asset(
    **asset_options(
        DESCRIPTIONS,
        group="descriptions",
        kinds={"neo4j", "openai"},
        code_version=policy.CODE_VERSION,
        freshness=DAILY,
    )
)
def descriptions(
    context: dg.AssetExecutionContext,
    scope: RunScope,
    graph: GraphResource,
    models: ModelResource,
    installation: InstallationResource,
) -> Iterator[Result]:
    """Who each person and what each concept, entity and relationship is, in one or two sentences.

    Described anew is whoever has other notes than before, or whose description rests on a note that has expired; first
    those that somebody has asked for in the last seven days, then those that have waited longest, so many in a run.
    Each sentence is a note word for word, or cites notes that say what it says.
    """

    def consolidate(user: str) -> Done:
        opened = graph.open()
        language, embedder = models.language("descriptions"), models.embedder()
        consolidator = Consolidator(opened, language, embedder, installation.clock, user, context.log.info)
        counts = consolidator.run(force=scope.force)
        return Done(
            describe_descriptions(opened, user, counts, consolidator.latest, consolidator.refused),
            consolidator.problems,
            unasked=consolidator.left,
            changes_at=consolidator.next_change(),
        )

    yield from work_through(context, DESCRIPTIONS, scope, graph, models, installation, consolidate)


@dg.asset(
    **asset_options(
        CURRENT_NOTES,
        group="descriptions",
        kinds={"neo4j", "python"},
        code_version=policy.CODE_VERSION,
        freshness=DAILY,
    )
)
def current_notes(
    context: dg.AssetExecutionContext,
    scope: RunScope,
    graph: GraphResource,
    models: ModelResource,
    installation: InstallationResource,
) -> Iterator[Result]:
    """The notes that are still of use: those whose week, month or year is over are retired, with an audit.

    What is noted forever stays, and so does a note on which a description rests: it goes when the description is made
    anew.
    """

    def clean(user: str) -> Done:
        opened = graph.open()
        cleaned = retire_expired(opened, user, installation.clock.now())
        return Done(describe_current_notes(opened, user, cleaned), changes_at=cleaned.next_at)

    yield from work_through(context, CURRENT_NOTES, scope, graph, models, installation, clean)
