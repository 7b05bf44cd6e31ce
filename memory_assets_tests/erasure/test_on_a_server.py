"""An erasure from a graph whose files are a server's: its nodes, relationships and their properties are searched."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from memory_assets.erasure.erasing import Erasure
from memory_assets.erasure.places import NEO4J_KEEPS
from memory_assets.erasure.planning import Asked
from memory_assets.graph.graph import Graph
from memory_assets.runtime.instance import open_instance
from memory_assets.settings import Settings
from memory_assets_tests.erasure.planting import Garden, found_by_place
from memory_assets_tests.support.seeds import seed_sources, source_row

pytestmark = pytest.mark.graph


def plant(graph: Graph, owner: str) -> Garden:
    """Sources with a word and a sentence of common words each, and a file that is named after them."""
    garden = Garden(owner, 20)
    rows = []
    for number in range(3):
        said = garden.said("sources")
        turns = [{"index": 0, "speaker": garden.word("names"), "text": said, "at": None}]
        rows.append(source_row(f"{owner}/{number}", owner, turns=turns, title=garden.word("titles"), summary=said))
    seed_sources(graph, rows)
    return garden


def erase(graph: Graph, home: Path, asked: Asked) -> dict[str, Any]:
    (home / "inbox" / asked.owner).mkdir(parents=True, exist_ok=True)
    settings = Settings(_env_file=None, home=home)
    return Erasure(graph, settings, asked, lambda *_: [], open_instance, inbox=True).erase()


def test_an_owner_leaves_the_servers_graph_and_the_home(graph: Graph, user: str, tmp_path: Path) -> None:
    if graph.engine == "embedded":
        pytest.skip("the embedded engine's files are searched as those of whole installations")
    home = tmp_path / "home"
    gone, stays = plant(graph, user), plant(graph, f"{user}-stays")
    assert found_by_place(home, gone.by_place).keys() == gone.by_place.keys()
    done = erase(graph, home, Asked("owner", user))
    assert done["found"] == {} and done["kept_by_engine"].startswith(NEO4J_KEEPS)
    assert found_by_place(home, gone.by_place) == {}
    assert found_by_place(home, stays.by_place) == {place: sorted(said) for place, said in stays.by_place.items()}


def test_what_a_relationship_still_says_is_found(graph: Graph, user: str, tmp_path: Path) -> None:
    if graph.engine == "embedded":
        pytest.skip("the embedded engine's files are searched as those of whole installations")
    gone, other = plant(graph, user), f"{user}-other"
    plant(graph, other)
    said = gone.by_place["sources"][0]
    ends = {"source_id": f"{other}/0", "anchor_id": f"{other}/1", "name_id": "n", "name": "N", "confidence": 9.0}
    graph.write("entities/link_mentions", [ends | {"subpoints": [said]}], user_id=other, user_ids=[other])
    done = erase(graph, tmp_path / "home", Asked("owner", user))
    assert done["found"] == {"graph": 1}
