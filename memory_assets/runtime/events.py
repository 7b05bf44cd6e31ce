"""What a run writes down of an owner's asset, what the last evaluation of a check said, and who drives the run."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

import dagster as dg

from memory_assets.clock import to_iso
from memory_assets.model import can_own
from memory_assets.presentation.reports import Markdown, some
from memory_assets.runtime.dagster_internals import (
    CODE_VERSION_TAG,
    DATA_VERSION_IS_USER_PROVIDED_TAG,
    DATA_VERSION_TAG,
    SYSTEM_METADATA_KEY_SOURCE_ASSET_OBSERVATION,
    AssetCheckExecutionRecordStatus,
    get_input_data_version_tag,
    get_input_event_pointer_tag,
)
from memory_assets.runtime.partitions import EVERYBODY, FOR_TAG

SECONDS = "seconds"
"""The metadata that every owner has for whom a step has worked: how long it took."""
LOOKED_AT = "looked_at"
"""The metadata of what was found current: everything else of it is what the last event said."""

_FOR: dict[str, frozenset[str]] = {}
"""For whom this process has worked, by run."""

_MADE: dict[str, tuple[str, frozenset[tuple[dg.AssetKey, str]]]] = {}
"""What the run at work has made so far, as far as its events were read in this process: a run has many checks."""

_OF_ASSETS = {dg.DagsterEventType.ASSET_MATERIALIZATION, dg.DagsterEventType.ASSET_MATERIALIZATION_PLANNED}


def shown(metadata: Mapping[str, Any]) -> dict[str, Any]:
    """Metadata as the UI shows it: Markdown drawn, lists and maps as JSON."""
    result: dict[str, Any] = {}
    for name, value in metadata.items():
        if isinstance(value, Markdown):
            result[name] = dg.MetadataValue.md(str(value))
        elif isinstance(value, Path):
            result[name] = dg.MetadataValue.path(value)
        elif isinstance(value, (list, dict)):
            result[name] = dg.MetadataValue.json(value)
        else:
            result[name] = value
    return result


def provenance(context: dg.AssetExecutionContext, owner: str, mark: str, upstream: Mapping[str, str]) -> dict[str, str]:
    """The tags by which Dagster knows from which versions an owner's asset was made: the marks.

    Dagster writes them by itself only in a run of one partition; without them, the UI would guess from times.
    """
    code_version = context.assets_def.code_versions_by_key[context.asset_key] or ""
    tags = {DATA_VERSION_TAG: mark, DATA_VERSION_IS_USER_PROVIDED_TAG: "true", CODE_VERSION_TAG: code_version}
    for asset, version in upstream.items():
        key = dg.AssetKey(asset)
        made = context.instance.get_latest_data_version_record(key, partition_key=owner)
        tags[get_input_data_version_tag(key)] = version
        tags[get_input_event_pointer_tag(key)] = str(made.storage_id) if made else "NULL"
    return tags


def only_after(assets: Iterable[str]) -> dict[str, str]:
    """The tags by which what follows from nothing of these ``assets`` is not out of date when they change.

    Dagster compares with what was recorded after the event that it is pointed to: after this one there is none.
    """
    keys = [dg.AssetKey(asset) for asset in assets]
    return {get_input_data_version_tag(key): "none" for key in keys} | {
        get_input_event_pointer_tag(key): str(2**62) for key in keys
    }


def last_materialized(instance: dg.DagsterInstance, asset: str, partition: str) -> dg.AssetMaterialization | None:
    """The latest event of an asset's partition; None when there is none."""
    wanted = dg.AssetRecordsFilter(asset_key=dg.AssetKey(asset), asset_partitions=[partition])
    records = instance.fetch_materializations(wanted, limit=1).records
    return records[0].asset_materialization if records else None


