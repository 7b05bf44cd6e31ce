"""Slack: a channel's export, days of JSON, as one source per thread and per day of unthreaded messages.

A thread can go on in later days' files, those may arrive later, and a later export may tell more of the
same day: a source is known by its channel and its thread or day, and ``merge`` unites what has arrived
of it, in whatever order.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from html import unescape
from typing import Any

from memory_assets.clock import to_iso
from memory_assets.errors import SourceUnreadableError
from memory_assets.model import SourceType
from memory_assets.sources.cleaning import clean_text, one_line
from memory_assets.sources.dates import from_epoch, parse_instant
from memory_assets.sources.encoding import Decoded, decode_file, decode_head
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

DAY_FILE = re.compile(r"\d{4}-\d{2}-\d{2}\.json", re.IGNORECASE)
AUXILIARY = frozenset(
    {"users.json", "channels.json", "groups.json", "dms.json", "mpims.json", "integration_logs.json",
     "canvases.json", "lists.json", "huddle_transcripts.json", "file_conversations.json", "org_users.json"}
)  # fmt: skip
_SPOKEN_SUBTYPES = frozenset(
    {None, "", "thread_broadcast", "me_message", "file_share", "file_comment", "reply_broadcast"}
)
_MARKUP = re.compile(r"<([^<>\n]{1,4000})>")
_MENTION = re.compile(r"<@([A-Z0-9]{2,30})(?:\|[^<>]*)?>")

Message = dict[str, Any]


def sniff(head: bytes, name: str) -> float:
    """A JSON array of objects with a ``ts``; or, for a day without messages, a day's file name."""
    text = decode_head(head).lstrip("\ufeff \t\r\n")
    if not text.startswith("["):
        return 0.0
    if re.search(r'"ts"\s*:\s*"?\d', text) and re.search(r'"(user|bot_id|subtype|text)"\s*:', text):
        return 0.95
    return 0.6 if DAY_FILE.fullmatch(name) else 0.0


def read(document: Document) -> Iterator[Found]:
    """A single day's file by itself; its channel and users are what the reader knows of its folder."""
    yield from read_channel("", [(document.name, document.stream.read())], {})


def read_channel(
    channel: str, days: Iterable[tuple[str, bytes]], users: Mapping[str, str]
) -> Iterator[Found]:
    """All sources of a channel's days. A day that cannot be read raises, with the day's name in front."""
    messages: list[tuple[str, Message]] = []
    encodings: dict[str, bool] = {}
    for name, data in days:
        found, decoded, errors = read_day(name, data)
        day = name[:10] if DAY_FILE.fullmatch(name) else ""
        messages += [(day, message) for message in found]
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
    if not isinstance(items, list):
        raise SourceUnreadableError(f"{one_line(name)} is not a list of Slack messages.")
    errors = [
        LineError(position, "The message was left out: it is no object with a ts.")
        for position, item in enumerate(items, start=1)
        if not (isinstance(item, dict) and _ts(item))
    ]
    return [item for item in items if isinstance(item, dict) and _ts(item)], decoded, errors


def read_users(data: bytes) -> dict[str, str]:
    """Names by user id, from users.json; what cannot be read names nobody."""
    try:
        items = json.loads(decode_file(data).text.lstrip("\ufeff"))
    except (ValueError, RecursionError, SourceUnreadableError):
        return {}
    users: dict[str, str] = {}
    for item in items if isinstance(items, list) else []:
        if isinstance(item, dict) and isinstance(item.get("id"), str):
            name = _name_in(item.get("profile")) or _name_in(item)
            if name:
                users[item["id"]] = name
    return users


def _name_in(record: object) -> str | None:
    if not isinstance(record, dict):
        return None
    for key in ("real_name", "display_name", "name", "username"):
        if isinstance(record.get(key), str) and one_line(record[key]):
            return one_line(record[key])
    return None


def group(
    channel: str, messages: list[tuple[str, Message]], users: Mapping[str, str]
) -> Iterator[dict[str, Any]]:
    """Raw contents: each thread with its replies, and each day's messages outside of threads.

    What a message says of itself decides, and the day is its file's: where a message belongs must not
    depend on which other files are at hand.
    """
    threads: dict[str, list[Message]] = defaultdict(list)
    days: dict[str, list[Message]] = defaultdict(list)
    for day, message in messages:
        root = _thread(message) or (_ts(message) if message.get("reply_count") else "")
        if root:
            threads[root].append(message)
        else:
            instant = _instant(_ts(message))
            days[day or (instant.date().isoformat() if instant else "unknown")].append(message)
    for root in sorted(threads, key=_order):
        yield _raw(channel, threads[root], users, thread_ts=root)
    for day in sorted(days):
        yield _raw(channel, days[day], users, day=day)


