"""The service as docs/service.md tells people to run it: the units' own commands, on Postgres, with its health
checks.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any
from urllib.request import urlopen
from uuid import uuid4

import dagster as dg
import psutil
import pytest
import yaml
from pydantic import SecretStr

from memory_assets.errors import SettingsError
from memory_assets.runtime.instance import instance_environment, open_instance, prepare_instance
from memory_assets.settings import Settings, load_settings
from memory_assets_tests.support.dagster_ui import PATIENCE, STATUS, Page, wait_for
from memory_assets_tests.support.installation import Installation, installation
from memory_assets_tests.support.postgres import Postgres, postgres_here
from memory_assets_tests.support.processes import family_of, files_of, files_with, free_port, listened_on

# The daemon works for everybody in its graph, and other tests leave their people in a shared one.
pytestmark = [pytest.mark.own_engine, pytest.mark.slow]

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs" / "service"
PLACE = "/srv/memory-assets"
LAUNCH = """mutation($params: ExecutionParams!) { launchPipelineExecution(executionParams: $params) {
    __typename ... on LaunchRunSuccess { run { runId } } ... on PythonError { message } } }"""
JOB = {"repositoryName": "__repository__", "repositoryLocationName": "memory_assets", "pipelineName": "prune_history"}
TAGS = [{"key": "memory_assets/automation", "value": "test"}]


def unit_commands(name: str, option: str = "ExecStart") -> list[list[str]]:
    """The commands of a unit file, as words."""
    text = (DOCS / f"memory-assets-{name}.service").read_text(encoding="utf-8")
    return [shlex.split(line) for line in re.findall(rf"^{option}=(.*)$", text, flags=re.MULTILINE)]


def health_commands() -> list[list[str]]:
    """The commands of the page's section on health, without their comments."""
    page = (ROOT / "docs" / "service.md").read_text(encoding="utf-8")
    (block,) = re.findall(r"## Health\n\n```sh\n(.*?)```", page, flags=re.DOTALL)
    return [shlex.split(line, comments=True) for line in block.splitlines()]


