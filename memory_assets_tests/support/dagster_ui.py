"""The running UI: started as people start it, asked as its own pages ask it, ended as people and accidents end it."""

from __future__ import annotations

import json
import signal
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import psutil

from memory_assets_tests.support.house import run_configuration
from memory_assets_tests.support.installation import Installation
from memory_assets_tests.support.processes import free_port, of_each

T = TypeVar("T")
REPOSITORY = {"repositoryName": "__repository__", "repositoryLocationName": "memory_assets"}
ENDED = ("SUCCESS", "FAILURE", "CANCELED")
PATIENCE = 300.0
"""Seconds to wait for something that comes: enough on a machine with much else to do, and free where it comes."""

LOADED = """{ workspaceOrError { ... on Workspace { locationEntries {
    name loadStatus locationOrLoadError { __typename ... on PythonError { message } } } } } }"""
ADD_PARTITION = """mutation($repository: RepositorySelector!, $set: String!, $key: String!) {
    addDynamicPartition(partitionsDefName: $set, repositorySelector: $repository, partitionKey: $key) {
        __typename } }"""
LAUNCH = """mutation($params: ExecutionParams!) { launchPipelineExecution(executionParams: $params) {
    __typename ... on LaunchRunSuccess { run { runId } } ... on PythonError { message }
    ... on RunConfigValidationInvalid { errors { message reason } } } }"""
STATUS = "query($id: ID!) { runOrError(runId: $id) { ... on Run { status } } }"
FAILURES = """query($id: ID!) { logsForRun(runId: $id) { ... on EventConnection { events { __typename
    ... on MessageEvent { message } ... on ErrorEvent { error { message stack causes { message } } } } } } }"""
RUNS = """query($filter: RunsFilter!) { runsOrError(filter: $filter) { ... on Runs { results {
    runId jobName status tags { key value } } } } }"""
TICKS = """query($sensor: SensorSelector!) { sensorOrError(sensorSelector: $sensor) { ... on Sensor { sensorState {
    ticks(limit: 20) { timestamp endTimestamp status skipReason runIds error { message } } } } } }"""
CHECKS = """query($key: AssetKeyInput!) { assetNodeOrError(assetKey: $key) { ... on AssetNode { assetChecksOrError {
    ... on AssetChecks { checks { name blocking description
        executionForLatestMaterialization { runId status evaluation { success severity description
            metadataEntries { label ... on TextMetadataEntry { text } ... on MarkdownMetadataEntry { mdStr }
                ... on IntMetadataEntry { intValue } } } } } } } } } }"""


