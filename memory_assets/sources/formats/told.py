"""What the exports of chats share: what was said, tool calls folded to a line, and how turns come of it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from typing import Any, NamedTuple

from memory_assets.clock import to_iso
from memory_assets.sources.cleaning import clean_text, one_line

USER, ASSISTANT, TOOL = "user", "assistant", "tool"
# The arguments that say most of what a tool was called for, the best first.
_MAIN_ARGUMENTS = (
    "command", "file_path", "path", "notebook_path", "pattern", "query", "url", "description", "title", "prompt",
    "name", "id",
)  # fmt: skip


class Said(NamedTuple):
    """A message as a person saw it; with the role ``tool``, a line that stands for a call or its result."""

    role: str
    text: str
    at: datetime | None = None


def turns_of(said: Iterable[Said], names: Mapping[str, str]) -> Iterator[tuple[str | None, str, str | None]]:
    """Turns: the lines of tools go to the answer that follows them, or are one by themselves."""
    lines: list[str] = []
    began: datetime | None = None
    for role, text, at in said:
        if not text:
            continue
        if role == TOOL:
            began = at if not lines else began
            lines.append(text)
            continue
        if lines and role == USER:
            yield names[ASSISTANT], "\n".join(lines), to_iso(began)
            lines = []
        yield names[role], "\n".join([*lines, text]), to_iso(at)
        lines = []
    if lines:
        yield names[ASSISTANT], "\n".join(lines), to_iso(began)


def folded_call(name: object, arguments: object) -> str:
    """A tool's call on one line: its name and its main argument."""
    shown = one_line(name, 60) if isinstance(name, str) and name else "tool"
    argument = one_line(_main_argument(arguments), 120)
    return f"[{shown}: {argument}]" if argument else f"[{shown}]"


def folded_result(name: object, result: str, *, failed: bool = False) -> str:
    """A tool's result on one line: how it begins and how long it is."""
    text = clean_text(result)
    shown = one_line(name, 60) if isinstance(name, str) and name else "tool"
    count = text.count("\n") + 1
    said = one_line(text, 80) + (f" ({count} lines)" if count > 1 else "") if text else "nothing"
    return f"[{shown} {'failed' if failed else 'gave'}: {said}]"


def _main_argument(arguments: object) -> str:
    if isinstance(arguments, str):
        try:
            decoded = json.loads(arguments)
        except (ValueError, RecursionError):
            decoded = None
        return _main_argument(decoded) if isinstance(decoded, dict) else arguments
    if not isinstance(arguments, dict):
        return ""
    for name in _MAIN_ARGUMENTS:
        value = arguments.get(name)
        if isinstance(value, str) and value.strip():
            return value
    return next((value for value in arguments.values() if isinstance(value, str) and value.strip()), "")


def dict_of(value: Any) -> dict[str, Any]:
    """The object that ``value`` is; an empty one when it is none."""
    return value if isinstance(value, dict) else {}


def list_of(value: Any) -> list[Any]:
    """The list that ``value`` is; an empty one when it is none."""
    return value if isinstance(value, list) else []


def text_of(value: Any) -> str:
    """The text that ``value`` is; an empty one when it is none."""
    return value if isinstance(value, str) else ""
