"""The further HEARTBEAT.md of a user in a real run: what was saved is reported, and what cannot be written stops
nothing else.
"""

from __future__ import annotations

from pathlib import Path

import dagster as dg
import pytest

from memory_assets.automation.pipeline import what_is_due
from memory_assets.graph.graph import Graph
from memory_assets.heartbeat.registry import add_tasks
from memory_assets.heartbeat.tasks import Task
from memory_assets.memory_file.ceilings import Ceiling
from memory_assets.memory_file.user_files import add_file
from memory_assets_tests.support.house import House

pytestmark = pytest.mark.graph


def test_a_run_mends_what_somebody_changed_and_says_what_it_saved(
    graph: Graph, user: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    with dg.DagsterInstance.ephemeral() as instance:
        house = House(graph, tmp_path / "home", instance, user)
        kim, now = house.user("kim"), house.settings.clock.now()
        gone, healthy = (tmp_path / name / "HEARTBEAT.md" for name in ("a", "b"))
        for path in (gone, healthy):
            path.parent.mkdir()
            add_file(graph, house.settings, kim, path, now, ceiling=Ceiling(tokens=500), kind="heartbeat")
        add_tasks(graph, kim, [Task("mail", "Check mail", "every 2 hours", "Look into the inbox.")], now)

        def due() -> bool:
            return kim in what_is_due(graph, house.settings, [kim], ("heartbeat_file",))

        assert due() and house.run("publish_heartbeat", kim).success and not due()
        default = house.settings.heartbeat_file(kim)
        published = default.read_text(encoding="utf-8")
        assert healthy.read_text(encoding="utf-8") == published

        for path in (default, healthy):
            path.write_text(published + "\nA word of mine.\n\n## Mine\n", encoding="utf-8")
        assert due()
        result = house.run("publish_heartbeat", kim)
        assert result.success and not due()
        said = capfd.readouterr().err
        assert f"{default} had been edited" in said and f"{healthy} had been edited" in said

        default.unlink()
        gone.unlink()
        gone.parent.rmdir()
        healthy.write_text("mine", encoding="utf-8")
        assert due()
        house.run("publish_heartbeat", kim)
        text = default.read_text(encoding="utf-8")
        assert (
            healthy.read_text(encoding="utf-8") == text
            and "- mail (every 2 hours): Look" in text
            and "mine" not in text
        )
        assert "mine" in [one.read_text(encoding="utf-8") for one in healthy.parent.glob("HEARTBEAT.md.edited-*")]
        assert due(), "one of them still cannot be written"
