"""What one more memory of an agent's day costs beside 20, 100, 500 and 1,000 others of it, and beside other files:
``python -m memory_assets_tests.bench.remembering``. Processor time, of this process and of the graph's.
"""

from __future__ import annotations

import tempfile
import time
from pathlib import Path

import psutil

from memory_assets.commands.remembering import local_models, remember
from memory_assets.commands.sources import recall_for
from memory_assets.graph import embedded
from memory_assets.graph.graph import open_graph
from memory_assets.settings import Settings, ensure_home
from memory_assets.sources.ingest import ingest_paths

SIZES = (20, 100, 500, 1000)
MEASURED = 30
"""So many in a row, which is more than a part of a day holds: some are alone in theirs, some fill it."""
OTHERS = 2_000
USER = "bench"


def main() -> None:
    """Print the cost at each size, and the ratio of the last to the first."""
    print("\nRemembering, one agent, one day (ms of processor time each)")
    with tempfile.TemporaryDirectory() as scratch:
        settings = Settings(_env_file=None, home=Path(scratch) / "home")
        ensure_home(settings)
        graph, models, number = open_graph(settings), local_models(settings), 0

        def another(user: str = USER) -> None:
            nonlocal number
            number += 1
            text = f"Crane {number} lifts {number * 7 % 911} crates at quay {number % 23}."
            assert remember(graph, settings, user, text, agent="bench", models=models).recallable

        def measured() -> tuple[float, float]:
            host = psutil.Process(hosted.pid) if (hosted := embedded.find(settings)) else None
            began, of_host = time.process_time(), sum(host.cpu_times()[:2]) if host else 0.0
            for _ in range(MEASURED):
                another()
            spent = time.process_time() - began, (sum(host.cpu_times()[:2]) - of_host if host else 0.0)
            return 1000 * spent[0] / MEASURED, 1000 * spent[1] / MEASURED

        try:
            for user in ("first", USER):
                another(user)
                recall_for(graph, settings, user, "What does the crane lift?", 500)  # there is an index
            for _ in range(10):
                another("first")
            number, found = 1, []
            for size in SIZES:
                while number < size - MEASURED // 2:
                    another()
                found.append(measured())
                print(f"  beside {size:>5}{found[-1][0]:>7.0f}, of the graph{found[-1][1]:>6.0f}")
            folder = Path(scratch) / "others"
            folder.mkdir()
            for other in range(OTHERS):
                (folder / f"{other}.md").write_text(f"Boat {other} lies at quay {other % 23}.")
            ingest_paths(graph, USER, [folder], None, settings.clock)
            found.append(measured())
            print(f"  and {OTHERS:,} files{found[-1][0]:>6.0f}, of the graph{found[-1][1]:>6.0f}")
            print(f"  at {SIZES[-1]:,} to {SIZES[0]}: {found[-2][0] / found[0][0]:.2f} times as much, "
                  f"beside the files {found[-1][0] / found[0][0]:.2f} times")  # fmt: skip
        finally:
            graph.close()
            embedded.stop(settings)


if __name__ == "__main__":
    main()
