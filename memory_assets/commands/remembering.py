"""What an agent wants to remember: written down at once, and recallable when the call returns.

It is a record of that agent's in the user's inbox, a line of HOME/inbox/USER/agents/AGENT-DAY.jsonl: on the disk before
anything else is done with it, so that a kill at any later moment leaves what the next run reads. A day of many comes in
parts, a file and a source each, so that one more costs the same however many there are. The same words, or the same
key, are remembered once. It is never the owner's own word.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import datetime, timedelta
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np
from filelock import FileLock

from memory_assets.clock import check_order, day_of, to_iso
from memory_assets.errors import WrongUseError
from memory_assets.graph.graph import Graph
from memory_assets.graph.owners import noted_mark
from memory_assets.keys.policy import COMMAND_LINE
from memory_assets.llm.model_client import Models
from memory_assets.llm.opening import open_models
from memory_assets.model import (
    MemoryType,
    ProcessingStatus,
    SourceType,
    State,
    check_user,
    fingerprint,
    node_id,
    reference,
)
from memory_assets.privacy.masking import list_masks, mask_text
from memory_assets.recall.search import index_at_once
from memory_assets.recall.search import opened as opened_index
from memory_assets.records.policy import latest_line
from memory_assets.records.reading import find_record
from memory_assets.records.recording import ASSET, Recorder
from memory_assets.runtime.owners import OwnerBusyError, owner_lock
from memory_assets.sessions.log import put
from memory_assets.settings import Settings
from memory_assets.sources.formats.streams import parsed, read_or_none
from memory_assets.sources.ingest import ingest_paths
from memory_assets.sources.process import process_given
from memory_assets.text.held import ALWAYS, Held
from memory_assets.validity.doubts import Doubt, is_open, list_between, opened
from memory_assets.validity.noticing import contradicted, note_unjudged
from memory_assets.validity.policy import INSIGHT, PREFERENCE, Statement

LONGEST = 20_000
"""So many characters are one memory; what is longer is a source, and comes in by the inbox."""
LATER = timedelta(milliseconds=1)
"""The latest version of a record holds: what is written down now is later than what is known, whatever the clock."""
PART_SIZE = 6_000
"""A part of a day is full with so many bytes: about 25 short memories."""
PROCESSED = frozenset({ProcessingStatus.PROCESSED, ProcessingStatus.EXTRACTED})
"""What such a source says is indexed; of a raw one what it said before."""
PATIENCE = 10.0
"""Seconds to wait for a run that works on the same memory: then what was written down waits for the next one."""


class RememberError(WrongUseError):
    """What was given cannot be remembered."""


@dataclass(frozen=True)
class Remembered:
    """What became of it: its reference, whether it is new, on the disk, found by recall from now on, what it cannot be
    true beside (by reference and text; by ``id`` it is settled, where that is open already), and the kinds of what was
    masked in it.
    """

    memory_id: str
    ref: str
    is_new: bool
    durable: bool
    recallable: bool
    contradicts: tuple[dict[str, Any], ...] = ()
    masked: tuple[str, ...] = ()

    def as_json(self, superseded: Sequence[str]) -> dict[str, Any]:
        """As every protocol answers, with the references of what it takes the place of: that is settled by it."""
        shown = {name: value for name, value in asdict(self).items() if name != "memory_id"}
        against = [one for one in self.contradicts if one["ref"] not in superseded]
        return shown | {"contradicts": against, "supersedes": list(superseded)}


def remember(
    graph: Graph,
    settings: Settings,
    user: str,
    text: str,
    *,
    kind: MemoryType = MemoryType.FACT,
    about: Sequence[str] = (),
    agent: str = COMMAND_LINE,
    key: str | None = None,
    project: str | None = None,
    models: Models | None = None,
    held: Held = ALWAYS,
) -> Remembered:
    """Write down what ``agent`` wants to remember for ``user``, and take it in. It is of the ``project``.

    ``held``: between which days it holds; said again with others, these count, and what is left out stays as it was.
    ``key``: the agent's own name for it; another text under the same key takes the place of the former. ``models`` are
    opened where none are given; the local ones take it in, and a configured one reads it with the next run.
    """
    check_user(user)
    masked = checked_text(text)
    named = [mask_text(name) for name in about]
    own_id, memory_id = own_ids(user, masked, kind, agent, key, project)
    kinds = tuple(sorted({one.kind for one in list_masks(masked, {"about": named})}))
    result = Remembered(memory_id, reference(memory_id), True, True, True, masked=kinds)
    known = find_record(graph, user, result.ref)
    if known is not None and known["text"] == masked:
        held = held.or_else(Held.of(known))
    check_order(held.first, held.last)
    if known is not None and known["text"] == masked and Held.of(known) == held and known["state"] != State.ARCHIVED:
        sources, recallable = {source["id"] for source in known["sources"]}, True
        try:
            with owner_lock(settings, user, PATIENCE):
                models = models or local_models(settings)
                # A kill may have come before it was processed, or indexed.
                recallable = _process(graph, settings, user, sources, models)
                note_unjudged(graph, user, settings.unjudged_index(user), [memory_id])
                against = _notice(graph, settings, user, memory_id, masked, agent, kind, models)
        except OwnerBusyError:
            there = find_record(graph, user, result.ref) or known
            _index(graph, settings, user, sources)
            against = _noticed(graph, user, memory_id)
            recallable = all(source["status"] in PROCESSED for source in there["sources"])
        return replace(result, is_new=False, recallable=recallable, contradicts=against)
    now = settings.clock.now()
    at = max(now, datetime.fromisoformat(known["recorded_at"]) + LATER) if known and known["recorded_at"] else now
    record: dict[str, Any] = {"record": "memory", "id": own_id, "agent": agent, "at": to_iso(at), "text": masked}
    record |= {"kind": kind.value} | ({"project": project} if project else {})
    record |= {name: day for name, day in held.as_row().items() if day}
    record |= {"about": named} if named else {}
    before = _line_of_day(graph, user, known, at) if known else None
    path, is_new = write_down(
        settings, user, agent, record, beside=before, since=known["recorded_at"] if known else None
    )
    result = replace(result, is_new=is_new)
    try:
        with owner_lock(settings, user, PATIENCE):
            models = models or local_models(settings)
            recallable = take_in(graph, settings, user, [path], [result.ref], models)
            against = _notice(graph, settings, user, memory_id, masked, agent, kind, models)
            return replace(result, recallable=recallable, contradicts=against)
    except OwnerBusyError:
        return replace(result, recallable=False)


def own_ids(
    user: str, masked: str, kind: MemoryType, agent: str, key: str | None, project: str | None
) -> tuple[str, str]:
    """The agent's own id and the record's of what it wants to remember, without secrets."""
    own_id = _own_key(key) if key else fingerprint("remember", kind.value, masked)
    if project:  # the same in another project is another one
        own_id = f"{project}/{own_id}"
    return own_id, node_id("record", user, "MemoryEntry", agent, own_id)


def checked_text(text: str) -> str:
    """What can be remembered, without secrets; raises :class:`RememberError` for what cannot."""
    if not text.strip():
        raise RememberError("There is nothing to remember: give a text.")
    if len(text) > LONGEST:
        raise RememberError(
            f"This has {len(text):,} characters, and one memory has at most {LONGEST:,}: say what matters of it, or "
            "put it into the inbox as a file."
        )
    return mask_text(text.strip())


def _own_key(key: str) -> str:
    """An agent's own name for a record as it is written down: what a secret is in, by a fingerprint of it."""
    return key if mask_text(key) == key else fingerprint("key", key)


