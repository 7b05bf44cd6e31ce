"""What is known of files that were seen before, and whether there are others: opens only what was touched since."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable
from pathlib import Path

from memory_assets.clock import Clock
from memory_assets.errors import SourceUnreadableError
from memory_assets.graph.graph import Graph
from memory_assets.model import SourceType
from memory_assets.settings import Settings
from memory_assets.sources import disk_files, seen_files, units, walking
from memory_assets.sources.seen_files import KnownFile


def known_files(graph: Graph, owner: str) -> dict[str, KnownFile]:
    """Every file that the owner's ingestions have seen, by the id of its bookkeeping."""
    return {
        row["id"]: KnownFile(
            path=row["path"],
            content_fingerprint=row["content_fingerprint"] or "",
            stamp=row["stamp"],
            reader_version=row["reader_version"],
            kind=row["kind"],
            status=row["status"],
            reason=row["reason"],
            source_ids=tuple(row["source_ids"] or ()),
            line_errors=tuple(row["line_errors"] or ()),
        )
        for row in graph.read("sources/list_source_files", user_id=owner)
    }


def has_new_files(
    graph: Graph,
    owner: str,
    paths: Iterable[str | Path],
    kind: str | None = None,
    *,
    settle_seconds: float = 0,
    clock: Clock | None = None,
    most_bytes: int | None = None,
    keep_originals: bool = False,
) -> bool:
    """Whether an ingestion of ``paths`` would find anything that it doesn't know.

    One query and a look at each file's stamp; only files touched since they were read are opened, and compared
    by their bytes. Where that is more than ``most_bytes``, the answer is yes: an ingestion has the time.
    """
    known = known_files(graph, owner)
    version = seen_files.reader_version(keep_originals)
    now = (clock or Clock()).file_time()
    found = walking.walk(paths, group_slack=kind in (None, SourceType.SLACK))
    for path, _ in found.set_aside:
        before = known.get(seen_files.file_id(owner, os.fsencode(path)))
        if before is None or before.status != seen_files.FILE_SET_ASIDE:
            return True
    touched: list[tuple[units.Unit, KnownFile]] = []
    for unit in found.units:
        stamp = units.stamp_of(unit)
        if stamp is None or not seen_files.is_settled(stamp.changed_at, now, settle_seconds):
            continue
        before = known.get(seen_files.file_id(owner, os.fsencode(unit.path)))
        if before is None:
            return True
        if not seen_files.is_untouched(before, stamp.text, version, kind):
            touched.append((unit, before))
    if most_bytes is not None and units.size_of([unit for unit, _ in touched]) > most_bytes:
        return True
    return any(_has_changed(unit, before, version, kind) for unit, before in touched)


def _has_changed(unit: units.Unit, before: KnownFile, version: int, kind: str | None) -> bool:
    try:
        _, content_fingerprint = identity_of(unit)
    except FileNotFoundError:
        return False
    except (OSError, SourceUnreadableError):
        return before.status != seen_files.FILE_SET_ASIDE
    return not seen_files.is_unchanged(before, content_fingerprint, version, kind)


def identity_of(unit: units.Unit) -> tuple[int, str]:
    """A unit's size and the digest of all that its sources depend on."""
    if not isinstance(unit, units.SlackUnit):
        with disk_files.opened(unit.path) as stream:
            return os.fstat(stream.fileno()).st_size, disk_files.digest(stream)
    size = 0
    parts: list[tuple[str, str]] = []
    for path in units.members(unit):
        try:
            with disk_files.opened(path) as stream:
                size += os.fstat(stream.fileno()).st_size
                parts.append((path, disk_files.digest(stream)))
        except (OSError, SourceUnreadableError) as error:
            parts.append((path, type(error).__name__))
    text = json.dumps([(disk_files.printable(os.path.basename(path)), digest) for path, digest in parts])
    return size, hashlib.sha256(text.encode()).hexdigest()[:32]


def find_new_files(graph: Graph, settings: Settings, owners: Iterable[str]) -> list[str]:
    """The owners in whose inboxes there are files that no ingestion has read."""
    inboxes = ((owner, settings.inbox / owner) for owner in owners)
    return [owner for owner, inbox in inboxes if inbox.is_dir() and has_new_files(
        graph, owner, [inbox], keep_originals=settings.keep_originals
    )]
