"""Which words of a HEARTBEAT.md of old are a task's title, so that the words beneath are its body. Pure.

A title is a heading, a line in bold print, a line such as "Title: ..." or one whose further lines are indented, and
says more than when ("Daily: check inbox", not "Every morning") and more than that tasks follow ("Daily checks").
Where tasks of their own are beneath, boxes to be ticked off or lines that say when themselves, there is none.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import NamedTuple

from memory_assets.heartbeat.no_tasks import MARKS, heads_records, heads_rules, is_record
from memory_assets.heartbeat.said_when import (
    WHEN_FIELD,
    begins_with_when,
    said_in_field,
    said_when,
    when_of_heading,
    without_when,
)

BOX = re.compile(r"^\[([ xX]?)\](?:\s+|$|(?<=[xX]\]))")
_FIELD = re.compile(r"\W*(?:title|task|name)\b[*_]*[:：][*_]*\s*(\S.*)", re.I)
_ITEM_FIELD = re.compile(r"(?:\*\*)?\w[\w -]{0,24}(?:\*\*)?:(?:\*\*)? ")
_BOLD = re.compile(r"(\*\*|__)(?=\S)(?P<said>.+?)(?<=\S)\1(?P<rest>.*)")
_GROUP = re.compile(
    r"(?:heartbeat|check(?:s|list|lists|-?ins?)?|tasks?|to-?dos?|routines?|items?|jobs?|chores|duties|things|lists?|reminders|"
    r"rotation|maintenance|periodic|recurring|scheduled|proactive|aufgaben|routinen|tâches|tareas|tarefas|任务|检查|タスク)$",
    re.I,
)
"""The last word of a heading that only says that tasks follow."""
_DAYTIME = re.compile(
    r"(?:(?:every|each|in the|at) )?(?:mornings?|noon|midday|afternoons?|evenings?|nights?|weekdays?|weekends?)$", re.I
)
_CONDITION = re.compile(r"(?:if|when|whenever|unless|before|after|during|while)\s\S", re.I)
"""How a heading begins that says under what circumstances its tasks are due: each of them carries it."""


class Block(NamedTuple):
    """An outermost list item or another block: the headings above it, its first line, its text, its last line."""

    section: tuple[str, ...]
    line: int
    is_item: bool
    text: str
    last: int
    lead: str = ""
    is_led: bool = False
    """A line that leads in, with the list below it."""
    heading_line: int = 0
    """The line of the nearest heading above it."""
    is_titled: bool = False
    """Its first line is the title of all the rest."""


def is_condition(title: str) -> bool:
    """Whether a heading says under what circumstances something is to be done."""
    return _CONDITION.match(title) is not None


def title_in(text: str) -> str:
    """The words of a heading or a line that title a task; none where it only says when, or that tasks follow."""
    plain = " ".join(MARKS.sub(" ", text).split()).rstrip(":：")
    words = without_when(plain)
    is_none = not any(map(str.isalnum, words)) or _GROUP.search(words) or _DAYTIME.match(words) or is_condition(plain)
    return "" if is_none else plain


def name_in(line: str) -> str:
    """A task's first line without the word that says that it is a title ("Task: ...")."""
    field = _FIELD.match(line)
    return field[1] if field else line


def when_below(body: str) -> str:
    """The line right below a task's first that says when, and nothing else before it; empty where there is none."""
    for line in [part.strip() for part in body.splitlines()[1:] if part.strip()][:3]:
        bare = re.sub(r"^(?:[-*+]\s+)?", "", line)
        begins = bare.casefold().startswith(("every ", "each ")) or begins_with_when(bare)
        if when := said_in_field(bare) or (said_when(bare) if begins or says_only_when(bare) else None):
            return when
    return ""


def says_only_when(line: str) -> bool:
    """Whether a line says when, and nothing else."""
    plain = MARKS.sub(" ", line).strip()
    return said_when(plain) is not None and not any(map(str.isalnum, without_when(plain)))


