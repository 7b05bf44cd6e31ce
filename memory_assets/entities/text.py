"""Names and sentences in one form: pure text rules, so that one thing has one id however it is written.

The same rule serves people, concepts and entities (specification 004: lower-case, hyphenated).
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from email.utils import parseaddr
from functools import lru_cache

from memory_assets.entities.naming.records import Profile

LONGEST_NAME = 120
EXCERPT_LENGTH = 500

_ARTICLES = re.compile(r"^(?:the|an|a)\s+", re.IGNORECASE)
_SEPARATORS = re.compile(r"[\s_\-‐‑‒–—/]+")
_ASCII_CONTROLS = dict.fromkeys([*range(32), 127], " ")
_NAME_EDGES = " \t\"'`“”‘’«»()[]{}<>.,;:!?*#@-–—_/\\|~"


def clean(text: str) -> str:
    """Composed Unicode on one line: no control or invisible characters, no lone surrogates."""
    if text.isascii():  # most of it is: a fiftieth of the time, and long chats have millions of characters
        return " ".join(text.translate(_ASCII_CONTROLS).split())
    return _clean_any(text)


def _clean_any(text: str) -> str:
    whole = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    visible = (
        " " if unicodedata.category(c) in ("Cc", "Zl", "Zp") else c
        for c in unicodedata.normalize("NFC", whole)
        if unicodedata.category(c) != "Cf"
    )
    return " ".join("".join(visible).split())


def display_name(name: str) -> str:
    """A name as people see it: clean, without surrounding punctuation, article or possessive."""
    bare = clean(name).strip(_NAME_EDGES)
    name = _ARTICLES.sub("", bare)
    return (name[:-2] if name.lower().endswith(("'s", "’s")) else name).strip(_NAME_EDGES)


def canonical_name(name: str) -> str:
    """The name's one form: compatibility-composed, case-folded, hyphenated. Empty when nothing is left."""
    folded = unicodedata.normalize("NFKC", display_name(name)).casefold()
    return _SEPARATORS.sub("-", unicodedata.normalize("NFKC", folded)).strip("-")


def normalised(text: str) -> str:
    """The form by which two statements count as the same one: case and closing punctuation do not matter."""
    folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", clean(text)).casefold())
    return " ".join(folded.split()).rstrip(" .!…。")


@lru_cache(maxsize=8)
def _said(turn: str) -> tuple[str, str]:
    """A turn, clean and case-folded. Cached for its next statement: a turn of megabytes has thousands."""
    said = clean(turn)
    return said, said.casefold()


def excerpt(turn: str, statement: str) -> str:
    """The words of the source around a statement: the turn, or a window of it where the turn is long."""
    said, folded = _said(turn)
    if len(said) <= EXCERPT_LENGTH:
        return said
    found = folded.find(clean(statement).casefold()[:40])
    start = max(0, min(max(found, 0) - EXCERPT_LENGTH // 5, len(said) - EXCERPT_LENGTH))
    start = said.find(" ", start) + 1 if start and " " in said[start : start + 40] else start
    end = start + EXCERPT_LENGTH
    body = said[start:end] if end >= len(said) else said[start:end].rsplit(" ", 1)[0]
    return ("… " if start else "") + body + ("" if end >= len(said) else " …")


def speaker_of_profile(
    profile: Profile | None, speakers: Sequence[str], source_type: str, addresses: Sequence[str] = ()
) -> str | None:
    """The one of ``speakers`` whom the profile names; of several, the one it names first.

    ``addresses`` of a mail begin with its sender's, as "Name <address>".
    """
    if profile is None:
        return None
    if source_type == "email" and addresses:
        speakers = [speaker for speaker in speakers if canonical_name(speaker) == canonical_name(_sender(addresses[0]))]
        sender = parseaddr(addresses[0])[1].casefold()
        own = {text.casefold() for text in profile.names if "@" in text.strip("@")}
        if own:
            return speakers[0] if speakers and sender in own else None
    spelt: dict[str, str] = {}
    for speaker in sorted(speakers):
        spelt.setdefault(canonical_name(speaker), speaker)
    known = (spelt.get(canonical_name(text)) for text in profile.names)
    return next((speaker for speaker in known if speaker is not None), None)


def _sender(address: str) -> str:
    """How a mail's sender is called in it: by name, else by the first part of the address."""
    name, _, bare = address.rpartition(" <")
    return name or bare.partition("@")[0]


def recipient_of(addresses: Sequence[str]) -> str | None:
    """Whom a mail is for that goes from one to another, by the name in its header."""
    return addresses[1].rpartition(" <")[0] or None if len(addresses) == 2 else None


def owner_speaker(
    profile: Profile | None, speakers: Sequence[str], source_type: str, addresses: Sequence[str], by_role: str | None
) -> str | None:
    """The owner's speaker in a source. ``by_role``: the only speaker with role user, of the owner's own sources."""
    return speaker_of_profile(profile, speakers, source_type, addresses) or by_role


def writer_of(profile: Profile | None, source_type: str, *, is_own: bool) -> str | None:
    """Who is "I" in a source that nobody speaks in: of a note of the owner's own, the owner."""
    return profile.name if profile is not None and is_own and source_type == "note" else None
