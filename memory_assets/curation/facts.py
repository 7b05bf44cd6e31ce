"""What curation decides by: one memory's properties and what refers to it, at the moment it was read. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

WEEK = timedelta(days=7)
TIERS = ("HOT", "WARM", "COLD", "ARCHIVE")
"""From the one that an agent has at hand to the one that it has to ask for (001, Tier Demotion Rules)."""
RECENT = 10
"""So many of the last retrievals are stored with their times: no threshold of 001 asks for more."""


@dataclass(frozen=True)
class Facts:
    """A memory as it was read. None means that something is not known; ``version`` guards whatever is written of it."""

    id: str
    kind: str
    created_at: datetime
    changed_at: datetime | None = None
    state: str | None = None
    version: int = 0
    ttl_policy: str | None = "decay"
    is_owner: bool = False
    agent: str | None = None
    ref: str | None = None
    text: str = ""
    tier: str | None = None
    tiered_at: datetime | None = None
    budgeted_at: datetime | None = None
    """When a tier's budget had no room for it, where it has not moved since."""
    token_count: int = 0
    last_accessed_at: datetime | None = None
    recent_accesses: tuple[datetime, ...] = ()
    access_count: int | None = 0
    accessed_by: tuple[str, ...] = ()
    archived_at: datetime | None = None
    restored_at: datetime | None = None
    confidence: float | None = None
    stated_confidence: float | None = None
    confirmed_at: datetime | None = None
    status: str | None = None
    is_read: bool | None = None
    is_critical: bool | None = None
    active: bool | None = None
    consolidated: bool | None = None
    needs_consolidation: bool | None = None
    severity: str | None = None
    has_source: bool = True
    relationships: int = 0
    agent_references: int = 0
    """How many agents' records refer to it."""
    is_believed: bool = False
    """An active belief refers to it."""
    is_recommended_on: bool = False
    """A recommendation refers to it."""
    is_learned_from: bool = False
    is_in_session: bool = False
    """An active session refers to it."""
    is_in_work: bool = False
    """A task in progress refers to it, or it to one."""

    @property
    def since(self) -> datetime:
        """What a time to live counts from: when it came into the state that it is in, or was brought back."""
        return max(filter(None, (self.created_at, self.changed_at, self.restored_at)))

    @property
    def last_used(self) -> datetime:
        """The later of its ingestion and its last retrieval (design of decay, 004)."""
        return max(filter(None, (self.since, self.last_accessed_at)))

    @property
    def is_archived(self) -> bool:
        """Whether it is out of whatever is shown unasked."""
        return self.state == "archived"

    def accesses_7d(self, at: datetime) -> int:
        """How often it was retrieved in the seven days before an instant; ``RECENT`` means that many or more."""
        return sum(at - WEEK < access <= at for access in self.recent_accesses)

    def as_memory(self) -> dict[str, Any]:
        """As the rails read a memory."""
        return {"labels": [self.kind], **{name: getattr(self, name) for name in _OF_RAILS}}


_OF_RAILS = (
    *("created_at", "restored_at", "state", "ttl_policy", "status", "active", "confidence", "consolidated"),
    *("access_count", "agent_references", "is_owner"),
)
_TUPLES = {"accessed_by": tuple, "recent_accesses": lambda values: tuple(map(datetime.fromisoformat, values))}


def facts_of(row: Mapping[str, Any]) -> Facts:
    """A row of ``curation/list_facts``."""
    known = {name: value for name, value in row.items() if name in Facts.__dataclass_fields__}
    # What has a meaning as unknown stays None; the others have what they begin with.
    values = {name: value for name, value in known.items() if value is not None or name in _UNKNOWN_COUNTS}
    for name, make in _TUPLES.items():
        values[name] = make(values.get(name) or ())
    return Facts(**values)


_UNKNOWN_COUNTS = frozenset({"ttl_policy", "access_count", "state"})
"""None of these closes a rail, so that it must not be read as what a memory begins with."""