def titled(blocks: Iterable[Block], lines: Sequence[str]) -> Iterator[Block]:
    """The blocks of a file; those of one title are one block together, with the title as their first line."""
    given = list(blocks)
    is_of_file = len({block.section[:1] for block in given}) == 1  # a heading above everything is the file's own
    deepest = max((len(block.section) for block in given), default=0)

    def owner(block: Block) -> int:
        """How many headings lead to the outermost one that titles the block, or 0."""
        for depth in range(1, len(block.section) + 1):
            title = block.section[depth - 1]
            says = when_of_heading(title) is not None
            if title_in(title) and says and not (is_of_file and depth == 1 and deepest > 1):
                return depth
        return 0

    for (section, _depth), found in groupby(given, key=lambda block: (block.section[: owner(block)], owner(block))):
        group = list(found)
        if section and _is_one(group, len(section)):
            yield _joined(section[-1], group, lines)
            continue
        for own, parts in groupby(group, key=lambda block: block.section):
            yield from _of_section(own, list(parts), lines, is_title_of_all=is_of_file and len(own) == 1)


def _of_section(
    section: tuple[str, ...], parts: list[Block], lines: Sequence[str], *, is_title_of_all: bool
) -> Iterator[Block]:
    """The blocks of one heading: one task with it, several with titles of their own, or as they are."""
    named = list(_by_own_titles(parts, lines))
    if len(named) < len(parts) or any(part.is_titled for part in named):
        yield from named
        return
    title = title_in(section[-1]) if section and not is_title_of_all else ""
    first = parts[0].text.partition("\n")[0]
    has_when = any(map(when_of_heading, section)) or says_only_when(first) or bool(WHEN_FIELD.match(first))
    has_list = any(part.is_item for part in parts)
    has_fields = len(section) > 1 and all(part.is_item and _ITEM_FIELD.match(part.text) for part in parts)
    is_of_fields = has_fields and len(parts) > 1 and any(said_in_field(part.text) for part in parts)
    if is_of_fields or (title and (has_when or not has_list) and _is_one(parts, len(section))):
        yield _joined(section[-1], parts, lines)
        return
    yield from parts


def _is_one(group: Sequence[Block], depth: int) -> bool:
    """Whether the blocks under a heading are one task's body."""
    below = {title for block in group for title in block.section[depth:]}
    around = {title for block in group for title in block.section}
    if any(heads_rules(title) or heads_records(title) for title in around) or any(map(when_of_heading, below)):
        return False
    return not all(is_record(block.text) for block in group) and not any(map(_is_own_task, group))


def _is_own_task(block: Block) -> bool:
    """Whether a block is a task by itself: an item that is led in, to be ticked off, or says when."""
    first = block.text.partition("\n")[0]
    return block.is_item and bool(block.lead or BOX.match(block.text) or said_when(first))


def _joined(title: str, group: Sequence[Block], lines: Sequence[str]) -> Block:
    """A heading and all that is beneath it as one block."""
    first = group[0]
    heading = first.heading_line or first.line
    body = "\n".join(lines[first.line - 1 : group[-1].last]).strip("\n")
    between = [line for line in lines[heading : first.line - 1] if line.strip() and not line.strip("=- ") == ""]
    text = "\n".join([title.strip(), *between, body]).rstrip()
    return first._replace(line=heading, is_item=True, text=text, last=group[-1].last, is_led=False, is_titled=True)


def _by_own_titles(parts: Sequence[Block], lines: Sequence[str]) -> Iterator[Block]:
    """Paragraphs that begin with a title of their own, each with what follows it up to the next."""
    groups: list[list[Block]] = []
    for part in parts:
        is_apart = _own_title(part, lines) or _is_own_task(part) or begins_with_when(part.text)
        if groups and _own_title(groups[-1][0], lines) and not is_apart:
            groups[-1].append(part)
        else:
            groups.append([part])
    for first, *rest in groups:
        last = rest[-1].last if rest else first.last
        text = "\n".join(lines[first.line - 1 : last]).strip()
        titled = first._replace(is_item=True, text=text, last=last, is_titled=True)
        yield titled if _own_title(first, lines) else first


def _own_title(part: Block, lines: Sequence[str]) -> bool:
    """Whether a paragraph begins with a title: a field that says so, bold print that says when, or lines indented."""
    if part.is_item or part.is_led or part.lead:
        return False
    raw = lines[part.line - 1 : part.last]
    if not raw or raw[0].lstrip().startswith(("|", ">", "```", "~~~")):
        return False
    first, rest = raw[0], [line for line in raw[1:] if line.strip()]
    if heads_rules(first) or heads_records(first):
        return False
    if _FIELD.match(first):
        return True
    bold = _BOLD.match(first.strip())
    if bold and not WHEN_FIELD.match(first.strip()) and title_in(first):
        return said_when(first) is not None or says_only_when(raw[1] if rest else "")
    return bool(rest) and not first.startswith((" ", "\t")) and all(line.startswith(("  ", "\t")) for line in rest)
