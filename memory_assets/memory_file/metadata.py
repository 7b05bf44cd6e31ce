"""What people look at on memory_draft and memory_file: the text, its budgets, what was left out and why, what changed.

Budgets, reasons and references are of a draft; the difference is of two texts of a published file.
"""

from __future__ import annotations

import difflib
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from memory_assets.files.publish import Published
from memory_assets.graph.graph import Graph
from memory_assets.memory_file.candidates import placed
from memory_assets.memory_file.render import HEADINGS
from memory_assets.memory_file.reports import count_reasons, read_nearest
from memory_assets.memory_file.user_files import UserFile
from memory_assets.memory_file.verdicts import Draft
from memory_assets.presentation import plots
from memory_assets.presentation.reports import IN_PLACE, Markdown, bar, count_table, fenced, markdown_table
from memory_assets.privacy.masking import mask_text
from memory_assets.text.lines import is_day_line

EXAMPLES = 15
LINES_SHOWN, LINE_LENGTH = 200, 400
LINES_COMPARED = 1000
"""Our own files have a hundred lines; one that somebody edited may have any number."""


def read_best_left_out(graph: Graph, user: str, draft: Draft) -> list[dict[str, Any]]:
    """The most valuable memories that a draft has weighed and left out, with their words."""
    return read_nearest(graph, user, draft.left_out, EXAMPLES)


def describe_draft(draft: Draft, best_left_out: Sequence[Mapping[str, Any]], *, made_anew: bool) -> dict[str, Any]:
    """A draft: its tokens against its budgets, what was left out and why, and its text."""
    shown = _figures(draft) | {"made_anew": made_anew} | composition(draft)
    shown |= {"sections": section_table(draft), "budget_plot": budget_use(draft)}
    return shown | left_out(draft, best_left_out) | {"draft": Markdown(draft.text)}


def _figures(draft: Draft) -> dict[str, Any]:
    figures = {"tokens": draft.tokens, "budget": draft.ceiling.limit}
    return figures | {"entries": len(draft.entries), "considered": draft.considered}


def describe_file(
    path: Path,
    published: Published,
    draft: Draft,
    best_left_out: Sequence[Mapping[str, Any]],
    previous: str | None,
) -> dict[str, Any]:
    """A published file: where it is, its text, and how it differs from ``previous``, what was there before."""
    current, copy = draft.text, published.edited_copy
    added, removed = changed_entries(previous, current)
    shown: dict[str, Any] = {"path": path, "publication": published.status, "edited_copy": copy or "none"}
    shown |= _figures(draft) | {"entries_added": added, "entries_removed": removed} | composition(draft)
    shown |= {"memory": Markdown(current)}
    shown |= {"difference": difference(previous, current, was_edited=copy is not None)}
    return shown | {"sections": section_table(draft)} | left_out(draft, best_left_out)


def describe_all(files: Sequence[tuple[UserFile, Draft, Mapping[str, Any]]]) -> dict[str, Any]:
    """The first file as if it were the only one; where there are more, a row for each and the texts of the others.

    Each with its draft and what is shown of it by itself.
    """
    whole = dict(files[0][2])
    if len(files) == 1:
        return whole
    rows = []
    for file, draft, shown in files:
        sizes, limits = draft.sizes, draft.ceiling.limits
        fullest = max(limits, key=lambda unit: sizes[unit] / limits[unit])
        row = {"file": file.path, "ceiling": file.preset or "its own"}
        row |= {"use": ", ".join(f"{sizes[unit]} of {limit} {unit}" for unit, limit in limits.items())}
        row |= {"": bar(sizes[fullest], limits[fullest]), "entries": len(draft.entries), "left out": shown["left_out"]}
        rows.append(row | {"state": shown.get("publication") or ("made anew" if shown["made_anew"] else "current")})
    whole["files"] = markdown_table(list(rows[0]), rows)
    for file, _, shown in files[1:]:
        for key in ("draft", "memory", "difference", "sections", "left_out_by_reason", "best_left_out"):
            if key in shown:
                whole[f"{key} of {file.path}"] = shown[key]
    return whole


def section_table(draft: Draft) -> Markdown:
    """Each section's real tokens (or what the ceiling counts) against its own budget and what others left unused."""
    entries = Counter(entry["section"] for entry in draft.entries)
    rows = [
        {"section": HEADINGS.get(name, name), "entries": entries[name], "tokens": used, "budget": budget}
        | {"share": f"{used / budget:.0%}" if budget else "", "bar": bar(used, budget)}
        for name, used, budget in ((one["name"], one["tokens"], one["budget"]) for one in draft.sections)
    ]
    names = {"section": "section", "entries": "entries", "tokens": draft.ceiling.unit}
    return markdown_table({**names, "budget": "effective budget", "share": "used", "bar": ""}, rows, fit=IN_PLACE)


