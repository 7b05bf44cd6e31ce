"""What a person or an agent has changed in a published memory file: added, changed and removed lines. Pure.

The published text and its manifest entries against the text on disk. A line is known by its reference, else by its
words, else by words that are nearly the same. Order, white space, line ends, headings, our own day lines and emphasis
are no edits.

Too much gone at once is no order to forget it: an emptied or cut file, or one of which more than half of its entries
(and more than :data:`FEW`) vanished, gives :attr:`Edit.vanished`, to be confirmed by a person, and no removal.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from memory_assets.memory_file import render
from memory_assets.memory_file.edit_kinds import (
    ADDED,
    AGAIN,
    CHANGED,
    KEPT,
    NOTHING,
    STRUCK,
    Added,
    Changed,
    Edit,
    Removed,
)
from memory_assets.memory_file.edited_text import BLANK, DAY, HEADING, RULE, Item, items_of, same_words
from memory_assets.memory_file.line_pairs import cut_item, pair_lines
from memory_assets.memory_file.published_lines import PublishedLine, published_lines

FEW = 3
"""So many entries may always be removed at once, in however short a file."""

SELF_CONTAINED = 4
"""A line of fewer words than this takes the words of a foreign heading with it: "milk" under "Shopping"."""


def diff(published: str, entries: Sequence[Mapping[str, Any]], edited: str) -> Edit:
    """The edit that led from the ``published`` text to the ``edited`` one.

    ``entries`` are the manifest's: ``ref``, ``memory_id``, ``section`` and ``text``.
    """
    lines = published_lines(published, entries)
    items = items_of(edited)
    said = [item for item in items if item.kind not in (BLANK, HEADING, DAY, RULE)]
    pairs = pair_lines(lines, said)
    cut = cut_item(lines, said, pairs, edited)
    sections = _sections(items, said, pairs, lines)
    became = {number: item.kind for item in items for number in item.lines}
    added: list[Added] = []
    changed: list[Changed] = []
    removed: list[Removed] = []
    known = {words for line in lines for words in line.forms}
    for place, item in enumerate(said):
        line = lines[pairs[place]] if place in pairs else None
        if place == cut:
            outcome = KEPT if line is not None else NOTHING
        elif line is None:
            outcome = _became(item, known)
            if outcome == ADDED:
                added.append(_added(item, *sections[place]))
        elif item.struck:
            removed.append(line.removed)
            outcome = STRUCK
        else:
            now = line.now_says(item.words, item.line)
            outcome = CHANGED if now else KEPT
            changed += [now] if isinstance(now, Changed) else []
            removed += [now] if isinstance(now, Removed) else []
        became |= dict.fromkeys(item.lines, outcome)
    there = set(pairs.values())
    gone = [line.removed for line in lines if line.place not in there]
    emptied = bool(lines) and not said
    doubtful = bool(gone) and (emptied or cut is not None or len(gone) > max(FEW, len(lines) / 2))
    removed, vanished = (removed, gone) if doubtful else ([*removed, *gone], [])
    return Edit(tuple(added), tuple(changed), tuple(removed), tuple(vanished), became)


def _sections(
    items: Sequence[Item], said: Sequence[Item], pairs: Mapping[int, int], lines: Sequence[PublishedLine]
) -> list[tuple[str | None, str | None]]:
    """Per item the section it stands in, and the foreign heading where it stands in none.

    A heading of ours that was renamed is known by most of the entries that still stand below it.
    """
    ours = {title.casefold(): name for name, title in render.HEADINGS.items()}
    below: dict[str | None, Counter[str]] = {}
    for place, target in pairs.items():
        section = lines[target].entry["section"]
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


def _became(item: Item, known: Collection[str]) -> str:
    """What a line is that is none of the published ones."""
    if item.struck:
        return STRUCK
    if same_words(item.words) in known:
        return AGAIN
    return ADDED if any(map(str.isalnum, item.words)) else NOTHING


def _added(item: Item, section: str | None, foreign: str | None) -> Added:
    text = item.words
    if foreign and len(text.split()) < SELF_CONTAINED:
        text = f"{foreign.rstrip(':')}: {text}"
    return Added(item.line, text, render.HEADINGS[section] if section else foreign, item.ref)
