"""What an edit of a memory file decides about memories, as rows: kept by memory, so that no extraction forgets it. Pure.

A line that is gone retires its memory, one with other words is superseded by what its editor wrote, one that stands
there again takes an earlier decision back. Nobody's memory is removed: what is retired or superseded is left out of the
values and files of this user alone. Where too much is gone at once (:attr:`Edit.vanished`), nothing is retired before
somebody has confirmed it.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, time
from typing import Any

from memory_assets.clock import to_iso
from memory_assets.memory_file import render
from memory_assets.memory_file.edit_kinds import Added, Changed, Edit
from memory_assets.memory_file.edit_rows import (
    ADDED,
    GONE,
    LEAVES_OUT,
    NEWER,
    OTHERWISE,
    RESTORED,
    RETIRED,
    SUPERSEDED,
    UNDECIDED,
    VANISHED,
    Row,
    edit_row,
    is_written,
    same_decision,
)
from memory_assets.memory_file.edited_text import same_words, told_day


@dataclass(frozen=True)
class Told:
    """A line that becomes a statement of the edit's source, and which published memory it replaces, if any."""

    line: int
    text: str
    heading: str | None
    replaces: Changed | None = None


@dataclass(frozen=True)
class Plan:
    """An edit sorted: what is to be stored in words, and which earlier decisions it takes back."""

    told: tuple[Told, ...]
    restored: tuple[tuple[Mapping[str, Any], Changed | None], ...]


def leads_of(row: Mapping[str, Any]) -> frozenset[str]:
    """What the renderer may have put before the words of this memory: its day, its speaker, or both."""
    label = render.label_of(row["label"], row["said_by_owner"])
    told = told_day(row.get("text") or "")
    known = [render.day_of(row["occurred_at"]), told and render.day_of(datetime.combine(told[0], time(), UTC))]
    days = [form for day in known if day for form in (day, day.rpartition(" ")[0])]
    leads = [*days, *([label] if label else []), *(f"{day}, {label}" for day in days if label)]
    return frozenset(same_words(f"{lead}:") for lead in leads)


def plan_edit(edit: Edit, known: Sequence[Mapping[str, Any]], headings: Mapping[str, str]) -> Plan:
    """Sort an edit. ``known`` are the user's decisions as ``memory_file/list_edits`` gives them."""
    out = {same_words(row["published_text"]): row for row in known if row["action"] in LEAVES_OUT and row["entity_type"]}
    told: list[Told] = []
    restored: list[tuple[Mapping[str, Any], Changed | None]] = []
    new: list[Added | Changed] = [*edit.added, *edit.changed]
    for one in sorted(new, key=lambda one: one.line):
        text = one.text if isinstance(one, Added) else one.after
        replaces = one if isinstance(one, Changed) else None
        words = same_words(text)
        # Anything else before the words is new: "Monday only: Call the plumber" is not "Call the plumber".
        again = out.get(words) or next(
            (row for said, row in out.items() if words.endswith(f": {said}") and words.removesuffix(f" {said}") in leads_of(row)),
            None,
        )
        if again is not None and (replaces is None or replaces.memory_id != again["memory_id"]):
            restored.append((again, replaces))
        else:
            heading = one.heading if isinstance(one, Added) else headings.get(one.section)
            told.append(Told(one.line, text, heading, replaces))
    return Plan(tuple(told), tuple(restored))


def decide(
    user: str,
    edit: Edit,
    plan: Plan,
    memory_ids: Sequence[str | None],
    *,
    source_id: str | None,
    path: str,
    at: datetime,
    known: Sequence[Mapping[str, Any]] = (),
    missing: Collection[str] = (),
    outdated: Collection[str] = (),
) -> list[Row]:
    """The rows of ``curation/set_file_edits``, one per memory, in order of id.

    ``memory_ids`` are those of the statements that ``plan.told`` become, None for one without words; ``source_id`` is
    theirs, None where no words are told. Memories in ``missing`` don't exist any more, those in ``outdated`` have been
    superseded since they were published: an edit of either is taken in, and is a conflict until somebody has seen it.

    ``known`` are the decisions there are. What had been written and vanishes keeps that (``action_before``); what is out
    already does not vanish. Where another file has decided otherwise about the same line, that decision stays, with
    both texts, and is a conflict.
    """
    deciding = _Deciding(user, path, to_iso(at), source_id, {row["memory_id"]: row for row in known})
    rows = deciding.gone(edit)
    superseded, written = deciding.written(plan, memory_ids, missing, outdated)
    rows |= superseded
    rows |= written  # what is written wins over what is gone: its words stand in the file
    return [rows[key] for key in sorted(rows)]


