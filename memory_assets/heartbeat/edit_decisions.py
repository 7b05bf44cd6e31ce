"""What an edit of a HEARTBEAT.md decides about tasks, as rows and tasks to be stored. Pure.

A new line is a task, one with other words replaces its task, one that is gone (or ticked off, or struck out) lets
its task rest: it keeps its definition and its counts, and comes back with its line. What is no task is saved in a
copy beside the file and reported. Each decision holds the task as it was, so that it can be taken back.

A task's line is known by the task's id before its brackets; headings of ours and the line of counts are no edits.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from memory_assets.heartbeat.reading import DEFAULT_SCHEDULE, read_tasks
from memory_assets.heartbeat.tasks import Task, TaskError, task_from, task_id, to_json
from memory_assets.heartbeat.titles import BOX
from memory_assets.model import node_id
from memory_assets.privacy.masking import mask_text
from memory_assets.runtime.edited_files import (
    ADDED,
    BESIDE,
    CHANGED,
    OTHERWISE,
    REMOVED,
    RESTORED,
    VANISHED,
    Base,
    EditedFile,
    Line,
    Reading,
    Row,
    edit_row,
)
from memory_assets.text.items import ENTRY, PROSE, Item
from memory_assets.text.lines import same_words, split_lines, struck_out

_BULLET = re.compile(r"^ {0,3}(?:[-*+•]|\d{1,3}[.)])\s+(?P<words>\S.*)$")
_COUNTS = re.compile(r"^[\d,]+ tasks(?:, [\d,]+ idle)?; registry (?P<registry>[0-9a-f]{15}), synced .*$", re.M)
_COUNTED = re.compile(r"## (?:Quick Tasks|Deferred Tasks|Pending Changes)|- (?:and [\d,]+ more|\S.* [0-9a-f]{12})")
"""What else a publication writes beside tasks: headings, how many more there are, and which wait to be loaded again."""
_INDENT = re.compile(r"^(?: {1,2}|\t)")
_TASK = re.compile(
    r"^(?P<key>.+?) \((?P<schedule>[^()\n]+)\)(?:\s*:[ \t]*(?P<text>\S.*)|(?:\s+(?P<hash>[0-9a-f]{12}))?\s*)$", re.S
)


@dataclass(frozen=True)
class TaskLine:
    """A task as it is written in a file: its id, schedule, and text (None where the line has its hash alone)."""

    key: str
    schedule: str
    text: str | None
    is_done: bool = False
    """Ticked off, or struck out."""
    has_hash: bool = False

    @property
    def says(self) -> tuple[str, str | None]:
        """The form in which two lines of one task say the same: white space doesn't count."""
        return " ".join(self.schedule.split()), self.text and " ".join(self.text.split())

    def now_says(self, item: Item) -> str | None:
        """The item's words, where they say something else of the task."""
        other = task_in(item.words)
        is_same = other is None or self.says == other.says or (other.text is None and self.says[0] == other.says[0])
        return None if is_same else item.words


def read(base: Base, edited: str) -> Reading:
    """What an edited file says against what was published there."""
    tasks: dict[str, tuple[TaskLine, str]] = {}
    ours = set()
    for item in _items(base.text):
        task = task_in(item.words)
        if task is not None and task.key not in tasks:
            tasks[task.key] = task, item.words
        else:
            ours.add(_plain(item.words))
    lines = [Line(key, words, task.now_says, forms={same_words(words)}) for key, (task, words) in tasks.items()]
    counts, before = _COUNTS.search(edited), _COUNTS.search(base.text)
    is_counted = bool(counts and before and _plain(counts[0]) != _plain(before[0]))
    items = []
    is_ours = False
    for item in _items(edited):
        task, words = task_in(item.words), _plain(item.words)
        known = tasks.get(task.key) if task else None
        if words in ours:
            is_ours = True
        elif is_counted and (_COUNTS.fullmatch(words) or (task is None and _COUNTED.fullmatch(words))):
            continue
        elif task is None or (known is None and task.text is None and not task.has_hash):
            items.append(item)
        else:
            is_ours = is_ours or known is not None
            # An id and a text can look struck out by themselves.
            is_done = known is not None and task.is_done and not known[0].is_done
            items.append(Item(item.line, item.last, ENTRY, item.words, task.key, None, is_done))
    is_older = bool(counts and before and counts["registry"] != before["registry"])
    return Reading(lines, items, is_ours, is_older, signs_count=True)


def _plain(words: str) -> str:
    return " ".join(words.split())


