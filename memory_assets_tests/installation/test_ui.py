"""The UI as a person meets it: pages, launchpad, partitions, a browser that draws them, and one TERM that ends it.

What the house does without a person is in ``test_runs_itself.py``.
"""

from __future__ import annotations

import json
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from memory_assets_tests.support.browser import CHROMIUM, Browser, open_browser
from memory_assets_tests.support.dagster_ui import REPOSITORY, Page, Terminal, commands_of, running_ui, wait_for
from memory_assets_tests.support.installation import installation, write_conversation
from memory_assets_tests.support.processes import family_of, free_port, listened_on, of_each

# The daemon works for everybody in its graph, and other tests leave their people in a shared one.
pytestmark = [pytest.mark.own_engine, pytest.mark.slow]

GROUPS = ("sources", "entities", "notes", "descriptions", "compression", "hierarchy", "values", "memory_file",
          "heartbeat", "installation", "validity", "lifecycle", "consolidation", "records", "curation",
          "recall")  # fmt: skip
ASSETS = {
    "raw_sources", "processed_sources", "accesses", "agent_records", "extracted_entities", "statement_validity",
    "notes", "descriptions", "current_notes", "compressed_contexts", "storylines", "macros", "memory_states",
    "curated_memories", "consolidation_plan", "consolidated_memories", "recall_index",
    "value_classifications", "memory_draft", "memory_file", "heartbeat_file", "bounded_memory_metrics",
}  # fmt: skip
GIVEN = {"heartbeat_tasks", "installation"}
"""What no owner has a partition of: what people add, and the page of all."""
JOBS = {
    "ingest_sources", "process_sources", "build_memory", "update_memory", "form_storylines", "form_macros",
    "age_memories", "consolidate_descriptions", "clean_notes", "consolidate_memories", "curate_memories",
    "consolidate_and_curate", "switch_curation_mode",
    "open_sources", "publish_heartbeat", "prune_history",
}  # fmt: skip
SCHEDULES = {
    "nightly_lifecycle", "nightly_storylines", "nightly_descriptions", "nightly_notes_cleanup", "weekly_macros",
    "nightly_storyline_refresh", "weekly_macro_refresh", "daily_compaction", "nightly_consolidation",
    "history_retention",
}  # fmt: skip
SENSORS = {"inbox", "memory_threshold", "curation", "alerts"}
SAID = "From now on, always send the Lighthouse minutes as plain text."

NODES = """{ assetNodes { assetKey { path } description groupName kinds
    owners { ... on TeamAssetOwner { team } } backfillPolicy { maxPartitionsPerRun } } }"""
EVERYTHING = """query($repository: RepositorySelector!) { repositoryOrError(repositorySelector: $repository) {
    ... on Repository {
        jobs { name description owners { ... on TeamDefinitionOwner { team } } }
        schedules { name description owners { ... on TeamDefinitionOwner { team } } scheduleState { status } }
        sensors { name description owners { ... on TeamDefinitionOwner { team } } sensorState { status } } } } }"""
CONFIGURATION = """query($selector: PipelineSelector!) { runConfigSchemaOrError(selector: $selector, mode: "default") {
    ... on RunConfigSchema { allConfigTypes { key ... on CompositeConfigType {
        fields { name description configTypeKey } } } } } }"""
MATERIALIZED = """query($id: ID!) { runOrError(runId: $id) { ... on Run { assetMaterializations { assetKey { path }
    metadataEntries { label ... on IntMetadataEntry { intValue } } } } } }"""
FAILURES = """query($id: ID!) { runOrError(runId: $id) { ... on Run { eventConnection { events {
    ... on ExecutionStepStartEvent { stepKey } ... on RunFailureEvent { error { message causes { message } } } } } } } }"""  # noqa: E501

PARTITIONS = """query($key: AssetKeyInput!) { assetNodeOrError(assetKey: $key) { ... on AssetNode {
    partitionStats { numFailed }
    assetPartitionStatuses { ... on DefaultPartitionStatuses { failedPartitions materializedPartitions } } } } }"""


@pytest.fixture(scope="module")
def ui(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Page]:
    """One UI for all tests, in a home of its own."""
    folder = tmp_path_factory.mktemp("ui")
    port = {"MEMORY_ASSETS_SERVER_PORT": str(free_port())}
    with installation(folder / "home", **port) as house, running_ui(house, Terminal(folder / "said")) as page:
        yield page


