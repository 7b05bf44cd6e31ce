"""Digests of mailing lists: the mails that stand in one, as mails of their own; pure.

A digest is a ``multipart/digest`` (RFC 2046, 5.1.5), or plain text (RFC 1153): a preamble, a line of 70 hyphens, and
mails with their headers, 30 hyphens between them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from email.message import EmailMessage, Message

from memory_assets.sources.formats.mail_parts import MAX_PARTS, safely

_PREAMBLE_ENDS = re.compile(r"^-{70}[ \t]*$", re.MULTILINE)
_BETWEEN = re.compile(r"^-{30}[ \t]*$", re.MULTILINE)
_FOOTER = re.compile(r"\s*(?:\Z|Subject: Digest Footer|End of )", re.IGNORECASE)
_NUMBER = re.compile(r"Message: \d{1,4}[ \t]*\n")
_HEADER = re.compile(r"(?P<name>[A-Za-z][A-Za-z-]{0,40}):[ \t]?[^\n]*(?:\n[ \t][^\n]*)*\n?")
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
            written = _as_bytes(inner)
            if written is not None:
                yield written


def _as_bytes(mail: EmailMessage) -> bytes | None:
    try:
        return mail.as_bytes()
    except Exception:  # noqa: BLE001 - the standard library raises many kinds of errors on headers that are none
        return None


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
    while header := _HEADER.match(rest):
        rest = rest[header.end() :]
        names.add(header["name"].lower())
        if not _OF_THE_DIGEST.match(header["name"]):
            headers.append(header[0].rstrip("\n"))
    if "from" not in names or not names & {"date", "subject"} or (rest and not rest.startswith("\n")):
        return None
    headers.append("Content-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: 8bit")
    return ("\n".join(headers) + "\n\n" + rest.strip("\n") + "\n").encode("utf-8", "replace")
