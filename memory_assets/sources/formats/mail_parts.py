"""The mails of a mailbox, the mails of a digest, and of each mail the parts that are its own text.

A mailbox (mbox in its dialects) is read as a stream that holds one mail. A digest is a ``multipart/digest`` (RFC
2046, 5.1.5), or plain text (RFC 1153): a preamble, a line of 70 hyphens, and mails with their headers, 30 hyphens
between them.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Iterator
from contextlib import suppress
from copy import copy
from email import policy
from email.header import decode_header
from email.message import EmailMessage, Message, MIMEPart
from email.parser import BytesParser
from typing import BinaryIO
from zipfile import ZipExtFile

from memory_assets.errors import SourceUnreadableError
from memory_assets.sources.cleaning import one_line
from memory_assets.sources.encoding import Decoded, decode
from memory_assets.sources.formats.base import MAX_WHOLE_FILE, MEGABYTE

MBOX_LINE = re.compile(rb"^From \S+ +\S.*\d{4}|^From (?=\S+@\S)\S++\s*+$|^From - |^From ?\r?$")
# A line that a mailbox's program has written beyond doubt: with weekday, day and hour.
_MBOX_STAMP = re.compile(
    rb"^From .{0,200}\b[A-Z][a-z]{2} [A-Z][a-z]{2} +\d{1,2} +\d{1,2}:\d{2}(?::\d{2})?\b.{0,20}\d{4}\s*$"
)
_LENGTH = re.compile(rb"^content-length:[ \t]*(\d{1,10})[ \t]*\r?$", re.IGNORECASE)
RAW_HEADER = re.compile(rb"[!-9;-~]{1,76}[ \t]*:")


def split_mailbox(stream: BinaryIO) -> Iterator[tuple[int, bytes | None]]:
    """Each mail's first line number and bytes (None when too large), with mboxrd's quoting undone.

    Headers follow the line between two mails: a sentence that begins with "From" is none. Where a mail states its
    length (mboxcl) and another one, or the end, is there, nothing before it is looked at; an archive's stream
    cannot go back for it.
    """
    start, number, size, blank = 1, 0, 0, True
    lines: list[bytes] = []
    length, in_headers, until = 0, True, 0
    place, following = 0, stream.readline(MEGABYTE)
    while line := following:
        number += 1
        place += len(line)
        following = stream.readline(MEGABYTE)
        if (
            place > until
            and line.startswith(b"From")
            and MBOX_LINE.match(line)
            and _is_between(line, following, blank=blank)
        ):
            if size:
                yield start, b"".join(lines) if size <= MAX_WHOLE_FILE else None
            start, size, lines = number + 1, 0, []
            blank, length, in_headers = False, 0, True
            continue
        if in_headers:
            stated = _LENGTH.match(line.rstrip(b"\n"))
            length = int(stated[1]) if stated else length
            in_headers = bool(line.strip())
            if not in_headers and length and not isinstance(stream, ZipExtFile) and _ends_at(stream, place + length):
                until = place + length
        size += len(line)
        if size <= MAX_WHOLE_FILE:
            lines.append(line[1:] if re.match(rb">+From ", line) else line)
        blank = line in (b"\n", b"\r\n")
    if size:
        yield start, b"".join(lines) if size <= MAX_WHOLE_FILE else None


def _is_between(line: bytes, following: bytes, *, blank: bool) -> bool:
    """Whether a line is between two mails: two of an empty line above, a stamp in it, headers below."""
    headers = RAW_HEADER.match(following) is not None or following.startswith(b">From ")
    stamped = _MBOX_STAMP.match(line) is not None
    return blank + stamped + headers >= 2


def _ends_at(stream: BinaryIO, place: int) -> bool:
    """Whether a mailbox goes on with another mail here, or ends."""
    now = stream.tell()
    stream.seek(place - 1)
    is_there = bool(stream.read(1))
    rest = stream.read(400).lstrip(b"\r\n")
    ends = is_there and (not rest or MBOX_LINE.match(rest.partition(b"\n")[0] + b"\n") is not None)
    stream.seek(now)
    return ends


MAX_PARTS = 500
MAX_BODY = 8 * MEGABYTE
# Other text (an invitation, a card, a patch) is attached to a mail, however it is marked.
BODY_KINDS = frozenset({"text/plain", "text/html", "text/enriched", "text/richtext", "text/markdown", "text"})
_BOUNDARY = re.compile(
    r"^--(?!-*\r?$)([^\s\"][^\n\r\"]{0,68}[^\s\"])[ \t]*\r?\n(?=Content-[A-Za-z-]{1,40}:)", re.MULTILINE | re.IGNORECASE
)
_Q_WORD = re.compile(r"=\?[^?\s]{1,60}\?[qQ]\?[^?\n]{0,900}\?=")
_RAW = re.compile("[\\udc80-\\udcff]")
_TYPE = re.compile(r"[\w.+-]+/[\w.+-]+")
_BASE64_LINE = re.compile(rb"[A-Za-z0-9+/]+={0,2}")
# A greeting's one word is base64, too.
MIN_BASE64 = 16


class Bodies:
    """A mail's own text, in order of its parts; what is attached is named only.

    ``html_is_more``: some HTML is no other form of the text beside it, but goes on where that ends.
    """

    def __init__(self) -> None:
        self.texts: list[Decoded] = []
        self.htmls: list[Decoded] = []
        self.attachments: list[str] = []
        self.html_is_more = False
        self._parts = 0
        # The first text that has a file's name and isn't marked as attached, and whether there is one without a name.
        self._named: tuple[str, str, Decoded] | None = None
        self._unnamed = False

    def take(self, part: MIMEPart, *, is_alternative: bool = False) -> None:
        """A part and all that it holds, but nothing of the mails that are attached to it."""
        self._parts += 1
        if self._parts > MAX_PARTS:
            raise SourceUnreadableError(f"It has more than {MAX_PARTS} parts; it looks like a mail bomb.")
        kind = safely(part.get_content_type) or "application/octet-stream"
        if not _TYPE.fullmatch(kind):
            kind = "text/plain"  # what RFC 2045 says of a type that is none
        if kind.startswith("message/") and (part.is_multipart() or kind != "message/rfc822"):
            self.attachments.append(_name_of_message(part, kind))
            return
        if part.is_multipart() and kind == "multipart/digest":
            self.attachments += [_name_of_message(child, kind) for child in part.iter_parts()][:MAX_PARTS]
            return
        is_whole = part.is_multipart() or not kind.startswith("multipart/")
        inside = part if is_whole else _by_its_lines(part)
        if inside is None:
            kind = "text/plain"  # its boundary is missing or wrong: what it holds is read as text
        elif inside.is_multipart():
            for child in inside.iter_parts():
                self.take(child, is_alternative=is_alternative or kind == "multipart/alternative")
            return
        self._take_leaf(part, kind, is_alternative)

    def _take_leaf(self, part: MIMEPart, kind: str, is_alternative: bool) -> None:
        filename = safely(part.get_filename)
        if filename or safely(part.get_content_disposition) == "attachment" or kind not in BODY_KINDS:
            self.attachments.append(one_line(unquote(str(filename or kind))))
            shown = kind in ("text/plain", "text/html") and safely(part.get_content_disposition) != "attachment"
            if shown and self._named is None and len(_payload(part)[0]) <= MAX_BODY:
                self._named = (self.attachments[-1], kind, decode(_payload(part)[0], safely(part.get_content_charset)))
            return
        self._unnamed = True
        charset = safely(part.get_content_charset)
        payload, below = _payload(part)
        if len(payload) + len(below) > MAX_BODY:
            raise SourceUnreadableError(f"Its text is larger than {MAX_BODY // MEGABYTE} MB; save the text as files.")
        for written, declared in ((payload, charset), (below, None)):
            if not written.strip():
                continue
            if kind == "text/html":
                self.htmls.append(decode(written, declared))
                self.html_is_more = self.html_is_more or not is_alternative
            else:
                self.texts.append(decode(written, declared))

    def finish(self) -> None:
        """Take the text with a file's name as the mail's own, where it is the only one and not marked as attached."""
        if self._named is None or self._unnamed:
            return
        name, kind, text = self._named
        if text.text.strip():
            (self.htmls if kind == "text/html" else self.texts).append(text)
            self.attachments.remove(name)


def _by_its_lines(part: MIMEPart) -> EmailMessage | None:
    """A multipart whose boundary is wrong or missing, by the first line that can be one; None without such a line."""
    payload = safely(part.get_payload) or ""
    found = _BOUNDARY.search(payload)
    if found is None:
        return None
    head = f'Content-Type: multipart/mixed; boundary="{found[1]}"\n\n'
    again = BytesParser(_class=EmailMessage, policy=policy.default).parsebytes(
        (head + payload).encode("utf-8", "surrogateescape")
    )
    return again if again.is_multipart() else None


def _payload(part: MIMEPart) -> tuple[bytes, bytes]:
    """A part's bytes, and those that are unencoded below its base64, as mailing lists add their footers.

    The standard decoder drops what is no base64 and makes garbage of the rest: such a text is split, and one that
    is no base64 at all is taken as it is.
    """
    payload = part.get_payload(decode=True)
    if not isinstance(payload, bytes):
        return b"", b""
    if (safely(lambda: part.get("Content-Transfer-Encoding")) or "").strip().lower() != "base64":
        return payload, b""
    undecoded = copy(part)
    del undecoded["Content-Transfer-Encoding"]
    written = undecoded.get_payload(decode=True)
    lines = [line.strip() for line in written.splitlines()] if isinstance(written, bytes) else []
    lines = [line for line in lines if line]
    count = next((n for n, line in enumerate(lines) if not _BASE64_LINE.fullmatch(line)), len(lines))
    shorter = next(
        (n for n, line in enumerate(lines[:count], 1) if len(line) < len(lines[0]) or line[-1:] == b"="), count
    )
    for until in dict.fromkeys((len(lines), shorter)):
        encoded = b"".join(lines[:until])
        is_sure = until == len(lines) or len(encoded) >= MIN_BASE64 or encoded.endswith(b"=")
        if is_sure and (decoded := _from_base64(encoded)) is not None:
            return decoded, b"\n".join(lines[until:])
    return (written if isinstance(written, bytes) else payload), b""


def _from_base64(text: bytes) -> bytes | None:
    """Base64 decoded, without its padding as well; None for what is none."""
    bare = text.rstrip(b"=")
    try:
        return base64.b64decode(bare + b"=" * (-len(bare) % 4), validate=True)
    except ValueError:
        return None


def bodies_of(mail: EmailMessage) -> Bodies:
    """A mail's own text and the names of what is attached."""
    bodies = Bodies()
    bodies.take(mail)
    bodies.finish()
    return bodies