@pytest.fixture(scope="module")
def nora(ui: Page, tmp_path_factory: pytest.TempPathFactory) -> str:
    """A user with a published file, built by one run from the UI.

    The chat is given by path, where no sensor looks: nothing publishes a second time behind the test.
    """
    user = "nora"
    lines = [("user", "Nora", SAID), ("user", "Nora", "I need to order spare lamps for Lighthouse by Friday.")]
    chat = write_conversation(tmp_path_factory.mktemp("chat") / "chat.jsonl", "lighthouse", "2026-10-12", lines)
    ui.add_partition(user)
    assert ui.run("build_memory", user, config={"paths": [str(chat)]}) == "SUCCESS"
    assert SAID.removesuffix(".") in ui.house.memory_file(user).read_text(encoding="utf-8")
    return user


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    """One browser for all pages."""
    if CHROMIUM is None:
        pytest.skip("no chromium here")
    with open_browser(tmp_path_factory.mktemp("browser")) as opened:
        yield opened


def test_the_code_loads_and_every_asset_says_what_it_is(ui: Page) -> None:
    (entry,) = ui.entries() or []
    assert (entry["name"], entry["locationOrLoadError"]["__typename"]) == ("memory_assets", "RepositoryLocation")
    nodes = {node["assetKey"]["path"][0]: node for node in ui.ask(NODES)["assetNodes"]}
    assert set(nodes) == ASSETS | GIVEN
    assert {node["groupName"] for node in nodes.values()} == set(GROUPS)
    for name, node in nodes.items():
        assert node["description"] and node["kinds"]
        assert node["owners"] == [{"team": "memory"}]
        assert name in GIVEN or node["backfillPolicy"] == {"maxPartitionsPerRun": 100}


def test_every_job_schedule_and_sensor_is_described_owned_and_on(ui: Page) -> None:
    found = ui.ask(EVERYTHING, repository=REPOSITORY)["repositoryOrError"]
    of_ours = [job for job in found["jobs"] if not job["name"].startswith("__")]
    for things, names in ((of_ours, JOBS), (found["schedules"], SCHEDULES), (found["sensors"], SENSORS)):
        assert {thing["name"] for thing in things} == names
        for thing in things:
            assert thing["description"], thing
            assert thing["owners"] == [{"team": "memory"}], thing
    states = [*(s["scheduleState"] for s in found["schedules"]), *(s["sensorState"] for s in found["sensors"])]
    assert {state["status"] for state in states} == {"RUNNING"}


@pytest.mark.parametrize("asset", sorted(ASSETS))
def test_every_check_says_what_it_claims(ui: Page, asset: str) -> None:
    checks = ui.checks(asset)
    assert "no_owner_was_held_up" in checks
    assert all(check["description"] for check in checks.values())


def test_a_run_launched_in_the_ui_reads_the_inbox_of_an_added_partition(ui: Page, user: str) -> None:
    """The sensor on the inbox may be faster: then the run finds the file read, and it is one source all the same."""
    note = ui.house.home / "inbox" / user / "note.md"
    note.parent.mkdir(parents=True)
    note.write_text("# A note\n\nNora keeps bees in Skagness.\n", encoding="utf-8")
    ui.add_partition(user)
    assert ui.run("ingest_sources", user) == "SUCCESS"
    assert statuses(ui, user)


@pytest.mark.parametrize("job", ["build_memory", "update_memory", "open_sources"])
def test_a_job_over_both_sets_works_for_everybody_as_the_launchpad_starts_it(ui: Page, job: str) -> None:
    run_id = ui.launch(job, None)
    assert ui.outcome(run_id) == "SUCCESS"
    (run,) = ui.runs(runIds=[run_id])
    assert {"key": "dagster/partition", "value": "EVERYBODY"} in run["tags"]


def statuses(ui: Page, user: str) -> dict[str, str]:
    """How far a user's sources have come, by title."""
    query = "MATCH (s:Source {user_id: $user}) RETURN s.started_at AS at, s.processing_status AS status"
    rows = ui.house.json("graph", "query", query, "--param", f"user={user}")
    return {row["at"]: row["status"] for row in rows}


def test_a_partition_that_nobody_can_own_fails_and_leaves_nothing(ui: Page, user: str) -> None:
    name = f"../{user}"
    ui.add_partition(name)
    assert ui.run("ingest_sources", name) == "FAILURE"
    assert not (ui.house.home / user).exists()


