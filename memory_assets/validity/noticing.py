"""What of all that is known a new statement contradicts, before a run has judged it: its candidates alone, locally.

Its candidates are statements that runs have judged, and what agents have remembered since. The latter are records, and
have an index of their own, to which each is added when it is remembered and from which it goes when a run has read it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from contextlib import closing
from dataclasses import replace
from datetime import datetime
from pathlib import Path

import numpy as np

from memory_assets.clock import to_iso
from memory_assets.graph.graph import Graph
from memory_assets.llm.local import pairs
from memory_assets.llm.local.pairs import Relation
from memory_assets.llm.local.sentences import split_sentences
from memory_assets.validity import policy
from memory_assets.validity.index import StatementIndex
from memory_assets.validity.judging import Reader
from memory_assets.validity.policy import Change, Contradiction, Statement, ValidityRules

FEWER = ValidityRules(by_words=5, by_meaning=3, reach=1_000)
"""Of what was remembered since the last run the nearest alone are judged. Agents say much alike in one day: so more are
looked at, which takes 6 ms of a thousand that all say the same of others.
"""

SENTENCES = 6
"""So many of a memory's sentences are looked at."""


def contradicted(
    graph: Graph, user: str, judged: Path, unjudged: Path, said: Statement
) -> list[tuple[Statement, Change | Contradiction]]:
    """The statements that cannot be true beside ``said``, which is said now, or that it changes, each with how they
    differ: of those that runs have ``judged``, and of the records that wait for one (``unjudged``), by the paths of
    their indexes. Without an index none of these is known.

    It is read as if its speaker had said them all: what an agent writes down, it has from others. What has no day was
    known before.
    """
    known = _living(graph, user, _nearest(judged, said, policy.RULES))
    waiting = _unjudged(graph, user, [one.memory_id for one in _nearest(unjudged, said, FEWER)])
    stated = {(one.speaker, one.text) for one in known}  # of a source that has grown a run has judged a part
    known += [one for one in waiting.values() if (one.speaker, one.text) not in stated]
    return [(one, found) for one, found in zip(known, _judged(known, said), strict=True) if found]


def note_unjudged(graph: Graph, user: str, path: Path, ids: Collection[str]) -> None:
    """Index these records for what is remembered next, as they are now; those that are out of use leave the index at
    ``path``.
    """
    with closing(StatementIndex(path)) as index:
        if not index.is_of(policy.INDEX_VERSION):
            index.clear()
            index.complete(policy.INDEX_VERSION)
        index.replace(ids, _unjudged(graph, user, ids).values())


def forget_judged(graph: Graph, user: str, path: Path) -> None:
    """Forget the records that a run has read, and those that are out of use: what they say is judged, or holds not."""
    if path.is_file():
        with closing(StatementIndex(path)) as index:
            known = index.ids() if index.is_of(policy.INDEX_VERSION) else []
            index.replace(set(known) - _unjudged(graph, user, known).keys(), ())


def _nearest(path: Path, said: Statement, rules: ValidityRules) -> list[Statement]:
    if not path.is_file():
        return []
    with closing(StatementIndex(path)) as index:
        near = index.near(said, rules) if index.is_of(policy.INDEX_VERSION) else []
    return policy.nearest(said, [(_known_before(other, said), shared) for other, shared in near], rules)


def _living(graph: Graph, user: str, alike: Sequence[Statement]) -> list[Statement]:
    living = Reader(graph, user).statements(one.memory_id for one in alike) if alike else {}
    return [living[one.memory_id] for one in alike if one.memory_id in living]


def _unjudged(graph: Graph, user: str, ids: Iterable[str]) -> dict[str, Statement]:
    """Those of some records that no run has read, as statements, by id: without a day, so that they come before what is
    said in the same instant.
    """
    rows = graph.read("validity/list_unjudged_records", user_id=user, ids=sorted(ids)) if ids else []
    return {
        row["id"]: Statement(
            row["id"],
            row["text"],
            (to_iso(datetime.fromisoformat(row["at"])) or "", 0, 0),
            row["agent"],
            policy.PREFERENCE if row["is_preference"] else policy.INSIGHT,
            vector=np.asarray(row["embedding"], np.float32) if row["embedding"] else None,
            is_dated=False,
        )
        for row in rows
        if row["at"]
    }


def _judged(known: Sequence[Statement], said: Statement) -> list[Change | Contradiction | None]:
    asked = [policy.in_order(*_likest(_known_before(one, said), said)) for one in known]
    opinions = pairs.judge_pairs([(earlier.saying, later.saying) for earlier, later in asked])
    return [
        policy.decide(*pair, opinion) if opinion.relation in (Relation.CONTRADICTS, Relation.CHANGED) else None
        for pair, opinion in zip(asked, opinions, strict=True)
    ]


def _likest(one: Statement, said: Statement) -> tuple[Statement, Statement]:
    """The two sentences of them that are most alike: what a memory of several says beside it is of no matter here."""
    mine, theirs = (split_sentences(each.text)[:SENTENCES] for each in (one, said))
    if len(mine) < 2 and len(theirs) < 2:
        return one, said
    each = [(replace(one, text=first), replace(said, text=second)) for first in mine for second in theirs]
    return max(each, key=lambda pair: policy.likeness(*pair))


def _known_before(one: Statement, said: Statement) -> Statement:
    """A statement as if the speaker of ``said`` had said it, in the same source; one without a day, just before it came
    in.
    """
    at = one.at if one.is_dated else (one.at[0], -1, 0)
    return replace(one, speaker=said.speaker, is_dated=True, at=at, source_id=said.source_id)
