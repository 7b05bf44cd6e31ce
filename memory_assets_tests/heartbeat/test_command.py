"""The commands, as an agent and its people use them."""

from __future__ import annotations

from pathlib import Path

import pytest

from memory_assets_tests.support.installation import Installation, installation

YAML = """\
- {id: mail, task_name: Check mail, schedule: every 2 hours, definition: Look into the inbox.}
- {id: odd, schedule: sometimes, definition: x}
"""


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory):
    with installation(tmp_path_factory.mktemp("heartbeat") / "home") as house:
        yield house


def test_from_a_file_of_tasks_to_done(house: Installation, tmp_path: Path) -> None:
    (tmp_path / "tasks.yaml").write_text(YAML)
    added = house.json("heartbeat", "add", tmp_path / "tasks.yaml", "--user", "ben")
    assert (added["added"], [one["id"] for one in added["set_aside"]]) == (1, ["odd"])
    path = house.home / "files" / "ben" / "HEARTBEAT.md"
    assert "- mail (every 2 hours): Look into the inbox." in path.read_text()
    assert house.json("heartbeat", "due", "--user", "ben") == []
    (due,) = house.json("heartbeat", "due", "--user", "ben", "--at", "2026-11-20T14:00")
    assert (due["id"], due["definition"], due["is_active"]) == ("mail", "Look into the inbox.", True)
    house.run("heartbeat", "failed", "mail", "--reason", "no net", "--user", "ben")
    house.run("heartbeat", "done", "mail", "--user", "ben")
    (listed,) = house.json("heartbeat", "list", "--user", "ben")
    assert (listed["execution_count"], listed["error_count"]) == (1, 1)
    assert listed["next_due"] == "2026-11-20T14:00:00.000Z" and "definition" not in listed
    before = path.stat().st_mtime_ns
    assert house.json("heartbeat", "add", tmp_path / "tasks.yaml", "--user", "ben")["unchanged"] == 1
    assert path.stat().st_mtime_ns == before
    unknown = house.run("heartbeat", "done", "nope", "--user", "ben", code=1)
    assert "has no task 'nope'" in unknown.stderr


def test_a_file_without_a_task_says_what_a_task_is(house: Installation, tmp_path: Path) -> None:
    (tmp_path / "tasks.yaml").write_text("- {id: odd, schedule: sometimes, definition: x}\n")
    failed = house.run("heartbeat", "add", tmp_path / "tasks.yaml", "--user", "eva", code=1)
    assert "No task could be read" in failed.stderr
    assert not (house.home / "files" / "eva").exists()
