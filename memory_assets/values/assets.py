"""The shell of ``value_classifications``."""

from memory_assets.model import fingerprint
from memory_assets.runtime.accesses import LOG_MARK
from memory_assets.runtime.marks import Step
from memory_assets.runtime.shells import Run, step_asset
from memory_assets.runtime.steps import Done
from memory_assets.values import policy
from memory_assets.values.classify import classify_memories
from memory_assets.values.metadata import describe_values

VALUES = Step(
    "value_classifications",
    lambda models: fingerprint(policy.CODE_VERSION),
    ("statement_validity", "storylines", "macros", "memory_states", "consolidated_memories"),
    after=("accesses",),
    also=LOG_MARK,
    takes=frozenset({"force"}),
)


@step_asset(VALUES, group="values", kinds={"neo4j", "python"}, code_version=policy.CODE_VERSION)
def value_classifications(run: Run, user: str) -> Done:
    """How much each memory that a user may read is worth: five weighted signals and a retention tier.

    Retention 25 %, frequency 25 %, uniqueness 20 %, confidence 15 %, recency 15 %. A team's sources are valued for
    each of its members separately.
    """
    saved = run.settings.values_cache(user)
    report = classify_memories(run.graph, user, run.now(), force=run.scope.force, saved=saved)
    return Done(describe_values(report), changes_at=report["changes_at"])
