"""What the graph's tests share: a catalogue of probing statements, and a writer that runs as a process."""

from __future__ import annotations

import sys
from pathlib import Path

from memory_assets.graph.connection import Connection
from memory_assets.graph.graph import Graph
from memory_assets.graph.query_files import load
from memory_assets.settings import Settings, load_settings

FOLDER = Path(__file__).parent / "cypher"


def probing(settings: Settings) -> Graph:
    """A graph that knows the probing statements only."""
    return Graph(Connection(settings), load(FOLDER))


def write_keys(user: str, keys: int, rounds: int) -> None:
    """Merge the same keys again and again, in small transactions, so that two writers meet."""
    graph = probing(load_settings())
    for turn in range(rounds):
        rows = [{"id": f"{user}:{turn}:{key}", "value": key, "at": None} for key in range(keys)]
        graph.write("probe/upsert_probes", rows, batch=3, user_id=user)


if __name__ == "__main__":
    write_keys(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
