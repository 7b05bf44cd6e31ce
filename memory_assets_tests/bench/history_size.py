"""A year of run history: how large the instance's storage gets, with and without its retention.

What is real: the templates of the runs are executed (assets, owners, checks and metadata as large as ours), their
events are in every simulated run with its own id and day, and each day ends with the pruning that the schedule
starts. What is abridged: a simulated run's own event file is the template's with the id replaced (writing its events
one by one through Dagster would take an hour); ticks are measured on a thousand and multiplied; and unless asked for
(``python -m memory_assets_tests.bench.history_size 365``, a quarter of an hour), 90 days are lived and what the last
six weeks of them have added is carried on to the year's end.
"""

import random
import shutil
import sqlite3
import string
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from uuid import uuid4

import dagster as dg
from dagster._core.events import ASSET_CHECK_EVENTS, ASSET_EVENTS, EVENT_TYPE_TO_PIPELINE_RUN_STATUS
from dagster._core.events.log import EventLogEntry
from dagster._core.scheduler.instigation import InstigatorType, TickData, TickStatus
from dagster._core.storage.event_log.sqlite import SqliteEventLogStorage

from memory_assets.automation.history import RETENTION, prune, prune_history
from memory_assets.automation.jobs import AUTOMATION_TAG
from memory_assets.clock import Clock
from memory_assets.runtime.instance import open_instance
from memory_assets.runtime.partitions import owners
from memory_assets.settings import Settings
from memory_assets_tests.support.partitions import add_partitions