@dataclass
class Service:
    """The started units, in a place of the test's own: other paths, other ports, nothing else is changed."""

    house: Installation
    postgres: Postgres
    database: str
    folder: Path
    web: int = field(default_factory=free_port)
    code: int = field(default_factory=free_port)
    processes: dict[str, subprocess.Popen[str]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        # Once, before any unit reads it.
        (self.folder / "workspace.yaml").write_text(self._with_ports((DOCS / "workspace.yaml").read_text()))

    def here(self, command: list[str]) -> list[str]:
        """A documented command as it runs here."""
        documented, ours = f"{PLACE}/docs/service/workspace.yaml", str(self.folder / "workspace.yaml")
        words = [self._with_ports(word.replace(documented, ours)) for word in command]
        program = Path(sys.executable).parent / Path(words[0]).name
        if program.name == "memory-assets":
            return [sys.executable, "-m", "memory_assets.cli", *words[1:]]
        return [str(program) if program.exists() else words[0], *words[1:]]

    def _with_ports(self, text: str) -> str:
        return re.sub(r"\b3000\b", str(self.web), re.sub(r"\b4000\b", str(self.code), text))

    def environment(self) -> dict[str, str]:
        """What /etc/memory-assets.env gives to every unit."""
        names = re.findall(r"^(\w+)=", (DOCS / "memory-assets.env").read_text(encoding="utf-8"), flags=re.MULTILINE)
        values = self.house.environment() | {"DAGSTER_HOME": str(self.house.home / "dagster")}
        assert set(names) <= values.keys()
        return values

    def run(self, command: list[str]) -> subprocess.CompletedProcess[str]:
        """Run a documented command to its end."""
        return subprocess.run(
            self.here(command),
            env=self.environment(),
            cwd=ROOT,
            capture_output=True,
            text=True,
            timeout=PATIENCE,
            check=False,
        )

    def start(self, name: str) -> None:
        """Start a unit."""
        (command,) = unit_commands(name)
        with (self.folder / f"{name}.log").open("w") as said:
            self.processes[name] = subprocess.Popen(
                self.here(command),
                env=self.environment(),
                cwd=ROOT,
                stdout=said,
                stderr=said,
                text=True,
                # As a supervisor starts it. In a shell's background SIGINT is ignored, and Dagster then ignores TERM,
                # too.
                preexec_fn=partial(signal.signal, signal.SIGINT, signal.SIG_DFL),
            )

    def wait_until_healthy(self, command: list[str]) -> None:
        """Wait for the documented check to end with 0."""

        def look() -> bool | None:
            ended = {name: process.returncode for name, process in self.processes.items() if process.poll() is not None}
            assert not ended, {name: (self.folder / f"{name}.log").read_text()[-2000:] for name in ended}
            return True if self.run(command).returncode == 0 else None

        wait_for(look, shlex.join(command))


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    """The service in a home of its own, healthy."""
    folder = tmp_path_factory.mktemp("service")
    with postgres_here(folder) as postgres:
        url = postgres.new_database()
        with installation(folder / "home", MEMORY_ASSETS_POSTGRES_URL=url) as house:
            made = Service(house, postgres, url.rpartition("/")[2], folder)
            try:
                for command in unit_commands("graph"):
                    done = made.run(command)
                    assert done.returncode == 0, done.stdout + done.stderr
                grpc, liveness, server_info, doctor = health_commands()
                made.start("code")
                made.wait_until_healthy(grpc)
                made.start("daemon")
                made.start("web")
                made.wait_until_healthy(server_info)
                made.wait_until_healthy(liveness)
                made.wait_until_healthy(doctor)
                yield made
            finally:
                for process in made.processes.values():
                    process.kill() if process.poll() is None else None
                    process.wait(30)


@pytest.fixture
def page(service: Service) -> Page:
    """The UI, asked as its own pages ask it."""
    found = Page(service.house, service.processes["web"], service.web)
    wait_for(found.entries, "the code location")
    return found


def launch(page: Page, *tags: dict[str, str]) -> str:
    """Launch ``prune_history``; its id."""
    params = {"selector": JOB, "mode": "default", "runConfigData": {}, "executionMetadata": {"tags": list(tags)}}
    launched = page.ask(LAUNCH, params=params)["launchPipelineExecution"]
    assert launched["__typename"] == "LaunchRunSuccess", launched
    return launched["run"]["runId"]


def ended(page: Page, run_id: str) -> str:
    """How a run ended, once it has."""
    return wait_for(lambda: page._ended(run_id), f"the end of run {run_id}")


def test_the_address_of_postgres_stays_out_of_every_file(service: Service) -> None:
    written = (service.house.home / "dagster" / "dagster.yaml").read_text(encoding="utf-8")
    assert yaml.safe_load(written)["storage"] == {"postgres": {"postgres_url": {"env": "MEMORY_ASSETS_POSTGRES_URL"}}}
    secret = service.postgres.password.encode()
    assert len(list(files_of(service.house.home))) > 5
    assert files_with(service.house.home, secret) == []
    logs = [service.folder / f"{name}.log" for name in service.processes]
    assert not [path for path in logs if secret in path.read_bytes()]


def test_doctor_tells_which_storage_it_is(service: Service) -> None:
    (found,) = [row for row in service.house.json("doctor") if row["what"] == "instance"]
    assert found["status"] == "ok" and found["finding"].startswith("Postgres at 127.0.0.1")
    assert service.postgres.password not in json.dumps(found)


def test_a_run_launched_in_the_ui_succeeds_and_stands_in_postgres(service: Service, page: Page) -> None:
    run_id = launch(page)
    assert ended(page, run_id) == "SUCCESS"
    counted = f"SELECT count(*) FROM event_logs WHERE run_id = '{run_id}'"
    assert service.postgres.query(service.database, counted)[0][0] > 5
    tables = {name for (name,) in service.postgres.query(service.database, "SELECT tablename FROM pg_tables")}
    assert {"runs", "event_logs", "asset_keys", "job_ticks", "instigators"} <= tables
    assert not [path for path, _ in files_of(service.house.home / "dagster") if path.suffix == ".db"]


def test_an_automated_run_waits_for_another_although_two_runs_may_be_at_work(
    service: Service, page: Page, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("DAGSTER_HOME", "MEMORY_ASSETS_POSTGRES_URL"):
        monkeypatch.setenv(name, "")  # opening an instance sets them
    url = SecretStr(service.postgres.url(service.database))
    tags = {tag["key"]: tag["value"] for tag in TAGS}
    with open_instance(Settings(home=service.house.home, postgres_url=url)) as instance:
        at_work = dg.DagsterRun(
            job_name="prune_history", run_id=str(uuid4()), status=dg.DagsterRunStatus.STARTED, tags=tags
        )
        instance.add_run(at_work)
        automated, of_a_person = launch(page, *TAGS), launch(page)
        assert ended(page, of_a_person) == "SUCCESS"
        assert page.ask(STATUS, id=automated)["runOrError"]["status"] == "QUEUED"
        instance.report_run_failed(at_work, "The test ends it.")
        assert ended(page, automated) == "SUCCESS"


def test_only_the_loopback_interface_is_listened_on(service: Service) -> None:
    members = [member for process in service.processes.values() for member in family_of(process.pid)]
    assert listened_on(members) == {"127.0.0.1"}


def test_the_webserver_says_its_version(service: Service) -> None:
    with urlopen(f"http://127.0.0.1:{service.web}/server_info", timeout=PATIENCE) as answer:
        assert "dagster_webserver_version" in json.load(answer)


def test_one_term_ends_each_of_them(service: Service) -> None:
    """The last test of the module: it ends what the others share."""
    for name in ("web", "daemon", "code"):
        process = service.processes[name]
        family = family_of(process.pid)
        process.send_signal(signal.SIGTERM)
        process.wait(PATIENCE)  # Dagster lets the calls that are under way end, for up to a minute
        _, alive = psutil.wait_procs(family, timeout=PATIENCE)
        assert not alive, name


def test_each_unit_is_a_file_that_says_how_it_is_restarted() -> None:
    units = sorted(path.stem.removeprefix("memory-assets-") for path in DOCS.glob("*.service"))
    assert units == ["code", "daemon", "graph", "web"]
    page = (ROOT / "docs" / "service.md").read_text(encoding="utf-8")
    for unit in units:
        text = (DOCS / f"memory-assets-{unit}.service").read_text(encoding="utf-8")
        assert f"service/memory-assets-{unit}.service" in page
        assert "EnvironmentFile=/etc/memory-assets.env" in text and "User=memory-assets" in text
        assert ("Restart=always" in text) is (unit != "graph")
    for command in [command for unit in units for command in unit_commands(unit)]:
        assert os.path.isabs(command[0]), "systemd wants absolute paths"


def test_without_an_address_the_instance_stays_in_its_files(tmp_path: Path) -> None:
    settings = Settings(home=tmp_path / "home", postgres_url=SecretStr("postgresql+psycopg2://a:b@127.0.0.1/c"))
    assert "MEMORY_ASSETS_POSTGRES_URL" in yaml.safe_dump(read_configuration(settings)["storage"])
    own = read_configuration(Settings(home=tmp_path / "home"))["storage"]["custom"]
    assert own["class"] == "SqliteStorage" and own["config"] == {"base_dir": {"env": "DAGSTER_HOME"}}


def read_configuration(settings: Settings) -> dict[str, Any]:
    """The prepared ``dagster.yaml``."""
    return yaml.safe_load((prepare_instance(settings) / "dagster.yaml").read_text(encoding="utf-8"))


def test_a_process_of_dagster_s_is_given_the_address_that_stands_in_env(tmp_path: Path) -> None:
    env = tmp_path / "env"
    env.write_text("MEMORY_ASSETS_POSTGRES_URL=postgresql+psycopg2://a:b@127.0.0.1/c\n")
    settings = Settings(_env_file=env, home=tmp_path)
    assert instance_environment(settings)["MEMORY_ASSETS_POSTGRES_URL"] == "postgresql+psycopg2://a:b@127.0.0.1/c"
    assert "MEMORY_ASSETS_POSTGRES_URL" not in instance_environment(Settings(home=tmp_path))


def test_an_address_without_its_driver_is_told_in_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEMORY_ASSETS_POSTGRES_URL", "postgresql://me:secret-word@127.0.0.1/c")
    with pytest.raises(SettingsError, match=r"postgresql\+psycopg2://") as told:
        load_settings()
    assert "secret-word" not in str(told.value)


def test_a_missing_package_is_told_in_one_sentence(tmp_path: Path) -> None:
    """In a process in which it cannot be found."""
    program = (
        "import sys; sys.modules['dagster_postgres'] = None; import importlib.util as util; found = util.find_spec\n"
        "util.find_spec = lambda name, *rest: None if name == 'dagster_postgres' else found(name, *rest)\n"
        "from memory_assets.cli import main; sys.argv = ['memory-assets', 'doctor']; main()"
    )
    house = Installation(tmp_path / "home", (("MEMORY_ASSETS_POSTGRES_URL", "postgresql+psycopg2://a:b@127.0.0.1/c"),))
    try:
        done = subprocess.run(
            [sys.executable, "-c", program],
            env=house.environment(),
            capture_output=True,
            text=True,
            timeout=PATIENCE,
            check=False,
        )
    finally:
        house.run("graph", "stop")
    assert done.returncode == 1
    assert 'pip install "memory-assets[service]"' in done.stdout
    assert "Traceback" not in done.stdout + done.stderr


def test_a_postgres_that_does_not_answer_is_told_without_its_address(tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))  # nobody listens
        url = f"postgresql+psycopg2://me:secret-word@127.0.0.1:{taken.getsockname()[1]}/c"
        house = Installation(tmp_path / "home", (("MEMORY_ASSETS_POSTGRES_URL", url),))
        try:
            told = house.run("doctor", code=1)
        finally:
            house.run("graph", "stop")
    assert "cannot be used" in told.stdout
    assert "secret-word" not in told.stdout + told.stderr