def _items(text: str) -> Iterator[Item]:
    """What a file says, word for word: a bullet with what is indented below it, or a line."""
    lines = split_lines(text)
    for start, stop in _blocks(lines):
        yield Item(start + 1, stop, PROSE, "\n".join(lines[start:stop]).rstrip())


def _blocks(lines: Sequence[str]) -> Iterator[tuple[int, int]]:
    """The lines that are something, from the first to behind the last: one, or a bullet with what is indented below."""
    start = 0
    while start < len(lines):
        stop = start + 1
        if _BULLET.match(lines[start]):
            after = stop
            while after < len(lines) and (not lines[after].strip() or lines[after][0] in " \t"):
                after += 1
                stop = after if lines[after - 1].strip() else stop
        if lines[start].strip():
            yield start, stop
        start = stop


def task_in(words: str) -> TaskLine | None:
    """A bullet with what is indented below it as a task in the form of our own lines; None where it is none."""
    first, *rest = words.split("\n")
    match = _BULLET.match(first)
    if match is None:
        return None
    below = "\n".join(_INDENT.sub("", part.rstrip()) for part in rest)
    whole = f"{match['words'].rstrip()}\n{below}".rstrip()
    box = BOX.match(whole)
    whole = BOX.sub("", whole)
    struck = struck_out(whole)
    task = _TASK.match(whole if struck is None else struck)
    if task is None:
        return None
    is_done = struck is not None or bool(box and box[1].strip())
    return TaskLine(task["key"].strip(), task["schedule"].strip(), task["text"], is_done, task["hash"] is not None)


CHANGED_MEANWHILE = "the task was changed elsewhere after the file was published"
MANY = "it vanished with many others"
A_REMARK = "a remark: a task is a line of a list, or says when"
OTHER = "the file that was edited is of another publication, which did not have it so"
UNCLEAR = "a line above has the same id: say which one holds"

# A bullet, a number, a heading: what people write a task as.
_IS_LISTED = re.compile(r"\s*(?:[-*+•–#]|\d{1,3}[.)])")


