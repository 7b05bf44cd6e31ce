"""What a person saw of one line of a Claude Code transcript: prompts and answers, tools and commands folded."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from memory_assets.sources.cleaning import clean_text, one_line
from memory_assets.sources.dates import parse_instant
from memory_assets.sources.formats.claude import result_text
from memory_assets.sources.formats.told import (
    ASSISTANT,
    TOOL,
    USER,
    Said,
    dict_of,
    folded_call,
    folded_result,
    list_of,
    text_of,
)

SPOKEN = ("user", "assistant")
_REMINDER = re.compile(r"<system-reminder>.*?(?:</system-reminder>|\Z)", re.DOTALL)
_COMMAND = re.compile(r"<command-name>\s*(.*?)\s*</command-name>", re.DOTALL)
_ARGUMENTS = re.compile(r"<command-args>\s*(.*?)\s*</command-args>", re.DOTALL)
_OUTPUT = re.compile(r"<(local-command-std(?:out|err)|bash-(?:stdout|stderr))>(.*?)</\1>", re.DOTALL)
_BASH_INPUT = re.compile(r"<bash-input>(.*?)</bash-input>", re.DOTALL)
_COMMAND_TAGS = re.compile(r"<(command-(?:name|message|args|contents))>.*?</\1>", re.DOTALL)


def parsed(line: str) -> dict[str, Any] | None:
    """A line as the JSON object that it is; None when it is none."""
    try:
        record = json.loads(line, parse_int=lambda digits: int(digits) if len(digits) <= 400 else float("inf"))
    except (ValueError, RecursionError):
        return None
    return record if isinstance(record, dict) else None


def said(record: Mapping[str, Any], tools: dict[str, str]) -> list[Said]:
    """What a person saw of a line; ``tools`` are the names of the calls so far by their ids."""
    if record.get("type") not in SPOKEN or record.get("isMeta"):
        return []
    at = parse_instant(record.get("timestamp"))
    if record.get("isCompactSummary"):
        return [Said(TOOL, "[the session so far was summarised]", at)]
    content = dict_of(record.get("message")).get("content")
    blocks = [{"type": "text", "text": content}] if isinstance(content, str) else list_of(content)
    found: list[Said] = []
    for block in blocks:
        found += _block(str(record["type"]), dict_of(block), tools, at)
    if record.get("isApiErrorMessage"):
        return [Said(TOOL, folded_result("the model", line.text, failed=True), at) for line in found if line.text]
    return found


def _block(role: str, block: Mapping[str, Any], tools: dict[str, str], at: datetime | None) -> list[Said]:
    kind = block.get("type")
    if kind == "text":
        text = text_of(block.get("text"))
        return _typed(text, at) if role == "user" else [Said(ASSISTANT, clean_text(text), at)]
    if kind == "tool_use":
        tools[text_of(block.get("id"))] = text_of(block.get("name"))
        return [Said(TOOL, folded_call(block.get("name"), block.get("input")), at)]
    if kind == "tool_result":
        name = tools.get(text_of(block.get("tool_use_id")), "")
        result = _REMINDER.sub("", result_text(block.get("content")))
        return [Said(TOOL, folded_result(name, result, failed=block.get("is_error") is True), at)]
    if kind in ("image", "document"):
        return [Said(USER if role == "user" else ASSISTANT, f"[{kind}]", at)]
    return []


def _typed(text: str, at: datetime | None) -> list[Said]:
    """What a person typed: without reminders that were added, commands and their output folded."""
    text = _REMINDER.sub("", text)
    found: list[Said] = []
    for command in _COMMAND.findall(text):
        arguments = " ".join(_ARGUMENTS.findall(text))
        found.append(Said(TOOL, folded_call(f"command {one_line(command, 50)}", arguments), at))
    for typed in _BASH_INPUT.findall(text):
        found.append(Said(TOOL, folded_call("typed in the shell", typed), at))
    for _, output in _OUTPUT.findall(text):
        if output.strip():
            found.append(Said(TOOL, folded_result("command", output), at))
    for pattern in (_COMMAND_TAGS, _BASH_INPUT, _OUTPUT):
        text = pattern.sub("", text)
    return [*found, Said(USER, clean_text(text), at)]
