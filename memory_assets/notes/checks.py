"""Claims about notes that can be false."""

import dagster as dg

from memory_assets.notes.assets import notes
from memory_assets.runtime.judging import TRIED_AGAIN, users_check

notes_stay_with_their_owner = users_check(
    notes,
    "notes_stay_with_their_owner",
    "A user's notes and relationships come from the user's own sources and those of the user's teams, nobody else's.",
    "notes/list_foreign_notes",
    "notes or relationships from sources of somebody else",
    "materialise notes of these users again with force; if it fails again, report it",
)
no_notes_failed = users_check(
    notes,
    "no_notes_failed",
    "Every source that was tried gave its notes. A step that failed is tried again where that can help.",
    "graph/list_failed_notes",
    "sources whose notes could not be taken",
    TRIED_AGAIN,
    dg.AssetCheckSeverity.WARN,
    identity="source_id",
)
