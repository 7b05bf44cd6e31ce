"""What an edit of a published memory file consists of: lines that were added, changed or removed. Plain data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

KEPT, ADDED, CHANGED, STRUCK, AGAIN, NOTHING = "kept", "added", "changed", "struck", "again", "nothing"


@dataclass(frozen=True)
class Added:
    """Words that were not in the published file: at ``line`` of the edited one, under ``heading``, one of ours or
    another. ``ref`` is a reference that the published file does not have: an older line's, maybe."""

    line: int
    text: str
    heading: str | None
    ref: str | None = None


@dataclass(frozen=True)
class Changed:
    """An entry that stands in other words now."""

    memory_id: str
    ref: str
    line: int
    before: str
    after: str
    section: str


@dataclass(frozen=True)
class Removed:
    """An entry that is gone."""

    memory_id: str
    ref: str
    before: str
    section: str


@dataclass(frozen=True)
class Edit:
    """Everything that differs, and what each line of the edited file is (:attr:`became`, by its number from 1)."""

    added: tuple[Added, ...] = ()
    changed: tuple[Changed, ...] = ()
    removed: tuple[Removed, ...] = ()
    vanished: tuple[Removed, ...] = ()
    """What is gone where so much is gone, or the file is cut, that a person has to confirm it."""
    became: Mapping[int, str] = field(default_factory=dict)

    def __bool__(self) -> bool:
        return bool(self.added or self.changed or self.removed or self.vanished)
