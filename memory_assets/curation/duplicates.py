"""Memories of one owner and kind that say the same: found by vector and by words, merged where no doubt is left, else
listed for a person or the configured model (001, Deduplication).

The cost follows what is new: a new memory is compared with all of its kind by one product of vectors
(:mod:`.vectors`), and judged by its words (:mod:`.likeness`) only beside those that are near. What a person keeps apart
is not asked again as long as both say what they said.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from memory_assets.clock import to_iso
from memory_assets.curation import merging
from memory_assets.curation.likeness import Claim, Likeness, Verdict, guarded, judge
from memory_assets.curation.merging import A_PERSON, PAIR, Pair, pair_id
from memory_assets.curation.rails import GRACE, closed_rails
from memory_assets.curation.reading import Plan
from memory_assets.curation.vectors import RECIPE, Compared, VectorFile
from memory_assets.errors import MemoryAssetsError, ModelError, UnknownReferenceError
from memory_assets.graph.graph import Graph
from memory_assets.graph.statements import id_rows, in_parts, in_statements
from memory_assets.llm.model_client import LanguageModel
from memory_assets.llm.tasks import JUDGE_PAIR, DatedStatement, PairRequest, PairVerdict
from memory_assets.model import TIERED_KINDS, fingerprint
from memory_assets.runtime.failures import waits

ASSET = "curated_memories"
UNDECIDED, KEPT = "undecided", "kept"
CURATION = "curation"
PAGE = 500
MOST_NEW = 2_000
"""So many statements that came in are compared at a time; the rest waits for the next cycle."""
MOST_LISTED = 1_000
MOST_ASKED = 100
"""So many pairs a cycle asks a model about."""
LEAST_CONFIDENCE = 6.0
"""Of 10: below it a model leaves a pair to a person (validity/asking.py)."""
SHORT = 8

Row = dict[str, Any]


class DuplicateError(MemoryAssetsError):
    """Two memories cannot be merged."""


@dataclass
class Deduplicated:
    """What a comparison did, or would do: which memories were compared, merged, listed and left."""

    compared: int = 0
    waiting: int = 0
    """What came in and is compared by the next cycle: at least so many."""
    merged: list[Row] = field(default_factory=list)
    """Each with ``kept``, ``gone``, ``reason``, ``audit`` (of a dry run the one that there would be)."""
    listed: int = 0
    left: Counter[str] = field(default_factory=Counter)
    """Why something that says the same was not merged."""
    problems: list[str] = field(default_factory=list)


def deduplicate(
    graph: Graph,
    user: str,
    ids: Collection[str],
    now: datetime,
    *,
    file: Path | None = None,
    judge_model: LanguageModel | None = None,
    cycle_id: str | None = None,
    plan: Plan | None = None,
    dry_run: bool = False,
) -> Deduplicated:
    """Compare some memories, and what came in a day ago, with all of their kind; merge and list what follows.

    ``file`` stores the user's vectors (without it they are read anew), ``judge_model`` is asked about pairs that words
    leave open, ``plan`` is what dry runs before would have left. The owner's lock is held. A dry run writes nothing,
    and asks nobody.
    """
    asked = {"user_id": user, "born_before": to_iso(now - GRACE), "limit": MOST_NEW + 1}
    came_in = [row["id"] for row in graph.read("curation/list_uncompared", **asked)]
    new = came_in[:MOST_NEW]
    plan = plan or Plan()
    wanted = sorted({*ids, *new}.difference(plan.gone))
    done = Deduplicated(compared=len(wanted), waiting=len(came_in) - len(new))
    out = plan.gone | plan.archived
    pairs = [pair for pair in find_pairs(graph, user, wanted, file=file) if not {pair.a, pair.b} & out]
    merges = [pair for pair in pairs if pair.verdict.likeness is Likeness.MERGE]
    open_pairs = [pair for pair in pairs if pair.verdict.likeness is Likeness.UNDECIDED]
    again = _merge_all(graph, user, merges, now, done, plan, cycle_id=cycle_id, dry_run=dry_run)
    done.listed = len(open_pairs)
    if dry_run:
        return done
    rows = [pair.as_row(UNDECIDED) for pair in open_pairs]
    listed = in_statements("curation/upsert_pairs", rows, user_id=user, now=to_iso(now))
    graph.write_together([*listed, *in_statements("curation/set_compared", id_rows(set(new) - again), user_id=user)])
    if judge_model is not None:
        _ask(graph, user, judge_model, now, done, cycle_id)
    return done


def find_pairs(graph: Graph, user: str, ids: Sequence[str], *, file: Path | None = None) -> list[Pair]:
    """The pairs of a given memory and another one of its owner and kind that are one, or may be; those that were
    decided, and those that are listed already, are left out.
    """
    if not ids:
        return []
    if file is None:
        with TemporaryDirectory() as folder:
            return find_pairs(graph, user, ids, file=Path(folder) / "vectors.sqlite")
    with closing(VectorFile(file)) as vectors:
        _bring_up_to_date(graph, user, vectors, ids)
        given = _members(graph, user, ids)
        near = vectors.near(list(given.values()))
        others = _members(graph, user, sorted({name for pair in near for name in pair} - given.keys()))
        members = given | others
        if gone := sorted({name for pair in near for name in pair} - members.keys()):
            vectors.replace(gone, ())
    found = [pair for a, b in near if a in members and b in members if (pair := _pair(user, members[a], members[b]))]
    return _unknown(graph, user, _unlinked(graph, user, found))


def _bring_up_to_date(graph: Graph, user: str, vectors: VectorFile, ids: Sequence[str]) -> None:
    """Bring the vectors of all that may be compared into the file, as they are now."""
    wanted = list(ids)
    if not vectors.is_of(RECIPE):
        vectors.clear()
        kinds = sorted(TIERED_KINDS)
        all_ids = {row["id"] for row in graph.read("curation/list_comparable_ids", user_id=user, kinds=kinds)}
        wanted = sorted(all_ids | set(ids))
    for page in in_parts(wanted, PAGE):
        vectors.replace(page, _members(graph, user, page).values())
    vectors.complete(RECIPE)


def _members(graph: Graph, user: str, ids: Sequence[str]) -> dict[str, Compared]:
    """Those of some memories that may be compared, by id."""
    if not ids:
        return {}
    settled = {row["id"] for row in graph.read("curation/list_decided", user_id=user)}
    out = {row["memory_id"] for row in graph.read("graph/list_left_out", user_id=user)}
    rows = graph.read_parts("curation/list_comparable", ids, user_id=user)
    return {
        row["id"]: _compared(row, row["id"] in settled)
        for row in rows
        if row["id"] not in out and (row["text"] or "").strip() and row["kind"] in {*TIERED_KINDS, merging.STATEMENT}
    }


def _compared(row: Mapping[str, Any], is_settled: bool) -> Compared:
    vector = None if row["embedding"] is None else np.asarray(row["embedding"], np.float32)
    if vector is not None and not vector.any():
        vector = None
    at = row["occurred_at"]
    over = row["valid_to"] or row["outdated"] or ""
    claim = Claim(row["text"], row["speaker"], datetime.fromisoformat(at).date() if at else None, over)
    return Compared(row["id"], row["kind"], claim, row["embedder"] or "", vector, is_settled)


def _pair(user: str, one: Compared, other: Compared) -> Pair | None:
    a, b = sorted((one, other), key=lambda member: member.id)
    cosine = _cosine(a, b)
    verdict = judge(a.claim, b.claim, cosine)
    if verdict.likeness is Likeness.APART:
        return None
    if verdict.likeness is Likeness.MERGE and (a.is_settled or b.is_settled):
        verdict = Verdict(Likeness.UNDECIDED, f"{verdict.reason}; somebody has decided something about one of them")
    cosine = None if cosine is None else round(cosine, 4)
    return Pair(pair_id(user, a.id, b.id), a.kind, a.id, b.id, verdict, cosine, fingerprint(a.words, b.words))


def _cosine(one: Compared, other: Compared) -> float | None:
    if one.vector is None or other.vector is None or one.embedder != other.embedder:
        return None
    return float(one.vector @ other.vector) if len(one.vector) == len(other.vector) else None


def _unlinked(graph: Graph, user: str, pairs: Sequence[Pair]) -> list[Pair]:
    """Without those of which one supersedes or contradicts the other, or refers to it: these are two."""
    linked: defaultdict[str, set[str]] = defaultdict(set)
    for row in graph.read_parts("curation/list_bearing", sorted({pair.a for pair in pairs}), user_id=user):
        linked[row["id"]].add(row["other_id"])
    return [pair for pair in pairs if pair.b not in linked[pair.a]]


def _unknown(graph: Graph, user: str, pairs: Sequence[Pair]) -> list[Pair]:
    """Without those that were decided, or are listed, as long as both say what they said."""
    rows = graph.read_parts("curation/list_known_pairs", [pair.id for pair in pairs], user_id=user)
    known = {row["id"]: row for row in rows}
    return [pair for pair in pairs if pair.id not in known or not _is_unchanged(known[pair.id], pair)]


def _is_unchanged(known: Mapping[str, Any], pair: Pair) -> bool:
    if known["words"] != pair.words:
        return False
    return known["status"] != UNDECIDED or pair.verdict.likeness is Likeness.UNDECIDED


def _merge_all(
    graph: Graph,
    user: str,
    pairs: Iterable[Pair],
    now: datetime,
    done: Deduplicated,
    plan: Plan,
    *,
    decided_by: str = CURATION,
    cycle_id: str | None = None,
    dry_run: bool = False,
) -> set[str]:
    """Merge pairs, each memory once at most; the ids of what is to be compared again by the next cycle: what a merge
    has touched, and what somebody wrote meanwhile.
    """
    touched: set[str] = set()
    again: set[str] = set()
    for pair in pairs:
        ids = {pair.a, pair.b}
        if touched & ids:
            done.left["one of them was merged already: the next cycle looks again"] += 1
            again |= ids
            continue
        both = plan.list_facts(graph, user, [pair.a, pair.b])
        if len(both) != 2:
            done.left["one of them is gone"] += 1
            continue
        survivor, gone = merging.choose_survivor(both[0], both[1], now)
        reason = f"says the same as [{survivor.ref or survivor.id}]: {pair.verdict.reason}"
        if rails := closed_rails(gone.as_memory(), now):
            done.left[f"a rail protects the one that would go: {', '.join(rails)}"] += 1
            continue
        how: Row = {"reason": reason, "decided_by": decided_by, "cycle_id": cycle_id, "dry_run": dry_run}
        audit, why = merging.merge(graph, user, pair, survivor.id, now, **how)
        again |= ids
        if audit is None:
            done.left[why] += 1
            continue
        touched |= ids
        done.merged.append(
            {"pair": pair.id, "kind": pair.kind, "kept": survivor.id, "gone": gone.id, "reason": reason, "audit": audit}
        )
    return again


def list_pairs(
    graph: Graph,
    user: str,
    limit: int = MOST_LISTED,
    *,
    status: str = UNDECIDED,
    judge: str | None = None,
    begins: str | None = None,
) -> list[Row]:
    """The pairs that wait for a decision, or are :data:`KEPT` apart, the likest first: what both say, who says so and
    when, and why it was open; none that the model ``judge`` was asked about, and only those whose id ``begins`` so.
    """
    return graph.read("curation/list_pairs", user_id=user, status=status, limit=limit, judge=judge, begins=begins)


def short_id(identifier: str) -> str:
    """The first digits of a pair's id, by which lists name it."""
    return identifier.partition(":")[2][:SHORT]


