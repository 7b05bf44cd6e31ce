"""What an agent corrects: a memory gets other words, or is retired, and either is taken back by its decision.

A record is corrected by another line of its own, in the agent's file: read again, it gives the same. What a source says
is superseded or retired by a decision, as an edit does it, and the new words are a record of the agent's. It is never
the owner's word, nothing is removed, and what the rails keep stays.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

from memory_assets.clock import to_iso
from memory_assets.commands.remembering import (
    LATER,
    PATIENCE,
    Remembered,
    checked_text,
    list_agent_files,
    local_models,
    own_ids,
    strike_out,
    take_in,
    write_down,
)
from memory_assets.curation.rails import RAILS, closed_rails, is_consensus, is_kept_forever, is_new
from memory_assets.curation.reading import list_facts
from memory_assets.edits.store import list_edits
from memory_assets.errors import MemoryAssetsError, UnknownReferenceError, WrongUseError
from memory_assets.graph.decisions import CORRECTION, decision_row, find_corrections, recorded
from memory_assets.graph.graph import Graph
from memory_assets.graph.owners import readable_owners, source_mark
from memory_assets.graph.projects import project_of
from memory_assets.graph.said import held_memories
from memory_assets.llm.model_client import Models
from memory_assets.model import MemoryType, check_user, fingerprint, node_id, reference
from memory_assets.privacy.masking import mask_text
from memory_assets.records.policy import Correction, corrected_line, decide_correction, latest_line
from memory_assets.records.reading import find_record
from memory_assets.records.recording import Recorder
from memory_assets.runtime import edited_files
from memory_assets.runtime.owners import owner_lock
from memory_assets.settings import Settings
from memory_assets.sources.formats.streams import read_or_none
from memory_assets.sources.process import process_given
from memory_assets.sources.store import lines_taken_back
from memory_assets.text.held import ALWAYS, Held
from memory_assets.validity.doubts import Doubt, opened
from memory_assets.validity.noticing import note_unjudged

OF_OTHERS = {name: rail for name, rail in RAILS.items() if rail is not is_new}
"""What keeps others' memories from being corrected; the day of grace is of pruning, and this is no pruning."""
OF_ONES_OWN = {rail.__name__: rail for rail in (is_consensus, is_kept_forever)}
"""What keeps an agent's own record from being retired by it."""

Row = dict[str, Any]


class CorrectionError(MemoryAssetsError):
    """This cannot be corrected so."""


@dataclass(frozen=True)
class Corrected:
    """What became of it: the reference of what holds now (None where it is retired), of what it was, and the audit by
    which it is taken back.
    """

    ref: str | None
    superseded: str
    audit_id: str


def is_own(graph: Graph, user: str, ref: str, agent: str) -> bool:
    """Whether a reference, of a memory or of what has taken its place, is that of a record of the agent's."""
    record = find_record(graph, user, ref.strip("[]"))
    return record is not None and record["agent"] == agent


def is_own_correction(graph: Graph, user: str, name: str, agent: str) -> bool:
    """Whether what was corrected under a name was a record of the agent's that it has corrected itself."""
    found = find_corrections(graph, user, name.strip("[]"))
    return bool(found) and found[-1]["agent"] == agent and is_own(graph, user, found[-1]["ref"], agent)


def correct(
    graph: Graph,
    settings: Settings,
    user: str,
    ref: str,
    *,
    text: str | None = None,
    reason: str,
    agent: str,
    models: Models | None = None,
    by: str | None = None,
    is_locked: bool = False,
) -> Corrected:
    """Give a memory other words, or retire it where there are none. The same correction again is the same. ``by``: the
    id of the record that says the words already. ``is_locked``: the caller holds the owner's lock.

    Raises :class:`UnknownReferenceError` where the user has no such memory, :class:`CorrectionError` for what is no
    record or statement, what a rail keeps, and what its owner has decided about.
    """
    with _lock(settings, check_user(user), is_locked=is_locked):
        if not reason.strip():
            raise WrongUseError("Say why: a reason is needed.")
        words, why = None if text is None else checked_text(text), mask_text(reason.strip())
        work = _Correcting(graph, settings, user, agent, why, models or local_models(settings), by)
        known, is_record = _correctable(graph, user, ref.strip("[]"))
        return work.record(known, words) if is_record else work.statement(known, words)


