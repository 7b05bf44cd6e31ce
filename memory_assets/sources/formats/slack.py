"""Slack: a channel's export, days of JSON, as one source per thread and per day of unthreaded messages.

A thread can go on in later days' files, those may arrive later, and a later export may have more of the
same day: a source is known by its channel and its thread or day, and ``merge`` unites what has arrived
of it, in whatever order.
"""

from __future__ import annotations

import json
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from html import unescape
from typing import Any, NamedTuple

from memory_assets.clock import to_iso
from memory_assets.errors import SourceUnreadableError
from memory_assets.model import SourceType
from memory_assets.sources.cleaning import clean_text, one_line
from memory_assets.sources.dates import from_epoch, parse_instant
from memory_assets.sources.encoding import decode_file, json_head
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
from memory_assets.sources.formats.said import dict_of, list_of, text_of

Message = dict[str, Any]

_SPOKEN_SUBTYPES = frozenset(
    {None, "", "thread_broadcast", "me_message", "file_share", "file_comment", "reply_broadcast"}
)
_MARKUP = re.compile(r"<([^<>\n]{1,4000})>")
MENTION = re.compile(r"<[@#]([A-Z0-9]{2,30})(?:\|[^<>]*)?>")
MENTIONED = re.compile(r'"(?:user|channel|usergroup)_id": "([A-Z0-9]{2,30})"')
MAX_BLOCKS = 2_000
# Where a block keeps what it shows; its other fields say how.
_SHOWN = ("elements", "text", "title", "fields", "rows", "fallback")
# Blocks that are lines of their own, and words that are beside each other.
_LINES = frozenset(
    {"section", "header", "context", "rich_text_section", "rich_text_quote", "rich_text_preformatted", "markdown"}
)
# A line, or with three marks all that follows, is another's message that somebody quotes; what is in code is code,
# and ">1GB" is more than that.
_CODE = re.compile(r"(```.*?```)", re.DOTALL)
_QUOTE_MARK = re.compile(r"^[ \t]*+(?:(?:&gt;|>){3}|(?:&gt;|>))[ \t]*+")
_QUOTED = re.compile(r"^[ \t]*+(?:((?:&gt;|>){3})|(?:&gt;|>)(?!\d))[^\n]*+", re.MULTILINE)
_BESIDE = frozenset({"mrkdwn", "plain_text", "button", "raw_text"})
# What an export of old says of a file in the words of the program that took it.
_UPLOADED = re.compile(
    r"<@[A-Z0-9]{2,30}(?:\|[^<>]*)?> (?:uploaded|shared) a file: <[^<>\n]{1,4000}>(?: and commented: (.*))?", re.DOTALL
)


def resolve(text: str, users: Mapping[str, str]) -> str:
    """Slack's markup as plain text: mentions by name, links by their words, entities as characters."""

    def replace(match: re.Match[str]) -> str:
        target, _, label = match[1].partition("|")
        if target.startswith("@"):
            return "@" + (users.get(target[1:]) or label or target[1:])
        if target.startswith("#"):
            return "#" + (label or users.get(target[1:]) or target[1:])
        if target.startswith("!date"):
            return label or target[1:].partition("^")[0]
        if target.startswith("!"):
            return "@" + (label.lstrip("@") or target[1:].partition("^")[0])
        return f"{label} ({target})" if label and label not in target else target.removeprefix("mailto:")

    return clean_text(unescape(_MARKUP.sub(replace, text)))


def said(message: Message, users: Mapping[str, str]) -> str:
    """A message's own words, not those it quotes; files, or for want of words attachments, are named in brackets."""
    text = text_of(message.get("text"))
    uploaded = _UPLOADED.fullmatch(text) if message.get("subtype") == "file_share" else None
    text = (uploaded[1] or "") if uploaded else text
    words = resolve(_unquoted(text), users)
    words = words or (clean_text("".join(_shown(message.get("blocks"), users))) if not resolve(text, users) else "")
    files = [f"[file: {_name(item, 'name', 'title')}]" for item in _items(message.get("files") or message.get("file"))]
    if not words and not files:
        attached = _items(message.get("attachments"))
        files = [f"[attachment: {resolve(_name(item, 'title', 'text', 'fallback'), users)}]" for item in attached]
    return "\n".join(part for part in (words, *files) if part)


def quoted(message: Message, users: Mapping[str, str]) -> str:
    """The words of a message that only quotes; nothing where it says something of its own."""
    if said(message, users):
        return ""
    text = "\n".join(_QUOTE_MARK.sub("", line) for line in text_of(message.get("text")).split("\n"))
    return resolve(text, users) or clean_text("".join(_shown(message.get("blocks"), users, with_quotes=True)))


