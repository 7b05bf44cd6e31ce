"""Secrets replaced by what they are: ``[masked: api key]``. Deterministic, and masking twice is masking once.

What was masked, and where, is read off the masked text itself, so that it is the same in whatever order and from
however many files a source came together.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple

from memory_assets.privacy.detector import MASK, find_secrets
from memory_assets.privacy.redaction import marked
from memory_assets.privacy.tokens import ACCESS_TOKEN, API_KEY, PASSWORD

_PASSES = 20
_STRING = re.compile(r'(?<!\\)"(?>(?:[^"\\\n]++|\\.)*)"')
_KEY_AFTER = re.compile(r"\s*:")
_KEY_BEFORE = re.compile(r'"((?>(?:[^"\\\n]++|\\.)*))"\s*+:\s*+\[?\s*+\Z')
_KEY_AND_NUMBER = re.compile(
    r'("(?:pin|pin_?code|pass_?code|password|passwd|pwd|cvv|cvc)"\s*:\s*)(\d{3,10})(?=\s*[,}\]])', re.I
)
# The names of a record's fields that hold nothing but a secret.
_SECRET_FIELD = re.compile(
    r"(?:.*[_\W])?(?:(?P<password>pass(?:word|wd|phrase|code)?|pwd?|pin(?:_?code)?|cvv|cvc)|"
    r"(?P<token>(?:\w*_)?token)|(?P<key>(?:api|auth|private|client|access|service|account|signing|secret)_?(?:access_?)?key|"
    r"(?:client_?)?secret))",
    re.I,
)
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")


class Masked(NamedTuple):
    """``count`` secrets of a kind were masked at a place: a property's name, or a field and line of the raw content."""

    kind: str
    where: str
    count: int  # type: ignore[assignment]  # a tuple has a method of this name


def mask_text(text: str, known: dict[str, str] | None = None) -> str:
    """``text`` with every secret masked; the same text where there is none. What was found is added to ``known``."""
    for _ in range(_PASSES):
        spans = find_secrets(text)
        if not spans:
            break
        if known is not None:
            found = ((text[start:end], kind) for start, end, kind in spans)
            known.update((value, kind) for value, kind in found if "[masked: " not in value)
        text = marked(text, ((start, end, f"[masked: {kind}]") for start, end, kind in spans))
    return text


def mask_raw(raw_content: str, known: dict[str, str] | None = None) -> str:
    """A raw content with its secrets masked: in JSON within the values, so that it stays what it is; else as text."""
    return _by_form(raw_content, lambda text: mask_text(text, known), known)


def change_raw(raw_content: str, change: Callable[[str], str]) -> str:
    """A raw content changed by ``change``: in JSON each value, so that it stays what it is; else as text."""
    return _by_form(raw_content, change, None)


def mask_known(raw_content: str, known: Mapping[str, str]) -> str:
    """A raw content in which values that were found elsewhere in it are masked, too."""
    pattern = _pattern_of(known)
    if pattern is None or not any(value in raw_content or json.dumps(value)[1:-1] in raw_content for value in known):
        return raw_content
    return _by_form(raw_content, lambda text: _replace_known(text, pattern, known), None)


def mask_label(text: str, known: dict[str, str]) -> str:
    """A title, name or path: masked by itself, by what is known of its source, and where its end cuts a secret."""
    if pattern := _pattern_of(known):
        text = _replace_known(text, pattern, known)
    if text.endswith("…"):
        for value, kind in sorted(known.items()):
            line = " ".join(value.split())
            for length in range(min(len(line), len(text)) - 1, 2, -1):
                if text[:-1].rstrip().endswith(line[:length].rstrip(" ,;:-")):
                    return text[:-1].rstrip()[: -len(line[:length].rstrip(" ,;:-"))] + f"[masked: {kind}]…"
    return mask_text(text)


def _pattern_of(known: Mapping[str, str]) -> re.Pattern[str] | None:
    """The values worth looking for again: long enough, and no word that people use."""
    values = [value for value in known if len(value) >= 6 and not value.isalpha() and not value.isdigit()]
    if not values:
        return None
    return re.compile(
        r"(?<!\w)(?:" + "|".join(re.escape(v) for v in sorted(values, key=lambda v: (-len(v), v))) + r")(?!\w)"
    )


def _replace_known(text: str, pattern: re.Pattern[str], known: Mapping[str, str]) -> str:
    return pattern.sub(lambda match: f"[masked: {known[match[0]]}]", text)


