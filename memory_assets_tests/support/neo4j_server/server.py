"""Fetches Neo4j's jars once, starts the server for as long as a block lasts, and says what is missing."""

from __future__ import annotations

import json
import os
import re
import secrets
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from filelock import FileLock

HERE = Path(__file__).resolve().parent
NEW_SERVER = "NEO4J_TEST_SERVER_IS_NEW"
"""The variable that is set where nobody has used the server before."""
SERVERS = "NEO4J_TEST_SERVERS"
"""The variables of each new server, as a JSON list: one for each worker of the tests."""
OLDEST_JAVA, NEWEST_JAVA = 17, 21
COPY_JARS = "org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy-dependencies"
END_SECONDS = 20
ATTEMPTS = 3
OPENED = ("java.base/java.nio", "java.base/java.io", "java.base/sun.nio.ch", "java.base/java.util.concurrent")


class MissingToolError(Exception):
    """Something that this machine lacks; the text says what to do about it."""


def neo4j_version() -> str:
    """The version that ``pom.xml`` names."""
    found = re.search(r"<neo4j\.version>([^<]+)<", (HERE / "pom.xml").read_text(encoding="utf-8"))
    assert found, "pom.xml names no neo4j.version"
    return found[1]


def cache_folder() -> Path:
    """``MEMORY_ASSETS_TEST_CACHE``, else the user's cache."""
    chosen = os.environ.get("MEMORY_ASSETS_TEST_CACHE")
    return Path(chosen) if chosen else Path.home() / ".cache" / "memory-assets"


def java() -> str:
    """The path of a Java that can run this Neo4j."""
    found = shutil.which("java")
    if not found:
        raise MissingToolError(f"There is no `java`. {_way_out()}")
    said = subprocess.run([found, "-version"], capture_output=True, text=True, check=False).stderr
    version = re.search(r'version "(\d+)', said)
    if not version or not OLDEST_JAVA <= int(version[1]) <= NEWEST_JAVA:
        raise MissingToolError(f"Java {version[1] if version else '?'} cannot run Neo4j 5. {_way_out()}")
    return found


def jars() -> Path:
    """The folder with Neo4j's jars, fetched from Maven Central if this is the first time."""
    folder = cache_folder() / f"neo4j-{neo4j_version()}"
    if folder.is_dir():
        return folder
    maven = shutil.which("mvn")
    if not maven:
        raise MissingToolError(f"There is no `mvn` to fetch Neo4j {neo4j_version()} with. {_way_out()}")
    folder.parent.mkdir(parents=True, exist_ok=True)
    with FileLock(folder.with_suffix(".lock")):
        if folder.is_dir():
            return folder
        print(f"fetching Neo4j {neo4j_version()} from Maven Central (about 120 MB, once)", flush=True)
        with tempfile.TemporaryDirectory(dir=folder.parent) as unfinished:
            command = [
                maven, "-q", "-B", "-f", str(HERE / "pom.xml"), COPY_JARS, "-DincludeScope=runtime",
                f"-DoutputDirectory={unfinished}/jars",
            ]  # fmt: skip
            # What one attempt has fetched, the next one has: a line that breaks costs no suite.
            if all(subprocess.run(command, check=False).returncode for _ in range(ATTEMPTS)):
                raise MissingToolError(f"Maven could not fetch Neo4j (its words are above). {_way_out()}")
            (Path(unfinished) / "jars").rename(folder)
    return folder


def worker_variables() -> dict[str, str]:
    """The variables of the server that is this worker's own (``pytest -n``); empty where there are no servers of
    ours.
    """
    servers: list[dict[str, str]] = json.loads(os.environ.get(SERVERS, "[]"))
    worker = int(os.environ.get("PYTEST_XDIST_WORKER", "gw0").removeprefix("gw"))
    return servers[worker] if servers else {}


@contextmanager
def neo4j_server() -> Iterator[dict[str, str]]:
    """A running Neo4j; yields the variables that lead to it."""
    password = secrets.token_urlsafe(24)
    with tempfile.TemporaryDirectory(prefix="neo4j-") as home:
        process, port = start(Path(home), password)
        try:
            yield variables_of(port, password) | {NEW_SERVER: "1"}
        finally:
            end(process)


def variables_of(port: int, password: str) -> dict[str, str]:
    """What leads to a server."""
    return {
        "NEO4J_URI": f"bolt://127.0.0.1:{port}",
        "NEO4J_USERNAME": "neo4j",
        "NEO4J_PASSWORD": password,
        "NEO4J_DATABASE": "neo4j",
    }


def start(home: Path, password: str, port: int = 0) -> tuple[subprocess.Popen[str], int]:
    """A server of a folder, and its port: the given one, or one of the system's choice."""
    program, library = java(), jars()
    log = home / "server.log"
    with log.open("ab") as errors:
        process = subprocess.Popen(
            [program, "-Xms256m", "-Xmx1g", "-XX:+UseSerialGC", "-Dlog4j2.disable.jmx=true",
             *(f"--add-opens={package}=ALL-UNNAMED" for package in OPENED),
             "-cp", f"{library}/*", str(HERE / "TestServer.java"), str(home), str(port)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=errors,
            text=True,
            start_new_session=True,  # Ctrl-C is for the command; the server ends when its input does
        )  # fmt: skip
    assert process.stdin and process.stdout
    try:
        process.stdin.write(f"{password}\n")
        process.stdin.flush()
        found = _port(process.stdout)
    except BaseException:
        end(process)
        raise
    if found is None:
        end(process)
        raise MissingToolError(f"Neo4j did not start:\n{log.read_text(errors='replace')[-3000:]}")
    return process, found


def _port(lines: Iterator[str]) -> int | None:
    """The port that the server says it listens on; None when it ended without a word."""
    for line in lines:
        if found := re.fullmatch(r"listening on (\d+)\s*", line):
            return int(found[1])
    return None


def end(process: subprocess.Popen[str]) -> None:
    """End a server, however it is."""
    assert process.stdin and process.stdout
    try:
        process.stdin.close()
    except BrokenPipeError:
        pass
    try:
        process.wait(END_SECONDS)
    except subprocess.TimeoutExpired:
        pass
    finally:
        process.kill()  # says nothing to a process that has ended
        process.wait()
        process.stdout.close()


def _way_out() -> str:
    return (
        f"Install a JDK {OLDEST_JAVA} to {NEWEST_JAVA} and Maven (Debian: apt install default-jdk-headless maven), "
        "or set NEO4J_URI, NEO4J_USERNAME and NEO4J_PASSWORD to a Neo4j 5 that may be written to."
    )
