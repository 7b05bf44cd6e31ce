"""A Postgres of its own for tests: Debian's, on a free port of the loopback interface, with a password."""

from __future__ import annotations

import os
import pwd
import secrets
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from memory_assets_tests.support.processes import free_port

BINARIES = sorted(Path("/usr/lib/postgresql").glob("*/bin"), key=lambda path: int(path.parent.name))


@dataclass(frozen=True)
class Postgres:
    """A running server."""

    port: int
    password: str

    def url(self, database: str) -> str:
        """The address of a database, as ``MEMORY_ASSETS_POSTGRES_URL`` takes it."""
        return f"postgresql+psycopg2://memory_assets:{self.password}@127.0.0.1:{self.port}/{database}"

    def query(self, database: str, statement: str) -> list[tuple]:
        """The rows that answer a statement."""
        import psycopg2

        connection = psycopg2.connect(self.url(database).replace("+psycopg2", ""))
        connection.autocommit = True
        try:
            with connection.cursor() as cursor:
                cursor.execute(statement)
                return cursor.fetchall() if cursor.description else []
        finally:
            connection.close()

    def new_database(self) -> str:
        """Create an empty database; its address."""
        name = f"d{secrets.token_hex(5)}"
        self.query("postgres", f"CREATE DATABASE {name}")
        return self.url(name)


@contextmanager
def postgres_here(folder: Path) -> Iterator[Postgres]:
    """A server with its data in ``folder``, ended at the end; the test is skipped where none is installed."""
    pytest.importorskip("dagster_postgres", reason="the extra `service` is not installed")
    pytest.importorskip("psycopg2")
    if not BINARIES:
        pytest.skip("Debian's postgresql is not installed")
    # The server refuses to run as root, and its user cannot enter pytest's folders.
    as_user: list[str] = []
    data = folder / "data"
    if os.geteuid() == 0:
        try:
            user = pwd.getpwnam("postgres")
        except KeyError:
            pytest.skip("the server does not run as root, and there is no user postgres")
        if not shutil.which("setpriv"):
            pytest.skip("the server does not run as root, and there is no setpriv")
        as_user = ["setpriv", f"--reuid={user.pw_uid}", f"--regid={user.pw_gid}", "--clear-groups"]
        data = Path("/tmp") / f"memory-assets-postgres-{secrets.token_hex(5)}"
        data.mkdir(mode=0o700)
        os.chown(data, user.pw_uid, user.pw_gid)
    else:
        data.mkdir(mode=0o700)
    server = Postgres(free_port(), secrets.token_hex(8))
    password = data.with_suffix(".password")
    password.write_text(server.password + "\n")
    if as_user:
        os.chown(password, user.pw_uid, user.pw_gid)
    options = f"-p {server.port} -c listen_addresses=127.0.0.1 -c unix_socket_directories= -c fsync=off"
    control = [*as_user, str(BINARIES[-1] / "pg_ctl"), "-D", str(data)]
    initialise = ["--auth=scram-sha-256", "--username=memory_assets", f"--pwfile={password}", "--encoding=UTF8"]
    try:
        _run([*as_user, str(BINARIES[-1] / "initdb"), "-D", str(data), *initialise])
        _run([*control, "-w", "-l", str(data / "log"), "-o", options, "start"])
        try:
            yield server
        finally:
            _run([*control, "-w", "-m", "immediate", "stop"])
    finally:
        password.unlink(missing_ok=True)
        shutil.rmtree(data, ignore_errors=True)


def _run(command: list[str]) -> None:
    """Run to the end. Nobody's pipes: the server that is started would keep them open."""
    with tempfile.TemporaryFile() as said:
        done = subprocess.run(command, cwd="/", stdout=said, stderr=said, timeout=300, check=False)
        said.seek(0)
        assert done.returncode == 0, f"{command} ended with {done.returncode}: {said.read().decode(errors='replace')}"
