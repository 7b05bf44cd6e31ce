"""The UI as a person meets it: it starts, its pages load, a run launched from it succeeds, and one TERM ends it."""

from __future__ import annotations

import json
import os
import shutil
import signal
import socket
import subprocess
import time
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeVar

import psutil
import pytest

from memory_assets_tests.support.installation import Installation, installation

pytestmark = [pytest.mark.graph, pytest.mark.slow]

T = TypeVar("T")
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
REPOSITORY = {"repositoryName": "__repository__", "repositoryLocationName": "memory_assets"}
ASSETS = {
    "raw_sources", "processed_sources", "extracted_entities", "storylines", "macros",
    "value_classifications", "memory_draft", "memory_file",
}  # fmt: skip

LOADED = """{ workspaceOrError { ... on Workspace { locationEntries {
    name loadStatus locationOrLoadError { __typename ... on PythonError { message } } } } } }"""
NODES = """{ assetNodes { assetKey { path } description groupName kinds
    owners { ... on TeamAssetOwner { team } } backfillPolicy { maxPartitionsPerRun } } }"""
ADD_PARTITION = """mutation($repository: RepositorySelector!, $key: String!) {
    addDynamicPartition(partitionsDefName: "owners", repositorySelector: $repository, partitionKey: $key) {
        __typename } }"""
LAUNCH = """mutation($params: ExecutionParams!) { launchPipelineExecution(executionParams: $params) {
    __typename ... on LaunchRunSuccess { run { runId } } ... on PythonError { message } } }"""
STATUS = "query($id: ID!) { runOrError(runId: $id) { ... on Run { status } } }"


class Page:
    """The running UI, asked as its own pages ask it."""

    def __init__(self, house: Installation, process: subprocess.Popen[str], port: int) -> None:
        self.house, self.process, self.address = house, process, f"http://127.0.0.1:{port}"

    def ask(self, query: str, **variables: Any) -> Any:
        """The data that answers a GraphQL query."""
        request = urllib.request.Request(
            f"{self.address}/graphql",
            json.dumps({"query": query, "variables": variables}).encode(),
            {"Content-Type": "application/json"},
        )
        with urllib.request.urlopen(request, timeout=30) as answer:
            told = json.load(answer)
        assert "errors" not in told, told
        return told["data"]

    def run(self, job: str, owner: str) -> str:
        """Launch a job for an owner's partition; its status in the end."""
        launched = self.ask(
            LAUNCH,
            params={
                "selector": REPOSITORY | {"pipelineName": job},
                "mode": "default",
                "runConfigData": {},
                "executionMetadata": {"tags": [{"key": "dagster/partition", "value": owner}]},
            },
        )["launchPipelineExecution"]
        assert launched["__typename"] == "LaunchRunSuccess", launched
        identifier = launched["run"]["runId"]
        return wait_for(lambda: self._ended(identifier), f"the end of run {identifier}")

    def _ended(self, identifier: str) -> str | None:
        status = self.ask(STATUS, id=identifier)["runOrError"]["status"]
        return status if status in ("SUCCESS", "FAILURE", "CANCELED") else None

    def entries(self) -> list[dict[str, Any]] | None:
        """The code locations, once none of them is loading."""
        assert self.process.poll() is None, "the UI has ended"
        try:
            entries = self.ask(LOADED)["workspaceOrError"]["locationEntries"]
        except OSError:
            return None
        return entries if entries and all(entry["loadStatus"] == "LOADED" for entry in entries) else None


def wait_for(look: Callable[[], T | None], what: str, seconds: float = 90) -> T:
    """What ``look`` finds, asked again and again."""
    deadline = time.monotonic() + seconds
    while (found := look()) is None:
        assert time.monotonic() < deadline, f"waited {seconds} s for {what}"
        time.sleep(0.2)
    return found


