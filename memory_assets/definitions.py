"""The code location: every asset, check, job, schedule, sensor and resource, listed in the order of the story.

Importing this module opens no connection and loads no model.
"""

from __future__ import annotations

import gc
import warnings
from importlib import import_module

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
from memory_assets.runtime.resources import resources

WITH_ASSETS = (
    *("sources", "recall", "lifecycle", "records", "entities", "validity", "notes", "descriptions", "compression"),
    *("hierarchy", "consolidation", "curation", "values", "memory_file", "heartbeat", "metrics"),
)
WITH_CHECKS = (
    *("sources", "records", "entities", "validity", "lifecycle", "notes", "descriptions", "compression", "hierarchy"),
    *("memory_file", "edits", "curation", "consolidation"),
)
"""The rooms, by the floor plan: their ``assets.py`` and their ``checks.py``."""
ROOMS = [*(import_module(f"memory_assets.{room}.assets") for room in WITH_ASSETS), installation]
CHECKS = [import_module(f"memory_assets.{room}.checks") for room in WITH_CHECKS]


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
# What is loaded by now stays: the collector need not go through it in its full rounds, each a third of a second.
gc.freeze()
