"""What became of a published line that still stands in an edited file, memory by memory. Pure.

A line may hold several memories under one reference: of those only the ones whose words are gone, struck out or ticked off
have changed.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from rapidfuzz import fuzz

from memory_assets.memory_file import render
from memory_assets.memory_file.edit_kinds import CHANGED, KEPT, Added, Changed, Found, Removed
from memory_assets.memory_file.edited_text import Item, same_words
from memory_assets.memory_file.published_lines import LEAD, LONGEST_LEAD, Member, PublishedLine

OF_ONE_LINE = 50.0
"""From this likeness (0 to 100) a part of a line is what a memory of that line has become: they are known to belong together."""

TICK = "[x]"
"""How a task that somebody ticks off on a line of several is written from then on."""

_STRUCK = re.compile(r"~~[^~]+~~")
# Only what can be meant of one side: a bare check mark between two tasks may be either's.
_TICKED = r"(?:\[[xX]\]|(?i:done):)"
_TICKED_BEHIND = r"\((?i:done)\)"

_ENDS = (".", "!", "?", "…", ":", "。", "！", "？", '"', "”", "’", ")", "*")


def _lead_of(text: str) -> tuple[str, str]:
    """The day and the speaker of what stands before words: ``8 May, Caroline:``, either alone, or nothing."""
    match = LEAD.match(text.strip())
    return (match["day"] or "", (match["label"] or "").strip()) if match else ("", "")


def title_of(section: str | None) -> str | None:
    """The heading of one of our sections; None for anything else."""
    return render.HEADINGS.get(section) if section else None


def removed_of(line: PublishedLine, member: Member) -> Removed:
    """The removal of one memory of a line."""
    entry = member.entry
    return Removed(entry["memory_id"], line.ref, entry["text"], entry["section"])


def _changed(line: PublishedLine, member: Member, item: Item, after: str) -> Changed:
    entry = member.entry
    return Changed(entry["memory_id"], line.ref, item.line, entry["text"], after, entry["section"])


def compare(line: PublishedLine, item: Item, place: tuple[str | None, str | None], found: Found) -> str:
    """What became of a published line that is still there."""
    words = line.without_notes(same_words(item.words))
    if words in (line.whole, line.bare):
        return KEPT
    if not any(map(str.isalnum, line.without_leads(words)[1])):
        found.removed += [removed_of(line, member) for member in line.members]
        return CHANGED
    if len(line.members) == 1:
        member, (said, _) = line.members[0], _lead_of(words[: words.find(":") + 1])
        new = words.removeprefix(line.lead)
        as_led = words.startswith(line.lead) or not said and ":" not in words[:LONGEST_LEAD]
        found.changed.append(_changed(line, member, item, member.said_as(new) if as_led else words))
        return CHANGED
    before = (len(found.added), len(found.changed), len(found.removed))
    if "~~" not in line.whole:
        words = " ".join(_STRUCK.sub(" ", words).split())
    words, ticked = _without_ticks(line, words)
    standing, fragments = _segments(line, words)
    missing = [member for place, member in enumerate(line.members) if place not in standing]
    # With one memory to look for, what stands together is what it has become; else each part is looked at alone.
    parts = [part for near in fragments for part in (_joined(near) if len(missing) == 1 else near)]
    for number, label in standing.items():
        member = line.members[number]
        text = f"{TICK} {member.entry['text']}" if number in ticked else member.entry["text"]
        if number in ticked or label and label != member.label:  # done, or somebody else is said to have said it
            found.changed.append(_changed(line, member, item, member.said_as(text, label or None)))
    for gone, fragment in _matched(missing, parts):
        if fragment is None and gone is not None:
            found.removed.append(removed_of(line, gone))
        elif fragment is not None and gone is None:
            label, text = fragment
            found.added.append(Added(item.line, f"{label}: {text}" if label else text, title_of(place[0]) or place[1]))
        elif fragment is not None and gone is not None:
            found.changed.append(_changed(line, gone, item, gone.said_as(fragment[1], fragment[0] or None)))
    return KEPT if before == (len(found.added), len(found.changed), len(found.removed)) else CHANGED


def _longest_first(line: PublishedLine) -> list[int]:
    return sorted(range(len(line.members)), key=lambda n: -len(line.members[n].entry["text"]))


def _without_ticks(line: PublishedLine, words: str) -> tuple[str, frozenset[int]]:
    """Words without the ticks that no published line has, and the numbers of the memories that these tick off: one before
    the whole line all of them, else each the memory that it stands beside."""
    if whole := re.match(rf"{_TICKED} ", words):
        if not line.whole.startswith(whole[0]) and (line.lead or whole[0].startswith("[")):
            return words[whole.end() :], frozenset(range(len(line.members)))
    ticked = set()
    for number in _longest_first(line):
        text = same_words(line.members[number].entry["text"])
        said = re.escape(text)
        match = re.search(rf"(?<!\S)(?:{_TICKED} {said}|{said} {_TICKED_BEHIND})(?!\S)", words)
        if match is not None and match[0] not in line.whole:
            words = words[: match.start()] + text + words[match.end() :]
            ticked.add(number)
    return words, frozenset(ticked)


def _segments(line: PublishedLine, words: str) -> tuple[dict[int, str], list[list[tuple[str, str]]]]:
    """The memories of a line whose words stand in an edited one, by their number with the speaker they stand under; and
    what else stands there, with its speaker: what no memory and no other speaker parts together."""
    rest = words
    for number in _longest_first(line):
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
            if opens and (lead := LEAD.match(text)) and (published is None or lead.end() == len(text)):
                label, text = (lead["label"] or "").strip() or label, text[lead.end() :].strip()
            opens = opens and not text
            text, after_it = _without_last_lead(line, text) if place + 1 < len(pieces) else (text, None)
            near = [(label, said) for cut in text.split("; ") if any(map(str.isalnum, said := cut.strip(" ;")))]
            fragments += [near] if near else []
            label = after_it or label
    return standing, fragments


def _without_last_lead(line: PublishedLine, words: str) -> tuple[str, str | None]:
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
    missing: Sequence[Member], fragments: Sequence[tuple[str, str]]
) -> Iterable[tuple[Member | None, tuple[str, str] | None]]:
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
