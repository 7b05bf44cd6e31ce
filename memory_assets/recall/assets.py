"""The shell of ``recall_index``."""

from memory_assets.clock import to_iso
from memory_assets.graph.owners import readable_owners
from memory_assets.model import fingerprint
from memory_assets.recall import index
from memory_assets.recall.search import bring_up_to_date, opened
from memory_assets.runtime.marks import Step
from memory_assets.runtime.shells import Run, step_asset
from memory_assets.runtime.steps import Done

RECALL_INDEX = Step("recall_index", lambda models: fingerprint(index.RECIPE), ("processed_sources",))
"""What a team's sources bring is indexed by the next question of a member, or with the member's own."""


@step_asset(RECALL_INDEX, group="recall", kinds={"tantivy", "python"}, code_version=index.RECIPE)
def recall_index(run: Run, user: str) -> Done:
    """The words and vectors of all that a user may read, in files beside the graph, by which ``recall`` finds it.

    Only what has changed is indexed anew, by a run or by the next question, whichever comes first. The files follow
    from the graph and can be removed at any time.
    """
    passages = opened(run.settings.home, user)
    changed = bring_up_to_date(run.graph, passages, readable_owners(run.graph, user))
    size, changed_at = passages.size(), passages.changed_at()
    passages.close()
    shown = {"sources": size["sources"], "passages": size["passages"], "megabytes": round(size["bytes"] / 1e6, 2)}
    now = to_iso(run.settings.clock.now()) or ""
    return Done({**shown, "indexed": changed, "up_to_date_at": now, "last_changed_at": to_iso(changed_at) or "never"})
