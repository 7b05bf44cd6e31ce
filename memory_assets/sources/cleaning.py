"""Cleaning text for reading by models and people; pure. Raw content is never touched by it."""

from __future__ import annotations

import re

from memory_assets.llm.tokens import well_formed

# Controls that no reader sees: C0 and C1 without tab and newline, zero-width marks, bidirectional
# overrides, soft hyphen, annotation anchors and the tag block, in which instructions can be smuggled.
_INVISIBLE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u061c\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f"
    "\ufeff\ufff9-\ufffb\U000e0000-\U000e007f]"
)
# A joiner means something between two characters of a script that joins (Persian, Hindi, emoji),
# nothing beside an ASCII character or at an end.
_STRAY_JOINER = re.compile(r"(?<![^\x00-\x7f])[\u200c\u200d]+|[\u200c\u200d]+(?![^\x00-\x7f])")
_LINE_END = re.compile("\r\n?|[\u2028\u2029\x85\x0b\x0c]")
_TRAILING = re.compile(r"(?<![ \t\u00a0])[ \t\u00a0]+$", re.MULTILINE)
_MANY_BLANK = re.compile(r"\n{3,}")


def clean_text(text: str) -> str:
    """``text`` with plain newlines and without characters that hide, reorder or break text."""
    return _without_marks(text).strip()


def _without_marks(text: str) -> str:
    text = _LINE_END.sub("\n", text)
    text = _INVISIBLE.sub("", text)
    text = _STRAY_JOINER.sub("", text)
    text = well_formed(text)
    text = _TRAILING.sub("", text)
    return _MANY_BLANK.sub("\n\n", text)


def one_line(text: str, limit: int = 200) -> str:
    """A label, name or title: clean, on one line, at most ``limit`` characters, cut between words."""
    line = " ".join(clean_text(text[: limit * 8]).split())
    if len(line) <= limit:
        return line
    cut = line[: limit - 1]
    head, space, _ = cut.rpartition(" ")
    return (head if space and len(head) > limit // 2 else cut).rstrip(" ,;:-") + "…"


def paragraphs(text: str) -> list[str]:
    """The paragraphs of clean text, in order, none empty. A first line's indent stays: an item's depth shows by it."""
    return [part.strip("\n").rstrip() for part in re.split(r"\n[ \t]*\n", _without_marks(text)) if part.strip()]


def normalise_newlines(text: str) -> str:
    """The same text whichever system wrote it: the only change that raw content suffers."""
    return text.replace("\r\n", "\n").replace("\r", "\n")


def storable(text: str) -> str:
    """Text that both engines can hold: lone surrogates and NUL, which neither can, become U+FFFD."""
    return well_formed(text).replace("\x00", "\ufffd")
