"""Old runs go with all their files, and nothing that the UI shows of the assets goes with them.

On SQLite, and on Postgres where Debian's is installed.
"""

import os
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from uuid import uuid4

import dagster as dg
import pytest
from dagster._core.execution.backfill import BulkActionStatus, PartitionBackfill
from dagster._core.remote_origin import RegisteredCodeLocationOrigin, RemoteJobOrigin, RemoteRepositoryOrigin
from dagster._core.storage.compute_log_manager import ComputeIOType
from dagster._core.storage.event_log import SqliteEventLogStorage
from dagster._core.storage.event_log.schema import AssetCheckExecutionsTable, SqlEventLogStorageTable
from dagster._core.storage.tags import BACKFILL_ID_TAG, PARENT_RUN_ID_TAG
from pydantic import SecretStr

from memory_assets.automation import history
from memory_assets.automation.history import (
    Retention,
    history_retention,
    prune,
    prune_history,
    runs_to_go,
)
from memory_assets.automation.jobs import AUTOMATION_TAG
from memory_assets.clock import Clock
from memory_assets.runtime.instance import open_instance
from memory_assets.runtime.partitions import owners
from memory_assets.settings import Settings, load_settings
from memory_assets_tests.support.partitions import add_partitions
from memory_assets_tests.support.postgres import postgres_here

ASSETS = ("raw_sources", "memory_file")
KEYS = [dg.AssetKey(name) for name in ASSETS]
CHECKS = [dg.AssetCheckKey(key, "a_claim") for key in KEYS]
ORIGIN = RemoteJobOrigin(
    RemoteRepositoryOrigin(RegisteredCodeLocationOrigin("memory_assets"), "__repository__"), "build_memory"
)
NEXT_YEAR = Clock().now() + timedelta(days=365)


def asset(name: str) -> dg.AssetsDefinition:
    """An asset that works for the owners in a tag, and fails where the tag says so."""

    @dg.asset(name=name, partitions_def=owners, check_specs=[dg.AssetCheckSpec("a_claim", asset=name)])
    def worked(context: dg.AssetExecutionContext) -> Iterator[dg.MaterializeResult]:
        print(f"{name} writes a log")
        tags = context.run.tags
        if "fail" in tags:
            raise dg.Failure("as asked")
        for owner in filter(None, tags["for"].split(",")):
            context.log_event(dg.AssetMaterialization(name, partition=owner, metadata={"run": context.run.run_id}))
        passed = "claim_fails" not in tags
        yield dg.MaterializeResult(check_results=[dg.AssetCheckResult(passed=passed, metadata={"found": 1})])

    return worked


DEFINITIONS = dg.Definitions(
    assets=[asset(name) for name in ASSETS], jobs=[prune_history], executor=dg.in_process_executor
)


