"""The shell of note-taking."""

from memory_assets.llm.prompt_files import prompts
from memory_assets.model import fingerprint
from memory_assets.notes import policy
from memory_assets.notes.metadata import describe_notes
from memory_assets.notes.taking import NoteTaker
from memory_assets.runtime.marks import Step
from memory_assets.runtime.shells import Run, step_asset
from memory_assets.runtime.steps import Done

NOTES = Step(
    "notes",
    lambda models: fingerprint(
        *(prompts().prompt_hash(step.task) for step in policy.STEPS), models.names("notes")[0], policy.CODE_VERSION
    ),
    ("extracted_entities",),
    asks_models=True,
    takes=frozenset({"since", "until", "force", "retry"}),
)


@step_asset(NOTES, group="notes", kinds={"neo4j", "openai"}, code_version=policy.CODE_VERSION)
def notes(run: Run, user: str) -> Done:
    """What is worth knowing of each person, concept and entity, for how long, and how they are connected.

    Three steps (people, concepts, entities) read what extraction has stored of each source, and take notes and
    relationships. Each step is made anew where its prompt, the model, the code or the source's extraction has changed.
    """
    taker = NoteTaker(run.graph, run.language, run.clock, user, run.log)
    counts = taker.run(run.scope)
    return Done(describe_notes(run.graph, user, counts, run.now()), taker.problems, taker.failed)