@dataclass(frozen=True)
class _Deciding:
    """What the decisions about one edited file have in common, and the decisions there are, by memory."""

    user: str
    path: str
    at: str | None
    source_id: str | None
    decided: Mapping[str, Mapping[str, Any]]

    def gone(self, edit: Edit) -> dict[str, Row]:
        """What becomes of the memories whose lines are gone, one by one or together with many."""
        rows: dict[str, Row] = {}
        for one in edit.removed:
            if other := self._elsewhere(one.memory_id, None):
                rows[one.memory_id] = same_decision(self.user, other, OTHERWISE)
            else:
                before = _written_as(self.decided, one.memory_id)
                rows[one.memory_id] = self._row(one.memory_id, RETIRED, one.before, None, one.section, action_before=before)
        for one in edit.vanished:
            was = self.decided.get(one.memory_id)
            if was is not None and was["action"] in LEAVES_OUT:
                continue
            kept = {key: was[key] for key in ("in_place_of", "source_id")} if was is not None and is_written(was) else {}
            before = _written_as(self.decided, one.memory_id)
            rows[one.memory_id] = self._row(one.memory_id, VANISHED, one.before, None, one.section, action_before=before, **kept)
        return rows

    def written(
        self, plan: Plan, memory_ids: Sequence[str | None], missing: Collection[str], outdated: Collection[str]
    ) -> tuple[dict[str, Row], dict[str, Row]]:
        """What becomes of the memories that are replaced, and of those that stand there in their editor's words."""
        superseded: dict[str, Row] = {}
        written: dict[str, Row] = {}
        pairs = [(told.replaces, told.text, new, ADDED) for told, new in zip(plan.told, memory_ids, strict=True)]
        pairs += [(was, row["published_text"], row["memory_id"], RESTORED) for row, was in plan.restored]
        for replaced, text, new, action in pairs:
            if new is None or (replaced is not None and replaced.memory_id == new):
                continue
            section = replaced.section if replaced else None
            conflict = None
            if replaced:
                old = replaced.memory_id
                other = self._elsewhere(old, new)
                if other is not None and other["action"] == SUPERSEDED:
                    conflict = OTHERWISE  # the line has the other file's words, and these stand beside them
                else:
                    doubt = OTHERWISE if other else GONE if old in missing else NEWER if old in outdated else None
                    more = {"by_memory_id": new, "conflict": doubt, "action_before": _written_as(self.decided, old)}
                    superseded[old] = self._row(old, SUPERSEDED, replaced.before, text, section, **more)
            of = {"in_place_of": replaced.memory_id} if replaced else {}
            written[new] = self._row(new, action, text, text, section, conflict=conflict, **of)
        return superseded, written

    def _row(self, memory_id: str, action: str, before: str, after: str | None, section: str | None, **more: Any) -> Row:
        common = {"path": self.path, "at": self.at, "source_id": self.source_id}
        return edit_row(
            self.user, memory_id, action, published_text=before, edited_text=after, section=section, **{**common, **more}
        )

    def _elsewhere(self, memory_id: str, new: str | None) -> Mapping[str, Any] | None:
        """What another file has made of the line, if it is not the same."""
        row = self.decided.get(memory_id)
        is_other = row is not None and row["action"] in LEAVES_OUT and row["path"] != self.path
        return row if is_other and row is not None and row["by_memory_id"] != new else None


def _written_as(decided: Mapping[str, Mapping[str, Any]], memory_id: str) -> str | None:
    """How a memory had its editor's authority until now; None for one that had not."""
    row = decided.get(memory_id)
    if row is None or not is_written(row):
        return None
    action = row["action_before"] if row["action"] in UNDECIDED else row["action"]
    return str(action)
