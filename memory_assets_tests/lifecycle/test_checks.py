"""What agents' events have missed is known afterwards."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import dagster as dg
import pytest

from memory_assets.client.hook import main as hook
from memory_assets.lifecycle.assets import accesses
from memory_assets.lifecycle.checks import agents_reach_the_server
from memory_assets.runtime.missed import events_missed
from memory_assets_tests.memory_file.world import NOW, World
from memory_assets_tests.support.fixture_resources import given_models, resources_of
from memory_assets_tests.support.house import values_of
from memory_assets_tests.support.partitions import add_partitions
from memory_assets_tests.support.scripted_models import HashEmbedder, ScriptedModel


def connected(home: Path, name: str, user: str) -> None:
    folder = home / "connections"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{name}.json").write_text(json.dumps({"user": user}))


def test_rows_are_of_whose_connection_it_was_since_then(tmp_path: Path) -> None:
    connected(tmp_path, "claude-code", "ana")
    connected(tmp_path, "claude-code-1", "ben")
    (tmp_path / "hooks").mkdir()
    names = [
        ("2026-11-19T11:00:00Z", "claude-code"),  # a day ago and more
        ("2026-11-20T11:00:00Z", "claude-code"),
        ("2026-11-20T11:01:00Z", "claude-code"),
        ("2026-11-20T11:02:00Z", "claude-code-1"),
        ("2026-11-20T11:03:00Z", "undone"),
        ("2026-11-20T11:04:00Z", "../connections/claude-code"),
    ]
    line = {"agent": "claude-code", "event": "Stop", "reason": "no server runs", "status": 0}
    lines = [json.dumps(line | {"at": at, "connection": name}) for at, name in names]
    lines += [json.dumps(line | {"at": "2026-11-20T11:05:00Z"}), '{"at": "2026-11-20T11:0']
    (tmp_path / "hooks" / "failures.jsonl").write_text("\n".join(lines))
    row = {"agent": "claude-code", "why": "no server runs"}
    found = list(events_missed(tmp_path, ["ana", "ben"], "2026-11-19T12:00:00Z"))
    assert found == [row | {"user": "ana", "events": 3}, row | {"user": "ben", "events": 1}]
    assert list(events_missed(tmp_path, ["nora"], "")) == []


@pytest.mark.graph
def test_the_check_says_what_a_hook_has_missed(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    home = world.settings.home
    connected(home, "claude-code", world.user)
    (world.settings.inbox / world.user).mkdir(parents=True)

    def judged() -> tuple[bool, dict[str, Any]]:
        models = given_models(world.settings, ScriptedModel(lambda task, payload: None), HashEmbedder())
        resources = resources_of(world.graph, models, world.settings)
        with dg.DagsterInstance.ephemeral() as instance:
            add_partitions(instance, [world.user])
            done = dg.materialize(
                [accesses, agents_reach_the_server],
                partition_key=world.user,
                resources=resources,
                instance=instance,
            )
            (found,) = [one for one in done.get_asset_check_evaluations() if one.check_name.startswith("agents_")]
            return found.passed, values_of(found)

    assert judged()[0]
    monkeypatch.setenv("MEMORY_ASSETS_NOW", NOW.isoformat().replace("+00:00", "Z"))
    with open("/dev/null", "rb") as nothing:
        assert hook(["claude-code", "Stop", "--home", str(home)], nothing) == 0  # no server runs
    passed, said = judged()
    assert not passed and said["failed_for"] == world.user
    assert said["alert"] == "1 events of agents have missed the server within a day"
    assert "no server runs" in said["what_failed"]