def settle(graph: Graph, user: str, identifier: str, now: datetime, *, is_same: bool) -> Row:
    """A person's word about a pair, named by its id or the first digits of it: one memory, or two.

    Raises :class:`UnknownReferenceError` where no pair, or more than one, is named so, :class:`DuplicateError` where
    they cannot be merged: a person's word does not overrule what keeps two apart.
    """
    row, members = _named(graph, user, identifier, UNDECIDED)
    pair = _as_found(row, members)
    if not is_same:
        stored = pair.as_row(KEPT, decided_by=A_PERSON)
        graph.write("curation/upsert_pairs", [stored], user_id=user, now=to_iso(now))
        return row | {"audit": None}
    if not _unlinked(graph, user, [pair]):
        raise DuplicateError(
            "They were not merged: one supersedes, contradicts or refers to the other, or was learned from it."
        )
    if why := guarded(members[pair.a].claim, members[pair.b].claim):
        raise DuplicateError(f"They were not merged: {why}.")
    done = Deduplicated()
    _merge_all(graph, user, [pair], now, done, Plan(), decided_by=A_PERSON)
    if not done.merged:
        raise DuplicateError(f"They were not merged: {'; '.join(done.left)}.")
    return row | done.merged[0]


def undo_kept(graph: Graph, user: str, identifier: str, now: datetime) -> Row:
    """Take back that two memories are two: the pair waits for a decision again, a model's too.

    Raises :class:`UnknownReferenceError` where no such pair, or more than one, is named so.
    """
    row, members = _named(graph, user, identifier, KEPT)
    stored = _as_found(row, members).as_row(UNDECIDED)
    graph.write("curation/upsert_pairs", [stored], user_id=user, now=to_iso(now))
    return row


