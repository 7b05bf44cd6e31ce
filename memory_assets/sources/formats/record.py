"""What agents keep on record: JSON lines of beliefs, reflections, tasks, analyses, recommendations, syntheses,
notifications, sessions and entries of a memory of their own.

A source is what one agent recorded of one type on one day in one project (a session: one source each), or one part of
it where the lines say so, so that a file which grows, or a record that comes in two files, adds to it. The raw content
is the lines in order of time; of several with one id the latest is read. ``docs/schemas/agent-record.schema.json`` is
made from the types here.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Annotated, Any, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from memory_assets.clock import to_iso
from memory_assets.model import OPEN_TASK, SourceType, fingerprint
from memory_assets.privacy.projects import project_name
from memory_assets.sources.cleaning import clean_text, one_line
from memory_assets.sources.dates import parse_instant
from memory_assets.sources.formats.base import (
    MAX_STREAMED_FILE,
    Cleaned,
    Document,
    Format,
    Found,
    RawSource,
    number_turns,
)
from memory_assets.sources.formats.streams import (
    BrokenLineError,
    Part,
    parsed,
    part_of,
    read_or_none,
    sources_of_lines,
    whole_lines,
)

Text = Annotated[str, Field(pattern=r"\S", description="What is said, in plain language; not empty.")]
Moment = Annotated[
    str | float | None,
    Field(
        default=None,
        description="ISO 8601 (without an offset: UTC) or seconds since 1970. Left out or unreadable: unknown.",
    ),
]


class _Record(BaseModel):
    """What every record has. Further properties stay in the raw content and are not read."""

    model_config = ConfigDict(strict=True, extra="allow")

    id: str | None = Field(
        default=None, description="The record's own id: of several lines with one id on one day, the latest is read."
    )
    agent: str | None = Field(default=None, description="The name of the agent whose record it is.")
    at: Moment
    title: str | None = None
    project: str | None = Field(default=None, description="What the project is called that it is of.")
    keep: bool | None = Field(default=None, description="Whether it is kept for ever.")
    state: Literal["active", "archived"] | None = None
    retired: bool | None = Field(
        default=None, description="Whether its agent has taken it back: its words are not read any more."
    )
    refers_to: list[str] = Field(default_factory=list, description="Own ids of records that it refers to, anybody's.")
    learned_from: list[str] = Field(default_factory=list, description="Own ids of records that it was learned from.")
    part: int | None = Field(
        default=None,
        ge=1,
        description="In which part of its day it is: each is a source, so that one more record is not read with all "
        "others of a day. Left out: the first.",
    )


class _Statement(_Record):
    text: Text
    about: list[str] = Field(default_factory=list, description="Names of whom and what it is about.")


Day = Annotated[
    str | None,
    Field(
        default=None,
        description="A day as ISO 8601, for example 2026-11-30; left out or unreadable: unknown; both are, where they "
        "are reversed.",
    ),
]


class _Finding(_Statement):
    confidence: float | None = Field(default=None, ge=0, le=1)


class Belief(_Finding):
    """Something that an agent holds to be true."""

    record: Literal["belief"]


class Reflection(_Finding):
    """What an agent made of something afterwards."""

    record: Literal["reflection"]
    consolidated: bool | None = Field(default=None, description="Whether what it says has become knowledge.")


class Task(_Statement):
    """Something to be done."""

    record: Literal["task"]
    status: str | None = Field(
        default=None, description="For example open, in progress, blocked, done, failed, cancelled."
    )
    due: str | None = Field(default=None, description="A day or a time, as text.")


class Analysis(_Finding):
    """A finding about some material."""

    record: Literal["analysis"]
    severity: Literal["info", "low", "high", "critical"] | None = None


class Recommendation(_Finding):
    """What an agent advises to do."""

    record: Literal["recommendation"]


class Synthesis(_Finding):
    """What several findings come to."""

    record: Literal["synthesis"]


class Memory(_Finding):
    """An entry of a memory that the agent itself keeps."""

    record: Literal["memory"]
    kind: str | None = Field(
        default=None, description="For example fact, decision, preference, error_fix, workflow, pattern, episode."
    )
    valid_from: Day
    valid_to: Day


class Notification(_Statement):
    """Something that an agent told somebody, or was told."""

    record: Literal["notification"]
    read: bool | None = Field(default=None, description="Whether it has been read.")
    critical: bool | None = None


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
    active: bool | None = Field(default=None, description="Whether it goes on; false: it has ended.")
    turns: list[SessionTurn] = Field(min_length=1)


AnyRecord: TypeAlias = (
    Belief | Reflection | Task | Analysis | Recommendation | Synthesis | Notification | Session | Memory
)
AgentRecord = Annotated[AnyRecord, Field(discriminator="record")]
RECORD: TypeAdapter[AnyRecord] = TypeAdapter(AgentRecord)
_PLURALS = {"belief": "beliefs", "reflection": "reflections", "task": "tasks", "analysis": "analyses",
            "recommendation": "recommendations", "synthesis": "syntheses", "notification": "notifications",
            "session": "sessions", "memory": "memory entries"}  # fmt: skip
TYPES = tuple(_PLURALS)


def json_schema() -> dict[str, Any]:
    """The published schema: of one line of a file."""
    schema = RECORD.json_schema()
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Agent record",
        "description": "One line of a JSON Lines file of what an agent keeps on record.",
    } | schema


_AGENT = "agent"
_EARLIEST = datetime.min.replace(tzinfo=UTC)


def parse_record(line: str) -> AnyRecord:
    """A line as a record, or :class:`BrokenLineError`: agrees with the published schema."""
    value = parsed(line)
    if value.get("record") not in TYPES:
        raise BrokenLineError(f"its record is none of {', '.join(TYPES)}")
    try:
        return RECORD.validate_python(value)
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(str(part) for part in first["loc"][1:])
        raise BrokenLineError(f"{place or 'it'}: {one_line(first['msg'], 100)}") from None


def sniff(head: bytes, name: str) -> float:
    """A line that is a record."""
    return 0.96 if any(read_or_none(parse_record, line) for line in whole_lines(head)) else 0.0


def read(document: Document) -> Iterator[Found]:
    """One source per agent, type and day; sessions by themselves. A broken line costs that line."""
    yield from sources_of_lines(document, _key, _sources)


def _key(line: str) -> str:
    record = parse_record(line)
    agent = one_line(record.agent or "")
    if isinstance(record, Session):
        return f"{agent}/session/{record.id or fingerprint(line)}"
    at = _at(record)
    project = project_name(record.project)
    day = at.date().isoformat() if at else "undated"
    part = f"#{record.part}" if _is_later_part(record) else ""
    return "/".join([agent, record.record, day + part, *([project] if project else [])])


def _is_later_part(record: AnyRecord) -> bool:
    """Whether it is in another part of its day than the first, which is named as the whole day."""
    return (record.part or 1) > 1


def _at(record: AnyRecord) -> datetime | None:
    return parse_instant(record.at)


def moment_of(record: AnyRecord) -> datetime | None:
    """When a record was made, by its own word; of a session without one, when the last was said. None: unknown."""
    if (at := _at(record)) or not isinstance(record, Session):
        return at
    return max((said for turn in record.turns if (said := parse_instant(turn.at))), default=None)


def turn_of_line(line: str) -> tuple[datetime, str]:
    """What sorts the lines of records: of several with one id the last of this order is the latest."""
    record = read_or_none(parse_record, line)
    return (moment_of(record) if record else None) or _EARLIEST, line


def _sources(key: str, part: Part, provenance: dict[str, object]) -> Iterator[RawSource]:
    yield part_of(describe(_in_order(part.lines)), part.number, key, provenance | {"format": "agent-record"})


def _in_order(lines: list[str]) -> str:
    return "\n".join(sorted(set(lines), key=turn_of_line))


def merge(stored: str, arrived: str) -> str:
    """The lines of both, each once: the same, whichever came first."""
    return _in_order(list(filter(None, stored.split("\n") + arrived.split("\n"))))


def _records(raw_content: str) -> list[AnyRecord]:
    """The records of a raw content in their order; of several with one id, the last, in the place of the last. None
    that was taken back.
    """
    found: dict[object, AnyRecord] = {}
    for number, line in enumerate(raw_content.split("\n")):
        if record := read_or_none(parse_record, line):
            name: object = record.id or number
            found.pop(name, None)
            found[name] = record
    return [record for record in found.values() if not record.retired]


def agent_of(record: AnyRecord) -> str:
    """The name of the agent whose record it is; where it says none, what an agent is."""
    return one_line(record.agent or "") or _AGENT


_CLOSED = frozenset({"completed", "done", "failed", "cancelled", "canceled"})


def _section(record: AnyRecord) -> str:
    """What a record's turn is recorded as: its type; of what is still to be done :data:`OPEN_TASK`."""
    if not isinstance(record, Task):
        return record.record
    is_closed = one_line(record.status or "").casefold() in _CLOSED
    return record.record if is_closed else OPEN_TASK


