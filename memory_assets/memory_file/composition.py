"""A file composed by a model from the best candidates: which these are, and what becomes of the model's lines. Pure.

A line is taken where it follows from what it cites (``llm/cited.py``); each memory is in one line at most, and in
none that says less than half of it. The best memory that a failed line cites comes back in its own words, and so do
memories of the local choice that lines cite and do not say. Required memories (standing instructions and open tasks of
the local choice) come back where the model has left them out. What a person has written into a file is no candidate: it
stays as it was written. These have their room first; all is packed like any other file.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from itertools import islice

from memory_assets.llm.cited import MOST_CITED, Cited, covers, fault
from memory_assets.llm.tasks import ComposedFile, ComposedLine, FileCandidate, FileRequest
from memory_assets.memory_file import render, weighing
from memory_assets.memory_file.candidates import (
    Composition,
    Failed,
    LeftOut,
    Memory,
    Selection,
    placed,
)
from memory_assets.memory_file.ceilings import SHARES
from memory_assets.memory_file.items import Item
from memory_assets.memory_file.packing import ALREADY_SAID, best_first, in_order
from memory_assets.memory_file.selection import Choice, pack
from memory_assets.text.lines import clean_text
from memory_assets.text.when import render_notes

CODE_VERSION = "4"
"""Part of the draft's fingerprint where a model composes: raise it when the same answer gives another file."""
MOST_CANDIDATES = 150
MOST_TOKENS = 20_000
"""Of all candidates together, so that what a call costs is bounded."""
MOST_LINES = 400
"""Of an answer, so many are looked at."""
FAILURES_SHOWN, FAILED_LENGTH, REFERENCE = 30, 300, 9
NOT_TAKEN = "left out where the model composed the file"


def candidates_of(choice: Choice) -> list[Item]:
    """What a model is shown, in the order of a file: the local choice, required ones first, and the best left out."""
    best: dict[str, Item] = {}
    tokens = 0
    open_to_it = best_first(item for item in choice.reading.items if not item.memory.is_written)
    required, chosen = choice.required, choice.chosen
    for item in sorted(open_to_it, key=lambda i: (i.memory_id not in required, i.memory_id not in chosen)):
        tokens += item.tokens
        if tokens > MOST_TOKENS or len(best) == MOST_CANDIDATES:
            break
        best.setdefault(item.entry.ref, item)
    return in_order(best.values())


def request_of(choice: Choice, candidates: Sequence[Item], owner: str) -> FileRequest:
    """What is sent: whose file it is, its limits, and the candidates."""
    shown = tuple(_shown(item, owner, item.memory_id in choice.required) for item in candidates)
    whole = " and ".join(f"{limit} {unit}" for unit, limit in choice.reading.rules.ceiling.limits.items())
    limits = f"{whole} in all; {', '.join(f'{name} {share} %' for name, share in SHARES.items())}"
    return FileRequest(owner=owner, limits=limits, candidates=shown)


def _shown(item: Item, owner: str, is_required: bool) -> FileCandidate:
    text, day = item.entry.text + render_notes(item.entry.notes), render.day_of(item.memory.occurred_at)
    said = {"section": item.memory.section, "day": day, "speaker": _speaker(item, owner)}
    return FileCandidate(ref=item.entry.ref, text=text, required=is_required or None, **said)


def _speaker(item: Item, owner: str) -> str | None:
    """Whose words a candidate is: the owner's by name; nobody's of summaries, overviews, and notes that name nobody."""
    if item.memory.entity_type != "KnowledgeChunk":
        return None
    return owner if _is_owners(item.memory) else render.label_of(item.memory.label)


def _is_owners(memory: Memory) -> bool:
    # Not by a label that is like the owner's id, nor for want of one: the model would take "I" for the owner.
    return memory.said_by_owner or memory.is_own_line


def composed(choice: Choice, candidates: Sequence[Item], owner: str, answer: ComposedFile, model: str) -> Selection:
    """The file that follows from a model's answer, whatever that is."""
    made = _Composing(choice, candidates, owner, model)
    lines = ((section, line) for section in render.SECTIONS for line in getattr(answer, section))
    for section, line in islice(lines, MOST_LINES):
        made.take(section, line)
    return made.finish()


