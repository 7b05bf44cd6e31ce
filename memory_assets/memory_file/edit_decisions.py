"""What an edit of a MEMORY.md decides about memories, as rows by memory, so that no extraction forgets it. Pure.

A line that is gone retires its memory, one with other words is superseded by what its editor wrote, one that is there
again takes an earlier decision back. What is decided about a line that a model has composed is decided about every
memory that it cites; its words are no memory's, so that they are new where they are written again. Nobody's memory is
removed: what is retired or superseded is left out of the values and files of this user alone.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, time
from typing import Any

from memory_assets.memory_file import render
from memory_assets.memory_file.candidates import parts_of
from memory_assets.memory_file.edited_lines import texts_of
from memory_assets.model import node_id
from memory_assets.runtime.edited_files import (
    ADDED,
    DISMISSED,
    LEAVES_OUT,
    OTHERWISE,
    RESTORED,
    RETIRED,
    SUPERSEDED,
    UNDONE,
    VANISHED,
    WRITTEN,
    Edit,
    EditedFile,
    Line,
    Row,
    decided_anew,
    edit_row,
)
from memory_assets.text.lines import leading_day, same_words

GONE = "what the line said had been retired meanwhile"
NEWER = "something newer had taken the line's place meanwhile"


@dataclass(frozen=True)
class Words:
    """A line that becomes a statement of the edit's source, or says what an earlier decision (``again``) had taken
    out; and which published line it replaces, if any.
    """

    line: int
    text: str
    heading: str | None
    replaces: Line | None = None
    again: Mapping[str, Any] | None = None


def leads_of(row: Mapping[str, Any]) -> frozenset[str]:
    """What the renderer may have put before the words of this memory: its day, its speaker, or both."""
    label = render.label_of(row["label"], row["said_by_owner"])
    said = leading_day(row.get("text") or "")
    known = [render.day_of(row["occurred_at"]), said and render.day_of(datetime.combine(said[0], time(), UTC))]
    days = [form for day in known if day for form in (day, day.rpartition(" ")[0])]
    leads = [*days, *([label] if label else []), *(f"{day}, {label}" for day in days if label)]
    return frozenset(same_words(f"{lead}:") for lead in leads)


def written_in(edit: Edit, known: Sequence[Row]) -> list[Words]:
    """What is written in an edited file, in its order; ``known`` are the user's decisions about memories."""
    out = {
        same_words(row["published_text"]): row for row in known if row["action"] in LEAVES_OUT and row["entity_type"]
    }
    new = [Words(item.line, text, heading) for item, text, heading in texts_of(edit)]
    new += [
        Words(item.line, after, render.HEADINGS.get(line.entry["section"]), line) for line, item, after in edit.changed
    ]
    return [_again(one, out) for one in sorted(new, key=lambda one: one.line)]


def _again(one: Words, out: Mapping[str, Row]) -> Words:
    """The words with the decision that they take back. Anything but a lead is new: "Monday only: Call the plumber"."""
    words = same_words(one.text)
    led = (
        row
        for said, row in out.items()
        if words.endswith(f": {said}") and words.removesuffix(f" {said}") in leads_of(row)
    )
    row = out.get(words) or next(led, None)
    is_itself = one.replaces is not None and row is not None and one.replaces.entry["memory_id"] == row["memory_id"]
    return Words(one.line, one.text, one.heading, one.replaces, None if is_itself else row)


def decide(
    edited: EditedFile,
    written: Sequence[Words],
    memory_ids: Sequence[str],
    source_id: str | None,
    known: Sequence[Row] = (),
    missing: Collection[str] = (),
) -> list[Row]:
    """The rows of an edit's decisions, one per memory, in order of id.

    ``memory_ids`` are those that the ``written`` words have, ``source_id`` that of the source that holds the new ones.
    Memories in ``missing`` don't exist any more, those in the file's ``outdated`` have been superseded since they were
    published: an edit of either is taken in, and is a conflict until somebody has seen it.

    What had been written and vanishes keeps that (``action_before``); what is out already does not vanish. Where
    another file has decided otherwise about the same line, that decision stays, with both texts, and is a conflict.
    """
    deciding = _Deciding(edited, source_id, {row["memory_id"]: row for row in known}, missing)
    rows = deciding.gone()
    superseded, new = deciding.written(zip(written, memory_ids, strict=True))
    rows |= superseded
    rows |= new  # what is written wins over what is gone: its words are in the file
    return [rows[key] for key in sorted(rows)]


def _parts(lines: Iterable[Line]) -> Iterable[Mapping[str, Any]]:
    return parts_of(line.entry for line in lines)