def _line_of_day(graph: Graph, user: str, known: Mapping[str, Any], at: datetime) -> dict[str, Any] | None:
    """A record's line, where it is of the day of ``at``: another one in its source takes its place."""
    if not known["recorded_at"] or day_of(datetime.fromisoformat(known["recorded_at"])) != day_of(at):
        return None
    contents = graph.read("records/list_contents", user_id=user, ids=[source["id"] for source in known["sources"]])
    return latest_line(user, (row["raw_content"] or "" for row in contents), known["id"])


def write_down(
    settings: Settings,
    user: str,
    agent: str,
    record: dict[str, Any],
    *,
    beside: Mapping[str, Any] | None = None,
    since: str | None = None,
) -> tuple[Path, bool]:
    """Add a record to the agent's open file of today; on the disk when this returns. It is in the part of its day that
    the file is, or in that of the line ``beside`` which it is to be read.

    The file that it is in, and whether it is new: the same said later than what is known of it (``since``) waits to be
    read, of a call beside this one or of one that was stopped.
    """
    with _writing(settings, user):
        files = _files_of_today(settings, user, agent)
        path, waiting = _waiting(files[-2:], record)
        if path and waiting and (since is None or waiting["at"] > since) and _said_in(waiting) == _said_in(record):
            return path, False
        beside = beside or waiting
        part = len(files) if beside is None else beside.get("part") or 1
        _append(files[-1], record | ({"part": part} if part > 1 else {}))
    return files[-1], True