def _name_of_message(part: MIMEPart, kind: str) -> str:
    """An attached mail by its file's name or its subject."""
    inside = next(part.iter_parts(), None)
    subject = safely(lambda: inside.get("Subject")) if inside is not None else None
    return one_line(unquote(str(safely(part.get_filename) or subject or kind)))


def safely(get: object) -> str | None:
    """A header's value; the standard parser raises all kinds of errors on hostile ones."""
    try:
        value = get()  # type: ignore[operator]
    except Exception:  # noqa: BLE001
        return None
    return None if value is None else str(value)


def unquote(value: str) -> str:
    """A header's value decoded (RFC 2047), on one line; unchanged where that is broken."""
    line = re.sub(r"\r?\n[ \t]*", " ", value)
    # Raw bytes inside of encoded words as those would write them: the standard decoder loses them.
    escaped = _Q_WORD.sub(lambda word: _RAW.sub(lambda byte: f"={ord(byte[0]) - 0xDC00:02X}", word[0]), line)
    try:
        pieces = decode_header(escaped) if "=?" in value else [(value, None)]
    except Exception:  # noqa: BLE001 - broken base64 and the like: show the header as it is
        pieces = [(value, None)]
    return re.sub(r"\s+", " ", "".join(_decoded(*piece) for piece in pieces)).strip()


