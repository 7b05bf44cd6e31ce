"""The wheel, installed into an empty environment, works from there with the Cypher files that travel in it."""

from __future__ import annotations

import os
import subprocess
import sys
import venv
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
UV = Path(sys.executable).with_name("uv")


def run(*command: object, cwd: Path, **environment: str) -> str:
    done = subprocess.run(
        [str(part) for part in command],
        cwd=cwd,
        env=os.environ | environment,
        capture_output=True,
        text=True,
        timeout=1800,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.slow
def test_the_wheel_works_without_the_checkout(tmp_path: Path) -> None:
    run(
        UV,
        "build",
        "--wheel",
        "--no-build-isolation",
        "--python",
        sys.executable,
        "--out-dir",
        tmp_path / "dist",
        ROOT,
        cwd=tmp_path,
    )
    (wheel,) = (tmp_path / "dist").glob("*.whl")
    venv.create(tmp_path / "env", with_pip=False)
    python = tmp_path / "env" / "bin" / "python"
    # Mostly from what was fetched to set up this environment; a line that breaks is asked again.
    patience = {"UV_HTTP_RETRIES": "10", "UV_HTTP_TIMEOUT": "300"}
    run(
        UV,
        "pip",
        "install",
        "--python",
        python,
        "--require-hashes",
        "-r",
        ROOT / "requirements.lock",
        cwd=tmp_path,
        **patience,
    )
    run(UV, "pip", "install", "--python", python, "--no-deps", wheel, cwd=tmp_path)
    home = {"MEMORY_ASSETS_HOME": str(tmp_path / "home"), "PYTHONPATH": ""}
    command = tmp_path / "env" / "bin" / "memory-assets"
    note = tmp_path / "2026-10-01 harbour.md"
    note.write_text("# Harbour\n\nThe harbour office in Skagness opens at seven every day.\n", encoding="utf-8")
    try:
        assert ", 0 sources" in run(command, "doctor", cwd=tmp_path, **home)
        assert "1 sources: 1 new" in run(command, "ingest", note, "--user", "wanda", cwd=tmp_path, **home)
        run(command, "materialize", "--user", "wanda", cwd=tmp_path, **home)
        assert "harbour office" in (tmp_path / "home" / "files" / "wanda" / "MEMORY.md").read_text(encoding="utf-8")
    finally:
        run(command, "graph", "stop", cwd=tmp_path, **home)


def test_the_lock_names_no_index_and_pins_the_dagster_family_as_a_set() -> None:
    lines = (ROOT / "requirements.lock").read_text(encoding="utf-8").splitlines()
    assert not [
        line for line in lines if "://" in line or line.startswith(("-i", "--index", "--extra-index", "--find"))
    ]
    family = dict(line.split(" ")[0].split("==") for line in lines if line.startswith("dagster"))
    # Libraries of 1.N.P are numbered 0.(N+16).P.
    release = family["dagster"].split(".", 1)[1]
    minor, patch = release.split(".")
    assert family.pop("dagster-postgres") == f"0.{int(minor) + 16}.{patch}"
    assert set(family.values()) == {family["dagster"]}, family
