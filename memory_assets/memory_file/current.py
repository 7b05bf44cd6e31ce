"""What a user's file follows from, and whether it stands as it was published. Reads only."""

from __future__ import annotations

from pathlib import Path

from memory_assets import publish
from memory_assets.graph.graph import Graph
from memory_assets.memory_file import selection
from memory_assets.model import fingerprint


def inputs_fingerprint(graph: Graph, user: str, readable: list[str]) -> str:
    """A digest of all that the file follows from, down to the sources, and of this code.

    The day is no part of it: a file from which nothing has changed needs no other order tomorrow.
    """
    rows = graph.read("memory_file/list_inputs", user_id=user)
    marks = sorted((row["kind"], row["id"], row["mark"]) for row in rows)
    return fingerprint(selection.CODE_VERSION, *readable, *(value for mark in marks for value in mark))


def stands_as_published(path: Path, sha256: str) -> bool:
    """Whether the file holds what was published: nobody has edited, replaced or removed it since."""
    return digest_on_disk(path) == sha256


def digest_on_disk(path: Path) -> str | None:
    """The SHA-256 of the regular file that stands there; None for anything else, or nothing."""
    try:
        with publish.open_to_read(path.parent) as folder:
            return publish.look(folder, path.name).sha256
    except (OSError, publish.PublishError):
        return None


def text_on_disk(path: Path, limit: int = 1_000_000) -> str | None:
    """The first ``limit`` bytes of the regular file that stands there, as far as they are text; else None."""
    if digest_on_disk(path) is None:
        return None
    with publish.open_to_read(path.parent) as folder:
        return publish.read(folder, path.name, limit).decode("utf-8", "replace")
