"""Through the command line: a prompt that changed redoes its step alone, and several workers make what one makes."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from memory_assets.settings import PACKAGE
from memory_assets_tests.support.installation import Installation, installation, write_conversation

pytestmark = pytest.mark.slow

PARTS = ("lens", "mirror", "mast", "cable", "motor", "switch")


def write_sources(folder: Path, user: str, numbers: range) -> None:
    """Conversations about one lighthouse, one a day."""
    for number in numbers:
        part = PARTS[number % len(PARTS)]
        lines = [
            (
                "user",
                "Nora",
                f"The Lighthouse in Skagness needs a new {part}. Tomasz Wilk came to the Lighthouse to look at it.",
            ),
            (
                "user",
                "Nora",
                f"Tomasz Wilk will mount the {part} in the Lighthouse in week {number} for {number * 110} euros.",
            ),
        ]
        write_conversation(folder / f"{number}.jsonl", f"{user}-{number}", f"2026-09-{number + 1:02d}", lines)


def with_prompt(house: Installation, package: Path, prompt: str) -> Installation:
    """The same house run by a copy of the package in which one prompt has another version."""
    root = package / prompt.replace("/", "-")
    shutil.copytree(PACKAGE, root / "memory_assets", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copytree(PACKAGE.parent / "cypher", root / "cypher")
    for name in ("pyproject.toml", "dagster.yaml"):
        shutil.copy(PACKAGE.parent / name, root / name)
    room, _, name = prompt.partition("/")
    file = root / "memory_assets" / room / "prompts" / f"{name}.md"
    text = file.read_text(encoding="utf-8")
    version = int(text.partition("version: ")[2].partition("\n")[0])
    file.write_text(text.replace(f"version: {version}", f"version: {version + 1}", 1), encoding="utf-8")
    return house.with_variables(PYTHONPATH=str(root), PYTHONSAFEPATH="1")


def test_a_prompts_new_version_redoes_its_step_alone_and_the_ledger_proves_it(tmp_path: Path) -> None:
    with installation(tmp_path / "home") as house:
        write_sources(house.home / "inbox" / "nora", "nora", range(2))
        (first,) = house.json("materialize", "--user", "nora")
        before = house.export("nora")
        changed = with_prompt(house, tmp_path, "sources/describe_source")
        (second,) = changed.json("materialize", "--user", "nora")
        again = changed.json("materialize", "--user", "nora")
        rows = house.json("ledger", "--by", "run,asset,task")["by"]
        after = house.export("nora")
    asked = {(row["run"], row["asset"], row["task"]) for row in rows if row["task"] != "embed"}
    both = {("processed_sources", "sources/describe_source"), ("extracted_entities", "entities/extract_entities")}
    assert both <= {(asset, task) for run, asset, task in asked if run == first["run_id"]}
    assert {(asset, task) for run, asset, task in asked if run == second["run_id"]} == {
        ("processed_sources", "sources/describe_source")
    }
    assert [report["status"] for report in again] == ["current"]
    stated = [[line for line in export if line.startswith('{"id": "chunk:')] for export in (before, after)]
    assert stated[0] == stated[1] != [], "what was extracted stands"


@pytest.mark.soak
@pytest.mark.graph  # the other test's claim doesn't depend on the engine
def test_pieces_and_workers_side_by_side_make_what_one_makes_at_once(tmp_path: Path) -> None:
    with installation(tmp_path / "one") as house:
        for user in ("nora", "ben"):
            write_sources(house.home / "inbox" / user, user, range(6))
        for user in ("nora", "ben"):  # by name: on a shared Neo4j the other tests' owners are no part of this
            house.run("materialize", "--user", user)
        expected = [house.export(user) for user in ("nora", "ben")]
    with installation(tmp_path / "many") as house:
        house.run("graph", "start")
        for numbers in (range(4, 6), range(0, 4)):
            for user in ("nora", "ben"):
                write_sources(house.home / "inbox" / user, user, numbers)
            # Twice the same owner, and another one beside.
            workers = [house.start("materialize", "--user", user) for user in ("nora", "nora", "ben")]
            for worker in workers:
                assert ended(worker) == 0
        assert [house.export(user) for user in ("nora", "ben")] == expected


def ended(worker: subprocess.Popen[str]) -> int:
    """How a command ended; what it said is shown when the test fails."""
    out, err = worker.communicate(timeout=1800)
    print(out, err)
    return worker.returncode