def _decoded(piece: str | bytes, charset: str | None) -> str:
    """A piece of a header; one that holds bytes that nothing encoded, or Japanese in seven bits, as those."""
    if isinstance(piece, str):
        if not _RAW.search(piece) and "\x1b$" not in piece:
            return piece
        piece = piece.encode("utf-8", "surrogateescape")
    return decode(piece, charset).text


_PREAMBLE_ENDS = re.compile(r"^-{70}[ \t]*$", re.MULTILINE)
_BETWEEN = re.compile(r"^-{30}[ \t]*$", re.MULTILINE)
_FOOTER = re.compile(r"\s*(?:\Z|Subject: Digest Footer|End of )", re.IGNORECASE)
_NUMBER = re.compile(r"Message: \d{1,4}[ \t]*\n")
_MEMBER_HEADER = re.compile(r"(?P<name>[A-Za-z][A-Za-z-]{0,40}):[ \t]?[^\n]*(?:\n[ \t][^\n]*)*\n?")
# A mail of a digest is text of the digest's own encoding, whatever its own headers say.
_OF_THE_DIGEST = re.compile(r"content-|mime-version", re.IGNORECASE)


def members_of(mail: Message) -> Iterator[bytes]:
    """The mails of each ``multipart/digest`` of a mail, as bytes; nothing of the mails that are attached to it."""
    kind = safely(mail.get_content_type) or ""
    if kind.startswith("message/") or not mail.is_multipart():
        return
    for number, child in enumerate(mail.get_payload()):
        if number >= MAX_PARTS or not isinstance(child, Message):
            return
        if kind != "multipart/digest":
            yield from members_of(child)
            continue
        inner = child.get_payload(0) if child.is_multipart() else None
        if isinstance(inner, EmailMessage):
            with suppress(Exception):  # the standard library raises many kinds of errors on headers that are none
                yield inner.as_bytes()


