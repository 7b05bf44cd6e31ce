"""A correction, and its way back, stopped wherever they may be: done again, all is as if nothing had happened."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

import dagster as dg
import pytest

from memory_assets.commands import correcting
from memory_assets.commands.correcting import take_back
from memory_assets.commands.decisions import list_decisions
from memory_assets.errors import MemoryAssetsError
from memory_assets.graph.graph import Graph
from memory_assets_tests.commands.test_correcting import corrected, remembered, run
from memory_assets_tests.commands.test_decisions import difference
from memory_assets_tests.support.house import House
from memory_assets_tests.support.stopping import KilledError, stopped_after

pytestmark = pytest.mark.slow
STEPS = [(Graph, "write"), (Graph, "write_together"), (correcting, "write_down"), (correcting, "strike_out")]


@pytest.mark.parametrize("text", ["Nora keeps goats in Skagness.", None])
@pytest.mark.parametrize("agent", ["codex", "cursor"])
def test_wherever_it_is_stopped_it_is_done_again(
    graph: Graph, user: str, tmp_path: Path, agent: str, text: str | None
) -> None:
    with dg.DagsterInstance.ephemeral() as instance:
        house = House(graph, tmp_path / "home", instance, user)
        nora = house.user("nora")
        ref = remembered(house, nora, "Nora keeps bees in Skagness.", agent)
        before = run(house, nora)
        corrected(house, nora, ref, text)
        after = run(house, nora)
        take_back(house.graph, house.settings, nora, ref, "codex", house.models)
        for steps in range(60):
            with stopped_after(steps, STEPS) as left, suppress(KilledError):
                corrected(house, nora, ref, text)
            is_whole = left[0] > 0
            corrected(house, nora, ref, text)
            assert difference(run(house, nora), after) == [], steps
            assert len(list_decisions(house.graph, nora)) == 1
            with stopped_after(steps, STEPS) as left, suppress(KilledError):
                take_back(house.graph, house.settings, nora, ref, "codex", house.models)
            with suppress(MemoryAssetsError):  # it may have been done but for its answer
                take_back(house.graph, house.settings, nora, ref, "codex", house.models)
            assert difference(run(house, nora), before) == [], steps
            assert list_decisions(house.graph, nora) == []
            if is_whole and left[0] > 0:
                return
        raise AssertionError("it never came to its end")
