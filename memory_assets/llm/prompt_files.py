"""Prompts are files: ``memory_assets/<room>/prompts/<name>.md``, checked when they are loaded.

A file has a header, the system text, a line ``--- user ---`` and the user's text::

    ---
    name: entities/extract_entities
    version: 1
    placeholders: title, turns
    max_input_tokens: 6000
    max_output_tokens: 8000
    ---
    What the model is to do.
    --- user ---
    <data>
    title: {{title}}
    {{turns}}
    </data>

Placeholders are the payload's fields. They are inside the ``<data>`` fence only: what a source says is
data. Every value is written as JSON in one line (a list: one line per item), and a ``<`` that could open
or close anything is written ``\\u003c``, so that no text can forge the fence or another line.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from memory_assets.errors import PromptFileError
from memory_assets.llm.tokens import well_formed

PACKAGE = Path(__file__).resolve().parent.parent
FENCE_OPEN, FENCE_CLOSE = "<data>", "</data>"

_FILE = re.compile(r"---\n(?P<header>.*?)\n---\n(?P<system>.*?)\n--- user ---\n(?P<user>.*)\Z", re.DOTALL)
_PLACEHOLDER = re.compile(r"\{\{\s*(\w+)\s*\}\}")
_FIELDS = ("name", "version", "placeholders", "max_input_tokens", "max_output_tokens")
# Tags, closing tags, comments, and the role marks of chat templates ("<|im_start|>"); "<3" stays as it is.
_OPENING = re.compile(r"<(?=[/|!?A-Za-z\s\u200b-\u200f\u2060\ufeff])")
# What a reader may take for the end of a line, or for nothing, inside of a JSON string.
_UNSEEN = re.compile("[\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]")


@dataclass(frozen=True)
class Prompt:
    """One prompt file. ``digest`` covers all of it."""

    name: str
    version: int
    system: str
    user: str
    placeholders: tuple[str, ...]
    max_input_tokens: int
    max_output_tokens: int
    digest: str

    def render(self, payload: BaseModel) -> str:
        """The user's text with the payload as data."""
        values = payload.model_dump()
        if missing := sorted(set(self.placeholders) ^ set(values)):
            raise PromptFileError(
                f"The prompt {self.name} and its payload {type(payload).__name__} disagree about "
                f"{', '.join(missing)}: give both the same fields."
            )
        return _PLACEHOLDER.sub(lambda match: as_data(_lean(values[match[1]])), self.user)


class PromptCatalogue(dict[str, Prompt]):
    """All prompt files of a package, by task."""

    def __missing__(self, task: str) -> Prompt:
        known = ", ".join(self) or "none"
        raise PromptFileError(
            f"There is no prompt for the task {task!r}: add memory_assets/{_folder(task)}.md. Known: {known}."
        )

    def prompt_hash(self, task: str) -> str:
        """The digest of a task's prompt: a part of every fingerprint that its answers have."""
        return self[task].digest


@cache
def prompts() -> PromptCatalogue:
    """The prompts of this package, read once."""
    return load_prompts(PACKAGE)


def load_prompts(package: Path) -> PromptCatalogue:
    """Read and check every ``<room>/prompts/*.md`` below a package."""
    tasks = {f"{path.parent.parent.name}/{path.stem}": path for path in sorted(package.glob("*/prompts/*.md"))}
    return PromptCatalogue({task: parse_prompt(task, path.read_text("utf-8")) for task, path in tasks.items()})