def check_corrections(
    graph: Graph,
    settings: Settings,
    user: str,
    corrections: Iterable[tuple[str, str | None]],
    agent: str,
    by: str | None = None,
) -> None:
    """Raise what :func:`correct` would raise of one of these references, each with its other words (None: it is
    retired), ``by`` a record that says them; nothing is written. So several are corrected, or none is.
    """
    work = _Correcting(graph, settings, user, agent, "", local_models(settings), by)
    for ref, text in corrections:
        known, is_record = _correctable(graph, user, ref.strip("[]"))
        words = None if text is None else checked_text(text)
        if is_record:
            work.wanted(known, words)
        elif work.earlier(known, words) is None:
            work.check_rails(known["id"], known["ref"], OF_OTHERS)


def _correctable(graph: Graph, user: str, key: str) -> tuple[Row, bool]:
    """The record or the statement behind a reference, and whether it is a record."""
    if record := find_record(graph, user, key):
        return record, True
    if found := find_statement(graph, user, key):
        return found, False
    if graph.read("graph/list_referenced", user_id=user, refs=[key]):
        raise CorrectionError(f"[{key}] is made from others: correct the statement or the record that is wrong.")
    raise unknown(user, key)


def _lock(settings: Settings, user: str, *, is_locked: bool) -> AbstractContextManager[None]:
    return nullcontext() if is_locked else owner_lock(settings, user, PATIENCE)


def check_superseded(
    graph: Graph,
    settings: Settings,
    user: str,
    refs: Sequence[str],
    text: str,
    agent: str,
    *,
    kind: MemoryType,
    key: str | None,
    project: str | None,
) -> None:
    """Raise what :func:`supersede` would raise of one of these references, by a record of that text, or since a run
    works on the same memory for long; nothing is written. So it is remembered with all that it supersedes, or not.
    """
    if refs:
        _, by = own_ids(user, checked_text(text), kind, agent, key, project)
        with owner_lock(settings, user, PATIENCE):
            check_corrections(graph, settings, user, [(ref, text) for ref in refs], agent, by)


def supersede(
    graph: Graph,
    settings: Settings,
    user: str,
    refs: Iterable[str],
    text: str,
    by: Remembered,
    agent: str,
    models: Models | None = None,
) -> list[str]:
    """What a new record with that text says takes the place of these memories; their references."""
    reason = f"superseded by [{by.ref}]"
    made = (
        correct(graph, settings, user, ref, text=text, reason=reason, agent=agent, models=models, by=by.memory_id)
        for ref in refs
    )
    return [one.superseded for one in made]


def unknown(user: str, ref: str) -> UnknownReferenceError:
    """That the user has no such memory; of one that is another project's in the same words."""
    return UnknownReferenceError(
        f"Nothing of {user}'s has the reference or id {ref.strip('[]')!r}. `recall`, `open` and a MEMORY.md give "
        "references."
    )


def not_corrected(user: str, name: str) -> UnknownReferenceError:
    """That nothing was corrected under that name."""
    return UnknownReferenceError(
        f"Nothing of {user}'s was corrected as {name!r}: `memory-assets decisions --user {user}` lists what was."
    )


def find_statement(graph: Graph, user: str, ref: str) -> Row | None:
    """The user's statement behind a reference: its ``id``, ``ref`` and ``text``; None where there is none that the user
    may read.
    """
    found = graph.read("recall/find_opened", user_id=user, user_ids=readable_owners(graph, user), ref=ref)
    return next((row for row in found if row["kind"] == "statement"), None)


