"""The shell of ``compressed_contexts``."""

from collections.abc import Iterator

import dagster as dg

from memory_assets.compression import policy
from memory_assets.compression.compressing import Compressor
from memory_assets.compression.metadata import describe_contexts
from memory_assets.model import fingerprint
from memory_assets.runtime.marks import Step
from memory_assets.runtime.resources import GraphResource, InstallationResource, ModelResource
from memory_assets.runtime.scope import RunScope
from memory_assets.runtime.steps import Done, Result, asset_options, work_through

COMPRESSED = Step(
    "compressed_contexts",
    lambda models: fingerprint(policy.CODE_VERSION),
    ("extracted_entities",),
    takes=frozenset({"force"}),
)


@dg.asset(**asset_options(COMPRESSED, group="compression", kinds={"neo4j", "python"}, code_version=policy.CODE_VERSION))
def compressed_contexts(
    context: dg.AssetExecutionContext,
    scope: RunScope,
    graph: GraphResource,
    models: ModelResource,
    installation: InstallationResource,
) -> Iterator[Result]:
    """Each source that a user has extracted at three levels: in full, as a summary (a tenth), as keywords (three
    hundredths).

    "In full" is a pointer to the source, to which keywords and summary lead back. Made from what processing and
    extraction have found, without another question to a model, and only where that has changed. Keywords that nobody
    has read expire after 45 days: from then on they are not offered any more, and the next run retires them and
    records it. The summary and the source stay.
    """

    def compress(user: str) -> Done:
        now = installation.clock.now()
        compressor = Compressor(graph.open(), user, now, context.log.info)
        counts = compressor.run(force=scope.force)
        return Done(describe_contexts(graph.open(), user, now, counts), changes_at=compressor.next_expiry())

    yield from work_through(context, COMPRESSED, scope, graph, models, installation, compress)
