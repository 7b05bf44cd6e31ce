"""Slack: a channel's export, days of JSON, as one source per thread and per day of unthreaded messages.

A thread can go on in later days' files, those may arrive later, and a later export may have more of the
same day: a source is known by its channel and its thread or day, and ``merge`` unites what has arrived
of it, in whatever order.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from typing import Any, NamedTuple

from memory_assets.clock import to_iso
from memory_assets.errors import SourceUnreadableError
from memory_assets.model import SourceType
from memory_assets.sources.cleaning import clean_text, one_line
from memory_assets.sources.dates import from_epoch, parse_instant
from memory_assets.sources.encoding import Decoded, decode_file, json_head
from memory_assets.sources.formats.base import (
    MAX_WHOLE_FILE,
    Cleaned,
    Document,
    Format,
    Found,
    LineError,
    RawSource,
    number_turns,
)
from memory_assets.sources.formats.said import text_of
from memory_assets.sources.formats.slack_text import (
    MENTION,
    MENTIONED,
    Message,
    all_names,
    count_dropped,
    current,
    name_in,
    quoted,
    said,
    speaker_of,
    spoken,
)

DAY_FILE = re.compile(r"\d{4}-\d{2}-\d{2}\.json", re.IGNORECASE)
AUXILIARY = frozenset(
    {"users.json", "channels.json", "groups.json", "dms.json", "mpims.json", "integration_logs.json",
     "canvases.json", "lists.json", "huddle_transcripts.json", "file_conversations.json", "org_users.json",
     "canvas_in_the_conversation.json"}
)  # fmt: skip
# Where an export has the names of its users, the first that is there, and of its channels.
USERS = ("users.json", "org_users.json")
CHANNELS = ("channels.json", "groups.json")
# How an export names the folder of a conversation of two or of a few: by an id, or by their handles.
_DIRECT = re.compile(r"D[A-Z0-9]{5,20}|mpdm-.+")
# A channel as one object: what the service answers, and how a program that reads it keeps the answer.
_DUMP = re.compile(r'"messages"\s*:\s*\[\s*\{')
_REPLIES = ("slackdump_thread_replies", "replies")
_TEAM = re.compile(r"[TE][A-Z0-9]{2,20}")


def sniff(head: bytes, name: str) -> float:
    """A JSON array of objects with a ``ts``; or, for a day without messages, a day's file name."""
    text = json_head(head)
    if text.startswith("{"):
        return 0.95 if _DUMP.search(text[:2_000]) and re.search(r'"ts"\s*:\s*"\d{9,11}\.\d+"', text) else 0.0
    if re.search(r'"ts"\s*:\s*"?\d', text) and re.search(r'"(user|bot_id|subtype|text)"\s*:', text):
        return 0.95
    return 0.6 if text and DAY_FILE.fullmatch(name) else 0.0


def read(document: Document) -> Iterator[Found]:
    """A single day's file by itself, or a channel that is one object."""
    data = document.stream.read()
    yield from read_channel(channel_in(data) or document.channel, [(document.name, data)], document.users())


def read_channel(channel: str, days: Iterable[tuple[str, bytes]], users: Mapping[str, str]) -> Iterator[Found]:
    """All sources of a channel's days. A day that cannot be read raises, with the day's name in front."""
    messages: list[tuple[Day, Message]] = []
    encodings: dict[str, bool] = {}
    for name, data in days:
        found, decoded, errors = read_day(name, data)
        day = name[:10] if DAY_FILE.fullmatch(name) else ""
        team = team_of(found)
        messages += [(Day(day, team), message) for message in found]
        encodings[decoded.encoding] = encodings.get(decoded.encoding, False) or decoded.guessed
        yield from errors
    provenance = {"encoding": ", ".join(sorted(encodings)), "encoding_guessed": any(encodings.values())}
    for raw in group(channel, messages, users):
        yield source_of(raw, provenance)


