"""What would become of a file that moves in: sources, tasks, and a row for each of its lines. Pure.

A row is ``{"line", "text", "became", "ref"}``: ``became`` is memory, task, heading, blank, duplicate or skipped,
with a ``reason`` where it is skipped; ``ref`` is what ``explain`` takes, once the file has moved in. A line that
became several memories has their references in ``refs``. Secrets are masked in the rows as they are in what is
stored.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from memory_assets.entities.policy import statement_id
from memory_assets.entities.whole_lines import type_of
from memory_assets.heartbeat.reading import read_tasks
from memory_assets.heartbeat.tasks import Task, task_id
from memory_assets.memory_file.ceilings import DEFAULT_PRESET
from memory_assets.model import SourceType, reference
from memory_assets.privacy.masking import list_masks, mask_text
from memory_assets.runtime.edited_files import HEARTBEAT
from memory_assets.runtime.edited_files import MEMORY as MEMORY_FILE
from memory_assets.sources.formats.base import RawSource
from memory_assets.sources.formats.memory_blocks import BLANK, HEADING, SKIPPED, Split, split
from memory_assets.sources.formats.memory_lines import OWNER, sources_of
from memory_assets.sources.store import StoredLines, plan_lines

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
    """What a line became: a memory or a task, and its reference."""

    became: str
    ref: str
    text: str
    is_masked: bool


def plan_text(user: str, name: str, text: str, kind: str, now: datetime) -> Plan:
    """A file's text as what it would become for ``user``; ``kind`` is ``memory`` or ``heartbeat``."""
    whole = split(text)
    reading = read_tasks(text) if kind == HEARTBEAT else None
    tasks, spans = (reading.tasks, reading.spans) if reading else ([], {})
    of_tasks = {line for first, last in spans.values() for line in range(first, last + 1)}
    others = [one for one in whole.statements if not of_tasks.issuperset(range(one.first, one.last + 1))]
    found = Split(whole.lines, whole.fates, others, whole.day)
    sources = sources_of(SourceType.MEMORY_FILE, name, found)
    planned = [plan_lines(source, owner=user, path=name, now=now) for source in sources]
    made = _by_line(user, found, planned)
    masked = sum((one.masked for one in planned), Counter())
    for task in tasks:
        masks = list(list_masks(task.text, {}))
        masked += Counter({mask.kind: mask.count for mask in masks})
        first, last = spans[task.key]
        for number in range(first, last + 1):
            one = _Made(TASK, reference(task_id(user, task.key)), task.text, bool(masks))
            made.setdefault(number, []).insert(0, one)
    return Plan(tuple(sources), tuple(tasks), tuple(_rows(found, made)), masked)


def _by_line(user: str, found: Split, planned: Iterable[StoredLines]) -> dict[int, list[_Made]]:
    """Of each line the memories that it became, in the file's order. Sources hold statements by day, then in order."""
    ids: dict[tuple[int, str], tuple[str, str]] = {}
    by_day = sorted(found.statements, key=lambda one: one.day or found.day or "")
    for one, line in zip(by_day, (line for source in planned for line in source.lines), strict=True):
        ids.setdefault((one.first, one.text), (statement_id(user, OWNER, line.text), line.text))
    made: dict[int, list[_Made]] = {}
    seen: set[str] = set()
    for one in found.statements:
        identifier, text = ids[one.first, one.text]
        is_task = type_of(one.section, None)[0] == TASK
        became = DUPLICATE if identifier in seen else TASK if is_task else MEMORY
        seen.add(identifier)
        for number in range(one.first, one.last + 1):
            made.setdefault(number, []).append(_Made(became, reference(identifier), text, text != one.text))
    return made


def _rows(found: Split, made: dict[int, list[_Made]]) -> Iterable[Row]:
    for number, (line, fate) in enumerate(zip(found.lines, found.fates, strict=True), 1):
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


PLACES = {
    "claude-code": (".claude", "CLAUDE.md"),
    "openclaw": (".openclaw", "openclaw"),
    "hermes": (".hermes",),
    "codex": (".codex",),
}
"""The folders, or names of files, of the agents whose files have ceilings of their own."""


def preset_for(path: Path) -> str:
    """The preset whose agent reads a file of this name and place; our own where none shows."""
    parts = {*path.parts}
    return next((preset for preset, names in PLACES.items() if parts.intersection(names)), DEFAULT_PRESET)


def kind_for(path: Path, kind: str | None) -> str:
    """Whether a file is one of memories or of tasks, by its name where nobody says so."""
    if kind is not None:
        return kind
    return HEARTBEAT if "heartbeat" in path.name.casefold() else MEMORY_FILE
