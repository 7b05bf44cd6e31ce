"""Claims about consolidation that can be false."""

from memory_assets.consolidation.assets import consolidated_memories
from memory_assets.consolidation.reading import MOST_JUDGED, unsupported_insights
from memory_assets.runtime.judging import users_check

REMEDY = "take these consolidations back (`memory-assets undo`); if it happens again, report it"

every_insight_has_its_sources = users_check(
    consolidated_memories,
    "every_insight_has_its_sources",
    "Every insight is taken from sources of its owner's and rests on what they state, archived or not.",
    "consolidation/list_unevidenced",
    "insights without a source or a statement",
    REMEDY,
)
insights_follow_from_statements = users_check(
    consolidated_memories,
    "insights_follow_from_statements",
    f"Every insight of a month's last {MOST_JUDGED} consolidations is a statement that it rests on, word for word, "
    "or says what these say.",
    unsupported_insights,
    "insights follow from nothing",
    REMEDY,
    identity="memory_id",
)
