"""What a person or an agent has changed in a published memory file: added, changed and removed lines. Pure.

The published text and its manifest entries against the text on disk. A line is known by its reference, else by its
words, else by words that are nearly the same. Order, white space, line ends, headings, our own day lines and emphasis
are no edits. A line may hold several memories of one source under one reference: of those only the ones whose words
are gone have changed.

Too much gone at once is no order to forget it: an emptied or cut file, or one of which more than half of its entries
(and more than :data:`FEW`) vanished, gives :attr:`Edit.vanished`, to be confirmed by a person, and no removal.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from rapidfuzz import fuzz

from memory_assets.clock import MONTHS
from memory_assets.memory_file import render, when
from memory_assets.memory_file.edited_text import (
    BLANK,
    CODE,
    DAY,
    HEADING,
    RULE,
    Item,
    items_of,
    same_words,
    split_lines,
)

FEW = 3
"""So many entries may always be removed at once, in however short a file."""

NEARLY_THE_SAME = 70.0
"""From this likeness (0 to 100) a line that lost its reference is the changed one, not another."""

OF_ONE_LINE = 50.0
"""The same for parts of one line, which are known to belong together."""

SELF_CONTAINED = 4
"""A line of fewer words than this takes the words of a foreign heading with it: "milk" under "Shopping"."""

LONGEST_LEAD = 60
_MONTHS = "|".join(MONTHS)
# What an editor may have meant as a speaker: a sentence that goes on behind its colon is none.
_LEAD = re.compile(
    rf"(?:(?P<day>\d{{1,2}} (?:{_MONTHS}))(?:, |(?=:)))?(?P<label>(?:[^|:;.!?\[\]]|[.!?](?=\w)){{1,60}})?:(?:\s|$)"
)
# What the renderer guarantees of the leads that it has written itself (``render.is_line_of``).
_OWN_LEAD = rf"[^|:\[\]]{{1,{LONGEST_LEAD}}}"
_DAY_OF_LEAD = re.compile(rf"(?P<day>\d{{1,2}} (?:{_MONTHS}))(?:, |$)")
_DATED = re.compile(rf"\d{{1,2}} (?:{_MONTHS})\b")
_ENDS = (".", "!", "?", "…", ":", "。", "！", "？", '"', "”", "’", ")", "*")

KEPT, ADDED, CHANGED, STRUCK, AGAIN, NOTHING = "kept", "added", "changed", "struck", "again", "nothing"


@dataclass(frozen=True)
class Added:
    """Words that were not in the published file: at ``line`` of the edited one, under ``heading``, one of ours or
    another. ``ref`` is a reference that the published file does not have: an older line's, maybe."""

    line: int
    text: str
    heading: str | None
    ref: str | None = None


@dataclass(frozen=True)
class Changed:
    """An entry that stands in other words now."""

    memory_id: str
    ref: str
    line: int
    before: str
    after: str
    section: str


@dataclass(frozen=True)
class Removed:
    """An entry that is gone."""

    memory_id: str
    ref: str
    before: str
    section: str


@dataclass(frozen=True)
class Edit:
    """Everything that differs, and what each line of the edited file is (:attr:`became`, by its number from 1)."""

    added: tuple[Added, ...] = ()
    changed: tuple[Changed, ...] = ()
    removed: tuple[Removed, ...] = ()
    vanished: tuple[Removed, ...] = ()
    """What is gone where so much is gone, or the file is cut, that a person has to confirm it."""
    became: Mapping[int, str] = field(default_factory=dict)

    def __bool__(self) -> bool:
        return bool(self.added or self.changed or self.removed or self.vanished)


@dataclass(frozen=True)
class _Member:
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
class _Published:
    """A line of the published file with the memories it holds."""

    place: int
    ref: str
    lead: str
    members: tuple[_Member, ...]
    whole: str
    """Its words without notes and reference, in the form in which lines are compared."""
    notes: str = ""
    """The dates that stand behind its words, which nobody has said: they are no part of what a person changes."""

    @property
    def bare(self) -> str:
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


@dataclass
class _Found:
    added: list[Added]
    changed: list[Changed]
    removed: list[Removed]


