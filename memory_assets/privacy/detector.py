"""Every secret in a text: where it is and of what kind it is. Deterministic, offline, without a model.

Not found: secrets that are split over turns, keys without a name or a shape of their own (entropy alone hits checksums,
commits and identifiers), passwords that look like ordinary words within a longer sentence.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Iterator

from memory_assets.privacy.languages import find_in_languages
from memory_assets.privacy.phrased import find_phrased
from memory_assets.privacy.spoken import find_spoken
from memory_assets.privacy.structured import find_structured
from memory_assets.privacy.tokens import KINDS, PASSWORD, Span, find_cards, find_tokens, find_wallets

VERSION = 5
"""Raise it when other things are found: files are then read again."""

MASK = re.compile(rf"\[masked: (?:{'|'.join(KINDS)})\]")

# The password of an address with a login (RFC 3986, 3.2.1); one with a slash in it only where it can be nothing else.
_LOGIN = re.compile(
    r"[A-Za-z][A-Za-z0-9+.-]{1,20}://[^\s:/@\"'<>\[\]]{0,100}:(?P<value>[^\s/\"'<>\[\]]{1,200})@(?=[\w.\[%{$-])"
    r"|(?:postgres(?:ql)?|mysql|mariadb|mongodb|rediss?|amqps?|mssql|oracle|ftp|smb)(?:\+\w+)?://[^\s:/@\"'<>]{0,100}:"
    r"(?P<other>[^\s\"'<>\[\]]{1,200})@(?=[\w.-]+(?:[:/\s,]|\Z))"
)
_ENCODED = re.compile(r"(?<![A-Za-z0-9+/_-])(?:[A-Za-z0-9+/_-]{16,}(?:\r?\n[ \t>]*)?)+={0,2}")
_TAG = re.compile(r"<[^<>]{1,2000}>")
_CAPTION = re.compile(r"(?m)^(?:[ \t]*\d{1,9}[ \t]*\n)?[ \t]*\d{1,3}:\d{2}.{0,20}-->.*$")
MAX_DECODED = 200_000


def find_secrets(text: str) -> list[Span]:
    """The secrets in ``text`` in order, none overlapping another, none within a mask."""
    found = list(_find_all(text))
    if (shadow := _shadow(text)) != text:  # what a reader sees: tags and caption times are no part of a sentence
        found += _find_all(shadow)
    masks = [match.span() for match in MASK.finditer(text)] if "[masked: " in text else []
    return _disjoint([span for span in found if not _touches(span, masks)])


def _find_all(text: str) -> Iterator[Span]:
    low = text.lower()
    if len(low) != len(text):  # a few letters grow in lower case
        low = "".join(c if len(c.lower()) != 1 else c.lower() for c in text)
    yield from find_tokens(text, low)
    yield from find_spoken(text, low)
    yield from find_phrased(text, low)
    yield from find_structured(text, low)
    yield from find_in_languages(text, low)
    yield from find_cards(text)
    yield from find_wallets(text)
    if "://" in low:
        for match in _LOGIN.finditer(text):
            group = "value" if match["value"] else "other"
            if match[group].strip("*xX.•") and not re.fullmatch(r"[$%]?[({<].*|\$[A-Z_]+|%\w", match[group]):
                yield Span(*match.span(group), PASSWORD)
    yield from _find_encoded(text)


def _find_encoded(text: str) -> Iterator[Span]:
    """Base64 that reads as text with a secret in it: the whole of it is masked."""
    for match in _ENCODED.finditer(text):
        decoded = _decode(match[0])
        if decoded:
            low = decoded.lower()
            inner = [*find_tokens(decoded, low), *find_spoken(decoded, low), *find_cards(decoded)]
            if inner:
                yield Span(match.start(), match.end(), min(inner).kind)


def _decode(encoded: str) -> str | None:
    """Base64 as text, or None: nearly every picture is ruled out by its first bytes."""
    letters = re.sub(r"[\s>]+", "", encoded[:MAX_DECODED]).rstrip("=").translate({45: "+", 95: "/"})
    try:
        head = base64.b64decode(letters[:24])
        if not all(32 <= byte < 127 or byte in b"\t\n\r" for byte in head):
            return None
        whole = base64.b64decode(letters + "=" * (-len(letters) % 4)).decode("utf-8")
    except (ValueError, binascii.Error):
        return None
    return whole


def _shadow(text: str) -> str:
    """The text of the same length without tags and caption times."""

    def blank(match: re.Match[str]) -> str:
        return re.sub(r"[^\n]", " ", match[0])

    return _TAG.sub(blank, _CAPTION.sub(blank, text) if "-->" in text else text)


def _touches(span: Span, masks: list[tuple[int, int]]) -> bool:
    """Whether a span begins or ends within a mask, or is one; it may hold a whole one."""
    return any(start <= span.start < end or start < span.end <= end for start, end in masks)


def _disjoint(spans: list[Span]) -> list[Span]:
    """Of spans that overlap one remains, over all of them; its kind is that of the longest."""
    merged: list[Span] = []
    longest = 0
    for span in sorted(set(spans), key=lambda s: (s.start, -s.end, s.kind)):
        if merged and span.start < merged[-1].end:
            last = merged[-1]
            size = span.end - span.start
            kind = span.kind if size > longest else last.kind
            merged[-1] = Span(last.start, max(last.end, span.end), kind)
            longest = max(longest, size)
        else:
            merged.append(span)
            longest = span.end - span.start
    return merged