@dataclass(frozen=True)
class _Deciding:
    """What the decisions about one edited file have in common, and the decisions there are, by memory."""

    edited: EditedFile
    source_id: str | None
    decided: Mapping[str, Row]
    missing: Collection[str]

    def gone(self) -> dict[str, Row]:
        """What becomes of the memories whose lines are gone, one by one or together with many."""
        rows: dict[str, Row] = {}
        for part in _parts(self.edited.edit.removed):
            memory_id = part["memory_id"]
            other = self._elsewhere(memory_id, None)
            rows[memory_id] = self._same(other) if other else self._of(part, RETIRED)
            for back in [] if other else self._given_back(memory_id):
                rows[back["memory_id"]] = self._row(
                    back["memory_id"], RETIRED, back["published_text"], section=part["section"]
                )
        for part in _parts(self.edited.edit.vanished):
            was = self.decided.get(part["memory_id"])
            if was is None or was["action"] not in LEAVES_OUT:
                origin = {"in_place_of": was["in_place_of"]} if was and written_as(was) else {}
                rows[part["memory_id"]] = self._of(part, VANISHED, **origin)
        return rows

    def _given_back(self, memory_id: str) -> list[Row]:
        """The decisions by which a memory had another's place that were taken back: that one would have the line
        now, unless it has a line of its own.
        """
        edit = self.edited.edit
        lines = [*(line for line, _ in edit.same), *(line for line, *_ in edit.changed), *edit.removed, *edit.vanished]
        own = {part["memory_id"] for part in _parts(lines)}
        backs = (one for one in self.decided.values() if one["action"] == UNDONE and one["by_memory_id"] == memory_id)
        return [one for one in backs if one["memory_id"] not in own]

    def written(self, words: Iterable[tuple[Words, str]]) -> tuple[dict[str, Row], dict[str, Row]]:
        """What becomes of the memories that are replaced, and of those that are there in their editor's words.

        A composed line that has one memory's own words again leaves that memory as it was, and replaces the others.
        """
        superseded: dict[str, Row] = {}
        written: dict[str, Row] = {}
        for one, new in words:
            every = list(_parts([one.replaces] if one.replaces else []))
            parts = [part for part in every if part["memory_id"] != new]
            if every and not parts:
                continue
            text = one.again["published_text"] if one.again else one.text
            conflict = None
            for part in parts:
                other = self._elsewhere(part["memory_id"], new)
                if other is not None and other["action"] == SUPERSEDED:
                    conflict = OTHERWISE  # the line has the other file's words, and these come beside them
                else:
                    superseded[part["memory_id"]] = self._of(
                        part, SUPERSEDED, edited_text=text, by_memory_id=new, conflict=self._doubt(part, other)
                    )
            section = one.replaces.entry["section"] if one.replaces else None
            action = RESTORED if one.again else ADDED
            old = parts[0]["memory_id"] if parts else None
            before = self._action_before(new) if len(parts) < len(every) else None
            said = {"edited_text": text, "section": section, "conflict": conflict, "in_place_of": old}
            written[new] = self._row(new, action, text, action_before=before, **said)
        return superseded, written

    def _action_before(self, memory_id: str) -> str | None:
        """What a memory of a published line is without a decision: its editor's or its sources' word; None when out."""
        row = self.decided.get(memory_id)
        return None if row and row["action"] in LEAVES_OUT else written_as(row) or DISMISSED

    def _doubt(self, part: Mapping[str, Any], other: Row | None) -> str | None:
        """Why a replaced memory is asked about."""
        if other:
            return OTHERWISE
        if part["memory_id"] in self.missing:
            return GONE
        return NEWER if part["memory_id"] in self.edited.file.outdated else None

    def _of(self, part: Mapping[str, Any], action: str, **more: Any) -> Row:
        """A decision about a memory of a published line, which has the memory's own words."""
        memory_id = part["memory_id"]
        was = self.decided.get(memory_id)
        before = RETIRED if was and was["action"] == RETIRED else written_as(was)
        origin = {"source_id": was["source_id"]} if was and before in WRITTEN else {}
        said = {"section": part["section"], "action_before": before, **origin, **more}
        return self._row(memory_id, action, part["text"], **said)

    def _row(self, memory_id: str, action: str, published: str, **more: Any) -> Row:
        file = self.edited.file
        said = {"path": str(file.path), "at": self.edited.at, "source_id": self.source_id, "published_text": published}
        identifier = node_id("edit", file.user, memory_id)
        return edit_row(identifier, memory_id, action, mark=self.edited.state, **{**said, **more})

    def _same(self, row: Row) -> Row:
        """Another file's decision as it is, with a conflict."""
        names = ("path", "source_id", "edited_text", "section", "in_place_of", "by_memory_id", "action_before")
        same = {name: row[name] for name in names} | {"at": row["at"], "conflict": OTHERWISE}
        return self._row(row["memory_id"], row["action"], row["published_text"], **same)

    def _elsewhere(self, memory_id: str, new: str | None) -> Row | None:
        """What another file has made of the line, if it is not the same."""
        row = self.decided.get(memory_id)
        is_other = row is not None and row["action"] in LEAVES_OUT and row["path"] != str(self.edited.file.path)
        return row if is_other and row is not None and row["by_memory_id"] != new else None


