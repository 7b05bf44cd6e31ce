"""A source as a row of the graph, and the rows that say what else is known of sources: growth, replies, links. Pure."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from memory_assets.batches import in_batches
from memory_assets.clock import to_iso
from memory_assets.model import (
    TEAM_PREFIX,
    ProcessingStatus,
    SourceType,
    State,
    fingerprint,
    is_team,
    node_id,
    reference,
)
from memory_assets.privacy import access
from memory_assets.privacy.masking import mask_text
from memory_assets.privacy.projects import project_name
from memory_assets.privacy.redaction import OPEN, Door
from memory_assets.sources.cleaning import storable
from memory_assets.sources.erased import redacted
from memory_assets.sources.formats import READER_VERSION, claude_code, codex, describe
from memory_assets.sources.formats.base import RawSource
from memory_assets.sources.masking import masked, privacy_properties

BATCH_BYTES = 4_000_000
_AGENTS = (claude_code.NAME, codex.NAME)
_TRANSCRIPT = re.compile(rf"(?:{'|'.join(_AGENTS)})/([^/]+)/session(?:/part \d+)?")
_CONVERSATION = re.compile(r"id/([^/~]+)(?:~\d+)?(?:/part \d+)?")

Row = dict[str, Any]

_FROM_CONTENT = ("title", "started_at", "ended_at", "participants", "owner_speaker")
"""The fields of a source that grows that its content decides."""


def content_hash(raw_content: str) -> str:
    """The digest of a raw content as the graph stores it."""
    return fingerprint(storable(raw_content))


def source_id(owner: str, source: RawSource) -> str:
    """A source's id: from its content, or from its key where the content can still grow."""
    return node_id("source", owner, source.source_type.value, source.key or content_hash(source.raw_content))


def other_forms(owner: str, source: RawSource) -> list[str]:
    """The ids that a session has as a source in its other forms: as an agent's transcript, or as a conversation with
    the session's id, which is how one ends that was added turn by turn, perhaps in parts (``sessions/policy.py:
    parts_of``). None of what is neither.
    """
    key = source.key or ""
    if source.source_type is not SourceType.CONVERSATION:
        return []
    if match := _TRANSCRIPT.fullmatch(key):
        forms = [f"id/{match[1]}"]
    else:
        match = _CONVERSATION.fullmatch(key)
        forms = [f"{agent}/{match[1]}/session" for agent in _AGENTS] if match else []
    return [node_id("source", owner, source.source_type.value, form) for form in forms]


def source_row(
    found: RawSource,
    *,
    owner: str,
    path: str,
    now: datetime,
    sensitivity: str | None = None,
    project: str | None = None,
    keep_originals: bool = False,
    door: Door = OPEN,
) -> Row:
    """A source as a row of ``sources/upsert_sources`` (specification 004, Phase 0): its secrets masked before all else.

    ``project``: what its owner says that it is of; left out, what the source says.

    An original is stored for a user alone: what a team shares has no private place; and none of a source from which
    people were erased. Raises :class:`ErasedError` where nothing of anybody else would be left.
    """
    project = door.redacted(project) if project else None
    without_secrets = masked(found)
    source = redacted(without_secrets, door)
    keep_originals = keep_originals and source is without_secrets
    if source.key is not None and source.raw_content != found.raw_content:
        source = _as_stored(source)
    original = keep_originals and not is_team(owner) and source.raw_content != found.raw_content
    said = access.strictest((sensitivity, access.written_sensitivity(source.raw_content)))
    if source.key is not None and said == access.LOW:
        said = access.NORMAL  # what comes later may say nothing of it
    identifier = source_id(owner, source)
    row: Row = {
        **_stored_as(source.raw_content, {"origin": "file", "reader_version": READER_VERSION, **source.provenance}),
        "id": identifier,
        "ref": reference(identifier),
        "team_id": owner.removeprefix(TEAM_PREFIX) if is_team(owner) else None,
        "source_type": source.source_type.value,
        "grows": source.key is not None,
        "path": door.redacted(mask_text(path)),
        "created_at": to_iso(now),
        "status": ProcessingStatus.RAW.value,
        "state": State.CANDIDATE.value,
        "sensitivity": said,
        "project": project_name(project) or project_name(source.project),
        "project_is_given": project_name(project) is not None,
        "original_content": storable(found.raw_content) if original else None,
        **_content_properties(source),
    }
    return row | {"reader_keys": access.reader_keys(owner, row["participants"])}


def _as_stored(source: RawSource) -> RawSource:
    """A source that can grow, described by its stored content, whatever pieces that came in."""
    described = masked(describe(source.source_type.value, source.raw_content))
    return replace(source, **{name: getattr(described, name) for name in _FROM_CONTENT})