def _named(graph: Graph, user: str, identifier: str, status: str) -> tuple[Row, dict[str, Compared]]:
    """The one pair of a status that is named by its id, or the first digits of it, and both memories."""
    begins = identifier if ":" in identifier else f"{PAIR}:{identifier}"
    found = [
        row
        for row in list_pairs(graph, user, MOST_LISTED, status=status, begins=begins)
        if identifier in (row["id"], short_id(row["id"]))
    ]
    if len(found) != 1:
        raise UnknownReferenceError(
            f"{'Several pairs' if found else 'No pair'} of {user} {'have' if found else 'has'} the id {identifier!r}: "
            f"`memory-assets duplicates --user {user}{' --kept' if status == KEPT else ''}` lists them, with --json in "
            "full."
        )
    members = _members(graph, user, [found[0]["a"], found[0]["b"]])
    if len(members) != 2:
        raise DuplicateError("One of the two is gone, or left out by a decision: there is nothing to decide.")
    return found[0], members


def _as_found(row: Row, members: Mapping[str, Compared]) -> Pair:
    """A listed pair as both are now."""
    words = fingerprint(*(members[row[side]].words for side in ("a", "b")))
    verdict = Verdict(Likeness.UNDECIDED, row["reason"])
    return Pair(row["id"], row["kind"], row["a"], row["b"], verdict, row["cosine"], words)


