"""E-mail: single messages (.eml) and mailboxes (mbox), each mail a source.

Raw content is JSON of the headers that say something, the text, the HTML and the attachments' names;
``reply_text`` decides later what of it the sender wrote.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from email import policy
from email.message import EmailMessage
from email.parser import BytesParser
from email.utils import getaddresses
from typing import BinaryIO

from memory_assets.clock import to_iso
from memory_assets.errors import SourceUnreadableError
from memory_assets.model import SourceType
from memory_assets.sources.cleaning import clean_text, normalise_newlines, one_line, paragraphs
from memory_assets.sources.dates import parse_mail_date
from memory_assets.sources.encoding import Decoded, decode_file, decode_head
from memory_assets.sources.formats.base import (
    MAX_STREAMED_FILE,
    MAX_WHOLE_FILE,
    Cleaned,
    Document,
    Format,
    Found,
    LineError,
    RawSource,
    number_turns,
)
from memory_assets.sources.formats.mail_parts import (
    MBOX_LINE,
    RAW_HEADER,
    bodies_of,
    members_of,
    split_mailbox,
    split_text,
    unquote,
)
from memory_assets.sources.formats.mail_quotes import Words
from memory_assets.sources.formats.mail_text import html_reply_words, is_forwarded, reply_words
from memory_assets.sources.formats.said import dict_of

MAX_BOUNDARIES = 100  # nested multiparts: the parser recurses, and a bomb has thousands
MAX_HEADER = 256 * 1024
LONGEST_HEADER = 65_536
"""Characters of a header that are read for addresses."""
MAX_ANCESTORS = 100
# A shorter text beside HTML only says that there is HTML.
SHORT_BODY = 20

# What travels with a mail and says something about it; the rest (Received, DKIM, X-…) is transport and
# differs between two copies of one mail.
HEADERS = (
    "From", "Sender", "Reply-To", "To", "Cc", "Bcc", "Date", "Subject", "Message-ID", "In-Reply-To",
    "References", "List-Id",
)  # fmt: skip
_CANONICAL = {name.lower(): name for name in HEADERS}
_KNOWN = frozenset(_CANONICAL) | {
    "received", "return-path", "delivered-to", "mime-version", "content-type", "content-transfer-encoding",
    "dkim-signature", "x-mailer", "x-original-to", "authentication-results", "user-agent", "status",
}  # fmt: skip
_HEADER_LINE = re.compile(r"^([!-9;-~]{1,76}):(?:[ \t]|$)")
# Apple's mails, one a file: the mail's length on a line above it, the program's notes below.
_EMLX = re.compile(rb"(\d{1,9})[ \t]*\r?\n(?=[!-9;-~]{1,76}:)")
_NOTES_BELOW = re.compile(rb"\s*(?:<\?xml|\Z)")
_NO_REPLY = re.compile(r"(?:^|[<\s])(?:no|do[-_.]?not)[-_.]?reply[^@\s]{0,60}@", re.IGNORECASE)
# In a newsletter's last lines; nobody's request or question, nor what is quoted.
_UNSUBSCRIBE = re.compile(r"(?!>|.*\b(?:i|me|my|us|you)\b|.*\?\s*$).{0,120}\bunsubscribe\b.{0,120}", re.IGNORECASE)
_LAST_LINES = 6
_ID = re.compile(r"<([^<>\s]{1,500})>")
# Nobody begins a note so: what is left of a mail's headers where only those of its content are left.
_BEGINS = re.compile(
    rb"(?:\xef\xbb\xbf)?[\r\n]*(?:MIME-Version:[^\n]{0,80}\n(?:[!-9;-~]{1,76}:[^\n]{0,900}\n(?:[ "
    rb"\t][^\n]{0,900}\n)*){0,5})?"
    rb"Content-Type:[ \t]*multipart/[^\n]{0,300}(?:\n[ \t][^\n]{0,300}){0,5}\bboundary",
    re.IGNORECASE,
)
# A line that is meant as a header, though its name has letters that no header's has.
_MEANT = re.compile(rb"[^\s:]{0,40}[\x80-\xff][^\s:]{0,40}:[ \t]")
_FOLDED = frozenset({b"subject", b"references", b"in-reply-to", b"message-id", b"content-type", b"received"})
_LONG_CONTENT_TYPE = re.compile(
    rb"^content-(?:type|disposition):[^\n]*(?:\n[ \t][^\n]*)*", re.IGNORECASE | re.MULTILINE
)


def sniff(head: bytes, name: str) -> float:
    """A block of mail headers at the very start, or a mailbox's ``From `` line before it."""
    if MBOX_LINE.match(head) and _header_names(decode_head(head.partition(b"\n")[2])):
        return 0.95
    counted = _EMLX.match(head)
    ends = counted.end() + int(counted[1]) if counted is not None else 0
    is_length = (
        ends >= len(head) or _NOTES_BELOW.match(head, ends) is not None
    )  # another number above headers is no length
    if counted is not None and is_length and len(_header_names(decode_head(head[counted.end() :])) & _KNOWN) >= 2:
        return 0.95
    names = _header_names(decode_head(head).lstrip("\ufeff\r\n"))
    if _BEGINS.match(head) or (names & _KNOWN and _is_named(name)):
        return 0.9
    known = len(names & _KNOWN)
    if known >= 2 and names & {"from", "received", "message-id", "return-path", "subject", "mime-version"}:
        return 0.95
    whole = _header_names(decode_head(_repaired(head.lstrip(b"\xef\xbb\xbf\r\n")))) & _KNOWN
    if names & _KNOWN and len(whole) >= 3 and "from" in whole:
        return 0.9
    return 0.6 if _is_named(name) else 0.0


