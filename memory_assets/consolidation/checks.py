"""Claims about consolidation that can be false."""

from memory_assets.consolidation.assets import consolidated_memories
from memory_assets.consolidation.reading import MOST_JUDGED, unsupported_insights
from memory_assets.runtime.judging import users_check

MOST_CHECKED = 100
"""So many consolidations are checked: whatever takes a source or a statement from one has it looked at anew, so that
those looked at before them have lost nothing since.
"""
REMEDY = "take these consolidations back (`memory-assets undo`); if it happens again, report it"

every_insight_has_its_sources = users_check(
    consolidated_memories,
    "every_insight_has_its_sources",
    f"Every insight of the {MOST_CHECKED} consolidations that a run looked at last is taken from sources of its "
    "owner's and rests on what they state, archived or not.",
    "consolidation/list_unevidenced",
    "insights without a source or a statement",
    REMEDY,
    params={"most": MOST_CHECKED},
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
