"""Which statements are compared, which way round, and what follows from an opinion about two of them. Pure.

A statement is compared with a bounded number of others, which share rare words, anchors or their meaning with it and
lie nearest in time (003, Contradiction Scanner, as design.md corrects it: by words, by vector, by anchor). So the cost
of new statements does not grow with what is there already.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from enum import StrEnum
from functools import lru_cache

import numpy as np
from murmurhash.mrmr import hash as murmur

from memory_assets.llm.local.change_forms import is_plain, mentions_a_home
from memory_assets.llm.local.pair_features import words_of
from memory_assets.llm.local.pairs import PairOpinion, Relation, Saying
from memory_assets.model import Resolution
from memory_assets.text.words import UNSPACED_RUN, content_words, rarity

CODE_VERSION = "6"
INDEX_VERSION = "5"
"""Raise it when a statement is found by other terms, or has others: the index is made again then."""
PREFERENCE, TASK, INSIGHT = "preference", "task", "insight"
RESOLVED = "resolved"
"""Why a statement is superseded that a person has decided against."""
JUDGED = frozenset({PREFERENCE, TASK, INSIGHT})
"""The kinds of statements that can be superseded. Small talk says nothing that holds."""
ANCHOR_WEIGHT, HOME_WEIGHT = 1.5, 1.0
LIKE_A_CONTRADICTION, LIKE_A_CHANGE, LIKE_A_TASK = 0.8, 0.525, 0.6
"""So alike are two statements at least (:func:`likeness`) of which a score alone says that they contradict each other,
that the later one changes the earlier, or reports it done: below, most are of two matters (docs/reading.md).
"""
SAYS_CHANGE, SAYS_DONE = frozenset(("moves", "instead")), frozenset(("done", "dropped"))
"""Groups of ``pair_marks.tsv`` of which the later has words. What has "since", "more" or "over" is as often new."""
DOUBT = frozenset(("doubt",))
_NUMBER = re.compile(r"\d+(?:[.,:]\d+)*")
FEWEST_SHARED = 2
LEAST_WORTH = 0.3
"""A word that is worth less ("work", "like") finds too much."""
TABLES, BITS = 8, 8
"""Random hyperplanes (Charikar, 2002): two vectors of cosine 0.9 share one of the tables' buckets in 94 of 100 cases,
of cosine 0.7 in 56.
"""


@dataclass(frozen=True)
class ValidityRules:
    """How many statements a new one is compared with, and how alike these are at least."""

    by_words: int = 10
    by_meaning: int = 30
    # The sum of what shared words and anchors are worth (``words.rarity``: 1.4 for "rent", 0 for "the").
    least_shared: float = 0.3
    least_cosine: float = 0.3
    # Of one term the statements nearest in time are looked at: so many before, and so many after.
    reach: int = 100
    # Of so few statements each is looked at: the buckets of meaning find only what is much alike.
    few: int = 300


RULES = ValidityRules()


class Outdated(StrEnum):
    """Whether a statement still holds, where something later was said about it."""

    WHOLLY = "wholly"
    """A later one supersedes all of it."""
    IN_PART = "in part"
    """A later one supersedes a clause of it."""
    PERHAPS = "perhaps"
    """A later one may supersede it: a score alone says so, or a form that mostly, not always, changes something."""


@dataclass(frozen=True)
class Decision:
    """What a person has decided about two statements, at an instant (ISO 8601)."""

    one_id: str
    other_id: str
    resolution: Resolution
    note: str
    at: str
    merged_id: str = ""
    """The statement that the note is, where both are merged into it."""

    @property
    def changes(self) -> tuple[tuple[str, str], ...]:
        """Which of the statements supersedes which, by id."""
        found = {
            Resolution.A_WINS: ((self.one_id, self.other_id),),
            Resolution.B_WINS: ((self.other_id, self.one_id),),
            Resolution.MERGED: ((self.merged_id, self.one_id), (self.merged_id, self.other_id)),
        }
        return found.get(self.resolution, ())

    @property
    def ids(self) -> set[str]:
        """The statements that it is about."""
        return {self.one_id, self.other_id, *([self.merged_id] if self.merged_id else ())}

    @property
    def pairs(self) -> set[frozenset[str]]:
        """Each two statements about which it is decided: no judgement is asked for."""
        return {frozenset((self.one_id, self.other_id)), *map(frozenset, self.changes)}


@dataclass(frozen=True)
class Statement:
    """A statement as it is judged. ``at`` is when it was last said: the instant of its turn, else of its source (ISO
    8601), the turn and the place in that; ``is_dated``: else it is when the source came in. ``source_id`` is that
    source's. ``speaker`` is empty for the owner. ``said``: when each source says it for the first and for the last
    time, as far as that is known.
    """

    memory_id: str
    text: str
    at: tuple[str, int, int]
    speaker: str = ""
    content_type: str = INSIGHT
    anchors: tuple[str, ...] = ()
    vector: np.ndarray | None = None
    is_dated: bool = True
    source_id: str = ""
    said: tuple[tuple[str, int, int], ...] = ()

    @property
    def day(self) -> date:
        """The day on which it was last said."""
        return datetime.fromisoformat(self.at[0]).date()

    @property
    def saying(self) -> Saying:
        """What the judge of two sayings reads."""
        return Saying(self.text, self.speaker, self.day, self.content_type == TASK)


@dataclass(frozen=True)
class Change:
    """A later statement that supersedes an earlier one, or closes it where that is a task."""

    later_id: str
    earlier_id: str
    reason: str
    outdated: Outdated
    kind: str
    lost: str
    probability: float
    why: str
    since: str


@dataclass(frozen=True)
class Contradiction:
    """Two statements that cannot both be true, and no word of change says which holds; ``one_id`` is the earlier, as
    :func:`in_order` has it.
    """

    one_id: str
    other_id: str
    kind: str
    probability: float
    why: str


def terms_of(statement: Statement) -> dict[int, float]:
    """What a statement is found by, hashed, each with what sharing it is worth: its words by how rare they are, what it
    is about, and the buckets of its meaning (worth nothing by themselves).
    """
    words = {word: _worth(word) for word in content_words(statement.text)}
    found = {_hashed(word): worth for word, worth in words.items() if worth >= LEAST_WORTH}
    if mentions_a_home(statement.text):
        found[_hashed("=home")] = HOME_WEIGHT
    found |= {_hashed(f"@{anchor}"): ANCHOR_WEIGHT for anchor in statement.anchors}
    if statement.vector is not None:
        found |= dict.fromkeys(buckets(statement.vector), 0.0)
    return found


@lru_cache(maxsize=20_000)
def _worth(word: str) -> float:
    # A pair of signs says less than a word.
    return min(rarity(word), 3.0) if not UNSPACED_RUN.match(word) else 1.0


def buckets(vector: np.ndarray) -> list[int]:
    """The bucket of a vector in each table, hashed."""
    signs = (_planes(len(vector)) @ vector > 0).reshape(TABLES, BITS)
    return [_hashed(f"~{table}:{np.packbits(bits).tobytes().hex()}") for table, bits in enumerate(signs)]


@lru_cache(maxsize=4)
def _planes(width: int) -> np.ndarray:
    return np.random.default_rng(20_240_229).standard_normal((TABLES * BITS, width)).astype(np.float32)


def _hashed(term: str) -> int:
    return int(murmur(term))


def nearest(
    statement: Statement, others: Iterable[tuple[Statement, float]], rules: ValidityRules = RULES
) -> list[Statement]:
    """Those to compare a statement with: the most alike by words and anchors, and by meaning, each alike enough.

    ``others`` come each with what it shares with the statement (:func:`terms_of`).
    """
    by_words: list[tuple[float, str, Statement]] = []
    by_meaning: list[tuple[float, str, Statement]] = []
    for other, shared in others:
        if not may_bear_on(statement, other):
            continue
        if shared >= rules.least_shared:
            by_words.append((-shared, other.memory_id, other))
        cosine = _cosine(statement.vector, other.vector)
        if cosine >= rules.least_cosine:
            by_meaning.append((-cosine, other.memory_id, other))
    chosen = sorted(by_words, key=_order)[: rules.by_words] + sorted(by_meaning, key=_order)[: rules.by_meaning]
    return list({memory_id: other for _, memory_id, other in chosen}.values())


def _order(row: tuple[float, str, Statement]) -> tuple[float, str]:
    return row[:2]


def _cosine(one: np.ndarray | None, other: np.ndarray | None) -> float:
    if one is None or other is None or len(one) != len(other):
        return 0.0
    length = float(np.linalg.norm(one) * np.linalg.norm(other))
    return float(one @ other) / length if length > 0 else 0.0


def may_bear_on(one: Statement, other: Statement) -> bool:
    """Whether two statements are one person's, or about the same: else neither says anything of the other."""
    if one.memory_id == other.memory_id or not (one.is_dated and other.is_dated):
        return False  # when sources came in is no order of what they say, and no time
    if (one.source_id, one.at) == (other.source_id, other.at):
        return False
    is_of_a_task = TASK in (one.content_type, other.content_type)
    return one.speaker == other.speaker or is_of_a_task or not set(one.anchors).isdisjoint(other.anchors)