def read_day(name: str, data: bytes) -> tuple[list[Message], Decoded, list[LineError]]:
    """The messages of one day's file; a message that is none is reported by its position."""
    decoded = decode_file(data)
    try:
        items = json.loads(decoded.text.lstrip("\ufeff"))
    except (ValueError, RecursionError) as error:
        raise SourceUnreadableError(f"{one_line(name)} is not JSON ({one_line(str(error), 120)}).") from None
    items = _dumped(items) if isinstance(items, dict) else items
    if not isinstance(items, list):
        raise SourceUnreadableError(f"{one_line(name)} is not a list of Slack messages.")
    errors = [
        LineError(position, "The message was left out: it is no object with a ts.")
        for position, item in enumerate(items, start=1)
        if not (isinstance(item, dict) and _ts(item))
    ]
    return [item for item in items if isinstance(item, dict) and _ts(item)], decoded, errors


def _dumped(channel: Mapping[str, Any]) -> list[object] | None:
    """The messages of a channel that is one object, each with the replies that it holds."""
    messages = channel.get("messages")
    if not isinstance(messages, list):
        return None
    found: list[object] = []
    for message in messages:
        found.append(message)
        for key in _REPLIES if isinstance(message, dict) else ():
            replies = message[key] if isinstance(message.get(key), list) else []
            found += [
                reply
                for reply in replies
                if isinstance(reply, dict) and ("text" in reply or reply.get("type") == "message")
            ]
    return found


def channel_in(data: bytes) -> str:
    """The name of a channel that is one object; empty where it has none, and for days."""
    if not data.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"{"):
        return ""
    try:
        channel = json.loads(decode_file(data).text.lstrip("\ufeff"))
    except (ValueError, RecursionError, SourceUnreadableError):
        return ""
    names = (channel.get("name"), channel.get("channel_id")) if isinstance(channel, dict) else ()
    return next((one_line(name) for name in names if isinstance(name, str) and name), "")


def team_of(messages: Iterable[Message]) -> str:
    """The workspace of a day's file: its first message's that names one, so that a day that goes on stays the same."""
    named = [m for m in messages if _TEAM.fullmatch(text_of(m.get("team")))]
    return min(named, key=lambda m: _order(_ts(m)))["team"] if named else ""


def read_users(data: bytes) -> dict[str, str]:
    """Names by user id, from users.json, and in the same way by a channel's; what cannot be read names nobody."""
    try:
        items = json.loads(decode_file(data).text.lstrip("\ufeff"))
    except (ValueError, RecursionError, SourceUnreadableError):
        return {}
    users: dict[str, str] = {}
    for item in items if isinstance(items, list) else []:
        if isinstance(item, dict) and isinstance(item.get("id"), str):
            name = name_in(item.get("profile")) or name_in(item)
            if name:
                users[item["id"]] = name
    return users


class Day(NamedTuple):
    """Where a file puts its messages: the day in its name, and the workspace that its messages name."""

    day: str
    team: str


def group(channel: str, messages: list[tuple[Day, Message]], users: Mapping[str, str]) -> Iterator[dict[str, Any]]:
    """Raw contents: each thread with its replies, and each day's messages outside of threads.

    What a message says of itself decides, and the day is its file's: where a message belongs must not
    depend on which other files are at hand. A thread is known by the microsecond in which it began, a day also by
    its workspace: two workspaces have a channel of one name.
    """
    threads: dict[str, list[Message]] = defaultdict(list)
    days: dict[Day, list[Message]] = defaultdict(list)
    for (day, team), message in messages:
        root = _thread(message) or (_ts(current(message)) if current(message).get("reply_count") else "")
        if root:
            threads[root].append(message)
        else:
            instant = _instant(_ts(message))
            days[Day(day or (instant.date().isoformat() if instant else "unknown"), team)].append(message)
    for root in sorted(threads, key=_order):
        yield _raw(channel, threads[root], users, thread_ts=root)
    for place in sorted(days):
        key = {"day": place.day, "team": place.team} if place.team else {"day": place.day}
        yield _raw(channel, days[place], users, **key)


