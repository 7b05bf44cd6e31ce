"""The shells of storylines and macros."""

from functools import partial

from memory_assets.hierarchy import macros as macro_stage
from memory_assets.hierarchy import policy
from memory_assets.hierarchy import storylines as storyline_stage
from memory_assets.hierarchy.metadata import (
    describe_macros,
    describe_storylines,
    read_macros,
    read_made,
    read_storylines,
)
from memory_assets.hierarchy.stage import Stage, Task
from memory_assets.llm.prompt_files import prompts
from memory_assets.model import fingerprint
from memory_assets.runtime.accesses import waiting_accesses
from memory_assets.runtime.marks import Step
from memory_assets.runtime.shells import Run, step_asset
from memory_assets.runtime.steps import DAILY, WEEKLY, Done

KINDS = {"neo4j", "openai"}


STORYLINES = Step(
    "storylines",
    lambda models: fingerprint(
        prompts().prompt_hash(storyline_stage.TASK.prompt), *models.names("storylines"), policy.CODE_VERSION
    ),
    ("statement_validity",),
    asks_models=True,
    takes=frozenset({"force", "naming"}),
)
MACROS = Step(
    "macros",
    lambda models: fingerprint(
        prompts().prompt_hash(macro_stage.TASK.prompt), *models.names("macros"), policy.CODE_VERSION
    ),
    ("storylines",),
    asks_models=True,
    takes=frozenset({"force", "naming"}),
)


@step_asset(STORYLINES, group="hierarchy", kinds=KINDS, code_version=policy.CODE_VERSION, freshness=DAILY)
def storylines(run: Run, user: str) -> Done:
    """What has been going on with a person, concept or entity: five or more sources on three or more days.

    What sources state of one of them is split into matters by likeness, with the names of things and without, and by
    gaps in time. `since` and `until` of a run do not apply here: a storyline is made of all sources that belong to it.
    A run makes a hundred new ones at most, and a hundred anew that have changed, first those that have been due
    longest; what is left stays due, and the next run goes on.
    """
    stage = _stage(storyline_stage.TASK, run, user)
    counts = storyline_stage.derive_storylines(stage, force=run.scope.force)
    made = read_made(run.graph, user, stage.written, stage.now)
    shown, is_same = (
        describe_storylines(counts, *read_storylines(run.graph, user), made),
        bool(counts["users_unchanged"]),
    )
    return Done(shown, stage.problems, unasked=stage.left, changes_at=stage.changes_at, unchanged=is_same)


@step_asset(MACROS, group="hierarchy", kinds=KINDS, code_version=policy.CODE_VERSION, freshness=WEEKLY)
def macros(run: Run, user: str) -> Done:
    """The larger themes: two or more storylines of one person, concept or entity over thirty or more days.

    A run makes fifty new ones at most, and fifty anew that have changed, first those that have been due longest; what
    is left stays due, and the next run goes on.
    """
    stage = _stage(macro_stage.TASK, run, user)
    counts = macro_stage.derive_macros(stage, force=run.scope.force)
    made = read_made(run.graph, user, stage.written, stage.now)
    shown = describe_macros(counts, *read_macros(run.graph, user), made)
    return Done(shown, stage.problems, unasked=stage.left)


def _stage(task: Task, run: Run, user: str) -> Stage:
    saved, read_lately = run.settings.storylines_cache(user), partial(waiting_accesses, run.graph, run.settings, user)
    models = run.language, run.embedder
    return Stage(task, run.graph, *models, run.clock, user, saved, run.scope.naming, read_lately)
