"""The window of a run: which sources it may touch, and whether to redo what is already done."""


from datetime import UTC, datetime

import dagster as dg
from pydantic import Field, field_validator


class WindowConfig(dg.Config):
    """Run configuration of every step that works source by source. The defaults do what is due."""

    since: str | None = Field(
        default=None, description="Only sources that happened at or after this instant (ISO 8601, UTC)."
    )
    until: str | None = Field(
        default=None, description="Only sources that happened before this instant (ISO 8601, UTC)."
    )
    force: bool = Field(
        default=False, description="Redo what is already done. Answers already paid for are not paid again."
    )

    @field_validator("since", "until")
    @classmethod
    def _is_an_instant(cls, value: str | None) -> str | None:
        if value:
            datetime.fromisoformat(value)
        return value or None

    def bounds(self) -> tuple[datetime | None, datetime | None]:
        """``(since, until)`` as aware instants; None means open."""
        return _instant(self.since), _instant(self.until)


def _instant(text: str | None) -> datetime | None:
    if text is None:
        return None
    instant = datetime.fromisoformat(text)
    return instant.replace(tzinfo=UTC) if instant.tzinfo is None else instant.astimezone(UTC)
