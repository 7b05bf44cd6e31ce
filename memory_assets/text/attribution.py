"""Whose words these are, said where it must be: the one rule for all that is stored or published. Pure.

The owner's words have no name before them, nor those of a source in which nobody speaks. Anybody else's follow
their speaker's name, an assistant's its name or role. In running text the owner's are named too once words of
somebody else precede them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

LABEL_LIMIT = 40
UNNAMED = "Unknown"
"""The label of a speaker among others whose name cannot be written."""

_ASKED = re.compile(r"\AAsked by .{1,60}? “[^“”]{1,400}”, ")
_QUOTED = re.compile(
    r"\A[^“”]{1,60}? (?:said|wrote)(?: to [^“”]{1,60}?)?(?: in #[^“”\s]{1,80})?(?: about “[^“”]{1,100}”)?: “([^“”]*)”"
)
_ASIDE = re.compile(r"<[^<>]{0,200}>|\([^()]{0,100}\)")
_WORD = re.compile(r"\w+")
_MARKS = re.compile(r"[:\[\]|<>“”„«»]")
_ENDED = ".!?…。！？"


class Words(NamedTuple):
    """Words of a source, and who says them."""

    text: str
    speaker: str | None
    said_by_owner: bool


def name_of(speaker: str) -> str:
    """A speaker's name as it is written before words: on one bounded line, without what would end it, or an address."""
    for words in (_ASIDE.sub(" ", speaker), speaker):
        name = " ".join(_MARKS.sub(" ", words).split()).strip(" \"',;")
        if any(map(str.isalnum, name)):
            return name if len(name) <= LABEL_LIMIT else name[: LABEL_LIMIT - 1].rstrip() + "…"
    return UNNAMED


def label_of(speaker: str | None, said_by_owner: bool = False) -> str | None:
    """The name to write before words; None before the owner's, and where nobody speaks."""
    return name_of(speaker) if speaker and speaker.strip() and not said_by_owner else None


def answered(asker: str, question: str, speaker: str, answer: str) -> str:
    """What somebody answers, word for word behind the question."""
    return f"Asked by {asker} “{question}”, {speaker} said: “{answer}”"


def quoted(speaker: str, words: str, *, is_written: bool, to: str = "", channel: str = "", about: str = "") -> str:
    """What somebody says, or has written to somebody or in a channel about something, word for word behind the name."""
    whom, what = f" to {to}" if to else "", f" about “{about}”" if about else ""
    where = f" in {channel}" if channel else ""
    return f"{speaker} {'wrote' if is_written else 'said'}{whom}{where}{what}: “{words}”"


def without_writer(text: str) -> str:
    """A text without what :func:`quoted` puts around somebody's words."""
    found = _QUOTED.fullmatch(text)
    return found[1] if found else text


def requoted(text: str, words: str) -> str:
    """What :func:`quoted` gives of somebody, with other words of theirs; a text that is no quotation as it is."""
    found = _QUOTED.fullmatch(text)
    return text[: found.start(1)] + words + text[found.end(1) :] if found else text


def without_question(text: str) -> str:
    """A text without the question that :func:`answered` puts before an answer."""
    return _ASKED.sub("", text, count=1)


def attributed(words: Words) -> str:
    """Words that are read alone, behind the name that they need."""
    label = label_of(words.speaker, words.said_by_owner)
    return f"{label}: {words.text}" if label else words.text


def behind_name(text: str, speaker: str | None) -> str:
    """Words behind the name of who says them, where they do not name them."""
    label = label_of(speaker)
    if label is None or set(_WORD.findall(label.casefold())) & set(_WORD.findall(text.casefold())):
        return text
    return f"{label}: {text}"


def running(said: Iterable[Words]) -> str:
    """Words one after the other, each behind the name that it needs there."""
    parts: list[str] = []
    by_others = False
    for words in said:
        text = words.text if words.text[-1:] in _ENDED else words.text.rstrip(" ,;:") + "."
        label = label_of(words.speaker, words.said_by_owner and not by_others)
        by_others = by_others or label is not None
        parts.append(f"{label or UNNAMED}: {text}" if by_others else text)
    return " ".join(parts)
