"""Recall for one user: bring the index up to date, search, rank, pack. Writes nothing into the graph."""

from __future__ import annotations

import json
import re
import threading
from bisect import bisect_left
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import date, datetime
from itertools import accumulate
from pathlib import Path
from time import monotonic
from types import MappingProxyType
from typing import Any

from memory_assets.errors import MemoryAssetsError
from memory_assets.files.sqlite_file import OpenFiles
from memory_assets.graph.graph import Graph
from memory_assets.graph.owners import MARK, NOTED, reader_of
from memory_assets.graph.said import list_held, list_outdated, said_in_turns
from memory_assets.llm.tokens import count_tokens
from memory_assets.model import SourceType, fingerprint
from memory_assets.privacy.projects import Within, without_project
from memory_assets.recall import index, marking, policy
from memory_assets.recall.index import ALL, Span
from memory_assets.recall.policy import Found, split_turns
from memory_assets.runtime.marks import BEGUN
from memory_assets.text.held import Held

SOURCES_PER_BATCH = 200
LEAST_FOUND, LEAST_TOKENS = 100, 8
"""So many passages are read, and one for each so many tokens of the budget: some may not be shown."""
FEWEST_LOOKED_AT, MOST_LOOKED_AT = 25, 100
"""So many of the passages are looked at in one go, of these as many as a page is packed out of."""
LOOK_EVERY = 10.0
"""Seconds between two looks at all sources while a run is at work."""
INDEX_SHARE = 0.4
"""Of a deadline, for bringing the index up to date."""
TURNS_AROUND = 2
"""Of a reference: so many turns before and after the ones it refers to are shown with them."""

_REFERENCE = re.compile(r"\[?(\d{9})\]?")


@dataclass(frozen=True)
class Recall:
    """What was found for a question: the text that fits the budget, and the passages it is made of."""

    question: str
    budget: int
    recalled: policy.Recalled
    retrieved: tuple[str, ...] = ()
    """The ids of the user's memories that were retrieved by it (004, Retrieval): the statements that the passages make,
    the user's sources that they are from, and what a reference refers to.
    """
    meant: tuple[str, ...] = ()
    """Where nothing was found about a name: those that are written much like it."""
    is_partial: bool = False
    """The index could not be brought up to date in time: it was searched as it was."""


