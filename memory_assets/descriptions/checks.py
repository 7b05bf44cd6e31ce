"""A claim about descriptions that can be false."""

from memory_assets.descriptions.assets import descriptions
from memory_assets.descriptions.reading import unsupported_sentences
from memory_assets.runtime.judging import users_check

descriptions_follow_from_notes = users_check(
    descriptions,
    "descriptions_follow_from_notes",
    "Every sentence of a month's descriptions is a note word for word, or cites notes that say what it says.",
    unsupported_sentences,
    "sentences follow from nothing",
    "materialise descriptions of these users again with force; if it fails again, report it",
    identity="memory_id",
)