def _by_form(raw_content: str, change: Callable[[str], str], known: dict[str, str] | None) -> str:
    if is_json(raw_content):
        return _change_json(raw_content, change, known)
    lines = raw_content.split("\n")
    if len(lines) > 1 and looks_like_json(raw_content) and all(map(is_json, filter(str.strip, lines))):
        return "\n".join(_change_json(line, change, known) for line in lines)
    return change(raw_content)


def looks_like_json(raw_content: str) -> bool:
    """Whether a raw content is JSON or JSON lines, by its first character."""
    return raw_content.lstrip()[:1] in ("{", "[")


def string_values(text: str) -> Iterator[str]:
    """The string values of JSON or JSON lines, the keys left out."""
    for match in _STRING.finditer(text):
        if not _KEY_AFTER.match(text, match.end()):
            try:
                yield json.loads(match[0], strict=False)
            except ValueError:
                continue


def is_json(text: str) -> bool:
    """Whether a text is one JSON object or array."""
    try:
        return looks_like_json(text) and json.loads(text) is not None
    except (ValueError, RecursionError):
        return False


def mask_json(text: str) -> str:
    """JSON text with the secrets in its string values masked; everything else stays, to the letter."""
    return _change_json(text, mask_text, None)


def _change_json(text: str, change: Callable[[str], str], known: dict[str, str] | None) -> str:
    """The text is searched, not what it parses to: of a key that is there twice a parser shows one value only."""

    def changed(match: re.Match[str]) -> str:
        if _KEY_AFTER.match(text, match.end()):
            return match[0]
        before = _KEY_BEFORE.search(text, max(0, match.start() - 200), match.start())
        return _change_value(match[0], before[1] if before else "", change, known)

    return _KEY_AND_NUMBER.sub(rf'\1"[masked: {PASSWORD}]"', _STRING.sub(changed, text))


def _change_value(literal: str, key: str, change: Callable[[str], str], known: dict[str, str] | None) -> str:
    """A string's literal, masked; written anew only if it changes."""
    try:
        value = json.loads(literal, strict=False)
    except ValueError:
        return literal
    masked = change(value)
    if masked == value and (kind := _kind_of_field(key, value)):
        masked = f"[masked: {kind}]"
        if known is not None:
            known[value] = kind
    return literal if masked == value else json.dumps(masked, ensure_ascii=False)


def _kind_of_field(key: str, value: str) -> str | None:
    """The kind of secret that a value is by its field's name; words are none, so that a field of prose is unchanged."""
    match = _SECRET_FIELD.fullmatch(_CAMEL.sub("_", key))
    if (
        match is None
        or not value
        or " " in value
        or len(value) < 3
        or MASK.search(value)
        or value.lower() in ("none", "null", "true", "false")
    ):
        return None
    if match["password"]:
        return PASSWORD
    if len(value) < 8:
        return None
    return ACCESS_TOKEN if match["token"] else API_KEY


def list_masks(raw_content: str, properties: Mapping[str, object]) -> list[Masked]:
    """What is masked in a source and where, from its masked texts: sorted, one entry per kind and place."""
    found: Counter[tuple[str, str]] = Counter()
    if "[masked: " in raw_content:
        found.update(_in_raw(raw_content))
    for name, value in properties.items():
        for text in value if isinstance(value, (list, tuple)) else (value,):
            if isinstance(text, str):
                found.update((_kind(match[0]), name) for match in MASK.finditer(text))
    return [Masked(kind, where, count) for (kind, where), count in sorted(found.items())]


def _kind(mask: str) -> str:
    return mask.removeprefix("[masked: ").removesuffix("]")


def _in_raw(raw_content: str) -> Iterator[tuple[str, str]]:
    for number, line in enumerate(raw_content.split("\n"), start=1):
        if "[masked: " not in line:
            continue
        for match in MASK.finditer(line):
            before = line[: match.start()] if looks_like_json(line) else ""
            field = re.findall(r'"([\w -]{1,40})"\s*:\s*(?:\[\s*)?"(?:[^"\\]|\\.)*\Z', before)
            ordinal = len(re.findall(rf'"{re.escape(field[-1])}"\s*:', before)) if field else 0
            place = f"{field[-1]} {ordinal}, " if field else ""
            yield _kind(match[0]), f"{place}line {number}"


def count_masks(stored: str | None) -> Counter[str]:
    """How many masks of each kind are in a stored record of them."""
    counts: Counter[str] = Counter()
    for mask in json.loads(stored or "[]"):
        counts[mask["kind"]] += mask["count"]
    return counts
