"""The shells of descriptions, and of the notes that are left."""

from memory_assets.descriptions import policy
from memory_assets.descriptions.cleaning import retire_expired
from memory_assets.descriptions.consolidating import Consolidator
from memory_assets.descriptions.metadata import describe_current_notes, describe_descriptions
from memory_assets.graph.owners import INSIGHTS_MARK
from memory_assets.llm.prompt_files import prompts
from memory_assets.llm.tasks import DESCRIBE_SUBJECT
from memory_assets.model import fingerprint
from memory_assets.runtime.marks import Step
from memory_assets.runtime.shells import Run, step_asset
from memory_assets.runtime.steps import DAILY, Done

DESCRIPTIONS = Step(
    "descriptions",
    lambda models: fingerprint(
        prompts().prompt_hash(DESCRIBE_SUBJECT), *models.names("descriptions"), policy.CODE_VERSION
    ),
    ("notes", "statement_validity"),
    after=("accesses",),
    also=INSIGHTS_MARK,
    asks_models=True,
    takes=frozenset({"force"}),
)
CURRENT_NOTES = Step("current_notes", lambda models: fingerprint(policy.CODE_VERSION), ("descriptions",))


@step_asset(
    DESCRIPTIONS, group="descriptions", kinds={"neo4j", "openai"}, code_version=policy.CODE_VERSION, freshness=DAILY
)
def descriptions(run: Run, user: str) -> Done:
    """Who each person and what each concept, entity and relationship is, in one or two sentences.

    Described anew are those with other notes than before, and those whose description rests on an expired note; first
    those that somebody has asked for in the last seven days, then those that have waited longest, so many in a run.
    Where nothing of what holds can be told, what was known last is, until something newer is noted.
    Each sentence is a note word for word, or cites notes that say what it says.
    """
    opened = run.graph
    language, embedder = run.language, run.embedder
    consolidator = Consolidator(opened, language, embedder, run.clock, user, run.log)
    counts = consolidator.run(force=run.scope.force)
    return Done(
        describe_descriptions(opened, user, counts, consolidator.latest, consolidator.refused),
        consolidator.problems,
        unasked=consolidator.left,
        changes_at=consolidator.next_change(),
    )


@step_asset(
    CURRENT_NOTES, group="descriptions", kinds={"neo4j", "python"}, code_version=policy.CODE_VERSION, freshness=DAILY
)
def current_notes(run: Run, user: str) -> Done:
    """The notes that are still of use: those whose week, month or year is over are retired, with an audit.

    What is noted forever stays, and so does a note on which a description rests, as what was known last, until it rests
    on others.
    """
    opened = run.graph
    cleaned = retire_expired(opened, user, run.now())
    return Done(describe_current_notes(cleaned), changes_at=cleaned.next_at)
