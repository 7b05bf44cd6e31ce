"""How much memory an ingestion and a build take as the number of sources grows, and what a second ingestion costs.

The peak of the process that works (``ru_maxrss`` of the child), at 100, 1,000 and 10,000 sources; the graph has a
process of its own with a fixed heap. ``python -m memory_assets_tests.bench.memory [SIZE…]``; a size with a ``b``
behind it is built too.
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
from pathlib import Path

from memory_assets_tests.bench.throughput import write_inbox
from memory_assets_tests.support.installation import Installation, installation

SIZES = ("100b", "1000b", "10000")


def peak_of(house: Installation, *command: str) -> tuple[float, int]:
    """Seconds and the peak resident memory (MiB) of a command as a whole process."""
    began = time.perf_counter()
    with open(os.devnull, "w") as nowhere:
        process = house.start(*command, stdout=nowhere, stderr=nowhere)
        _, code, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(code)
    assert process.returncode == 0, f"{command} ended with {process.returncode}"
    return time.perf_counter() - began, used.ru_maxrss // 1024


def main(sizes: tuple[str, ...] = SIZES) -> None:
    """Print seconds and peaks by size."""
    print("\nMemory (peak of the working process, MiB; seconds as whole processes)")
    print(f"  {'sources':>8}{'ingest':>9}{'peak':>7}{'again':>9}{'peak':>7}{'build':>9}{'peak':>7}")
    for size in sizes:
        count = int(size.rstrip("b"))
        with tempfile.TemporaryDirectory() as scratch, installation(Path(scratch) / "home") as house:
            write_inbox(Path(scratch) / "files", count)
            house.run("graph", "start")
            user, files = ["--user", "bench"], str(Path(scratch) / "files")
            figures = [*peak_of(house, "ingest", files, *user), *peak_of(house, "ingest", files, *user)]
            figures += peak_of(house, "materialize", *user) if size.endswith("b") else []
            shown = [f"{figure:>9.1f}" if number % 2 == 0 else f"{figure:>7}" for number, figure in enumerate(figures)]
            print(f"  {count:>8}{''.join(shown)}")


if __name__ == "__main__":
    main(tuple(sys.argv[1:]) or SIZES)
