"""What a person saw of one line of a Claude Code transcript: prompts and answers, tools and commands folded."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from memory_assets.sources.cleaning import clean_text, one_line
from memory_assets.sources.dates import parse_instant
from memory_assets.sources.formats.claude import result_text
from memory_assets.sources.formats.said import (
    ASSISTANT,
    TOOL,
    USER,
    Said,
    dict_of,
    elements,
    folded_call,
    folded_result,
    list_of,
    spoken,
    text_of,
)
from memory_assets.text.injected import without_injected

SPOKEN = ("user", "assistant")
_REMINDER = re.compile(r"<system-reminder>.*?(?:</system-reminder>|\Z)", re.DOTALL)


# What a task in the background has come to, in the words of the program between those of a person.
_SUMMARY = re.compile(r"<summary>((?:(?!<summary>).)*?)</summary>", re.DOTALL)
_OUTPUTS = ("local-command-stdout", "local-command-stderr", "bash-stdout", "bash-stderr")
_INTERRUPTED = ("[Request interrupted by user]", "[Request interrupted by user for tool use]")
# What somebody says while declining a call is in the call's result, and so are the answers to questions.
_DECLINED = re.compile(
    r"\AThe user doesn['’]t want to proceed with this tool use\..{0,400}?\bthe user said:\n(.*)\Z", re.DOTALL
)
_NEXT_MESSAGE = "\nNote: The user's next message "
_COLOURS = re.compile(r"\x1b\[[0-9;]{0,20}[A-Za-z]")
_CUT = "cut at"
_SYNTHETIC = "No response requested."
_NOT_TYPED = ("isMeta", "isVisibleInTranscriptOnly", "sourceToolUseID", "interruptedMessageId")


def said(record: Mapping[str, Any], tools: dict[str, str]) -> list[Said]:
    """What a person saw of a line; ``tools`` are the names of the calls so far by their ids.

    What somebody typed while the answer went on is in lines of its own kind, in some versions in two of them.
    """
    at = parse_instant(record.get("timestamp"))
    steering = _steering(record)
    if steering:
        key, kind = f"said {steering}", text_of(record.get("type"))
        line, before = f"{kind} {record.get('timestamp')}", tools.get(key, "")
        if not before or (before.startswith(f"{kind} ") and before != line):  # said, or said again later
            tools[key] = line
            return _typed(steering, at)
        if before != line:  # a line of the other kind repeats it
            del tools[key]
    if record.get("type") not in SPOKEN:
        if record.get("subtype") == "compact_boundary":
            tools[_CUT] = text_of(record.get("uuid"))
        return []
    if record.get("isCompactSummary") or _is_summary(record, tools):
        return [Said(TOOL, "[the session so far was summarised]", at)]
    if any(record.get(mark) for mark in _NOT_TYPED) or not _is_human(record):
        return []
    content = dict_of(record.get("message")).get("content")
    blocks = [{"type": "text", "text": content}] if isinstance(content, str) else list_of(content)
    found: list[Said] = []
    # Words beside the result of a tool are a program's: a person's have a line of their own.
    results = any(text_of(dict_of(block).get("type")).endswith("tool_result") for block in blocks)
    for block in blocks:
        if not (results and record["type"] == "user" and dict_of(block).get("type") == "text"):
            found += _block(str(record["type"]), dict_of(block), tools, at)
    if record["type"] == "user":
        found += _answers(record, blocks, tools, at)
    elif dict_of(record.get("message")).get("model") == "<synthetic>":
        found = [line for line in found if line.text != _SYNTHETIC]
    if record.get("isApiErrorMessage"):
        return [Said(TOOL, folded_result("the model", line.text, failed=True), at) for line in found if line.text]
    return found


def _is_human(record: Mapping[str, Any]) -> bool:
    """Whether a line does not say itself that it comes from something else than a person."""
    origin = dict_of(record.get("origin")).get("kind") or record.get("turnOrigin")
    return origin in (None, "human")


def _is_summary(record: Mapping[str, Any], tools: dict[str, str]) -> bool:
    """Whether a line follows at once where a session was cut short: it is a summary, whether it says so or not."""
    cut = tools.pop(_CUT, None) if record.get("type") == "user" else None
    return cut is not None and text_of(record.get("parentUuid")) in ("", cut)


def _answers(record: Mapping[str, Any], blocks: list[Any], tools: Mapping[str, str], at: datetime | None) -> list[Said]:
    """What a person says in the results of tools: why a call is declined, and what is answered to a question."""
    found: list[Said] = []
    for block in map(dict_of, blocks):
        declined = _DECLINED.match(result_text(block.get("content"))) if block.get("is_error") is True else None
        if declined:
            found.append(Said(USER, clean_text(declined[1].partition(_NEXT_MESSAGE)[0]), at))
        if block.get("type") == "tool_result" and tools.get(text_of(block.get("tool_use_id"))) == "AskUserQuestion":
            for question, answer in dict_of(dict_of(record.get("toolUseResult")).get("answers")).items():
                found += [Said(ASSISTANT, clean_text(question), at), Said(USER, clean_text(text_of(answer)), at)]
    return found


def _steering(record: Mapping[str, Any]) -> str:
    """What a person typed into a turn that was under way; what waited for its end comes again as a prompt."""
    if record.get("type") == "queue-operation" and record.get("operation") == "remove":
        return text_of(record.get("content"))
    attached = dict_of(record.get("attachment")) if record.get("type") == "attachment" else {}
    return text_of(attached.get("prompt")) if attached.get("type") == "queued_command" and _is_human(attached) else ""


def _block(role: str, block: Mapping[str, Any], tools: dict[str, str], at: datetime | None) -> list[Said]:
    kind = block.get("type")
    if kind == "text":
        text = text_of(block.get("text"))
        return _typed(text, at) if role == "user" else [Said(ASSISTANT, clean_text(text), at)]
    if kind in ("tool_use", "server_tool_use", "mcp_tool_use"):
        tools[text_of(block.get("id"))] = text_of(block.get("name"))
        return [Said(TOOL, folded_call(block.get("name"), block.get("input")), at)]
    if isinstance(kind, str) and kind.endswith("tool_result"):
        name = tools.get(text_of(block.get("tool_use_id")), "")
        result = _COLOURS.sub("", _REMINDER.sub("", without_injected(result_text(block.get("content")))))
        return [Said(TOOL, folded_result(name, result, failed=block.get("is_error") is True), at)]
    if kind in ("image", "document"):
        return [Said(USER if role == "user" else ASSISTANT, f"[{kind}]", at)]
    return []


def _typed(text: str, at: datetime | None) -> list[Said]:
    """What a person typed: without what programs have added, commands and their output folded."""
    text = _COLOURS.sub("", _REMINDER.sub("", without_injected(text)))
    if text.strip() in _INTERRUPTED:
        return [Said(TOOL, "[interrupted]", at)]
    found: list[Said] = []
    put_in = [(element.name, element.content.strip()) for element in elements(text)]
    arguments = " ".join(held for name, held in put_in if name == "command-args")
    for name, held in put_in:
        if name == "task-notification":
            summary = " ".join(said.strip() for said in _SUMMARY.findall(held))
            found.append(Said(TOOL, folded_result("task", summary or held), at))
        elif name == "command-name":
            found.append(Said(TOOL, folded_call(f"command {one_line(held, 50)}", arguments), at))
        elif name == "bash-input":
            found.append(Said(TOOL, folded_call("typed in the shell", held), at))
        elif name in _OUTPUTS and held:
            found.append(Said(TOOL, folded_result("command", held), at))
    return [*found, Said(USER, clean_text(spoken(text)), at)]
