"""A source as it may be stored: its secrets masked, its personal data counted, its sensitivity said. Pure.

One place for all kinds: what a reader found goes through :func:`masked` before it has an identity, a row or a hash.
"""

from __future__ import annotations

import html
import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from memory_assets.model import SourceType
from memory_assets.privacy import masking
from memory_assets.privacy.detector import find_secrets
from memory_assets.privacy.personal import count_personal, personal_json, read_personal
from memory_assets.sources.formats.base import RawSource
from memory_assets.sources.formats.mail_text import html_to_text

# A mail's own id looks like an address, and is nobody's.
_MESSAGE_ID = re.compile(r"(?:<[^<>\s]+>\s*)+")
# The texts that say of a source what it is: people's names and secrets may be in each.
NAMED = (
    "title",
    "owner_speaker",
    "message_id",
    "in_reply_to",
    "thread_id",
    "conversation_id",
    "channel",
    "project",
    "folder",
)


def masked(source: RawSource) -> RawSource:
    """The source without its secrets; the same object where there are none.

    A value that was found once is masked wherever else it is in the source; a title that cuts it short, too. Not in
    a source that can still grow: what is masked in it may not depend on which part of it was read first.
    """
    known: dict[str, str] = {}
    raw = masking.mask_raw(source.raw_content, known)
    if source.source_type is SourceType.EMAIL:
        raw = _readable_mail(raw, known)
    if source.key is None and known:
        raw = masking.mask_known(raw, known)
    changes: dict[str, Any] = {"raw_content": raw}
    for name in NAMED:
        value = getattr(source, name)
        changes[name] = None if value is None else masking.mask_label(value, known)
    people = {masking.mask_label(name, known) for name in source.participants}
    changes["participants"] = source.participants if people == {*source.participants} else tuple(sorted(people))
    changes["provenance"] = {
        key: masking.mask_label(value, known) if isinstance(value, str) else value
        for key, value in source.provenance.items()
    }
    without = replace(source, **changes)
    return source if without == source else without


def privacy_properties(raw_content: str, participants: list[str]) -> dict[str, Any]:
    """What the graph knows of a source's masks and personal data: a function of what is stored of it."""
    masks = masking.list_masks(raw_content, {"participants": participants})
    return {
        "masked": json.dumps([mask._asdict() for mask in masks], ensure_ascii=False),
        "masked_count": sum(mask.count for mask in masks),
        "personal_data": personal_json(count_personal_in(raw_content)),
    }


def count_personal_in(raw_content: str) -> Counter[str]:
    """Personal data in a raw content; in JSON in its string values alone, because numbers there are times and ids."""
    if not masking.looks_like_json(raw_content):
        return count_personal(raw_content)
    found: Counter[str] = Counter()
    for value in masking.string_values(raw_content):
        if not _MESSAGE_ID.fullmatch(value):
            found += count_personal(value)
    return found


def summed(rows: Iterable[Mapping[str, Any]]) -> tuple[Counter[str], Counter[str]]:
    """Masks and personal data by kind, over rows of ``masked``, ``personal_data``, ``title`` and ``path``."""
    masks: Counter[str] = Counter()
    personal: Counter[str] = Counter()
    for row in rows:
        masks += masking.count_masks(row["masked"])
        for mask in masking.list_masks("", {"title": row["title"]}):
            masks[mask.kind] += mask.count if not row["masked_count"] else 0
        personal += read_personal(row["personal_data"])
    return masks, personal


def _readable_mail(raw_content: str, known: dict[str, str]) -> str:
    """HTML in which a secret is only visible when it is rendered becomes its rendered text, masked."""
    try:
        mail = json.loads(raw_content)
        page = mail.get("html")
    except (ValueError, AttributeError, RecursionError):
        return raw_content
    if not isinstance(page, str) or not find_secrets(text := html_to_text(page)):
        return raw_content
    mail["html"] = f"<pre>{html.escape(masking.mask_text(text, known), quote=False)}</pre>"
    return json.dumps(mail, ensure_ascii=False)
