"""Who speaks in a source and who else takes part in it, with addresses: what names are resolved by. Pure."""

from __future__ import annotations

import json
from collections.abc import Sequence
from email.utils import getaddresses
from typing import Any

from memory_assets.model import SourceType
from memory_assets.sources.cleaning import one_line
from memory_assets.sources.formats.base import Cleaned

MOST_ADDRESSES = 100
LONGEST_HEADER = 65_536


def speakers_of(cleaned: Cleaned) -> list[str]:
    """Everybody who says something, in the order in which they begin."""
    return list(dict.fromkeys(turn.speaker for turn in cleaned.turns if turn.speaker))


def addresses_of(source_type: str, raw_content: str) -> list[str]:
    """A mail's "Name <address>" from From, To and Cc, the sender's first; none of anything else."""
    if source_type != SourceType.EMAIL.value:
        return []
    try:
        headers = json.loads(raw_content)["headers"]
        return list(dict.fromkeys(_addresses(headers)))[:MOST_ADDRESSES]
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return []


def _addresses(headers: dict[str, Any]) -> Sequence[str]:
    found = []
    for header in ("From", "To", "Cc"):
        for name, address in getaddresses([str(headers.get(header, ""))[:LONGEST_HEADER]]):
            if "@" in address:
                name = name.strip("'\" ").replace("<", " ").replace(">", " ")
                found.append(one_line(f"{name} <{address}>" if name else address))
    return found
