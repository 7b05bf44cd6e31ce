"""What of the user's files stands at a path: its entry on the list, what was put there, and the limits that fit it."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import datetime
from pathlib import Path

from memory_assets.commands.migrating_plan import HEARTBEAT_FILE, MEMORY_FILE
from memory_assets.graph.graph import Graph
from memory_assets.graph.owners import find_stage
from memory_assets.heartbeat.heartbeat_file import copy_stage
from memory_assets.memory_file.ceilings import DEFAULT_PRESET, PRESETS, Ceiling
from memory_assets.memory_file.drafts import find_manifest
from memory_assets.memory_file.user_files import UserFile, add_file, added_files, default_file, resolve_path
from memory_assets.settings import Settings

PLACES = {"claude-code": (".claude", "CLAUDE.md"), "openclaw": (".openclaw", "openclaw"), "hermes": (".hermes",), "codex": (".codex",)}
"""The folders, or names of files, of the agents whose files have ceilings of their own."""


def preset_for(path: Path) -> str:
    """The preset whose agent reads a file of this name and place; our own where none shows."""
    parts = {*path.parts}
    return next((preset for preset, names in PLACES.items() if parts.intersection(names)), DEFAULT_PRESET)


def kind_for(path: Path, kind: str | None) -> str:
    """Whether a file is one of memories or of tasks, by its name where nobody says so."""
    if kind is not None:
        return kind
    return HEARTBEAT_FILE if "heartbeat" in path.name.casefold() else MEMORY_FILE


def listed_file(graph: Graph, settings: Settings, user: str, path: Path) -> UserFile | None:
    """The file of this path among those that the user has added."""
    return next((file for file in added_files(graph, settings, user) if file.path == path), None)


def entry_of(file: UserFile) -> str:
    """What the user's list says of a file, as text."""
    return json.dumps({"kind": file.kind, "preset": file.preset, "limits": dict(file.ceiling.limits)}, sort_keys=True)


def list_again(graph: Graph, settings: Settings, user: str, path: Path, entry: str, now: datetime) -> None:
    """Put a file back on the user's list as :func:`entry_of` has noted it."""
    said = json.loads(entry)
    limits = None if said["preset"] in PRESETS else Ceiling(**said["limits"])
    add_file(graph, settings, user, path, now, preset=None if limits else said["preset"], ceiling=limits, kind=said["kind"])


def was_published(graph: Graph, user: str, file: UserFile) -> bool:
    """Whether we have put something at an added file's path, so that what stands there now is an edit of it."""
    if file.kind == HEARTBEAT_FILE:
        return bool(find_stage(graph, user, copy_stage(file.path)))
    return find_manifest(graph, file) is not None


def own_file(graph: Graph, settings: Settings, user: str, path: Path) -> UserFile | None:
    """The file of this path among all of the user's, the two that nobody need add included."""
    defaults = [default_file(settings, user, kind) for kind in (MEMORY_FILE, HEARTBEAT_FILE)]
    own = [replace(file, path=resolve_path(file.path)) for file in defaults]
    return next((file for file in (*own, *added_files(graph, settings, user)) if file.path == path), None)


def published_digests(graph: Graph, settings: Settings, user: str, path: Path, kind: str) -> list[str]:
    """The digests of what we have put, or were about to put, at a path."""
    own = own_file(graph, settings, user, path)
    if own is None:
        return []
    stage = copy_stage(path) if kind == HEARTBEAT_FILE else own.publication_stage
    manifest = find_manifest(graph, own)
    announced = (find_stage(graph, user, stage) or "").split(",")
    return [digest for digest in (*announced, manifest["sha256"] if manifest else "") if digest]
