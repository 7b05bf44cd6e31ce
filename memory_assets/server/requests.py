"""What each operation takes of an agent, checked as it comes in: its fields, their bounds, and what they mean."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import date, datetime
from typing import Annotated, Any, Self

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, field_validator, model_validator

from memory_assets.clock import day_of, read_day
from memory_assets.commands.sources import LEAST_TOKENS
from memory_assets.context.policy import DEFAULT, MOST_CUES, SHARES, SURFACES, TIERS, Asked, Limits
from memory_assets.hooks.policy import LONGEST
from memory_assets.model import Granularity, MemoryType, Resolution, Visibility

MOST_TOKENS = 20_000
"""No answer is longer, whatever budget it was given."""
OPENED_TOKENS = 4_000
MOST_REFS = 1_000
"""References of turns at once."""


def _at_most(most: int) -> BeforeValidator:
    """What is longer loses its end: what a trace or a list says first is what is searched for."""
    return BeforeValidator(lambda given: given[:most] if isinstance(given, str | list) else given)


Text = Annotated[str, _at_most(LONGEST)]
Name = Annotated[str, _at_most(400)]
Cues = Annotated[list[Text], _at_most(MOST_CUES)]
"""What is at work, as it comes: hooks cut it likewise."""
Session = Field(default="", max_length=200, description="The caller's conversation.")


def _as_day(given: Any) -> Any:
    if isinstance(given, datetime):
        return day_of(given)
    if not isinstance(given, str):
        return given
    try:
        return read_day(given)
    except ValueError:
        raise ValueError("no day: write it as 2026-10-31 or 2026-10-31T09:00:00Z (ISO 8601)") from None


Day = Annotated[date, BeforeValidator(_as_day, json_schema_input_type=str)]
"""A day, or an instant, which is of its day in UTC (ISO 8601)."""

_NO_OBJECT = frozenset({"model_attributes_type", "model_type", "dict_type", "missing"})


def explained(errors: Iterable[Mapping[str, Any]]) -> str:
    """What was wrong with a request, for its sender: each field by its name, and what it takes. No value that was sent
    is repeated.
    """
    return "; ".join(_explained(error["loc"], error["type"], error["msg"]) for error in errors)


def _explained(place: Sequence[Any], kind: str, message: str) -> str:
    name = ".".join(str(part) for part in place if part not in ("body", "query", "path", "header"))
    said = message.removeprefix("Value error, ")
    if kind == "json_invalid":
        return f"The body is no JSON ({said[0].lower()}{said[1:]} at character {place[-1]})."
    if kind in _NO_OBJECT and not name:
        return "Send the fields as a JSON object, with the header Content-Type: application/json."
    return f"{name}: {said}" if name else said


class Request(BaseModel):
    """What an operation takes. A field that it does not know is refused: it would be a mistake that nobody notices. One
    that is null was left out.
    """

    model_config = ConfigDict(extra="forbid")

    @model_validator(mode="before")
    @classmethod
    def _without_nulls(cls, given: Any) -> Any:
        return {name: one for name, one in given.items() if one is not None} if isinstance(given, dict) else given


class SurfaceLimits(Request):
    """How much text a door of the agent's own lets through."""

    tokens: int | None = Field(default=None, ge=1)
    characters: int | None = Field(default=None, ge=1, description="As UTF-16 counts them.")


Surface = str | SurfaceLimits


def _limits(surface: Surface) -> str | Limits:
    return surface if isinstance(surface, str) else Limits(surface.tokens, surface.characters)


class RecallRequest(Request):
    """A question, and how its answer is to be."""

    question: Text = Field(min_length=1, description="A question, or some words.")
    budget: int = Field(default=2_000, ge=LEAST_TOKENS, le=MOST_TOKENS, description="At most so many tokens.")
    surface: Surface | None = Field(
        default=None, description=f"{', '.join(SURFACES)}, or limits of its own; what is less counts, it or the budget."
    )
    level: Granularity = Field(
        default=Granularity.SAID, description="What was said; or storylines; or themes with their storylines."
    )
    since: Day | None = Field(default=None, description="Said on that day or later.")
    until: Day | None = Field(default=None, description="Said by that day.")
    about: list[str] = Field(default_factory=list, description="Where these names are said, or beside it: all of them.")
    as_of: Day | None = Field(default=None, description="What held at the end of that day (UTC).")
    thorough: bool = Field(default=False, description="Fill the budget, with what hardly answers, too.")
    more: int = Field(default=1, ge=1, description="Go on: 2 is what did not fit at first.")
    archived: bool = Field(default=False, description="In what has faded, too.")
    all_projects: bool = Field(default=False, description="In other projects than the caller's, too.")
    deadline_ms: int | None = Field(default=None, ge=1, description="Answer by then with what is ready.")
    session: str = Session

    @property
    def limits(self) -> str | Limits:
        """What the answer goes through beside its budget."""
        return Limits() if self.surface is None else _limits(self.surface)


class RememberRequest(Request):
    """What is to be remembered."""

    text: str = Field(min_length=1, description="What is to be remembered, in whole sentences.")
    kind: MemoryType = MemoryType.FACT
    about: list[str] = Field(default_factory=list, description="Names of whom and what it is about.")
    visibility: Visibility | None = Field(
        default=None,
        description="Of the project that the caller works in, if any, as by default, or of all the user's.",
    )
    supersedes: list[str] = Field(
        default_factory=list, max_length=20, description="References of what holds no longer by it."
    )
    idempotency_key: str | None = Field(default=None, max_length=200, description="Remembered once under one key.")
    valid_from: Day | None = Field(default=None, description="The first day on which it holds.")
    valid_to: Day | None = Field(default=None, description="The last one: from then on it comes marked.")

    @model_validator(mode="after")
    def _in_order(self) -> Self:
        if self.valid_from and self.valid_to and self.valid_from > self.valid_to:
            raise ValueError("valid_from is later than valid_to: exchange these days")
        return self


