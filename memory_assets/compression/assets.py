"""The shell of ``compressed_contexts``."""

from functools import partial

from memory_assets.compression import policy
from memory_assets.compression.compressing import Compressor
from memory_assets.compression.metadata import describe_contexts
from memory_assets.model import fingerprint
from memory_assets.runtime.accesses import waiting_accesses
from memory_assets.runtime.marks import Step
from memory_assets.runtime.shells import Run, step_asset
from memory_assets.runtime.steps import Done

COMPRESSED = Step(
    "compressed_contexts",
    lambda models: fingerprint(policy.CODE_VERSION),
    ("extracted_entities",),
    takes=frozenset({"force"}),
)


@step_asset(COMPRESSED, group="compression", kinds={"neo4j", "python"}, code_version=policy.CODE_VERSION)
def compressed_contexts(run: Run, user: str) -> Done:
    """Each source that a user has extracted at three levels: in full, as a summary (a tenth), as keywords (three
    hundredths).

    "In full" is a pointer to the source, to which keywords and summary lead back. Made from what processing and
    extraction have found, without another question to a model, and only where that has changed. Keywords that nobody
    has read expire after 45 days: from then on they are not offered any more, and the next run retires them and
    records it. The summary and the source stay.
    """
    now = run.now()
    read_lately = partial(waiting_accesses, run.graph, run.settings, user)
    compressor = Compressor(run.graph, user, now, run.log, read_lately)
    counts = compressor.run(force=run.scope.force)
    return Done(describe_contexts(run.graph, user, now, counts), changes_at=compressor.next_expiry())