def test_the_launchpad_runs_one_user_a_window_and_force(ui: Page, user: str, tmp_path: Path) -> None:
    """The files are given by path, where no sensor looks: nothing else processes them."""
    for day in ("2026-10-03", "2026-10-12"):
        write_conversation(tmp_path / f"{day}.jsonl", day, day, [("user", "Nora", f"I met Tomasz Wilk on {day}.")])
    ui.add_partition(user)
    window = {"since": "2026-10-10", "until": "2026-10-20T00:00:00Z"}
    config = {"paths": [str(tmp_path)]}
    assert processed(ui, user, window, config) == 1
    assert processed(ui, user, window, config) == 0
    assert processed(ui, user, window | {"force": True}, config) == 1
    found = statuses(ui, user)
    assert {at[:10]: status for at, status in found.items()} == {"2026-10-03": "raw", "2026-10-12": "processed"}


def processed(ui: Page, user: str, scope: dict[str, Any], config: dict[str, Any]) -> int:
    """How many sources a run of process_sources has processed."""
    run = ui.launch("process_sources", user, scope=scope, config=config)
    assert ui.outcome(run) == "SUCCESS"
    materialized = ui.ask(MATERIALIZED, id=run)["runOrError"]["assetMaterializations"]
    (entries,) = (m["metadataEntries"] for m in materialized if m["assetKey"]["path"] == ["processed_sources"])
    return next(entry["intValue"] for entry in entries if entry["label"] == "processed")


@pytest.mark.parametrize(
    ("scope", "reason", "named"),
    [
        ({"sinse": "2026-10-01"}, "FIELD_NOT_DEFINED", "sinse"),
        ({"force": "perhaps"}, "RUNTIME_TYPE_MISMATCH", "force"),
        ({"owners": "nora"}, "RUNTIME_TYPE_MISMATCH", "owners"),
    ],
)
def test_the_launchpad_refuses_what_no_field_takes(ui: Page, scope: dict[str, Any], reason: str, named: str) -> None:
    refused = ui.try_to_launch("process_sources", "EVERYBODY", scope=scope)
    assert refused["__typename"] == "RunConfigValidationInvalid"
    (error,) = refused["errors"]
    assert error["reason"] == reason
    assert named in error["message"]


def test_an_instant_that_is_none_ends_the_run_before_its_first_step_with_the_fields_name(ui: Page, user: str) -> None:
    """A configuration's types are all that Dagster looks at before a run: an instant is a text until then."""
    ui.add_partition(user)
    run = ui.launch("process_sources", user, scope={"since": "yesterday-ish"})
    assert ui.outcome(run) == "FAILURE"
    events = ui.ask(FAILURES, id=run)["runOrError"]["eventConnection"]["events"]
    (failure,) = [event for event in events if event]
    told = " ".join(cause["message"] for cause in failure["error"]["causes"])
    assert "since" in told and "yesterday-ish" in told


@pytest.mark.parametrize("job", sorted(JOBS - {"prune_history"}))
def test_the_launchpad_describes_each_field(ui: Page, job: str) -> None:
    schema = ui.ask(CONFIGURATION, selector=REPOSITORY | {"pipelineName": job})["runConfigSchemaOrError"]
    all_fields = [found["fields"] for found in schema["allConfigTypes"] if found.get("fields")]
    shapes = [fields for fields in all_fields if {"owners", "force"} <= {field["name"] for field in fields}]
    assert shapes
    for field in (field for fields in shapes for field in fields):
        assert field["description"], field


def test_whose_file_cannot_be_published_is_red_until_it_can(ui: Page, nora: str, tmp_path: Path) -> None:
    """Something stands where the folder of the files would be: only one step, and only one owner, is held up."""
    user = "olga"
    in_the_way = ui.house.home / "files" / user
    in_the_way.parent.mkdir(exist_ok=True)
    in_the_way.write_text("Something of somebody's.")
    (tmp_path / "note.md").write_text("The Lighthouse lamp of Olga was repaired by Tomasz Wilk.", encoding="utf-8")
    ui.add_partition(user)
    assert ui.run("ingest_sources", user, config={"paths": [str(tmp_path)]}) == "SUCCESS"

    assert ui.run("update_memory", "EVERYBODY") == "SUCCESS"
    assert failed_partitions(ui, "memory_file") == (1, [user])
    assert ui.run("update_memory", nora) == "SUCCESS"
    assert failed_partitions(ui, "memory_file") == (1, [user])
    check = ui.checks("memory_file")["no_owner_was_held_up"]["executionForLatestMaterialization"]
    assert check["status"] == "FAILED" and user in check["evaluation"]["description"]

    in_the_way.unlink()
    assert ui.run("update_memory", user) == "SUCCESS"
    assert failed_partitions(ui, "memory_file") == (0, [])
    check = ui.checks("memory_file")["no_owner_was_held_up"]["executionForLatestMaterialization"]
    assert check["status"] == "SUCCEEDED" and ui.house.memory_file(user).is_file()