def found_current(
    instance: dg.DagsterInstance, asset: str, partition: str, now: datetime, why: str = "nothing was due"
) -> dict[str, Any]:
    """The metadata of an asset that was looked at and left: all that its last event said, and when it was looked at.

    The UI shows a partition by its latest event alone, which must not be an empty one.
    """
    last = last_materialized(instance, asset, partition)
    return {**(last.metadata if last else {}), LOOKED_AT: f"{to_iso(now)}: {why}"}


def without_event() -> dg.MaterializeResult:
    """The end of a step that has logged an event for each partition itself: Dagster would add empty ones."""
    return dg.MaterializeResult(metadata={SYSTEM_METADATA_KEY_SOURCE_ASSET_OBSERVATION: True})


def worked_for(context: dg.AssetCheckExecutionContext, assets: Collection[dg.AssetKey]) -> list[str] | None:
    """The owners for whom this run has made one of these assets so far; None when it is a run of checks alone.

    Read from the run's own events, so that a check judges what its run has changed, not what exists.
    """
    run = context.run.run_id
    if run not in _MADE:
        _MADE.clear()
    cursor, made = _MADE.get(run, (None, frozenset()))
    events = context.instance.get_records_for_run(run, cursor, _OF_ASSETS)
    if cursor is None and not events.records:
        return None
    found = (record.event_log_entry.asset_materialization for record in events.records)
    made |= {
        (one.asset_key, one.partition)
        for one in found
        if one and one.partition and SECONDS in one.metadata and LOOKED_AT not in one.metadata
    }
    _MADE[run] = events.cursor, made
    return sorted({partition for asset, partition in made if asset in assets} - {EVERYBODY})


def tag_owners(context: dg.AssetExecutionContext, owners: Iterable[str]) -> None:
    """Say in the run's tags for whom it works, as far as its steps have found."""
    run = context.run.run_id
    before = _FOR.get(run, frozenset())
    after = before | frozenset(owners)
    if after != before:
        _FOR[run] = after
        context.instance.add_run_tags(run, {FOR_TAG: some(sorted(after))})


EVALUATED = {AssetCheckExecutionRecordStatus.SUCCEEDED, AssetCheckExecutionRecordStatus.FAILED}
"""Not what is planned, by this run too."""


def last_evaluation(instance: dg.DagsterInstance, key: dg.AssetCheckKey) -> dg.AssetCheckEvaluation | None:
    """The latest evaluation of a check, of whichever run; None when there is none."""
    history = instance.event_log_storage.get_asset_check_execution_history(key, limit=1, status=EVALUATED)
    event = history[0].event.dagster_event if history and history[0].event else None
    return event.asset_check_evaluation_data if event else None


def said(evaluation: dg.AssetCheckEvaluation | None, name: str) -> Any:
    """A value of an evaluation's metadata; None where it has none of this name."""
    found = evaluation.metadata.get(name) if evaluation else None
    return found.value if found is not None else None


def failed_owners(evaluation: dg.AssetCheckEvaluation | None) -> set[str]:
    """The owners whom an evaluation found fault with."""
    return {name for name in str(said(evaluation, "failed_for") or "").split(", ") if can_own(name)}


UNFINISHED = "unfinished"
LINES_SHOWN = 20


def tell_unfinished(context: dg.AssetExecutionContext, problems: Sequence[str], whose: str = "") -> dict[str, Any]:
    """Warn of each problem, and return the metadata by which the command that drives the run sees them.

    ``whose`` is said before each line where the run is for several.
    """
    lines = [" ".join(problem.split()) for problem in problems]
    if len(lines) > LINES_SHOWN:
        lines = [
            *lines[:LINES_SHOWN],
            f"and {len(lines) - LINES_SHOWN} more, which the graph names with their reasons.",
        ]
    for line in lines:
        context.log.warning(f"{whose}{line}")
    return {UNFINISHED: dg.MetadataValue.json(lines)} if lines else {}


def unfinished_lines(metadata: Mapping[str, Mapping[str, Any]]) -> tuple[str, ...]:
    """Every problem of a run, by the metadata of its steps."""
    return tuple(line for values in metadata.values() for line in values.get(UNFINISHED, ()))
