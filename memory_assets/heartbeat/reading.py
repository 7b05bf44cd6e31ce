"""Tasks out of a file: YAML as documented, or a HEARTBEAT.md of old (000, From Existing Heartbeat.md). Pure.

A broken entry costs itself alone. In Markdown every outermost item of a list is a task; so is a row of a table that
says when, and a paragraph that begins with it ("Every Friday, write ..."); a section of fields ("Time: 08:00",
"Action: ...") and a section without a list are one; a line that leads a list in ("When the build is red:") and the
list are one task together, unless it only says when, or the items are to be ticked off one by one: then each of
them carries its words, as those of a heading that is a condition. A title with what is beneath it is one task
(:mod:`~memory_assets.heartbeat.titles`). What else is beside a list, above all sections, or under a heading
such as "Notes" or "Done", explains and is none; nor is a rule or a setting
(:mod:`~memory_assets.heartbeat.no_tasks`). A task's schedule is what its first line says, else what leads it in,
else what the nearest heading says, else a line such as "interval: 1h" above all, else every 30 minutes, which is
how often agents beat.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import groupby, pairwise
from textwrap import dedent
from typing import Any

import yaml
from markdown_it import MarkdownIt
from markdown_it.tree import SyntaxTreeNode

from memory_assets.heartbeat.no_tasks import MARKS, heads_records, heads_rules, is_record, is_rule
from memory_assets.heartbeat.said_when import (
    LONGEST_WHEN,
    begins_with_when,
    said_when,
    schedule_of,
    when_of_heading,
)
from memory_assets.heartbeat.tasks import LONGEST_KEY, LONGEST_NAME, Refused, Task, TaskError, task_from
from memory_assets.heartbeat.titles import BOX, Block, is_condition, name_in, title_in, titled, when_below
from memory_assets.model import fingerprint
from memory_assets.text.layout import FRONT_MATTER, unwrapped
from memory_assets.text.lines import struck_out

DEFAULT_SCHEDULE = "every 30 minutes"
TITLE = re.compile(r"# Heartbeat of [a-z0-9_-]+\n")
"""How a file of ours begins: its tasks are in the graph already."""

_YAML = re.compile(
    r"^[^\S\n]*+(?:- *+\{?\s*+|\{\s*+)?[\"']?(?:id|task_name|schedule|definition|tasks)[\"']?\s*+:|\A\s*+[\[{]", re.M
)
_HEADING = re.compile(r"^ {0,3}#{1,6} ", re.M)
# A block of tasks in YAML within a file of Markdown.
_BLOCK = re.compile(r"^tasks:[ \t]*\n(?:(?:[ \t]+\S.*|- .*|[ \t]*)(?:\n|\Z))+", re.M)
_OTHER_NAMES = {"name": "task_name", "interval": "schedule", "cron": "schedule", "prompt": "definition"}
_NULL = "tag:yaml.org,2002:null"
_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_CLOSING = "*_` \t"
_FENCE = re.compile(r"\s*(?:`{3,}|~{3,})")
_ROW_OF_DASHES = re.compile(r"\s*+\|?(?>(?:\s*+:?-++:?\s*+\|)+)(?:\s*+:?-++:?\s*+)?$")
_NUMBER = re.compile(r"^\s*\d+[.)]\s")
_MARKER = re.compile(r"^\s*(?:[-*+]|\d+[.)])\s+")
_FIELD = re.compile(
    r"^(?=.*$)\W*+(?:interval|schedule|cron|frequency|every)\W*[:=](?:[\s\"'`]|\*\*)*(.+?)[\"'`]{0,9}(?:\s#.*)?$", re.I
)


@dataclass
class Reading:
    """What a file holds."""

    tasks: list[Task] = field(default_factory=list)
    refused: list[Refused] = field(default_factory=list)
    spans: dict[str, tuple[int, int]] = field(default_factory=dict)
    """The lines of the file, from 1 and both included, of the task of a key."""
    schedule: str = DEFAULT_SCHEDULE
    """Of a task that says none, nor anything above it."""

    def refuse(self, line: int, reason: str, key: str | None = None) -> None:
        """Note that an entry, at a line, is no task."""
        self.refused.append(Refused(line, key, reason))

    def take(self, line: int, key: str | None, fields: object, last: int | None = None) -> None:
        """Read one entry, of the lines ``line`` to ``last``; the second of one id is refused."""
        try:
            task = task_from(fields)
        except TaskError as error:
            self.refuse(line, str(error), key)
            return
        if task.key in self.spans:
            self.refuse(line, "an entry above has the same id", task.key)
        else:
            self.tasks.append(task)
            self.spans[task.key] = (line, max(line, last or line))


def read_tasks(text: str, is_yaml: bool = False) -> Reading:
    """All tasks of a file's text; YAML or Markdown shows in the text itself, unless it is YAML by its file's name."""
    if TITLE.match(text):
        return Reading(refused=[Refused(1, None, "it is a published HEARTBEAT.md: its tasks are in the graph already")])
    if is_yaml:
        return _read_yaml(text)
    text = unwrapped(text)
    if (block := _BLOCK.search(text)) and _HEADING.search(text):
        reading = _read_markdown(text[: block.start()] + "\n" * block[0].count("\n") + text[block.end() :])
        above, before = text.count("\n", 0, block.start()), len(reading.tasks)
        _read_yaml("\n" * above + block[0], reading)
        for task in reading.tasks[before : before + 1]:  # "tasks:" above the first is no line of its own
            reading.spans[task.key] = (above + 1, reading.spans[task.key][1])
        return reading
    reading = _read_yaml(text) if _YAML.search(text) else _read_markdown(text)
    return reading if reading.tasks or not _HEADING.search(text) else _read_markdown(text)


def _read_yaml(text: str, reading: Reading | None = None) -> Reading:
    reading = reading or Reading()
    try:
        _read_entries(text, 0, reading)
    except yaml.YAMLError as error:
        parts = list(_entries_apart(text))
        if len(parts) < 2:
            mark = getattr(error, "problem_mark", None)
            reading.refuse(mark.line + 1 if mark else 1, _what(error))
        for line, part in parts if len(parts) > 1 else ():
            try:
                _read_entries(part, line, reading)
            except yaml.YAMLError as broken:
                reading.refuse(line + 1, _what(broken))
    return reading


def _read_entries(text: str, offset: int, reading: Reading) -> None:
    """Every entry of a list (or of the list under ``tasks``) with the line it begins in."""
    if any(isinstance(event, yaml.AliasEvent) for event in yaml.parse(text, Loader=_LOADER)):
        raise yaml.YAMLError("it uses aliases (*name): write the values out")
    root = yaml.compose(text, Loader=_LOADER)
    if isinstance(root, yaml.MappingNode):
        root = next((value for key, value in root.value if getattr(key, "value", None) == "tasks"), root)
    if root is None:
        return
    if not isinstance(root, yaml.SequenceNode):
        raise yaml.YAMLError("it is no list of tasks: begin each with '- id: …'")
    for node in root.value:
        line = offset + node.start_mark.line + 1
        try:
            fields = _LOADER("").construct_object(node, deep=True)
        except (yaml.YAMLError, ValueError, TypeError) as error:
            reading.refuse(line, _what(error))
            continue
        if isinstance(fields, dict):
            fields = _as_written(node, fields)
        key = fields.get("id") if isinstance(fields, dict) else None
        mark = node.end_mark
        last = offset + mark.line + (mark.column > 0)
        reading.take(line, None if key is None else str(key)[:LONGEST_KEY], fields, last)


def _as_written(node: yaml.Node, fields: dict[Any, Any]) -> dict[Any, Any]:
    """An entry under our names: other files say name, interval, prompt. An id is its letters, also when it is "off"."""
    said = {_OTHER_NAMES.get(name, name): value for name, value in fields.items()}
    for key, value in node.value:
        if key.value in ("id", "task_name", "name") and isinstance(value, yaml.ScalarNode) and value.tag != _NULL:
            said[_OTHER_NAMES.get(key.value, key.value)] = value.value
    if "id" not in said and "task_name" in said:
        said["id"] = said["task_name"]
    return said


def _entries_apart(text: str) -> Iterator[tuple[int, str]]:
    """The text cut where a line begins an entry, each part with the lines above it."""
    lines = text.splitlines(keepends=True)
    starts = [number for number, line in enumerate(lines) if line.startswith("- ")]
    for start, end in pairwise([*starts, len(lines)]):
        yield start, "".join(lines[start:end])


def _what(error: Exception) -> str:
    return f"it is not valid YAML: {' '.join(str(getattr(error, 'problem', None) or error).split())[:200]}"


def _read_markdown(text: str) -> Reading:
    reading = Reading()
    reading.schedule = _schedule_above(text.splitlines())
    text = FRONT_MATTER.sub(lambda match: "\n" * match[0].count("\n"), text)
    lines = text.splitlines()
    blocks = list(titled(_led(_blocks(SyntaxTreeNode(MarkdownIt("commonmark").parse(text)), lines), lines), lines))
    listed = {block.section for block in blocks if block.is_item}
    # A heading above everything is the file's own title.
    of_file = len({block.section[:1] for block in blocks}) == 1
    deepest = max((len(block.section) for block in blocks), default=0)
    for section, group in groupby(blocks, key=lambda block: block.section):
        if any(map(heads_records, section)):
            for block in group:
                reading.refuse(block.line, f"it stands under {section[-1]!r}: no task of its own")
            continue
        group = _without_rules(group, section[of_file:], reading)
        if section in listed:
            for block in group:
                if block.is_item or begins_with_when(block.text):
                    _take_text(reading, block)
                else:
                    reading.refuse(block.line, "it is text beside a list: no task of its own")
            continue
        parts = list(group)
        if not parts:
            continue
        if len(section) < min(2, deepest):
            reading.refuse(parts[0].line, "it introduces the file: no task of its own")
        else:
            body = "\n\n".join(part.text for part in parts)
            _take_text(reading, Block(section, parts[0].line, False, body, parts[-1].last))
    return reading


def _without_rules(blocks: Iterable[Block], section: tuple[str, ...], reading: Reading) -> Iterator[Block]:
    """The blocks that may be tasks; of the others it is said why they are none."""
    how = next((title for title in reversed(section) if heads_rules(title)), None)
    for block in blocks:
        first = block.text.partition("\n")[0]
        if said_when(first) is None and not begins_with_when(first):
            led = first.rstrip(_CLOSING) if block.is_led else ""
            if how is not None:
                reading.refuse(block.line, f"it stands under {how!r}: a rule or a setting, no task")
                continue
            if heads_records(led) or heads_rules(led) or is_rule(led or block.text):
                reading.refuse(block.line, "it is a rule for every beat: no task of its own")
                continue
            if not block.is_item and is_record(block.text):
                reading.refuse(block.line, "it is a record of how things stand: no task")
                continue
        yield block


def _led(blocks: Iterable[Block], lines: list[str]) -> Iterator[Block]:
    """A line that ends in a colon, and the list right below it: one block, or the items with the line's words."""
    waiting: list[Block] = []
    for block in blocks:
        is_new = not block.is_item or block.section != (waiting[0].section if waiting else None)
        if waiting and (is_new or block.line > waiting[-1].last + 2):
            yield from _joined(waiting, lines)
            waiting = []
        if waiting or (not block.is_item and block.text.rstrip(_CLOSING).endswith((":", "："))):
            waiting.append(block)
        else:
            yield block
    yield from _joined(waiting, lines)


