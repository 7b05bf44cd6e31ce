"""What a record says as a memory, and which of several versions of one record holds. Pure."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Set
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from memory_assets.clock import to_iso
from memory_assets.model import RECORD_KINDS, TIERED_KINDS, State, Tier, fingerprint, node_id, reference
from memory_assets.sources.cleaning import clean_text, one_line
from memory_assets.sources.dates import parse_instant
from memory_assets.sources.formats.record import (
    Analysis,
    AnyRecord,
    Memory,
    Notification,
    Reflection,
    Session,
    Task,
    agent_of,
    moment_of,
    parse_record,
    turn_of_line,
    turns_of_session,
)
from memory_assets.sources.formats.streams import read_or_none

CODE_VERSION = "3"
KINDS = {kind.removesuffix("Context").removesuffix("Entry").lower(): kind for kind in RECORD_KINDS}
"""By the type that a line names, the kind of memory that it becomes."""
STATUSES = frozenset({"pending", "in_progress", "blocked", "completed", "failed", "cancelled"})
"""What a task can be (001, rail 3 and TTL Rules)."""
SAME_STATUS = {"open": "pending", "todo": "pending", "done": "completed", "canceled": "cancelled"}
SESSION_LENGTH = 4_000
"""So many characters of a session are in its memory; all of it is in its source."""

Row = dict[str, Any]


@dataclass(frozen=True)
class Version:
    """One line of a source: a record as it was written down once."""

    id: str
    """The memory's id: one for all versions of a record."""
    turn: tuple[datetime, str]
    """What sorts versions: the last one holds."""
    kind: str
    properties: Mapping[str, Any]
    """What it says, as the graph has it."""

    @property
    def fingerprint(self) -> str:
        """A digest of what it says."""
        return fingerprint(self.kind, json.dumps(self.properties, sort_keys=True, ensure_ascii=False))

    @property
    def text(self) -> str:
        """Its title and its text: what is embedded and counted."""
        return "\n".join(part for part in (self.properties["title"], self.properties["text"]) if part)

    @property
    def pruned_as(self) -> str:
        """How a source names this version once curation has pruned it."""
        return f"{self.id}|{self.fingerprint}"


def read_versions(user: str, raw_content: str) -> dict[str, Version]:
    """The records of a source's raw content by the ids of their memories, of each the latest; lines that are none are
    left out, as they are when a source is cleaned.
    """
    found = (_version(user, line) for line in raw_content.split("\n"))
    return latest(version for version in found if version is not None)


def latest(versions: Iterable[Version]) -> dict[str, Version]:
    """Of each record the version that holds: the latest, whichever source or order it came in."""
    return {version.id: version for version in sorted(versions, key=lambda version: version.turn)}


@dataclass(frozen=True)
class Correction:
    """What becomes of a record's line: its new ``words`` (None: it is retired); ``is_said``: it says so already."""

    words: str | None
    is_said: bool


def decide_correction(line: Mapping[str, Any], text: str | None, *, is_own: bool, is_replaced: bool) -> Correction:
    """What becomes of a record's line by a correction with the words ``text``, or none.

    An agent gives its own record other words. Another's is retired, and so is its own where another record says the
    words already (``is_replaced``).
    """
    words = text if is_own and not is_replaced else None
    is_retired = bool(line.get("retired"))
    return Correction(words, is_retired if words is None else not is_retired and line["text"] == words)


def corrected_line(line: Mapping[str, Any], correction: Correction, said: Mapping[str, Any]) -> Row:
    """A record's line as a correction changes it, with the fields ``said``."""
    fields = {name: value for name, value in line.items() if name != "retired"}
    return {**fields, **said, **({"retired": True} if correction.words is None else {"text": correction.words})}


def latest_line(user: str, raw_contents: Iterable[str], identifier: str) -> Row | None:
    """A record's latest line as an object; None where no content has the record."""
    lines = (line for content in raw_contents for line in content.split("\n"))
    versions = (
        (version.turn, line) for line in lines if (version := _version(user, line)) and version.id == identifier
    )
    found = max(versions, default=None)
    return None if found is None else json.loads(found[1])


def _version(user: str, line: str) -> Version | None:
    record = read_or_none(parse_record, line)
    if record is None:
        return None
    text = _session_text(record) if isinstance(record, Session) else clean_text(record.text)
    if not text:
        return None
    kind, agent = KINDS[record.record], agent_of(record)
    own_id = record.id or None
    identifier = node_id("record", user, kind, agent, own_id or text)
    said = {"agent": agent, "record_id": own_id, "title": one_line(record.title or "") or None, "text": text}
    return Version(identifier, turn_of_line(line), kind, said | _shared(record) | _own(record) | _held(record))


