"""The words and phrases that only the erased had, and texts without them. Pure.

A word is a run of letters, digits and marks that Unicode takes for part of one, without its case. Shorter ones than
:data:`SHORTEST` are in anything, also in bytes that are no text, so that nothing is proven by looking for them. What
is said in common words is known by their order: a phrase is :data:`PHRASE` words in a row, of at least two letters
(bytes) each, whatever digits, signs, single letters, white space or JSON's escapes are between them. It is written
with one space between its words, which distinguishes it from a word where both are in one set of terms.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from typing import Any

from memory_assets.privacy.masking import change_raw
from memory_assets.privacy.redaction import MARK, marked

SHORTEST = 5
PHRASE = 5
_WORD = re.compile(r"[^\W_]+")
_ESCAPE = re.compile(r"\\[nrtbf]")
_JSON_ESCAPE = re.compile(rb"(?<!\\)\\++(?:u([0-9a-f]{4})|[nrtbf])")
_SIGNS = re.compile(rb"\xc2[\x80-\xbf]|\xe2[\x80-\xaf][\x80-\xbf]|\xf0\x9f..", re.DOTALL)
_LETTERS = bytes(byte if byte >= 128 or 97 <= byte <= 122 else 32 for byte in range(256))
_RUN = re.compile(r"[a-zA-Z\u00c0-\u1fff\u2c00-\U0001efff\U00020000-\U0010ffff]+")
"""The same runs in a text as :func:`runs_in` finds in its bytes."""
_NUMBER = re.compile(r"\d{1,6}|\d+[tz]\d*z?|[0-9a-f]{16,}")
WORDED = frozenset(
    {"text", "title", "name", "names", "also", "path", "participants", "canonical_name", "channel", "note_names"}
    | {"project", "owner_speaker", "definition_json", "task_key", "task_name", "summary", "speakers", "addresses"}
    | {"links", "message_id", "in_reply_to", "ancestors", "thread_id", "conversation_id", "provenance", "agent"}
    | {"note", "last_error"}
)
"""The properties that hold people's words as they were given; all else is made of them."""
DECIDED = frozenset({"about", "conflict", "edited_text", "published_text", "reason", "task_before", "why"})
"""The properties in which decisions have words of memories, and why they were made."""
MADE = WORDED | {"content", "full_text", "description", "overview", "keywords", "tags", "subpoints", "lost", "backup"}
MADE |= {"edited_text", "published_text"}
"""Those that hold people's words, and those that hold what was made of them."""


def every_word_in(text: str) -> set[str]:
    """The words of a text, however short."""
    found = {match[0].casefold() for match in _WORD.finditer(text)}
    if "\\" in text:  # JSON: the word behind an escape begins without its letter
        found |= {match[0].casefold() for match in _WORD.finditer(_ESCAPE.sub(" ", text))}
    return found


def words_in(text: str) -> set[str]:
    """The words of a text that can be looked for."""
    return {word for word in every_word_in(text) if len(word) >= SHORTEST and not _NUMBER.fullmatch(word)}


def runs_in(data: bytes) -> list[bytes]:
    """The words of phrases, in bytes of whatever: of at least two letters, those of ASCII without their case."""
    return [run for run in _SIGNS.sub(b" ", data.lower()).translate(_LETTERS).split() if len(run) > 1]


def readings_of(data: bytes) -> Iterator[bytes]:
    """The bytes as they are, and as JSON has escaped them."""
    yield data
    if b"\\" in data:
        yield _JSON_ESCAPE.sub(_unescaped, data.lower())


def _unescaped(match: re.Match[bytes]) -> bytes:
    letter = chr(int(match[1], 16)) if match[1] else " "
    return letter.encode("utf-8", "ignore") or b" "


def phrases_in(text: str) -> set[str]:
    """The phrases of a text."""
    found: set[str] = set()
    for data in readings_of(text.encode("utf-8", "surrogatepass")):
        runs = [run.decode("utf-8", "replace") for run in runs_in(data)]
        found |= {" ".join(runs[at : at + PHRASE]) for at in range(len(runs) - PHRASE + 1)}
    return found


