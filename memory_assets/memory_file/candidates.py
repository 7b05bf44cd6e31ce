"""What the choice works with: the rules of one file, the memories of its pool, and what came of it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import TypeVar, cast

from memory_assets.memory_file import render
from memory_assets.memory_file.ceilings import DEFAULT_PRESET, PRESETS, Ceiling
from memory_assets.text.held import ALWAYS, Held


@dataclass(frozen=True)
class FileRules:
    """The ceiling of the file and the few numbers of the choice (000, ``BoundedMemoryManager``)."""

    ceiling: Ceiling = PRESETS[DEFAULT_PRESET]
    # What is less likely than this to be needed again is in no file, whatever room there is.
    least_retention: float = 0.3
    # The same of what people say and write to each other, and of what others note or was to be done.
    said_least_retention: float = 0.65
    # Of what the owner says to an assistant, and overviews; and of what people write to each other: readers want most
    # of those (of chats that nothing is learned from 74 of 100 lines are good), least of these.
    wish_least_retention: float = 0.6
    letter_least_retention: float = 0.7
    # Of those the ones that are judged by whether they hold, too (English).
    judged_letter_least_retention: float = 0.5
    # What is less likely than this to be needed again and to hold still. Whatever is said holds on its day; from so
    # many days on, a half of what was worth a line holds no longer (labelled: memory_assets_tests/labelled/worth).
    least_held: float = 0.35
    # Of what is written to one or two: more of it is of the day.
    private_letter_least_held: float = 0.45
    passing_days: int = 60
    # Several sources in one line: a statement of the same value says more for its length.
    overview_weight: float = 0.8
    # A task without a day, and what somebody else means to do, among the owner's tasks.
    undated_task_weight: float = 0.6
    others_task_weight: float = 0.6
    task_half_days: float = 30.0
    # So many tasks of one source come before insights; of a longer list (to pack, to buy) the rest takes what is left.
    tasks_of_a_source: int = 6
    # What somebody else says of themselves alone, or talks of: the file is the owner's.
    others_own_weight: float = 0.8
    # What was asked for once, or noted to oneself, and is no open task any more.
    past_task_weight: float = 0.6
    # What was ticked off.
    done_least_retention: float = 0.5
    # So many of the newest sources are what is recent.
    recent_sources: int = 10
    # No text of this length fits any section: it is not even counted.
    longest_text: int = 20_000


@dataclass(frozen=True)
class Later:
    """What was said later about a statement: its reference, the ``reason`` (changed, done), how far the statement is
    ``outdated`` (wholly, in part, perhaps), and the words of it that are ``lost``.
    """

    ref: str
    reason: str
    outdated: str
    lost: str

    @property
    def what_became(self) -> str:
        """What became of the statement, in words."""
        if self.outdated == "perhaps":
            return f"perhaps outdated, see {self.ref}"
        return f"done by {self.ref}" if self.reason == "done" else f"superseded by {self.ref}"


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
    known_at: datetime | None = None  # when it became known
    said_by_owner: bool = False
    is_standing: bool = False
    embedding: Sequence[float] | None = None
    # The source that says it (of several the newest), and where in it: the turn, and the place in that.
    source_id: str | None = None
    source_at: float | None = None  # when that source began, in seconds since 1970
    turn: int = 0
    position: int = 0
    # That source is a file of memories or an edit of one: its lines are a person's own.
    is_own_line: bool = False
    # That source is a mail or a channel, or it is an overview of such: most in it is for those who read it that day.
    is_letter: bool = False
    # Every source that says it is a channel, or a mail or a conversation between more than two.
    is_to_many: bool = False
    # That source is a talk, a mail or a channel, or it is an overview of such: what is said was not meant to be stored.
    is_said: bool = False
    # What of it a stranger understands, alone, behind the question that it answers or quoted: the text itself where
    # None, nothing where empty.
    statement: str | None = None
    # A person has written it into one of the user's files: first of its section.
    by_editor: bool = False
    # A task whose day has passed, not long ago: its line says so.
    is_overdue: bool = False
    # Between which days it holds, where an agent that remembered it has said so.
    held: Held = ALWAYS
    # What later statements have made of it, the latest last.
    later: tuple[Later, ...] = ()
    # Why it is in no file, whatever room there is.
    excluded: str | None = None
    # How likely it is to be needed again: of the five signals the one that time does not lower.
    retention: float = 0.5
    # How likely it holds a year after it was said, where that is judged.
    lasting: float | None = None

    def left_out(self, reason: str) -> LeftOut:
        """Why it is not in the file."""
        return LeftOut(self.ref, self.memory_id, reason)

    @property
    def published(self) -> str:
        """What its line says."""
        return self.statement or self.text

    @property
    def superseded_by(self) -> Later | None:
        """The latest statement by which it is over, or done."""
        return next((one for one in reversed(self.later) if one.outdated == "wholly"), None)

    @property
    def is_clear(self) -> bool:
        """Whether it is understood without what was said before; what a person wrote as a line is."""
        return self.statement != "" or self.is_written

    @property
    def is_written(self) -> bool:
        """Whether a person has written it as a line of a file."""
        return self.by_editor or self.is_own_line


@dataclass(frozen=True)
class LeftOut:
    """A memory of the pool that is not in the file, and why."""

    ref: str
    memory_id: str
    reason: str


@dataclass(frozen=True)
class Failed:
    """A line of a model's that is not taken, the references that it gave, and why."""

    text: str
    refs: tuple[str, ...]
    why: str


@dataclass(frozen=True)
class Composition:
    """What a model has made of a file: by its name, with what failed; or why the file is not composed by it.

    ``is_open``: another try may give it.
    """

    model: str
    failed: tuple[Failed, ...] = ()
    why_not: str | None = None
    is_open: bool = False


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
    composition: Composition | None = None
    """Where a model is configured that composes files."""


M = TypeVar("M", bound=Mapping[str, object])


def parts_of(entries: Iterable[M]) -> Iterator[M]:
    """The memories that entries of a draft or manifest rest on: those that a composed line cites, else its own."""
    for entry in entries:
        yield from cast(Sequence[M], entry.get("rests_on")) or (entry,)


def placed(entries: Iterable[Mapping[str, object]]) -> list[str]:
    """The ids of all memories that are in a file, by its entries."""
    return [str(part["memory_id"]) for part in parts_of(entries)]