def budget_use(draft: Draft) -> Markdown:
    """The same as a picture, with the whole file below."""
    bars = [(HEADINGS.get(s["name"], s["name"]), s["tokens"], s["budget"]) for s in draft.sections]
    used, unit = draft.sizes[draft.ceiling.unit], draft.ceiling.unit
    bars.append(("The whole file", used, draft.ceiling.limit))
    each = ", ".join(f"{name} {used} of {budget}" for name, used, budget in bars[:-1])
    says = f"{used} of {draft.ceiling.limit} {unit} used ({used / draft.ceiling.limit:.0%}): {each}"
    return plots.used_of_budget(bars, unit=unit, says=says)


def composition(draft: Draft) -> dict[str, Any]:
    """By which model the file is composed, how much of it, and what failed its check; or why it is not."""
    made = draft.composition
    if made is None:
        return {}
    lines = sum("composed_by" in entry for entry in draft.entries)
    failed = made["failed"]
    shown: dict[str, Any] = {"composed_by": made["model"], "composed_lines": lines, "failed_lines": len(failed)}
    if made["why_not"]:
        shown["not_composed"] = made["why_not"]
    if failed:
        rows = [{"why": one["why"], "line": one["text"], "cites": ", ".join(one["refs"])} for one in failed]
        shown["lines_that_failed"] = markdown_table({"why": "why", "line": "line", "cites": "it cites"}, rows)
    return shown


def left_out(draft: Draft, best: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """What is not in the file: counted by reason, and the most valuable of it with its reason."""
    reasons = count_reasons(draft.left_out, draft.considered - len(placed(draft.entries)))
    shown: dict[str, Any] = {"left_out": reasons.total()}
    if reasons:
        shown["left_out_by_reason"] = count_table("why it was left out", reasons, "memories")
    if best:
        columns = {"ref": "reference", "section": "section", "value": "value", "text": "text"}
        shown["best_left_out"] = markdown_table(columns | {"reason": "why it was left out"}, best[:EXAMPLES])
    return shown


def changed_entries(previous: str | None, current: str) -> tuple[int, int]:
    """How many entries were added and removed; one that only moved is neither."""
    before, after = (Counter(_entries(text)) for text in (previous or "", current))
    return (after - before).total(), (before - after).total()


def difference(previous: str | None, current: str, *, was_edited: bool = False) -> Markdown:
    """What changed from one text of a file to the next, by entries, with the section that each is in.

    ``previous`` is what is on the disk: a secret that somebody has written there is masked, for this is stored
    and shown.
    """
    if previous is None:
        return Markdown("This is the first publication.")
    edited = "The file had been edited by somebody: this is the difference from what stood there.\n\n"
    note = edited if was_edited else ""
    if previous.count("\n") > LINES_COMPARED:
        note += f"Only the first {LINES_COMPARED} lines of it are compared.\n\n"
    lines = _changes(_lines(mask_text(previous)), _lines(current))
    if not lines:
        return Markdown(note + "Nothing has changed since the last publication.")
    if len(lines) > LINES_SHOWN:
        lines = [*lines[:LINES_SHOWN], f"@@ and {len(lines) - LINES_SHOWN} lines more @@"]
    cut = (line if len(line) <= LINE_LENGTH else line[:LINE_LENGTH] + "…" for line in lines)
    return Markdown(note + fenced("\n".join(cut), "diff"))


def _lines(text: str) -> list[tuple[str, str]]:
    """The entries of a file, and whatever else is in an edited one, each as its place and its words."""
    section, day, found = "", "", []
    for line in text.splitlines()[:LINES_COMPARED]:
        if line.startswith("## "):
            section, day = line.removeprefix("## "), ""
        elif is_day_line(line):
            day = line.removeprefix("### ")
        elif line.strip():
            found.append((", ".join(filter(None, (section, day))), line))
    return found


def _entries(text: str) -> list[str]:
    return [words for _, words in _lines(text) if words.startswith("- ")]


def _changes(before: Sequence[tuple[str, str]], after: Sequence[tuple[str, str]]) -> list[str]:
    """Lines of a difference: ``-`` for what went, ``+`` for what came, under ``@@`` with the place of both."""
    shown: list[str] = []
    place = None
    matcher = difflib.SequenceMatcher(None, before, after)
    for what, from_before, to_before, from_after, to_after in matcher.get_opcodes():
        if what == "equal":
            continue
        changes = [("-", *line) for line in before[from_before:to_before]]
        changes += [("+", *line) for line in after[from_after:to_after]]
        # Both of one place together, in the order of the file.
        places = {where: None for _, where, _ in changes}
        for where in places:
            if where != place:
                shown.append(f"@@ {where or 'above the sections'} @@")
                place = where
            shown += [f"{sign}{words}" for sign, at, words in changes if at == where]
    return shown
