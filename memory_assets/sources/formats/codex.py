"""Codex's transcripts ("rollouts"): JSON lines of prompts, answers, tool calls and their results, a file per session.

The first line says which session it is, and where it began. A session is a source; a sub-agent's is another one, whose
prompts are nobody's own words. Tools are folded to a line each. The raw content is a line about the source, then its
lines.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from datetime import datetime
from typing import Any

from memory_assets.model import SourceType, fingerprint
from memory_assets.sources.cleaning import clean_text, one_line
from memory_assets.sources.dates import parse_instant
from memory_assets.sources.encoding import decode_head
from memory_assets.sources.formats import tree
from memory_assets.sources.formats.base import (
    MAX_EXPORT_FILE,
    Cleaned,
    Document,
    Format,
    Found,
    RawSource,
    number_turns,
)
from memory_assets.sources.formats.claude_code import MAX_LINE, NAMES, NAMES_OF_SUB_AGENT
from memory_assets.sources.formats.said import (
    ASSISTANT,
    OWN_TOOLS,
    TOOL,
    USER,
    Line,
    Said,
    Transcript,
    dict_of,
    folded_call,
    folded_result,
    is_own_tool,
    list_of,
    spoken,
    text_of,
    turns_of,
)
from memory_assets.sources.formats.streams import (
    BrokenLineError,
    Part,
    parsed,
    part_of,
    plain_lines,
    read_or_none,
    records_in,
    sources_of_lines,
    split_head,
    time_of,
    unite_lines,
    whole_lines,
)
from memory_assets.text.injected import without_injected
from memory_assets.text.lines import files_of_patch

NAME = "codex"
PATCH = "apply_patch"
_SESSION, _SUB_AGENT = "session", "sub-agent"
_META = "session_meta"
_LINES = frozenset({_META, "response_item", "event_msg", "turn_context", "compacted"})
_FOLDERS = (_META, "turn_context")
_CALLS = frozenset({"function_call", "custom_tool_call", "local_shell_call", "web_search_call"})
_RESULTS = frozenset({"function_call_output", "custom_tool_call_output"})
_SUMMARISED = "[the session so far was summarised]"
_LONG_LINE = re.compile(r'\s*\{[^{}]{0,300}"type"\s*:\s*"session_meta"')
_IDENTITY = re.compile(r'"payload"\s*:\s*\{.{0,300}?"id"\s*:\s*"([^"\\]{1,100})"', re.DOTALL)
# What the result of a command begins with, before its own words.
_OUTPUT = re.compile(
    r"\A(?:(?:Chunk ID|Exit code|Wall time|Process (?:exited|running)|Original token count|Total output lines|Script)\b"
    r"[^\n]*\n)+Output:(?:\n|\Z)"
)
_FAILED = re.compile(r"^(?:Exit code: (?!0$)-?\d+|Process exited with code (?!0$)-?\d+|Script failed)$", re.MULTILINE)
# What an editor sends along, before what its user has asked.
_SENT_ALONG = re.compile(r"\A\s*# (?:Context from my IDE setup|Files mentioned by the user):")
_REQUEST = re.compile(r"^## My request for Codex:[ \t]*\n?", re.MULTILINE)
_RULES = re.compile(r"\A\s*# AGENTS\.md instructions\b")
_IMAGE = re.compile(r"\s*(?:</?image\b[^<>]{0,300}>|\[image\])\s*")

Record = Mapping[str, Any]


def said(record: Record, tools: dict[str, str]) -> list[Said]:
    """What a person saw of a line; ``tools`` are the names of the calls so far by their ids."""
    at, payload = parse_instant(record.get("timestamp")), dict_of(record.get("payload"))
    if record.get("type") == "compacted":
        return [Said(TOOL, _SUMMARISED, at)]
    if record.get("type") == "event_msg" and payload.get("type") == "turn_aborted":
        return [Said(TOOL, "[interrupted]", at)]
    if record.get("type") != "response_item":
        return []
    kind = text_of(payload.get("type"))
    if kind == "message":
        return _message(payload, at)
    if kind in _CALLS:
        name, given = _call(payload)
        tools[text_of(payload.get("call_id"))] = name
        return [Said(TOOL, folded_call(name, given), at, given=None if is_own_tool(name) else given)]
    if kind in _RESULTS:
        name = tools.get(text_of(payload.get("call_id")), "")
        return [_result(name, payload.get("output"), at)]
    return []


def _message(payload: Record, at: datetime | None) -> list[Said]:
    """A message of the user or the assistant; what others say (the developer, a hook) nobody saw."""
    role = payload.get("role")
    if role not in (USER, ASSISTANT):
        return []
    kinds = list_of(dict_of(payload.get("internal_chat_message_metadata_passthrough")).get("content_item_kinds"))
    found: list[Said] = []
    for number, item in enumerate(map(dict_of, list_of(payload.get("content")))):
        kind = text_of(kinds[number]) if number < len(kinds) else ""
        if role == USER and kind and not kind.startswith("user"):  # the program's
            continue
        text = without_injected(text_of(item.get("text")))
        if item.get("type") == "input_image":
            found.append(Said(role, "[image]", at))
        elif text:
            found.append(Said(role, clean_text(_typed(text) if role == USER else text), at))
    return found


def _typed(text: str) -> str:
    """What a person typed, without what the program or an editor has sent along."""
    if _RULES.match(text) or _IMAGE.fullmatch(text):
        return ""
    if _SENT_ALONG.match(text):
        asked = _REQUEST.search(text)
        text = text[asked.end() :] if asked else ""
    return spoken(text)


def _call(payload: Record) -> tuple[str, object]:
    """The name of a tool, as Claude Code would write it, and what it is given."""
    if payload["type"] == "local_shell_call":
        return "shell", {"command": " ".join(map(str, list_of(dict_of(payload.get("action")).get("command"))))}
    if payload["type"] == "web_search_call":
        return "web_search", dict_of(payload.get("action"))
    name = "__".join(filter(None, (text_of(payload.get("namespace")), text_of(payload.get("name")))))
    given = text_of(payload.get("input") if payload["type"] == "custom_tool_call" else payload.get("arguments"))
    # Models that write programs call other tools from within these.
    if not is_own_tool(name) and any(own in given for own in OWN_TOOLS):
        return f"{OWN_TOOLS[-1]}{name}", None
    if files := files_of_patch(given) if payload["type"] == "custom_tool_call" else []:
        return PATCH, {"path": ", ".join(files), "patch": given}
    arguments = read_or_none(parsed, given)
    if arguments is None:
        return name, given
    if isinstance(command := arguments.get("command"), list):
        arguments["command"] = " ".join(map(str, command))
    return name, arguments


def _result(name: str, output: object, at: datetime | None) -> Said:
    text = "\n".join(text_of(dict_of(item).get("text")) for item in output) if isinstance(output, list) else ""
    text = text or text_of(output) or text_of(dict_of(output).get("content"))
    wrapped = dict_of(read_or_none(parsed, text)) if text.startswith('{"output"') else {}
    failed = False
    if isinstance(about := wrapped.get("metadata"), dict) and isinstance(wrapped["output"], str):
        text, failed = wrapped["output"], bool(about.get("exit_code"))
    head = _OUTPUT.match(text)
    failed = failed or bool(head and _FAILED.search(head[0]))
    result = without_injected(text[head.end() :] if head else text)
    return Said(TOOL, folded_result(name, result, failed=failed), at, gave="" if is_own_tool(name) else result)


def conversation(records: Iterable[Record]) -> Iterator[Record]:
    """The lines without the answers that a session was summarised in: what follows says the same once more."""
    waiting: list[Record] = []
    for record in records:
        payload = dict_of(record.get("payload"))
        if record.get("type") == "compacted" and waiting:
            is_summary = text_of(payload.get("message")).rstrip().endswith(f"\n{_words(waiting[0])}")
            yield from waiting[1:] if is_summary else waiting
            waiting = []
        is_answer = payload.get("type") == "message" and payload.get("role") == ASSISTANT
        if is_answer or record.get("type") == "response_item":
            yield from waiting
            waiting = []
        if is_answer or waiting:
            waiting.append(record)
        else:
            yield record
    yield from waiting


def _words(record: Record) -> str:
    items = list_of(dict_of(record.get("payload")).get("content"))
    return "".join(text_of(dict_of(item).get("text")) for item in items).strip()


def session_of(head: bytes) -> str:
    """Whose session a file with these first bytes is."""
    found = _IDENTITY.search(decode_head(head[:4096]))
    return found[1] if found else ""


def folder_of(head: bytes) -> str:
    """In which folder a file with these first bytes begins."""
    payloads = (dict_of(record.get("payload")) for record in records_in(whole_lines(head)))
    return next((found for payload in payloads if (found := text_of(payload.get("cwd")))), "")


def is_of(head: bytes, session: str) -> bool:
    """Whether a file that begins so is a session's: a sub-agent's is not, though it may be called after it."""
    first = next(records_in(whole_lines(head)[:1]), {})
    return session_of(head) in ("", session) and not _is_sub_agent(dict_of(first.get("payload")))


def _is_sub_agent(about: Record) -> bool:
    began = dict_of(about.get("source"))
    return "subagent" in began or "internal" in began or about.get("thread_source") == "subagent"


def follow(lines: Iterable[str], session: str) -> Iterator[Line]:
    """What some lines of a session's file say. In which folder that is, a line before them says."""
    tools: dict[str, str] = {}
    folder = ""
    for record in conversation(records_in(lines)):
        payload = dict_of(record.get("payload"))
        if record.get("type") in _FOLDERS:
            folder = text_of(payload.get("cwd")) or folder
        own = text_of(payload.get("id")) or text_of(payload.get("call_id"))
        for number, found in enumerate(said(record, tools)):
            own = own or fingerprint(found.text)[:12]
            yield Line(f"{own}#{record.get('timestamp')} {text_of(payload.get('type'))} {number}", "", found, folder)


