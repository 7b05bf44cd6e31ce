"""One user's statements, judged: what is new is compared with its candidates alone, and what follows is written.

Each page of new statements is one transaction that ends their turn: a killed run leaves the others waiting. Whoever
writes a statement says in the same statement that it waits (``unjudged``).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

import numpy as np

from memory_assets.clock import to_iso
from memory_assets.graph.graph import Graph
from memory_assets.graph.graph import Statement as Write
from memory_assets.graph.owners import find_stage, readable_owners, stage_made
from memory_assets.graph.statements import id_rows, in_parts, in_statements
from memory_assets.llm.local import pairs
from memory_assets.model import node_id
from memory_assets.validity import policy
from memory_assets.validity.asking import Asker
from memory_assets.validity.decisions import A_PERSON, read_decisions
from memory_assets.validity.index import StatementIndex
from memory_assets.validity.policy import Change, Contradiction, Statement

STAGE, WANTED = "validity", "validity wanted"
"""By which recipe all was judged; and by which all waits, or has waited: a run that is killed does not begin anew."""
PAGE = 200
SHOWN = 12


@dataclass(frozen=True)
class Judged:
    """What a judgement did: so many statements compared in so many pairs, and what came of it, by kind."""

    statements: int = 0
    pairs: int = 0
    found: Mapping[str, int] = field(default_factory=dict)
    new: Sequence[str] = ()
    """The ids of the first of these statements."""
    problems: Sequence[str] = ()
    """Why a model was not asked about all of them."""
    left: int = 0
    """So many pairs wait for the next run: the local opinion counts until then."""


def judge_statements(
    graph: Graph,
    user: str,
    now: datetime,
    index_path: Path,
    recipe: str,
    *,
    force: bool = False,
    asker: Asker | None = None,
) -> Judged:
    """Compare each statement that is new, or other than it was, with its candidates, and write what follows.

    ``index_path`` is where the user's index lies; it is made where there is none. ``recipe``: what opinions follow from
    (``asking.recipe_of``); with another one, everything is judged again. ``asker``: who asks a model about each pair.
    """
    is_current = find_stage(graph, user, STAGE) == recipe
    if force or find_stage(graph, user, WANTED) != recipe:
        # In batches: the embedded engine runs out of memory where a transaction changes a hundred thousand nodes.
        living = (row["memory_id"] for row in graph.read("validity/list_living", user_id=user))
        graph.write("validity/set_unjudged", id_rows(living), user_id=user)
        graph.write_together([stage_made(user, WANTED, recipe, now)])
    due = graph.read("validity/list_unjudged", user_id=user)
    if not due and is_current:
        return Judged()
    waiting = sorted({row["memory_id"] for row in due if not row["audit_id"]})
    retired = [row for row in due if row["audit_id"]]
    index = StatementIndex(index_path)
    judging = _Judging(Reader(graph, user), index, now, asker)
    try:
        judging.bring_up_to_date([*waiting, *(row["memory_id"] for row in retired)])
        for page in in_parts(waiting, PAGE):
            judging.judge(page)
    finally:
        index.close()
    forgotten = [{"id": row["audit_id"]} for row in retired]
    done = in_statements("validity/set_retirements_judged", forgotten, user_id=user)
    graph.write_together([*done, stage_made(user, STAGE, recipe, now)])
    reported = (tuple(asker.problems), asker.left) if asker else ()
    return Judged(len(waiting), judging.compared, judging.found, waiting[:SHOWN], *reported)


class Reader:
    """Reads a user's statements as they are judged."""

    def __init__(self, graph: Graph, user: str) -> None:
        self.graph, self.user = graph, user
        self._readable = readable_owners(graph, user)
        self._out = {row["memory_id"] for row in graph.read("graph/list_left_out", user_id=user)}

    def statements(self, ids: Iterable[str]) -> dict[str, Statement]:
        """Those of the given statements that can be judged, by id: living, no small talk."""
        wanted = [name for name in ids if name not in self._out]
        asked: dict[str, Any] = {"user_id": self.user, "memory_ids": wanted}
        at, said = self._places(asked)
        anchors: dict[str, list[str]] = {}
        for row in self.graph.read("validity/list_anchors", **asked):
            anchors.setdefault(row["memory_id"], []).append(row["anchor_id"])
        return {
            name: Statement(
                name,
                row["text"],
                at[name][1:4],
                "" if row["said_by_owner"] else row["speaker"] or "",
                row["content_type"],
                tuple(sorted(anchors.get(name, ()))),
                # As the index has it.
                np.asarray(row["embedding"], np.float16).astype(np.float32) if row["embedding"] else None,
                is_dated=at[name][0],
                source_id=at[name][4],
                said=tuple(said.get(name, ())),
            )
            for row in self.graph.read("validity/list_statements", **asked)
            if (name := row["memory_id"]) in at
            if row["content_type"] in policy.JUDGED and not row["is_abandoned"]
        }

    def _places(
        self, asked: Mapping[str, Any]
    ) -> tuple[dict[str, tuple[bool, str, int, int, str]], dict[str, list[tuple[str, int, int]]]]:
        """When each was last said, behind whether that is known, and in which source, and when each source says it
        first and last, where it is; twice in one source, the first place counts.
        """
        found: dict[str, tuple[bool, str, int, int, str]] = {}
        said: dict[str, list[tuple[str, int, int]]] = {}
        for row in self.graph.read("validity/list_places", user_ids=self._readable, **asked):
            first, last = (to_iso(datetime.fromisoformat(row[at])) or "" for at in ("first_said_at", "said_at"))
            turn, position = row["turn"], row["position"]
            place = row["is_dated"], last, -turn, -position, row["source_id"]
            found[row["memory_id"]] = max(found.get(row["memory_id"], place), place)
            if row["is_dated"]:
                said.setdefault(row["memory_id"], []).extend(((first, turn, position), (last, turn, position)))
        at = {
            name: (dated, instant, -turn, -position, source_id)
            for name, (dated, instant, turn, position, source_id) in found.items()
        }
        return at, said


