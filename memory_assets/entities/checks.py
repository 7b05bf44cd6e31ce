"""Claims about extraction that can be false."""

import dagster as dg

from memory_assets.entities.assets import extracted_entities
from memory_assets.entities.metadata import read_failures
from memory_assets.runtime.judging import TRIED_AGAIN, users_check

REMEDY = "materialise extracted_entities of these users again with force; if it fails again, report it"

every_statement_has_a_source = users_check(
    extracted_entities,
    "every_statement_has_a_source",
    "Every statement, person, concept and entity has a source that supports it. One that somebody recalled, or wants "
    "to have forever, may outlive its sources; it is in no file.",
    "entities/list_unsupported_memories",
    "memories that no source supports",
    REMEDY,
    blocking=True,
)
memories_stay_with_their_owner = users_check(
    extracted_entities,
    "memories_stay_with_their_owner",
    "A user's memories come from the user's own sources and those of the user's teams, nobody else's.",
    "entities/list_foreign_links",
    "memories from sources of somebody else",
    REMEDY,
    blocking=True,
)
no_extraction_failed = users_check(
    extracted_entities,
    "no_extraction_failed",
    "Every source that was tried gave its entities. A failed one is tried again where that can help.",
    lambda graph, user, now: read_failures(graph, user),
    "sources that could not be extracted",
    TRIED_AGAIN,
    dg.AssetCheckSeverity.WARN,
    identity="source_id",
)
