"""What a draft must satisfy before it is published, as pure functions: each returns what is wrong, where.

The gate asks twice: as blocking checks between draft and file, and once more when the file is published.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from memory_assets.llm.cited import Cited, fault
from memory_assets.llm.local.parts import is_left_of
from memory_assets.memory_file import render
from memory_assets.memory_file.candidates import parts_of, placed
from memory_assets.memory_file.ceilings import DEFAULT_PRESET, PRESETS, Ceiling
from memory_assets.text.lines import clean_text, is_day_line, leading_day


@dataclass(frozen=True)
class Problem:
    """One thing that is wrong: what, where, and what to do about it."""

    what: str
    where: str
    remedy: str


@dataclass(frozen=True)
class Draft:
    """A draft as read back from the graph."""

    text: str
    entries: Sequence[Mapping[str, Any]]
    sections: Sequence[Mapping[str, Any]]
    left_out: Sequence[Mapping[str, Any]]
    tokens: int = 0
    considered: int = 0
    fingerprint: str = ""
    ceiling: Ceiling = PRESETS[DEFAULT_PRESET]
    changes_at: datetime | None = None
    """When time alone may make another one of the same memories."""
    composition: Mapping[str, Any] | None = None
    """What a model has made of it (``candidates.Composition``)."""

    @property
    def sizes(self) -> dict[str, int]:
        """How large the text is in each limited unit."""
        return self.ceiling.measure(self.text, lambda _: self.tokens)


def draft_is_within_budget(draft: Draft, count_tokens: Callable[[str], int]) -> list[Problem]:
    """The whole finished text, headings and references included, by the real count, in every limited unit."""
    ceiling = draft.ceiling
    sizes = ceiling.measure(draft.text, count_tokens)
    remedy = "make the draft again with force; if it fails again, report it: the selection counted wrong"
    over = ceiling.exceeded(draft.text, count_tokens)
    found = [f"{sizes[unit]} {unit}, {by} over the budget of {ceiling.limits[unit]}" for unit, by in over.items()]
    return [Problem(what, "the whole file", remedy) for what in found]


def sections_are_within_budget(draft: Draft, count_tokens: Callable[[str], int]) -> list[Problem]:
    """Each section against its effective budget, in the first unit, and these budgets against the whole."""
    remedy = "make the draft again with force; if it fails again, report it"
    problems = []
    unit, limit = draft.ceiling.unit, draft.ceiling.limit
    budgets = {section["name"]: section["budget"] for section in draft.sections}
    if sum(budgets.values()) > limit:
        what = f"the sections' budgets add up to {sum(budgets.values())}, over {limit}"
        problems.append(Problem(what, "the sections' budgets", remedy))
    for name, block in render.split_sections(draft.text).items():
        size = draft.ceiling.measure(block, count_tokens)[unit]
        if name not in budgets:
            problems.append(Problem("a section that no budget knows", name, remedy))
        elif size > budgets[name]:
            problems.append(Problem(f"{size} {unit} in a budget of {budgets[name]}", name, remedy))
    return problems


def only_this_users_memories(
    draft: Draft, user: str, owners: Mapping[str, str], readable: Collection[str]
) -> list[Problem]:
    """Each entry's memory exists and is the user's own; a source may be one of their teams'."""
    problems = []
    for entry in parts_of(draft.entries):
        owner = owners.get(entry["memory_id"])
        allowed = readable if entry["section"] == "recent" else {user}
        if owner is None:
            problems.append(_entry_problem(entry, "its memory is not in the graph (any more)"))
        elif owner not in allowed:
            problems.append(_entry_problem(entry, f"its memory belongs to {owner}, not to {user}"))
    return problems