def split_text(subject: str, body: str) -> tuple[str, list[bytes]]:
    """The preamble of a digest that is plain text, and its mails; the whole body and none where it is no digest."""
    ending = _PREAMBLE_ENDS.search(body)
    if ending is None or "digest" not in f"{subject}\n{body[: ending.start()]}".lower():
        return body, []
    found: list[bytes] = []
    for part in _BETWEEN.split(body[ending.end() :])[:MAX_PARTS]:
        mail = _mail_of(part)
        if mail is not None:
            found.append(mail)
        elif found and not _FOOTER.match(part):  # a mail can draw such a line, too
            found[-1] += f"{'-' * 30}\n{part.strip()}\n".encode("utf-8", "replace")
    return (body[: ending.start()].rstrip(), found) if found else (body, [])


def _mail_of(part: str) -> bytes | None:
    """A mail of a digest with its headers; None for the list's footer, or what else is no mail."""
    rest = part.lstrip("\n")
    rest = rest[number.end() :] if (number := _NUMBER.match(rest)) else rest
    headers: list[str] = []
    names: set[str] = set()
    while header := _MEMBER_HEADER.match(rest):
        rest = rest[header.end() :]
        names.add(header["name"].lower())
        if not _OF_THE_DIGEST.match(header["name"]):
            headers.append(header[0].rstrip("\n"))
    if "from" not in names or not names & {"date", "subject"} or (rest and not rest.startswith("\n")):
        return None
    headers.append("Content-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: 8bit")
    return ("\n".join(headers) + "\n\n" + rest.strip("\n") + "\n").encode("utf-8", "replace")
