"""What the assets' pages say after real runs, and that a run with nothing to do writes and draws nothing."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import dagster as dg
import pytest

from memory_assets.automation.pipeline import STEPS
from memory_assets.graph import graph as graph_door
from memory_assets.graph.graph import Graph
from memory_assets.heartbeat.registry import add_tasks
from memory_assets.heartbeat.tasks import Task
from memory_assets.presentation import plots
from memory_assets.runtime.partitions import EVERYBODY
from memory_assets_tests.conftest import owner_for
from memory_assets_tests.support.house import House

pytestmark = pytest.mark.own_engine
THINGS = ("lens", "mirror", "mast", "cable", "motor", "switch")
FIRST = datetime(2026, 11, 1, tzinfo=UTC)


@pytest.fixture(scope="module")
def house(graph: Graph, tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    """Two users with a few sources each, whose memories were built in one run, with the local models."""
    with dg.DagsterInstance.ephemeral() as instance:
        made = House(graph, tmp_path_factory.mktemp("pages") / "home", instance, owner_for(__name__))
        for name in ("ana", "ben"):
            for number, thing in enumerate(THINGS):
                day = (FIRST + timedelta(days=number * 3)).date()
                made.write(
                    made.user(name),
                    f"{day} log.md",
                    f"# Log {number}\n\nTomasz Wilk repaired the {thing} of the Lighthouse.\n\n"
                    f"I need to order {number + 2} spare lamps for Lighthouse by Friday.\n",
                )
        for name in ("ana", "ben"):
            add_tasks(graph, made.user(name), [Task("a", "A", "daily", "Water the beans.")], made.settings.clock.now())
        yield made


@pytest.fixture(scope="module")
def first(house: House) -> dg.ExecuteInProcessResult:
    """The run that has built all of it; what was read as soon as it was written is looked at once more."""
    result = house.run("build_memory")
    assert result.success
    for name in ("ana", "ben"):
        assert house.run("ingest_sources", house.user(name)).success
    return result


@pytest.fixture
def writes(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The statements that change the graph, by name, as they are sent."""
    sent: list[str] = []
    rows = graph_door._rows

    def noted(tx: Any, query: Any, params: Any) -> Iterator[dict[str, Any]]:
        if query.mode != "read":
            sent.append(query.name)
        return rows(tx, query, params)

    monkeypatch.setattr(graph_door, "_rows", noted)
    return sent


@pytest.fixture
def drawn(monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """A word for each picture that is drawn."""
    pictures: list[object] = []
    png = plots._png

    def noted(*args: Any) -> bytes:
        pictures.append(args)
        return png(*args)

    monkeypatch.setattr(plots, "_png", noted)
    return pictures


def pages(result: dg.ExecuteInProcessResult) -> dict[tuple[str, str], dict[str, Any]]:
    """The metadata of each materialization, by asset and partition."""
    return {
        (event.asset_key.to_user_string(), str(event.partition)): dict(event.materialization.metadata)
        for event in result.get_asset_materialization_events()
    }


def files_of(home: Path) -> dict[str, tuple[int, int]]:
    """Inode and time of each file that people or later runs read."""
    found = [path for name in ("files", "cache") for path in (home / name).rglob("*") if path.is_file()]
    return {str(path.relative_to(home)): (path.stat().st_ino, path.stat().st_mtime_ns) for path in found}


def test_the_page_of_everybody_adds_up_counts_and_nothing_else(house: House, first: dg.ExecuteInProcessResult) -> None:
    shown = pages(first)
    ana, ben = (shown["bounded_memory_metrics", house.user(name)] for name in ("ana", "ben"))
    both = shown["bounded_memory_metrics", EVERYBODY]
    assert both["memories"].value == ana["memories"].value + ben["memories"].value
    entries = ana["file_entries"].value + ben["file_entries"].value
    assert both["graph_to_file_ratio"].value == pytest.approx(both["memories"].value / entries, abs=0.01)
    assert "days_in_history" not in both and both["snapshot_kept"].value == "for 2 of 2 owners"
    assert "| budget | 2000 | 2000 | 2000 |" in shown["memory_draft", EVERYBODY]["least_to_most"].value


@pytest.mark.parametrize("partition", ["ana", EVERYBODY])
def test_a_run_with_nothing_to_do_writes_nothing_and_draws_nothing(
    house: House, first: dg.ExecuteInProcessResult, writes: list[str], drawn: list[object], partition: str
) -> None:
    before = files_of(house.settings.home)
    result = house.run("build_memory", partition if partition == EVERYBODY else house.user(partition))
    assert result.success
    assert not writes
    assert partition != EVERYBODY or not drawn  # the page of who is named shows the same pictures again
    assert files_of(house.settings.home) == before
    if partition != EVERYBODY:
        again, then = pages(result), pages(first)
        for asset in STEPS:
            pictures = {
                name: value for name, value in then.get((asset, house.user("ana")), {}).items() if name.endswith("plot")
            }
            page = again[asset, house.user("ana")]
            assert {name: page[name] for name in pictures} == pictures, asset
