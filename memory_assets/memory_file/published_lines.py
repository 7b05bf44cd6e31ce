"""The lines of a published memory file with the memory that each holds, and what may lead its words in. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from memory_assets.clock import MONTHS
from memory_assets.memory_file import render, when
from memory_assets.memory_file.edit_kinds import Changed, Removed
from memory_assets.memory_file.edited_text import same_words, split_lines

LONGEST_LEAD = 60
_MONTHS = "|".join(MONTHS)
# What the renderer guarantees of the leads that it has written itself (``render.is_line_of``).
_OWN_LEAD = rf"[^|:\[\]]{{1,{LONGEST_LEAD}}}"
_DAY_OF_LEAD = re.compile(rf"(?P<day>\d{{1,2}} (?:{_MONTHS}))(?:, |$)")
_DATED = re.compile(rf"\d{{1,2}} (?:{_MONTHS})\b")
_STRUCK = re.compile(r"~~[^~]+~~")


@dataclass(frozen=True)
class PublishedLine:
    """A line of the published file: its memory, and what stands before and behind the words of that."""

    place: int
    entry: Mapping[str, Any]
    text: str
    day: str = ""
    """The day that leads them in, without its year."""
    year: str = ""
    label: str = ""
    """Who leads them in."""
    notes: str = ""
    """The dates that stand behind its words, which nobody has said: they are no part of what a person changes."""

    @property
    def ref(self) -> str:
        """Its reference."""
        return str(self.entry["ref"])

    @cached_property
    def leads(self) -> tuple[str, ...]:
        """What may stand before the words of it, the longest first: its day and its speaker, either alone."""
        both = ", ".join(filter(None, (self.day, self.label)))
        alone = sorted((self.day, self.label), key=len, reverse=True)
        return tuple(f"{lead}:" for lead in dict.fromkeys((both, *alone)) if lead)

    @cached_property
    def whole(self) -> str:
        """Its words with what leads them in, without notes and reference, in the form in which lines are compared."""
        return same_words(" ".join((*self.leads[:1], self.text)))

    @cached_property
    def forms(self) -> frozenset[str]:
        """The words by which it is the same line, led in and noted or not."""
        led = (self.text, *(f"{lead} {self.text}" for lead in self.leads))
        return frozenset(same_words(words) + notes for words in led for notes in ("", self.notes))

    @property
    def removed(self) -> Removed:
        """Its removal."""
        return Removed(self.entry["memory_id"], self.ref, self.entry["text"], self.entry["section"])

    def now_says(self, written: str, line: int) -> Changed | Removed | None:
        """What has become of its memory where ``written`` stands in its place, at ``line`` of an edited file.

        None where that says the same. Struck out words say nothing, nor does a lead without words behind it.
        """
        words = self._without_notes(same_words(written))
        if words in self.forms:
            return None
        if "~~" not in self.text:
            words = " ".join(_STRUCK.sub(" ", words).split())
        bare = next((words.removeprefix(lead) for lead in self.leads if words.startswith(lead)), words)
        if not any(map(str.isalnum, bare)):
            return self.removed
        return Changed(self.entry["memory_id"], self.ref, line, self.entry["text"], self._led_in(words), self.entry["section"])

    def _led_in(self, words: str) -> str:
        """Other words in its place, with the day and the speaker that it tells, the day with its year."""
        lead = self.leads[0] if self.leads else ""
        if lead and words.startswith(lead):
            words = words.removeprefix(lead).strip()
        elif self.day and words.startswith((f"{self.day}:", f"{self.day},")):
            return f"{self._full_day}{words.removeprefix(self.day)}"
        elif ":" in words[:LONGEST_LEAD]:  # led in by somebody else, or by another day
            return words
        said = ", ".join(filter(None, ("" if _DATED.match(words) else self._full_day, self.label)))
        return f"{said}: {words}" if said else words

    @property
    def _full_day(self) -> str:
        return f"{self.day} {self.year}".rstrip() if self.day else ""

    def _without_notes(self, words: str) -> str:
        """Words without the published notes, wherever they stand now."""
        before, notes, after = words.rpartition(self.notes) if self.notes else (words, "", "")
        return (before + after).strip() if notes else words


def published_lines(text: str, entries: Sequence[Mapping[str, Any]]) -> list[PublishedLine]:
    """The lines of ``text`` that hold the entries of its manifest."""
    by_ref = {entry["ref"]: entry for entry in entries}
    found: list[PublishedLine] = []
    year = ""
    for line in split_lines(text):
        if render.is_day_line(line) or line.startswith("## "):
            year = line.removeprefix("### ") if line.removeprefix("### ").isdigit() else ""
        for ref in render.references_in(line):
            if entry := by_ref.pop(ref, None):
                words = line.removeprefix("- ").removesuffix(f"[{ref}]").rstrip()
                found.append(_published(len(found), entry, words, year))
    return found


def _published(place: int, entry: Mapping[str, Any], words: str, year: str) -> PublishedLine:
    """The whole line is matched, so that no name in it can pass for words of its memory."""
    text: str = entry["text"]
    match = re.fullmatch(rf"(?:(?P<lead>{_OWN_LEAD}): )?{re.escape(text)}(?P<notes>{when.NOTES})?", words)
    if match is None:  # no line of ours: nothing is known of who said it
        return PublishedLine(place, entry, words)
    lead = match["lead"] or ""
    dated = _DAY_OF_LEAD.match(lead)
    label = same_words(lead[dated.end() :] if dated else lead)
    return PublishedLine(place, entry, text, dated["day"] if dated else "", year, label, match["notes"] or "")
