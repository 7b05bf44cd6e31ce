"""An installation with inboxes whose sensor is evaluated tick by tick, and whose files age by a word."""

from datetime import UTC, datetime
from pathlib import Path

import dagster as dg
from dagster._core.test_utils import create_run_for_test

from memory_assets.automation.inbox import inbox_sensor
from memory_assets.clock import Clock
from memory_assets.graph.graph import Graph
from memory_assets.llm.opening import open_models
from memory_assets.model import can_own
from memory_assets.runtime.partitions import owners
from memory_assets.settings import Settings, ensure_home
from memory_assets.sources.ingest import ingest_paths
from memory_assets.sources.seen_files import IngestReport
from memory_assets_tests.support.fixture_resources import resources_of

INSTANT = datetime(2026, 11, 20, 12, tzinfo=UTC)


class FilesClock(Clock):
    """Stopped as any clock of a test; ``moment`` says how long ago the last file was written."""

    moment = 0.0
    written = 0.0

    def file_time(self) -> float:
        return FilesClock.written + FilesClock.moment


class House:
    """An installation with a real graph and inboxes, whose sensor is evaluated tick by tick."""

    def __init__(self, graph: Graph, home: Path, instance: dg.DagsterInstance, user: str) -> None:
        self.graph, self.instance, self.user = graph, instance, user
        given, clock = Settings(_env_file=None, home=home), FilesClock(INSTANT)
        ensure_home(given)
        self.inbox, self.clock, self.cursor, self.log = given.inbox, clock, None, []
        FilesClock.moment, FilesClock.written = 600.0, given.home.stat().st_ctime
        self.resources = resources_of(graph, open_models(given), given, clock)

    def write(self, name: str, text: str, owner: str | None = None) -> Path:
        path = self.inbox / (owner or self.user) / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        FilesClock.written = path.stat().st_ctime
        return path

    def wait(self, seconds: float) -> None:
        """Let time pass for files and pauses."""
        FilesClock.moment += seconds

    def tick(self) -> dg.SensorResult | dg.SkipReason:
        """Evaluate the sensor as the daemon does: the cursor is stored."""
        with dg.build_sensor_context(instance=self.instance, cursor=self.cursor, resources=self.resources) as context:
            result = inbox_sensor(context)
        if isinstance(result, dg.SensorResult):
            self.cursor = result.cursor
        return result

    def request(self) -> dg.RunRequest:
        """The one run that a tick asks for."""
        result = self.tick()
        assert isinstance(result, dg.SensorResult), result
        (request,) = result.run_requests
        return request

    def skipped(self) -> str:
        """Why a tick asks for none."""
        result = self.tick()
        if isinstance(result, dg.SkipReason):
            return result.skip_message
        assert not result.run_requests
        return result.skip_reason.skip_message

    def partitions(self) -> list[str]:
        """The owners that have become partitions."""
        return sorted(filter(can_own, self.instance.get_dynamic_partitions(owners.name)))

    def ended(self, request: dg.RunRequest, status: dg.DagsterRunStatus) -> None:
        """What Dagster knows of a run that was asked for, after its end."""
        create_run_for_test(self.instance, tags=dict(request.tags), status=status)

    def run(self, request: dg.RunRequest) -> list[IngestReport]:
        """What raw_sources does in the run that was asked for."""
        settle = request.run_config["ops"]["raw_sources"]["config"]["settle_seconds"]
        return [
            ingest_paths(self.graph, owner, [self.inbox / owner], None, self.clock, settle_seconds=settle)
            for owner in request.run_config["resources"]["scope"]["config"]["owners"]
        ]