def _unquoted(text: str) -> str:
    """A message's text without the lines that quote; lines of code can begin with the same mark."""
    code = [match.span() for match in _CODE.finditer(text)]
    remaining, place = "", 0
    for match in _QUOTED.finditer(text):
        if any(start <= match.start() < end for start, end in code):
            continue
        remaining += text[place : match.start()]
        if match[1]:
            return remaining
        place = match.end()
    return remaining + text[place:]


def _items(value: object) -> list[Message]:
    items = value if isinstance(value, list) else [value]
    return [item for item in items if isinstance(item, dict)][:100]


def _name(item: Message, *keys: str) -> str:
    return next((one_line(item[key]) for key in keys if text_of(item.get(key)).strip()), "unnamed")


def _shown(blocks: object, users: Mapping[str, str], *, with_quotes: bool = False) -> Iterator[str]:
    """The words of rich text, in order, without what it quotes; no recursion: blocks nest as deep as somebody likes."""
    waiting: list[object] = [blocks]
    beside = False  # whether a name was the last that was shown: another one needs a space
    for _ in range(MAX_BLOCKS):
        if not waiting:
            return
        block = waiting.pop()
        if isinstance(block, str):
            yield block if block.isspace() else _with_ends(block, resolve(block, users))
            beside = False
        elif isinstance(block, list):
            waiting += reversed(block)
        elif isinstance(block, dict) and (with_quotes or block.get("type") != "rich_text_quote"):
            named = _named(block, users)
            if named:
                yield f" {named}" if beside else named
                beside = True
                continue
            kind = text_of(block.get("type"))
            if kind in _LINES or kind in _BESIDE:
                waiting.append("\n" if kind in _LINES else " ")
            waiting += [block[key] for key in reversed(_SHOWN) if key in block]


def _with_ends(written: str, resolved: str) -> str:
    """Words with the space before and after them: the elements of a line follow each other without one."""
    return (" " if written[:1] == " " else "") + resolved + (" " if written[-1:] == " " else "")


# The elements that name somebody or something instead of saying it: the field with its name or id, and its sign.
_NAMING = {
    "user": ("user_id", "@{}"), "channel": ("channel_id", "#{}"), "usergroup": ("usergroup_id", "@{}"),
    "broadcast": ("range", "@{}"), "emoji": ("name", ":{}:"), "link": ("url", "{}"),
}  # fmt: skip


def _named(block: Message, users: Mapping[str, str]) -> str:
    """What an element shows that names somebody or something; nothing for any other, or a link with words."""
    kind = text_of(block.get("type"))
    field, sign = _NAMING.get(kind, ("", ""))
    named = text_of(block.get(field))
    if not named or (kind == "link" and text_of(block.get("text"))):
        return ""
    return sign.format(users.get(named, named) if field.endswith("_id") else named)


def spoken(messages: Sequence[Message]) -> list[Message]:
    """What people said, in order, each in its last version: no joins and leaves, no bots, nothing that was deleted."""
    deleted = {text_of(m.get("deleted_ts")) for m in messages if m.get("subtype") == "message_deleted"} - {""}
    versions: dict[tuple[str, str], list[Message]] = {}
    for message in map(current, messages):
        if why_dropped(message) is None and str(message.get("ts")) not in deleted:
            versions.setdefault((text_of(message.get("user")), str(message.get("ts"))), []).append(message)
    return [message for same in versions.values() for message in _last(same)]


def _last(same: list[Message]) -> list[Message]:
    """Of several records of one message the last edit; where none was edited, those with other words."""
    edited = [message for message in same if _edited_at(message)]
    if edited:
        return [max(edited, key=lambda message: (_edited_at(message), text_of(message.get("text"))))]
    words = {
        (text_of(message.get("text")), str(message.get("files") or message.get("blocks"))): message for message in same
    }
    return list(words.values())


def _edited_at(message: Message) -> float:
    try:
        return float(dict_of(message.get("edited")).get("ts", 0))
    except (TypeError, ValueError):
        return 0.0


def current(message: Message) -> Message:
    """The message that the record of an edit is about, as it is since then; any other message itself.

    A comment on a file is what its author says; the text around it is the program's.
    """
    comment = dict_of(message.get("comment"))
    if message.get("subtype") == "file_comment" and text_of(comment.get("comment")):
        user = text_of(message.get("user")) or text_of(comment.get("user"))
        return {**message, "user": user, "text": comment["comment"]}
    inner = dict_of(message.get("message"))
    if message.get("subtype") != "message_changed" or not text_of(inner.get("ts")):
        return message
    return {"edited": {"ts": message.get("ts")}, **inner}


def why_dropped(message: Message) -> str | None:
    """Why a message is nobody's word: its subtype, or that a program wrote it; None when a person says it."""
    subtype = message.get("subtype")
    if not (subtype is None or isinstance(subtype, str)) or subtype not in _SPOKEN_SUBTYPES:
        return one_line(str(subtype), 40) or "unknown"
    if message.get("bot_id") and not message.get("client_msg_id"):
        return "bot_message"
    if message.get("user") == "USLACKBOT":
        return "bot_message"
    return "hidden" if message.get("hidden") else None


