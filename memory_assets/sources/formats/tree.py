"""Conversations that fork: answers made again and questions asked otherwise leave a tree of messages.

The branch that was shown last is the conversation. Each abandoned branch is a source of its own, with what was said
from the fork on; nothing is in two of them. A raw content is a line about the conversation, then one line per message
as it was exported, so that a later export of the same conversation can be united with it message by message.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from memory_assets.model import SourceType, fingerprint
from memory_assets.sources.cleaning import one_line
from memory_assets.sources.dates import parse_instant
from memory_assets.sources.formats.base import (
    MAX_EXPORT_FILE,
    Cleaned,
    Document,
    Format,
    Found,
    LineError,
    RawSource,
    number_turns,
)
from memory_assets.sources.formats.said import ASSISTANT, USER, Said, dict_of, list_of, turns_of
from memory_assets.sources.formats.streams import Part, objects, parsed, part_of, read_or_none

NAMES = {USER: "user", ASSISTANT: "assistant"}


@dataclass(frozen=True)
class Node:
    """A message in its place; ``message`` is as it was exported."""

    id: str
    parent: str | None
    message: Mapping[str, Any] | None


@dataclass(frozen=True)
class Exported:
    """A conversation of an export: ``about`` it ``id``, ``title``, ``created``, ``updated``; ``nodes`` in the order of
    the export; ``current``, the last one shown; and what had to be left out of it.
    """

    about: Mapping[str, object]
    current: str | None
    nodes: Mapping[str, Node]
    left_out: str | None = None


@dataclass(frozen=True)
class Dialect:
    """What differs between exports of this shape: their name, and what a message says (several lines or none)."""

    name: str
    said: Callable[[Mapping[str, Any]], list[Said]]


class NoConversationError(ValueError):
    """An object of an export that is no conversation, and what it lacks."""


def read_export(document: Document, dialect: Dialect, convert: Callable[[object], Exported]) -> Iterator[Found]:
    """Each conversation's shown branch and its abandoned ones; a broken conversation costs that one.

    ``convert`` reads an object of the export as a conversation, or raises :class:`NoConversationError`.
    """
    for element in objects(document.stream):
        if element.reason is not None:
            yield LineError(element.number, f"The conversation was left out: {element.reason}.")
            continue
        for item in list_of(dict_of(element.value).get("conversations")) or [element.value]:
            try:
                conversation = convert(item)
            except NoConversationError as error:
                yield LineError(element.number, f"The conversation was left out: {error}.")
                continue
            if conversation.left_out is not None:
                yield LineError(element.number, conversation.left_out)
            yield from sources_of(dialect, conversation, element.provenance)


def sources_of(dialect: Dialect, conversation: Exported, provenance: Mapping[str, object]) -> Iterator[RawSource]:
    """The shown branch, then the abandoned ones; what nobody sees anything of is left out."""
    shown = path_to(conversation.nodes, conversation.current or _latest(dialect, conversation.nodes))
    key = conversation.about["id"] or "from " + next(
        (name for name in shown if conversation.nodes[name].message), "nothing"
    )
    head = {"export": dialect.name, **conversation.about}
    branches = [("shown", shown), *(("abandoned", branch) for branch in branches_of(conversation.nodes, set(shown)))]
    for name, path in branches:
        about = head | ({"branch": name, "fork": path[0]} if name == "abandoned" else {})
        place = f"{dialect.name}/{key}" + (f"/branch {path[0]}" if name == "abandoned" else "")
        for number, (current, lines) in enumerate(_parts(conversation.nodes, path), start=1):
            raw = "\n".join([_json(about | {"current": current}), *lines])
            source = describe(dialect, raw)
            if not source.participants:
                continue
            yield part_of(source, number, place, {**provenance, "format": dialect.name, "branch": name})


def path_to(nodes: Mapping[str, Node], current: str | None) -> list[str]:
    """The way from the root to ``current``; a circle ends where it closes."""
    path: list[str] = []
    seen: set[str] = set()
    while current is not None and current in nodes and current not in seen:
        seen.add(current)
        path.append(current)
        current = nodes[current].parent
    return path[::-1]


def branches_of(nodes: Mapping[str, Node], taken: set[str]) -> list[list[str]]:
    """Every message that is not taken, in chains: each goes on with the oldest answer, so that it stays as it grows."""
    children: dict[str, list[str]] = {}
    for node in nodes.values():
        if node.parent is not None and node.parent in nodes:
            children.setdefault(node.parent, []).append(node.id)
    taken = set(taken)
    begins = [
        name for name, node in nodes.items() if node.parent is None or node.parent not in nodes or node.parent in taken
    ]
    found: list[list[str]] = []
    # First what hangs on the shown branch or on nothing; then what is left: circles.
    for waiting in (begins, list(nodes)):
        waiting = waiting[::-1]
        while waiting:
            name: str | None = waiting.pop()
            chain: list[str] = []
            while name is not None and name not in taken:
                taken.add(name)
                chain.append(name)
                free = [child for child in children.get(name, []) if child not in taken]
                waiting.extend(reversed(free[1:]))
                name = free[0] if free else None
            if chain:
                found.append(chain)
    return found


def _latest(dialect: Dialect, nodes: Mapping[str, Node]) -> str | None:
    """The newest message that nothing follows; of equals, the last in the export."""
    parents = {node.parent for node in nodes.values()}
    leaves = [node for node in nodes.values() if node.id not in parents] or list(nodes.values())
    ranks: list[tuple[bool, float, int]] = []
    for number, node in enumerate(leaves):
        at = next((line.at for line in _said(dialect, node) if line.at), None)
        ranks.append((at is not None, at.timestamp() if at else 0.0, number))
    return leaves[max(ranks)[-1]].id if ranks else None


def _said(dialect: Dialect, node: Node) -> list[Said]:
    return dialect.said(node.message) if node.message is not None else []


def _parts(nodes: Mapping[str, Node], path: list[str]) -> Iterator[tuple[str, list[str]]]:
    """The lines of a path in parts that a graph can hold, each with the last message in it."""
    part = Part()
    last = ""
    for name in path:
        node = nodes[name]
        line = _json({"id": node.id, "parent": node.parent, "message": node.message})
        if part.is_full(line):
            yield last, part.lines
            part.begin_next()
        part.add(line)
        last = name
    if part.lines:
        yield last, part.lines


def _json(value: Mapping[str, Any]) -> str:
    return json.dumps(value, ensure_ascii=False)


def _parsed(raw_content: str) -> tuple[dict[str, Any], dict[str, Node], dict[str, str]]:
    """A raw content as what is known of the conversation, its messages, and the line of each."""
    first, *rest = raw_content.split("\n")
    head = json.loads(first)
    nodes: dict[str, Node] = {}
    lines: dict[str, str] = {}
    for line in rest:
        try:
            record = json.loads(line)
            node = Node(record["id"], record["parent"], record["message"])
        except (ValueError, KeyError, TypeError, RecursionError):
            continue
        nodes[node.id] = node
        lines[node.id] = line
    return head, nodes, lines


def owns(name: str, raw_content: str) -> bool:
    """Whether a raw content is of the export of this name: no message of any other has such a first line."""
    first = raw_content.partition("\n")[0]
    head = read_or_none(parsed, first) if first.startswith('{"export": ') else None
    return head is not None and head.get("export") == name and "role" not in head


def merge(stored: str, arrived: str) -> str:
    """All messages of both; of what two exports say differently, the longer message and the newer head hold."""
    (one, _, lines), (other, _, more) = _parsed(stored), _parsed(arrived)
    head = max(one, other, key=_age)
    united = dict(lines)
    for name, line in more.items():
        known = united.get(name)
        united[name] = line if known is None else max(known, line, key=lambda text: (len(text), text))
    nodes = {name: Node(name, json.loads(line)["parent"], None) for name, line in united.items()}
    path = path_to(nodes, head.get("current"))
    rest = sorted(set(united) - set(path))
    return "\n".join([_json(head), *(united[name] for name in [*path, *rest])])


def _age(head: Mapping[str, Any]) -> tuple[float, str]:
    updated = parse_instant(head.get("updated"))
    return (updated.timestamp() if updated else float("-inf"), json.dumps(head, sort_keys=True))


def _lines_said(dialect: Dialect, head: Mapping[str, Any], nodes: Mapping[str, Node]) -> Iterator[Said]:
    for name in path_to(nodes, head.get("current")):
        yield from _said(dialect, nodes[name])


def describe(dialect: Dialect, raw_content: str) -> RawSource:
    """The source of a raw content, without its key; everything in it follows from that content."""
    head, nodes, _ = _parsed(raw_content)
    said = [line for line in _lines_said(dialect, head, nodes) if line.text]
    abandoned = head.get("branch") == "abandoned"
    created = None if abandoned else moment(head.get("created"))
    title = title_of(str(head.get("title") or ""), said, abandoned)
    return conversation(raw_content, title, said, NAMES, str(head.get("id") or ""), created)


def conversation(
    raw_content: str,
    title: str,
    said: list[Said],
    names: Mapping[str, str],
    identifier: str,
    created: datetime | None = None,
) -> RawSource:
    """A source of what was said in a chat, by whom each role is called in ``names`` where it gives no name.

    Its owner is who says all that a user says, if that is one.
    """
    users = {line.speaker or names[USER] for line in said if line.role == USER and line.text}
    speakers = {speaker for speaker, _, _ in turns_of(said, names) if speaker}
    times = [line.at for line in said if line.at is not None]
    return RawSource(
        source_type=SourceType.CONVERSATION,
        title=title,
        raw_content=raw_content,
        started_at=min(times, default=created),
        ended_at=max(times, default=None),
        participants=tuple(sorted(speakers)),
        owner_speaker=next(iter(users)) if len(users) == 1 and names[USER] == USER else None,
        conversation_id=one_line(identifier) or None,
    )


def title_of(title: str, said: list[Said], abandoned: bool) -> str:
    """An export's title or the first words; an abandoned branch's says so, and how it begins."""
    words = [line.text for line in said if line.role == USER] or [line.text for line in said]
    first = one_line(words[0], 80) if words else ""
    plain = one_line(title, 120) or first or "Conversation"
    return one_line(f"{plain} (abandoned branch: {one_line(first, 40)})", 200) if abandoned else plain


def clean(dialect: Dialect, raw_content: str) -> Cleaned:
    """What was shown, from the root to the last message."""
    head, nodes, _ = _parsed(raw_content)
    return number_turns(turns_of(_lines_said(dialect, head, nodes), NAMES))


def format_of(dialect: Dialect, sniff: Callable[[bytes, str], float], convert: Callable[[object], Exported]) -> Format:
    """An export of this shape as a format: ``convert`` makes a conversation of each of its objects."""
    return Format(
        SourceType.CONVERSATION,
        MAX_EXPORT_FILE,
        sniff,
        read=lambda document: read_export(document, dialect, convert),
        clean=lambda raw: clean(dialect, raw),
        owns=lambda raw: owns(dialect.name, raw),
        merge=merge,
        describe=lambda raw: describe(dialect, raw),
    )


def identity(*values: object) -> str:
    """The first of ``values`` that can be an id, as text, a long one as its digest; empty where there is none."""
    for value in values:
        if isinstance(value, str) and value.strip():
            return value if len(value) <= 200 else fingerprint(value)
        if isinstance(value, int) and not isinstance(value, bool):
            return str(value)
    return ""


def moment(value: object) -> datetime | None:
    """A time of an export; 0 and less is how some write that they don't know."""
    if isinstance(value, int | float) and not isinstance(value, bool) and value <= 0:
        return None
    return parse_instant(value)