class RetireRequest(Request):
    """Which memory does not hold, and why."""

    ref: str = Field(default="", description="The reference in the address, once more.")
    reason: str = Field(default="", max_length=1_000, description="Why.")


class CorrectRequest(RetireRequest):
    """What a memory is to say, and why; without a text it is retired. ``undo`` takes the last correction back."""

    text: str | None = Field(
        default=None, min_length=1, description="What holds instead; left out: nothing of it holds."
    )
    undo: bool = Field(default=False, description="Take the last correction back.")

    @model_validator(mode="after")
    def _is_clear(self) -> Self:
        if self.undo and self.text:
            raise ValueError("undo: what was said before holds again, and no other text")
        if not self.undo and not self.reason:
            raise ValueError("reason: say why")
        return self


class UsedRequest(Request):
    """What became of memories that were offered, by their references."""

    cited: list[str] = Field(default_factory=list, description="They were of use.")
    ignored: list[str] = Field(default_factory=list, description="They were of none.")
    wrong: list[str] = Field(default_factory=list, description="They say what is not so.")
    action: str = Field(default="", max_length=200, description="For what they were used.")
    session: str = Session


class TurnsRequest(Request):
    """What was said in a conversation; the list of its turns alone is it, too."""

    turns: list[dict[str, Any]] = Field(
        min_length=1,
        description="Each with role and content (a text, or blocks of one message), perhaps name, at (ISO 8601), id "
        "(its own) and place.",
    )

    @model_validator(mode="before")
    @classmethod
    def _of_a_list(cls, given: Any) -> Any:
        return {"turns": given} if isinstance(given, list) else given

    @field_validator("turns")
    @classmethod
    def _with_words(cls, turns: list[dict[str, Any]]) -> list[dict[str, Any]]:
        return [{name: _words(one) if name == "content" else one for name, one in turn.items()} for turn in turns]


def _words(content: Any) -> Any:
    """What blocks of a message say as one text: of those without words their kind, in brackets."""
    if not isinstance(content, list) or not all(isinstance(block, dict) for block in content):
        return content
    return "\n".join(
        block["text"] if isinstance(block.get("text"), str) else f"[{block.get('type')}]" for block in content
    )


class ResolveRequest(Request):
    """How a contradiction is settled."""

    resolution: Resolution
    note: str = Field(default="", description="Why.")
    text: str = Field(default="", description="Of merged ones: what holds of both; without it the note.")


class ConsolidateRequest(Request):
    """Whether to do it, or to say what would be done."""

    dry_run: bool = Field(default=True, description="Archive and merge nothing: say what would be.")
    older_than: Day | None = Field(
        default=None, description="Consolidate only what was said before that day (UTC), and let curation wait."
    )


class Signals(Request):
    """What an agent works at, in one object."""

    current_file: Text | None = None
    recent_errors: Cues = Field(default_factory=list)
    activity: Name | None = None


class ContextRequest(Request):
    """What a context is for; nothing at all is a beginning."""

    task: Text = Field(default="", description="What is to be done.")
    query: Text = Field(default="", description="A question, or some words.")
    files: Cues = Field(default_factory=list, description="Paths at work.")
    errors: Cues = Field(default_factory=list, description="Messages, the latest first.")
    people: Cues = Field(default_factory=list, description="Who takes part.")
    branch: Name = ""
    activity: Name = Field(default=DEFAULT, description=f"Of the shares: {', '.join(SHARES)}.")
    session: str = Session
    budget: int = Field(default=8_000, ge=LEAST_TOKENS, le=MOST_TOKENS, description="At most so many tokens.")
    surface: Surface = Field(default="mcp", description=f"{', '.join(SURFACES)}, or limits of its own.")
    deadline_ms: int | None = Field(default=None, ge=1, description="Answer by then with what is ready.")
    tiers: list[int] = Field(default_factory=lambda: list(TIERS), description="Only these.")
    level: Granularity = Field(
        default=Granularity.SAID, description="What is relevant as it was said, or by its storylines or themes."
    )
    signals: Signals = Field(default_factory=Signals, description="File, errors and activity in one object.")

    @property
    def asked(self) -> Asked:
        """The same for the command."""
        file = self.signals.current_file
        same = ("task", "query", "people", "branch", "session", "budget", "deadline_ms", "tiers", "level")
        return Asked(
            **{name: getattr(self, name) for name in same},
            files=[*([file] if file else []), *self.files],
            errors=[*self.signals.recent_errors, *self.errors],
            activity=self.signals.activity or self.activity,
            surface=_limits(self.surface),
        )


class PredictRequest(Request):
    """Cues of what will be needed next."""

    file_opened: Text = ""
    branch: Name = ""
    error: Text = ""
    people: Cues = Field(default_factory=list)
    at: datetime | None = Field(default=None, description="An instant: what is used at that time of day.")
    session: str = Session
    budget: int = Field(default=3_000, ge=LEAST_TOKENS, le=MOST_TOKENS)

    @property
    def asked(self) -> Asked:
        """The same for the command."""
        files, errors = ([one] if one else [] for one in (self.file_opened, self.error))
        return Asked(
            files=files, errors=errors, people=self.people, branch=self.branch, session=self.session, budget=self.budget
        )