def written_as(row: Mapping[str, Any] | None) -> str | None:
    """How a memory has its editor's authority, or None. What vanished together with others keeps it."""
    action = row and (row["action_before"] if row["action"] in (VANISHED, DISMISSED) else row["action"])
    return action if action in WRITTEN else None


def undo_rows(known: Sequence[Row], row: Row, now: datetime) -> list[Row]:
    """What taking one decision back decides; empty when there is nothing to take back.

    What was retired or superseded is what it was before, and all that had replaced it is taken back, and what had
    replaced that; so is what was added, which is out as long as its source has other lines that hold; what was restored
    is retired again. With what is taken back goes all that it did: each memory that it had replaced, such as those of
    one composed line, is what it was. Where two files had replaced a line, taking one of them back leaves the other.
    """
    written = [one for one in known if one["action"] in WRITTEN]
    if row["action"] in LEAVES_OUT:
        taken, rows = _written_since(known, row, now), [_as_before(row, known, now)]
    elif row["action"] in WRITTEN:
        taken, rows = [row], []
    else:
        return []
    ids = {one["memory_id"] for one in taken}
    others = [one for one in written if one["memory_id"] not in ids]
    for old in known:
        if (
            old["action"] == SUPERSEDED
            and old["by_memory_id"] in ids
            and old["memory_id"] not in {row["memory_id"], *ids}
        ):
            rows += _given_back(old, known, others, now)
    rows += [_taken_back(one, now) for one in sorted(taken, key=lambda one: str(one["memory_id"]))]
    gone = sources_undone(known, rows)
    after = {one["memory_id"]: one for one in [*known, *rows] if one["source_id"] in gone}
    ids = {key for key, one in after.items() if one["action"] == RETIRED and one["edited_text"] is not None}
    let_go = [decided_anew(one, UNDONE, now, action_before=None) for one in known if one["memory_id"] in ids]
    return [*(one for one in rows if one["memory_id"] not in ids), *let_go]


def sources_undone(known: Sequence[Row], rows: Sequence[Row]) -> set[str]:
    """The sources of edits of which no line holds any more once these rows are decided, too."""
    after = {row["memory_id"]: row for row in [*known, *rows]}
    made, held = (
        {row["source_id"] for row in some if row["source_id"] and ADDED in (row["action"], row["action_before"])}
        for some in (known, after.values())
    )
    return made - held


def _written_since(known: Sequence[Row], row: Row, now: datetime) -> list[Row]:
    """What edits have written in the place of a memory that is out, and in the place of that, as it was written."""
    found, replaced = dict[str, Row](), [row]
    for old in replaced:
        for one in known:
            is_in_place = old["memory_id"] == one["in_place_of"] or old["by_memory_id"] == one["memory_id"]
            if not is_in_place or one["memory_id"] in {row["memory_id"], *found}:
                continue
            if one["action"] in WRITTEN:
                found[one["memory_id"]] = one
            elif one["action"] == SUPERSEDED and one["action_before"] in WRITTEN:
                found[one["memory_id"]] = {**one, **_as_before(one, known, now), "at": one["at"]}
                replaced.append(one)
    return list(found.values())


def _as_before(row: Row, known: Sequence[Row], now: datetime) -> Row:
    """A memory that was out, as it was before: in its editor's words and in the place of what these had replaced, or by
    its sources alone.
    """
    if row["action_before"] not in WRITTEN:
        return decided_anew(row, UNDONE, now, action_before=None)
    places = (
        one["memory_id"] for one in known if one["by_memory_id"] == row["memory_id"] and one["action"] == SUPERSEDED
    )
    said = {"edited_text": row["published_text"], "in_place_of": next(places, None)}
    return decided_anew(row, row["action_before"], now, action_before=None, **said)


def _taken_back(row: Row, now: datetime) -> Row:
    """A written memory as it was before the edit: out, where the edit has added it or brought it back."""
    text = None if row["action"] == RESTORED and not row["action_before"] else row["edited_text"]
    return decided_anew(row, row["action_before"] or RETIRED, now, action_before=None, edited_text=text)


def _given_back(old: Row, known: Sequence[Row], written: Sequence[Row], now: datetime) -> list[Row]:
    """A memory whose replacement is taken back: another ``written`` in its place has it, else it is as before."""
    in_place = [one for one in written if one["in_place_of"] == old["memory_id"]]
    if not in_place and old["action_before"] == RETIRED:
        return [decided_anew(old, RETIRED, now, by_memory_id=None, edited_text=None)]
    if not in_place:
        return [_as_before(old, known, now)]
    other = min(in_place, key=lambda one: str(one["memory_id"]))
    by = {"by_memory_id": other["memory_id"], "edited_text": other["edited_text"], "path": other["path"]}
    return [decided_anew(old, SUPERSEDED, now, **by), decided_anew(other, other["action"], now)]