class Page:
    """The running UI of an installation, at a port."""

    def __init__(self, house: Installation, process: subprocess.Popen[str], port: int) -> None:
        self.house, self.process, self.address = house, process, f"http://127.0.0.1:{port}"

    def ask(self, query: str, **variables: Any) -> Any:
        """The data that answers a GraphQL query."""
        request = urllib.request.Request(
            f"{self.address}/graphql",
            json.dumps({"query": query, "variables": variables}).encode(),
            {"Content-Type": "application/json"},
        )
        try:
            with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
                answered = json.load(answer)
        except urllib.error.HTTPError as error:
            raise AssertionError(f"{error}: {error.read().decode(errors='replace')}") from error
        assert "errors" not in answered, answered
        return answered["data"]

    def add_partition(self, name: str, *sets: str) -> None:
        """Add a partition, as "Add a partition" does on the pages of the assets of each set; of both where none is
        said.
        """
        for partitions in sets or ("owners", "users"):
            self.ask(ADD_PARTITION, repository=REPOSITORY, set=partitions, key=name)

    def try_to_launch(
        self,
        job: str,
        owner: str | None,
        scope: Mapping[str, Any] | None = None,
        config: Mapping[str, Any] | None = None,
        assets: Iterable[str] = (),
    ) -> dict[str, Any]:
        """What becomes of a launch for an owner's partition or with no tags, with a scope, and a configuration of
        raw_sources.

        ``assets`` are those that are selected on a page; their job is Dagster's own.
        """
        selector: dict[str, Any] = REPOSITORY | {"pipelineName": job}
        if assets:
            selector["assetSelection"] = [{"path": [asset]} for asset in assets]
            selector["assetCheckSelection"] = [
                {"assetKey": {"path": [asset]}, "name": check} for asset in assets for check in self.checks(asset)
            ]
        return self.ask(
            LAUNCH,
            params={
                "selector": selector,
                "mode": "default",
                "runConfigData": run_configuration(scope, config),
                "executionMetadata": {"tags": [{"key": "dagster/partition", "value": owner}] if owner else []},
            },
        )["launchPipelineExecution"]

    def launch(self, job: str, owner: str | None, **options: Any) -> str:
        """Launch a job; the run's id."""
        launched = self.try_to_launch(job, owner, **options)
        assert launched["__typename"] == "LaunchRunSuccess", launched
        return launched["run"]["runId"]

    def materialize(self, owner: str, *assets: str, scope: Mapping[str, Any] | None = None) -> str:
        """Launch selected assets with their checks, as the button of their page does; the run's id."""
        return self.launch("__ASSET_JOB", owner, assets=assets, scope=scope)

    def run(self, job: str, owner: str, **options: Any) -> str:
        """Launch a job for an owner's partition; its status in the end."""
        return self.outcome(self.launch(job, owner, **options))

    def outcome(self, run_id: str, seconds: float = PATIENCE) -> str:
        """The status of a run once it has ended; what failed of it is printed, for the report of a failed test."""
        status = wait_for(lambda: self._ended(run_id), f"the end of run {run_id}", seconds)
        if status == "FAILURE":
            print(f"run {run_id} failed:", json.dumps(self.failures(run_id), indent=1))
        return status

    def failures(self, run_id: str) -> list[dict[str, Any]]:
        """The failure events of a run."""
        events = self.ask(FAILURES, id=run_id)["logsForRun"]["events"]
        return [event for event in events if event.get("error") or event["__typename"] == "RunFailureEvent"]

    def status(self, run_id: str) -> str:
        """The status of a run now."""
        return self.ask(STATUS, id=run_id)["runOrError"]["status"]

    def _ended(self, run_id: str) -> str | None:
        status = self.status(run_id)
        return status if status in ENDED else None

    def runs(self, **wanted: Any) -> list[dict[str, Any]]:
        """The runs that a ``RunsFilter`` finds, the newest first."""
        return self.ask(RUNS, filter=wanted)["runsOrError"]["results"]

    def ticks(self, sensor: str) -> list[dict[str, Any]]:
        """The last ticks of a sensor, the newest first."""
        found = self.ask(TICKS, sensor=REPOSITORY | {"sensorName": sensor})["sensorOrError"]
        return found["sensorState"]["ticks"]

    def tick_after(self, sensor: str, instant: float, seconds: float = PATIENCE) -> dict[str, Any]:
        """A tick that has begun after ``instant`` (seconds since 1970), once it has ended."""

        def look() -> dict[str, Any] | None:
            later = [tick for tick in self.ticks(sensor) if tick["timestamp"] > instant and _has_ended(tick)]
            return later[-1] if later else None

        return wait_for(look, f"a tick of {sensor}", seconds)

    def checks(self, asset: str) -> dict[str, dict[str, Any]]:
        """The checks of an asset by name, each with its execution for the latest materialization."""
        node = self.ask(CHECKS, key={"path": [asset]})["assetNodeOrError"]
        return {check["name"]: check for check in node["assetChecksOrError"]["checks"]}

    def entries(self) -> list[dict[str, Any]] | None:
        """The code locations, once none of them is loading."""
        assert self.process.poll() is None, "the UI has ended"
        try:
            entries = self.ask(LOADED)["workspaceOrError"]["locationEntries"]
        except OSError:
            return None
        return entries if entries and all(entry["loadStatus"] == "LOADED" for entry in entries) else None

    def end(self) -> int:
        """TERM, as a supervisor sends it; the exit code."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        return self.process.wait(PATIENCE)

    def kill(self) -> None:
        """The end that nobody can prepare for: KILL to every process of the house, runs and graph included."""
        while family := processes_of(self.house):
            for member in family:
                try:
                    member.kill()
                except psutil.NoSuchProcess:
                    continue
            self.process.wait(PATIENCE)
            psutil.wait_procs(family, timeout=PATIENCE)


@dataclass
class Terminal:
    """What a UI has said."""

    file: Path

    @property
    def text(self) -> str:
        """All of it so far."""
        return self.file.read_text(encoding="utf-8", errors="replace")


@contextmanager
def running_ui(house: Installation, terminal: Terminal) -> Iterator[Page]:
    """The UI of an installation, loaded; ended with TERM unless it has ended otherwise."""
    port = free_port()
    with terminal.file.open("a") as said:
        process = house.start("ui", "--port", str(port), stdout=said, stderr=said, start_new_session=True)
    page = Page(house, process, port)
    try:
        try:
            wait_for(page.entries, "the UI")
        except AssertionError as error:
            raise AssertionError(f"{error}; it says: {terminal.text}") from None
        yield page
    finally:
        page.end()


def processes_of(house: Installation) -> list[psutil.Process]:
    """Every process that works for a home, whoever has started it; not the one that asks."""
    found = []
    for process in psutil.process_iter():
        try:
            works_for_it = process.environ().get("MEMORY_ASSETS_HOME") == str(house.home)
            if works_for_it and process.status() != psutil.STATUS_ZOMBIE:
                found.append(process)
        except psutil.Error:
            continue
    return found


def commands_of(house: Installation) -> list[list[str]]:
    """The command lines of these processes."""
    return of_each(processes_of(house), lambda process: process.cmdline())


def wait_for(look: Callable[[], T | None], what: str, seconds: float = PATIENCE) -> T:
    """What ``look`` finds, asked again and again."""
    deadline = time.monotonic() + seconds
    while (found := look()) is None:
        assert time.monotonic() < deadline, f"waited {seconds} s for {what}"
        time.sleep(0.2)
    return found


def _has_ended(tick: dict[str, Any]) -> bool:
    """Whether a tick has an end, and says how it has ended: Dagster writes the one before the other."""
    return bool(tick["endTimestamp"]) and tick["status"] != "STARTED"