def failed_partitions(ui: Page, asset: str) -> tuple[int, list[str]]:
    """How many partitions of an asset the UI counts as failed, and which these are."""
    node = ui.ask(PARTITIONS, key={"path": [asset]})["assetNodeOrError"]
    return node["partitionStats"]["numFailed"], node["assetPartitionStatuses"]["failedPartitions"]


def test_a_browser_draws_the_lineage(ui: Page, browser: Browser) -> None:
    browser.open(f"{ui.address}/asset-groups")
    assert "Join the Dagster community" not in browser.shows(*GROUPS)
    browser.open(f"{ui.address}/asset-groups?expanded={','.join(f'global@global:{group}' for group in GROUPS)}")
    # The graph shortens the longest names.
    long = {"value_classifications", "bounded_memory_metrics", "compressed_contexts", "statement_validity",
            "consolidated_memories"}  # fmt: skip
    browser.shows(*(ASSETS - long), "value_cl", "bounded_m", "compress…", "statemen", "consolid…")


def test_a_browser_shows_the_file_of_a_user(ui: Page, nora: str, browser: Browser) -> None:
    browser.open(f"{ui.address}/assets/memory_file?view=partitions&partition={nora}")
    file = ui.house.memory_file(nora)
    lines = [line.removeprefix("- ") for line in file.read_text(encoding="utf-8").splitlines() if line.startswith("- ")]
    assert any(SAID.removesuffix(".") in line for line in lines)  # the task leaves the file when its day has passed
    browser.shows(
        str(file), "considered", "Nothing has changed since the last publication.", "effective budget", *lines
    )


def test_a_browser_shows_the_plot_of_a_users_values(ui: Page, nora: str, browser: Browser) -> None:
    browser.open(f"{ui.address}/assets/value_classifications?view=partitions&partition={nora}")
    browser.shows("mean_value", "values_plot")
    browser.click("[Show Markdown]")
    picture = "document.querySelector('img[src^=\"data:image/png;base64,\"]')"
    browser.wait_until(f"{picture}?.complete && {picture}.naturalWidth > 300", "the plot")
    assert "memories by value" in browser.evaluate(f"{picture}.alt")


def test_only_the_loopback_interface_is_listened_on(ui: Page) -> None:
    assert listened_on(family_of(ui.process.pid)) == {"127.0.0.1"}


def test_a_taken_port_is_told_in_one_sentence(ui: Page) -> None:
    port = ui.address.rpartition(":")[2]
    told = ui.house.run("ui", "--port", port, code=1).stderr
    assert f"Port {port} on 127.0.0.1 is taken" in told
    assert "Traceback" not in told


def test_agents_reach_their_memory_while_the_ui_runs(ui: Page) -> None:
    port = dict(ui.house.variables)["MEMORY_ASSETS_SERVER_PORT"]

    def answers() -> str | None:
        with suppress(OSError), urllib.request.urlopen(f"http://127.0.0.1:{port}/health/live", timeout=60) as answer:
            return str(json.load(answer)["status"])
        return None

    assert wait_for(answers, "the server") == "live"
    assert ui.house.json("server", "status")["running"]


def test_the_ui_ends_with_one_term(ui: Page) -> None:
    """The last test of the module: it ends what the others share, and what lost its parent as the end came."""
    seen = of_each(family_of(ui.process.pid), lambda member: (member.cmdline(), member.environ(), member.ppid()))
    (environment,) = (its for command, its, parent in seen if "code-server" in command and parent == ui.process.pid)
    waits = "import time; time.sleep(300)"
    starts = f"import subprocess, sys; subprocess.Popen([sys.executable, '-c', {waits!r}], start_new_session=True)"
    subprocess.run([sys.executable, "-c", starts], env=environment, check=True)
    assert waits in [command[-1] for command in commands_of(ui.house) if command]
    assert ui.end() == 0
    assert commands_of(ui.house) == []
    assert not ui.house.json("graph", "status").get("pid")