def _is_named(name: str) -> bool:
    return name.lower().endswith((".eml", ".mbox", ".mbx"))


def _header_names(text: str) -> set[str]:
    names: set[str] = set()
    for line in text.replace("\r\n", "\n").split("\n"):
        match = _HEADER_LINE.match(line)
        if match:
            names.add(match[1].lower())
        elif not (line[:1] in (" ", "\t") and line.strip() and names):
            break
    return names


def _has_headers(text: str) -> bool:
    """Whether a mail's headers come first: a body can begin with "To: everybody" as well, but an empty
    line ends a single header, and several of them are no accident."""
    known = len(_header_names(text) & _KNOWN)
    rest = text.replace("\r\n", "\n").partition("\n")[2]
    while rest[:1] in (" ", "\t"):
        rest = rest.partition("\n")[2]
    return known >= 2 or (known == 1 and (not rest or rest.startswith("\n") or bool(_HEADER_LINE.match(rest))))


def read(document: Document) -> Iterator[Found]:
    """A source per mail. A file without headers is one body (asked for with ``--kind email``)."""
    head = document.stream.read(65_536)
    document.stream.seek(0)
    if MBOX_LINE.match(head):
        yield from _read_mailbox(document.stream)
        return
    if document.size > MAX_WHOLE_FILE:
        raise SourceUnreadableError("It is a single mail larger than 64 MB; save it without its attachments.")
    data = document.stream.read()
    counted = _EMLX.match(head)
    if counted is not None:
        ends = counted.end() + int(counted[1])
        data = data[counted.end() : ends if _NOTES_BELOW.match(data, ends) else len(data)]
        head = data[:65_536]
    text = decode_head(_repaired(head.lstrip(b"\xef\xbb\xbf\r\n")))
    if _has_headers(text) or (_is_named(document.name) and _header_names(text) & _KNOWN):
        yield from _parse_mails(data)
    else:
        yield _plain_body(data, document.name)


def _plain_body(data: bytes, name: str) -> RawSource:
    decoded = decode_file(data)
    body = normalise_newlines(decoded.text)
    if not body.strip():
        raise SourceUnreadableError("It holds no text.")
    return RawSource(
        source_type=SourceType.EMAIL,
        title=one_line(next(iter(paragraphs(body[:10_000])), name), 80),
        raw_content=json.dumps({"headers": {}, "body": body, "attachments": []}, ensure_ascii=False),
        provenance=decoded.provenance | {"headers": False},
    )


def _read_mailbox(stream: BinaryIO) -> Iterator[Found]:
    for line, data in split_mailbox(stream):
        if data is None:
            yield LineError(line, "The mail was left out: larger than 64 MB.")
            continue
        try:
            yield from _parse_mails(data)
        except SourceUnreadableError as error:
            yield LineError(line, f"The mail was left out: {error}")


