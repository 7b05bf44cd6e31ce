"""What an agent wants to remember: written down at once, and recallable when the call returns.

It is a record of that agent's in the user's inbox, a line of HOME/inbox/USER/agents/AGENT-DAY.jsonl: on the disk before
anything else is done with it, so that a kill at any later moment leaves what the next run reads. The same words, or
the same key, are remembered once. It is never the owner's own word.
"""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from datetime import datetime, timedelta
from enum import StrEnum
from pathlib import Path
from typing import Any

from filelock import FileLock

from memory_assets.clock import to_iso
from memory_assets.commands.runs import COMMAND_LINE
from memory_assets.errors import MemoryAssetsError
from memory_assets.graph.graph import Graph
from memory_assets.graph.owners import source_mark
from memory_assets.llm.model_client import Models
from memory_assets.llm.opening import open_models
from memory_assets.model import SourceType, check_user, fingerprint, node_id, reference
from memory_assets.privacy.masking import list_masks, mask_text
from memory_assets.records.reading import find_record
from memory_assets.records.recording import Recorder
from memory_assets.runtime.owners import OwnerBusyError, owner_lock
from memory_assets.settings import Settings
from memory_assets.sources.ingest import ingest_paths
from memory_assets.sources.process import process_sources

LONGEST = 20_000
"""So many characters are one memory; what is longer is a source, and comes in by the inbox."""
LATER = timedelta(milliseconds=1)
"""The latest version of a record holds: what is written down now is later than what is known, whatever the clock."""
PATIENCE = 10.0
"""Seconds to wait for a run that works on the same memory: then what was written down waits for the next one."""


class Kind(StrEnum):
    """What an agent remembers (003, memory types)."""

    FACT = "fact"
    DECISION = "decision"
    PREFERENCE = "preference"
    ERROR_FIX = "error_fix"
    WORKFLOW = "workflow"
    PATTERN = "pattern"
    EPISODE = "episode"


class RememberError(MemoryAssetsError):
    """What was given cannot be remembered."""


@dataclass(frozen=True)
class Remembered:
    """What became of it: its reference, whether it is new, on the disk, found by recall from now on, and the kinds of
    what was masked in it.
    """

    ref: str
    is_new: bool
    durable: bool
    recallable: bool
    masked: tuple[str, ...] = ()

    def as_json(self) -> dict[str, Any]:
        """As every protocol answers."""
        return asdict(self)


def remember(
    graph: Graph,
    settings: Settings,
    user: str,
    text: str,
    *,
    kind: Kind = Kind.FACT,
    about: Sequence[str] = (),
    agent: str = COMMAND_LINE,
    key: str | None = None,
    models: Models | None = None,
) -> Remembered:
    """Write down what ``agent`` wants to remember for ``user``, and take it in.

    ``key``: the agent's own name for it; another text under the same key takes the place of the former. ``models`` are
    opened where none are given; the local ones take it in, and a configured one reads it with the next run.
    """
    check_user(user)
    if not text.strip():
        raise RememberError("There is nothing to remember: give a text.")
    if len(text) > LONGEST:
        raise RememberError(
            f"This has {len(text):,} characters, and one memory has at most {LONGEST:,}: say what matters of it, or "
            "put it into the inbox as a file."
        )
    masked = mask_text(text.strip())
    own_id = key or fingerprint("remember", kind.value, masked)
    memory_id = node_id("record", user, "MemoryEntry", agent, own_id)
    result = Remembered(reference(memory_id), True, True, True, tuple(sorted({m.kind for m in list_masks(masked, {})})))
    known = find_record(graph, user, result.ref)
    if known is not None and known["text"] == masked:
        return replace(result, is_new=False)
    now = settings.clock.now()
    at = max(now, datetime.fromisoformat(known["recorded_at"]) + LATER) if known and known["recorded_at"] else now
    record = {"record": "memory", "id": own_id, "agent": agent, "at": to_iso(at), "text": masked, "kind": kind.value}
    (settings.home / "locks").mkdir(parents=True, exist_ok=True, mode=0o700)
    path = settings.inbox / user / "agents" / f"{fingerprint(agent)[:8]}-{now.date().isoformat()}.jsonl"
    with FileLock(settings.home / "locks" / f"{user}.agents.lock"):
        _append(path, record | ({"about": list(about)} if about else {}))
    try:
        with owner_lock(settings, user, PATIENCE):
            models = models or local_models(settings)
            return replace(result, recallable=_take_in(graph, settings, user, path, result.ref, models))
    except OwnerBusyError:
        return replace(result, recallable=False)


def local_models(settings: Settings) -> Models:
    """The models that take it in at once, without a call to a service; a configured one reads it with the next run."""
    return open_models(settings.model_copy(update={"llm": "local"}))


def _append(path: Path, record: dict[str, Any]) -> None:
    """Add a line, on the disk when this returns. What a kill has left of another line ends before it."""
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    with open(path, "ab+") as file:
        if file.tell() and _last_byte(file.fileno(), file.tell()) != b"\n":
            file.write(b"\n")
        file.write(json.dumps(record, ensure_ascii=False, sort_keys=True).encode() + b"\n")
        file.flush()
        os.fsync(file.fileno())


def _last_byte(descriptor: int, size: int) -> bytes:
    return os.pread(descriptor, 1, size - 1)


def _take_in(graph: Graph, settings: Settings, user: str, path: Path, ref: str, models: Models) -> bool:
    """Read the file, record what it says and process its source; the steps that follow become due. Whether recall
    finds it now.
    """
    ingest_paths(graph, user, [path], SourceType.RECORD.value, settings.clock, keep_originals=settings.keep_originals)
    Recorder(graph, models.embedder, settings.clock, user).run()
    found = find_record(graph, user, ref)
    sources = [source["id"] for source in found["sources"]] if found else []
    is_read = False
    if sources:  # of none, all that is due would be processed
        language = models.language_for("processed_sources")
        is_read = not process_sources(graph, user, language, models.embedder, settings.clock, only=sources).failed
    graph.write_together([source_mark(user, settings.clock.now())])
    return is_read
