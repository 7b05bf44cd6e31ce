"""What would become of a file that moves in: sources, tasks, and a row for each of its lines. Pure.

A row is ``{"line", "text", "became", "ref"}``: ``became`` is memory, task, heading, blank, duplicate or skipped, with a
``reason`` where it is skipped; ``ref`` is what ``explain`` takes, once the file has moved in. A line that several memories
tell has their references in ``refs``. Secrets are masked in the rows as they are in what is stored.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Any

from memory_assets.entities.policy import statement_id
from memory_assets.entities.whole_lines import type_of
from memory_assets.graph.graph import Graph
from memory_assets.graph.owners import find_stage
from memory_assets.heartbeat.heartbeat_file import copy_stage
from memory_assets.heartbeat.reading import read_tasks
from memory_assets.heartbeat.tasks import Task, task_id
from memory_assets.memory_file.ceilings import DEFAULT_PRESET, PRESETS, Ceiling
from memory_assets.memory_file.drafts import find_manifest
from memory_assets.memory_file.user_files import UserFile, add_file, added_files, default_file, resolve_path
from memory_assets.model import SourceType, reference
from memory_assets.privacy.masking import list_masks, mask_text
from memory_assets.settings import Settings
from memory_assets.sources.formats.base import RawSource
from memory_assets.sources.formats.memory_lines import OWNER, sources_of
from memory_assets.sources.formats.memory_markdown import split
from memory_assets.sources.formats.memory_walk import BLANK, HEADING, SKIPPED, Split, Statement
from memory_assets.sources.told_lines import StoredLines, plan_lines

MEMORY_FILE, HEARTBEAT_FILE = "memory", "heartbeat"
MEMORY, TASK, DUPLICATE = "memory", "task", "duplicate"
SAID_ABOVE = "a line above says the same"

Row = dict[str, Any]


@dataclass(frozen=True)
class Plan:
    """What a file holds: the sources and periodic tasks to store, its lines' rows, and the secrets found, by kind."""

    sources: tuple[RawSource, ...]
    tasks: tuple[Task, ...]
    rows: tuple[Row, ...]
    masked: Counter[str]

    @property
    def counts(self) -> dict[str, int]:
        """How many lines became what."""
        return dict(sorted(Counter(row["became"] for row in self.rows).items()))


@dataclass(frozen=True)
class _Made:
    """What a line is told by: a memory or a task, and its reference."""

    became: str
    ref: str
    text: str
    is_masked: bool = False


def plan_text(user: str, name: str, text: str, kind: str, now: datetime) -> Plan:
    """A file's text as what it would become for ``user``; ``kind`` is ``memory`` or ``heartbeat``."""
    told = split(text)
    reading = read_tasks(text) if kind == HEARTBEAT_FILE else None
    spans = reading.spans if reading else {}
    of_tasks = {line for first, last in spans.values() for line in range(first, last + 1)}
    kept = [one for one in told.statements if not of_tasks.issuperset(range(one.first, one.last + 1))]
    found = Split(told.lines, told.fates, kept, told.day)
    sources = sources_of(SourceType.MEMORY_FILE, name, found)
    planned = [plan_lines(source, owner=user, path=name, now=now) for source in sources]
    made = _by_line(user, found, planned)
    tasks = reading.tasks if reading else []
    for task in tasks:
        first, last = spans[task.key]
        for number in range(first, last + 1):
            is_masked = any(True for _ in list_masks(task.text, {}))
            made.setdefault(number, []).insert(0, _Made(TASK, reference(task_id(user, task.key)), task.text, is_masked))
    masked = sum((one.masked for one in planned), Counter())
    for task in tasks:
        masked += Counter({mask.kind: mask.count for mask in list_masks(task.text, {})})
    return Plan(tuple(sources), tuple(tasks), tuple(_rows(found, made)), masked)


def _by_line(user: str, told: Split, planned: Iterable[StoredLines]) -> dict[int, list[_Made]]:
    """Of each line the memories that tell it, in the order of the file."""
    ids: dict[tuple[int, str], list[tuple[str, str]]] = {}
    days = _in_source_order(told)
    stored = [line for source in planned for line in source.lines]
    for one, line in zip(days, stored, strict=True):
        ids.setdefault((one.first, one.text), []).append((statement_id(user, OWNER, line.text), line.text))
    made: dict[int, list[_Made]] = {}
    seen: dict[str, int] = {}
    for one in told.statements:
        identifier, text = ids[one.first, one.text][0]
        if identifier in seen:
            became = DUPLICATE
        else:
            became = TASK if _is_task(one) else MEMORY
            seen[identifier] = one.first
        for number in range(one.first, one.last + 1):
            made.setdefault(number, []).append(_Made(became, reference(identifier), text, text != one.text))
    return made


def _in_source_order(told: Split) -> Sequence[Statement]:
    """The statements as :func:`sources_of` puts them into sources: by day, then as they stand."""
    return sorted(told.statements, key=lambda one: one.day or told.day or "")


def _is_task(one: Statement) -> bool:
    return type_of(one.section, None)[0] == TASK


def _rows(told: Split, made: dict[int, list[_Made]]) -> Iterable[Row]:
    for number, (line, fate) in enumerate(zip(told.lines, told.fates, strict=True), 1):
        by = made.get(number, []) if line.strip() else []
        row: Row = {"line": number, "text": _shown(line, by), "became": BLANK, "ref": None}
        new = [one for one in by if one.became != DUPLICATE]
        if by:
            chosen = (new or by)[0]
            row |= {"became": chosen.became, "ref": chosen.ref}
            refs = list(dict.fromkeys(one.ref for one in by))
            row |= {"refs": refs} if len(refs) > 1 else {}
            row |= {"reason": SAID_ABOVE} if chosen.became == DUPLICATE else {}
        elif fate.kind == HEADING:
            row["became"] = HEADING
        elif line.strip():
            row |= {"became": SKIPPED, "reason": fate.reason or "it says nothing in words"}
        yield row


def _shown(line: str, by: Sequence[_Made]) -> str:
    """A line without its secrets: those that show only in several lines together take the line with them."""
    shown = mask_text(line)
    if shown == line and any(one.is_masked for one in by):
        plain = "".join(filter(str.isalnum, line))
        if not any(plain in "".join(filter(str.isalnum, one.text)) for one in by):
            return "[masked]"
    return shown


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
