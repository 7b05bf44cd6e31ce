"""With which prompts, models and code each asset is made now: one digest per asset.

Changing one prompt changes one of them, so that a run redoes that step, and what follows finds that nothing of
what it is made from has changed.
"""

from __future__ import annotations

from memory_assets.compression import policy as compression
from memory_assets.entities import policy as entities
from memory_assets.entities.naming import resolve as naming
from memory_assets.heartbeat import heartbeat_file
from memory_assets.hierarchy import macros, policy, storylines
from memory_assets.llm.model_client import Models
from memory_assets.llm.prompt_files import prompts
from memory_assets.llm.tasks import DESCRIBE_SOURCE, EXTRACT_ENTITIES, SAME_PERSON
from memory_assets.memory_file import selection
from memory_assets.metrics import policy as metrics
from memory_assets.model import fingerprint
from memory_assets.notes import policy as notes
from memory_assets.operations.marks import RAW
from memory_assets.sources import policy as sources
from memory_assets.sources import seen_files
from memory_assets.values import policy as values


def recipes_of(models: Models) -> dict[str, str]:
    """The digest of each asset's recipe."""

    def asked(asset: str) -> tuple[str, str]:
        return models.language_for(asset).name, models.embedder.name

    return {
        RAW: fingerprint(seen_files.reader_version(False)),
        "processed_sources": fingerprint(
            prompts().prompt_hash(DESCRIBE_SOURCE), *asked("processed_sources"), sources.CODE_VERSION
        ),
        "extracted_entities": fingerprint(
            *(prompts().prompt_hash(task) for task in (EXTRACT_ENTITIES, SAME_PERSON)),
            *asked("extracted_entities"),
            entities.CODE_VERSION,
            naming.VERSION,
        ),
        "notes": fingerprint(
            *(prompts().prompt_hash(step.task) for step in notes.STEPS), asked("notes")[0], notes.CODE_VERSION
        ),
        "compressed_contexts": fingerprint(compression.CODE_VERSION),
        "storylines": fingerprint(prompts().prompt_hash(storylines.TASK.prompt), *asked("storylines"), policy.CODE_VERSION),
        "macros": fingerprint(prompts().prompt_hash(macros.TASK.prompt), *asked("macros"), policy.CODE_VERSION),
        "value_classifications": fingerprint(values.CODE_VERSION),
        "memory_draft": fingerprint(selection.CODE_VERSION),
        "memory_file": fingerprint(selection.CODE_VERSION),
        "heartbeat_file": fingerprint(heartbeat_file.CODE_VERSION),
        "bounded_memory_metrics": fingerprint(metrics.CODE_VERSION),
    }
