"""Claude Code's transcripts: JSON lines of prompts, answers, tool calls and their results, a file per session.

A session is one source; a sub-agent's work (``isSidechain``) is another, and so is a branch that was abandoned: a
prompt after which the same place got another one. Tools are folded to a line each. The raw content is a line about
the source, then its lines.
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
from memory_assets.sources.formats.claude import result_text
from memory_assets.sources.formats.said import (
    ASSISTANT,
    TOOL,
    USER,
    Line,
    Said,
    Transcript,
    dict_of,
    elements,
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
    find_encoding,
    numbered_lines,
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

SPOKEN = ("user", "assistant")
NAMES = {USER: "user", ASSISTANT: "assistant"}
NAMES_OF_SUB_AGENT = {USER: "assistant", ASSISTANT: "agent"}
"""A sub-agent's prompts are another agent's words, nobody's own."""
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
        given = None if is_own_tool(block.get("name")) else block.get("input")
        return [Said(TOOL, folded_call(block.get("name"), block.get("input")), at, given=given)]
    if isinstance(kind, str) and kind.endswith("tool_result"):
        name = tools.get(text_of(block.get("tool_use_id")), "")
        result = _COLOURS.sub("", _REMINDER.sub("", without_injected(result_text(block.get("content")))))
        folded = folded_result(name, result, failed=block.get("is_error") is True)
        return [Said(TOOL, folded, at, gave="" if is_own_tool(name) else result)]
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


NAME = "claude-code"
MAX_LINE = 64 * (1 << 20)  # a line can hold a picture
_SESSION, _ABANDONED, _SIDECHAIN = "session", "abandoned", "sidechain"
_KNOWN = frozenset({*SPOKEN, "system", "summary"})
_NAMES = {_SESSION: NAMES, _ABANDONED: NAMES, _SIDECHAIN: NAMES_OF_SUB_AGENT}
_LONG_LINE = re.compile(r'^\s*\{.{0,2000}?"(?:parentUuid|isSidechain|leafUuid|sessionId)"\s*:', re.DOTALL)


def sniff(head: bytes, name: str) -> float:
    """Lines with a type and what only these transcripts have: ``parentUuid``, ``isSidechain``, ``leafUuid``."""
    complete = whole_lines(head)
    if any(map(_is_line, records_in(complete))):
        return 0.97
    return 0.85 if not complete and _LONG_LINE.match(decode_head(head).lstrip("\ufeff")) else 0.0


def _is_line(record: Mapping[str, Any]) -> bool:
    if "role" in record or text_of(record.get("type")) not in _KNOWN:
        return False
    if record["type"] == "summary":
        return isinstance(record.get("summary"), str) and "leafUuid" in record
    return "parentUuid" in record or "isSidechain" in record or ("sessionId" in record and "uuid" in record)


class _Index:
    """What must be known of a whole file before its lines can be sorted."""

    def __init__(self, records: Iterable[Mapping[str, Any]]) -> None:
        self.parents: dict[str, str] = {}
        self.sidechains: set[str] = set()
        self.roots: dict[str, str] = {}
        self.first_session = ""
        prompts: dict[tuple[str, str], dict[str, None]] = {}
        for record in records:
            name, parent = text_of(record.get("uuid")), text_of(record.get("parentUuid"))
            self.first_session = self.first_session or text_of(record.get("sessionId"))
            if not name:
                continue
            self.parents.setdefault(name, parent)
            if record.get("isSidechain") is True:
                self.sidechains.add(name)
            elif parent and _is_prompt(record):
                prompts.setdefault((text_of(record.get("sessionId")), parent), {}).setdefault(name)
        # Of several prompts at one place the last one counts.
        self.abandoned = {name for siblings in prompts.values() for name in list(siblings)[:-1]}

    def chain_of(self, record: Mapping[str, Any]) -> tuple[str, str]:
        """To which of a session's sources a line belongs: its kind, and the line that this one began with."""
        name = text_of(record.get("uuid"))
        if record.get("isSidechain") is True:
            return _SIDECHAIN, text_of(record.get("agentId")) or self._root(name, self.sidechains)
        root = self._root(name, None)
        return (_ABANDONED, root) if root in self.abandoned else (_SESSION, "")

    def _root(self, name: str, within: set[str] | None) -> str:
        """The nearest abandoned prompt above a line, else the first line of its chain; remembered on the way."""
        way: list[str] = []
        seen: set[str] = set()
        while name not in self.roots and name not in seen:
            seen.add(name)
            way.append(name)
            parent = self.parents.get(name, "")
            if (
                (within is None and name in self.abandoned)
                or not parent
                or (within is not None and parent not in within)
            ):
                break
            name = parent
        root = self.roots.get(name, name)
        self.roots.update(dict.fromkeys(way, root))
        return root


def _is_prompt(record: Mapping[str, Any]) -> bool:
    """Whether a person says something in it."""
    if record.get("type") != "user" or record.get("isMeta") or record.get("isCompactSummary"):
        return False
    return any(line.role == USER and line.text for line in said(record, {}))