def doubt(graph: Graph, settings: Settings, user: str, refs: Iterable[str], agent: str) -> list[str]:
    """Note that memories are said to be wrong: each is a contradiction that somebody settles. The references, of those
    given, that a record or a statement of the user's has.
    """
    said = {}
    for ref in refs:
        if found := find_record(graph, user, ref) or find_statement(graph, user, ref):
            said[ref] = Doubt(found["id"], found["text"])
    graph.write_together(opened(graph, user, list(said.values()), agent, settings.clock.now()))
    return list(said)


def take_back(
    graph: Graph,
    settings: Settings,
    user: str,
    name: str,
    agent: str,
    models: Models | None = None,
    *,
    is_locked: bool = False,
) -> Corrected:
    """Take a correction back, by the id of its decision or audit, or the reference of what was corrected or holds now:
    what it was holds again. ``is_locked``: the caller holds the owner's lock.

    The line is removed from the file before the graph: after a stop in between it can be taken back again.
    """
    with _lock(settings, user, is_locked=is_locked):
        found = find_corrections(graph, user, name.strip("[]"))
        if not found:
            raise not_corrected(user, name)
        row, now = found[-1], settings.clock.now()

        def is_of_it(line: str) -> bool:
            return row["id"] in line and row["id"] == (read_or_none(json.loads, line) or {}).get("decision")

        for path in list_agent_files(settings, user):
            strike_out(settings, user, path, is_of_it)
        records = [find_record(graph, user, ref) for ref in (row["ref"], row["by_ref"]) if ref]
        ids = sorted({source["id"] for record in records if record for source in record["sources"]})
        undone = _undone(graph, user, row, f"taken back by {agent}", now)
        graph.write_together(
            [*recorded(user, [undone], now), *lines_taken_back(graph, user, ids, is_of_it, now), source_mark(user, now)]
        )
        if ids:
            _read_again(graph, settings, user, ids, models or local_models(settings))
            again = [record["id"] for record in records if record]
            note_unjudged(graph, user, settings.unjudged_index(user), again)
        return Corrected(row["ref"], row["by_ref"] or row["ref"], undone["audit_id"])


def _undone(graph: Graph, user: str, row: Mapping[str, Any], why: str, now: datetime) -> Row:
    if row["kind"] != CORRECTION:
        (edit,) = [one for one in list_edits(graph, user) if one["id"] == row["id"]]
        return edited_files.decision_of(
            edited_files.decided_anew(edit, edited_files.UNDONE, now, action_before=None)
        ) | {"reason": why}
    audit = {"audit_id": node_id("audit", row["id"], "undo", to_iso(now)), "audit_action": "undo-correct"}
    said = {name: row[name] for name in row if name != "kind"}
    return decision_row(
        CORRECTION, {**said, **audit, "reason": why, "snapshot": None}, row["published_text"], in_force=False
    )


