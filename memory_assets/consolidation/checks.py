"""Claims about consolidation that can be false."""

from memory_assets.consolidation.assets import consolidated_memories
from memory_assets.runtime.judging import users_check

every_insight_has_its_sources = users_check(
    consolidated_memories,
    "every_insight_has_its_sources",
    "Every insight is taken from sources of its owner's and rests on what they state, archived or not.",
    "consolidation/list_unevidenced",
    "insights without a source or a statement",
    "take these consolidations back (`memory-assets undo`); if it happens again, report it",
)