class Deciding:
    """The decisions of one file's edit: ``rows``, the ``tasks`` that follow by id, and whether all that it says is in
    these.

    ``known`` are the tasks of the graph that it names, by id; ``latest`` the last decision of the file about each;
    ``elsewhere`` the digests of what another file's edit has made of tasks in this same run.
    """

    def __init__(
        self, edited: EditedFile, known: Mapping[str, Task], latest: Mapping[str, str], elsewhere: Mapping[str, str]
    ) -> None:
        self._edited, self._known, self._latest, self._elsewhere = edited, known, latest, elsewhere
        self.rows: list[Row] = []
        self.tasks: dict[str, Task] = {}
        self.is_whole = True
        edit = edited.edit
        says = {line.ref: [task_in(item.words)] for line, item in edit.same} | {line.ref: [] for line in edit.removed}
        for line, item, _ in edit.changed:
            says[line.ref] = [task_in(item.words)]
            self._take(line.ref, item, line.written)
        for item in edit.added:
            if item.ref is not None:
                self._added(item.ref, item, says)
        for line in edit.removed:
            task = known.get(line.ref)
            if task is not None and task.is_active:
                resting = replace(task, is_active=False)
                self._row(REMOVED, line.ref, line.written, None, _meanwhile(line.written, task), resting)
        for line, _ in edit.same:
            task = known.get(line.ref)
            if task is not None and not task.is_active and latest.get(line.ref) == REMOVED:
                self._row(RESTORED, line.ref, line.written, line.written, None, replace(task, is_active=True))
        for line in edit.vanished:
            if line.ref in known and known[line.ref].is_active and latest.get(line.ref) != VANISHED:
                self._row(VANISHED, line.ref, line.written, None, OTHER if edit.is_older else MANY)
        self._take_rest([item for item in edit.added if item.ref is None])

    def _row(
        self,
        action: str,
        key: str,
        published: str | None,
        edited: str | None,
        conflict: str | None,
        task: Task | None = None,
    ) -> None:
        """A decision; ``task`` is what follows from it, if anything does."""
        user, path = self._edited.file.user, str(self._edited.file.path)
        if task is not None:
            self.tasks[key] = task
            if self._elsewhere.get(key, task.hash) != task.hash:
                conflict = OTHERWISE
            elif self._edited.edit.is_older and action != ADDED:
                conflict = conflict or OTHER
        edited = None if edited is None else mask_text(edited)
        state, at = self._edited.state, self._edited.at
        identifier = node_id("task-edit", user, path, key, state, edited or "")
        before = to_json(asdict(self._known[key])) if key in self._known else None
        about: dict[str, Any] = {"task_key": mask_text(key), "task_before": before, "conflict": conflict}
        about |= {"published_text": published, "edited_text": edited, "task_hash": task.hash if task else None}
        self.rows.append(edit_row(identifier, task_id(user, key), action, path=path, at=at, mark=state, **about))

    def _beside(self, key: str, published: str | None, edited: str, why: str) -> None:
        self.is_whole = False
        self._row(BESIDE, key, published, edited, why)

    def _added(self, key: str, item: Item, says: dict[str, list[TaskLine | None]]) -> None:
        """A new line of a task; one that has a line already must say the same."""
        task = task_in(item.words)
        if key not in says:
            self._take(key, item, None)
        elif not any(one and task and one.says == task.says for one in says[key]):
            self._beside(key, None, item.words, UNCLEAR)
        says.setdefault(key, []).append(task)

    def _take(self, key: str, item: Item, published: str | None) -> None:
        """A line in our own form: a new task, or other words for one."""
        one, known = task_in(item.words), self._known.get(key)
        if one is None:
            return
        definition: Any = one.text
        if one.text is None and known is not None:
            definition = known.definition
        elif known is not None and not isinstance(known.definition, str):
            definition = _value(one.text or "")
        said = {"id": key, "task_name": known.name if known else key, "schedule": one.schedule}
        try:
            task = task_from(said | {"definition": definition, "is_active": not one.is_done})
        except TaskError as error:
            self._beside(key, published, item.words, str(error))
            return
        if known is not None and known.hash == task.hash:
            return
        action = ADDED if known is None else RESTORED if replace(known, is_active=True).hash == task.hash else CHANGED
        conflict = _meanwhile(published, known) if published and known else None
        self._row(action, key, published or (known.text if known else None), item.words, conflict, task)

    def _take_rest(self, items: Sequence[Item]) -> None:
        """What else a person has written, read as a HEARTBEAT.md of old is."""
        if not items:
            return
        lines = _written(items)
        reading = read_tasks("\n".join(lines))
        named = {number for first, last in reading.spans.values() for number in range(first, last + 1)}
        if any(line.strip() for number, line in enumerate(lines, 1) if number not in named):
            self.is_whole = False
        for task in reading.tasks:
            first, last = reading.spans[task.key]
            words, known = "\n".join(lines[first - 1 : last]).strip(), self._known.get(task.key)
            if known is None and task.schedule == DEFAULT_SCHEDULE and not _IS_LISTED.match(lines[first - 1]):
                self._beside(task.key, None, words, A_REMARK)
            elif known is None or known.hash != task.hash:
                self._row(CHANGED if known else ADDED, task.key, known.text if known else None, words, None, task)
        for one in reading.refused:
            words = lines[one.line - 1].strip() if 0 < one.line <= len(lines) else ""
            self._beside(one.key or f"line {one.line}", None, words, one.reason)


def _written(items: Sequence[Item]) -> list[str]:
    """The lines of a file with nothing in it but these items, each in its place."""
    lines = [""] * max((item.last for item in items), default=0)
    for item in items:
        written = item.words.split("\n")
        lines[item.line - 1 : item.line - 1 + len(written)] = written
    return lines


def keys_in(edited: EditedFile) -> set[str]:
    """The ids of the tasks that an edited file names."""
    edit = edited.edit
    lines = [*edit.removed, *edit.vanished, *(line for line, _ in edit.same), *(line for line, _, _ in edit.changed)]
    rest = "\n".join(_written([item for item in edit.added if item.ref is None]))
    return (
        {line.ref for line in lines}
        | {item.ref for item in edit.added if item.ref}
        | {task.key for task in read_tasks(rest).tasks}
    )


def _meanwhile(line: str, task: Task) -> str | None:
    """Why a published line isn't what its task says any more, if so."""
    before = task_in(line)
    says = TaskLine(task.key, task.schedule, task.text if before and before.text is not None else None)
    return None if before and says.says == before.says and task.is_active else CHANGED_MEANWHILE


def _value(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return text


def tasks_by_key(rows: Iterable[Mapping[str, Any]]) -> dict[str, Task]:
    """Tasks of the graph as they were given, by their ids in people's words."""
    return {
        row["task_key"]: Task(
            row["task_key"], row["task_name"], row["schedule"], json.loads(row["definition_json"]), row["is_active"]
        )
        for row in rows
    }
