"""Which words of a passage hold no longer, and how that is said behind it. Pure."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import date
from typing import Any

from memory_assets.recall.policy import Found
from memory_assets.text.held import closest, says

_SAID_LATER = frozenset(("changed", "done"))
_CLOSING = ".!…。"
_SEE = re.compile(r", see \[([^\[\]\s]+)\]")
LEAST_CUT = 12
"""So many characters of words show that a passage begins or ends in the midst of them; of short ones half of them."""


@dataclass(frozen=True)
class Outdated:
    """Words of a turn that hold no longer, or perhaps not (``outdated``: wholly, in part, perhaps), because of what was
    said ``since`` (ISO 8601) under ``ref``; ``reason``: changed, done, or what its owner has decided, or an agent
    (``by``), perhaps without ``ref``, as what the reader does not reach is.
    """

    words: str
    outdated: str
    reason: str
    ref: str | None
    since: str
    by: str | None = None

    @property
    def note(self) -> str:
        """The same for a reader, without the words."""
        day, see = self.since[:10], f", see [{self.ref}]" if self.ref else ""
        if self.outdated == "perhaps":
            return f"perhaps outdated since {day}{see}"
        if self.ref is None and self.reason not in _SAID_LATER:
            return f"{self.reason} on {day} by {self.by or 'its owner'}"
        return f"{'done' if self.reason == 'done' else 'superseded'} on {day}{see}"


def marked(passage: Found, outdated: Iterable[Outdated], held: Iterable[tuple[str, str | None]] = ()) -> Found:
    """A passage whose text says, behind it, which words of it hold no longer; the latest word on each. ``held``: the
    records of its source, each with why it does not hold on that day, or None; of a long one the passage is a part.
    """
    flat = " ".join(passage.text.split())
    said = [(part, one) for one in outdated if (part := said_of(flat, one.words))]
    notes = {part: one.note for part, one in said}
    by = tuple(dict.fromkeys(one.ref for _, one in said if one.ref and one.outdated != "perhaps"))
    records = [(text, note and (text, note)) for text, note in held]
    for text, note in closest(flat, records):
        notes[" ".join(text.split()) if says(flat, text) else flat] = note
    remarks = [note if words == flat else f"“{words}”: {note}" for words, note in notes.items()]
    if not remarks:
        return passage
    return replace(passage, text=f"{flat} ({'; '.join(remarks)})", tokens=None, superseded_by=by)


def named_in(text: str) -> list[str]:
    """The references that a passage's notes name."""
    return _SEE.findall(text)


def without_references(text: str, refs: Collection[str]) -> str:
    """A passage whose notes do not name some references: that it is outdated, and since when, is still said."""
    return _SEE.sub(lambda found: "" if found[1] in refs else found[0], text)


def has_faded(passage: Found, said: Iterable[Mapping[str, Any]]) -> bool:
    """Whether all that a passage states is archived. ``said``: what its turn states (rows of ``graph/list_said``).

    A passage that states nothing has not faded, nor has what a note replaces: the source says which turns are read.
    """
    flat = " ".join(passage.text.split())
    states = [one["is_in_use"] or one["is_folded"] for one in said if said_of(flat, one["words"])]
    return bool(states) and not any(states)


def held_on(day: date, outdated: Iterable[Outdated]) -> list[Outdated]:
    """Those that were outdated on a day already."""
    return [one for one in outdated if one.since[:10] <= day.isoformat()]


def said_of(flat: str, words: str) -> str:
    """What a passage (``flat``: with single spaces) says of some words, whatever their case and closing mark: all of
    them, or what stands on its side where it begins or ends in the midst of them; else nothing.
    """
    asked, text = " ".join(words.split()).lower(), flat.lower()
    bare = asked.rstrip(f" {_CLOSING}")
    if not bare:
        return ""
    if (at := text.find(asked)) >= 0:
        return flat[at : at + len(asked)]
    if (at := text.find(bare)) >= 0 and text[at + len(bare) :].lstrip()[:1] in _CLOSING:
        return flat[at : at + len(bare)]
    least = max(1, min(LEAST_CUT, len(bare) // 2))
    if len(text) >= least and text in asked:
        return flat
    begins, ends = text.rfind(bare[:least]), text.find(bare[-least:])
    if begins >= 0 and bare.startswith(text[begins:]):
        return flat[begins:]
    if 0 <= ends < len(bare) - least and bare.endswith(text[: ends + least]):
        return flat[: ends + least]
    return ""
