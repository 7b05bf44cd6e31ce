"""What lies in an owner's inbox: what the sensor on the inbox and the check of raw_sources look at. Opens nothing but the heads
of days of Slack, by which their folders are known."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from memory_assets.graph.graph import Graph
from memory_assets.model import fingerprint
from memory_assets.privacy.masking import mask_text
from memory_assets.sources import disk_files, seen_files, units, walking

INBOX_SETTLE_SECONDS = 5.0
"""Automated runs leave a file of an inbox alone until it has not changed for so long: it may still be growing."""


@dataclass(frozen=True)
class InboxLook:
    """The state of an inbox by its files' stamps.

    ``digest`` changes with every settled file and with what cannot be read; ``files`` counts the units that have
    settled, ``waiting`` those that have not; ``unreadable`` are the folders that cannot be listed.
    """

    digest: str
    files: int
    waiting: int
    unreadable: tuple[str, ...]


def look_at(inbox: Path, now: float, settle_seconds: float = INBOX_SETTLE_SECONDS) -> InboxLook:
    """Look at each file's stamp; ``now`` in seconds since 1970, by the clock of the files."""
    found = walking.walk([inbox])
    settled: list[str] = []
    waiting = 0
    for unit in found.units:
        stamp = units.stamp_of(unit)
        if stamp is None:
            continue  # gone since it was listed
        if seen_files.is_settled(stamp.changed_at, now, settle_seconds):
            settled += (unit.path, stamp.text)
        else:
            waiting += 1
    aside = [text for pair in found.set_aside for text in pair]
    return InboxLook(
        digest=fingerprint(seen_files.reader_version(False), *(disk_files.printable(text) for text in settled), "set aside", *map(disk_files.printable, aside)),
        files=len(settled) // 2,
        waiting=waiting,
        unreadable=tuple(path for path, _ in found.set_aside if os.path.isdir(path) and not os.path.islink(path)),
    )


@dataclass(frozen=True)
class InboxVerdict:
    """How many files an inbox holds, which are set aside, which nothing is known of, and how many came just now."""

    files: int
    set_aside: tuple[str, ...]
    passed_over: tuple[str, ...]
    waiting: int = 0


def judge_inbox(graph: Graph, owner: str, inbox: Path, since: float | None = None) -> InboxVerdict:
    """Compare an inbox with what ingestions have recorded of it; reads no file.

    What nothing is known of and changed at or after ``since`` (seconds since 1970, by the clock of the files) is the
    next run's, and not passed over: with the time at which a run began, less the time that files take to settle,
    nobody is told of a file that arrived during the run.
    """
    found = walking.walk([inbox])
    status = {row["id"]: row["status"] for row in graph.read("sources/list_source_files", user_id=owner)}
    set_aside: list[str] = []
    passed_over: list[str] = []
    waiting = 0
    changed = {unit.path: units.stamp_of(unit) for unit in found.units}
    for path in [*changed, *(path for path, _ in found.set_aside)]:
        known = status.get(seen_files.file_id(owner, os.fsencode(path)))
        if known == seen_files.FILE_SET_ASIDE:
            set_aside.append(mask_text(disk_files.printable(path)))
        elif known in (None, seen_files.FILE_GONE):
            stamp = changed.get(path)
            if since is not None and stamp is not None and stamp.changed_at >= since:
                waiting += 1
            else:
                passed_over.append(mask_text(disk_files.printable(path)))
    return InboxVerdict(len(changed) + len(found.set_aside), tuple(set_aside), tuple(passed_over), waiting)
