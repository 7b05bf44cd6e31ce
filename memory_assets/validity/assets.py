"""The shell of ``statement_validity``."""

from memory_assets.runtime.marks import Step
from memory_assets.runtime.shells import Run, step_asset
from memory_assets.runtime.steps import Done
from memory_assets.validity import policy
from memory_assets.validity.asking import asker_of, recipe_of
from memory_assets.validity.judging import judge_statements
from memory_assets.validity.metadata import describe_validity
from memory_assets.validity.noticing import forget_judged

VALIDITY = Step("statement_validity", recipe_of, ("extracted_entities",), asks_models=True, takes=frozenset({"force"}))


@step_asset(VALIDITY, group="validity", kinds={"neo4j", "python"}, code_version=policy.CODE_VERSION)
def statement_validity(run: Run, user: str) -> Done:
    """What of all that was said still holds: which statements later ones supersede, close or contradict.

    Each new statement is compared with the few others that it may bear on. A change that its words say supersedes; one
    that only likeness suggests leaves the earlier statement perhaps outdated, and both are shown. Where a service's
    model is to judge pairs, it is asked about each.
    """
    opened, asked = run.graph, run.models.opened()
    now, index = run.now(), run.settings.validity_index(user)
    asker = asker_of(asked, opened, user)
    judged = judge_statements(opened, user, now, index, recipe_of(asked), force=run.scope.force, asker=asker)
    forget_judged(opened, user, run.settings.unjudged_index(user))
    left = [f"{judged.left} pairs"] if judged.left else []
    return Done(describe_validity(opened, user, judged), unasked=left, notes=judged.problems)
