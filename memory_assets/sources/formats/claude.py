"""Claude's data export: ``conversations.json`` with ``chat_messages``, and the projects and memories beside it.

Messages of newer exports name the one they follow (``parent_message_uuid``) and may fork; older ones are a list. The
model's thoughts are in the raw content only; calls of tools are a line each; files are a placeholder. A project's
description and instructions are one note, each of its documents and memories another; the starter project is left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from memory_assets.model import SourceType
from memory_assets.sources.cleaning import clean_text, normalise_newlines, one_line
from memory_assets.sources.encoding import has_list, json_head
from memory_assets.sources.formats import note, tree
from memory_assets.sources.formats.base import MAX_WHOLE_FILE, Document, Format, Found, LineError, RawSource
from memory_assets.sources.formats.said import (
    ASSISTANT,
    TOOL,
    USER,
    Said,
    dict_of,
    folded_call,
    folded_result,
    list_of,
    spoken,
    text_of,
)
from memory_assets.sources.formats.streams import objects
from memory_assets.sources.formats.tree import Dialect, Exported, Node, identity, moment

NAME = "claude"
_ROLES = {"human": USER, "user": USER, "assistant": ASSISTANT}
# How older conversations write thoughts, and artifacts beside the conversation, into their text.
_THOUGHT = re.compile(r"<antThinking>.*?(?:</antThinking>|\Z)", re.DOTALL)
_APART = re.compile(r"<antArtifact\b[^<>]{0,400}?\btitle=\"([^\"<>]{1,200})\"[^<>]{0,400}>")
_APART_END = re.compile(r"</antArtifact>|<antArtifact\b[^<>]{0,800}>")
# What an export writes in place of a block that it doesn't know.
_UNSUPPORTED = re.compile(r"```\s*\n?This block is not supported on your current device yet\.\s*\n?```")


def sniff(head: bytes, name: str) -> float:
    """A list, or one object, with ``chat_messages``."""
    return 0.97 if has_list(json_head(head), "chat_messages") else 0.0


def _conversation_of(item: object) -> Exported:
    exported = dict_of(item)
    messages = exported.get("chat_messages")
    if not isinstance(messages, list):
        raise tree.NoConversationError("it has no list of chat_messages")
    found = [message for message in messages if isinstance(message, dict)]
    broken = len(messages) - len(found)
    left_out = f"{broken} of its messages were left out: they are no objects." if broken else None
    fork = any(isinstance(message.get("parent_message_uuid"), str) for message in found)
    nodes: dict[str, Node] = {}
    before: str | None = None
    for number, message in enumerate(found):
        name = identity(message.get("uuid")) or f"message {number}"
        if name in nodes:  # exported twice
            continue
        parent = message.get("parent_message_uuid") if fork else before
        nodes[name] = Node(name, parent if isinstance(parent, str) else None, message)
        before = name
    current = exported.get("current_leaf_message_uuid")
    if not (isinstance(current, str) and current in nodes):
        current = None if fork else before
    about = {
        "id": identity(exported.get("uuid"), exported.get("id")),
        "title": text_of(exported.get("name")),
        "created": exported.get("created_at"),
        "updated": exported.get("updated_at"),
    }
    return Exported(about, current, nodes, left_out)


def said(message: Mapping[str, Any]) -> list[Said]:
    """What a person saw of a message; the lines of tools apart, in their order."""
    role = _ROLES.get(text_of(message.get("sender")).lower())
    if role is None:
        return []
    at = moment(message.get("created_at"))
    lines: list[Said] = []
    for block in list_of(message.get("content")):
        lines += _block(role, dict_of(block), at)
    if not any(line.role == role and line.text for line in lines):
        lines.append(Said(role, _shown(role, text_of(message.get("text"))), at))
    files = _files(message)
    texts = [line.text for line in lines if line.role == role and line.text]
    tools = [line for line in lines if line.role == TOOL]
    return [*tools, Said(role, "\n".join([*files, *texts]), at)]


def _block(role: str, block: Mapping[str, Any], at: Any) -> list[Said]:
    kind = block.get("type")
    if kind in ("text", "voice_note"):
        return [Said(role, _shown(role, text_of(block.get("text"))), at)]
    if kind == "tool_use":
        arguments = block.get("input")
        if block.get("name") == "artifacts" and text_of(dict_of(arguments).get("title")):
            arguments = dict_of(arguments)["title"]  # the other arguments are how it was made
        return [Said(TOOL, folded_call(block.get("name"), arguments), at)]
    if kind == "tool_result":
        result = folded_result(block.get("name"), result_text(block.get("content")), failed=bool(block.get("is_error")))
        return [Said(TOOL, result, at)]
    if kind in ("image", "document"):
        return [Said(role, f"[{kind}]", at)]
    return []


def _shown(role: str, text: str) -> str:
    """A text as it was shown: an assistant's without thoughts, and what was set apart in it by its title."""
    text = _UNSUPPORTED.sub("", text)
    if role != ASSISTANT:  # a person who writes such a tag means the tag
        return clean_text(spoken(text, any_name=False))
    text = _THOUGHT.sub("", text)
    return clean_text(
        _APART_END.sub("\n", _APART.sub(lambda match: f"\n[artifact: {one_line(match[1], 100)}]\n", text))
    )