def recall(
    graph: Graph,
    home: Path,
    user: str,
    question: str,
    budget: int,
    as_of: date | None = None,
    *,
    archived: bool = False,
    span: Span = ALL,
    thorough: bool = False,
    page: int = 1,
    within: Within | None = None,
    today: date | None = None,
    deadline_ms: int | None = None,
    characters: int | None = None,
) -> Recall:
    """The passages of the user's readable sources that most likely answer ``question``, in at most ``budget`` tokens
    and ``characters`` (as JavaScript counts them).

    Each marks which of its words hold no longer; with ``today`` also those that do not hold on that day by their own
    word. ``as_of``: only what was said up to that day, and as it held then. ``span``: only what was said on these days,
    and about these names. Packing stops where a passage is not half as good as the
    best, and where nothing relevant was found only the nearest are given; ``thorough`` fills the budget. ``page`` goes
    on where the one before it ended. ``within``: only what was said in that project, or in none.

    What is archived is left out, sources and statements, unless it is wanted too (``archived``), or a reference leads
    to it. Of sources that a note replaces the turns that say something are still read.

    A reference of nine digits, as a MEMORY.md prints it, gives the passages behind it with their surroundings.
    ``deadline_ms``: where the index is not up to date in good time before, it is searched as it is.
    """
    owners, names, made = reader_of(graph, user, within, _SOURCE_STAGES)
    mark = _mark_of(without_project(owners), made)
    named: set[str] = set()
    passages = opened(home, user)
    is_current = True
    if deadline_ms is None:
        bring_up_to_date(graph, passages, owners, mark)
    else:
        is_current = bring_up_soon(graph, passages, owners, deadline_ms, mark)
    reference = _REFERENCE.fullmatch(question.strip())
    is_sure = True
    meant: tuple[str, ...] = ()
    last = min(filter(None, (as_of, span.until)), default=None)
    span = replace(span, until=last, project=within.project if within else None)
    if reference:
        rows = graph.read("recall/list_places", user_id=user, user_ids=owners, ref=reference[1])
        named = {row["memory_id"] for row in rows}
        ranked = passages.of_turns(list(dict.fromkeys((row["source_id"], row["turn"]) for row in rows)), TURNS_AROUND)
    else:
        limit = min(policy.MOST_FOUND, max(LEAST_FOUND, page * budget // LEAST_TOKENS))
        answered = passages.search(question, span, limit=limit, owner=words_of_owner(names))
        ranked, is_sure = list(answered.found), answered.is_sure or thorough
    with_archived = archived or reference is not None
    if span.about and not reference and not ranked:
        looks = _Looks(graph, passages, user, owners, as_of, span, today, with_archived, True, (), budget)
        likely = passages.likely_meant(span.about, span.project)
        meant = tuple(one for one in likely if looks.shows(passages.saying(one, span)))
    limit = budget if is_sure else min(budget, policy.RULES.nearest_tokens)
    looks = _Looks(
        graph, passages, user, owners, as_of, span, today, with_archived, bool(thorough or reference), ranked, limit
    )
    rules = policy.THOROUGH if thorough else policy.RULES
    packed = policy.pack((), looks.heads, count_tokens, limit, page, rules, looks.more, characters)
    recalled = replace(packed, abstained=not is_sure)
    counted = recalled if is_sure else replace(recalled, passages=())
    retrieved = _retrieved(user, counted, looks.said, named, with_archived=with_archived)
    return Recall(question, budget, recalled, tuple(sorted(retrieved)), meant, not is_current)


@dataclass
class _Looks:
    """The passages that may be shown and are good enough, looked at some at a time, best first."""

    graph: Graph
    passages: index.PassageIndex
    user: str
    owners: Sequence[str]
    as_of: date | None
    span: Span
    today: date | None
    with_archived: bool
    is_whole: bool
    """All of them are good enough."""
    ranked: Sequence[Found]
    tokens: int
    """So many are asked for."""
    said: dict[str, dict[str, Any]] = field(default_factory=dict)
    heads: dict[str, policy.SourceHead] = field(default_factory=dict)
    _best: float = 0.0
    _next: int = 0
    _given: list[Found] = field(default_factory=list)

    def more(self) -> list[Found]:
        """The next of them, each with what of it holds no longer; none when there is none left."""
        good: list[Found] = []
        while not good and self._next < len(self.ranked):
            looked = self._in_one_go()
            self._next += len(looked)
            readable = self._readable(looked)
            self._best = max([self._best, *(one.score for one in readable)])
            good = readable if self.is_whole else policy.good_enough(readable, best=self._best)
            if len(good) < len(readable):
                self._next = len(self.ranked)
            pages = {name: head.page for name, head in self.heads.items()}
            good = policy.without_repeats(good, pages, self._given)
        self._given += good
        return self._marked(good) if good else []

    def _in_one_go(self) -> list[Found]:
        following = self.ranked[self._next : self._next + MOST_LOOKED_AT]
        first = {one.source_id: at for at, one in reversed([*enumerate(following)])}
        heads = (first[one.source_id] == at and one.source_id not in self.heads for at, one in enumerate(following))
        costs = (
            policy.RULES.head_tokens * head + (one.tokens or 0) for head, one in zip(heads, following, strict=True)
        )
        tokens = accumulate(costs, initial=0)
        enough = bisect_left(list(tokens), policy.RULES.spare * self.tokens)
        return list(following[: max(FEWEST_LOOKED_AT, enough)])

    def shows(self, passages: Sequence[Found]) -> bool:
        """Whether any of some passages may be shown."""
        return bool(self._readable(passages[:MOST_LOOKED_AT]))

    def _readable(self, looked: Sequence[Found]) -> list[Found]:
        turns = ((one.source_id, turn) for one in looked for turn in policy.turns_of(one))
        rows = said_in_turns(self.graph, self.user, self.owners, turns)
        untitled = called_by_first_words(self.passages, rows)
        for name, row in rows.items():
            self.said.setdefault(name, row | {"said": []})["said"] += row["said"]
            head = replace(_head(row), is_titled=name not in untitled)
            if self.as_of is None or (head.started_at and head.started_at.date() <= self.as_of):
                self.heads[name] = head
        known = (one for one in looked if one.source_id in self.heads and self._was_said_then(one))
        return [one for one in known if self.with_archived or self._in_reach(one)]

    def _was_said_then(self, passage: Found) -> bool:
        """Whether a passage was said on one of the days that are asked for: what surrounds a reference may not be."""
        return self.span.has(policy.day_said(passage.said_at, self.heads[passage.source_id].started_at))

    def _in_reach(self, passage: Found) -> bool:
        """Whether a passage, and something that it states, is not archived; the source says which turns are read."""
        turns = policy.turns_of(passage)
        said = (one for one in self.said[passage.source_id]["said"] if one["turn"] in turns)
        return self.heads[passage.source_id].is_in_reach(passage.turn) and not marking.has_faded(passage, said)

    def _marked(self, passages: Sequence[Found]) -> list[Found]:
        """The passages, each with what of it holds no longer."""
        shown = {one.source_id for one in passages}
        said = {name: row for name, row in self.said.items() if name in shown}
        outdated: dict[tuple[str, int], list[marking.Outdated]] = {}
        for row in list_outdated(self.graph, self.user, self.owners, said):
            place = row.pop("source_id"), row.pop("turn")
            outdated.setdefault(place, []).append(marking.Outdated(**row))
        if self.as_of is not None:
            outdated = {place: marking.held_on(self.as_of, found) for place, found in outdated.items()}
        held: dict[str, list[tuple[str, str | None]]] = {}
        if (day := self.as_of or self.today) is not None:
            records = {name for name in shown if said[name]["kind"] == SourceType.RECORD}
            for row in list_held(self.graph, self.owners, records):
                held.setdefault(row["source_id"], []).append((row["text"], Held.of(row).note(day)))
        return [
            marking.marked(
                one,
                [row for turn in policy.turns_of(one) for row in outdated.get((one.source_id, turn), ())],
                held.get(one.source_id, ()),
            )
            for one in passages
        ]


def _head(row: dict[str, Any]) -> policy.SourceHead:
    """The heading of a source's passages."""
    at = datetime.fromisoformat(row["at"]) if row["at"] else None
    shown = {name: row[name] for name in ("ref", "owner", "kind", "title", "is_archived", "kept_turns")}
    return policy.SourceHead(id=row["source_id"], started_at=at, **shown)


def called_by_first_words(passages: index.PassageIndex, heads: Mapping[str, Mapping[str, Any]]) -> set[str]:
    """Which of some sources (graph/list_said) are conversations that nobody gave a title: their first words say
    nothing of what was said later, and cost passages their place.
    """
    asked = [name for name, head in heads.items() if head["kind"] == SourceType.CONVERSATION]
    found = passages.beginnings(asked)
    return {name for name, text in found.items() if policy.begins_with_title(text, heads[name]["title"])}


def words_of_owner(names: Iterable[str]) -> frozenset[str]:
    """The words of a user's names, but for addresses."""
    return frozenset().union(*(policy.name_words(name) for name in names if "@" not in name))


def index_path(home: Path, user: str) -> Path:
    """The folder in which a user's index lies in the installation's home."""
    return home / "recall" / user / "said"


_OPENED = OpenFiles(index.PassageIndex)
_SOURCE_STAGES = (f"{MARK}raw_sources", f"{MARK}processed_sources")


def opened(home: Path, user: str) -> index.PassageIndex:
    """A user's index, which stays open in this process; opened again where its file was replaced."""
    return _OPENED.at(index_path(home, user))


def bring_up_to_date(graph: Graph, passages: index.PassageIndex, owners: Sequence[str], mark: str | None = None) -> int:
    """Index what has changed, forget what may not be read any more; how many sources that were.

    A mark (:func:`source_mark`, where it is known) shows that nothing has changed since: then no source is read. The
    index holds all projects. While a run is at work the sources are looked at every few seconds.
    """
    owners = without_project(owners)
    mark = mark or source_mark(graph, owners)
    if _is_current(passages, mark):
        return 0
    with passages.lock():
        _close_replaced(passages)
        recipe = passages.recipe()
        if recipe not in (None, index.RECIPE) or passages.is_wasteful():
            passages.clear()
            passages.begin()
        elif recipe is None:
            passages.begin()
        elif _is_current(passages, mark):
            return 0
        began = monotonic()
        marks = {row["id"]: row["mark"] for row in graph.read("recall/list_sources", user_ids=list(owners))}
        known = passages.marks()
        gone = sorted(known.keys() - marks.keys())
        changed = sorted(key for key, one in marks.items() if known.get(key) != one)
        for start in range(0, max(len(changed), bool(gone)), SOURCES_PER_BATCH):
            _index(graph, passages, owners, changed[start : start + SOURCES_PER_BATCH], gone)
            gone = []
        passages.set_mark(mark, began)
        return len(changed)


def index_at_once(graph: Graph, passages: index.PassageIndex, owners: Sequence[str], ids: Collection[str]) -> None:
    """Index these sources as they are now, without a look at any other. An index that was never made waits for the
    first question.
    """
    with passages.lock():
        _close_replaced(passages)
        if passages.recipe() == index.RECIPE:
            wanted = sorted(ids)
            _index(graph, passages, without_project(owners), wanted, known=passages.marks(wanted))


def _close_replaced(passages: index.PassageIndex) -> None:
    """Close files that were replaced since they were opened, so that the new ones are. The index's lock is held."""
    if passages.is_gone():
        passages.close()


def bring_up_soon(
    graph: Graph, passages: index.PassageIndex, owners: Sequence[str], deadline_ms: int, mark: str | None = None
) -> bool:
    """Begin to bring the index up to date, and wait for it a part of a deadline: a caller then uses it as it is.
    Whether it is up to date.

    One thread at a time does it for a user.
    """
    if _is_current(passages, mark or source_mark(graph, without_project(owners))):
        return True
    with _FRESHENING:
        worker = _WORKERS.get(passages.folder)
        if worker is None or not worker.is_alive():
            asked = (graph, passages, owners)
            worker = threading.Thread(target=_bring_up_quietly, args=asked, daemon=True)
            _WORKERS[passages.folder] = worker
            worker.start()
    worker.join(INDEX_SHARE * deadline_ms / 1000)
    return _is_current(passages, source_mark(graph, without_project(owners)))


_WORKERS: dict[Path, threading.Thread] = {}
_FRESHENING = threading.Lock()


def _bring_up_quietly(graph: Graph, passages: index.PassageIndex, owners: Sequence[str]) -> None:
    with suppress(MemoryAssetsError):  # a caller that waits meets it, too
        bring_up_to_date(graph, passages, owners)


def _is_current(passages: index.PassageIndex, mark: str) -> bool:
    """Whether nothing has changed since the sources were looked at, or it is too soon to look again."""
    known, looked_at = passages.mark()
    return known == mark and (not mark.endswith(BEGUN) or 0 <= monotonic() - looked_at < LOOK_EVERY)


def _index(
    graph: Graph,
    passages: index.PassageIndex,
    owners: Sequence[str],
    ids: Sequence[str],
    gone: Sequence[str] = (),
    known: Mapping[str, str] = MappingProxyType({}),
) -> None:
    """Index some sources, but those that are ``known`` as they are, and drop others."""
    rows = graph.read("graph/list_turns", ids=list(ids), user_ids=list(owners)) if ids else []
    texts = {
        row["id"]: index.SourceText(
            row["mark"],
            row["started_at"],
            split_turns(json.loads(row["turns"] or "[]") or [{"index": 0, "text": row["content"] or ""}]),
            row["project"],
        )
        for row in rows
        if known.get(row["id"]) != row["mark"]
    }
    if texts or gone:
        passages.replace(texts, gone)


def source_mark(graph: Graph, owners: Sequence[str]) -> str:
    """What the readable sources of these owners were last made from; it ends with ``!`` while that is not settled.

    A run that was stopped on the way has processed some of them and left no mark of it. What is indexed at once
    (:func:`graph.owners.noted_mark`) changes nothing of it.
    """
    return _mark_of(owners, graph.read("recall/list_marks", user_ids=list(owners), stages=list(_SOURCE_STAGES)))


def _mark_of(owners: Sequence[str], stages: Iterable[Mapping[str, Any]]) -> str:
    marks = {(row["user_id"], row["stage"]): row["fingerprint"] for row in stages}
    made, is_settled = [], True
    for owner in owners:
        raw, processed = (marks.get((owner, stage)) for stage in _SOURCE_STAGES)
        is_settled &= raw is None or not (processed is None or processed.endswith(BEGUN))
        made.append([owner, raw and raw.partition(NOTED)[0], processed])
    return fingerprint(made) + ("" if is_settled else BEGUN)


def _retrieved(
    user: str, recalled: policy.Recalled, said: Mapping[str, dict[str, Any]], named: set[str], *, with_archived: bool
) -> set[str]:
    """The user's own memories in what was recalled: no team's sources, and none that a note replaces, although turns of
    it are still read.
    """
    turns = {(row.source_id, row.turn) for _, rows in recalled.passages for row in rows}
    if not turns:
        return set()
    sources = {name for name, _ in turns}
    stated = {
        one["id"]
        for name in sources
        for one in said[name]["said"]
        if (name, one["turn"]) in turns and (one["is_in_use"] or with_archived)
    }
    others = {
        head.id for head, _ in recalled.passages if head.owner != user or (head.is_archived and not with_archived)
    }
    return {*sources, *named, *stated} - others
