"""What storylines save of sources: new ones alone are read, and what stands is left alone, with the same result."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from memory_assets.entities.extraction import Extractor
from memory_assets.graph.graph import Graph
from memory_assets.hierarchy import storylines
from memory_assets.hierarchy.saved_vectors import SOURCES, read_vectors, save_vectors, shortened
from memory_assets.hierarchy.stage import Stage
from memory_assets.runtime.scope import RunScope
from memory_assets_tests.hierarchy.test_promotion import CLOCK, SAILS, START, script, seed
from memory_assets_tests.support.scripted_models import HashEmbedder, ScriptedModel


def test_what_is_saved_comes_back_to_the_last_bit(tmp_path: Path) -> None:
    exact, longer = shortened([0.5, -0.25]), shortened([0.1, 0.2])
    assert (exact.dtype, longer.dtype) == (np.float32, np.float64)
    vectors = {"a": exact, "b": longer, "c": shortened([1.0]), "d": exact}
    save_vectors(tmp_path, {"a": "1", "b": "2", "c": "3"}, vectors)
    found = read_vectors(tmp_path, {"a": "1", "b": "2", "c": "3", "d": "4"})
    assert {name: vector.tolist() for name, vector in found.items()} == {"a": [0.5, -0.25], "b": [0.1, 0.2]}
    assert list(read_vectors(tmp_path, {"a": "another", "b": "2"})) == ["b"]
    assert (tmp_path / SOURCES).stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("harm", ["lost", "cut", "words"])
def test_what_cannot_be_read_is_as_if_nothing_was_saved(tmp_path: Path, harm: str) -> None:
    save_vectors(tmp_path, {"a": "1"}, {"a": shortened([1.0, 0.0])})
    if harm == "lost":
        (tmp_path / SOURCES).unlink()
    else:
        (tmp_path / SOURCES).write_bytes((tmp_path / SOURCES).read_bytes()[:60] if harm == "cut" else b"words")
    assert read_vectors(tmp_path, {"a": "1"}) == {}


def test_no_harmed_byte_stops_a_run_or_changes_an_embedding(tmp_path: Path) -> None:
    save_vectors(tmp_path, {"a": "1"}, {"a": shortened([1.0, 0.0])})
    whole = (tmp_path / SOURCES).read_bytes()
    for place in range(len(whole)):
        (tmp_path / SOURCES).write_bytes(whole[:place] + bytes([whole[place] ^ 0xFF]) + whole[place + 1 :])
        found = read_vectors(tmp_path, {"a": "1"})
        assert [vector.tolist() for vector in found.values()] in ([], [[1.0, 0.0]])


def told(graph: Graph, user: str) -> list[Any]:
    rows = graph.read("hierarchy/list_storylines", user_id=user)
    links = graph.read("hierarchy/list_storyline_links", user_id=user)
    hidden = {"created_at", "updated_at", "unscored"}
    return [
        {name: value for name, value in row["properties"].items() if name not in hidden}
        | {"sources": sorted(link["source_ids"])}
        for row, link in zip(rows, links, strict=True)
    ]


@pytest.mark.graph
def test_a_new_source_alone_is_read_and_only_its_storyline_is_written(
    graph: Graph, user: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def derive(kept: Path | None, *, force: bool = False) -> int:
        Extractor(graph, ScriptedModel(script), HashEmbedder(), CLOCK, user, lambda _: None).run(RunScope())
        stage = Stage(storylines.TASK, graph, ScriptedModel(script), HashEmbedder(), CLOCK, user, kept)
        return storylines.derive_storylines(stage, force=force)["written"]

    mooring = [("mooring", day) for day in range(200, 206)]
    seed(graph, user, SAILS + mooring)
    assert derive(tmp_path) == 2
    read: list[str] = []
    read_each = graph.read_each

    def noted(name: str, make: Any, **params: Any) -> list[Any]:
        if name == "hierarchy/list_sources_for_storylines":
            read.extend(params["ids"])
        return read_each(name, make, **params)

    monkeypatch.setattr(graph, "read_each", noted)
    new = [("mooring", 206)]
    seed(graph, user, new)
    assert derive(tmp_path) == 1
    assert read == [f"{user}/mooring206"]
    (line,) = [row for row in told(graph, user) if row["source_count"] == 7]
    assert line["last_source_at"] == START + timedelta(days=206) and f"{user}/mooring206" in line["sources"]
    # From the graph alone, and all of it written once more: the same.
    before = told(graph, user)
    read.clear()
    assert derive(None, force=True) == 2
    assert (len(read), told(graph, user)) == (12, before)