def _content_properties(source: RawSource) -> Row:
    people = [storable(name) for name in source.participants]
    names = ("message_id", "in_reply_to", "thread_id", "conversation_id", "channel")
    return {name: getattr(source, name) for name in names} | {
        "title": storable(source.title),
        "started_at": to_iso(source.started_at),
        "ended_at": to_iso(source.ended_at),
        "participants": people,
        "owner_speaker": None if source.owner_speaker is None else storable(source.owner_speaker),
        "ancestors": list(source.ancestors) or None,
        "note_names": None if source.note_name is None else [source.note_name],
        "links": list(source.links) or None,
        **privacy_properties(storable(source.raw_content), people),
    }


def unite(rows: Iterable[Row]) -> list[Row]:
    """One row per source. Of what differs between two files of one content the smallest wins.

    The content decides nearly everything; a title or a day may come from a file's name.
    """
    united: dict[str, Row] = {}
    for row in rows:
        other = united.get(row["id"])
        if other is None:
            united[row["id"]] = row
            continue
        smaller = {name: min(row[name], other[name]) for name in ("title", "path", "provenance")}
        names = sorted({*(row.get("note_names") or ()), *(other.get("note_names") or ())})
        if names:
            smaller["note_names"] = names
        days = [day for day in (row["started_at"], other["started_at"]) if day is not None]
        originals = [text for text in (row["original_content"], other["original_content"]) if text is not None]
        smaller |= {"started_at": min(days, default=None), "original_content": min(originals, default=None)}
        smaller["sensitivity"] = access.strictest((row["sensitivity"], other["sensitivity"]))
        united[row["id"]] = other | smaller | _of_project((row, other))
    return list(united.values())


def _of_project(rows: Iterable[Row]) -> Row:
    """Of several projects of one source the one that was given, else the first by name."""
    named = [(not row["project_is_given"], row["project"]) for row in rows if row["project"] is not None]
    found, project = min(named, default=(True, None))
    return {"project": project, "project_is_given": not found}


def project_rows(rows: Iterable[Row]) -> list[Row]:
    """For ``sources/set_projects``: a row for each source that is of a project."""
    by_id: dict[str, list[Row]] = {}
    for row in rows:
        if row["project"] is not None:
            by_id.setdefault(row["id"], []).append(row)
    return [{"id": name, **_of_project(by_id[name])} for name in sorted(by_id)]


def grown_row(row: Row, raw_content: str, expected_hash: str) -> Row:
    """The row that replaces a source's content with more of it, if nobody else has changed it since."""
    grown = masked(describe(row["source_type"], raw_content))
    properties = _content_properties(grown)
    fields = {name: properties[name] for name in (*_FROM_CONTENT, "masked", "masked_count", "personal_data")}
    keys = row["reader_keys"]
    return fields | {
        "id": row["id"],
        "expected_hash": expected_hash,
        "updated_at": row["created_at"],
        **_stored_as(raw_content, json.loads(row["provenance"]) | grown.provenance),
        "reader_keys": None if keys is None else sorted({*keys, *access.keys_of_all(fields["participants"])}),
    }


def _stored_as(raw_content: str, provenance: Mapping[str, object]) -> Row:
    raw = storable(raw_content)
    known = json.dumps(provenance, sort_keys=True, ensure_ascii=False)
    return {"raw_content": raw, "raw_size": len(raw), "content_hash": content_hash(raw), "provenance": known}


def said_rows(rows: Iterable[Row]) -> list[Row]:
    """What is said of the sensitivity of growing sources: a row per source, the strictest of what was said."""
    said: dict[str, str] = {}
    for row in rows:
        said[row["id"]] = access.strictest((row["sensitivity"], said.get(row["id"])))
    return [{"id": key, "sensitivity": said[key]} for key in sorted(said)]


def reply_rows(mails: Iterable[Mapping[str, Any]]) -> list[Row]:
    """For ``sources/link_replies``: each mail with the message ids above it in its thread, the nearest first."""
    rows = {
        mail["id"]: {"id": mail["id"], "names": [mail["in_reply_to"], *(mail["ancestors"] or ())]}
        for mail in mails
        if mail["in_reply_to"]
    }
    return [rows[identifier] for identifier in sorted(rows)]


def note_links(linking: Iterable[Mapping[str, Any]], targets: Iterable[Mapping[str, Any]]) -> list[Row]:
    """For ``sources/link_notes``: each pair of a note and another that it names. Notes of one name are all meant."""
    by_name: dict[str, set[str]] = {}
    for target in targets:
        for name in target["note_names"] or ():
            by_name.setdefault(name, set()).add(target["id"])
    pairs = {
        (note["id"], target)
        for note in linking
        for name in note["links"] or ()
        for target in by_name.get(name, ())
        if target != note["id"]
    }
    return [{"id": note, "target": target} for note, target in sorted(pairs)]


def batches(rows: Sequence[Row], *, limit: int = 500) -> Iterator[Sequence[Row]]:
    """Rows in batches that are small in number and, unless a single row is large, in characters."""
    return in_batches(rows, limit, lambda row: row.get("raw_size") or 0, BATCH_BYTES)
