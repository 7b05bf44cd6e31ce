"""The lines of a published memory file with the memories that each holds, and what may lead their words in. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from memory_assets.clock import MONTHS
from memory_assets.memory_file import render, when
from memory_assets.memory_file.edited_text import same_words, split_lines

LONGEST_LEAD = 60
_MONTHS = "|".join(MONTHS)
# What an editor may have meant as a speaker: a sentence that goes on behind its colon is none.
LEAD = re.compile(
    rf"(?:(?P<day>\d{{1,2}} (?:{_MONTHS}))(?:, |(?=:)))?(?P<label>(?:[^|:;.!?\[\]]|[.!?](?=\w)){{1,60}})?:(?:\s|$)"
)
# What the renderer guarantees of the leads that it has written itself (``render.is_line_of``).
_OWN_LEAD = rf"[^|:\[\]]{{1,{LONGEST_LEAD}}}"
_DAY_OF_LEAD = re.compile(rf"(?P<day>\d{{1,2}} (?:{_MONTHS}))(?:, |$)")
_DATED = re.compile(rf"\d{{1,2}} (?:{_MONTHS})\b")


@dataclass(frozen=True)
class Member:
    """A memory in its line: what it is called there, and what leads it in where it stands elsewhere."""

    entry: Mapping[str, Any]
    label: str
    day: str

    def said_as(self, words: str, label: str | None = None) -> str:
        """Other words in this memory's place, with the day and the speaker that its line tells."""
        speaker = self.label if label is None else label
        day = "" if _DATED.match(words) else self.day
        lead = ", ".join(filter(None, (day, speaker)))
        return f"{lead}: {words}" if lead else words


@dataclass(frozen=True)
class PublishedLine:
    """A line of the published file with the memories it holds."""

    place: int
    ref: str
    lead: str
    members: tuple[Member, ...]
    whole: str
    """Its words without notes and reference, in the form in which lines are compared."""
    notes: str = ""
    """The dates that stand behind its words, which nobody has said: they are no part of what a person changes."""

    @property
    def bare(self) -> str:
        """The words alone, without what leads them in."""
        return self.whole.removeprefix(self.lead)

    @property
    def forms(self) -> frozenset[str]:
        """The words by which it is the same line, led in and noted or not."""
        return frozenset(words + notes for words in (self.whole, self.bare) for notes in ("", self.notes))

    def without_notes(self, words: str) -> str:
        """Words without the published notes, wherever they stand now."""
        before, notes, after = words.rpartition(self.notes) if self.notes else (words, "", "")
        return (before + after).strip() if notes else words

    @property
    def leads(self) -> tuple[tuple[str, str], ...]:
        """What may stand before words of it as it was published, the longest first, each with its speaker."""
        found = {f"{same_words(member.label)}:": member.label for member in self.members if member.label}
        if self.lead:
            found[self.lead.strip()] = self.members[0].label
        if day := _DATED.match(self.members[0].day):
            found[f"{day[0]}:"] = ""
        return tuple(sorted(found.items(), key=lambda lead: (-len(lead[0]), lead[0])))

    def without_leads(self, words: str) -> tuple[str | None, str]:
        """Words without all the published leads before them, and the speaker whom the last one names."""
        label: str | None = None
        while True:
            for lead, speaker in self.leads:
                if words.startswith(lead) and words[len(lead) : len(lead) + 1] in ("", " "):
                    label, words = speaker or label or "", words[len(lead) :].strip()
                    break
            else:
                return label, words


def published_lines(text: str, entries: Sequence[Mapping[str, Any]]) -> list[PublishedLine]:
    """The lines of ``text`` that hold entries of its manifest, each entry in the line of its ``ref``."""
    by_ref: dict[str, list[Mapping[str, Any]]] = {}
    for entry in entries:
        by_ref.setdefault(entry["ref"], []).append(entry)
    found: list[PublishedLine] = []
    year = ""
    for line in split_lines(text):
        if render.is_day_line(line) or line.startswith("## "):
            year = line.removeprefix("### ") if line.removeprefix("### ").isdigit() else ""
        for ref in render.references_in(line):
            if members := by_ref.pop(ref, []):
                words = line.removeprefix("- ").removesuffix(f"[{ref}]").rstrip()
                lead, known, notes = _members(words, members, year)
                whole = same_words(words.removesuffix(notes))
                found.append(PublishedLine(len(found), ref, lead, known, whole, notes))
    return found


def _members(words: str, entries: Sequence[Mapping[str, Any]], year: str) -> tuple[str, tuple[Member, ...], str]:
    """What leads a line in, the memories in it with their speakers, and its notes: each speaker stands before the first
    of his.

    The whole line is matched, so that no name in it can pass for words of a memory.
    """
    texts = [re.escape(entry["text"]) for entry in entries]
    match = re.fullmatch(rf"(?:({_OWN_LEAD}): )?" + rf"(;? | \| (?:{_OWN_LEAD}: )?)".join(f"({t})" for t in texts) + f"({when.NOTES})?", words)
    if match is None:  # no line of ours: nothing is known of who said what
        return "", tuple(Member(entry, "", "") for entry in entries), ""
    lead = match[1] or ""
    day = found["day"] if (found := _DAY_OF_LEAD.match(lead)) else ""
    label = lead[found.end() :] if found else lead
    members = [Member(entries[0], label, f"{day} {year}".rstrip() if day else "")]
    for place, entry in enumerate(entries[1:]):
        between = match[2 * place + 3]
        label = between.strip(" |").removesuffix(":") if "|" in between else label
        members.append(Member(entry, label, members[0].day))
    return same_words(f"{lead}:") + " " if lead else "", tuple(members), match[match.re.groups] or ""
