"""Publish in processes that are killed at their first, second, third … step, and tell what each left.

``python -m memory_assets_tests.support.killed_publication FOLDER STANDING`` prints one JSON object per kill: the text
that stands in FOLDER/MEMORY.md then (null for none), and the names in the folder after the next publication.
The last line has ``killed`` false: that process came to its end.
"""

from __future__ import annotations

import json
import os
import signal
import sys
from pathlib import Path

from memory_assets.files.publish import digest, publish

OURS, NEW = "# Memory of maria\n", "# Memory of maria\n\n## Key Insights\n- Ü [123456789]\n"
STEPS = ("open", "os.", "ctypes.dlsym")
"""Python announces what it asks of the system, before it does."""


def killed_at(step: int, path: Path) -> bool:
    """Publish in a process that is killed at its ``step``; False when it ended before that."""
    child = os.fork()
    if child == 0:
        seen = 0

        def count(event: str, _: tuple[object, ...]) -> None:
            nonlocal seen
            if event.startswith(STEPS):
                seen += 1
                if seen == step:
                    os.kill(os.getpid(), signal.SIGKILL)

        sys.addaudithook(count)
        publish(path, NEW, {digest(OURS)})
        os._exit(0)
    return os.WIFSIGNALED(os.waitpid(child, 0)[1])


def main(folder: Path, standing: str) -> None:
    """Kill at every step, each time from the same start."""
    for step in range(1, 200):
        path = folder / str(step) / "MEMORY.md"
        path.parent.mkdir(parents=True)
        if standing:
            path.write_text(standing, encoding="utf-8")
        killed = killed_at(step, path)
        found = path.read_text(encoding="utf-8") if path.exists() else None
        publish(path, NEW, {digest(OURS)})
        names = sorted(entry.name for entry in path.parent.iterdir())
        print(json.dumps({"killed": killed, "found": found, "after": path.read_text(encoding="utf-8"), "names": names}))
        if not killed:
            return


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2])
