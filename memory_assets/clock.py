"""The one clock. Nothing else in the project asks the machine for the time.

``MEMORY_ASSETS_NOW`` (ISO 8601) stops it at an instant, so that tests and backfills can travel in time.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from datetime import UTC, date, datetime

from memory_assets.errors import WrongUseError

MONTHS = (
    *("January", "February", "March", "April", "May", "June"),
    *("July", "August", "September", "October", "November", "December"),
)
"""As days are written and read here, whatever the machine's locale calls them."""

END_OF_TIME = datetime(9999, 12, 31, tzinfo=UTC)
"""After all that has happened: where nothing has, or nobody knows when."""


@dataclass(frozen=True)
class Clock:
    """The time in UTC, or always ``fixed`` when that is given."""

    fixed: datetime | None = None

    def now(self) -> datetime:
        """The current instant: aware, in UTC, whole milliseconds (what both engines store alike)."""
        instant = in_utc(self.fixed or datetime.now(UTC))
        return instant.replace(microsecond=instant.microsecond // 1000 * 1000)

    def file_time(self) -> float:
        """Seconds since 1970, for the ages of files and for pauses: never stopped, since files' stamps are not.

        The machine's own clock, and not the stamp of a file touched for it: sources are read in place, from
        folders in which nothing is to be written, and HOME may lie on another file system than they do. Where a
        server stamps the files with a clock of its own, a file that is still growing can look settled; it is
        then read again when it has grown.
        """
        return time.time()


def check_order(first: date | None, last: date | None) -> None:
    """Raise :class:`WrongUseError` where a span of days or instants ends before it begins; None is open."""
    if first and last and first > last:
        raise WrongUseError(f"{first} is later than {last}: exchange these days.")


def in_utc(instant: datetime) -> datetime:
    """The same instant, aware, in UTC; one without a zone is meant so."""
    return instant.replace(tzinfo=UTC) if instant.tzinfo is None else instant.astimezone(UTC)


def sortable(instant: datetime) -> str:
    """An instant as text that sorts by time, without parts of a second and without a point in it."""
    return in_utc(instant).strftime("%Y%m%dT%H%M%SZ")


def day_of(instant: datetime) -> date:
    """The day of an instant, in UTC."""
    return in_utc(instant).date()


def read_day(text: str) -> date:
    """A day, or that of an instant in UTC, as ISO 8601 writes them. Raises :class:`ValueError`."""
    try:
        return day_of(datetime.fromisoformat(text))
    except OverflowError:  # in UTC it is of a year before the first, or after the last
        raise ValueError(f"{text!r} is on no day of the calendar") from None


def in_order(at: datetime | None, identifier: str) -> tuple[bool, datetime, str]:
    """What sorts by time: what has none last, what is of one instant by its id."""
    return at is None, at or END_OF_TIME, identifier


def to_iso(instant: datetime | None) -> str | None:
    """UTC ISO 8601 text, for example ``2026-05-03T09:00:00.000Z``: how instants travel into the graph."""
    if instant is None:
        return None
    return in_utc(instant).isoformat(timespec="milliseconds").replace("+00:00", "Z")