@pytest.fixture(scope="module")
def ui(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Page]:
    """One UI for all tests, in a home of its own."""
    folder = tmp_path_factory.mktemp("ui")
    with installation(folder / "home") as house, (folder / "said").open("w") as said:
        port = free_port()
        process = house.start("ui", "--port", str(port), stdout=said, stderr=said, start_new_session=True)
        try:
            page = Page(house, process, port)
            wait_for(page.entries, f"the UI, which says: {(folder / 'said').read_text()}")
            yield page
        finally:
            if process.poll() is None:
                process.send_signal(signal.SIGTERM)
                process.wait(60)


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def test_the_code_loads_and_every_asset_says_what_it_is(ui: Page) -> None:
    (entry,) = ui.entries() or []
    assert (entry["name"], entry["locationOrLoadError"]["__typename"]) == ("memory_assets", "RepositoryLocation")
    nodes = {node["assetKey"]["path"][0]: node for node in ui.ask(NODES)["assetNodes"]}
    assert set(nodes) == ASSETS
    for node in nodes.values():
        assert node["description"] and node["groupName"] and node["kinds"] and node["owners"]
        assert node["backfillPolicy"] == {"maxPartitionsPerRun": 20}


def test_a_run_launched_in_the_ui_reads_the_inbox_of_an_added_partition(ui: Page, user: str) -> None:
    note = ui.house.home / "inbox" / user / "note.md"
    note.parent.mkdir(parents=True)
    note.write_text("# A note\n\nNora keeps bees in Skagness.\n", encoding="utf-8")
    ui.ask(ADD_PARTITION, repository=REPOSITORY, key=user)
    assert ui.run("ingest_sources", user) == "SUCCESS"
    counted = "MATCH (s:Source {user_id: $user}) RETURN count(s) AS n"
    assert ui.house.json("graph", "query", counted, "--param", f"user={user}") == [{"n": 1}]


def test_a_partition_that_nobody_can_own_fails_and_leaves_nothing(ui: Page, user: str) -> None:
    name = f"../{user}"
    ui.ask(ADD_PARTITION, repository=REPOSITORY, key=name)
    assert ui.run("ingest_sources", name) == "FAILURE"
    assert not (ui.house.home / user).exists()


def test_only_the_loopback_interface_is_listened_on(ui: Page) -> None:
    parent = psutil.Process(ui.process.pid)
    listening = [
        connection.laddr.ip
        for member in [parent, *parent.children(recursive=True)]
        for connection in member.net_connections("tcp")
        if connection.status == psutil.CONN_LISTEN
    ]
    assert listening
    assert {address.removeprefix("::ffff:") for address in listening} == {"127.0.0.1"}


def test_a_taken_port_is_told_in_one_sentence(ui: Page) -> None:
    port = ui.address.rpartition(":")[2]
    told = ui.house.run("ui", "--port", port, code=1).stderr
    assert f"Port {port} on 127.0.0.1 is taken" in told
    assert "Traceback" not in told


@pytest.mark.skipif(CHROMIUM is None, reason="no chromium here")
def test_a_browser_draws_the_lineage(ui: Page, tmp_path: Path) -> None:
    quiet = "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking"
    done = subprocess.run(
        [
            str(CHROMIUM), *quiet.split(), "--disable-component-update", "--disable-sync",
            f"--user-data-dir={tmp_path}", "--virtual-time-budget=20000", "--dump-dom",
            f"{ui.address}/asset-groups",
        ],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )  # fmt: skip
    assert all(group in done.stdout for group in ("sources", "entities", "hierarchy", "values", "memory_file"))
    assert "Join the Dagster community" not in done.stdout


def test_the_ui_ends_with_one_term(ui: Page) -> None:
    """The last test of the module: it ends what the others share."""
    family = psutil.Process(ui.process.pid).children(recursive=True)
    assert len(family) >= 3
    ui.process.send_signal(signal.SIGTERM)
    assert ui.process.wait(60) == 0
    _, alive = psutil.wait_procs(family, timeout=5)
    assert not alive
    assert "NEO4J_URI" in os.environ or not ui.house.json("graph", "status").get("pid")