class _Composing:
    """The lines of one answer as they are judged."""

    def __init__(self, choice: Choice, candidates: Sequence[Item], owner: str, model: str) -> None:
        self.choice, self.candidates, self.owner, self.model = choice, candidates, owner, model
        self._known = {item.entry.ref: item for item in self.candidates}
        self._chosen, self._required = self.choice.chosen, self.choice.required
        written = {item.memory_id for item in self.choice.reading.items if item.memory.is_written}
        self._by_hand = written & self._chosen
        self._shown = {item.memory_id for item in self.candidates}
        self._written: list[Item] = []
        self._failed: list[tuple[Failed, list[Item]]] = []
        self._taken: set[str] = set()
        self._named: set[str] = set()

    def take(self, section: str, line: ComposedLine) -> None:
        """Judge a line: it is taken, or noted as failed."""
        text = clean_text(line.text)
        refs = tuple(dict.fromkeys(ref.strip("[] ") for ref in line.refs))
        named = [self._known[ref] for ref in refs if ref in self._known]
        self._named |= {item.memory_id for item in named}
        free = {item: self._cited(item) for item in named if item.memory_id not in self._taken}
        said = {item: one for item, one in free.items() if covers(text, one, self.owner)}
        cited = dict(sorted(said.items(), key=lambda pair: self._worth(pair[0])))
        why = self._fault(text, refs, named, cited)
        if why:
            cites = tuple(ref[:REFERENCE] for ref in refs[:MOST_CITED])
            self._failed.append((Failed(text[:FAILED_LENGTH], cites, why), named))
            return
        sections = {item.memory.section for item in cited if self._is_required(item)} or {
            item.memory.section for item in cited
        }
        place = section if section in sections else next(iter(cited)).memory.section
        self._written.append(self.choice.reading.composed(text, place, cited, self.model))
        self._taken |= {one.memory_id for one in cited.values()}

    def _fault(self, text: str, refs: Sequence[str], named: Sequence[Item], cited: dict[Item, Cited]) -> str | None:
        if not refs:
            return "cites nothing"
        if len(named) < len(refs):
            return f"cites {next(ref for ref in refs if ref not in self._known)[:REFERENCE]!r}, which is no candidate"
        if not cited:
            return "says less than half of what it cites, or that stands in another line"
        return fault(text, tuple(cited.values()))

    def _is_required(self, item: Item) -> bool:
        return item.memory_id in self._required

    def _worth(self, item: Item) -> tuple[bool, bool, float, str]:
        """The best first."""
        is_overview = item.memory.entity_type != "KnowledgeChunk"
        return not self._is_required(item), is_overview, -item.worth, item.memory_id

    def _cited(self, item: Item) -> Cited:
        memory, entry = item.memory, item.entry
        said = _speaker(item, self.owner)
        day = weighing.day_of(memory.occurred_at)
        own = (entry.ref, memory.memory_id, memory.section, entry.text)
        is_owners = said is not None and _is_owners(memory)
        rest = (day.isoformat() if day else None, entry.rest_superseded_by, is_owners, memory.is_standing)
        return Cited(*own, said, *rest)

    def finish(self) -> Selection:
        """The packed file with all that comes back in its own words."""
        literal = {item.memory_id: item for item in self._coming_back()}
        selection = self._packed(self._written, literal)
        if self._required - _covered(selection) or self._by_hand - _placed(selection):
            # Composed lines may be longer than what they replace; what is required has room together as it was chosen.
            literal |= {item.memory_id: item for item in self.candidates if self._is_required(item)}
            selection = self._packed([i for i in self._written if not self._rests_on_required(i)], literal)
        failed = tuple(failed for failed, _ in self._failed[:FAILURES_SHOWN])
        return replace(selection, composition=Composition(self.model, failed))

    def _coming_back(self) -> Iterator[Item]:
        """In their own words: the best of each failed line, required ones that no line says, and all of the local
        choice that was not shown, or was cited by a line that does not say it.
        """
        for _, named in self._failed:
            best = min(named, key=self._worth, default=None)
            if best is not None and best.memory_id not in self._taken:
                yield best
        back = (self._required | self._chosen & self._named) - self._taken | (self._chosen - self._shown)
        yield from (item for item in self.choice.reading.items if item.memory_id in back)

    def _rests_on_required(self, item: Item) -> bool:
        return any(one.memory_id in self._required for one in item.entry.rests_on)

    def _packed(self, written: Sequence[Item], literal: Mapping[str, Item]) -> Selection:
        """The file of these lines and memories, and why each other one of the pool is not in it."""
        lead = {item.memory_id for item in written if self._rests_on_required(item)}
        there = {one.memory_id for item in written for one in item.entry.rests_on} | literal.keys()
        packed = pack(
            self.choice.reading,
            [*written, *literal.values()],
            lead | ((self._required | self._by_hand) & literal.keys()),
            list(self._not_taken(there)),
        )
        reasons = {row.memory_id: row for row in packed.left_out}
        for item in written:
            if row := reasons.get(item.memory_id):
                reasons |= {one.memory_id: LeftOut(one.ref, one.memory_id, row.reason) for one in item.entry.rests_on}
        return replace(packed, left_out=tuple(reasons[memory_id] for memory_id in sorted(reasons)))

    def _not_taken(self, there: Collection[str]) -> Iterator[LeftOut]:
        local = {row.memory_id: row.reason for row in self.choice.selection.left_out}
        for item in self.choice.reading.items:
            memory_id = item.memory_id
            if memory_id not in there:
                why = NOT_TAKEN if memory_id in self._shown else local.get(memory_id, NOT_TAKEN)
                yield item.memory.left_out(why)


def _covered(selection: Selection) -> set[str]:
    """What is in a file, or is said by what is."""
    said = {row.memory_id for row in selection.left_out if row.reason.startswith(ALREADY_SAID)}
    return said | _placed(selection)


def _placed(selection: Selection) -> set[str]:
    return set(placed(map(asdict, selection.entries)))