def sniff(head: bytes, name: str) -> float:
    """Lines with a type and a payload, or a first one that is longer than that."""
    complete = whole_lines(head)
    if any(map(_is_line, records_in(complete))):
        return 0.97
    return 0.85 if not complete and _LONG_LINE.match(decode_head(head).lstrip("\ufeff")) else 0.0


def _is_line(record: Record) -> bool:
    return text_of(record.get("type")) in _LINES and isinstance(record.get("payload"), dict) and "timestamp" in record


def read(document: Document) -> Iterator[Found]:
    """A source of a file; a session that goes on from another one repeats what was said there."""
    about: dict[str, Any] = {}

    def key_of(line: str) -> tuple[str, str, str]:
        record = read_or_none(parsed, line)
        if record is None or not isinstance(record.get("type"), str):
            raise BrokenLineError("it is no JSON object with a type")
        if record["type"] == _META and not about:
            about.update(dict_of(record.get("payload")))
        kind = _SUB_AGENT if _is_sub_agent(about) else _SESSION
        return text_of(about.get("id")), kind, text_of(about.get("cwd"))

    yield from sources_of_lines(document, key_of, _sources, longest=MAX_LINE, holds_whole=True)


def _sources(key: tuple[str, str, str], part: Part, provenance: dict[str, object]) -> Iterator[RawSource]:
    """One, or none where nobody says anything."""
    session, kind, folder = key
    head = {"export": NAME, "session": session, "kind": kind, "folder": folder}  # which every part is to know
    source = describe("\n".join([json.dumps(head), *part.lines]))
    if not source.participants:
        return
    provenance = {**provenance, "format": NAME, "branch": kind}
    provenance |= {"folder": source.folder} if source.folder else {}
    yield part_of(source, part.number, "/".join([NAME, session, kind]) if session else None, provenance)