def read(document: Document) -> Iterator[Found]:
    """A source per session, sub-agent and abandoned branch. Read twice: what a line belongs to may follow it."""
    encoding, _ = find_encoding(document.stream)
    lines = (line for _, line in numbered_lines(document.stream, encoding, MAX_LINE) if isinstance(line, str))
    index = _Index(records_in(lines))
    session = index.first_session

    def key_of(line: str) -> tuple[str, str, str]:
        nonlocal session
        record = read_or_none(parsed, line)
        if record is None or not isinstance(record.get("type"), str):
            raise BrokenLineError("it is no JSON object with a type")
        session = text_of(record.get("sessionId")) or session
        return session, *(index.chain_of(record) if record.get("uuid") else (_SESSION, ""))

    yield from sources_of_lines(document, key_of, _sources, longest=MAX_LINE, holds_whole=True)


def _sources(key: tuple[str, str, str], part: Part, provenance: dict[str, object]) -> Iterator[RawSource]:
    """One, or none where nobody says anything."""
    session, kind, root = key
    head = {"export": NAME, "session": session, "kind": kind} | ({"root": root} if root else {})
    source = describe("\n".join([json.dumps(head), *part.lines]))
    if not source.participants:
        return
    provenance = {**provenance, "format": NAME, "branch": kind}
    provenance |= {"folder": source.folder} if source.folder else {}
    place = "/".join([NAME, session, kind, *([root] if root else [])]) if session else None
    yield part_of(source, part.number, place, provenance)


def merge(stored: str, arrived: str) -> str:
    """The union of the lines that two files have of one session: the same, whichever came first.

    What one of them knows to be abandoned is no longer the session's: it is a source of its own.
    """
    (head, one), (_, other) = split_head(stored), split_head(arrived)
    if head["kind"] == _SESSION:
        index = _Index(_lines(unite_lines(one, other, time_of)))
        one, other = _without_moved(one, other, index), _without_moved(other, one, index)
    return json.dumps(head) + "\n" + unite_lines(one, other, time_of)


def _without_moved(text: str, other: str, index: _Index) -> str:
    """Without the abandoned branches whose fork the other text has without the branch."""
    there = {text_of(record.get("uuid")) for record in _lines(other)}

    def moved(line: str) -> bool:
        record = read_or_none(parsed, line)
        if record is None or not text_of(record.get("uuid")):
            return False
        kind, root = index.chain_of(record)
        return kind == _ABANDONED and root not in there and index.parents.get(root) in there

    lines = plain_lines(text)
    remaining = [line for line in lines if not moved(line)]
    return text if len(remaining) == len(lines) else "\n".join(remaining)


def _lines(text: str) -> list[dict[str, Any]]:
    return list(records_in(plain_lines(text)))


def describe(raw_content: str) -> RawSource:
    """The source of a raw content, without its key; everything in it follows from that content."""
    head, rest = split_head(raw_content)
    records = _lines(rest)
    lines = [line for line in _said(records) if line.text]
    title = _title(head["kind"], records, lines)
    folder = next((folder for record in records if (folder := text_of(record.get("cwd")))), "")
    source = tree.conversation(raw_content, title, lines, _NAMES[head["kind"]], text_of(head.get("session")))
    return replace(source, folder=one_line(folder, 500) or None)


def _title(kind: str, records: list[dict[str, Any]], lines: list[Said]) -> str:
    title = others = ""
    own = {text_of(record.get("uuid")) for record in records}
    for record in records:
        if record.get("type") == "summary":  # a file can begin with those of other sessions
            title = text_of(record.get("summary")) if record.get("leafUuid") in own else title
            others = others or text_of(record.get("summary"))
    title = title or next((found for record in records if (found := text_of(record.get("aiTitle")))), "") or others
    for record in records:
        title = text_of(record.get("customTitle")) or title
    if kind == _SIDECHAIN:
        words = next((line.text for line in lines if line.role == USER), "")
        return one_line(f"Sub-agent: {one_line(words, 80)}" if words else "Sub-agent", 200)
    return tree.title_of(title, lines, kind == _ABANDONED)


def clean(raw_content: str) -> Cleaned:
    """What was asked and answered, tools folded."""
    head, rest = split_head(raw_content)
    return number_turns(turns_of(_said(_lines(rest)), _NAMES[head["kind"]]))


def _said(records: list[dict[str, Any]]) -> Iterator[Said]:
    tools: dict[str, str] = {}
    for record in records:
        yield from said(record, tools)


def session_of(head: bytes) -> str:
    """Whose session a file with these first bytes is, by its first line that says so."""
    records = records_in(decode_head(head).splitlines())
    return next((found for record in records if (found := text_of(record.get("sessionId")))), "")


def folder_of(head: bytes) -> str:
    """In which folder a file with these first bytes begins, by its first line that says so."""
    records = records_in(decode_head(head).splitlines())
    return next((found for record in records if (found := text_of(record.get("cwd")))), "")


def follow(lines: Iterable[str], session: str) -> Iterator[Line]:
    """What some lines of a transcript say of a session; a sub-agent's are none of its."""
    tools: dict[str, str] = {}
    for record in records_in(lines):
        if record.get("isSidechain") is True or text_of(record.get("sessionId")) not in ("", session):
            continue
        own, place = text_of(record.get("uuid")), text_of(record.get("gitBranch"))
        for number, found in enumerate(said(record, tools)):
            own = own or fingerprint(record.get("timestamp"), record.get("type"), found.text)[:24]
            yield Line(f"{own}#{number}", place, found, text_of(record.get("cwd")))


TRANSCRIPT = Transcript(sniff, session_of, folder_of, lambda head, session: True, follow)
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
