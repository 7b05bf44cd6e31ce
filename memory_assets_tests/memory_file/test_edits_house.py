"""From an edit in a MEMORY.md to the file that has taken it in: real assets on the real graph."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import dagster as dg
import pytest

from memory_assets.graph.graph import Graph
from memory_assets.memory_file.edit_store import list_edits
from memory_assets_tests.support.house import House

pytestmark = pytest.mark.graph

NOTE = """I prefer green tea in the morning.

Always answer me in metric units.

Remember to fetch the parcel from the harbour by 9 December.

The lighthouse in Porto was built in 1908.

Marta repaired the cello in the attic of the old mill.
"""


@pytest.fixture
def house(graph: Graph, user: str, tmp_path: Path) -> Iterator[House]:
    with dg.DagsterInstance.ephemeral() as instance:
        yield House(graph, tmp_path / "home", instance, user)


@pytest.fixture
def ana(house: House) -> str:
    name = house.user("ana")
    house.ingest(name, "2026-11-01 note.md", NOTE)
    assert house.run("build_memory", name).success
    return name


def text(house: House, user: str) -> str:
    return house.file(user).read_text(encoding="utf-8")


def line_with(house: House, user: str, words: str) -> str:
    (line,) = [line for line in text(house, user).splitlines() if words in line]
    return line


def replace(house: House, user: str, old: str, new: str) -> None:
    before = text(house, user)
    assert old in before
    house.file(user).write_text(before.replace(old, new), encoding="utf-8")


def test_an_added_a_changed_and_a_removed_line_come_through_in_one_run(house: House, ana: str) -> None:
    print(text(house, ana))
    removed = line_with(house, ana, "lighthouse in Porto")
    replace(house, ana, removed + "\n", "")
    replace(house, ana, "green tea", "black coffee")
    with house.file(ana).open("a", encoding="utf-8") as file:
        file.write("- The deploy window is Tuesday at 14:00\n")
    result = house.run("build_memory", ana)
    assert result.success
    after = text(house, ana)
    print(after)
    for row in list_edits(house.graph, ana): print(row)
    assert "lighthouse" not in after and "green tea" not in after
    assert "black coffee" in after and "The deploy window is Tuesday at 14:00" in after
