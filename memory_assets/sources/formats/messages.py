"""Conversations as one JSON document: a list of objects, or one, with ``messages`` of role and content.

Many clients and scripts of people's own write this shape. A message is read as a line of JSON lines is (see
:mod:`.conversation`); the messages follow each other, and a conversation without an id is known by what it begins with.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from memory_assets.model import fingerprint
from memory_assets.sources.encoding import has_list, json_head
from memory_assets.sources.formats import tree
from memory_assets.sources.formats.conversation import parse_message
from memory_assets.sources.formats.said import ASSISTANT, USER, Said, dict_of, text_of
from memory_assets.sources.formats.streams import BrokenLineError
from memory_assets.sources.formats.tree import Dialect, Exported, Node, identity, moment

NAME = "messages"
_TIMES = ("timestamp", "created_at", "create_time", "createdAt", "date", "time")
_ROLES = {USER: USER, ASSISTANT: ASSISTANT}


def sniff(head: bytes, name: str) -> float:
    """A list, or one object, with ``messages`` that have a role and a content."""
    text = json_head(head)
    return 0.9 if has_list(text, "messages") and '"role"' in text and '"content"' in text else 0.0


def _conversation_of(item: object) -> tree.Told:
    exported = dict_of(item)
    messages = exported.get("messages")
    if not isinstance(messages, list):
        raise tree.NoConversationError("it has no list of messages")
    nodes: dict[str, Node] = {}
    before: str | None = None
    broken: list[str] = []
    for number, message in enumerate(messages):
        try:
            parse_message(json.dumps(message))
        except (BrokenLineError, RecursionError) as error:
            broken.append(str(error))
            continue
        name = identity(message.get("id"), message.get("uuid")) or f"message {number}"
        name = f"{name}, {number}" if name in nodes else name
        nodes[name] = Node(name, before, message)
        before = name
    created = _first(exported, _TIMES)
    title = next((text for name in ("title", "name") if (text := text_of(exported.get(name)))), "")
    opening = next((json.dumps(node.message, sort_keys=True) for node in nodes.values()), "")
    own = identity(exported.get("id"), exported.get("uuid"), exported.get("conversation_id"))
    conversation = Exported(
        id=own or fingerprint(title, str(created), opening)[:24],
        title=title,
        created=created,
        updated=exported.get("updated_at"),
        current=before,
        nodes=nodes,
    )
    left_out = f"{len(broken)} of its messages were left out, the first since {broken[0]}." if broken else None
    return conversation, left_out


def _first(told: Mapping[str, Any], names: tuple[str, ...]) -> object:
    return next((told[name] for name in names if told.get(name) is not None), None)


def said(message: Mapping[str, Any]) -> list[Said]:
    """What a message says, where a person or an assistant says it."""
    one = parse_message(json.dumps(message))
    role = _ROLES.get(one.role)
    return [Said(role, one.text, moment(_first(message, _TIMES)))] if role is not None and one.text else []


FORMAT = tree.format_of(Dialect(NAME, said), sniff, _conversation_of)