def _said_in(line: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in line.items() if name not in ("at", "part")}


def _files_of_today(settings: Settings, user: str, agent: str) -> list[Path]:
    """The agent's files of today, a part of the day each; the last, which takes the next line, is not full."""
    day = f"{fingerprint(agent)[:8]}-{settings.clock.now().date().isoformat()}"
    files: list[Path] = []
    for part in count(1):
        files.append(_folder(settings, user) / f"{day}{f'_{part:04}' if part > 1 else ''}.jsonl")
        if not files[-1].is_file() or files[-1].stat().st_size < PART_SIZE:
            break
    return files


def _waiting(files: Iterable[Path], record: Mapping[str, Any]) -> tuple[Path | None, dict[str, Any] | None]:
    """The record's last line of the same day in some files, and in which: of a call that was stopped, or that goes on
    beside this one.
    """
    wanted = record["id"], record["at"][:10]
    found: tuple[Path | None, dict[str, Any] | None] = None, None
    for path in files:
        lines = path.read_bytes().decode(errors="replace").split("\n") if path.is_file() else ()
        for line in filter(None, map(partial(read_or_none, parsed), lines)):
            if (line.get("id"), str(line.get("at"))[:10]) == wanted:
                found = path, line
    return found


def list_agent_files(settings: Settings, user: str) -> list[Path]:
    """The files of what agents have remembered for a user."""
    return sorted(_folder(settings, user).glob("*.jsonl"))


def _folder(settings: Settings, user: str) -> Path:
    return settings.inbox / user / "agents"


def strike_out(settings: Settings, user: str, path: Path, is_unwanted: Callable[[str], bool]) -> None:
    """Take lines out of an agent's file, all at once; one of which nothing is left goes."""
    with _writing(settings, user):
        if not path.is_file():
            return
        lines = path.read_text(encoding="utf-8", errors="surrogateescape").splitlines(keepends=True)
        left = [line for line in lines if not is_unwanted(line)]
        if len(left) == len(lines):
            return
        if left:
            put(path, "".join(left).encode("utf-8", "surrogateescape"))
        else:
            path.unlink()


def _writing(settings: Settings, user: str) -> FileLock:
    (settings.home / "locks").mkdir(parents=True, exist_ok=True, mode=0o700)
    return FileLock(settings.home / "locks" / f"{user}.agents.lock")


def local_models(settings: Settings) -> Models:
    """The models that take it in at once, without a call to a service; a configured one reads it with the next run."""
    return open_models(settings.model_copy(update={"llm": "local"}))


def _append(path: Path, record: dict[str, Any]) -> None:
    """Add a line, on the disk when this returns. What a kill has left of another line ends before it."""
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    with open(path, "ab+") as file:
        if file.tell() and os.pread(file.fileno(), 1, file.tell() - 1) != b"\n":
            file.write(b"\n")
        file.write(json.dumps(record, ensure_ascii=False, sort_keys=True).encode() + b"\n")
        file.flush()
        os.fsync(file.fileno())


