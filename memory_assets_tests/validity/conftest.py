"""The world of memories that this room's graph tests start from."""

from __future__ import annotations

from pathlib import Path

import pytest

from memory_assets.graph.graph import Graph
from memory_assets.settings import Settings
from memory_assets_tests.memory_file.world import NOW, World


@pytest.fixture
def world(graph: Graph, user: str, tmp_path: Path) -> World:
    return World(graph, user, Settings(_env_file=None, home=tmp_path / "home", now=NOW))
