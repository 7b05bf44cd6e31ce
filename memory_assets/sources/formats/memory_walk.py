"""What a file's lines are and say, as it is gone through: fates, places, statements. Pure."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

from memory_assets.sources.formats import memory_words as words

LONGEST = 6_000
"""Characters of a statement; a longer block becomes several, cut between its lines."""
SEPARATOR = " > "
HEADING, BLANK, STATEMENT, SKIPPED = "heading", "blank", "statement", "skipped"
FENCE_SKIPPED = "it opens or closes a block of code, which is kept"
RULE_SKIPPED = "it only divides the page"
EDGE_SKIPPED = "it is the edge of the front matter"
WORDLESS = "it says nothing in words"
MARKUP_SKIPPED = "it is markup without words"


@dataclass(frozen=True)
class Statement:
    """One statement: the lines (from 1, both included) that it is told in, its words, the headings above, its day."""

    first: int
    last: int
    text: str
    section: str | None = None
    day: str | None = None
    is_open: bool = False
    """An open box of a list, or a line under a heading of tasks that is not ticked off."""


class Fate(NamedTuple):
    """What a line is; of a skipped one, why."""

    kind: str
    reason: str | None = None


@dataclass
class Split:
    """A whole file: ``lines`` as they stand, the fate of each, its statements in order, and the day of the file."""

    lines: list[str]
    fates: list[Fate]
    statements: list[Statement]
    day: str | None = None


@dataclass(frozen=True)
class Place:
    """What stands above a block: headings from the outermost, a line that leads in, the day, nested deeper or not."""

    headings: tuple[str, ...] = ()
    lead: str = ""
    is_led: bool = False
    """The lead has no line of its own: whatever follows carries its words."""
    day: str | None = None

    @property
    def section(self) -> str | None:
        """The headings in one."""
        return SEPARATOR.join(self.headings) or None


@dataclass
class Walk:
    """A file that is being gone through: its lines, the fate of each as far as known, and the statements so far."""

    lines: list[str]
    fates: list[Fate | None]
    statements: list[Statement] = field(default_factory=list)

    def mark(self, first: int, last: int, fate: Fate) -> None:
        """Give the lines from ``first`` to ``last`` (from 0, the last excluded) a fate, where they have none."""
        for number in range(max(first, 0), min(last, len(self.lines))):
            if self.fates[number] is None:
                self.fates[number] = fate

    def state(self, first: int, last: int, text: str, place: Place, *, box: str = "", led: bool | None = None) -> None:
        """A statement of the lines ``first`` to ``last`` (from 0, the last excluded)."""
        text = said = text.strip()
        if not words.has_words(text):
            return
        heading = next((name for name in reversed(place.headings) if words.can_lead(name)), "")
        lead = place.lead or heading
        must = place.is_led if led is None else led
        if lead and (must or not words.stands_alone(text)) and lead.casefold() not in text.casefold():
            text = f"{lead}: {text}"
        headings = place.headings
        if box:
            headings = (*headings, "To do" if box == " " else "Done")
            text = text if box == " " else f"Done: {text}"
        section = SEPARATOR.join(headings) or None
        last = max(last, first + 1)
        parts = words.cut(text, LONGEST)
        spans = [(0, last - first)]
        if len(parts) > 1:  # each tells the lines that it is cut from, and no others
            own = [parts[0][text.find(said) :], *parts[1:]]
            spans = words.line_spans(self.lines[first:last], own)
        for part, (begin, until) in zip(parts, spans, strict=True):
            self.statements.append(
                Statement(first + begin + 1, first + until, part, section, place.day, box == " ")
            )
        self.mark(first, last, Fate(STATEMENT))
