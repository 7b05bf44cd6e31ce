"""What an edit of a HEARTBEAT.md decides about tasks, as rows and tasks to be stored. Pure.

A new line is a task, one with other words replaces its task, one that is gone (or ticked off, or struck out) lets
its task rest: it keeps its definition and its counts, and comes back with its line. What is no task is kept in a
copy beside the file and said. Each decision holds the task as it was, so that it can be taken back.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, replace
from typing import Any

from memory_assets.heartbeat.edited_lines import TaskLine, task_in
from memory_assets.heartbeat.reading import DEFAULT_SCHEDULE, read_tasks
from memory_assets.heartbeat.tasks import Task, TaskError, task_from, task_id
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
    EditedFile,
    Item,
    Row,
    edit_row,
)

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
        state = self._edited.state
        self.rows.append(
            edit_row(
                node_id("task-edit", user, path, key, state, edited or ""),
                task_id(user, key),
                action,
                path=path,
                at=self._edited.at,
                mark=state,
                published_text=published,
                edited_text=edited,
                conflict=conflict,
                task_key=mask_text(key),
                task_before=task_json(self._known.get(key)),
                task_hash=task.hash if task else None,
            )
        )

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
        name = known.name if known else key
        fields = {
            "id": key,
            "task_name": name,
            "schedule": one.schedule,
            "definition": definition,
            "is_active": not one.is_done,
        }
        try:
            task = task_from(fields)
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


def task_json(task: Task | None) -> str | None:
    """A task as it is kept with a decision."""
    return json.dumps(asdict(task), ensure_ascii=False, sort_keys=True, default=str) if task else None


def tasks_by_key(rows: Iterable[Mapping[str, Any]]) -> dict[str, Task]:
    """Tasks of the graph as they were given, by their ids in people's words."""
    return {
        row["task_key"]: Task(
            row["task_key"], row["task_name"], row["schedule"], json.loads(row["definition_json"]), row["is_active"]
        )
        for row in rows
    }