def parse_prompt(task: str, text: str) -> Prompt:
    """Read one prompt file, or raise :class:`PromptFileError` that names the fix."""
    text = text.replace("\r\n", "\n")
    where = f"memory_assets/{_folder(task)}.md"
    parts = _FILE.match(text)
    if parts is None:
        raise PromptFileError(
            f"{where} is not a prompt file: it needs a header between two '---' lines, the system text, "
            "a line '--- user ---' and the user's text."
        )
    header = _header(where, parts["header"])
    if header["name"] != task:
        raise PromptFileError(f"{where} calls itself {header['name']!r}: write 'name: {task}'.")
    placeholders = tuple(word.strip() for word in header["placeholders"].split(",") if word.strip())
    _check_placeholders(where, placeholders, parts["system"], parts["user"])
    return Prompt(
        name=task,
        version=_number(where, header, "version"),
        system=parts["system"].strip(),
        user=parts["user"].strip(),
        placeholders=placeholders,
        max_input_tokens=_number(where, header, "max_input_tokens"),
        max_output_tokens=_number(where, header, "max_output_tokens"),
        digest=hashlib.sha256(text.encode()).hexdigest()[:32],
    )


def as_data(value: Any) -> str:
    """A value as JSON that stays inside its line and inside the fence. A list is one line per item."""
    if isinstance(value, list | tuple):
        return "\n".join(as_data(item) for item in value)
    text = well_formed(json.dumps(value, ensure_ascii=False, separators=(",", ":")))
    text = _OPENING.sub(r"\\u003c", text)
    return _UNSEEN.sub(lambda match: f"\\u{ord(match[0]):04x}", text)


def _lean(value: Any) -> Any:
    """Rows without what says nothing: unknown fields, and the time of a turn of the same day as the one before."""
    if not isinstance(value, list | tuple):
        return value
    day, rows = None, []
    for row in value:
        if not isinstance(row, Mapping):
            return value
        fields = {name: _lean(field) for name, field in row.items() if field is not None and field != ()}
        if isinstance(at := fields.get("at"), str):
            if at[:10] == day:
                del fields["at"]
            day = at[:10]
        rows.append(fields)
    return rows


def _header(where: str, text: str) -> dict[str, str]:
    header: dict[str, str] = {}
    for line in filter(None, map(str.strip, text.split("\n"))):
        key, colon, value = line.partition(":")
        if not colon or key.strip() not in _FIELDS:
            raise PromptFileError(f"{where} has a header line {line!r}: the fields are {', '.join(_FIELDS)}.")
        header[key.strip()] = value.strip()
    if missing := [field for field in _FIELDS if field not in header]:
        raise PromptFileError(f"{where} lacks {', '.join(missing)} in its header: add it.")
    return header


def _number(where: str, header: Mapping[str, str], field: str) -> int:
    if not header[field].isdecimal() or int(header[field]) < 1:
        raise PromptFileError(f"{where} says '{field}: {header[field]}': write a whole number from 1.")
    return int(header[field])


def _check_placeholders(where: str, declared: tuple[str, ...], system: str, user: str) -> None:
    used = _PLACEHOLDER.findall(user)
    if unknown := sorted(set(used) - set(declared)):
        raise PromptFileError(
            f"{where} uses {_braces(unknown)} but its header does not list it: add it to 'placeholders:'."
        )
    if missing := sorted(set(declared) - set(used)):
        raise PromptFileError(
            f"{where} lists {_braces(missing)} but does not use it: use it or remove it from 'placeholders:'."
        )
    if _PLACEHOLDER.search(system):
        raise PromptFileError(f"{where} has a placeholder in its system text: data belongs into the user's text.")
    if user.count(FENCE_OPEN) != 1 or user.count(FENCE_CLOSE) != 1:
        raise PromptFileError(f"{where} needs one {FENCE_OPEN} and one {FENCE_CLOSE} in its user's text.")
    before, _, rest = user.partition(FENCE_OPEN)
    inside, _, after = rest.partition(FENCE_CLOSE)
    if _PLACEHOLDER.search(before + after) or not _PLACEHOLDER.search(inside):
        raise PromptFileError(f"{where} has a placeholder outside of {FENCE_OPEN}…{FENCE_CLOSE}: move it inside.")


def _braces(names: list[str]) -> str:
    return ", ".join("{{" + name + "}}" for name in names)


def _folder(task: str) -> str:
    room, _, name = task.partition("/")
    return f"{room}/prompts/{name}"
