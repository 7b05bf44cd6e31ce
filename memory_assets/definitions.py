"""The code location: every asset, check, job, schedule, sensor and resource, listed in the order of the story.

Importing this module opens no connection and loads no model.
"""

from __future__ import annotations

import warnings

import dagster as dg

# Parts of Dagster that we use on purpose say at each import that they may change; the lock pins them.
warnings.filterwarnings("ignore", category=dg.BetaWarning)
warnings.filterwarnings("ignore", category=dg.PreviewWarning)

# ruff: noqa: E402
from memory_assets.automation import installation, jobs, schedules
from memory_assets.automation.alerts.sensor import alerts
from memory_assets.automation.console import console_logger
from memory_assets.automation.curating import curation_sensor, switch_curation_mode
from memory_assets.automation.editing import EditedFilesResource
from memory_assets.automation.history import history_retention, prune_history
from memory_assets.automation.inbox import inbox_sensor
from memory_assets.automation.schedules import memory_threshold
from memory_assets.compression import assets as compression
from memory_assets.compression import checks as compression_checks
from memory_assets.consolidation import assets as consolidation
from memory_assets.consolidation import checks as consolidation_checks
from memory_assets.curation import assets as curation
from memory_assets.curation import checks as curation_checks
from memory_assets.descriptions import assets as descriptions
from memory_assets.descriptions import checks as descriptions_checks
from memory_assets.edits import checks as edits_checks
from memory_assets.entities import assets as entities
from memory_assets.entities import checks as entities_checks
from memory_assets.heartbeat import assets as heartbeat
from memory_assets.hierarchy import assets as hierarchy
from memory_assets.hierarchy import checks as hierarchy_checks
from memory_assets.lifecycle import assets as lifecycle
from memory_assets.lifecycle import checks as lifecycle_checks
from memory_assets.memory_file import assets as memory_file
from memory_assets.memory_file import checks as memory_file_checks
from memory_assets.metrics import assets as metrics
from memory_assets.notes import assets as notes
from memory_assets.notes import checks as notes_checks
from memory_assets.recall import assets as recall
from memory_assets.records import assets as records
from memory_assets.records import checks as records_checks
from memory_assets.runtime.resources import resources
from memory_assets.sources import assets as sources
from memory_assets.sources import checks as sources_checks
from memory_assets.validity import assets as validity
from memory_assets.validity import checks as validity_checks
from memory_assets.values import assets as values

ROOMS = [
    sources,
    recall,
    lifecycle,
    records,
    entities,
    validity,
    notes,
    descriptions,
    compression,
    hierarchy,
    consolidation,
    curation,
    values,
    memory_file,
    heartbeat,
    metrics,
    installation,
]
CHECKS = [
    *(
        sources_checks,
        records_checks,
        entities_checks,
        validity_checks,
        lifecycle_checks,
        notes_checks,
        descriptions_checks,
        compression_checks,
    ),
    *(hierarchy_checks, memory_file_checks, edits_checks, curation_checks, consolidation_checks),
]


def build_definitions(**overrides: dg.ConfigurableResource) -> dg.Definitions:
    """The definitions, with resources replaced by name where a test or a service needs others."""
    return dg.Definitions(
        assets=dg.load_assets_from_modules(ROOMS, include_specs=True),
        asset_checks=dg.load_asset_checks_from_modules(CHECKS),
        jobs=[*jobs.ALL, prune_history, switch_curation_mode],
        schedules=[*schedules.ALL, history_retention],
        sensors=[inbox_sensor, memory_threshold, curation_sensor, alerts],
        resources=resources() | {"edited_files": EditedFilesResource()} | overrides,
        loggers={"console": console_logger},
        executor=dg.in_process_executor,
    )


defs = build_definitions()