def _ask(
    graph: Graph, user: str, model: LanguageModel, now: datetime, done: Deduplicated, cycle_id: str | None
) -> None:
    """Ask a model about pairs that it has not judged: what it holds to be the same is merged, where no number, denial,
    day, name, speaker or time of validity says otherwise. What it has answered once is cached by the two texts.
    """
    waiting = list_pairs(graph, user, judge=model.name)
    members = _members(graph, user, sorted({row[side] for row in waiting for side in ("a", "b")}))
    there = [row for row in waiting if row["a"] in members and row["b"] in members]
    # What links the two may have come since they were listed.
    unlinked = {pair.id for pair in _unlinked(graph, user, [_as_found(row, members) for row in there])}
    asked = [row for row in there if row["id"] in unlinked][:MOST_ASKED]
    if not asked:
        return
    payloads = [_request(user, [members[row[side]] for side in ("a", "b")]) for row in asked]
    answers = model.ask_many(JUDGE_PAIR, payloads, PairVerdict, asset=ASSET, user_id=user)
    same, open_rows = [], []
    for row, answer in zip(asked, answers, strict=True):
        pair = _as_found(row, members)
        if isinstance(answer, ModelError):
            if str(answer) not in done.problems:
                done.problems.append(str(answer))
            if not waits(answer):
                open_rows.append(pair.as_row(UNDECIDED, asked=model.name))
            continue
        verdict, (one, other) = answer.value, (members[row[side]] for side in ("a", "b"))
        is_same = verdict.relation == "same" and verdict.confidence >= LEAST_CONFIDENCE
        if is_same and guarded(one.claim, other.claim) is None and not (one.is_settled or other.is_settled):
            why = " ".join(verdict.why.split())[:200]
            same.append(replace(pair, verdict=Verdict(Likeness.MERGE, f"by a model: {why or 'the same'}")))
        open_rows.append(pair.as_row(UNDECIDED, asked=model.name))
    graph.write_together(in_statements("curation/upsert_pairs", open_rows, user_id=user, now=to_iso(now)))
    _merge_all(graph, user, same, now, done, Plan(), decided_by=model.name, cycle_id=cycle_id)


def _request(user: str, both: Sequence[Compared]) -> PairRequest:
    claims = [one.claim for one in sorted(both, key=lambda one: (str(one.claim.day or ""), one.id))]
    earlier, later = (DatedStatement(day=str(one.day or ""), speaker=one.speaker, text=one.text) for one in claims)
    return PairRequest(owner=user, earlier=earlier, later=later)
