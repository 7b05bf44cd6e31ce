"""Decisions about the processing of sources: which are due, with what they are made, who takes part, how they are
stored. Pure.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from pathlib import PurePath
from typing import Any

from memory_assets.batches import event_order, is_within
from memory_assets.clock import to_iso
from memory_assets.llm.tasks import SourceDescription, SourceText, TurnText
from memory_assets.model import SourceType, fingerprint
from memory_assets.sources.cleaning import one_line
from memory_assets.sources.formats import CLEANING_VERSION
from memory_assets.sources.formats.base import Cleaned
from memory_assets.sources.formats.email import addresses_in
from memory_assets.sources.formats.said import dict_of

# Raise its first number when the same clean text and the same model answers lead to other properties.
CODE_VERSION = f"2.{CLEANING_VERSION}"


def process_fingerprint(source: Mapping[str, Any], recipe: str) -> str:
    """A digest of what a source was processed from and with; steps that use its description compare it alone."""
    return fingerprint(source["content_hash"], source["title"], to_iso(source["started_at"]), recipe)


def text_fingerprint(text: SourceText, content: str) -> str:
    """A digest of what an extraction reads of a processed source: not its description, nor the recipe of that."""
    return fingerprint(text.model_dump_json(), content)


def project_of_path(path: str, folder: PurePath | None) -> str | None:
    """The project of what lies in a folder of ``folder``: that folder's name; None for what lies elsewhere."""
    if folder is None or not PurePath(path).is_relative_to(folder):
        return None
    name, *below = PurePath(path).relative_to(folder).parts or ("",)
    return name if below else None


def choose_due(
    rows: Sequence[Mapping[str, Any]], *, since: datetime | None = None, until: datetime | None = None
) -> list[Mapping[str, Any]]:
    """Sources within the window, oldest first. An unknown time lies in no window but the open one."""
    return sorted((row for row in rows if is_within(row["started_at"], since, until)), key=event_order)


def source_text(source: Mapping[str, Any], cleaned: Cleaned, *, is_own: bool = True) -> SourceText:
    """A cleaned source as models are asked about it. A team's is read by all of them: nobody in it is its owner."""
    return SourceText(
        source_type=SourceType(source["source_type"]).value,
        title=source["title"],
        started_at=to_iso(source["started_at"]),
        owner_speaker=source["owner_speaker"] if is_own else None,
        turns=tuple(TurnText(index=t.index, speaker=t.speaker, text=t.text, at=t.at) for t in cleaned.turns),
    )


def tidy_description(description: SourceDescription) -> SourceDescription:
    """A model's answer as it is stored: clean, on one line each, without repeats, within the counts (004)."""
    return SourceDescription(
        summary=one_line(description.summary, 1000),
        keywords=_distinct(description.keywords, 10),
        tags=_distinct((tag.lower() for tag in description.tags), 5),
    )


def _distinct(words: Iterable[str], limit: int) -> tuple[str, ...]:
    distinct: dict[str, str] = {}
    for word in words:
        clean = one_line(word, 80)
        if clean:
            distinct.setdefault(clean.casefold(), clean)
    return tuple(distinct.values())[:limit]


def turns_json(cleaned: Cleaned) -> str:
    """Turns as the graph stores them; a section only where there is one."""
    turns = (turn._asdict() for turn in cleaned.turns)
    rows = [{key: value for key, value in turn.items() if key != "section" or value} for turn in turns]
    return json.dumps(rows, ensure_ascii=False)


MOST_ADDRESSES = 100


def speakers_of(cleaned: Cleaned) -> list[str]:
    """Everybody who says something, in the order in which they begin."""
    return list(dict.fromkeys(turn.speaker for turn in cleaned.turns if turn.speaker))


def addresses_of(source_type: str, raw_content: str) -> list[str]:
    """A mail's "Name <address>" from From, To and Cc, the sender's first; none of anything else."""
    if source_type != SourceType.EMAIL.value:
        return []
    try:
        headers = dict_of(json.loads(raw_content)["headers"])
    except (ValueError, KeyError, TypeError, RecursionError):
        return []
    people = ((name.replace("<", " ").replace(">", " "), address) for _, name, address in addresses_in(headers))
    found = (one_line(f"{name} <{address}>" if name else address) for name, address in people if "@" in address)
    return list(dict.fromkeys(found))[:MOST_ADDRESSES]
