"""Conversations as one JSON document: a list of objects, or one, with ``messages`` of role and content.

Many clients and scripts of people's own write this shape. A message is read as a line of JSON lines is (see
:mod:`.conversation`); the messages follow each other, and a conversation without an id is known by what it begins with:
of two in one document that begin alike, the second by all that it says up to where they part.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import takewhile
from typing import Any

from memory_assets.model import fingerprint
from memory_assets.sources.encoding import has_list, json_head
from memory_assets.sources.formats import tree
from memory_assets.sources.formats.base import Document, Found
from memory_assets.sources.formats.conversation import parse_message
from memory_assets.sources.formats.said import ASSISTANT, USER, Said, dict_of, text_of
from memory_assets.sources.formats.streams import BrokenLineError
from memory_assets.sources.formats.tree import Dialect, Exported, Node, identity, moment

NAME = "messages"
_TIMES = ("timestamp", "created_at", "create_time", "createdAt", "date", "time")
_ROLES = {USER: USER, ASSISTANT: ASSISTANT}
_Begun = dict[tuple[str, str, str], list[tuple[str, Sequence[str]]]]
"""The conversations of a document that have no id, by how they begin: by what each is known, and all its messages."""


def sniff(head: bytes, name: str) -> float:
    """A list, or one object, with ``messages`` that have a role and a content."""
    text = json_head(head)
    return 0.9 if has_list(text, "messages") and '"role"' in text and '"content"' in text else 0.0


def _conversation_of(begun: _Begun, item: object) -> Exported:
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
    own = identity(exported.get("id"), exported.get("uuid"), exported.get("conversation_id"))
    own = own or _known_by(
        begun, title, str(created), [json.dumps(node.message, sort_keys=True) for node in nodes.values()]
    )
    about = {"id": own, "title": title, "created": created, "updated": exported.get("updated_at")}
    left_out = f"{len(broken)} of its messages were left out, the first since {broken[0]}." if broken else None
    return Exported(about, before, nodes, left_out)


def _known_by(begun: _Begun, title: str, created: str, messages: Sequence[str]) -> str:
    """What a conversation without an id is known by: the same where one goes on with another, else one of its own."""
    start = title, created, messages[0] if messages else ""
    marks = [fingerprint(message) for message in messages]
    parting = 0
    others = begun.setdefault(start, [])
    for place, (known_by, other) in enumerate(others):
        alike = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(marks, other, strict=False)))
        if alike == min(len(marks), len(other)):
            others[place] = known_by, max(marks, other, key=len)
            return known_by
        parting = max(parting, alike + 1)
    known_by = fingerprint(*start, *marks[1:parting])[:24]
    others.append((known_by, marks))
    return known_by


def _first(item: Mapping[str, Any], names: tuple[str, ...]) -> object:
    return next((item[name] for name in names if item.get(name) is not None), None)


def said(message: Mapping[str, Any]) -> list[Said]:
    """What a message says, where a person or an assistant says it, under the name that it gives."""
    one = parse_message(json.dumps(message))
    role = _ROLES.get(one.role)
    if role is None or not one.text:
        return []
    name = one.speaker if one.speaker != one.role else None
    return [Said(role, one.text, moment(_first(message, _TIMES)), name)]


DIALECT = Dialect(NAME, said)


def _read(document: Document) -> Iterator[Found]:
    return tree.read_export(document, DIALECT, partial(_conversation_of, {}))


FORMAT = replace(tree.format_of(DIALECT, sniff, partial(_conversation_of, {})), read=_read)