def terms_in(text: str) -> set[str]:
    """The words and the phrases of a text."""
    return words_in(text) | phrases_in(text)


def worded(
    properties: Mapping[str, Any], terms: Callable[[str], set[str]] = words_in, names: Iterable[str] = WORDED
) -> set[str]:
    """The words of a node's properties that people gave; or other terms of others."""
    return set().union(*(terms(text) for name in names for text in texts_of(properties.get(name))))


def texts_of(value: Any) -> Iterable[str]:
    """The texts of a property."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, (list, tuple)):
        yield from (item for item in value if isinstance(item, str))


def has_terms(text: str, terms: Collection[str]) -> bool:
    """Whether one of the words or phrases is in a text."""
    return not words_in(text).isdisjoint(terms) or not phrases_in(text).isdisjoint(terms)


def without_terms(text: str, terms: Collection[str]) -> str:
    """The text with the mark in the place of each of the words and phrases."""
    runs = [(*match.span(), run) for match in _RUN.finditer(text) if len(run := _run(match[0])) > 1]
    spans = [match.span() for match in _WORD.finditer(text) if match[0].casefold() in terms]
    for at in range(len(runs) - PHRASE + 1):
        if " ".join(run.decode() for *_, run in runs[at : at + PHRASE]) in terms:
            spans.append((runs[at][0], runs[at + PHRASE - 1][1]))
    less = marked(text, ((start, end, MARK) for start, end in sorted(spans)))
    return MARK if has_terms(less, terms) else less


def _run(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass").lower()


def changed(properties: Mapping[str, Any], change: Callable[[str], str]) -> dict[str, Any]:
    """The properties that ``change`` makes others of, text by text."""

    def of(value: Any) -> Any:
        if isinstance(value, (list, tuple)):
            return type(value)(map(of, value))
        return change(value) if isinstance(value, str) else value

    made = {name: of(value) for name, value in properties.items()}
    return {name: value for name, value in made.items() if value != properties[name]}


def changed_properties(properties: Mapping[str, Any], terms: Collection[str]) -> dict[str, Any]:
    """The properties that hold such terms, without them."""
    return changed(properties, lambda text: _without_terms(text, terms) if has_terms(text, terms) else text)


def _without_terms(text: str, terms: Collection[str]) -> str:
    """The same of what may be JSON, which stays JSON: an empty one where a phrase goes on from value to value."""
    if not _is_json(text):
        return without_terms(text, terms)
    changed = change_raw(text, lambda value: without_terms(value, terms))
    return changed if not has_terms(changed, terms) else "{}" if text.lstrip()[0] == "{" else "[]"


def without_lines(text: str, terms: Collection[str], refs: Collection[str]) -> str:
    """A file's text without the lines that hold such a term, or the reference of a memory that was erased."""
    return "\n".join(
        line for line in text.split("\n") if not has_terms(line, terms) and not any(f"[{ref}]" in line for ref in refs)
    )


def redacted(text: str, terms: Collection[str]) -> str:
    """A stored text without the terms: in JSON each value that holds one becomes the mark; elsewhere the terms do."""
    try:
        return json.dumps(_value(json.loads(text), terms)) if text[:1] in "{[" else without_terms(text, terms)
    except ValueError:
        return without_terms(text, terms)


def _value(value: Any, terms: Collection[str]) -> Any:
    if isinstance(value, dict):
        return {key: _value(item, terms) for key, item in value.items() if not has_terms(key, terms)}
    if isinstance(value, list):
        return [_value(item, terms) for item in value]
    if not isinstance(value, str) or not has_terms(value, terms):
        return value
    return redacted(value, terms) if value[:1] in ("{", "[") and _is_json(value) else MARK


def _is_json(text: str) -> bool:
    try:
        return isinstance(json.loads(text), (dict, list))
    except ValueError:
        return False
