"""The scope of a run, given once for all of its steps: for whom it works, on which sources, and whether to redo
them.
"""

from collections.abc import Mapping
from datetime import datetime
from typing import Any, Literal

import dagster as dg
from pydantic import Field, ValidationError, field_validator

from memory_assets.clock import check_order, in_utc
from memory_assets.errors import MemoryAssetsError, WrongUseError
from memory_assets.model import check_owner
from memory_assets.runtime.marks import Step

CADENCES = ("5m", "15m", "1h", "6h")
"""How often curation looks at what, as a run's scope names it."""


class RunScope(dg.ConfigurableResource):
    """For whom a run works, on which sources, and whether to redo what is done. The defaults do what is due for
    everybody.
    """

    owners: list[str] = Field(
        default_factory=list,
        description="Only these users and teams (team-<team>), of the run's partitions or, in a run for EVERYBODY, "
        "of all. None: everybody for whom a step is due.",
    )

    since: str | None = Field(
        default=None,
        description="Process, extract and take notes only of what happened at or after this instant (ISO 8601, UTC).",
    )
    until: str | None = Field(
        default=None,
        description="Process, extract, take notes and consolidate only of what happened before this instant (ISO 8601, "
        "UTC).",
    )
    force: bool = Field(
        default=False, description="Redo what is already done. Answers already paid for are not paid again."
    )

    with_team: bool = Field(
        default=False,
        description="Extract all sources of a user's teams for the user; otherwise only those that the user has opened "
        "or had extracted before.",
    )
    retry: bool = Field(
        default=False, description="Process and extract again what has failed, though its time has not come."
    )
    consolidation: Literal["due", "plan", "all"] = Field(
        default="due",
        description="Of what is planned to be consolidated, carry out what was planned on an earlier day (due), "
        "nothing (plan), or all (all).",
    )
    naming: Literal["due", "new", "changed"] = Field(
        default="due",
        description="Of storylines and macros, make new ones (new), make anew those that have changed (changed), or "
        "both, each with its own limit (due).",
    )
    cadences: list[str] = Field(
        default_factory=list, description="Of curation, only the cycles of these: 5m, 15m, 1h, 6h. None: all."
    )
    dry_run: bool = Field(default=False, description="Curation writes nothing, and shows what its next cycle does.")
    sources: list[str] = Field(
        default_factory=list, description="Process and extract only these sources, by their ids. None: all that is due."
    )

    @field_validator("since", "until")
    @classmethod
    def _is_an_instant(cls, value: str | None) -> str | None:
        try:
            in_utc(datetime.fromisoformat(value or "2026-10-31"))
        except (ValueError, OverflowError):
            raise ValueError(
                f"{value!r} is no instant: write it as 2026-10-31 or 2026-10-31T09:00:00Z (ISO 8601)"
            ) from None
        return value or None

    @field_validator("owners")
    @classmethod
    def _are_names(cls, value: list[str]) -> list[str]:
        for name in value:
            try:
                check_owner(name)
            except MemoryAssetsError as error:
                raise ValueError(str(error)) from None
        return value

    @field_validator("cadences")
    @classmethod
    def _are_cadences(cls, value: list[str]) -> list[str]:
        for name in value:
            if name not in CADENCES:
                raise ValueError(f"{name!r} is no cadence of curation: there are {', '.join(CADENCES)}")
        return value

    def applied_to(self, step: Step) -> "RunScope":
        """What of it is meant for a step: a window is none for a file, and forcing reads no file again."""
        return RunScope(owners=self.owners, **{name: getattr(self, name) for name in sorted(step.takes)})

    def asks_for_more(self) -> bool:
        """Whether there can be something to do for an owner for whom, by the marks, nothing is due."""
        return self.force or self.with_team or self.retry or bool(self.sources)

    def window(self) -> list[str]:
        """The bounds that are set, as they may be noted: what lies outside is left for another run."""
        bounds = (("since", self.since), ("until", self.until))
        return [f"{name} {instant}" for name, instant in bounds if instant]

    def bounds(self) -> tuple[datetime | None, datetime | None]:
        """``(since, until)`` as aware instants; None means open."""
        return _instant(self.since), _instant(self.until)


def check_scope(values: Mapping[str, Any]) -> None:
    """Raise :class:`WrongUseError` where a run would refuse these values, before there is one."""
    try:
        check_order(*RunScope(**values).bounds())
    except ValidationError as error:
        wrong = "; ".join(
            f"{found['loc'][0]}: {found['msg'].removeprefix('Value error, ')}" for found in error.errors()
        )
        raise WrongUseError(f"{wrong.removesuffix('.')}.") from None


def _instant(text: str | None) -> datetime | None:
    return None if text is None else in_utc(datetime.fromisoformat(text))