def merge(stored: str, arrived: str) -> str:
    """The union of the lines that two files have of one session: the same, whichever came first."""
    (head, one), (_, other) = split_head(stored), split_head(arrived)
    return json.dumps(head) + "\n" + unite_lines(one, other, time_of)


def describe(raw_content: str) -> RawSource:
    """The source of a raw content, without its key; everything in it follows from that content."""
    head, rest = split_head(raw_content)
    records = list(records_in(plain_lines(rest)))
    lines = [line for line in _said(records) if line.text]
    title = tree.title_of("", lines, abandoned=False)
    if head["kind"] == _SUB_AGENT:
        title = one_line(f"Sub-agent: {title}", 200)
    source = tree.conversation(raw_content, title, lines, _names(head), text_of(head.get("session")))
    return replace(source, folder=one_line(text_of(head.get("folder")), 500) or None)


def clean(raw_content: str) -> Cleaned:
    """What was asked and answered, tools folded."""
    head, rest = split_head(raw_content)
    return number_turns(turns_of(_said(records_in(plain_lines(rest))), _names(head)))


def _names(head: Record) -> Mapping[str, str]:
    return NAMES_OF_SUB_AGENT if head["kind"] == _SUB_AGENT else NAMES


def _said(records: Iterable[Record]) -> Iterator[Said]:
    tools: dict[str, str] = {}
    for record in conversation(records):
        yield from said(record, tools)


TRANSCRIPT = Transcript(sniff, session_of, folder_of, is_of, follow)
FORMAT = Format(
    SourceType.CONVERSATION,
    MAX_EXPORT_FILE,
    sniff,
    read,
    clean,
    owns=lambda raw: tree.owns(NAME, raw),
    merge=merge,
    describe=describe,
)
