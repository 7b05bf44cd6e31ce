"""The world that this room's graph tests start from: a house with a file that people edit."""

from __future__ import annotations

from pathlib import Path

import dagster as dg
import pytest

from memory_assets.graph.graph import Graph
from memory_assets_tests.edits.edited_house import answer, with_file
from memory_assets_tests.support.house import House
from memory_assets_tests.support.scripted_models import HashEmbedder, ScriptedModel


@pytest.fixture
def house(graph: Graph, user: str, tmp_path: Path, instance: dg.DagsterInstance) -> House:
    return House(graph, tmp_path / "home", instance, user, ScriptedModel(answer), HashEmbedder())


@pytest.fixture
def ana(house: House) -> str:
    """A user whose published file says all the lines."""
    return with_file(house, "ana")
