"""Which sources a user's extraction is due for (specification 004, Per-User Extraction). Pure.

An extraction is current as long as its fingerprint: the source's text and what is known of it, the prompt's
wording, the model, the embedder and the code that decides. How the source was described is no part of it.

A team's source is extracted for a member who needs it: who has opened it, has recalled it, or had it extracted
before. Such a source has an Extraction of the member's, which says ``wanted`` until it was made.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from memory_assets.batches import event_order, is_within
from memory_assets.clock import END_OF_TIME, to_iso
from memory_assets.entities.naming.records import Profile
from memory_assets.entities.text import owner_speaker, writer_of
from memory_assets.model import fingerprint

SOURCES_PER_BATCH = 16
"""How many sources of ordinary length share a round of model calls and a transaction: what a kill can cost."""

WANTED = "wanted"
"""The status of an extraction that was asked for and not tried yet."""

Row = Mapping[str, Any]


@dataclass(frozen=True)
class DueSource:
    """A source to extract, the fingerprint it will then have, and whether it was extracted before.

    ``attempts``: how often it has failed in a row with this fingerprint; ``tokens``: how long its text is.
    """

    id: str
    fingerprint: str
    seen: bool
    is_own: bool
    started_at: datetime | None
    attempts: int = 0
    tokens: int = 0
    extracted_from_at: datetime | None = None
    """When it had happened by its last extraction; a source's time changes as more of it arrives."""

    @property
    def first_at(self) -> datetime:
        """The first instant at which it has happened or had; after all others where nobody knows."""
        return min(at or END_OF_TIME for at in (self.started_at, self.extracted_from_at))


@dataclass(frozen=True)
class Due:
    """The sources to extract, oldest first, and those that only lack the word 'extracted'."""

    sources: tuple[DueSource, ...]
    to_mark: tuple[str, ...]
    standing: int
    waiting: int = 0
    """Failed, and left alone until their time comes or something changes."""
    unwanted: int = 0
    """Of the user's teams, and never asked for."""
    unasked: int = 0
    """Due, but not among the sources that this run is for."""


def choose_due(
    sources: Iterable[Row],
    extractions: Iterable[Row],
    *,
    user: str,
    recipe: str,
    now: datetime,
    since: datetime | None = None,
    until: datetime | None = None,
    force: bool = False,
    retry: bool = False,
    only: Collection[str] = (),
    profile: Profile | None = None,
) -> Due:
    """What is missing, was made from something else, or failed and may pass now; within a window, all of it when
    forced.

    ``retry``: whatever has failed, too. ``only``: nothing but the sources with these ids, when any are given. The
    profile counts only where it makes somebody else the owner's speaker.
    """
    made = {row["source_id"]: row for row in extractions}
    wanted_ids = set(only)
    due: list[DueSource] = []
    to_mark: list[str] = []
    standing = waiting = unwanted = unasked = 0
    for source in sorted(sources, key=event_order):
        known = made.get(source["id"])
        is_own = source["owner"] == user
        if known is None and not is_own:
            unwanted += 1
            continue
        speaker = _other_speaker(source, profile, user)
        wanted = fingerprint(source["text_fingerprint"], to_iso(source["started_at"]), recipe, *speaker)
        before: Mapping[str, Any] = known or {}
        same = before.get("fingerprint") == wanted
        is_current = same and before["status"] == "extracted"
        if not (force or is_current or retry) and same and _waits(before, now):
            waiting += 1
        elif is_within(source["started_at"], since, until) and (force or not is_current):
            if wanted_ids and source["id"] not in wanted_ids:
                unasked += 1
                continue
            seen = known is not None and known["status"] != WANTED
            attempts = (before["attempts"] or 0) if same else 0
            tokens = source.get("tokens") or 0
            began, before_it = source["started_at"], before.get("source_started_at")
            due.append(DueSource(source["id"], wanted, seen, is_own, began, attempts, tokens, before_it))
        elif is_current:
            standing += 1
            if is_own and source["processing_status"] == "processed":
                to_mark.append(source["id"])
    return Due(tuple(due), tuple(to_mark), standing, waiting, unwanted, unasked)


def _waits(extraction: Row, now: datetime) -> bool:
    """Whether one that failed is not to be tried yet. Of a failure without a count nobody knows what it was."""
    if extraction["status"] != "failed" or not extraction["attempts"]:
        return False
    return extraction["next_attempt_at"] is None or extraction["next_attempt_at"] > now


def _other_speaker(source: Row, profile: Profile | None, user: str) -> tuple[str, ...]:
    """The profile's speaker, where that is not the one that the source's roles give; who writes the user's notes."""
    if profile is None:
        return ()
    if writer := writer_of(profile, source["source_type"], is_own=source["owner"] == user):
        return (f"{writer} writes",)
    by_role = source["by_role"] if source["owner"] == user else None
    speaker = owner_speaker(profile, source["speakers"], source["source_type"], source["addresses"], by_role)
    return (f"owner speaks as {speaker}",) if speaker != by_role else ()
