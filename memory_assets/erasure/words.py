"""The words that only the erased had, and texts without them. Pure.

A word is a run of letters, digits and marks that Unicode takes for part of one, without its case. Shorter ones than
:data:`SHORTEST` stand in anything, also in bytes that are no text, so that nothing is proven by looking for them.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable, Mapping
from typing import Any

from memory_assets.privacy.redaction import MARK

SHORTEST = 5
_WORD = re.compile(r"[^\W_]+")
_ESCAPE = re.compile(r"\\[nrtbf]")
_NUMBER = re.compile(r"\d{1,6}|\d+[tz]\d*z?|[0-9a-f]{16,}")
WORDED = frozenset(
    {"text", "title", "name", "names", "also", "path", "participants", "canonical_name", "channel", "note_names"}
    | {
        "owner_speaker",
        "definition_json",
        "task_key",
        "task_name",
        "summary",
        "speakers",
        "addresses",
        "links",
        "message_id",
    }
    | {"in_reply_to", "ancestors", "thread_id", "conversation_id", "provenance", "agent", "note"}
)
"""The properties in which people's words stand as they were given; all else is made of them."""


def words_in(text: str) -> set[str]:
    """The words of a text that can be looked for."""
    found = {match[0].casefold() for match in _WORD.finditer(text)}
    if "\\" in text:  # JSON: what stands behind an escape begins without its letter
        found |= {match[0].casefold() for match in _WORD.finditer(_ESCAPE.sub(" ", text))}
    return {word for word in found if len(word) >= SHORTEST and not _NUMBER.fullmatch(word)}


def worded(properties: Mapping[str, Any]) -> set[str]:
    """The words of a node's properties that people gave."""
    return set().union(*(words_in(text) for name in WORDED for text in texts_of(properties.get(name))))


def texts_of(value: Any) -> Iterable[str]:
    """The texts of a property."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, (list, tuple)):
        yield from (item for item in value if isinstance(item, str))


def has_words(text: str, words: Collection[str]) -> bool:
    """Whether one of the words stands in a text."""
    return not words_in(text).isdisjoint(words)


def without_words(text: str, words: Collection[str]) -> str:
    """The text with the mark in the place of each of the words."""
    return _WORD.sub(lambda match: MARK if match[0].casefold() in words else match[0], text)


def changed_properties(properties: Mapping[str, Any], words: Collection[str]) -> dict[str, Any]:
    """The properties that hold such words, without them."""
    changed: dict[str, Any] = {}
    for name, value in properties.items():
        if any(has_words(text, words) for text in texts_of(value)):
            changed[name] = (
                without_words(value, words)
                if isinstance(value, str)
                else [without_words(item, words) if isinstance(item, str) else item for item in value]
            )
    return changed


def without_lines(text: str, words: Collection[str], refs: Collection[str]) -> str:
    """A file's text without the lines that hold such a word, or the reference of a memory that was erased."""
    return "\n".join(
        line for line in text.split("\n") if not has_words(line, words) and not any(f"[{ref}]" in line for ref in refs)
    )


def redacted(text: str, words: Collection[str]) -> str:
    """A stored text without the words: in JSON each value that holds one becomes the mark; elsewhere the words do."""
    try:
        return json.dumps(_value(json.loads(text), words)) if text[:1] in "{[" else without_words(text, words)
    except ValueError:
        return without_words(text, words)


def _value(value: Any, words: Collection[str]) -> Any:
    if isinstance(value, dict):
        return {key: _value(item, words) for key, item in value.items() if not has_words(key, words)}
    if isinstance(value, list):
        return [_value(item, words) for item in value]
    if not isinstance(value, str) or not has_words(value, words):
        return value
    return redacted(value, words) if value[:1] in ("{", "[") and _is_json(value) else MARK


def _is_json(text: str) -> bool:
    try:
        return isinstance(json.loads(text), (dict, list))
    except ValueError:
        return False