def _session_text(record: Session) -> str:
    """The beginning of what was said, a line for each turn that a person or the agent had."""
    text = "\n".join(f"{speaker}: {said}" for speaker, said, *_ in turns_of_session(record) if said)
    return text if len(text) <= SESSION_LENGTH else text[: SESSION_LENGTH - 1].rstrip() + "…"


def _shared(record: AnyRecord) -> Row:
    return {
        "recorded_at": to_iso(moment_of(record)),
        "about": _names(getattr(record, "about", [])),
        "confidence": getattr(record, "confidence", None),
        "stated_state": State.ARCHIVED.value if record.retired else record.state,
        "keep": bool(record.keep),
        "refers_to": sorted({name for name in record.refers_to if name.strip()}),
        "learned_from": sorted({name for name in record.learned_from if name.strip()}),
    }


def _own(record: AnyRecord) -> Row:
    """What only some kinds have; what is unknown is null."""
    return {
        "status": _status(record.status) if isinstance(record, Task) else None,
        "due": (one_line(record.due or "", 40) or None) if isinstance(record, Task) else None,
        "severity": record.severity if isinstance(record, Analysis) else None,
        "is_read": record.read if isinstance(record, Notification) else None,
        "is_critical": record.critical if isinstance(record, Notification) else None,
        "active": record.active if isinstance(record, Session) else None,
        "consolidated": record.consolidated if isinstance(record, Reflection) else None,
        "memory_kind": (one_line(record.kind or "", 40) or None) if isinstance(record, Memory) else None,
    }


def _held(record: AnyRecord) -> Row:
    """The days between which it holds, where it says so."""
    if not isinstance(record, Memory):
        return {}
    first, last = _day(record.valid_from), _day(record.valid_to)
    if first and last and first > last:
        return {}
    return {name: day for name, day in (("valid_from", first), ("valid_to", last)) if day}


def _day(written: str | None) -> str | None:
    """The day as it is written: that of an instant with an offset is not another one in UTC."""
    if written is None or parse_instant(written) is None:
        return None
    return datetime.fromisoformat(written.strip()).date().isoformat()


def _names(names: Iterable[str]) -> list[str]:
    return sorted({name for one in names if (name := one_line(one))})


def _status(written: str | None) -> str | None:
    """A task's status in the graph's words; None where it is none of these: unknown protects a task as an open one."""
    word = "_".join((written or "").casefold().replace("-", " ").replace("_", " ").split())
    word = SAME_STATUS.get(word, word)
    return word if word in STATUSES else None


def row_of(version: Version, token_count: int, embedding: list[float] | None) -> Row:
    """A version as ``records/create_records`` and ``records/set_records`` take it."""
    is_archived = version.properties["stated_state"] == State.ARCHIVED
    said = {"valid_from": None, "valid_to": None, **version.properties}
    tier = (Tier.ARCHIVE if is_archived else Tier.HOT).value if version.kind in TIERED_KINDS else None
    return {
        **said,
        "id": version.id,
        "ref": reference(version.id),
        "record_kind": version.kind,
        "fingerprint": version.fingerprint,
        "token_count": token_count,
        "embedding": embedding,
        "state": (State.ARCHIVED if is_archived else State.ACTIVE).value,
        "tier": tier,
        "is_referring": bool(said["refers_to"] or said["learned_from"]),
    }


def link_named(waiting: Iterable[Mapping[str, Any]], named: Mapping[str, Set[str]]) -> dict[str, list[Row]]:
    """Links for records that wait for others, by the query that writes them, with ``named``: ids of memories by the own
    ids that records have; and the records whose links are complete.

    Several records, of several agents, may have one own id: a reference to it is to each. No record refers to itself.
    """
    references: list[Row] = []
    lessons: list[Row] = []
    linked: list[Row] = []
    for row in waiting:
        wants = ((references, row["refers_to"] or ()), (lessons, row["learned_from"] or ()))
        others = {name: named.get(name, frozenset()) - {row["id"]} for _, names in wants for name in names}
        for links, names in wants:
            links += [
                {"id": row["id"], "other_id": other, "name": name} for name in names for other in sorted(others[name])
            ]
        if all(others.values()):
            linked.append({"id": row["id"]})
    return {"records/link_references": references, "records/link_lessons": lessons, "records/set_linked": linked}