@pytest.fixture(scope="module", params=["sqlite", "postgres"])
def storage(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """What a new instance's settings need beside its home; on Postgres, each gets a database of its own."""
    if request.param == "sqlite":
        yield lambda: {}
        return
    with postgres_here(tmp_path_factory.mktemp("postgres")) as server:
        yield lambda: {"postgres_url": SecretStr(server.new_database())}


@pytest.fixture
def instance(storage: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[dg.DagsterInstance]:
    for name in ("DAGSTER_HOME", "MEMORY_ASSETS_POSTGRES_URL"):
        monkeypatch.setenv(name, "")  # opening an instance sets them
    with open_instance(Settings(home=tmp_path / "home", **storage())) as opened:
        add_partitions(opened, ["nora", "olaf", "piet"])
        yield opened


def run(instance: dg.DagsterInstance, owners_of: str, *assets: str, **tags: str) -> str:
    """An automated run for some owners; its id."""
    job = DEFINITIONS.resolve_implicit_global_asset_job_def()
    result = job.execute_in_process(
        instance=instance,
        tags={"for": owners_of, AUTOMATION_TAG: "nightly"} | tags,
        asset_selection=[dg.AssetKey(name) for name in assets] or None,
        raise_on_error=False,
    )
    return result.run_id


def add_run(instance: dg.DagsterInstance, status: dg.DagsterRunStatus, age_days: int = 60, **tags: str) -> str:
    """A run that is in the storage alone."""
    run_id = str(uuid4())
    found = dg.DagsterRun(job_name="build_memory", run_id=run_id, status=status, tags=tags, remote_job_origin=ORIGIN)
    instance.run_storage.add_historical_run(found, datetime.now(UTC) - timedelta(days=age_days))
    return run_id


def shown(instance: dg.DagsterInstance) -> dict[str, Any]:
    """What the UI shows of the assets: partitions, their latest metadata, the assets' own, the checks."""
    storage = instance.event_log_storage
    view: dict[str, Any] = {}
    for key in KEYS:
        latest = storage.get_latest_storage_id_by_partition(key, dg.DagsterEventType.ASSET_MATERIALIZATION)
        records = instance.fetch_materializations(
            dg.AssetRecordsFilter(asset_key=key, storage_ids=sorted(latest.values())), limit=100
        ).records
        (record,) = instance.get_asset_records([key])
        view[key.to_user_string()] = (
            storage.get_materialized_partitions(key),
            [(entry.storage_id, entry.run_id, entry.asset_materialization) for entry in records],
            instance.get_latest_materialization_event(key),
            record.asset_entry.last_materialization_record,
        )
        unpartitioned = [
            entry for entry in instance.fetch_materializations(key, limit=1000).records if entry.partition_key is None
        ]
        view[f"{key.to_user_string()} as a whole"] = unpartitioned[:1]
    for key, found in storage.get_latest_asset_check_execution_by_key(CHECKS).items():
        view[str(key)] = (found.id, found.run_id, found.status, found.event)
    return view


def traces(instance: dg.DagsterInstance, run_id: str) -> list[str]:
    """Whatever is left of a run: its row, its rows in the index, its files."""
    found = ["row"] if instance.has_run(run_id) else []
    with history._events(instance).index_connection() as connection:
        for table in (SqlEventLogStorageTable, AssetCheckExecutionsTable):
            found += [table.name for _ in connection.execute(table.select().where(table.c.run_id == run_id))]
    home = Path(instance.root_directory)
    return found + [str(path.relative_to(home)) for path in home.rglob("*") if run_id in path.name]


def test_the_assets_look_the_same_after_old_runs_have_gone(instance: dg.DagsterInstance) -> None:
    superseded = run(instance, "nora,olaf")
    of_piet = run(instance, "piet", "raw_sources")
    failed = run(instance, "nora", fail="yes")
    latest = run(instance, "nora,olaf", "raw_sources", claim_fails="yes")
    of_file = run(instance, "olaf", "memory_file")
    of_nora = run(instance, "nora", "memory_file")
    before = shown(instance)
    assert before["raw_sources"][0] == {"nora", "olaf", "piet"}

    pruned = prune(instance, NEXT_YEAR)

    assert shown(instance) == before
    assert pruned["runs_removed"] == 2
    assert traces(instance, superseded) == traces(instance, failed) == []
    assert set(instance.get_run_ids()) == {of_piet, latest, of_file, of_nora}
    for run_id in (of_piet, latest, of_file, of_nora):
        assert instance.all_logs(run_id)
    assert prune(instance, NEXT_YEAR)["runs_removed"] == 0


def test_the_last_evaluation_of_a_check_outlives_a_run_that_only_planned_one(instance: dg.DagsterInstance) -> None:
    evaluated = run(instance, "nora", "raw_sources")
    planned = run(instance, "nora", "raw_sources", fail="yes")
    prune(instance, NEXT_YEAR)
    assert set(instance.get_run_ids()) == {evaluated, planned}


def test_files_of_a_removed_run_are_counted_and_gone(instance: dg.DagsterInstance) -> None:
    first, _ = run(instance, "nora"), run(instance, "nora")
    if isinstance(instance.event_log_storage, SqliteEventLogStorage):
        instance.event_log_storage.dispose()  # a file that is closed has nothing beside it
    files = [Path(instance.root_directory) / name for name in traces(instance, first) if "/" in name]
    assert len(files) == 1 + isinstance(instance.event_log_storage, SqliteEventLogStorage)
    size = sum(path.stat().st_size for file in files for path in [file, *file.rglob("*")] if path.is_file())
    assert prune(instance, NEXT_YEAR)["bytes_of_files_removed"] == size > 0
    assert traces(instance, first) == []


def test_young_runs_stay(instance: dg.DagsterInstance) -> None:
    old = [add_run(instance, dg.DagsterRunStatus.SUCCESS, 31 + day) for day in range(3)]
    young = add_run(instance, dg.DagsterRunStatus.SUCCESS, 29)
    now = Clock().now()
    assert set(runs_to_go(instance, now)) == set(old) and instance.has_run(young)
    assert set(runs_to_go(instance, now, Retention(keep_days=32))) == set(old[1:])


@pytest.mark.parametrize(
    "status", [each for each in dg.DagsterRunStatus if each.value not in ("SUCCESS", "FAILURE", "CANCELED")]
)
def test_a_run_that_has_not_ended_is_never_touched(instance: dg.DagsterInstance, status: dg.DagsterRunStatus) -> None:
    active = add_run(instance, status)
    assert prune(instance, NEXT_YEAR)["runs_removed"] == 0
    assert instance.get_run_ids() == [active]


@pytest.mark.parametrize(
    ("status", "stays"),
    [
        (BulkActionStatus.REQUESTED, True),
        (BulkActionStatus.CANCELING, True),
        (BulkActionStatus.COMPLETED_SUCCESS, False),
    ],
)
def test_the_runs_of_a_backfill_stay_until_it_has_ended(
    instance: dg.DagsterInstance, status: BulkActionStatus, stays: bool
) -> None:
    member = add_run(instance, dg.DagsterRunStatus.SUCCESS, **{BACKFILL_ID_TAG: "backfill"})
    instance.add_backfill(
        PartitionBackfill("backfill", status, from_failure=False, tags={}, backfill_timestamp=0.0, asset_selection=KEYS)
    )
    prune(instance, NEXT_YEAR)
    assert instance.has_run(member) is stays


def test_a_run_that_is_being_repeated_stays(instance: dg.DagsterInstance) -> None:
    parent = add_run(instance, dg.DagsterRunStatus.FAILURE)
    found = dg.DagsterRun(
        job_name="build_memory", run_id=str(uuid4()), status=dg.DagsterRunStatus.STARTED,
        parent_run_id=parent, root_run_id=parent, tags={PARENT_RUN_ID_TAG: parent},
    )  # fmt: skip
    instance.add_run(found)
    prune(instance, NEXT_YEAR)
    assert instance.has_run(parent)


def test_a_pruning_that_is_killed_is_finished_by_the_next(
    instance: dg.DagsterInstance, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Wherever it ends, before each thing that it removes, the next one finds what is left."""
    places = [(history, "remove_files"), (instance.run_storage, "delete_run")]
    for place in places:
        removed, _ = run(instance, "nora"), run(instance, "nora")
        with monkeypatch.context() as patch:
            patch.setattr(*place, _killed)
            with pytest.raises(KeyboardInterrupt):
                prune(instance, NEXT_YEAR)
        assert traces(instance, removed)
        prune(instance, NEXT_YEAR)
        assert traces(instance, removed) == []


def _killed(*_: Any) -> int:
    raise KeyboardInterrupt


def test_files_of_runs_that_no_longer_exist_go_after_a_day(instance: dg.DagsterInstance) -> None:
    deleted, fresh, needed = run(instance, ""), run(instance, ""), run(instance, "nora")
    instance.delete_run(deleted)  # as the UI does: rows alone
    instance.delete_run(fresh)
    left = [Path(instance.root_directory) / name for name in traces(instance, deleted) if "/" in name]
    assert left
    two_days_ago = time.time() - 2 * 86_400
    of_needed = [Path(instance.root_directory) / name for name in traces(instance, needed) if "/" in name]
    stranger = Path(instance.root_directory) / "storage" / "not-a-run"
    stranger.mkdir()
    for path in (*left, *of_needed, stranger):
        os.utime(path, (two_days_ago, two_days_ago))
    assert prune(instance, Clock().now())["leftovers_removed"] == 1
    assert not any(path.exists() for path in left)
    assert traces(instance, fresh)
    assert stranger.is_dir() and all(path.exists() for path in of_needed)


def test_a_link_out_of_the_folder_is_not_followed(instance: dg.DagsterInstance, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "letter.txt").write_text("keep me")
    removed = add_run(instance, dg.DagsterRunStatus.SUCCESS)
    storage = Path(instance.root_directory) / "storage"
    storage.mkdir(exist_ok=True)
    (storage / removed).symlink_to(outside)
    assert prune(instance, Clock().now())["runs_removed"] == 1
    assert (outside / "letter.txt").read_text() == "keep me"


def test_logs_of_old_ticks_go(instance: dg.DagsterInstance) -> None:
    manager = instance.compute_log_manager
    for tick, age in (("1", 40), ("2", 1)):
        key = ["__repository__", "inbox", tick]
        with manager.open_log_stream(key, ComputeIOType.STDERR) as stream:
            stream.write("a line")
        path = Path(manager.get_captured_local_path(key, "err"))
        os.utime(path, (time.time() - age * 86_400,) * 2)
    assert prune(instance, Clock().now())["tick_logs_removed"] == 1
    assert [path.name for path in path.parent.iterdir()] == ["2.err"]


def test_what_is_kept_of_users_with_nothing_new_goes_after_a_month(
    instance: dg.DagsterInstance, tmp_path: Path
) -> None:
    folders = load_settings().cache_folders
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "rows.npy").write_bytes(b"not ours")
    now = Clock().now()
    for folder in folders:
        for user, days in (("nora", 31), ("olaf", 29)):
            (folder / user).mkdir(parents=True)
            for name in ("rows.npy", "stamp.json"):
                (folder / user / name).write_bytes(b"12345")
                changed = (now - timedelta(days=days if name == "stamp.json" else 90)).timestamp()
                os.utime(folder / user / name, (changed, changed))
        (folder / "linked").symlink_to(outside)
        (folder / "empty").mkdir()
    os.utime(outside / "rows.npy", (0, 0))
    with dg.build_schedule_context(instance=instance, scheduled_execution_time=now) as context:
        assert isinstance(history_retention(context), dg.RunRequest)
        pruned = prune(instance, now, caches=folders)
        assert (pruned["kept_files_removed"], pruned["bytes_of_files_removed"]) == (2 * len(folders), 10 * len(folders))
        assert all(not any((folder / "nora").iterdir()) for folder in folders)
        assert all(len(list((folder / "olaf").iterdir())) == 2 for folder in folders)
        assert (outside / "rows.npy").read_bytes() == b"not ours"
        assert isinstance(history_retention(context), dg.SkipReason)


def test_the_job_says_what_it_removed(instance: dg.DagsterInstance) -> None:
    for number in range(4):
        add_run(instance, dg.DagsterRunStatus.SUCCESS, 30 * number)
    result = DEFINITIONS.resolve_job_def("prune_history").execute_in_process(
        instance=instance, run_config={"ops": {"remove_old_runs": {"config": {"keep_days": 45}}}}
    )
    (output,) = [event for event in result.all_events if event.is_successful_output]
    said = {name: value.value for name, value in output.step_output_data.metadata.items()}
    assert (said["runs_removed"], said["runs_kept"]) == (2, 3)


def test_the_job_refuses_what_makes_no_sense(instance: dg.DagsterInstance) -> None:
    result = DEFINITIONS.resolve_job_def("prune_history").execute_in_process(
        instance=instance, run_config={"ops": {"remove_old_runs": {"config": {"keep_days": -1}}}}, raise_on_error=False
    )
    assert not result.success


def test_the_schedule_asks_for_one_run_when_something_is_due_and_says_why_not_otherwise(
    instance: dg.DagsterInstance,
) -> None:
    assert history_retention.cron_schedule == "0 5 * * *"
    assert history_retention.default_status == dg.DefaultScheduleStatus.RUNNING
    at = Clock().now()
    with dg.build_schedule_context(instance=instance, scheduled_execution_time=at) as context:
        idle = history_retention(context)
        assert isinstance(idle, dg.SkipReason) and "30 days" in idle.skip_message
        add_run(instance, dg.DagsterRunStatus.SUCCESS, 40)
        asked = history_retention(context)
        assert isinstance(asked, dg.RunRequest) and asked.tags[AUTOMATION_TAG] == "history_retention"
        active = add_run(instance, dg.DagsterRunStatus.QUEUED, 0, **{AUTOMATION_TAG: "history_retention"})
        busy = history_retention(context)
        assert isinstance(busy, dg.SkipReason) and active in busy.skip_message


def test_what_holds_the_latest_state_does_not_start_a_run_every_day(instance: dg.DagsterInstance) -> None:
    held = run(instance, "nora")
    assert held in history.holders(instance)
    assert runs_to_go(instance, NEXT_YEAR) == []


def test_freed_pages_are_used_again(instance: dg.DagsterInstance) -> None:
    """Why nothing is ever vacuumed: what a removed run leaves in the shared file is what the next one takes."""
    if not isinstance(instance.event_log_storage, SqliteEventLogStorage):
        pytest.skip("Postgres vacuums itself")
    index = Path(instance.event_log_storage.path_for_shard("index"))

    def live_and_prune() -> int:
        for _ in range(8):
            run(instance, "nora,olaf")
        prune(instance, NEXT_YEAR)
        return index.stat().st_size

    first = live_and_prune()
    assert [live_and_prune() for _ in range(2)] == [pytest.approx(first, rel=0.25)] * 2
