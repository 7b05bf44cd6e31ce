"""Sources per second through ingestion and materialisation, beside the bare driver writing as many rows."""

from __future__ import annotations

import tempfile
import time
from pathlib import Path

from memory_assets.clock import Clock
from memory_assets.graph.graph import open_graph
from memory_assets.graph.owners import add_members
from memory_assets.settings import Settings
from memory_assets_tests.support.installation import Installation, installation, write_conversation

SIZES = (100, 1000)
PLACES = ("Skagness", "Harwick", "Oban", "Lerwick", "Whitby", "Falmouth", "Ullapool")


def write_inbox(folder: Path, sources: int) -> None:
    """``sources`` short conversations over a year, in words that differ."""
    for number in range(sources):
        place = PLACES[number % len(PLACES)]
        day = f"2026-{number % 12 + 1:02d}-{number % 28 + 1:02d}"
        lines = [
            (
                "user",
                "Nora",
                f"The survey boat number {number} reached {place} and measured {number * 7 % 911} centimetres.",
            ),
            ("assistant", "Assistant", f"Noted for {place}."),
            (
                "user",
                "Nora",
                f"I need to send the figures of survey {number} to the harbour office in {place} by Friday.",
            ),
        ]
        write_conversation(folder / f"{number:06d}.jsonl", f"bench-{number}", day, lines)


def timed(house: Installation, *command: str) -> float:
    """Seconds that a command takes as a whole process."""
    began = time.perf_counter()
    house.run(*command, timeout=3600)
    return time.perf_counter() - began


def main() -> None:
    """Print how the cost grows with the number of sources, and what a rerun costs."""
    print("\nThroughput (local model; seconds as whole processes)")
    print(f"  {'sources':>8}{'ingest':>9}{'again':>9}{'build':>9}{'again':>9}{'a second':>10}{'bare graph':>12}")
    for size in SIZES:
        with tempfile.TemporaryDirectory() as scratch, installation(Path(scratch) / "home") as house:
            write_inbox(Path(scratch) / "files", size)
            house.run("graph", "start")
            user, files = ["--user", "bench"], str(Path(scratch) / "files")
            ingest, again = (timed(house, "ingest", files, *user) for _ in range(2))
            build, rebuild = (timed(house, "materialize", *user) for _ in range(2))
            bare = bare_writes(house, size)
            print(
                f"  {size:>8}{ingest:>9.1f}{again:>9.1f}{build:>9.1f}{rebuild:>9.1f}"
                f"{size / (ingest + build):>10.1f}{bare:>12.2f}"
            )


def bare_writes(house: Installation, size: int) -> float:
    """Seconds for the graph to take ``size`` nodes and relationships: the bound of any ingestion."""
    graph = open_graph(Settings(home=house.home))
    members = [f"bench-{number}" for number in range(size)]
    began = time.perf_counter()
    add_members(graph, Clock(), "bench", members)
    return time.perf_counter() - began


if __name__ == "__main__":
    main()
