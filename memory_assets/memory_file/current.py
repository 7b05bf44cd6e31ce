"""What a user's file follows from, and whether it follows from that still. Reads only."""

from __future__ import annotations

from datetime import datetime

from memory_assets.graph.graph import Graph
from memory_assets.graph.owners import readable_owners
from memory_assets.memory_file import publish, selection
from memory_assets.model import fingerprint
from memory_assets.settings import Settings


def inputs_fingerprint(graph: Graph, user: str, readable: list[str], now: datetime) -> str:
    """A digest of all that the file follows from, down to the sources, the day and this code."""
    rows = graph.read("memory_file/list_inputs", user_id=user, user_ids=readable)
    marks = sorted((row["kind"], row["id"], row["mark"]) for row in rows)
    day = now.date().isoformat()
    return fingerprint(selection.CODE_VERSION, day, *readable, *(value for mark in marks for value in mark))


def is_current(graph: Graph, settings: Settings, user: str) -> bool:
    """Whether the published file reflects everything stored, and nobody has touched it since.

    Three cheap queries and one digest. It sees sources, extractions, storylines, macros and values as they
    are stored; whether a prompt or a model has changed since is for the earlier stages to say.
    """
    manifests = graph.read("memory_file/find_manifest", user_id=user)
    if not manifests:
        return False
    readable = readable_owners(graph, user)
    if manifests[0]["inputs_fingerprint"] != inputs_fingerprint(graph, user, readable, settings.clock.now()):
        return False
    path = settings.memory_file(user)
    if not path.parent.is_dir() or path.parent.is_symlink():
        return False
    with publish.open_folder(path.parent) as folder:
        return publish.look(folder, path.name).sha256 == manifests[0]["sha256"]