def take_in(
    graph: Graph, settings: Settings, user: str, paths: Sequence[Path], refs: Sequence[str], models: Models
) -> bool:
    """Read files of agents, record what they say and process the sources of some records; the steps that follow become
    due. Whether recall finds all of these now. The owner's lock is held.
    """
    read = ingest_paths(
        graph,
        user,
        paths,
        SourceType.RECORD.value,
        settings.clock,
        force=True,  # lines of the same bytes may have been taken back since they were read
        keep_originals=settings.keep_originals,
        alone=True,
    )
    # Without files it is all that is due: somebody was stopped after the lines were read.
    Recorder(graph, models.embedder, settings.clock, user).run(read.source_ids or None)
    found = [find_record(graph, user, ref) for ref in refs]
    records = [record for record in found if record]
    sources = {source["id"] for record in records for source in record["sources"]}
    is_read = _process(graph, settings, user, sources, models, is_new=True)
    note_unjudged(graph, user, settings.unjudged_index(user), [record["id"] for record in records])
    return is_read and all(found)


def _process(
    graph: Graph, settings: Settings, user: str, sources: Collection[str], models: Models, *, is_new: bool = False
) -> bool:
    """Process what is due of these sources and index them; whether there are any and none failed. What was read and is
    not processed has the mark of what it was before: it would not be indexed.
    """
    language = models.language_for("processed_sources")
    done = process_given(graph, user, language, models.embedder, settings.clock, sources)
    if is_new or done.due:
        graph.write_together([noted_mark(user, settings.clock.now())])
    _index(graph, settings, user, sources)
    return bool(sources) and not done.failed


def _index(graph: Graph, settings: Settings, user: str, sources: Collection[str]) -> None:
    index_at_once(graph, opened_index(settings.home, user), [user], sources)


def _notice(
    graph: Graph, settings: Settings, user: str, memory_id: str, text: str, agent: str, kind: MemoryType, models: Models
) -> tuple[dict[str, Any], ...]:
    """What the words contradict, but for what somebody has settled. What others have said is held against it from now
    on, if it is not yet: a run may have made a statement of a record since. What the agent itself has said, the next
    run judges.
    """
    now = settings.clock.now()
    vector = models.embedder.embed([text], asset=ASSET, user_id=user)[0]
    content_type = PREFERENCE if kind is MemoryType.PREFERENCE else INSIGHT
    said = Statement(memory_id, text, (to_iso(now) or "", 0, 0), agent, content_type, (), np.asarray(vector))
    indexes = settings.validity_index(user), settings.unjudged_index(user)
    between = list_between(graph, user, memory_id)
    new, found = [], []
    for one, differs in contradicted(graph, user, *indexes, said):
        known = next(
            (row for other, words, by, row in between if other == one.memory_id or _states(one, words, by)), None
        )
        if known and not is_open(known):
            continue
        doubt = Doubt(one.memory_id, one.text, memory_id, text, differs.kind, differs.why)
        identifier = None if one.speaker == agent else known["id"] if known else doubt.id_for(user)
        new += [doubt] if identifier and not known else []
        found.append({"id": identifier, "ref": reference(one.memory_id), "text": one.text})
    graph.write_together(opened(graph, user, new, agent, now))
    return tuple(found)


def _noticed(graph: Graph, user: str, memory_id: str) -> tuple[dict[str, Any], ...]:
    """What is held against a record, or it against, as it is."""
    return tuple(
        {"id": row["id"], "ref": reference(other), "text": words}
        for other, words, _, row in list_between(graph, user, memory_id)
        if is_open(row)
    )


def _states(one: Statement, words: str, agent: str | None) -> bool:
    """Whether it is a statement that a run has made of an agent's record; another record is another memory."""
    return one.speaker == agent and not one.memory_id.startswith("record:") and one.text in words
