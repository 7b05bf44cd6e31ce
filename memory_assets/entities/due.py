"""Which sources a user's extraction is due for (specification 004, Per-User Extraction). Pure.

An extraction stands as long as its fingerprint does: the source's text and what is known of it, the prompt's
wording, the model, the embedder and the code that decides. How the source was described is no part of it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from memory_assets.clock import to_iso
from memory_assets.entities.naming.records import Profile
from memory_assets.entities.speaker import owner_speaker
from memory_assets.model import fingerprint

SOURCES_PER_BATCH = 16
"""How many sources share a round of model calls and a transaction: what a kill can cost."""

Row = Mapping[str, Any]


@dataclass(frozen=True)
class DueSource:
    """A source to extract, the fingerprint it will then have, and whether it was extracted before."""

    id: str
    fingerprint: str
    seen: bool
    is_own: bool
    started_at: datetime | None


@dataclass(frozen=True)
class Due:
    """The sources to extract, oldest first, and those that only lack the word 'extracted'."""

    sources: tuple[DueSource, ...]
    to_mark: tuple[str, ...]
    standing: int


def choose_due(
    sources: Iterable[Row],
    extractions: Iterable[Row],
    *,
    user: str,
    recipe: str,
    since: datetime | None = None,
    until: datetime | None = None,
    force: bool = False,
    profile: Profile | None = None,
) -> Due:
    """What is missing, failed, or was made from something else; within a window, all of it when forced.

    The profile counts only where it makes somebody else the owner's speaker.
    """
    made = {row["source_id"]: row for row in extractions}
    due: list[DueSource] = []
    to_mark: list[str] = []
    standing = 0
    for source in sorted(sources, key=_event_order):
        known = made.get(source["id"])
        wanted = fingerprint(
            source["text_fingerprint"], to_iso(source["started_at"]), recipe, *_other_speaker(source, profile, user)
        )
        stands = known is not None and known["status"] == "extracted" and known["fingerprint"] == wanted
        if _within(source["started_at"], since, until) and (force or not stands):
            is_own = source["owner"] == user
            due.append(DueSource(source["id"], wanted, known is not None, is_own, source["started_at"]))
        elif stands:
            standing += 1
            if source["owner"] == user and source["processing_status"] == "processed":
                to_mark.append(source["id"])
    return Due(tuple(due), tuple(to_mark), standing)


def batches(due: Sequence[DueSource], size: int = SOURCES_PER_BATCH) -> Iterator[Sequence[DueSource]]:
    """The due sources in rounds."""
    for start in range(0, len(due), size):
        yield due[start : start + size]


def _event_order(source: Row) -> tuple[bool, str, str]:
    return source["started_at"] is None, to_iso(source["started_at"]) or "", source["id"]


def _other_speaker(source: Row, profile: Profile | None, user: str) -> tuple[str, ...]:
    """The profile's speaker, where that is not the one that the source's roles give."""
    if profile is None:
        return ()
    by_role = source["by_role"] if source["owner"] == user else None
    speaker = owner_speaker(profile, source["speakers"], source["source_type"], source["addresses"], by_role)
    return (f"owner speaks as {speaker}",) if speaker != by_role else ()


def _within(at: datetime | None, since: datetime | None, until: datetime | None) -> bool:
    """Whether an event lies in a window; an unknown time lies in none but the open one."""
    if since is None and until is None:
        return True
    return at is not None and (since is None or at >= since) and (until is None or at < until)
