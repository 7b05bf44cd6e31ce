"""What a Slack message says: its markup as plain text, its files as words, and the last version of it; pure."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from html import unescape
from typing import Any

from memory_assets.sources.cleaning import clean_text, one_line
from memory_assets.sources.formats.said import text_of

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
            if block.get("type") in _LINES or block.get("type") in _BESIDE:
                waiting.append("\n" if block["type"] in _LINES else " ")
            waiting += [block[key] for key in reversed(_SHOWN) if key in block]


def _with_ends(written: str, resolved: str) -> str:
    """Words with the space before and after them: the elements of a line follow each other without one."""
    return (" " if written[:1] == " " else "") + resolved + (" " if written[-1:] == " " else "")


def _named(block: Message, users: Mapping[str, str]) -> str:
    """What an element shows that names somebody or something instead of saying it; nothing for any other."""
    kind = block.get("type")
    if kind == "user" and text_of(block.get("user_id")):
        return "@" + users.get(block["user_id"], block["user_id"])
    if kind == "channel" and text_of(block.get("channel_id")):
        return "#" + users.get(block["channel_id"], block["channel_id"])
    if kind == "broadcast" and text_of(block.get("range")):
        return "@" + block["range"]
    if kind == "usergroup" and text_of(block.get("usergroup_id")):
        return "@" + users.get(block["usergroup_id"], block["usergroup_id"])
    if kind == "emoji" and text_of(block.get("name")):
        return f":{block['name']}:"
    return text_of(block.get("url")) if kind == "link" and not text_of(block.get("text")) else ""


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
    edited = message.get("edited")
    try:
        return float(edited.get("ts", 0)) if isinstance(edited, dict) else 0.0
    except (TypeError, ValueError):
        return 0.0


def current(message: Message) -> Message:
    """The message that the record of an edit is about, as it is since then; any other message itself.

    A comment on a file is what its author says; the text around it is the program's.
    """
    comment = message.get("comment")
    if message.get("subtype") == "file_comment" and isinstance(comment, dict) and text_of(comment.get("comment")):
        user = text_of(message.get("user")) or text_of(comment.get("user"))
        return {**message, "user": user, "text": comment["comment"]}
    inner = message.get("message")
    if message.get("subtype") != "message_changed" or not isinstance(inner, dict) or not text_of(inner.get("ts")):
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
    if not isinstance(record, dict):
        return None
    for key in ("real_name", "display_name", "name", "username"):
        if isinstance(record.get(key), str) and one_line(record[key]):
            return one_line(record[key])
    return None


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