def _joined(blocks: list[Block], lines: list[str]) -> Iterator[Block]:
    """A line that leads in, with the items below it: one task, or one for each item."""
    if len(blocks) < 2:
        yield from blocks
        return
    lead, *items = blocks
    *before, last_line = lead.text.splitlines()
    are_steps = all(_NUMBER.match(lines[item.line - 1]) for item in items)
    says_when = said_when(last_line) is not None and not title_in(last_line) and not are_steps
    if not before and (says_when or any(BOX.match(item.text) for item in items)):
        for number, item in enumerate(items):
            yield item._replace(lead=last_line, line=item.line if number else lead.line)
        return
    whole = "\n".join(lines[lead.line - 1 : items[-1].last])
    yield lead._replace(is_item=True, text=_dedent(whole), last=items[-1].last, is_led=True)


def _take_text(reading: Reading, block: Block) -> None:
    """A text in Markdown as a task, behind what leads it in: named by title and first line; one struck out is idle."""
    section, body, lead = block.section, block.text, block.lead
    title = section[-1] if block.is_led and section else ""
    box = BOX.match(body)
    if section and not lead and is_condition(condition := MARKS.sub(" ", section[-1]).strip()):
        lead = f"{condition.rstrip(':')}:"
    body = BOX.sub("", body).strip()
    first = next((part for part in body.splitlines() if any(map(str.isalnum, part)) and not _FENCE.match(part)), "")
    called = f"{title}: {first.rstrip(_CLOSING).rstrip(':：')}" if title else name_in(first)
    name = " ".join(MARKS.sub(" ", called).split())[:LONGEST_NAME].strip()
    if not name:
        reading.refuse(block.line, "it says nothing in words")
        return
    fields = {"id": _key_of(name, body), "task_name": name, "definition": f"{lead}\n{body}" if lead else body}
    is_over = bool(box and box[1].strip()) or struck_out(first.strip()) is not None
    around = [lead, when_below(body), *reversed(section)]
    said = when_of_heading(first) if block.is_titled and section and first.strip() == section[-1].strip() else None
    schedule = said or schedule_of(first, around, reading.schedule)
    reading.take(block.line, None, fields | {"schedule": schedule, "is_active": not is_over}, block.last)


