"""The pipeline: every step in the order of the story, as its room declares it."""

from __future__ import annotations

from memory_assets.compression.assets import COMPRESSED
from memory_assets.entities.assets import EXTRACTED
from memory_assets.heartbeat.assets import HEARTBEAT
from memory_assets.hierarchy.assets import MACROS, STORYLINES
from memory_assets.memory_file.assets import DRAFT, PUBLISHED
from memory_assets.metrics.assets import METRICS
from memory_assets.notes.assets import NOTES
from memory_assets.runtime.marks import Step
from memory_assets.sources.assets import PROCESSED, RAW
from memory_assets.values.assets import VALUES

STEPS: dict[str, Step] = {
    step.name: step
    for step in (
        *(RAW, PROCESSED, EXTRACTED, NOTES, COMPRESSED, STORYLINES, MACROS),
        *(VALUES, DRAFT, PUBLISHED, HEARTBEAT, METRICS),
    )
}