def _repaired(data: bytes) -> bytes:
    """``data`` with a block of headers that goes on to its end: the standard parser ends it at a line that is none.

    Such a line is a continuation that lost its indentation, or litter; headers that follow it prove it.
    """
    ending = re.search(rb"\r?\n\r?\n", data[:MAX_HEADER])
    lines = data[: ending.start() if ending else 0].split(b"\n")
    headers = [bool(RAW_HEADER.match(line)) for line in lines]
    names = (line.partition(b":")[0].strip().lower().decode("ascii", "replace") for line in lines)
    last = max((n for n, name in enumerate(names) if name in _KNOWN and b":" in lines[n]), default=-1)
    broken = [n for n in range(1, last) if not headers[n] and lines[n][:1] not in (b" ", b"\t") and lines[n].strip()]
    if not broken or sum(headers) < 2 or len(broken) > sum(headers):
        return data
    name = b""
    for number, line in enumerate(lines):
        if headers[number]:
            name = line.partition(b":")[0].strip().lower()
        elif number in broken:
            goes_on = (name in _FOLDED or b"@" in line) and not _MEANT.match(line)
            lines[number] = (b" " if goes_on else b"X-Unknown: ") + line
    return b"\n".join(lines) + data[ending.start() if ending else 0 :]


def _parse_mails(data: bytes) -> Iterator[RawSource]:
    """A mail, and where it is a list's digest, each of the mails in it."""
    source, members = _parse_mail(data)
    yield source
    for member in members:
        try:
            inner, _ = _parse_mail(member)
        except SourceUnreadableError:
            continue  # one of many: the digest itself names it
        yield replace(inner, provenance={**inner.provenance, "digest": source.title})


def _parse_mail(data: bytes) -> tuple[RawSource, list[bytes]]:
    """A mail, and the mails of the digest that it is."""
    _refuse_bombs(data)
    data = _repaired(data.lstrip(b"\xef\xbb\xbf\r\n"))
    try:
        mail = BytesParser(_class=EmailMessage, policy=policy.default).parsebytes(data)
        bodies = bodies_of(mail)
        members = list(members_of(mail))
    except RecursionError:
        raise SourceUnreadableError("Its parts are nested too deeply; it looks like a mail bomb.") from None
    headers = _headers(mail)
    body, html = _joined(bodies.texts), _joined(bodies.htmls)
    preamble, in_text = split_text(headers.get("Subject", ""), body)
    raw: dict[str, object] = {"headers": headers, "body": preamble, "attachments": bodies.attachments}
    if in_text:
        raw["digest"] = body[len(preamble) :]
        members += in_text
    if html:
        raw["html"] = html
    if html and body and bodies.html_is_more:
        raw["html_is_more"] = True
    sender, people = _people(headers)
    references, answered = _ids(headers, "References"), _ids(headers, "In-Reply-To")
    own = next(iter(_ids(headers, "Message-ID")), None)
    parents = [name for name in (*answered[:1], *reversed(references), *answered[1:]) if name != own]
    ancestors = tuple(dict.fromkeys(parents))[:MAX_ANCESTORS]
    thread = references or answered
    parts = (*bodies.texts, *bodies.htmls)
    encodings = sorted({part.encoding for part in parts})
    provenance: dict[str, object] = {
        "encoding": ", ".join(encodings) or "ascii",
        "encoding_guessed": any(part.guessed for part in parts),
    }
    if bodies.attachments:
        provenance["attachments"] = bodies.attachments
    if _is_bulk(mail, headers, body):
        provenance["bulk"] = True
    source = RawSource(
        source_type=SourceType.EMAIL,
        title=one_line(headers.get("Subject", "")) or (f"E-mail from {sender}" if sender else "E-mail"),
        raw_content=json.dumps(raw, ensure_ascii=False),
        started_at=parse_mail_date(headers.get("Date", "")),
        participants=tuple(people),
        message_id=own,
        in_reply_to=ancestors[0] if ancestors else None,
        ancestors=ancestors[1:],
        thread_id=thread[0] if thread else own,
        provenance=provenance,
    )
    return source, members


def _refuse_bombs(data: bytes) -> None:
    boundaries = len(re.findall(rb"\bboundary\s*+\*?[0-9]*+\*?\s*+=", data, re.IGNORECASE))
    if boundaries > MAX_BOUNDARIES:
        raise SourceUnreadableError(
            f"It nests {boundaries} multiparts and {MAX_BOUNDARIES} is the most that is read; "
            "it looks like a mail bomb."
        )
    if any(len(match[0]) > 8_192 for match in _LONG_CONTENT_TYPE.finditer(data)):
        raise SourceUnreadableError("A Content-Type header is longer than 8 kB; it looks like a mail bomb.")