def result_text(content: object) -> str:
    """The text of a tool's result, which is text or a list of blocks."""
    if isinstance(content, str):
        return content
    texts: list[str] = []
    for block in list_of(content):
        kind = text_of(dict_of(block).get("type"))
        texts.append(text_of(dict_of(block).get("text")) or (f"[{kind}]" if kind and kind != "text" else ""))
    return "\n".join(text for text in texts if text)


def _files(message: Mapping[str, Any]) -> list[str]:
    found: list[str] = []
    for item in list_of(message.get("attachments")):
        name = one_line(text_of(dict_of(item).get("file_name")), 100)
        words = one_line(text_of(dict_of(item).get("extracted_content")), 60)
        found.append(f"[file: {name}]" if name else f"[pasted text: {words}]" if words else "[file]")
    for item in [*list_of(message.get("files")), *list_of(message.get("files_v2"))]:
        name = one_line(text_of(dict_of(item).get("file_name")), 100)
        found.append(f"[file: {name}]" if name else "[file]")
    return list(dict.fromkeys(found))


FORMAT = tree.format_of(Dialect(NAME, said), sniff, _conversation_of)


_MEMORIES = re.compile(r'"(?:conversations_memory"\s*:\s*(?:"|null)|project_memories"\s*:\s*\{)')


def sniff_notes(head: bytes, name: str) -> float:
    """A list, or one object, with ``docs`` and a ``uuid``, or with memories."""
    text = json_head(head)
    return 0.9 if _MEMORIES.search(text) or (has_list(text, "docs") and '"uuid"' in text) else 0.0


def read_notes(document: Document) -> Iterator[Found]:
    """A note for each project, document and memory that has words; a broken object costs that one."""
    for element in objects(document.stream):
        item = dict_of(element.value)
        if not item:
            yield LineError(element.number, f"It was left out: {element.reason or 'it is no object'}.")
            continue
        common = element.provenance | {"format": NAME}
        yield from _project(item, common) if "docs" in item else _memories(item, common)


def _project(item: Mapping[str, Any], common: dict[str, object]) -> Iterator[Found]:
    if item.get("is_starter_project") is True:
        return
    name = one_line(text_of(item.get("name")), 120)
    parts = [text_of(item.get("description")), text_of(item.get("prompt_template"))]
    if any(clean_text(part) for part in parts):
        yield from _note(name or "Project", "\n\n".join(parts), item.get("created_at"), common | {"part": "project"})
    for doc in map(dict_of, list_of(item.get("docs"))):
        title = one_line(text_of(doc.get("filename")), 120) or name or "Document"
        yield from _note(
            title, text_of(doc.get("content")), doc.get("created_at"), common | {"part": "document", "project": name}
        )


def _memories(item: Mapping[str, Any], common: dict[str, object]) -> Iterator[Found]:
    yield from _note("Claude's memory", text_of(item.get("conversations_memory")), None, common | {"part": "memory"})
    for key, text in sorted(dict_of(item.get("project_memories")).items()):
        about = common | {"part": "memory", "project": one_line(str(key), 60)}
        yield from _note("Claude's memory of a project", text_of(text), None, about)


def _note(title: str, text: str, created: object, provenance: dict[str, object]) -> Iterator[Found]:
    text = normalise_newlines(text).strip("\ufeff\n ")
    if clean_text(text):
        yield RawSource(SourceType.NOTE, title, text, started_at=moment(created), provenance=provenance)


NOTES_FORMAT = Format(SourceType.NOTE, MAX_WHOLE_FILE, sniff_notes, read_notes, note.clean)