def no_foreign_sources(draft: Draft, sources: Iterable[Mapping[str, Any]]) -> list[Problem]:
    """Each entry rests on sources, all of them the user's own or of their teams."""
    by_memory: dict[str, list[Mapping[str, Any]]] = {}
    for row in sources:
        by_memory.setdefault(row["memory_id"], []).append(row)
    problems = []
    for entry in parts_of(draft.entries):
        rows = by_memory.get(entry["memory_id"], [])
        if not rows:
            problems.append(_entry_problem(entry, "no source says it"))
        for row in rows:
            if not row["is_readable"]:
                what = f"it rests on source {row['source_id']} of {row['source_owner']}"
                problems.append(_entry_problem(entry, what))
    return problems


def _forms(text: str) -> set[str]:
    """A memory's text as a line may have it: whole, or without the day at its start, which then leads the line in."""
    dated = leading_day(text)
    return {clean_text(text), *([clean_text(dated[1])] if dated else [])}


def _is_whole(entry: Mapping[str, Any], text: str, words: str) -> bool:
    """Whether an entry is its memory's text, or, where the rest is superseded, whole clauses of it or its source."""
    if entry.get("rest_superseded_by"):
        return any(is_left_of(entry["text"], form) for form in _forms(text) | _forms(words))
    return entry["text"] in _forms(text)


def entries_are_whole_and_explained(
    draft: Draft, texts: Mapping[str, str], words: Mapping[str, str] | None = None
) -> list[Problem]:
    """Each line is one whole entry with its reference, and nothing else; none is there twice.

    An entry is its memory's text, or, marked as such, that without whole clauses that a later word has taken back.
    ``words`` are those that were said, where the text is a statement about them. An entry that a model has composed
    follows from the memories that it cites, each of which says what the line was checked against.
    """
    problems = []
    references = render.references_in(draft.text)
    memories = placed(draft.entries)
    for memory_id in sorted({one for one in memories if memories.count(one) > 1}):
        problems.append(Problem("a memory stands in two lines", memory_id, _REMEDY))
    for reference in sorted({ref for ref in references if references.count(ref) > 1}):
        problems.append(Problem("stands twice", f"[{reference}]", _REMEDY))
    behind: dict[str, Mapping[str, Any]] = {}
    for entry in draft.entries:
        behind.setdefault(entry["ref"], entry)
    lines: dict[str, str] = {}
    for line in draft.text.split("\n"):
        found = render.references_in(line)
        if line.startswith("- ") and not found:
            problems.append(Problem("a line without a reference", line[:80], _REMEDY))
        elif found and found[0] not in behind:
            problems.append(Problem("a line that no entry explains", line[:80], _REMEDY))
        elif found:
            lines[found[0]] = line
            said = behind[found[0]]["text"]
            if said in line and not render.is_line_of(line, said):
                problems.append(Problem("something stands in a line beside its entry", line[:80], _REMEDY))
        elif line and not line.startswith(("# ", "## ")) and not is_day_line(line):
            problems.append(Problem("a line that is no entry", line[:80], _REMEDY))
    for entry in draft.entries:
        for part in parts_of([entry]):
            text = texts.get(part["memory_id"])
            if text is None:
                problems.append(_entry_problem(part, "its memory is not in the graph (any more)"))
            elif not _is_whole(part, text, (words or {}).get(part["memory_id"], text)):
                problems.append(_entry_problem(part, "its text is not its memory's"))
        if cited := entry.get("rests_on"):
            if why := fault(entry["text"], [Cited(**part) for part in cited]):
                problems.append(_entry_problem(entry, f"it does not follow from what it cites: {why}"))
        if behind[entry["ref"]] is not entry or entry["text"] not in lines.get(entry["ref"], ""):
            problems.append(_entry_problem(entry, "it does not stand whole in the draft"))
    return problems


_REMEDY = "materialise value_classifications and memory_draft of this user again"


def _entry_problem(entry: Mapping[str, Any], what: str) -> Problem:
    return Problem(what, f"[{entry['ref']}] in {entry['section']} ({entry['memory_id']})", _REMEDY)