def diff(published: str, entries: Sequence[Mapping[str, Any]], edited: str) -> Edit:
    """The edit that led from the ``published`` text to the ``edited`` one.

    ``entries`` are the manifest's: ``ref``, ``memory_id``, ``section`` and ``text``; those of one line share its ``ref``.
    """
    lines = _published_lines(published, entries)
    items = items_of(edited)
    said = [item for item in items if item.kind not in (BLANK, HEADING, DAY, RULE)]
    pairs = _pairs(lines, said)
    cut = _cut_item(lines, said, pairs, edited)
    sections = _sections(items, said, pairs, lines)
    became = {number: item.kind for item in items for number in item.lines}
    found = _Found([], [], [])
    known = Counter(words for line in lines for words in line.forms)
    for place, item in enumerate(said):
        line = lines[pairs[place]] if place in pairs else None
        if place == cut:
            outcome = KEPT if line is not None else NOTHING
        elif line is None:
            outcome = _new(item, sections[place], known, found)
        elif item.struck:
            found.removed += [_removed(line, member) for member in line.members]
            outcome = STRUCK
        else:
            outcome = _compare(line, item, sections[place], found)
        became |= dict.fromkeys(item.lines, outcome)
    there = set(pairs.values())
    gone = [_removed(line, member) for line in lines if line.place not in there for member in line.members]
    of_all = sum(len(line.members) for line in lines)
    emptied = bool(lines) and not said
    doubtful = bool(gone) and (emptied or cut is not None or len(gone) > max(FEW, of_all / 2))
    removed, vanished = (found.removed, gone) if doubtful else ([*found.removed, *gone], [])
    return Edit(tuple(found.added), tuple(found.changed), tuple(removed), tuple(vanished), became)


def _published_lines(text: str, entries: Sequence[Mapping[str, Any]]) -> list[_Published]:
    by_ref: dict[str, list[Mapping[str, Any]]] = {}
    for entry in entries:
        by_ref.setdefault(entry["ref"], []).append(entry)
    found: list[_Published] = []
    year = ""
    for line in split_lines(text):
        if render.is_day_line(line) or line.startswith("## "):
            year = line.removeprefix("### ") if line.removeprefix("### ").isdigit() else ""
        for ref in render.references_in(line):
            if members := by_ref.pop(ref, []):
                words = line.removeprefix("- ").removesuffix(f"[{ref}]").rstrip()
                lead, known, notes = _members(words, members, year)
                whole = same_words(words.removesuffix(notes))
                found.append(_Published(len(found), ref, lead, known, whole, notes))
    return found


def _members(words: str, entries: Sequence[Mapping[str, Any]], year: str) -> tuple[str, tuple[_Member, ...], str]:
    """What leads a line in, the memories in it with their speakers, and its notes: each speaker stands before the first
    of his.

    The whole line is matched, so that no name in it can pass for words of a memory.
    """
    texts = [re.escape(entry["text"]) for entry in entries]
    match = re.fullmatch(rf"(?:({_OWN_LEAD}): )?" + rf"(;? | \| (?:{_OWN_LEAD}: )?)".join(f"({t})" for t in texts) + f"({when.NOTES})?", words)
    if match is None:  # no line of ours: nothing is known of who said what
        return "", tuple(_Member(entry, "", "") for entry in entries), ""
    lead = match[1] or ""
    day = found["day"] if (found := _DAY_OF_LEAD.match(lead)) else ""
    label = lead[found.end() :] if found else lead
    members = [_Member(entries[0], label, f"{day} {year}".rstrip() if day else "")]
    for place, entry in enumerate(entries[1:]):
        between = match[2 * place + 3]
        label = between.strip(" |").removesuffix(":") if "|" in between else label
        members.append(_Member(entry, label, members[0].day))
    return same_words(f"{lead}:") + " " if lead else "", tuple(members), match[match.re.groups] or ""


def _lead_of(text: str) -> tuple[str, str]:
    """The day and the speaker of what stands before words: ``8 May, Caroline:``, either alone, or nothing."""
    match = _LEAD.match(text.strip())
    return (match["day"] or "", (match["label"] or "").strip()) if match else ("", "")


def _pairs(lines: Sequence[_Published], said: Sequence[Item]) -> dict[int, int]:
    """Which published line each item is: by its reference, its words, or words that are nearly the same."""
    pairs: dict[int, int] = {}
    free = {line.place for line in lines}
    by_ref = {line.ref: line for line in lines}
    asked: list[tuple[float, int, int]] = []
    for place, item in enumerate(said):
        if item.ref in by_ref:
            line = by_ref[item.ref]
            # Of several copies of a line the one that has changed least is the line; the others are new.
            asked.append((-300.0 - fuzz.ratio(line.whole, same_words(item.words)), place, line.place))
    _take(asked, pairs, free)
    asked = []
    exact: dict[str, list[int]] = {}
    for line in lines:
        for words in sorted(line.forms):
            exact.setdefault(words, []).append(line.place)
    for place, item in enumerate(said):
        if place not in pairs and not (item.ref in by_ref):
            asked += [(-200.0, place, target) for target in exact.get(same_words(item.words), ())]
    _take(asked, pairs, free)
    asked = []
    open_lines = [line for line in lines if line.place in free]
    for place, item in enumerate(said):
        if place in pairs or item.ref in by_ref or item.kind == CODE or not open_lines:
            continue
        words = same_words(item.words)
        for line in open_lines:
            if (likeness := fuzz.ratio(line.whole, words, score_cutoff=NEARLY_THE_SAME)) > 0:
                asked.append((-likeness, place, line.place))
    _take(asked, pairs, free)
    return pairs