def _raw(channel: str, messages: list[Message], users: Mapping[str, str], **key: str) -> dict[str, Any]:
    unique = {json.dumps(message, sort_keys=True, ensure_ascii=True): message for message in messages}
    ordered = [unique[text] for text in sorted(unique, key=lambda text: (_order(_ts(unique[text])), text))]
    named = {message["user"] for message in ordered if isinstance(message.get("user"), str)}
    for message in ordered:
        named.update(_MENTION.findall(_text(message)))
    known = {user: users[user] for user in sorted(named) if user in users}
    return {"channel": channel, **key, "users": known, "messages": ordered}


def merge(stored: str, arrived: str) -> str:
    """The union of two raw contents of one thread or day: the same, whichever came first."""
    one, other = json.loads(stored), json.loads(arrived)
    users = dict(one["users"])
    for user, name in other["users"].items():
        users[user] = min(name, users.get(user, name))
    key = {name: one[name] for name in ("thread_ts", "day") if name in one}
    return _dump(_raw(one["channel"], one["messages"] + other["messages"], users, **key))


def source_of(raw: Mapping[str, Any] | str, provenance: Mapping[str, object]) -> RawSource:
    """The source of a raw content; everything in it follows from that content."""
    content = json.loads(raw) if isinstance(raw, str) else raw
    messages: list[Message] = content["messages"]
    users: Mapping[str, str] = content["users"]
    spoken = [message for message in messages if _is_spoken(message)]
    times = [instant for message in messages if (instant := _instant(_ts(message)))]
    first = next((text for message in spoken if (text := resolve(_text(message), users))), "")
    channel, root = str(content["channel"]), content.get("thread_ts")
    place = f"#{channel}" if channel else "Slack"
    title = one_line(first, 80) if root else f"{content.get('day')}"
    return RawSource(
        source_type=SourceType.SLACK,
        title=one_line(f"{place}: {title}" if title else place, 120),
        raw_content=_dump(content),
        started_at=(_instant(root) if root else None) or min(times, default=None),
        ended_at=max(times, default=None),
        participants=tuple(sorted({_speaker(message, users) for message in spoken})),
        thread_id=str(root) if root else None,
        channel=channel or None,
        key=f"{channel}/{root or content.get('day')}",
        provenance=provenance,
    )


def _dump(content: Mapping[str, Any]) -> str:
    return json.dumps(content, ensure_ascii=False, separators=(", ", ": "))


def _ts(message: Message) -> str:
    value = message.get("ts")
    return (
        str(value)
        if isinstance(value, str | int | float) and not isinstance(value, bool) and str(value)
        else ""
    )


def _thread(message: Message) -> str:
    value = message.get("thread_ts")
    return str(value) if isinstance(value, str | int | float) and not isinstance(value, bool) else ""


def _instant(ts: object):  # type: ignore[no-untyped-def]
    return from_epoch(ts) or parse_instant(ts)


def _order(ts: str) -> tuple[float, str]:
    try:
        value = float(ts)
        return (value if value == value else 0.0, ts)
    except ValueError:
        return (0.0, ts)


def _text(message: Message) -> str:
    text = message.get("text")
    return text if isinstance(text, str) else ""


def _is_spoken(message: Message) -> bool:
    """Whether a person says something: no joins and leaves, no bots, nothing hidden."""
    subtype = message.get("subtype")
    if not (subtype is None or isinstance(subtype, str)) or subtype not in _SPOKEN_SUBTYPES:
        return False
    is_bot = message.get("bot_id") and not message.get("client_msg_id")
    return not is_bot and message.get("user") != "USLACKBOT" and not message.get("hidden")


def _speaker(message: Message, users: Mapping[str, str]) -> str:
    user = message.get("user")
    if isinstance(user, str) and user in users:
        return users[user]
    return (
        _name_in(message.get("user_profile"))
        or (one_line(user) if isinstance(user, str) else "")
        or "unknown"
    )


def resolve(text: str, users: Mapping[str, str]) -> str:
    """Slack's markup as plain text: mentions by name, links by their words, entities as characters."""

    def replace(match: re.Match[str]) -> str:
        target, _, label = match[1].partition("|")
        if target.startswith("@"):
            return "@" + (users.get(target[1:]) or label or target[1:])
        if target.startswith("#"):
            return "#" + (label or target[1:])
        if target.startswith("!"):
            return "@" + (label.lstrip("@") or target[1:].partition("^")[0])
        return f"{label} ({target})" if label and label not in target else target.removeprefix("mailto:")

    return clean_text(unescape(_MARKUP.sub(replace, text)))


def clean(raw_content: str) -> Cleaned:
    """What people said, in order, by their names."""
    try:
        raw = json.loads(raw_content)
        messages = [message for message in raw["messages"] if isinstance(message, dict)]
        users = {str(key): str(value) for key, value in dict(raw.get("users") or {}).items()}
    except (ValueError, KeyError, TypeError, RecursionError):
        return number_turns(iter([(None, clean_text(raw_content), None)]))
    return number_turns(
        (_speaker(message, users), resolve(_text(message), users), to_iso(_instant(_ts(message))))
        for message in messages
        if _is_spoken(message)
    )


FORMAT = Format(
    SourceType.SLACK, MAX_WHOLE_FILE, sniff, read, clean, merge=merge, describe=lambda raw: source_of(raw, {})
)
