"""What a person or an agent has changed in a published HEARTBEAT.md: tasks added, changed and taken out. Pure.

The published text against the text on disk. A task's line is known by the task's id before its brackets; headings of ours,
the line of counts, order and white space are no edits. What is left (:attr:`Edit.rest`) is read as an old HEARTBEAT.md is.

Too much gone at once is no order to stop it: an emptied or cut file, another one in its place, one of another publication
(saved by an editor that had it open, or brought back), or one in which more than half of the tasks (and more
than :data:`FEW`) are gone, gives :attr:`Edit.vanished`, to be confirmed by a person. Of another user's file nothing is taken.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

FEW = 3
"""So many tasks may always be taken out at once, in however short a file."""

UNCLEAR = "a line above has the same id: say which one holds"

_LINE_END = re.compile(r"\r\n|\r|\n")
_BULLET = re.compile(r"^ {0,3}(?:[-*+•]|\d{1,3}[.)])\s+(?P<words>\S.*)$")
_TITLE = re.compile(r"^# Heartbeat of ([a-z0-9_-]+)[ \t]*\r?$", re.M)
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
    """A task as it stands in a file: its first line (from 1), its id and schedule, and its definition's text, which a
    line that names a task by its hash alone doesn't have (None). ``words`` are all of it, as written."""

    line: int
    key: str
    schedule: str
    text: str | None
    words: str
    is_done: bool = False
    """Ticked off, or struck out."""
    has_hash: bool = False

    @property
    def says(self) -> tuple[str, str | None]:
        """The form in which two lines of one task say the same: white space doesn't count."""
        return " ".join(self.schedule.split()), self.text and " ".join(self.text.split())


@dataclass(frozen=True)
class Edit:
    """Everything that differs. ``rest`` is the edited text with all else blanked out, so that its lines keep their numbers."""

    added: tuple[TaskLine, ...] = ()
    changed: tuple[tuple[TaskLine, TaskLine], ...] = ()
    removed: tuple[TaskLine, ...] = ()
    kept: tuple[TaskLine, ...] = ()
    vanished: tuple[TaskLine, ...] = ()
    unclear: tuple[TaskLine, ...] = ()
    """Lines of a task that has a line already."""
    rest: str = ""
    is_other: bool = False
    """The file that was edited is of another publication: what is gone from it or differs may be only older."""
    is_doubtful: bool = False
    """Not all of it may be taken at its word: its bytes are to be kept."""

    def __bool__(self) -> bool:
        found = (self.added, self.changed, self.removed, self.vanished, self.unclear, self.rest.strip(), self.is_doubtful)
        return any(map(bool, found))


def diff(published: str, edited: str) -> Edit:
    """The edit that led from the ``published`` text to the ``edited`` one."""
    base, ours = _published(published)
    if _is_anothers(published, edited):
        return Edit(vanished=tuple(base.values()), is_doubtful=True)
    lines = _LINE_END.split(edited)
    is_cut = _is_cut(published, edited)
    counts, stood = _COUNTS.search(edited), _COUNTS.search(published)
    is_counted = bool(counts and stood and _plain(counts[0]) != _plain(stood[0]))
    is_other = bool(counts and stood and counts["registry"] != stood["registry"])
    added: list[TaskLine] = []
    changed: list[tuple[TaskLine, TaskLine]] = []
    kept: list[TaskLine] = []
    done: list[TaskLine] = []
    unclear: list[TaskLine] = []
    rest = [""] * len(lines)
    seen: set[str] = set()
    is_ours = False
    for start, stop in _blocks(lines):
        words = "\n".join(lines[start:stop]).rstrip()
        task = _task(start + 1, lines[start:stop])
        before = base.get(task.key) if task else None
        if _plain(words) in ours:
            is_ours = True
            continue
        if is_counted and (_COUNTS.fullmatch(_plain(words)) or (task is None and _COUNTED.fullmatch(_plain(words)))):
            continue
        if task is None or (before is None and task.text is None and not task.has_hash):
            rest[start:stop] = lines[start:stop]
        elif task.key in seen:
            unclear += [] if any(one.key == task.key and one.says == task.says for one in (*kept, *added)) else [task]
        else:
            seen.add(task.key)
            if before is None:
                added.append(task)
            elif task.is_done and not before.is_done:  # an id and a text can look struck out by themselves
                done.append(before)
            elif task.says == before.says or (task.text is None and task.says[0] == before.says[0]) or is_cut:
                kept.append(task)
            else:
                changed.append((before, task))
    gone = [task for key, task in base.items() if key not in seen]
    is_another = not (is_ours or seen)
    is_much = bool(gone) and (is_cut or is_another or is_other or len(gone) > max(FEW, len(base) / 2))
    return Edit(
        added=tuple(added),
        changed=tuple(changed),
        removed=tuple([*done, *([] if is_much else gone)]),
        kept=tuple(kept),
        vanished=tuple(gone if is_much else []),
        unclear=tuple(unclear),
        rest="" if is_cut else "\n".join(rest).rstrip(),
        is_other=is_other,
        is_doubtful=is_cut or is_other,
    )


def _published(text: str) -> tuple[dict[str, TaskLine], set[str]]:
    """The tasks of a text of ours by id, and all of its other lines, in the form in which they are compared."""
    lines = _LINE_END.split(text)
    base: dict[str, TaskLine] = {}
    ours: set[str] = set()
    for start, stop in _blocks(lines):
        task = _task(start + 1, lines[start:stop])
        if task is not None and task.key not in base:
            base[task.key] = task
        else:
            ours.add(_plain("\n".join(lines[start:stop])))
    return base, ours


def _plain(words: str) -> str:
    return " ".join(words.split())


def _blocks(lines: Sequence[str]) -> Iterator[tuple[int, int]]:
    """The lines that are something, from the first to behind the last: a bullet with what is indented below it, or one."""
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


def _task(line: int, lines: Sequence[str]) -> TaskLine | None:
    """The lines of a bullet as a task in the form of our own lines; None where they are none."""
    match = _BULLET.match(lines[0])
    if match is None:
        return None
    words = match["words"].rstrip()
    below = "\n".join(_INDENT.sub("", part.rstrip()) for part in lines[1:])
    whole = f"{words}\n{below}".rstrip()
    box = _BOX.match(whole)
    whole = _BOX.sub("", whole)
    struck = _STRUCK.match(whole)
    whole = struck["words"] if struck else whole
    task = _TASK.match(whole)
    if task is None:
        return None
    is_done = struck is not None or bool(box and box["mark"] in ("x", "X"))
    words, has_hash = "\n".join(lines).rstrip(), task["hash"] is not None
    return TaskLine(line, task["key"].strip(), task["schedule"].strip(), task["text"], words, is_done, has_hash)


def _is_anothers(published: str, edited: str) -> bool:
    """Whether the file of another user stands in the place of ours."""
    ours, theirs = _TITLE.search(published), set(_TITLE.findall(edited))
    return ours is not None and bool(theirs) and ours[1] not in theirs


def _is_cut(published: str, edited: str) -> bool:
    """Whether the file ends in the middle of a line of ours: it was not edited, but not written to its end. (What a
    person shortens ends with its line.)"""
    whole = _LINE_END.sub("\n", edited)
    said, ours = whole.rstrip(), published.rstrip()
    is_beginning = bool(said) and len(said) < len(ours) and ours.startswith(said) and ours[len(said)] != "\n"
    return is_beginning and not whole.endswith("\n")
