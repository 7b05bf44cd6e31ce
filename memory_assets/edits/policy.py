"""What an edit of a published file does: which lines are the same, reworded, new or gone, and what is asked about.
Pure.

| in the file | MEMORY.md: about its memory | HEARTBEAT.md: about its task |
|---|---|---|
| a line is new | ``added``; ``restored`` where it had been taken out | ``added``; ``restored``; ``kept beside`` where it is no task |
| a line has other words | ``superseded``, by what is ``added`` | ``changed`` (reworded or rescheduled) |
| a line is gone, ticked off in tasks, or struck out | ``retired`` | ``removed``: it rests |
| too much is gone at once | ``vanished``: asked about | ``vanished``: asked about |
| ``edits confirm`` of what vanished | ``retired`` | ``removed`` |
| ``edits undo`` of what vanished | what it was before, or ``dismissed`` | ``dismissed`` |
| ``edits undo`` of anything else | what it was before: ``undone``; ``retired`` what was written | ``undone``: the task as it was |

``memory_file/edit_decisions.py`` and ``heartbeat/edit_decisions.py`` carry these out. A line is known by its reference,
else by its words, else by words that are nearly the same; order, white space and line ends are no edits.

Too much gone at once is no order to forget it: an emptied or cut file, another one in its place, one of an earlier
publication, or one of which more than half of the lines (and more than :data:`FEW`) are gone.
"""  # noqa: E501

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime

from rapidfuzz import fuzz

from memory_assets.runtime.edited_files import DISMISSED, VANISHED, Edit, Item, Line, Reading, Row, decided_anew
from memory_assets.text.items import CODE
from memory_assets.text.lines import same_words, split_lines

FEW = 3
"""So many lines may always be removed at once, in however short a file."""

NEARLY_THE_SAME = 70.0
"""From this likeness (0 to 100) a line that lost its reference is the changed one, not another."""

_TITLE = re.compile(r"^# (?:Memory|Heartbeat) of ([a-z0-9_-]+)[ \t]*\r?$", re.M)
_HALF_REFERENCE = re.compile(r"(?:(?<!\s)\s++)?\[\d{0,9}$")


def diff(published: str, edited: str, reading: Reading) -> Edit:
    """The edit that led from the ``published`` text to the ``edited`` one; of another user's file nothing is taken."""
    lines, items = reading.lines, reading.items
    if _is_anothers(published, edited):
        return Edit(vanished=tuple(lines), is_foreign=True)
    pairs = _pairs(lines, items)
    cut = _cut_item(lines, items, pairs, published, edited)
    known = {words for line in lines for words in line.forms}
    added, changed, same, removed = [], [], [], []
    for place, item in enumerate(items):
        line = lines[pairs[place]] if place in pairs else None
        if line is None:
            is_said = reading.signs_count or any(map(str.isalnum, item.words))
            if place != cut and not item.struck and is_said and same_words(item.words) not in known:
                added.append(item)
        elif place == cut or (says := "" if item.struck else line.now_says(item)) is None:
            same.append((line, item))
        elif says:
            changed.append((line, item, says))
        else:
            removed.append(line)
    there = set(pairs.values())
    gone = [line for place, line in enumerate(lines) if place not in there]
    is_much = len(gone) > max(FEW, len(lines) / 2)
    is_asked = bool(gone) and (is_much or cut is not None or reading.is_older or not reading.is_ours)
    removed, vanished = (removed, gone) if is_asked else ([*removed, *gone], [])
    return Edit(tuple(added), tuple(changed), tuple(removed), tuple(vanished), tuple(same), reading.is_older)


def _is_anothers(published: str, edited: str) -> bool:
    """Whether the title is that of another user's file."""
    ours, theirs = _TITLE.search(published), set(_TITLE.findall(edited))
    return ours is not None and bool(theirs) and ours[1] not in theirs


def _pairs(lines: Sequence[Line], items: Sequence[Item]) -> dict[int, int]:
    """Which published line each item is: by its reference, its words, or words that are nearly the same."""
    pairs: dict[int, int] = {}
    words = [same_words(item.words) for item in items]
    by_ref = {line.ref: place for place, line in enumerate(lines)}
    named = {place: by_ref[item.ref] for place, item in enumerate(items) if item.ref and item.ref in by_ref}
    # Of several copies of a line the one that has changed least is the line; the others are new.
    copies = ((-fuzz.ratio(lines[target].whole, words[place]), place, target) for place, target in named.items())
    _take(pairs, copies)
    others = [place for place in range(len(items)) if place not in named]
    said: dict[str, list[int]] = {}
    for target, line in enumerate(lines):
        for form in line.forms:
            said.setdefault(form, []).append(target)
    _take(pairs, ((0.0, place, target) for place in others for target in said.get(words[place], ())))
    free = [target for target, line in enumerate(lines) if line.whole and target not in set(pairs.values())]
    asked = [place for place in others if place not in pairs and items[place].kind != CODE]
    likeness = (
        (-fuzz.ratio(lines[target].whole, words[place], score_cutoff=NEARLY_THE_SAME), place, target)
        for place in asked
        for target in free
    )
    _take(pairs, (one for one in likeness if one[0]))
    return pairs


def _take(pairs: dict[int, int], asked: Iterable[tuple[float, int, int]]) -> None:
    """The best pairs first, each item and each line once."""
    taken = set(pairs.values())
    for _, place, target in sorted(asked):
        if place not in pairs and target not in taken:
            pairs[place] = target
            taken.add(target)


def _cut_item(
    lines: Sequence[Line], items: Sequence[Item], pairs: Mapping[int, int], published: str, edited: str
) -> int | None:
    """The item at which the file was cut short: the file was not edited there, but not written to its end.

    The last one of a text that ends in the middle of a published line, or one that has the beginning of a line, neither
    reference nor line end, and none of the lines that came after that one.
    """
    last = len(items) - 1
    if edited.endswith(("\n", "\r")):
        return None
    whole, ours = "\n".join(split_lines(edited)).rstrip(), "\n".join(split_lines(published))
    if whole and ours.startswith(whole) and ours[len(whole) : len(whole) + 1] not in ("", "\n"):
        return last
    if not items or items[last].ref is not None or items[last].last < len(split_lines(edited)):
        return None
    words = _HALF_REFERENCE.sub("", same_words(items[last].words))
    there = {target for place, target in pairs.items() if place != last}
    begun = (place for place, line in enumerate(lines) if same_words(line.written).startswith(words))
    return last if any(there.isdisjoint(range(place, len(lines))) for place in begun) else None


def confirm_rows(chosen: Sequence[Row], now: datetime, gone: str, doubts: Mapping[str, str]) -> list[Row]:
    """What confirming the open questions among ``chosen`` decides: what vanished is gone, a conflict is seen.

    ``doubts`` says of written memories why they are not in their file: that is seen too, as long as it stays so.
    """
    rows = [decided_anew(row, gone, now) for row in chosen if row["action"] == VANISHED]
    for row in chosen:
        doubt = doubts.get(row["memory_id"])
        if row["action"] != VANISHED and (row["conflict"] or (doubt and doubt != row["seen"])):
            rows.append(decided_anew(row, row["action"], now, seen=doubt or row["seen"]))
    return rows


def dismissed(row: Row, now: datetime) -> Row:
    """Close the question of what had vanished: it is what it was before, in its editor's words or not."""
    before = {"edited_text": row["published_text"]} if row["action_before"] else {}
    return decided_anew(row, row["action_before"] or DISMISSED, now, **before)