RecordTurn = tuple[str, str, str | None, str | None]
"""The speaker, text and time of a turn; and what kind of record it is, but for a session's."""


def _turns(records: list[AnyRecord]) -> Iterator[RecordTurn]:
    for record in records:
        if isinstance(record, Session):
            yield from turns_of_session(record)
        else:
            yield agent_of(record), _text(record), to_iso(_at(record)), _section(record)


def turns_of_session(record: Session) -> Iterator[RecordTurn]:
    """What a person or the agent said in a session."""
    for turn in record.turns:
        if turn.role in ("user", "assistant", "agent"):
            speaker = one_line(turn.name or "") or (turn.role if turn.role == "user" else agent_of(record))
            yield speaker, clean_text(turn.text), to_iso(parse_instant(turn.at)), None


def _text(record: _Statement) -> str:
    text = clean_text(record.text)
    title = one_line(record.title or "")
    text = f"{title}: {text}" if title and title.casefold() not in text.casefold() else text
    if not isinstance(record, Task):
        return text
    due = f"due {one_line(record.due, 40)}" if record.due else ""
    about = ", ".join(part for part in (one_line(record.status or "", 40), due) if part)
    return f"Task ({about}): {text}" if about else f"Task: {text}"


def describe(raw_content: str) -> RawSource:
    """The source of a raw content, without its key; everything in it follows from that content."""
    records = _records(raw_content)
    turns = [turn for turn in _turns(records) if turn[1]]
    days = [at for record in records if (at := _at(record))]
    times = [*days, *(at for *_, said, _ in turns if (at := parse_instant(said)))]
    users = {
        one_line(turn.name or "") or "user"
        for record in records
        if isinstance(record, Session)
        for turn in record.turns
        if turn.role == "user"
    }
    return RawSource(
        source_type=SourceType.RECORD,
        title=_title(records, turns),
        raw_content=raw_content,
        started_at=min(times, default=None),
        ended_at=max(times, default=None),
        participants=tuple(sorted({speaker for speaker, *_ in turns if speaker})),
        owner_speaker=next(iter(users)) if len(users) == 1 else None,
        project=next((one_line(r.project) for r in records if r.project), None),
        conversation_id=next((one_line(r.id) for r in records if isinstance(r, Session) and r.id), None),
    )


def _title(records: list[AnyRecord], turns: list[RecordTurn]) -> str:
    if not records:
        return "Agent's records"
    last = records[-1]
    if isinstance(last, Session):
        return one_line(last.title or "", 120) or one_line(turns[0][1] if turns else "", 80) or "Session"
    at = _at(last)
    when = f"of {at.date().isoformat()}" if at else "without a date"
    part = f", part {last.part}" if _is_later_part(last) else ""
    return one_line(f"{agent_of(last)}: {_PLURALS[last.record]} {when}{part}", 120)


def clean(raw_content: str) -> Cleaned:
    """What the agent recorded, in its words; a session's turns."""
    return number_turns(_turns(_records(raw_content)))


FORMAT = Format(SourceType.RECORD, MAX_STREAMED_FILE, sniff, read, clean, merge=merge, describe=describe)