def _joined(parts: list[Decoded]) -> str:
    return "\n\n".join(normalise_newlines(part.text).strip("\n") for part in parts)


def _headers(mail: EmailMessage) -> dict[str, str]:
    """The first of each known header, decoded (RFC 2047)."""
    found: dict[str, str] = {}
    for name, value in mail.raw_items():
        canonical = _CANONICAL.get(name.lower())
        if canonical and canonical not in found:
            found[canonical] = unquote(str(value)[:MAX_HEADER])
    return {name: found[name] for name in HEADERS if name in found}


def _is_bulk(mail: EmailMessage, headers: dict[str, str], text: str) -> bool:
    """Whether a machine sends it, to many or by itself: newsletters, receipts, passwords (RFC 2369, 2076, 3834). No
    mail to a list where people write to each other.
    """
    automatic = re.split(r"[;(]", str(mail.get("Auto-Submitted", "")))[0].strip().lower() not in {"", "no"}
    if automatic or _NO_REPLY.search(headers.get("From", "")):
        return True
    if headers.get("In-Reply-To") or "List-Post" in mail or is_forwarded(headers.get("Subject", "")):
        return False
    precedence = str(mail.get("Precedence", "")).strip().lower()
    last = text.rstrip().split("\n")[-_LAST_LINES:]
    return "List-Unsubscribe" in mail or precedence in {"bulk", "junk"} or any(map(_UNSUBSCRIBE.fullmatch, last))


def _people(headers: Mapping[str, object]) -> tuple[str | None, list[str]]:
    """The sender's name, and the names of all in From, To and Cc, sorted."""
    sender: str | None = None
    people: set[str] = set()
    for header, name, address in addresses_in(headers):
        if label := one_line(name) or one_line(address.partition("@")[0]):
            people.add(label)
            sender = sender or (label if header == "From" else None)
    return sender, sorted(people)


def addresses_in(headers: Mapping[str, object]) -> Iterator[tuple[str, str, str]]:
    """The header, the name and the address of everybody in From, To and Cc, in that order."""
    for header in ("From", "To", "Cc"):
        try:
            found = getaddresses([str(headers.get(header, ""))[:LONGEST_HEADER]])
        except Exception:  # noqa: BLE001 - the standard parser raises all kinds of errors on hostile headers
            continue
        yield from ((header, name.strip("'\" "), address) for name, address in found[:500])


def _ids(headers: dict[str, str], name: str) -> list[str]:
    return _ID.findall(headers.get(name, ""))


def clean(raw_content: str) -> Cleaned:
    """What the sender wrote: without quoted replies, signature and disclaimer, HTML as text.

    Where there is only what others wrote, as in a forwarded mail, it is theirs: of whom its heading names, or nobody's.
    """
    try:
        raw = json.loads(raw_content)
    except (ValueError, RecursionError):
        raw = {"body": raw_content}
    if not isinstance(raw, dict):
        raw = {"body": raw_content}
    headers = dict_of(raw.get("headers"))
    body = str(raw.get("body") or "")
    html = str(raw.get("html") or "")
    forwarded = is_forwarded(str(headers.get("Subject") or ""))
    if html and raw.get("html_is_more"):
        words = reply_words(clean_text(body), forwarded=forwarded)
        goes_on = html_reply_words(html)
        words += [part._replace(is_own=False) for part in goes_on] if forwarded else goes_on
    elif html and len(clean_text(body)) < SHORT_BODY:
        words = html_reply_words(html, forwarded=forwarded)
        words = words if any(part.text for part in words) else reply_words(clean_text(body), forwarded=forwarded)
    else:
        words = reply_words(clean_text(body), forwarded=forwarded)
    sender, _ = _people(headers)
    at = to_iso(parse_mail_date(str(headers.get("Date", ""))))
    return number_turns((_speaker(part, sender), text.strip(), at) for part in words for text in paragraphs(part.text))


def _speaker(words: Words, sender: str | None) -> str | None:
    """Who says words of a mail. A heading never makes them its sender's, nor names anybody where no sender is named."""
    if words.is_own or sender is None:
        return sender if words.is_own else None
    return words.writer if words.writer and words.writer.casefold() != sender.casefold() else None


FORMAT = Format(SourceType.EMAIL, MAX_STREAMED_FILE, sniff, read, clean)
