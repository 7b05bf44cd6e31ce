"""What a user's file follows from, and which published files somebody has changed. Reads only."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from memory_assets.files.on_disk import stands_as_published
from memory_assets.graph.graph import Graph
from memory_assets.memory_file import selection
from memory_assets.model import fingerprint, is_team


def inputs_fingerprint(graph: Graph, user: str, readable: list[str]) -> str:
    """A digest of all that the file follows from, down to the sources, and of this code.

    The day is no part of it: a file from which nothing has changed needs no other order tomorrow.
    """
    rows = graph.read("memory_file/list_inputs", user_id=user)
    marks = sorted((row["kind"], row["id"], row["mark"]) for row in rows)
    return fingerprint(selection.CODE_VERSION, *readable, *(value for mark in marks for value in mark))


def changed_files(graph: Graph, owners: Sequence[str]) -> dict[str, list[Path]]:
    """The published files that are not as they were published, by user: edited by somebody, replaced or gone."""
    users = [owner for owner in owners if not is_team(owner)]
    changed: dict[str, list[Path]] = {}
    for row in graph.read("memory_file/list_published", user_ids=users):
        if not stands_as_published(path := Path(row["path"]), row["sha256"]):
            changed.setdefault(row["user_id"], []).append(path)
    return changed
