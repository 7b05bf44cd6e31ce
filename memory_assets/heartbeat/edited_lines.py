"""A HEARTBEAT.md as its editors see it: its lines as tasks, and whatever else stands there. Pure.

A task's line is known by the task's id before its brackets; headings of ours and the line of counts are no edits.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from memory_assets.runtime.edited_files import Base, Line, Reading
from memory_assets.text.items import ENTRY, PROSE, Item
from memory_assets.text.lines import same_words, split_lines

_BULLET = re.compile(r"^ {0,3}(?:[-*+•]|\d{1,3}[.)])\s+(?P<words>\S.*)$")
_COUNTS = re.compile(r"^[\d,]+ tasks(?:, [\d,]+ idle)?; registry (?P<registry>[0-9a-f]{15}), synced .*$", re.M)
_COUNTED = re.compile(r"## (?:Quick Tasks|Deferred Tasks|Pending Changes)|- (?:and [\d,]+ more|\S.* [0-9a-f]{12})")
"""What else a publication writes beside tasks: headings, how many more there are, and which wait to be loaded again."""
_INDENT = re.compile(r"^(?: {1,2}|\t)")
_BOX = re.compile(r"^\[(?P<mark>[ xX]?)\]\s+")
_STRUCK = re.compile(r"^~~(?P<words>.+)~~$", re.S)
_TASK = re.compile(
    r"^(?P<key>.+?) \((?P<schedule>[^()\n]+)\)(?:\s*:[ \t]*(?P<text>\S.*)|(?:\s+(?P<hash>[0-9a-f]{12}))?\s*)$", re.S
)


@dataclass(frozen=True)
class TaskLine:
    """A task as it stands in a file: its id, its schedule, and its definition's text, which a line that names a
    task by its hash alone doesn't have (None).
    """

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
    """What stands in an edited file against what was published there."""
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
    """The lines that are something, from the first to behind the last: a bullet with what is indented below it, or
    one.
    """
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
    box = _BOX.match(whole)
    whole = _BOX.sub("", whole)
    struck = _STRUCK.match(whole)
    task = _TASK.match(struck["words"] if struck else whole)
    if task is None:
        return None
    is_done = struck is not None or bool(box and box["mark"] in ("x", "X"))
    return TaskLine(task["key"].strip(), task["schedule"].strip(), task["text"], is_done, task["hash"] is not None)