def has_order(one: Statement, other: Statement) -> bool:
    """Whether it is known which of two statements is the later: of one instant only within a source."""
    return one.at[0] != other.at[0] or one.source_id == other.source_id


def in_order(one: Statement, other: Statement) -> tuple[Statement, Statement]:
    """Two statements as (earlier, later), by when they were last said; by their ids where that has no order."""
    is_first = (one.at, one.memory_id) < (other.at, other.memory_id)
    if not has_order(one, other):
        is_first = one.memory_id < other.memory_id
    return (one, other) if is_first else (other, one)


def likeness(one: Statement, other: Statement) -> float:
    """What two statements share of the words of the longer one, by how rare these are: 0 to 1. One word is nothing."""
    mine, theirs = content_words(one.text), content_words(other.text)
    if len(mine & theirs) < FEWEST_SHARED:
        return 0.0
    longer = max(sum(map(rarity, mine)), sum(map(rarity, theirs)))
    return sum(map(rarity, mine & theirs)) / longer if longer > 0 else 0.0


def decide(earlier: Statement, later: Statement, opinion: PairOpinion) -> Change | Contradiction | None:
    """What follows from an opinion about two statements. By a score alone one is perhaps outdated, never superseded;
    where nobody knows which is the later, they contradict each other or nothing follows.
    """
    why = ", ".join(opinion.reasons)
    if opinion.is_scored and not _is_worth_showing(earlier, later, opinion):
        return None
    if opinion.relation is Relation.CONTRADICTS:
        if earlier.speaker != later.speaker:
            return None  # two people's views are none
        return Contradiction(earlier.memory_id, later.memory_id, opinion.kind, opinion.probability, why)
    if opinion.relation not in (Relation.CHANGED, Relation.DONE) or not has_order(earlier, later):
        return None
    if opinion.relation is Relation.DONE and earlier.content_type != TASK:
        return None
    whole = len(opinion.lost) >= len(earlier.text.strip(" .!")) or not opinion.lost
    outdated = Outdated.PERHAPS
    # Nobody else takes back what the owner has said: at most it is worth a look.
    is_anothers = opinion.relation is Relation.CHANGED and not earlier.speaker and bool(later.speaker)
    if opinion.is_certain and not is_anothers:
        outdated = Outdated.WHOLLY if whole else Outdated.IN_PART
    return Change(
        later.memory_id,
        earlier.memory_id,
        opinion.relation.value,
        outdated,
        opinion.kind,
        opinion.lost or earlier.text,
        round(opinion.probability, 3),
        why,
        _since(earlier, later),
    )