class _Judging:
    """A run over the statements that wait."""

    def __init__(self, reader: Reader, index: StatementIndex, now: datetime, asker: Asker | None) -> None:
        self._reader, self._index, self._now, self._asker = reader, index, now, asker
        self._graph, self._user = reader.graph, reader.user
        self._decisions = [decision for decision, _ in read_decisions(self._graph, self._user).values()]
        self.compared = 0
        self.found: Counter[str] = Counter()

    def bring_up_to_date(self, waiting: Sequence[str]) -> None:
        """Put all living statements into the index, as they are now; of those that wait the retired ones leave it."""
        wanted = waiting
        if not self._index.is_of(policy.INDEX_VERSION):
            self._index.clear()
            living = self._graph.read("validity/list_living", user_id=self._user)
            wanted = sorted({row["memory_id"] for row in living} | set(waiting))
        for page in in_parts(wanted, PAGE):
            self._index.replace(page, self._reader.statements(page).values())
        self._index.complete(policy.INDEX_VERSION)

    def judge(self, ids: Sequence[str]) -> None:
        """Judge one page of statements, and write it."""
        statements = self._reader.statements(ids)
        related = self._graph.read("validity/list_related", user_id=self._user, memory_ids=list(ids))
        compared = policy.unordered_pairs(self._candidates(statements, related), statements)
        decisions = [one for one in self._decisions if not statements.keys().isdisjoint(one.ids)]
        by_a_person = {pair for one in decisions for pair in one.pairs}
        compared = [pair for pair in compared if frozenset(one.memory_id for one in pair) not in by_a_person]
        opinions, judges, waits = self._opinions(compared)
        judged = zip(compared, opinions, judges, strict=True)
        outcomes: list[tuple[Change | Contradiction, str]] = [
            (outcome, judge) for pair, opinion, judge in judged if (outcome := policy.decide(*pair, opinion))
        ]
        # What follows from people's decisions, where the winning statement still lives.
        texts = self._reader.statements(sorted({name for one in decisions for name in one.ids}))
        said = {name: statement.text for name, statement in texts.items()}
        outcomes += [(change, A_PERSON) for one in decisions for change in policy.decided(one, said)]
        changes = [(one, judge) for one, judge in outcomes if isinstance(one, Change)]
        contradictions = [(one, judge) for one, judge in outcomes if isinstance(one, Contradiction)]
        self._graph.write_together(list(self._writes(ids, related, changes, contradictions, waits & statements.keys())))
        self.compared += len(compared)
        self.found.update(change.outdated.value for change, _ in changes)
        self.found.update("contradictions" for _ in contradictions)

    def _candidates(
        self, statements: Mapping[str, Statement], related: Iterable[Mapping[str, Any]]
    ) -> dict[str, list[Statement]]:
        """What each statement is compared with: those nearest to it, and those that were judged to bear on it before,
        as they are now. What is gone leaves the index.
        """
        near = {name: policy.nearest(one, self._index.near(one)) for name, one in statements.items()}
        wanted: dict[str, list[str]] = {name: [other.memory_id for other in others] for name, others in near.items()}
        for row in related:
            if row["id"] in wanted:
                wanted[row["id"]].append(row["memory_id"])
        named = {other for others in wanted.values() for other in others}
        living = dict(statements)
        for page in in_parts(sorted(named - living.keys()), PAGE):
            living |= self._reader.statements(page)
        if gone := sorted(named - living.keys()):
            self._index.replace(gone, ())
        return {
            name: [
                living[other]
                for other in dict.fromkeys(others)
                if other in living and policy.may_bear_on(statements[name], living[other])
            ]
            for name, others in wanted.items()
        }

    def _opinions(
        self, compared: Sequence[tuple[Statement, Statement]]
    ) -> tuple[list[pairs.PairOpinion], list[str], set[str]]:
        """An opinion of each pair, the model's where it answers; who judged each; and the statements that wait."""
        local = pairs.judge_pairs([(earlier.saying, later.saying) for earlier, later in compared])
        if self._asker is None:
            return local, [pairs.MODEL] * len(local), set()
        left = self._asker.left
        asked = self._asker.opinions(compared)
        waits = {one.memory_id for pair, answer in zip(compared, asked, strict=True) if answer is None for one in pair}
        opinions = [answer or known for answer, known in zip(asked, local, strict=True)]
        judges = [self._asker.model.name if answer else pairs.MODEL for answer in asked]
        return opinions, judges, waits if self._asker.left > left else set()

    def _writes(
        self,
        ids: Sequence[str],
        related: Sequence[Mapping[str, Any]],
        changes: Sequence[tuple[Change, str]],
        contradictions: Sequence[tuple[Contradiction, str]],
        waits: Collection[str],
    ) -> Iterator[Write]:
        """What was judged before of these statements goes, what is judged now comes, and their turn is over."""
        known = self._graph.read("validity/list_found", user_id=self._user, memory_ids=list(ids))
        since = {row["id"]: row["found_at"] for row in known}
        ends = {name for one, _ in changes for name in (one.earlier_id, one.later_id)}
        ends |= {name for one, _ in contradictions for name in (one.one_id, one.other_id)}
        touched = sorted({*ids, *(row["memory_id"] for row in related), *ends})
        turn = set(ids)
        holds = [{"id": name, "waits": name in waits, "is_judged": name in turn} for name in touched]

        def row(one: Change | Contradiction, judge: str, name: str) -> dict[str, Any]:
            return asdict(one) | {"judged_by": judge, "id": name, "found_at": since.get(name, to_iso(self._now))}

        changed = [row(one, by, node_id("change", self._user, one.later_id, one.earlier_id)) for one, by in changes]
        found = [
            row(one, by, node_id("contradiction", self._user, one.one_id, one.other_id)) for one, by in contradictions
        ]
        mine = {"user_id": self._user}
        yield from in_statements("validity/unlink_related", id_rows(ids), **mine)
        yield from in_statements("validity/link_changes", changed, **mine)
        yield from in_statements("validity/link_contradictions", found, **mine)
        yield from in_statements("validity/set_validity", holds, **mine)
        yield from in_statements("validity/set_subjects_dirty", id_rows(touched), **mine, now=to_iso(self._now))