YEAR = 365
LIVED = 90
WEEKS = 6
"""The last weeks of the lived days, from whose growth the rest is reckoned: whole ones, as some runs are weekly."""
OWNERS = ("nora", "olaf", "team-garden")
VALUED = ("value_classifications", "memory_draft", "memory_file", "heartbeat_file", "bounded_memory_metrics")
"""What follows whenever memories have changed."""
UPDATED = ("raw_sources", "processed_sources", "extracted_entities", "notes", "compressed_contexts", *VALUED)
"""Every asset but storylines and macros, which have their own cadence."""
METADATA = (4_000, 12_000)
"""Bytes of metadata of one materialization: tables and inline plots."""
CHECKS = ("no_owner_was_held_up", "a_claim")
TICKS_A_DAY = {"inbox": 86_400 // 15, "memory_threshold": 86_400 // 60, "alerts": 86_400 // 20}
TICKS = 1_000
MEMORY = Path("/dev/shm")
"""Where there is one, the files are written there: the sizes are the same, and no disk is waited for."""
KEPT_TICKS_DAYS = 2
"""Of ticks that found nothing, as in ``dagster.yaml``."""
LIMIT = 1 << 30


@dataclass(frozen=True)
class Kind:
    """A kind of automated run: how often, with which assets, for how many of the owners."""

    name: str
    every_days: int
    times: int
    assets: tuple[str, ...]
    owners: int


KINDS = (
    Kind("inbox", 1, 12, UPDATED, 1),
    Kind("nightly_storylines", 1, 1, ("storylines", *VALUED), 3),
    Kind("nightly_storyline_refresh", 1, 1, ("storylines",), 3),
    Kind("nightly_descriptions", 1, 1, ("descriptions",), 3),
    Kind("nightly_notes_cleanup", 1, 1, ("current_notes",), 3),
    Kind("daily_compaction", 1, 1, VALUED, 3),
    Kind("weekly_macros", 7, 1, ("macros", *VALUED), 3),
    Kind("weekly_macro_refresh", 7, 1, ("macros",), 3),
    Kind("history_retention", 1, 1, (), 0),
)


@dataclass
class Template:
    """An executed run: what the simulated ones are made of."""

    run: dg.DagsterRun
    entries: list[EventLogEntry]
    shard: Path
    logs: Path


def main(lived: int = LIVED) -> None:
    """Print the size of the instance's storage after a simulated year, and what it would be without retention."""
    print(f"\nA year of run history, runs kept for {RETENTION.keep_days} days ({lived} days of it are lived)")
    began = time.perf_counter()
    with tempfile.TemporaryDirectory(dir=MEMORY if MEMORY.is_dir() else None) as scratch:
        settings = Settings(home=Path(scratch) / "home")
        with open_instance(settings) as instance:
            home = settings.dagster_home
            add_partitions(instance, list(OWNERS))
            templates = {kind.name: execute(instance, kind, Path(scratch)) for kind in KINDS}
            before = size(home)
            runs, growth_a_day = simulate(instance, home, templates, lived)
            left, after = instance.get_runs_count(), size(home) + growth_a_day * (YEAR - lived)
            per_tick, again = measure_ticks(instance, home)
    ticks = per_tick * sum(TICKS_A_DAY.values())
    kept, for_ever = ticks * KEPT_TICKS_DAYS, ticks * YEAR
    unpruned = sum(each * count for each, count in runs.values()) * YEAR / lived
    many = round(sum(count for _, count in runs.values()) * YEAR / lived)
    print(f"  after {YEAR} days (SQLite, {len(OWNERS)} owners; {time.perf_counter() - began:.0f} s)")
    print(
        f"  with retention     {mib(after + kept)}: {left} of {many} runs {mib(after)}, ticks of two days {mib(kept)}"
    )
    print(
        f"  without (product)  {mib(before + unpruned + for_ever)}: {many} runs {mib(unpruned)}, all ticks "
        f"{mib(for_ever)}"
    )
    print(f"  growth in the last {WEEKS} weeks lived: {growth_a_day * 7 / 1024:,.0f} KiB a week")
    print(f"  ticks after a purge took {again:.0%} of the room of those before: freed pages are used again")
    for name, (each, count) in runs.items():
        print(f"  {name:<20}{count:>6} runs of {each / 1024:>5.0f} KiB")
    if after + kept > LIMIT:
        raise SystemExit("More than 1 GiB: the retention does not hold its promise.")


def execute(instance: dg.DagsterInstance, kind: Kind, scratch: Path) -> Template:
    """Execute a run of this kind and take its events, its event file and its logs."""
    definitions = dg.Definitions(assets=[asset(name, kind) for name in kind.assets], jobs=[prune_history])
    job = (
        definitions.resolve_implicit_global_asset_job_def()
        if kind.assets
        else definitions.resolve_job_def("prune_history")
    )
    result = job.execute_in_process(instance=instance, tags={AUTOMATION_TAG: kind.name})
    run_id = result.run_id
    storage = sqlite(instance)
    shard = Path(shutil.copy(storage.path_for_shard(run_id), scratch / f"{kind.name}.db"))
    logs = scratch / kind.name
    logs.mkdir()
    log = instance.compute_log_manager.get_captured_local_path([run_id, "compute_logs", "any"], "out")
    shutil.copytree(Path(log).parents[1], logs, dirs_exist_ok=True)
    run = instance.get_run_by_id(run_id)
    entries = [record.event_log_entry for record in instance.get_records_for_run(run_id).records]
    assert run is not None and run.is_success
    return Template(run, entries, shard, logs)


def asset(name: str, kind: Kind) -> dg.AssetsDefinition:
    """An asset that reports as ours do, and decides nothing."""

    @dg.asset(
        name=name,
        partitions_def=owners,
        check_specs=[dg.AssetCheckSpec(check, asset=name) for check in CHECKS],
    )
    def reported(context: dg.AssetExecutionContext) -> Iterator[dg.MaterializeResult]:
        for owner in OWNERS[: kind.owners]:
            context.log.info(f"{owner}: 12 of 12 sources")
            context.log_event(dg.AssetMaterialization(name, partition=owner, metadata=metadata()))
        yield dg.MaterializeResult(
            metadata=metadata(),
            check_results=[
                dg.AssetCheckResult(check_name=check, passed=True, metadata={"found": 0}) for check in CHECKS
            ],
        )

    return reported


def metadata() -> dict[str, dg.MetadataValue]:
    """Counts, a text and a plot, together as large as our assets' metadata."""
    length = random.randint(*METADATA) - 800
    plot = "".join(random.choices(string.ascii_letters + string.digits + "+/", k=length))
    counts = {name: dg.MetadataValue.int(random.randint(0, 9999)) for name in ("due", "done", "left", "tokens_in")}
    return counts | {"plot": dg.MetadataValue.md(f"![plot](data:image/png;base64,{plot})")}


def simulate(
    instance: dg.DagsterInstance, home: Path, templates: dict[str, Template], lived: int
) -> tuple[dict[str, tuple[float, int]], float]:
    """Live the days. Per kind of run, the mean bytes that one added and how many there were; the growth a day at
    the end.
    """
    start = Clock().now() - timedelta(days=lived)
    sizes = []
    counts = {kind.name: 0 for kind in KINDS}
    added = {kind.name: 0 for kind in KINDS}
    for day in range(lived):
        for kind in KINDS:
            if day % kind.every_days == 0:
                at = start + timedelta(days=day, hours=3)
                for number in range(kind.times):
                    was = size(home) if day == 0 else 0
                    replay(instance, templates[kind.name], at + timedelta(hours=number))
                    counts[kind.name] += 1
                    if day == 0:
                        added[kind.name] += size(home) - was
        prune(instance, start + timedelta(days=day + 1))
        sizes.append(size(home))
        if (day + 1) % 30 == 0:
            print(f"  day {day + 1:>3}: {instance.get_runs_count():>4} runs, {mib(sizes[-1])}")
    growth = (sizes[-1] - sizes[-1 - 7 * WEEKS]) / (7 * WEEKS)
    return {kind.name: (added[kind.name] / kind.times, counts[kind.name]) for kind in KINDS}, growth


def replay(instance: dg.DagsterInstance, template: Template, at: datetime) -> None:
    """The template's run once more, at another time, under an id of its own."""
    run_id = str(uuid4())
    shift = at.timestamp() - template.entries[0].timestamp
    run = dg.DagsterRun(
        job_name=template.run.job_name,
        run_id=run_id,
        status=template.run.status,
        tags=template.run.tags,
        asset_selection=template.run.asset_selection,
        job_snapshot_id=template.run.job_snapshot_id,
        execution_plan_snapshot_id=template.run.execution_plan_snapshot_id,
    )
    instance.run_storage.add_historical_run(run, at)
    storage = sqlite(instance)
    shard = storage.path_for_shard(run_id)
    shutil.copy(template.shard, shard)
    with sqlite3.connect(shard) as connection:
        connection.execute(
            "UPDATE event_logs SET run_id = ?, event = replace(event, ?, ?)", (run_id, template.run.run_id, run_id)
        )
    connection.close()
    log = instance.compute_log_manager.get_captured_local_path([run_id, "compute_logs", "any"], "out")
    shutil.copytree(template.logs, Path(log).parents[1])
    mirror(storage, [entry._replace(run_id=run_id, timestamp=entry.timestamp + shift) for entry in template.entries])


def mirror(storage: SqliteEventLogStorage, entries: list[EventLogEntry]) -> None:
    """What Dagster writes of a run into the index that all runs share, in one transaction."""
    evaluations = []
    with storage.index_transaction() as connection:
        for entry in entries:
            if not entry.is_dagster_event:
                continue
            kind = entry.dagster_event_type
            if kind not in (*ASSET_EVENTS, *ASSET_CHECK_EVENTS, *EVENT_TYPE_TO_PIPELINE_RUN_STATUS):
                continue
            (event_id,) = connection.execute(storage.prepare_insert_event(entry)).inserted_primary_key
            if kind in ASSET_EVENTS:
                storage._store_asset_event_tags(connection, [entry], [event_id])
                storage._store_asset_event(connection, entry, event_id)
            elif kind in ASSET_CHECK_EVENTS:
                evaluations.append((entry, event_id))
    for entry, event_id in evaluations:
        storage.store_asset_check_event(entry, event_id)


def measure_ticks(instance: dg.DagsterInstance, home: Path) -> tuple[float, float]:
    """Bytes of a skipped tick, and the share of the first round's room that a second one takes after a purge."""
    empty = size(home)
    now = Clock().now().timestamp()
    add_ticks(instance, now - 10 * 86_400)
    once = size(home)
    instance.purge_ticks("origin", "selector", now - 2 * 86_400, [TickStatus.SKIPPED])
    add_ticks(instance, now)
    return (once - empty) / TICKS, (size(home) - once) / (once - empty)


def add_ticks(instance: dg.DagsterInstance, at: float) -> None:
    for number in range(TICKS):
        instance.create_tick(
            TickData(
                instigator_origin_id="origin",
                selector_id="selector",
                instigator_name="inbox",
                instigator_type=InstigatorType.SENSOR,
                status=TickStatus.SKIPPED,
                timestamp=at + number,
                end_timestamp=at + number + 0.2,
                cursor="20261120T120000.000Z:4711:0123456789abcdef",
                skip_reason="Nothing new in the inbox: 4711 files of 3 owners are as they were when they were read.",
                run_ids=[],
                run_keys=[],
            )
        )


def sqlite(instance: dg.DagsterInstance) -> SqliteEventLogStorage:
    storage = instance.event_log_storage
    assert isinstance(storage, SqliteEventLogStorage)
    return storage


def size(folder: Path) -> int:
    """Bytes of all files below the folder."""
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def mib(size: float) -> str:
    return f"{size / (1 << 20):,.0f} MiB"


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else LIVED)