def _take(asked: list[tuple[float, int, int]], pairs: dict[int, int], free: set[int]) -> None:
    for _, place, target in sorted(asked):
        if place not in pairs and target in free:
            pairs[place] = target
            free.discard(target)


def _cut_item(
    lines: Sequence[_Published], said: Sequence[Item], pairs: Mapping[int, int], edited: str
) -> int | None:
    """The item at which the file was cut short: it has the beginning of a published line, no reference and no line end,
    and none of the lines that came after that one are there."""
    last = len(said) - 1
    if not said or edited.endswith(("\n", "\r")) or max(said[last].lines) < len(split_lines(edited)):
        return None
    words = re.sub(r"\s*\[\d{0,9}$", "", same_words(said[last].words))
    if said[last].ref is not None:
        return None
    there = {target for place, target in pairs.items() if place != last}
    for line in lines:
        if (line.whole + line.notes).startswith(words) and there.isdisjoint(range(line.place, len(lines))):
            return last
    return None


def _sections(
    items: Sequence[Item], said: Sequence[Item], pairs: Mapping[int, int], lines: Sequence[_Published]
) -> list[tuple[str | None, str | None]]:
    """Per item the section it stands in, and the foreign heading where it stands in none.

    A heading of ours that was renamed is known by most of the entries that still stand below it.
    """
    ours = {title.casefold(): name for name, title in render.HEADINGS.items()}
    below: dict[str | None, Counter[str]] = {}
    for place, target in pairs.items():
        section = lines[target].members[0].entry["section"]
        below.setdefault(said[place].heading, Counter())[section] += 1
    found: list[tuple[str | None, str | None]] = []
    title = next((item.words for item in items if item.kind == HEADING), None)
    for item in said:
        section = ours.get((item.heading or "").casefold())
        if section is None and item.heading in below:
            section = min(below[item.heading], key=lambda name: (-below[item.heading][name], name))
        foreign = item.heading if section is None and item.heading != title else None
        found.append((section, foreign))
    return found


def _new(item: Item, place: tuple[str | None, str | None], known: Counter[str], found: _Found) -> str:
    section, foreign = place
    if item.struck:
        return STRUCK
    if same_words(item.words) in known:
        return AGAIN
    if not any(map(str.isalnum, item.words)):
        return NOTHING
    text = item.words
    if foreign and len(text.split()) < SELF_CONTAINED:
        text = f"{foreign.rstrip(':')}: {text}"
    found.added.append(Added(item.line, text, _title(section) or foreign, item.ref))
    return ADDED


def _title(section: str | None) -> str | None:
    return render.HEADINGS.get(section) if section else None


def _removed(line: _Published, member: _Member) -> Removed:
    entry = member.entry
    return Removed(entry["memory_id"], line.ref, entry["text"], entry["section"])


def _changed(line: _Published, member: _Member, item: Item, after: str) -> Changed:
    entry = member.entry
    return Changed(entry["memory_id"], line.ref, item.line, entry["text"], after, entry["section"])


def _compare(line: _Published, item: Item, place: tuple[str | None, str | None], found: _Found) -> str:
    """What became of a published line that is still there."""
    words = line.without_notes(same_words(item.words))
    if words in (line.whole, line.bare):
        return KEPT
    if not any(map(str.isalnum, line.without_leads(words)[1])):
        found.removed += [_removed(line, member) for member in line.members]
        return CHANGED
    if len(line.members) == 1:
        member, (said, _) = line.members[0], _lead_of(words[: words.find(":") + 1])
        new = words.removeprefix(line.lead)
        as_led = words.startswith(line.lead) or not said and ":" not in words[:LONGEST_LEAD]
        found.changed.append(_changed(line, member, item, member.said_as(new) if as_led else words))
        return CHANGED
    before = (len(found.added), len(found.changed), len(found.removed))
    standing, fragments = _segments(line, words)
    missing = [member for place, member in enumerate(line.members) if place not in standing]
    # With one memory to look for, what stands together is what it has become; else each part is looked at alone.
    said = [part for near in fragments for part in (_joined(near) if len(missing) == 1 else near)]
    for number, label in standing.items():
        member = line.members[number]
        if label and label != member.label:  # somebody else is said to have said it
            found.changed.append(_changed(line, member, item, member.said_as(member.entry["text"], label)))
    for gone, fragment in _matched(missing, said):
        if fragment is None and gone is not None:
            found.removed.append(_removed(line, gone))
        elif fragment is not None and gone is None:
            label, text = fragment
            found.added.append(Added(item.line, f"{label}: {text}" if label else text, _title(place[0]) or place[1]))
        elif fragment is not None and gone is not None:
            found.changed.append(_changed(line, gone, item, gone.said_as(fragment[1], fragment[0] or None)))
    return KEPT if before == (len(found.added), len(found.changed), len(found.removed)) else CHANGED


