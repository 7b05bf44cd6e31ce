"""Claims about storylines and macros that can be false."""

from memory_assets.hierarchy.assets import macros, storylines
from memory_assets.hierarchy.reading import MOST_JUDGED, unsupported_macros, unsupported_storylines
from memory_assets.hierarchy.stories import RULES
from memory_assets.hierarchy.themes import MACRO_RULES
from memory_assets.runtime.judging import users_check

REMEDY = "materialise storylines and macros of these users again with force; if it fails again, report it"

storylines_meet_the_counters = users_check(
    storylines,
    "storylines_meet_the_counters",
    "Every storyline includes five or more sources on three or more distinct days.",
    "hierarchy/list_weak_storylines",
    "storylines of too few sources or days",
    REMEDY,
    blocking=True,
    params={"least_sources": RULES.least_sources, "least_days": RULES.least_days},
)
macros_meet_the_counters = users_check(
    macros,
    "macros_meet_the_counters",
    "Every macro groups two or more storylines over thirty or more days.",
    "hierarchy/list_weak_macros",
    "macros of too few storylines or days",
    REMEDY,
    blocking=True,
    params={"least_storylines": MACRO_RULES.least_storylines, "least_days": MACRO_RULES.least_span.days},
)
storylines_follow_from_statements = users_check(
    storylines,
    "storylines_follow_from_statements",
    f"Every sentence of a month's last {MOST_JUDGED} storylines is a statement word for word, "
    "or cites statements that say what it says.",
    unsupported_storylines,
    "sentences follow from nothing",
    REMEDY,
    identity="memory_id",
)
macros_follow_from_statements = users_check(
    macros,
    "macros_follow_from_statements",
    f"Every sentence of a month's last {MOST_JUDGED} macros is a statement word for word, "
    "or cites statements that say what it says.",
    unsupported_macros,
    "sentences follow from nothing",
    REMEDY,
    identity="memory_id",
)
