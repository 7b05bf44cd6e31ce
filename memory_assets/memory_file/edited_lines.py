"""A MEMORY.md as its editors see it: its lines with their memories, what leads the words in, where new lines are.
Pure.

Headings, our own day lines and emphasis are no edits.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, replace
from functools import cached_property

from memory_assets.clock import MONTHS
from memory_assets.memory_file import render
from memory_assets.runtime.edited_files import Base, Edit, Line, Reading
from memory_assets.text import when
from memory_assets.text.items import HEADING, RULE, Item, items_of
from memory_assets.text.lines import is_day_line, same_words, split_lines

LONGEST_LEAD = 60
_MONTHS = "|".join(MONTHS)
# What the renderer guarantees of the leads that it has written itself (``render.is_line_of``).
_OWN_LEAD = rf"[^|:\[\]]{{1,{LONGEST_LEAD}}}"
_DAY_OF_LEAD = re.compile(rf"(?P<day>\d{{1,2}} (?:{_MONTHS}))(?:, |$)")
_DATED = re.compile(rf"\d{{1,2}} (?:{_MONTHS})\b")
_STRUCK = re.compile(r"~~[^~]+~~")


@dataclass(frozen=True)
class PublishedLine:
    """A line of the published file: its memory's words, and what is before and behind them."""

    text: str
    day: str = ""
    """The day that leads them in, without its year."""
    year: str = ""
    label: str = ""
    """Who leads them in."""
    notes: str = ""
    """The dates that follow its words, which nobody has said: they are no part of what a person changes."""

    @cached_property
    def leads(self) -> tuple[str, ...]:
        """What may lead its words in, the longest first: its day and its speaker, either alone."""
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

    def now_says(self, item: Item) -> str | None:
        """The words that an item in its place says, empty where it says nothing; None where it says the same.

        Struck out words say nothing, nor does a lead without words behind it.
        """
        words = self._without_notes(same_words(item.words))
        if words in self.forms:
            return None
        if "~~" not in self.text:
            words = " ".join(_STRUCK.sub(" ", words).split())
        bare = next((words.removeprefix(lead) for lead in self.leads if words.startswith(lead)), words)
        return self._led_in(words) if any(map(str.isalnum, bare)) else ""

    def _led_in(self, words: str) -> str:
        """Other words in its place, with its day and its speaker, the day with its year."""
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
        """Words without the published notes, wherever these are now."""
        before, notes, after = words.rpartition(self.notes) if self.notes else (words, "", "")
        return (before + after).strip() if notes else words


def read(base: Base, edited: str) -> Reading:
    """What an edited file has against what was published there."""
    every = items_of(edited)
    title = next((item.words for item in every if item.kind == HEADING), None)
    said = [item for item in every if item.kind not in (HEADING, RULE)]
    items = [replace(item, heading=None) if item.heading == title else item for item in said]
    return Reading(_lines_of(base), items, is_ours=bool(items))


def _lines_of(base: Base) -> list[Line]:
    """The published lines that hold the entries of the manifest."""
    by_ref = {entry["ref"]: entry for entry in base.entries}
    found: list[Line] = []
    year = ""
    for line in split_lines(base.text):
        if is_day_line(line) or line.startswith("## "):
            year = line.removeprefix("### ") if line.removeprefix("### ").isdigit() else ""
        for ref in render.references_in(line):
            if entry := by_ref.pop(ref, None):
                words = line.removeprefix("- ").removesuffix(f"[{ref}]").rstrip()
                one = _published(entry["text"], words, year)
                found.append(Line(ref, one.whole + one.notes, one.now_says, one.whole, one.forms, entry))
    return found


def _published(text: str, words: str, year: str) -> PublishedLine:
    """The whole line is matched, so that no name in it can pass for words of its memory."""
    match = re.fullmatch(rf"(?:(?P<lead>{_OWN_LEAD}): )?{re.escape(text)}(?P<notes>{when.NOTES})?", words)
    if match is None:  # no line of ours: nothing is known of who said it
        return PublishedLine(words)
    lead = match["lead"] or ""
    dated = _DAY_OF_LEAD.match(lead)
    label = same_words(lead[dated.end() :] if dated else lead)
    return PublishedLine(text, dated["day"] if dated else "", year, label, match["notes"] or "")


SELF_CONTAINED = 4
"""A line of fewer words than this takes the words of a foreign heading with it: "milk" under "Shopping"."""


def texts_of(edit: Edit) -> list[tuple[Item, str, str | None]]:
    """The added items with the text that each says by itself, and the heading it is under: ours, or another.

    A heading of ours that was renamed is known by most of the entries that are still below it.
    """
    ours = {heading.casefold(): section for section, heading in render.HEADINGS.items()}
    below: dict[str | None, Counter[str]] = {}
    for line, item in [*edit.same, *((line, item) for line, item, _ in edit.changed)]:
        below.setdefault(item.heading, Counter())[line.entry["section"]] += 1
    found = []
    for item in edit.added:
        section = ours.get((item.heading or "").casefold())
        if section is None and item.heading in below:
            section = min(below[item.heading], key=lambda name: (-below[item.heading][name], name))
        text = item.words
        if section is None and item.heading and len(text.split()) < SELF_CONTAINED:
            text = f"{item.heading.rstrip(':')}: {text}"
        found.append((item, text, render.HEADINGS[section] if section else item.heading))
    return found