def _since(earlier: Statement, later: Statement) -> str:
    """Since when a later statement holds in place of an earlier one: repeating a change does not put it off."""
    return min((place for place in later.said if place > earlier.at), default=later.at)[0]


def _is_worth_showing(earlier: Statement, later: Statement, opinion: PairOpinion) -> bool:
    """Whether what a score alone says of two statements is shown to people: these are of one matter, and the later one
    says plainly, on another day, that something changes or is done. Of contradictions, what they differ in has a name,
    and is one value: where two numbers differ, one may say which thing it is.
    """
    alike = likeness(earlier, later)
    if opinion.relation is Relation.CONTRADICTS:
        return bool(opinion.kind) and alike >= LIKE_A_CONTRADICTION and _is_one_value(earlier.text, later.text)
    least, says = (LIKE_A_TASK, SAYS_DONE) if opinion.relation is Relation.DONE else (LIKE_A_CHANGE, SAYS_CHANGE)
    words = words_of(later.text)[0]
    marks: frozenset[str] = frozenset().union(*(word.marks for word in words))
    is_plainly_said = bool(marks & says) and is_plain(words, DOUBT)
    return alike >= least and earlier.day < later.day and is_plainly_said


def _is_one_value(earlier: str, later: str) -> bool:
    mine, theirs = (Counter(_NUMBER.findall(text)) for text in (earlier, later))
    return max((mine - theirs).total(), (theirs - mine).total()) <= 1


def decided(decision: Decision, texts: Mapping[str, str]) -> list[Change]:
    """What follows from a person's decision: the winner, or the note that merges both, supersedes from then on,
    whichever is older. Nothing of what says nothing any more (``texts``: what each says, by id).
    """
    why = decision.note or "a person has decided so"
    return [
        Change(winner, loser, RESOLVED, Outdated.WHOLLY, "contradiction", texts[loser], 1.0, why, decision.at)
        for winner, loser in decision.changes
        if winner != loser and winner in texts and loser in texts
    ]


def unordered_pairs(
    found: Mapping[str, Sequence[Statement]], statements: Mapping[str, Statement]
) -> list[tuple[Statement, Statement]]:
    """Each two statements that one of them is to be compared with the other of, once, as (earlier, later)."""
    pairs = {}
    for memory_id, others in found.items():
        for other in others:
            earlier, later = in_order(statements[memory_id], other)
            pairs[earlier.memory_id, later.memory_id] = earlier, later
    return [pairs[key] for key in sorted(pairs)]