@dataclass(frozen=True)
class _Correcting:
    """What corrections have in common. The owner's lock is held."""

    graph: Graph
    settings: Settings
    user: str
    agent: str
    reason: str
    models: Models
    by: str | None = None
    _written: list[Path] = field(default_factory=list)
    """The files that its lines are in."""

    @property
    def _now(self) -> datetime:
        return self.settings.clock.now()

    def record(self, known: Row, text: str | None) -> Corrected:
        """A record gets another line; another agent's words are retired, and the new ones are the caller's."""
        line, contents, wanted = self.wanted(known, text)
        is_own = known["agent"] == self.agent
        if wanted.is_said:
            return self._again(known, line, contents, text, is_own)
        decision = node_id("correction", self.user, known["id"], known["recorded_at"])
        at = str(to_iso(self._now))
        said = {"at": to_iso(datetime.fromisoformat(known["recorded_at"]) + LATER), "decision": decision}
        said |= {"corrected_at": at, "corrected_by": self.agent}
        self._write_down(corrected_line(line, wanted, said), beside=line)
        return self._decided_record(known, decision, at, line, text, is_own)

    def wanted(self, known: Row, text: str | None) -> tuple[Row, list[Row], Correction]:
        """A record's latest line, the contents of its sources, and what its next line is to say, where it may."""
        ids = [source["id"] for source in known["sources"]]
        contents = self.graph.read("records/list_contents", user_id=self.user, ids=ids)
        line = latest_line(self.user, (row["raw_content"] or "" for row in contents), known["id"])
        if line is None or not line.get("id") or not known["recorded_at"] or "text" not in line:
            raise CorrectionError(f"[{known['ref']}] has no id, time and text of its own: correct it in its file.")
        if self.by == known["id"]:
            raise CorrectionError(f"[{known['ref']}] cannot supersede itself.")
        is_own = known["agent"] == self.agent
        wanted = decide_correction(line, text, is_own=is_own, is_replaced=self.by is not None)
        if wanted.words is None and not wanted.is_said:
            self.check_rails(known["id"], known["ref"], OF_ONES_OWN if is_own else OF_OTHERS)
        return line, contents, wanted

    def _again(self, known: Row, line: Row, contents: list[Row], text: str | None, is_own: bool) -> Corrected:
        """What the line says already: by the same correction, whose decision was perhaps never written, or not."""
        decision = line.get("decision")
        made = find_corrections(self.graph, self.user, decision) if decision else []
        if made and (made[-1]["agent"], made[-1]["edited_text"]) == (self.agent, text):
            says_it = made[-1]["by_ref"] or (known["ref"] if text is not None else None)
            return Corrected(says_it, known["ref"], made[-1]["audit_id"])
        if made or not decision or line.get("corrected_by") != self.agent:
            what = "is retired" if line.get("retired") else "says so"
            raise CorrectionError(f"[{known['ref']}] {what} already.")
        former = "\n".join(row["raw_content"] or "" for row in contents).split("\n")
        was = latest_line(self.user, (one for one in former if decision not in one), known["id"]) or line
        was_at = to_iso(datetime.fromisoformat(known["recorded_at"]) - LATER)
        known = known | {"text": was["text"], "recorded_at": was_at}
        return self._decided_record(known, decision, line["corrected_at"], line, text, is_own)

    def _decided_record(
        self, known: Row, decision: str, at: str, line: Row, text: str | None, is_own: bool
    ) -> Corrected:
        by = self.by
        if not by and text is not None and not is_own:
            by = self._replacement(known["id"], decision, text, Held.of(known))
        self._take_in(known["ref"], *([reference(by)] if by else []))
        action = edited_files.RETIRED if text is None else edited_files.SUPERSEDED
        audit_id = node_id("audit", decision, action, at)
        row: Row = {"id": decision, "memory_id": known["id"], "ref": known["ref"], "agent": self.agent}
        row |= {"by_memory_id": by, "by_ref": reference(by) if by else None, "action": action, "at": at}
        row |= {"was_at": known["recorded_at"], "published_text": known["text"], "edited_text": text}
        row |= {"audit_id": audit_id, "audit_action": f"correct-{action}", "reason": self._why(action)}
        row |= {"snapshot": json.dumps(line, ensure_ascii=False, sort_keys=True)}
        self._record(decision_row(CORRECTION, row, text or known["text"], in_force=True))
        says_it = row["by_ref"] or (known["ref"] if text is not None else None)
        return Corrected(says_it, known["ref"], audit_id)

    def statement(self, known: Row, text: str | None) -> Corrected:
        """What a source says is out by a decision; the source stays as it is."""
        decision = node_id("edit", self.user, known["id"])
        if same := self.earlier(known, text):
            return Corrected(same["by_ref"], known["ref"], same["audit_id"])
        self.check_rails(known["id"], known["ref"], OF_OTHERS)
        owners = readable_owners(self.graph, self.user)
        held = held_memories(self.graph, self.user, owners, [known["id"]]).get(known["id"], ALWAYS)
        new = self.by or (self._replacement(known["id"], decision, text, held) if text is not None else None)
        if new:
            self._take_in(reference(new))
        action, now = edited_files.RETIRED if new is None else edited_files.SUPERSEDED, self._now
        said: Row = {"path": f"a correction by {self.agent}", "at": now, "mark": str(to_iso(now)), "agent": self.agent}
        said |= {"published_text": known["text"], "edited_text": text}
        said |= {"by_memory_id": new, "by_ref": reference(new) if new else None}
        row = edited_files.edit_row(decision, known["id"], action, **said)
        # A retirement that has words is one that was taken back; here it has none, and a replacement is no retirement.
        self._record(edited_files.decision_of(row | {"reason": self._why(action)}))
        return Corrected(row["by_ref"], known["ref"], row["audit_id"])

    def earlier(self, known: Row, text: str | None) -> Row | None:
        """The same correction of a statement, where it was made before; nobody else's decision is overruled."""
        decision = node_id("edit", self.user, known["id"])
        before = next((row for row in list_edits(self.graph, self.user) if row["id"] == decision), None)
        decided = edited_files.LEAVES_OUT | edited_files.WRITTEN | {edited_files.VANISHED}
        if before is None or before["action"] not in decided:
            return None
        if before["agent"] != self.agent or before["edited_text"] != text:
            by = before["agent"] or "its owner"
            raise CorrectionError(f"{by} has decided about [{known['ref']}] already: `decisions` lists it.")
        (same,) = find_corrections(self.graph, self.user, decision)
        return same

    def _why(self, action: str) -> str:
        return f"{action} by {self.agent}: {self.reason}"

    def check_rails(self, memory_id: str, ref: str, rails: Mapping[str, Any]) -> None:
        """Raise where one of these rails keeps a memory."""
        for facts in list_facts(self.graph, self.user, [memory_id]):
            closed = closed_rails(vars(facts) | {"labels": [facts.kind]}, self._now, rails)
            if closed:
                raise CorrectionError(f"[{ref}] stays: {', '.join(closed)} keeps it.")

    def _replacement(self, corrected_id: str, decision: str, text: str, held: Held) -> str:
        """The agent's own words in place of somebody else's, as a record of the same project that holds between the
        same days; its memory's id.
        """
        own_id = fingerprint("correct", decision, text)
        memory_id = node_id("record", self.user, "MemoryEntry", self.agent, own_id)
        if find_record(self.graph, self.user, reference(memory_id)) is None:
            record = {"record": "memory", "id": own_id, "agent": self.agent, "at": to_iso(self._now), "text": text}
            project = project_of(self.graph, self.user, readable_owners(self.graph, self.user), [corrected_id])
            record |= {"project": project} if project else {}
            record |= {name: day for name, day in held.as_row().items() if day}
            self._write_down(record | {"kind": "fact", "decision": decision})
        return memory_id

    def _write_down(self, record: Row, beside: Row | None = None) -> None:
        path, _ = write_down(self.settings, self.user, self.agent, record, beside=beside)
        self._written.append(path)

    def _take_in(self, *refs: str) -> None:
        take_in(self.graph, self.settings, self.user, self._written, refs, self.models)

    def _record(self, row: Row) -> None:
        self.graph.write_together([*recorded(self.user, [row], self._now), source_mark(self.user, self._now)])


def _read_again(graph: Graph, settings: Settings, user: str, ids: list[str], models: Models) -> None:
    """What a run does with sources whose content has changed, at once: recall says what holds now."""
    Recorder(graph, models.embedder, settings.clock, user).run()
    language = models.language_for("processed_sources")
    process_given(graph, user, language, models.embedder, settings.clock, ids)
    graph.write_together([source_mark(user, settings.clock.now())])
