"""The shell of ``bounded_memory_metrics``."""

from memory_assets.metrics import policy
from memory_assets.metrics.metadata import describe_metrics
from memory_assets.metrics.snapshots import read_history, take_snapshot
from memory_assets.model import fingerprint
from memory_assets.runtime.marks import Step
from memory_assets.runtime.shells import Run, step_asset
from memory_assets.runtime.steps import Done

METRICS = Step(
    "bounded_memory_metrics", lambda models: fingerprint(policy.CODE_VERSION), ("memory_file", "heartbeat_file")
)


@step_asset(METRICS, group="memory_file", kinds={"neo4j", "python"}, code_version=policy.CODE_VERSION)
def bounded_memory_metrics(run: Run, user: str) -> Done:
    """How full a user's bounded files are and what they are made of, with its history.

    How much of each file's limits is used, how many memories are worth how much, how many the graph holds for
    each in the files, and what loading heartbeat tasks only when due saves. A snapshot is stored for each day on
    which these figures have changed.
    """
    opened = run.graph
    now = run.now()
    is_new = take_snapshot(opened, user, now)
    return Done(describe_metrics(read_history(opened, user, now.date()), is_new=is_new))
