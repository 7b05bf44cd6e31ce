"""What the choice works with: the rules of one file, the memories of its pool, and what came of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime

from memory_assets.memory_file import render
from memory_assets.memory_file.ceilings import DEFAULT_PRESET, PRESETS, Ceiling

Counter = Callable[[str], int]

SHARES: Mapping[str, int] = {"preferences": 25, "tasks": 40, "insights": 25, "recent": 10}
"""What of a file is each section's own, in hundredths (000: 500, 800, 500 and 200 of 2,000 tokens)."""


@dataclass(frozen=True)
class FileRules:
    """The ceiling of the file and the few numbers of the choice (000, ``BoundedMemoryManager``)."""

    ceiling: Ceiling = PRESETS[DEFAULT_PRESET]
    near_duplicate: float = 0.92
    question_weight: float = 0.3
    leaning_weight: float = 0.7
    # An assistant's advice was for its question; what people said is what is asked for later.
    assistant_weight: float = 0.3
    decision_weight: float = 1.5
    # Of what a decision is about much has been said already; until a decision says it, it counts this much.
    repeated_by_decision: float = 0.3
    # What takes an earlier word back is how things stand: its words count whoever has said them.
    repeated_by_latest: float = 0.8
    # Without a name or a number, it is less likely to be asked for.
    plain_weight: float = 0.7
    # What has happened to people is asked for; "Looking forward to it" does not even say who does.
    happened_weight: float = 1.3
    doing_weight: float = 0.7
    # A task without a day; an insight of one or two words.
    undated_task_weight: float = 0.6
    scant_weight: float = 0.35
    overview_weight: float = 0.8
    # A request or a note to oneself of long ago; what people told of their plans stays news.
    past_request_weight: float = 0.35
    past_plan_weight: float = 0.9
    # What somebody else means to do is worth less among the owner's tasks.
    others_task_weight: float = 0.6
    # A memory without value counts half of one of full value: what it says decides.
    value_floor: float = 0.5
    task_half_days: float = 30.0
    # So many of the newest sources are what is recent.
    recent_sources: int = 10
    # Less than one middling word that is not said yet is nothing new.
    least_gain: float = 1.0
    # Of what an overview says, this share at least must not stand in the file yet.
    least_new_of_overview: float = 0.4
    # No text of this length fits any section: it is not even counted.
    longest_text: int = 20_000
    # Long entries say more of one thing: a cost a little below the plain one lets them keep what makes them readable.
    length_power: float = 0.85

    @classmethod
    def of(cls, ceiling: Ceiling) -> FileRules:
        """The rules of a file with this ceiling."""
        return cls(ceiling=ceiling)

    @property
    def unit(self) -> str:
        """The ceiling's first unit: what budgets are reported in."""
        return next(iter(self.ceiling.limits))

    @property
    def limit(self) -> int:
        """The ceiling in its first unit."""
        return self.ceiling.limits[self.unit]

    @property
    def max_tokens(self) -> int:
        """The same as ``limit``, by the name that a file in tokens gives it."""
        return self.limit

    @property
    def budgets(self) -> dict[str, int]:
        """Each section's own share of ``limit``."""
        return {name: self.limit * share // 100 for name, share in SHARES.items()}


@dataclass(frozen=True)
class Memory:
    """A memory of the pool, as read."""

    memory_id: str
    ref: str
    section: str
    entity_type: str
    text: str
    value_score: float
    tier: str
    label: str | None = None
    occurred_at: datetime | None = None
    said_by_owner: bool = False
    is_standing: bool = False
    embedding: Sequence[float] | None = None
    # The source that says it (of several the newest), and where in it: the turn, and the place in that.
    source_id: str | None = None
    turn: int = 0
    position: int = 0
    # That source is a file of memories or an edit of one: its lines are a person's own.
    is_own_line: bool = False
    # What of it a stranger understands alone: the text itself where None, nothing where empty.
    statement: str | None = None
    # A person has written it into one of the user's files: first of its section.
    by_editor: bool = False
    # A task whose day has passed, not long ago: its line says so.
    is_overdue: bool = False

    @property
    def published(self) -> str:
        """What stands in its line."""
        return self.statement or self.text

    @property
    def is_clear(self) -> bool:
        """Whether it is understood without what was said before; what a person wrote as a line is."""
        return self.statement != "" or self.by_editor or self.is_own_line


@dataclass(frozen=True)
class LeftOut:
    """A memory of the pool that does not stand in the file, and why."""

    ref: str
    memory_id: str
    reason: str


@dataclass(frozen=True)
class SectionUse:
    """A section's real size, heading included, and its effective budget, in the ceiling's first unit."""

    name: str
    tokens: int
    budget: int


@dataclass(frozen=True)
class Selection:
    """The finished file and how it came about."""

    text: str
    tokens: int
    entries: tuple[render.Entry, ...]
    entry_tokens: tuple[int, ...]
    sections: tuple[SectionUse, ...]
    left_out: tuple[LeftOut, ...]
    changes_on: date | None = None
    """The day on which time alone may make another file of the same memories."""
