"""What a person or an agent has changed in a published memory file: added, changed and removed lines. Pure.

The published text and its manifest entries against the text on disk. A line is known by its reference, else by its
words, else by words that are nearly the same. Order, white space, line ends, headings, our own day lines and emphasis
are no edits.

Too much gone at once is no order to forget it: an emptied or cut file, or one of which more than half of its entries
(and more than :data:`FEW`) vanished, gives :attr:`Edit.vanished`, to be confirmed by a person, and no removal.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from memory_assets.memory_file import render
from memory_assets.memory_file.edit_kinds import ADDED, AGAIN, KEPT, NOTHING, STRUCK, Added, Edit, Found
from memory_assets.memory_file.edited_text import BLANK, DAY, HEADING, RULE, Item, items_of, same_words
from memory_assets.memory_file.line_changes import compare, removed_of, title_of
from memory_assets.memory_file.line_pairs import cut_item, pair_lines
from memory_assets.memory_file.published_lines import PublishedLine, published_lines

FEW = 3
"""So many entries may always be removed at once, in however short a file."""

SELF_CONTAINED = 4
"""A line of fewer words than this takes the words of a foreign heading with it: "milk" under "Shopping"."""


def diff(published: str, entries: Sequence[Mapping[str, Any]], edited: str) -> Edit:
    """The edit that led from the ``published`` text to the ``edited`` one.

    ``entries`` are the manifest's: ``ref``, ``memory_id``, ``section`` and ``text``; those of one line share its ``ref``.
    """
    lines = published_lines(published, entries)
    items = items_of(edited)
    said = [item for item in items if item.kind not in (BLANK, HEADING, DAY, RULE)]
    pairs = pair_lines(lines, said)
    cut = cut_item(lines, said, pairs, edited)
    sections = _sections(items, said, pairs, lines)
    became = {number: item.kind for item in items for number in item.lines}
    found = Found([], [], [])
    known = Counter(words for line in lines for words in line.forms)
    for place, item in enumerate(said):
        line = lines[pairs[place]] if place in pairs else None
        if place == cut:
            outcome = KEPT if line is not None else NOTHING
        elif line is None:
            outcome = _new(item, sections[place], known, found)
        elif item.struck:
            found.removed += [removed_of(line, member) for member in line.members]
            outcome = STRUCK
        else:
            outcome = compare(line, item, sections[place], found)
        became |= dict.fromkeys(item.lines, outcome)
    there = set(pairs.values())
    gone = [removed_of(line, member) for line in lines if line.place not in there for member in line.members]
    of_all = sum(len(line.members) for line in lines)
    emptied = bool(lines) and not said
    doubtful = bool(gone) and (emptied or cut is not None or len(gone) > max(FEW, of_all / 2))
    removed, vanished = (found.removed, gone) if doubtful else ([*found.removed, *gone], [])
    return Edit(tuple(found.added), tuple(found.changed), tuple(removed), tuple(vanished), became)


def _sections(
    items: Sequence[Item], said: Sequence[Item], pairs: Mapping[int, int], lines: Sequence[PublishedLine]
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


def _new(item: Item, place: tuple[str | None, str | None], known: Counter[str], found: Found) -> str:
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
    found.added.append(Added(item.line, text, title_of(section) or foreign, item.ref))
    return ADDED