def count_dropped(messages: Sequence[Message]) -> dict[str, int]:
    """How many messages are nobody's word, by the reason."""
    reasons = Counter(reason for message in map(current, messages) if (reason := why_dropped(message)))
    return dict(sorted(reasons.items())[:50])


def name_in(record: object) -> str | None:
    """The name in a user's record or profile: the real one before the one that is shown."""
    names = (text_of(dict_of(record).get(key)) for key in ("real_name", "display_name", "name", "username"))
    return next(filter(None, map(one_line, names)), None)


def all_names(messages: Sequence[Message], users: Mapping[str, str]) -> dict[str, str]:
    """Names by user id: those of the export, and where it has none, those that the messages bring along."""
    names: dict[str, str] = {}
    for message in map(current, messages):
        name = name_in(message.get("user_profile"))
        user = text_of(message.get("user"))
        if user and name:
            names[user] = min(name, names.get(user, name))
    return names | dict(users)


def speaker_of(message: Message, users: Mapping[str, str]) -> str:
    """Who says a message: by name, else by the id, else unknown."""
    user = text_of(message.get("user"))
    if user in users:
        return users[user]
    named = name_in(message.get("user_profile")) or one_line(user)
    return named or one_line(text_of(message.get("username"))) or "unknown"


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
    day = read_day(document.name, document.stream.read())
    yield from read_channel(day.channel or document.channel, [day], document.users())


class DayFile(NamedTuple):
    """What one file of a channel holds: its day where its name is one, its messages, and a fault for each that is none.

    ``channel`` is the name of a channel that is one object; empty where it has none, and for days.
    """

    day: str
    messages: list[Message]
    errors: list[LineError]
    encoding: str
    guessed: bool
    channel: str


def read_channel(channel: str, days: Iterable[DayFile], users: Mapping[str, str]) -> Iterator[Found]:
    """All sources of a channel's days."""
    messages: list[tuple[Day, Message]] = []
    encodings: dict[str, bool] = {}
    for file in days:
        place = Day(file.day, team_of(file.messages))
        messages += [(place, message) for message in file.messages]
        encodings[file.encoding] = encodings.get(file.encoding, False) or file.guessed
        yield from file.errors
    provenance = {"encoding": ", ".join(sorted(encodings)), "encoding_guessed": any(encodings.values())}
    for raw in group(channel, messages, users):
        yield source_of(raw, provenance)


def read_day(name: str, data: bytes) -> DayFile:
    """The messages of one day's file; a message that is none is reported by its position."""
    decoded = decode_file(data)
    try:
        items = json.loads(decoded.text.lstrip("\ufeff"))
    except (ValueError, RecursionError) as error:
        raise SourceUnreadableError(f"{one_line(name)} is not JSON ({one_line(str(error), 120)}).") from None
    named = (text_of(items.get("name")), text_of(items.get("channel_id"))) if isinstance(items, dict) else ()
    items = _dumped(items) if isinstance(items, dict) else items
    if not isinstance(items, list):
        raise SourceUnreadableError(f"{one_line(name)} is not a list of Slack messages.")
    day = name[:10] if DAY_FILE.fullmatch(name) else ""
    file = DayFile(day, [], [], decoded.encoding, decoded.guessed, next((one_line(one) for one in named if one), ""))
    for position, item in enumerate(items, start=1):
        if isinstance(item, dict) and _ts(item):
            file.messages.append(item)
        else:
            file.errors.append(LineError(position, "The message was left out: it is no object with a ts."))
    return file


def _dumped(channel: Mapping[str, Any]) -> list[object] | None:
    """The messages of a channel that is one object, each with the replies that it holds."""
    messages = channel.get("messages")
    if not isinstance(messages, list):
        return None
    found: list[object] = []
    for message in messages:
        replies = (reply for key in _REPLIES for reply in list_of(dict_of(message).get(key)) if isinstance(reply, dict))
        found += [message, *(one for one in replies if "text" in one or one.get("type") == "message")]
    return found


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
    records = [item for item in map(dict_of, list_of(items)) if isinstance(item.get("id"), str)]
    named = ((item["id"], name_in(item.get("profile")) or name_in(item)) for item in records)
    return {user: name for user, name in named if name}


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
        now = current(message)
        root = _ts(message if message.get("thread_ts") else now, "thread_ts")
        root = root or (_ts(now) if now.get("reply_count") else "")
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
        now = current(message)
        for version in (message, now):
            named.update(MENTION.findall(text_of(version.get("text"))))
        named.add(text_of(now.get("user")))
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


def _ts(message: Message, name: str = "ts") -> str:
    value = message.get(name)
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
