"""Which published line each item of an edited memory file is, and where the file was cut short. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from rapidfuzz import fuzz

from memory_assets.memory_file.edited_text import CODE, Item, same_words, split_lines
from memory_assets.memory_file.published_lines import PublishedLine

NEARLY_THE_SAME = 70.0
"""From this likeness (0 to 100) a line that lost its reference is the changed one, not another."""


def pair_lines(lines: Sequence[PublishedLine], said: Sequence[Item]) -> dict[int, int]:
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


def cut_item(
    lines: Sequence[PublishedLine], said: Sequence[Item], pairs: Mapping[int, int], edited: str
) -> int | None:
    """The item at which the file was cut short: it has the beginning of a published line, no reference and no line end,
    and none of the lines that came after that one are there."""
    last = len(said) - 1
    if not said or edited.endswith(("\n", "\r")) or max(said[last].lines) < len(split_lines(edited)):
        return None
    words = re.sub(r"(?:(?<!\s)\s++)?\[\d{0,9}$", "", same_words(said[last].words))
    if said[last].ref is not None:
        return None
    there = {target for place, target in pairs.items() if place != last}
    for line in lines:
        if (line.whole + line.notes).startswith(words) and there.isdisjoint(range(line.place, len(lines))):
            return last
    return None
