"""ChatGPT's data export: ``conversations.json``, a list of conversations, each a ``mapping`` of messages that fork.

What a person saw stays: hidden messages, system prompts and the model's thoughts are in the raw content only; calls of
tools and what came of them are a line each; pictures, recordings and files are a placeholder.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from memory_assets.sources.cleaning import clean_text, one_line
from memory_assets.sources.encoding import json_head
from memory_assets.sources.formats import tree
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
from memory_assets.sources.formats.tree import Dialect, Exported, Node, identity, moment

NAME = "chatgpt"
_MAPPING = re.compile(r'"mapping"\s*:\s*\{\s*(?:\}|"[^"]{1,200}"\s*:\s*\{)')
_UNSEEN = frozenset(
    {"thoughts", "reasoning_recap", "user_editable_context", "model_editable_context", "app_pairing_content"}
)
# Marks that the page shows as links, between two characters that no text uses: citations say nothing, names and labels
# do.
_CITATION = re.compile("[ \t]?\ue200[^\ue201]{0,2000}\ue201")
_NAMED = re.compile(
    '\ue200entity\ue202\\["[^"\ue201]{0,60}", ?"((?:[^"\\\\\ue201]|\\\\.){1,300})"[^\ue201]{0,1000}\ue201|'
    "\ue200url\ue202([^\ue201\ue202]{1,300})\ue202[^\ue201]{0,2000}\ue201"
)
_SOURCE = re.compile(r"[ \t]?【\d{1,4}(?::\d{1,4})?†[^【】\n]{1,200}】")


def sniff(head: bytes, name: str) -> float:
    """A list, or one object, with a ``mapping`` of objects."""
    return 0.97 if _MAPPING.search(json_head(head)) else 0.0


def _conversation_of(item: object) -> Exported:
    exported = dict_of(item)
    mapping = exported.get("mapping")
    if not isinstance(mapping, dict):
        raise tree.NoConversationError("it has no mapping of messages")
    whole = {
        name: node
        for name, node in mapping.items()
        if isinstance(node, dict) and isinstance(node.get("message"), dict | None)
    }
    broken = [name for name in mapping if name not in whole]
    parents: dict[str, str] = {}  # where a message doesn't say after which one it comes
    for name, node in mapping.items():
        for child in list_of(dict_of(node).get("children")):
            if isinstance(child, str):
                parents.setdefault(child, name)
    nodes = {
        name: Node(name, text_of(node.get("parent")) or parents.get(name), node.get("message"))
        for name, node in whole.items()
    }
    current = exported.get("current_node")
    about = {
        "id": identity(exported.get("conversation_id"), exported.get("id")),
        "title": text_of(exported.get("title")),
        "created": exported.get("create_time"),
        "updated": exported.get("update_time"),
    }
    first = one_line(broken[0], 60) if broken else ""
    left_out = f"{len(broken)} of its messages were left out, the first {first!r}: no objects." if broken else None
    return Exported(about, current if isinstance(current, str) and current in nodes else None, nodes, left_out)


def said(message: Mapping[str, Any]) -> list[Said]:
    """What a person saw of a message: one line, or none."""
    metadata, content = dict_of(message.get("metadata")), dict_of(message.get("content"))
    kind = text_of(content.get("content_type"))
    hidden = metadata.get("is_visually_hidden_from_conversation") or metadata.get("is_user_system_message")
    if hidden or message.get("weight") == 0 or kind in _UNSEEN:
        return []
    author = dict_of(message.get("author"))
    role, at = text_of(author.get("role")), moment(message.get("create_time"))
    if role == "user":
        return [Said(USER, spoken(_text(content, metadata), any_name=False).strip(), at)]
    if role == "tool":
        return [Said(TOOL, _result(author.get("name"), content), at)]
    if role != "assistant":
        return []
    if message.get("recipient") not in (None, "", "all"):
        return [Said(TOOL, folded_call(message["recipient"], _plain(content)), at)]
    if message.get("channel") == "analysis":  # thoughts; what was called on their way is a call
        return []
    if kind in ("execution_output", "tether_browsing_display", "tether_quote", "system_error"):
        return [Said(TOOL, _result(kind, content), at)]
    return [Said(ASSISTANT, _text(content, metadata), at)]


def _result(name: object, content: Mapping[str, Any]) -> str:
    return folded_result(name, _plain(content), failed=content.get("content_type") == "system_error")


def _plain(content: Mapping[str, Any]) -> str:
    found = list_of(content.get("parts"))
    transcribed = any(text_of(dict_of(part).get("content_type")) == "audio_transcription" for part in found)
    parts = [part for part in map(_part, found) if not (transcribed and part == "[audio]")]
    texts = [text for text in parts if text] or [text_of(content.get(name)) for name in ("text", "result", "title")]
    text = "\n".join(text for text in texts if text)
    if "\ue200" in text:
        text = _CITATION.sub("", _NAMED.sub(lambda match: match[1].replace('\\"', '"') if match[1] else match[2], text))
    return clean_text(_SOURCE.sub("", text))


def _text(content: Mapping[str, Any], metadata: Mapping[str, Any]) -> str:
    text = _plain(content)
    pictured = "[image]" in text
    files: list[str] = []
    for item in list_of(metadata.get("attachments")):
        name, kind = one_line(text_of(dict_of(item).get("name")), 100), text_of(dict_of(item).get("mime_type"))
        is_picture = kind.startswith("image/")
        if not (is_picture and pictured):
            files.append(f"[{'image' if is_picture else 'file'}{': ' if name else ''}{name}]")
    return "\n".join([*files, text] if text else files)


def _part(part: object) -> str:
    if isinstance(part, str):
        return part
    kind = text_of(dict_of(part).get("content_type"))
    if isinstance(dict_of(part).get("text"), str):  # a transcript of what was said aloud, or text by another name
        return text_of(dict_of(part).get("text"))
    for word in ("image", "audio", "video"):
        if word in kind:
            return f"[{word}]"
    return f"[{one_line(kind, 40)}]" if kind else ""


FORMAT = tree.format_of(Dialect(NAME, said), sniff, _conversation_of)
