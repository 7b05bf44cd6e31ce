"""The way from a command to Dagster runs on the installation's instance.

A command drives its runs in its own process: launching a process per run costs five to seven seconds
whatever the run does. They are in the UI's history all the same.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import dagster as dg

from memory_assets.model import is_team
from memory_assets.operations.instance import process_tag
from memory_assets.operations.unfinished import unfinished_lines


@dataclass(frozen=True)
class RunReport:
    """What became of one run."""

    owner: str
    run_id: str
    success: bool
    failures: tuple[str, ...] = ()
    unfinished: tuple[str, ...] = ()
    metadata: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)


def run_job(
    instance: dg.DagsterInstance,
    job: str,
    owner: str,
    *,
    config: Mapping[str, Mapping[str, Any]] | None = None,
) -> RunReport:
    """Run ``job`` for ``owner`` now and here; ``config`` is the run configuration by asset name."""
    from memory_assets.definitions import defs

    result = defs.resolve_job_def(job).execute_in_process(
        instance=instance,
        partition_key=owner,
        run_config={
            "ops": {name: {"config": dict(values)} for name, values in (config or {}).items()},
            "loggers": {"console": {}},
        },
        tags=process_tag(),
        raise_on_error=False,
    )
    metadata = {
        event.materialization.asset_key.to_user_string(): {
            name: value.value for name, value in event.materialization.metadata.items()
        }
        for event in _materializations(result)
    }
    return RunReport(
        owner=owner,
        run_id=result.run_id,
        success=result.success,
        failures=tuple(_failures(result)),
        unfinished=unfinished_lines(metadata),
        metadata=metadata,
    )


WINDOWED = ("processed_sources", "extracted_entities")


def job_for(owner: str) -> str:
    """The job that does all there is to do for an owner."""
    return "process_sources" if is_team(owner) else "build_memory"


def window_config(owner: str, window: Mapping[str, Any]) -> dict[str, Mapping[str, Any]]:
    """The run configuration that gives every step of the owner's job the same window."""
    from memory_assets.operations.window import WindowConfig

    if not window:
        return {}
    WindowConfig(**window)
    steps = WINDOWED[:1] if is_team(owner) else (*WINDOWED, "storylines", "macros", "value_classifications", "memory_draft")
    forced = {"force": window["force"]} if window.get("force") else {}
    return {step: dict(window) if step in WINDOWED else forced for step in steps if step in WINDOWED or forced}


def _materializations(result: dg.ExecuteInProcessResult) -> Iterable[Any]:
    for event in result.all_events:
        if event.is_step_materialization:
            yield event.step_materialization_data


def _sentence(message: str) -> str:
    """The first line of an error's message, without the class that Dagster puts before it."""
    lines = message.strip().splitlines() or ["failed"]
    return re.sub(r"^memory_assets[\w.]*\.\w+: ", "", lines[0])


def _failures(result: dg.ExecuteInProcessResult) -> Iterable[str]:
    for event in result.all_events:
        if event.is_step_failure:
            data = event.step_failure_data
            error = data.error.cause or data.error if data.error else None
            yield f"{event.step_key}: {_sentence(error.message) if error else 'failed'}"
    for evaluation in result.get_asset_check_evaluations():
        if not evaluation.passed and evaluation.severity == dg.AssetCheckSeverity.ERROR:
            told = evaluation.description or "; ".join(
                f"{key}: {value.value}" for key, value in evaluation.metadata.items()
            )
            yield f"check {evaluation.check_name}: {told}"
