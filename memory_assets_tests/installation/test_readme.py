"""The examples of the README and the docs run as they stand, in their order, in a home that the sample was built in.

The sample's home is also looked through for anything that others on the machine could read.
"""

from __future__ import annotations

import os
import re
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from memory_assets_tests.support.installation import NOW, ZONE

pytestmark = [pytest.mark.own_engine, pytest.mark.slow]

ROOT = Path(__file__).resolve().parents[2]
PAGES = (ROOT / "README.md", *sorted(path for path in (ROOT / "docs").glob("*.md") if path.name != "service.md"))
"""docs/service.md is for root on a machine of its own: it installs packages and units."""
NOT_HERE = re.compile(r"make (?!run\b)")
"""`make ui` lasts until it is ended, `make test` would run this; `make run` is how the home is built."""
COMMAND = Path(sys.executable).with_name("memory-assets")
_BLOCK = re.compile(r"^```sh\n(.*?)^```", re.M | re.S)


def examples(page: Path) -> list[str]:
    """The shell blocks of a page, each without the commands that are not for a test."""
    found = _BLOCK.findall(page.read_text(encoding="utf-8"))
    kept = ("".join(line for line in block.splitlines(keepends=True) if not NOT_HERE.match(line)) for block in found)
    return [block for block in kept if block.strip()]


@pytest.fixture(scope="module")
def stranger(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, str]]:
    """The environment of somebody who has just run `make run`, and whose own folder is empty."""
    folder = tmp_path_factory.mktemp("stranger")
    (folder / "memory-demo").mkdir(mode=0o755)  # nothing is published into a folder into which everybody may write
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("MEMORY_ASSETS_", "OPENAI_", "NEO4J_"))
    }
    ours = {"HOME": str(folder), "MEMORY_ASSETS_HOME": str(folder / "state"), "MEMORY_ASSETS_ENV_FILE": os.devnull}
    environment = kept | ours | {"MEMORY_ASSETS_NOW": NOW, "MEMORY_ASSETS_TIMEZONE": ZONE}
    try:
        yield environment
    finally:
        shell(".venv/bin/memory-assets graph stop", environment)


def shell(script: str, environment: dict[str, str]) -> subprocess.CompletedProcess[str]:
    """A block as it would be pasted, where any command that fails ends it, in a shell that hides nothing from
    anybody.
    """
    script = script.replace("make run", ".venv/bin/memory-assets sample").replace(
        ".venv/bin/memory-assets", str(COMMAND)
    )
    return subprocess.run(
        ["bash", "-e", "-c", script],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        timeout=1800,
        check=False,
        umask=0,
    )


def test_every_example_runs_as_it_stands_and_leaves_nothing_for_others_to_read(stranger: dict[str, str]) -> None:
    blocks = [(page, block) for page in PAGES for block in examples(page)]
    assert len(blocks) >= 5 and "memory-assets explain" in "".join(block for _, block in blocks)
    for page, block in blocks:
        done = shell(block, stranger)
        assert done.returncode == 0, (
            f"{page.name}:\n{block}\nended with {done.returncode}:\n{done.stdout}\n{done.stderr}"
        )
    home = Path(stranger["MEMORY_ASSETS_HOME"])
    memories = [path for path in (Path(stranger["HOME"]) / "memory-demo").iterdir() if path.name != "tasks.yaml"]
    given_back = next(path for path in memories if path.name == "MEMORY.md")
    assert given_back.read_text(encoding="utf-8") == "# Memory\n\n- I take my tea without milk.\n"
    looked_through = [home, *home.rglob("*"), *(path for path in memories if path != given_back)]
    open_to_others = [
        path for path in looked_through if not path.is_symlink() and stat.S_IMODE(path.stat().st_mode) & 0o077
    ]
    assert len(looked_through) > 50 and not [path for path in open_to_others if not stat.S_ISSOCK(path.stat().st_mode)]


def test_an_example_that_fails_is_noticed(stranger: dict[str, str]) -> None:
    assert shell(".venv/bin/memory-assets ingest sample_inbox/nobody --user maya\n", stranger).returncode != 0
    assert shell("false\ntrue\n", stranger).returncode != 0
