"""What is said by the way it was written down already: lines of memory files, and agents' records. Pure.

The writer of a line of a memory file, or of an edit of one, has decided that it is worth remembering. The model's
answer gives its names, and the line's type where its heading says nothing; it never takes a line apart or away. A
record is what its agent recorded it as, whatever its words sound like.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal, cast

from memory_assets.llm.tasks import Extraction, Statement
from memory_assets.model import OPEN_TASK, SourceType

KINDS = frozenset({SourceType.MEMORY_FILE.value, SourceType.FILE_EDIT.value})
PATH = " > "
"""Between a heading and one above it."""

ContentType = Literal["preference", "task", "insight", "chitchat"]
TYPES: tuple[ContentType, ...] = ("preference", "task", "insight")
DURABILITY = {"preference": 0.8, "task": 0.66, "insight": 0.66}
INSTRUCTION_DURABILITY = 0.95
CONFIDENCE = 9.0
"""Of 10: its owner wrote it down, in these words."""
MOST_ABOUT = 12

_DONE = re.compile(r"\b(?:done|completed?|finished|closed|resolved|archived?|shipped)\b", re.I)
_TASK = re.compile(
    r"\b(?:to[- ]?dos?|tasks?|action items?|next steps?|reminders?|in progress|backlog|pending|follow[- ]?ups?|"
    r"open (?:items?|loops?|threads?))\b",
    re.I,
)
_RULE = re.compile(
    r"\b(?:rules?|instructions?|always|never|guidelines?|conventions?|standing orders?|"
    r"do(?:'s)? and don'?t(?:'?s)?|don'?ts|must|requirements?|boundaries)\b",
    re.I,
)
_PREFERENCE = re.compile(
    r"\b(?:preferences?|prefers?|likes?|dislikes?|style|tone|habits?|wishes|how to work with|working with|"
    r"communication|favou?rites?)\b",
    re.I,
)
_INSIGHT = re.compile(
    r"\b(?:insights?|facts?|lessons?|learn(?:ed|ings?|t)|decisions?|notes?|knowledge|gotchas?|context|background|people|history|log|changelog|architecture|environment)\b",
    re.I,
)


def by_lines(row: Mapping[str, Any], answer: Extraction) -> Extraction:
    """The answer about a source; of a source of lines with its turns as the statements, of records with their kinds.

    ``row`` has ``source_type``, and ``turns`` as JSON of ``index``, ``speaker``, ``text`` and perhaps ``section``.
    """
    if row["source_type"] == SourceType.RECORD.value:
        return answer.model_copy(update={"statements": tuple(_as_recorded(row, answer.statements))})
    if row["source_type"] not in KINDS:
        return answer
    said: dict[int, list[Statement]] = {}
    for statement in answer.statements:
        said.setdefault(statement.turn, []).append(statement)
    turns = json.loads(row["turns"] or "[]")
    return answer.model_copy(update={"statements": tuple(_whole(turn, said.get(turn["index"], ())) for turn in turns)})


def _as_recorded(row: Mapping[str, Any], statements: Sequence[Statement]) -> Iterator[Statement]:
    """An open task is one in its first sentence; all else that is recorded is what the agent found, nobody's wish.

    A session's turns have no section: they are talk like any other.
    """
    sections = {turn["index"]: turn["section"] for turn in json.loads(row["turns"] or "[]") if turn.get("section")}
    begun: set[int] = set()
    for one in statements:
        if one.turn not in sections:
            yield one
            continue
        is_task = sections[one.turn] == OPEN_TASK and one.turn not in begun
        begun.add(one.turn)
        content_type: ContentType = "task" if is_task else "chitchat" if one.content_type == "chitchat" else "insight"
        durability = max(one.durability, DURABILITY["task"]) if is_task else one.durability
        said = {"content_type": content_type, "is_instruction": False, "durability": durability}
        yield one.model_copy(update=said | {"judged": f"recorded as: {sections[one.turn]}"})


def _whole(turn: Mapping[str, Any], parts: Sequence[Statement]) -> Statement:
    found = {part.content_type for part in parts}
    judged = next((kind for kind in TYPES if kind in found), None)
    content_type, is_rule = type_of(turn.get("section"), judged)
    is_instruction = is_rule or any(part.is_instruction for part in parts)
    least = INSTRUCTION_DURABILITY if is_instruction else DURABILITY[content_type]
    return Statement(
        text=turn["text"],
        speaker=turn.get("speaker"),
        turn=turn["index"],
        content_type=content_type,
        is_instruction=is_instruction,
        durability=max([least, *(part.durability for part in parts)]),
        confidence=max([CONFIDENCE, *(part.confidence for part in parts)]),
        about=tuple(dict.fromkeys(name for part in parts for name in part.about))[:MOST_ABOUT],
    )


def type_of(section: str | None, judged: ContentType | None) -> tuple[ContentType, bool]:
    """What a line is about, by its heading (the nearest one that says it) and else by its own words; and whether the
    heading makes it a standing instruction.

    A heading of facts does not make less of what its words say is preferred. Nothing that somebody noted is small talk.
    """
    for heading in reversed((section or "").split(PATH)):
        if _DONE.search(heading):
            return "insight", False
        if _TASK.search(heading):
            return "task", False
        if _RULE.search(heading):
            return "preference", True
        if _PREFERENCE.search(heading):
            return "preference", False
        if _INSIGHT.search(heading):
            return "preference" if judged == "preference" else "insight", False
    return cast(ContentType, judged or "insight"), False
