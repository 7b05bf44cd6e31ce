"""Exports of chats as their makers write them, in miniature, for tests."""

from __future__ import annotations

import io
import json
from typing import Any

from memory_assets.model import SourceType
from memory_assets.sources.formats import clean, recognise
from memory_assets.sources.formats.base import Document, LineError, RawSource
from memory_assets.sources.formats.mail_text import html_reply_words, reply_words

DAY = 1_759_300_000.0  # 2025-10-01T06:26:40Z


def read(data: bytes | str, name: str = "conversations.json", kind: str | None = None):  # type: ignore[no-untyped-def]
    """What is found in a file whose format is recognised: sources and errors."""
    raw = data.encode() if isinstance(data, str) else data
    chosen = recognise(raw[:65_536], name, SourceType(kind) if kind else None)
    found = list(chosen.read(Document(io.BytesIO(raw), name, len(raw))))
    return [f for f in found if isinstance(f, RawSource)], [f for f in found if isinstance(f, LineError)]


def said(source: RawSource) -> list[tuple[str | None, str]]:
    """Who says what in it."""
    return [(turn.speaker, turn.text) for turn in clean(source.source_type.value, source.raw_content).turns]


def gpt_message(
    role: str, *parts: object, at: float | None = None, kind: str = "text", **more: object
) -> dict[str, Any]:
    """A message of ChatGPT's."""
    author = {"role": role, "name": more.pop("name", None), "metadata": {}}
    message = {"id": "m", "author": author, "create_time": at, "update_time": None, "status": "finished_successfully"}
    message |= {
        "content": {"content_type": kind, "parts": list(parts)},
        "weight": 1.0,
        "metadata": {},
        "recipient": "all",
    }
    return message | more


def gpt(
    identifier: str, nodes: dict[str, tuple[str | None, dict | None]], current: object, **more: object
) -> dict[str, Any]:
    """A conversation of ChatGPT's; ``nodes`` by id: the parent's id and the message."""
    mapping: dict[str, dict] = {
        name: {"id": name, "message": message, "parent": parent, "children": []}
        for name, (parent, message) in nodes.items()
    }
    for name, (parent, _) in nodes.items():
        if parent in mapping:
            mapping[parent]["children"].append(name)
    conversation = {"title": "Garden plan", "create_time": DAY, "update_time": DAY + 900, "mapping": mapping}
    return conversation | {"moderation_results": [], "current_node": current, "conversation_id": identifier} | more


def forked(identifier: str = "c1", current: str = "a2", **more: object) -> dict[str, Any]:
    """A question, its answer, a second question, and the same asked otherwise."""
    return gpt(
        identifier,
        {
            "root": (None, None),
            "sys": (
                "root",
                gpt_message("system", "", weight=0, metadata={"is_visually_hidden_from_conversation": True}),
            ),
            "u1": ("sys", gpt_message("user", "When do I plant garlic?", at=DAY + 1)),
            "a1": ("u1", gpt_message("assistant", "In October.", at=DAY + 5)),
            "u2": ("a1", gpt_message("user", "And onions in clay?", at=DAY + 60)),
            "x1": ("u2", gpt_message("assistant", "Onions hate clay.", at=DAY + 65)),
            "u3": ("a1", gpt_message("user", "And onions?", at=DAY + 100)),
            "a2": ("u3", gpt_message("assistant", "In March.", at=DAY + 105)),
        },
        current,
        **more,
    )


def claude_message(
    name: str, sender: str, words: str, minute: int, parent: str | None = None, **more: object
) -> dict[str, Any]:
    """A message of Claude's."""
    at = f"2025-10-01T08:{minute:02d}:00.000000Z"
    message = {"uuid": name, "text": words, "sender": sender, "created_at": at, "updated_at": at}
    message |= {"content": [{"type": "text", "text": words}], "attachments": [], "files": []}
    return message | ({"parent_message_uuid": parent} if parent else {}) | more


def claude(identifier: str, messages: list, **more: object) -> dict[str, Any]:
    """A conversation of Claude's."""
    head = {"uuid": identifier, "name": "Compost", "created_at": "2025-10-01T08:00:00.000000Z"}
    return (
        head | {"updated_at": "2025-10-01T09:00:00.000000Z", "account": {"uuid": "x"}, "chat_messages": messages} | more
    )


def code(kind: str, content: object, name: str, parent: str | None, minute: int = 0, **more: object) -> str:
    """A line of a Claude Code transcript."""
    record = {
        "parentUuid": parent,
        "isSidechain": False,
        "userType": "external",
        "cwd": "/home/mara/garden",
        "sessionId": "s1",
        "version": "2.0.1",
        "type": kind,
        "message": {"role": kind, "content": content},
        "uuid": name,
        "timestamp": f"2025-10-01T08:{minute:02d}:00.000Z",
    }
    return json.dumps(record | more)


def codex(payload: dict[str, Any], minute: int = 0, kind: str = "response_item") -> str:
    """A line of a transcript of Codex's."""
    return json.dumps({"timestamp": f"2026-11-30T08:{minute:02d}:00.000Z", "type": kind, "payload": payload})


def codex_meta(session: str = "s1", **more: Any) -> str:
    """Its first line."""
    about = {"session_id": session, "id": session, "cwd": "/home/mara/garden", "source": "exec"}
    about |= {"base_instructions": {"text": "You are an agent."}, "git": {"branch": "drift"}}
    return codex(about | more, kind="session_meta")


def codex_message(role: str, text: str, minute: int = 0, kind: str | None = None, name: str = "") -> str:
    """A line with a message; ``kind`` is what newer versions call what it is of."""
    form = "output_text" if role == "assistant" else "input_text"
    more = {"internal_chat_message_metadata_passthrough": {"content_item_kinds": [kind]}} if kind else {}
    content = [{"type": form, "text": text}]
    return codex({"type": "message", "id": name, "role": role, "content": content, **more}, minute)


def reply_text(text: str) -> str:
    """The sender's own words of a mail's text; the quote's where there is nothing else."""
    return "\n\n".join(words.text for words in reply_words(text))


def html_reply_text(html: str) -> str:
    """The same of an HTML mail."""
    return "\n\n".join(words.text for words in html_reply_words(html))