def _blocks(root: SyntaxTreeNode, lines: list[str]) -> Iterator[Block]:
    """The blocks of a file in order; what is inside another block belongs to that."""
    headings: list[tuple[int, str]] = []
    heading_line = 0
    for node in root.children:
        section = tuple(title for _, title in headings)
        start, end = node.map or (0, 0)
        if node.type == "heading":
            level = int(node.tag[1])
            headings = [(depth, title) for depth, title in headings if depth < level]
            headings.append((level, node.children[0].content))
            heading_line = start + 1
        elif node.type in ("bullet_list", "ordered_list"):
            for first, last in (item.map or (0, 0) for item in node.children):
                body = _MARKER.sub("", "\n".join(lines[first:last]), count=1)
                yield Block(section, first + 1, True, _dedent(body), last, heading_line=heading_line)
        elif node.type == "paragraph" and (rows := _rows(lines[start:end])):
            for number, row in enumerate(rows, start + 1):
                if row:
                    yield Block(section, number, number > start + 2, row, number, heading_line=heading_line)
        elif node.type in ("paragraph", "fence", "code_block", "blockquote"):
            yield Block(section, start + 1, False, _dedent("\n".join(lines[start:end])), end, heading_line=heading_line)


def _rows(lines: list[str]) -> list[str]:
    """The rows of a table of tasks (one of its columns says when), each as one line; the row of dashes is empty."""
    if len(lines) < 3 or not _ROW_OF_DASHES.match(lines[1]):
        return []
    cells = [[cell.strip() for cell in line.strip().strip("|").split("|")] for line in lines]
    if not any(said_when(cell) for row in cells[2:] for cell in row if len(cell.split()) <= LONGEST_WHEN):
        return []
    return ["" if number == 1 else " — ".join(cell for cell in row if cell) for number, row in enumerate(cells)]


def _dedent(body: str) -> str:
    first, _, rest = body.partition("\n")
    return "\n".join(line.rstrip() for line in f"{first.strip()}\n{dedent(rest)}".splitlines()).strip()


def _schedule_above(lines: Iterable[str]) -> str:
    """What a line such as "interval: 0 9 * * *" above all tasks says of the whole file; else the usual one."""
    for line in lines:
        if line.startswith("##") or _NUMBER.match(line) or line.lstrip().startswith(("- ", "* ", "+ ")):
            break
        if (match := _FIELD.match(line)) and (said := said_when(match[1]) or said_when(f"every {match[1]}")):
            return said
    return DEFAULT_SCHEDULE


def _key_of(name: str, body: str) -> str:
    """An id that a person can type, and that stays while the text does."""
    words = re.findall(r"[a-z0-9]+", name.casefold())[:5]
    return "-".join([*words, fingerprint(body)[:6]])[:LONGEST_KEY]
