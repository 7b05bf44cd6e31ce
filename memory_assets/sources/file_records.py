"""What is remembered of a file that was seen, as ``sources/upsert_source_files`` takes it, and what a pass reports of all."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from memory_assets.clock import to_iso
from memory_assets.privacy.masking import mask_text
from memory_assets.sources import disk_files, seen_files
from memory_assets.sources.formats.base import LineError
from memory_assets.sources.seen_files import KnownFile
from memory_assets.sources.source_rows import Row

MAX_LINE_ERRORS = 100


@dataclass
class IngestReport:
    """What became of the given paths. Every file is a source, set aside with a reason, or ignored."""

    sources: int = 0
    new: int = 0
    unchanged: int = 0
    files: int = 0
    ignored: int = 0
    waiting: int = 0  # changed a moment ago, and left for the next time
    set_aside: list[dict[str, str]] = field(default_factory=list)
    line_errors: list[dict[str, Any]] = field(default_factory=list)
    guessed: list[dict[str, str]] = field(default_factory=list)
    masked: Counter[str] = field(default_factory=Counter)  # by kind, in what was read this time


@dataclass
class FileState:
    """What is learned of one unit while it is read."""

    path: str
    size: int = 0
    content_fingerprint: str = ""
    stamp: str | None = None
    reason: str | None = None
    line_errors: list[LineError] = field(default_factory=list)
    source_ids: list[str] = field(default_factory=list)
    guessed: str | None = None


def read_record(identifier: str, state: FileState, version: int, kind: str | None, now: datetime) -> Row:
    """A file that was read, or set aside with its reason. Its path and its faults stand there masked."""
    errors = [f"{error.line}: {mask_text(error.reason)}" for error in state.line_errors]
    kept = errors[: MAX_LINE_ERRORS]
    if len(errors) > len(kept):
        kept.append(f"0: and {len(errors) - len(kept)} more")
    return {
        "id": identifier,
        "path": mask_text(disk_files.printable(state.path)),
        "size": state.size,
        "content_fingerprint": state.content_fingerprint,
        "stamp": state.stamp if state.content_fingerprint else None,
        "reader_version": version,
        "status": seen_files.FILE_READ if state.reason is None else seen_files.FILE_SET_ASIDE,
        "reason": state.reason and mask_text(state.reason),
        "line_errors": kept,
        "kind": kind,
        "source_ids": list(dict.fromkeys(state.source_ids)),
        "seen_at": to_iso(now),
    }


def renewed_record(identifier: str, known: KnownFile, state: FileState, now: datetime) -> Row:
    """A file that was touched and is what it was: all as it is known, with its new stamp."""
    return {
        "id": identifier,
        "path": known.path,
        "size": state.size,
        "content_fingerprint": known.content_fingerprint,
        "stamp": state.stamp,
        "reader_version": known.reader_version,
        "status": known.status,
        "reason": known.reason,
        "line_errors": list(known.line_errors),
        "kind": known.kind,
        "source_ids": list(known.source_ids),
        "seen_at": to_iso(now),
    }


def gone_record(identifier: str, known: KnownFile, version: int, now: datetime) -> Row:
    """A file that was set aside and is no longer there."""
    return {
        "id": identifier,
        "path": known.path,
        "size": 0,
        "content_fingerprint": "",
        "stamp": None,
        "reader_version": version,
        "status": seen_files.FILE_GONE,
        "reason": None,
        "line_errors": [],
        "kind": None,
        "source_ids": [],
        "seen_at": to_iso(now),
    }


def line_errors_of(path: str, errors: Iterable[str]) -> list[dict[str, Any]]:
    """A file's faults by line as a report lists them, from the texts of its record."""
    pairs = (error.partition(": ") for error in errors)
    return [{"path": path, "line": int(line), "reason": reason} for line, _, reason in pairs]


def nothing_found(errors: list[LineError]) -> str:
    """Why a file without a single source is set aside."""
    if not errors:
        return "It holds nothing that could be read."
    return f"None of its lines could be read; line {errors[0].line}: {errors[0].reason}"
