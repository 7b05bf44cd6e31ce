"""How a note is stored, whichever step takes it: its id, and how long it is retained (004, Note Retention). Pure."""

from __future__ import annotations

from memory_assets.model import node_id

LIFETIME_DAYS: dict[str, int | None] = {"week": 7, "month": 30, "year": 365, "forever": None}
"""How long a note is of use, counted from the event it is about (004, Note Retention); the longest last."""

LIFETIME_RANKS = {name: rank for rank, name in enumerate(LIFETIME_DAYS, start=1)}


def lifetimes() -> dict[str, list[str]]:
    """What ``graph/place_notes`` takes of the lifetimes, by rank: their names and their lengths, empty where it has
    no end.
    """
    lengths = ["" if days is None else f"P{days}D" for days in LIFETIME_DAYS.values()]
    return {"lifetimes": list(LIFETIME_DAYS), "durations": lengths}


def note_id(user: str, subject_id: str, source_id: str, content: str) -> str:
    """The id of a note: subject, source, and content (case, spaces and the closing point do not matter)."""
    return node_id("note", user, subject_id, source_id, " ".join(content.split()).casefold().rstrip(" .!…"))
