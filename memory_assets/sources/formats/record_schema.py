"""What agents keep on record, as types. ``docs/schemas/agent-record.schema.json`` is made from them and published."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter

Text = Annotated[str, Field(pattern=r"\S", description="What is said, in plain language; not empty.")]
Moment = Annotated[
    str | float | None,
    Field(
        default=None,
        description="ISO 8601 (without an offset: UTC) or seconds since 1970. Left out or unreadable: unknown.",
    ),
]


class _Record(BaseModel):
    """What every record has. Further properties are kept in the raw content and not read."""

    model_config = ConfigDict(strict=True, extra="allow")

    id: str | None = Field(
        default=None, description="The record's own id: of several lines with one id on one day, the latest is read."
    )
    agent: str | None = Field(default=None, description="The name of the agent whose record it is.")
    at: Moment
    title: str | None = None


class _Statement(_Record):
    text: Text
    about: list[str] = Field(default_factory=list, description="Names of whom and what it is about.")


class Belief(_Statement):
    """Something that an agent holds to be true."""

    record: Literal["belief"]
    confidence: float | None = Field(default=None, ge=0, le=1)


class Reflection(_Statement):
    """What an agent made of something afterwards."""

    record: Literal["reflection"]


class Task(_Statement):
    """Something to be done."""

    record: Literal["task"]
    status: str | None = Field(default=None, description="For example open, done, cancelled.")
    due: str | None = Field(default=None, description="A day or a time, as text.")


class Analysis(_Statement):
    """A finding about some material."""

    record: Literal["analysis"]


class Notification(_Statement):
    """Something that an agent told somebody, or was told."""

    record: Literal["notification"]


class SessionTurn(BaseModel):
    """One turn of a session."""

    model_config = ConfigDict(strict=True, extra="allow")

    role: Literal["user", "assistant", "agent", "system", "tool"] = Field(
        description="Turns of system and tool are kept in the raw content and not read."
    )
    name: str | None = None
    text: str
    at: Moment


class Session(_Record):
    """A conversation that an agent had."""

    record: Literal["session"]
    turns: list[SessionTurn] = Field(min_length=1)


AgentRecord = Annotated[
    Belief | Reflection | Task | Analysis | Notification | Session, Field(discriminator="record")
]
RECORD = TypeAdapter(AgentRecord)
TYPES = ("belief", "reflection", "task", "analysis", "notification", "session")


def json_schema() -> dict[str, Any]:
    """The published schema: of one line of a file."""
    schema = RECORD.json_schema()
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Agent record",
        "description": "One line of a JSON Lines file of what an agent keeps on record.",
    } | schema