def _raw(channel: str, messages: list[Message], users: Mapping[str, str], **key: str) -> dict[str, Any]:
    unique = {json.dumps(message, sort_keys=True, ensure_ascii=True): message for message in messages}
    ordered = [unique[text] for text in sorted(unique, key=lambda text: (_order(_ts(unique[text])), text))]
    named = {message["user"] for message in ordered if isinstance(message.get("user"), str)}
    for message in ordered:
        named.update(MENTION.findall(text_of(message.get("text"))))
        named.update(MENTION.findall(text_of(current(message).get("text"))))
        named.add(text_of(current(message).get("user")))
        if not text_of(message.get("text")):
            named.update(MENTIONED.findall(json.dumps(message.get("blocks"))))
    known = {user: users[user] for user in sorted(named) if user in users}
    return {"channel": channel, **key, "users": known, "messages": ordered}


def merge(stored: str, arrived: str) -> str:
    """The union of two raw contents of one thread or day: the same, whichever came first."""
    one, other = json.loads(stored), json.loads(arrived)
    users = dict(one["users"])
    for user, name in other["users"].items():
        users[user] = min(name, users.get(user, name))
    key = {name: one[name] for name in ("thread_ts", "day", "team") if name in one}
    return json.dumps(_raw(one["channel"], one["messages"] + other["messages"], users, **key), ensure_ascii=False)


def source_of(raw: Mapping[str, Any] | str, provenance: Mapping[str, object]) -> RawSource:
    """The source of a raw content; everything in it follows from that content."""
    content = json.loads(raw) if isinstance(raw, str) else raw
    messages: list[Message] = content["messages"]
    users: Mapping[str, str] = all_names(messages, content["users"])
    by_people = spoken(messages)
    dropped = count_dropped(messages)
    times = [instant for message in messages if (instant := _instant(_ts(message)))]
    first = next((text for message in by_people if (text := said(message, users))), "")
    channel, root = str(content["channel"]), content.get("thread_ts")
    day = "/".join(part for part in (content.get("team"), content.get("day")) if part)
    people = sorted({speaker_of(message, users) for message in by_people})
    place = ", ".join(people) if people and _DIRECT.fullmatch(channel) else f"#{channel}" if channel else "Slack"
    title = one_line(first, 80) if root else f"{content.get('day')}"
    return RawSource(
        source_type=SourceType.SLACK,
        title=one_line(f"{place}: {title}" if title else place, 120),
        raw_content=json.dumps(content, ensure_ascii=False),
        started_at=(_instant(root) if root else None) or min(times, default=None),
        ended_at=max(times, default=None),
        participants=tuple(people),
        thread_id=str(root) if root else None,
        channel=channel or None,
        project=None if _DIRECT.fullmatch(channel) else channel or None,
        key=f"{channel}/{root or day}",
        provenance={**provenance, "dropped": dropped} if dropped else provenance,
    )


def _ts(message: Message) -> str:
    value = message.get("ts")
    return str(value) if isinstance(value, str | int | float) and not isinstance(value, bool) and str(value) else ""


def _thread(message: Message) -> str:
    value = message.get("thread_ts") or current(message).get("thread_ts")
    return str(value) if isinstance(value, str | int | float) and not isinstance(value, bool) else ""


def _instant(ts: object) -> datetime | None:
    return from_epoch(ts) or parse_instant(ts)


def _order(ts: str) -> tuple[float, str]:
    try:
        value = float(ts)
        return (value if value == value else 0.0, ts)
    except ValueError:
        return (0.0, ts)


def clean(raw_content: str) -> Cleaned:
    """What people said, in order, by their names; a message that only quotes is nobody's word."""
    try:
        raw = json.loads(raw_content)
        messages = [message for message in raw["messages"] if isinstance(message, dict)]
        users = all_names(messages, {str(key): str(value) for key, value in dict(raw.get("users") or {}).items()})
    except (ValueError, KeyError, TypeError, RecursionError):
        return number_turns(iter([(None, clean_text(raw_content), None)]))
    return number_turns(
        (speaker, text, to_iso(_instant(_ts(message))))
        for message in sorted(spoken(messages), key=lambda message: _order(_ts(message)))
        for speaker, text in ((speaker_of(message, users), said(message, users)), (None, quoted(message, users)))
    )


FORMAT = Format(
    SourceType.SLACK, MAX_WHOLE_FILE, sniff, read, clean, merge=merge, describe=lambda raw: source_of(raw, {})
)