def _segments(line: _Published, words: str) -> tuple[dict[int, str], list[list[tuple[str, str]]]]:
    """The memories of a line whose words stand in an edited one, by their number with the speaker they stand under; and
    what else stands there, with its speaker: what no memory and no other speaker parts together."""
    rest = words
    for number in sorted(range(len(line.members)), key=lambda n: -len(line.members[n].entry["text"])):
        text = same_words(line.members[number].entry["text"])
        after = r"(?=\s|\x00|$)" if text.endswith(_ENDS) else r"\.?(?=;|\s\||\x00|$)"
        match = re.search(rf"(?:^|(?<=\s)|(?<=\x00)){re.escape(text)}{after}", rest)
        if match is not None and _begins(rest[: match.start()]):
            rest = f"{rest[: match.start()]}\x00{number}\x00{rest[match.end() :]}"
    standing: dict[int, str] = {}
    fragments: list[list[tuple[str, str]]] = []
    label, opens = "", True
    pieces = rest.split("\x00")
    for place, piece in enumerate(pieces):
        if place % 2:
            standing[int(piece)] = label
            opens = False
            continue
        parts = re.split(r"\s\|(?=\s|$)|^\|(?=\s|$)", piece)
        for number, part in enumerate(parts):
            if number:
                label, opens = "", True
            text = part.strip(" ;")
            published, text = line.without_leads(text)
            label = label if published is None else published
            # A day and a name in a row may lead in together; behind a name, "Note: x" is what was said.
            if opens and (lead := _LEAD.match(text)) and (published is None or lead.end() == len(text)):
                label, text = (lead["label"] or "").strip() or label, text[lead.end() :].strip()
            opens = opens and not text
            text, after_it = _without_last_lead(line, text) if place + 1 < len(pieces) else (text, None)
            near = [(label, said) for cut in text.split("; ") if any(map(str.isalnum, said := cut.strip(" ;")))]
            fragments += [near] if near else []
            label = after_it or label
    return standing, fragments


def _without_last_lead(line: _Published, words: str) -> tuple[str, str | None]:
    """Words without the published speaker who stands behind them, before a memory; and who that is."""
    for lead, speaker in line.leads:
        if speaker and words.endswith(f" {lead}") and _begins(words.removesuffix(lead)):
            return words.removesuffix(lead).strip(), speaker
    return words, None


def _joined(near: Sequence[tuple[str, str]]) -> list[tuple[str, str]]:
    return [(near[0][0], "; ".join(text for _, text in near))]


def _begins(before: str) -> bool:
    """Whether a memory's words can begin behind these: at a mark of ours or the end of a sentence."""
    return not before.strip() or before.rstrip().endswith((*_ENDS, ";", "|", "\x00"))


def _matched(
    missing: Sequence[_Member], fragments: Sequence[tuple[str, str]]
) -> Iterable[tuple[_Member | None, tuple[str, str] | None]]:
    """Missing memories with the fragments that they have become; the rest of both alone."""
    asked = sorted(
        (-max(fuzz.ratio(said, part), fuzz.partial_ratio(said, part)), m, f)
        for m, said in enumerate(member.entry["text"] for member in missing)
        for f, (_, part) in enumerate(fragments)
    )
    pairs: dict[int, int] = {}
    if len(missing) == len(fragments) == 1:
        pairs = {0: 0}
    for likeness, m, f in asked:
        if m not in pairs and f not in pairs.values() and -likeness >= OF_ONE_LINE:
            pairs[m] = f
    for m, member in enumerate(missing):
        yield member, (fragments[pairs[m]] if m in pairs else None)
    for f, part in enumerate(fragments):
        if f not in pairs.values():
            yield None, part
