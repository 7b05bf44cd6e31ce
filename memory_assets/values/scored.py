"""What was scored, as arrays: enough to know whose signals a change touches, without reading the others. Pure.

Uniqueness is 1 minus the highest cosine to an earlier memory, so a memory that comes lowers only later ones like it,
and one that goes matters only to those whose nearest it was. Both are found by products of the changed vectors with
all others; what comes out is what scoring everything from the start gives, in whatever order memories arrived.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, datetime
from typing import Any

import numpy as np

from memory_assets.graph.due_keys import day_of
from memory_assets.model import RetentionTier
from memory_assets.values import policy
from memory_assets.values.columns import Column
from memory_assets.values.policy import Candidate, Classification, Vector

KINDS = (policy.CHUNK, policy.STORYLINE, policy.MACRO, policy.SOURCE)
TIERS = tuple(tier.value for tier in RetentionTier)
SHELVES = (None, "preferences", "tasks", "insights", "recent")
"""Kinds, tiers and sections are stored as their places in these."""

ROW = np.dtype(
    [
        ("kind", "u1"),  # its place in KINDS, counted from 1; 0 for a blank row, of a memory that has gone
        ("unknown_time", "?"),
        ("at", "f8"),  # seconds since 1970
        ("text", "u8"),  # the number of the text as compared for sameness (``number_of``)
        ("has_vector", "?"),
        ("highest", "f8"),  # the highest cosine to an earlier memory
        ("repeats", "?"),  # an earlier memory has the same text
        ("again", "i4"),  # the day on which time alone gives it another value, as an ordinal; 0 for none
        ("source_mark", "u8"),  # 0 for none
        ("score", "f8"),
        ("tier", "u1"),
        ("section", "u1"),
        ("rank", "i8"),
        ("is_standing", "?"),
        ("newest", "i8"),
        ("fingerprint", "u8"),  # its number; 0 for none
        ("content", "u8", (2,)),  # a digest of all that a file can follow from
    ]
)
ID = np.dtype("S40")
BLANK = b"\xff"
"""The id of a blank row: behind all others."""
CONTENT_VERSION = "10"
"""Part of the stage's mark: raise it when ``content`` is a digest of something else, or rows are stored otherwise, and
everything is scored again."""
DIGITS = 16
"""So much of a digest is a number: two of a million texts have the same one in one of thirty million memories."""
EQUAL = 1e-9
"""Cosines closer than this may be the same one, computed beside other vectors."""
ROUGH = 1e-3
"""Products of unit vectors in numbers of four bytes are nearer to the exact ones than this (thousands of numbers:
1e-4).
"""
SPREAD_STEPS = 20
BLOCK = 4096
QUERIES = 128


class OtherWidthError(ValueError):
    """Vectors of two widths: an embedder was replaced. What was stored of the other one compares with nothing."""


class Scored:
    """One id and one row for each memory of a user, in any order, and one unit vector for each row that has one. A row
    whose memory has gone is blank, and so is its vector. ``places_by_id``: all places in the order of their ids, blank
    ones last. ``is_comparable``: whether the vectors are those of all memories, so that others can be compared with
    them.
    """

    def __init__(
        self,
        ids: Column | None = None,
        rows: Column | None = None,
        vectors: Column | None = None,
        places_by_id: np.ndarray | None = None,
        *,
        is_comparable: bool = True,
    ) -> None:
        self.columns = (
            ids or Column(np.zeros(0, ID)),
            rows or Column(np.zeros(0, ROW)),
            vectors or Column(np.zeros((0, 0), np.float32)),
        )
        self.places_by_id = np.arange(len(self.ids)) if places_by_id is None else places_by_id
        self.is_comparable = is_comparable
        self._nothing_known()

    def _nothing_known(self) -> None:
        """What is said of all rows is worked out once, until one is another."""
        self._digest: str | None = None
        self._spread: list[dict[str, Any]] | None = None
        self._ranks: np.ndarray | None = None
        self._length: int | None = None

    @property
    def ids(self) -> np.ndarray:
        """The id of each row."""
        return self.columns[0].array

    @property
    def rows(self) -> np.ndarray:
        """What is known of each."""
        return self.columns[1].array

    @property
    def vectors(self) -> np.ndarray:
        """The vectors of those that have one, in the order of the rows."""
        return self.columns[2].array

    @property
    def order(self) -> np.ndarray:
        """The places of all memories in the order of their ids."""
        return self.places_by_id[: len(self)]

    @property
    def ranks(self) -> np.ndarray:
        """The place of each row among all by their ids."""
        if self._ranks is None:
            self._ranks = np.empty(len(self.ids), np.int64)
            self._ranks[self.places_by_id] = np.arange(len(self.ids))
        return self._ranks

    def __len__(self) -> int:
        if self._length is None:
            self._length = int(np.count_nonzero(self.rows["kind"]))
        return self._length

    def without_blanks(self) -> Scored:
        """The same in rows of its own, in the order of their ids."""
        slots = (np.cumsum(self.rows["has_vector"]) - 1)[self.order]
        rows = self.rows[self.order]
        vectors = self.vectors[slots[rows["has_vector"]]]
        columns = (Column(self.ids[self.order]), Column(rows), Column(vectors))
        return Scored(*columns, is_comparable=self.is_comparable)

    def find(self, ids: Iterable[str]) -> dict[str, int]:
        """The places of those of ``ids`` that are known."""
        wanted = np.array(sorted({identifier.encode() for identifier in ids}), dtype=ID)
        return {wanted[found].decode(): int(place) for found, place in zip(*self._found(wanted), strict=True)}

    def _found(self, wanted: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Which of some ids are known, and the places of those."""
        at = np.searchsorted(self.ids, wanted, sorter=self.places_by_id)
        found = np.flatnonzero(at < len(self.places_by_id))
        places = self.places_by_id[at[found]]
        is_same = self.ids[places] == wanted[found]
        return found[is_same], places[is_same]

    def marks(self) -> dict[str, int]:
        """The mark of each memory that has one, by its id."""
        marked = np.flatnonzero(self.rows["source_mark"])
        return {self.ids[place].decode(): int(self.rows["source_mark"][place]) for place in marked}

    def places(self, kind: str, ids: Iterable[str] | None = None) -> np.ndarray:
        """The places of the memories of a kind, or of those of them among ``ids``, in the order of their ids."""
        places = self.order
        if ids is not None:
            _, places = self._found(np.array(sorted(name.encode() for name in ids), dtype=ID))
        return places[self.rows["kind"][places] == kind_number(kind)]

    def tiers(self) -> dict[str, dict[str, float]]:
        """How many memories are of each tier, and their mean value (000, Value classification distribution)."""
        found = {tier: [0, 0.0] for tier in TIERS}
        for row in self.spread():
            found[row["tier"]][0] += row["memories"]
            found[row["tier"]][1] += row["total_score"]
        return {
            tier: {"memories": memories, "mean_value": round(total / memories, 6) if memories else 0.0}
            for tier, (memories, total) in found.items()
        }

    def change(
        self, gone: Iterable[str], candidates: Sequence[Candidate], vectors: Sequence[Vector | None]
    ) -> set[str]:
        """Take away ``gone``, put the candidates in their rows; the ids of all whose uniqueness may be another now.

        Those of the candidates are among them. Raises :class:`OtherWidthError` before anything is changed.
        """
        width = self._width_with(vectors)
        if not len(self.vectors):
            self.columns = (*self.columns[:2], Column(np.zeros((0, width), np.float32)))
        ids, given = rows_of(candidates, vectors)
        units, places = policy.unit_rows(vectors, width), self.find(candidate.memory_id for candidate in candidates)
        known = np.array([places.get(candidate.memory_id, -1) for candidate in candidates], dtype=np.int64)
        leaving = np.array(sorted(self.find(gone).values()), dtype=np.int64)
        slots = np.cumsum(self.rows["has_vector"]) - 1
        moved = np.array([self._has_moved(*of_one, slots) for of_one in zip(known, given, units, strict=True)], bool)
        is_known = known >= 0
        departing = np.concatenate([leaving, known[moved & is_known]])
        texts = {*self.rows["text"][departing], *self.rows["text"][known[is_known]], *given["text"]}
        lonely = self._lonely_without(departing)

        # What hasn't moved keeps its place among the others.
        unmoved = ~moved & is_known
        given["highest"][unmoved] = self.rows["highest"][known[unmoved]]
        given["fingerprint"][is_known] = self.rows["fingerprint"][known[is_known]]
        # A row with a vector has it at its place among those of the rows: one that gets or loses it is another row.
        here = is_known.copy()
        here[is_known] = self.rows["has_vector"][known[is_known]] == given["has_vector"][is_known]
        self._put(known[here], given[here], units[here], slots)
        self._blank(np.concatenate([leaving, known[is_known & ~here]]), slots)
        known[~here] = self._append(ids[~here], given[~here], units[~here])
        arriving = np.sort(known[moved])
        touched = self._compare(arriving, np.setdiff1d(lonely, arriving))
        touched |= self.find_repeats(np.array(sorted(texts), dtype=ROW["text"]))
        return {*(candidate.memory_id for candidate in candidates), *(identifier.decode() for identifier in touched)}

    def _put(self, places: np.ndarray, rows: np.ndarray, units: np.ndarray, slots: np.ndarray) -> None:
        """Put rows in the place of others, with their vectors (``slots``: the place of each row's)."""
        self._nothing_known()
        self.rows[places] = rows
        self.columns[1].touch(places)
        of_vectors = slots[places[rows["has_vector"]]]
        self.vectors[of_vectors] = units[rows["has_vector"]]
        self.columns[2].touch(of_vectors)

    def _blank(self, places: np.ndarray, slots: np.ndarray) -> None:
        """Take rows away."""
        blank = np.zeros(len(places), ROW)
        blank["has_vector"] = self.rows["has_vector"][places]
        if len(places):
            self.ids[places] = BLANK
            self.columns[0].touch(places)
            self.places_by_id = np.concatenate([self.places_by_id[~np.isin(self.places_by_id, places)], places])
        self._put(places, blank, np.zeros((len(places), self.vectors.shape[1]), np.float32), slots)

    def _append(self, ids: np.ndarray, rows: np.ndarray, units: np.ndarray) -> np.ndarray:
        """Put rows behind all others; their places."""
        self._nothing_known()
        by_id = np.argsort(ids, kind="stable")
        at = np.searchsorted(self.ids, ids[by_id], sorter=self.places_by_id)
        places = self.columns[0].append(ids)
        self.columns[1].append(rows)
        self.columns[2].append(units[rows["has_vector"]])
        self.places_by_id = np.insert(self.places_by_id, at, places[by_id])
        return places

    def novelty(self, place: int) -> float:
        """How new the memory at a place is: 0 where an earlier one has the same words."""
        row = self.rows[place]
        return 0.0 if row["repeats"] else policy.novelty_of(row["highest"])

    def changes_at(self) -> datetime | None:
        """When time alone gives the next of them another value."""
        days = self.rows["again"][self.rows["again"] > 0]
        return datetime.fromordinal(int(days.min())).replace(tzinfo=UTC) if len(days) else None

    def note(self, place: int, made: Classification, candidate: Candidate, source_mark: int) -> None:
        """Keep what the memory at a place was scored."""
        self._digest = self._spread = None
        self.columns[1].touch(np.array([place]))
        row = self.rows[place]
        newest = policy.newest_first(made.occurred_at)
        row["again"] = day_of(made.rescore_key).toordinal() if made.rescore_key else 0
        row["source_mark"], row["score"] = source_mark, made.value_score
        row["tier"], row["section"] = TIERS.index(made.retention_tier), SHELVES.index(made.section)
        row["rank"] = newest if made.section == "recent" else policy.best_first(made.value_score)
        row["is_standing"], row["newest"] = made.is_standing, newest
        row["fingerprint"] = number_of(made.fingerprint)
        line = [str(candidate.said_by_owner), candidate.place, candidate.statement, candidate.change]
        content = "\0".join(
            part or "" for part in (made.memory_id, made.fingerprint, candidate.text, candidate.label, *line)
        )
        digest = hashlib.sha256(content.encode("utf-8", "surrogatepass")).digest()
        row["content"] = np.frombuffer(digest[:16], dtype=np.uint64)

    def digest(self) -> str:
        """What all rows add up to, whatever their order."""
        if self._digest is None:
            with np.errstate(over="ignore"):
                high, low = self.rows["content"].sum(axis=0, dtype=np.uint64)
            self._digest = f"{len(self)}.{int(high):016x}{int(low):016x}"
        return self._digest

    def spread(self) -> list[dict[str, Any]]:
        """How the values are spread, by kind, tier and step: ``memories``, and the sum of their values."""
        if self._spread is None:
            steps, score = SPREAD_STEPS, np.ascontiguousarray(self.rows["score"])
            key = self.rows["kind"].astype(np.int16) * len(TIERS) + self.rows["tier"]
            key = key * steps + np.minimum((score * steps).astype(np.int16), steps - 1)
            counts, totals = np.bincount(key), np.bincount(key, np.round(score * 1e6)) / 1e6
            self._spread = [
                {
                    "entity_type": KINDS[value // steps // len(TIERS) - 1],
                    "tier": TIERS[value // steps % len(TIERS)],
                    "step": value % steps,
                    "memories": int(counts[value]),
                    "total_score": float(totals[value]),
                }
                for value in np.flatnonzero(counts).tolist()
                if value >= steps * len(TIERS)  # below are the blank rows
            ]
        return self._spread

    def shelf_ends(self, user: str, most: int) -> dict[str, str]:
        """For each shelf of more than ``most`` memories the key of the last of its first ``most``: as far as
        anybody reads.
        """
        section = np.ascontiguousarray(self.rows["section"])
        shelves = {name: (np.flatnonzero(section == place), "rank") for place, name in enumerate(SHELVES) if name}
        shelves[policy.STANDING] = (np.flatnonzero(self.rows["is_standing"]), "newest")
        ends = {}
        for name, (chosen, rank) in shelves.items():
            if len(chosen) > most:
                ranks = self.rows[rank][chosen]
                limit = np.partition(ranks, most - 1)[most - 1]
                first = chosen[ranks <= limit]
                last = first[np.lexsort((self.ranks[first], self.rows[rank][first]))[most - 1]]
                ends[name] = policy.rank_key(user, name, int(self.rows[rank][last]), self.ids[last].decode())
        return ends

    def _width_with(self, vectors: Sequence[Vector | None]) -> int:
        widths = {len(vector) for vector in vectors if vector is not None}
        if len(self.vectors):
            widths.add(self.vectors.shape[1])
        if len(widths) > 1:
            raise OtherWidthError(f"vectors of {' and '.join(map(str, sorted(widths)))} numbers")
        return widths.pop() if widths else self.vectors.shape[1]

    def _has_moved(self, place: int, row: np.ndarray, one: np.ndarray, slots: np.ndarray) -> bool:
        if place < 0:
            return True
        old = self.rows[place]
        same = all(old[name] == row[name] for name in ("at", "unknown_time", "has_vector"))
        return not (same and (not row["has_vector"] or np.array_equal(self.vectors[slots[place]], one)))

    def _is_earlier(self, places: np.ndarray, than: np.ndarray) -> np.ndarray:
        """Which memories at ``places`` (columns) come before those at ``than`` (rows): ``policy.event_order``."""
        of = (self.rows["unknown_time"], self.rows["at"], self.ranks)
        one, other = (tuple(column[some] for column in of) for some in (places, than))
        (later, at, place), (other_later, other_at, other_place) = one, other
        when, other_when = np.where(later, np.inf, at)[None, :], np.where(other_later, np.inf, other_at)[:, None]
        return (when < other_when) | ((when == other_when) & (place[None, :] < other_place[:, None]))

    def _lonely_without(self, departing: np.ndarray) -> np.ndarray:
        """The places of those whose nearest earlier memory may be one of the departing."""
        lonely = np.zeros(len(self.rows), bool)
        with_vector = departing[self.rows["has_vector"][departing]] if len(departing) else departing
        highest = self.rows["highest"]

        def may_be(_some: np.ndarray, columns: np.ndarray, rough: np.ndarray) -> np.ndarray:
            is_near = (rough >= highest[columns] - ROUGH) & (highest[columns] > 0)
            return is_near.any(axis=0)

        for places, columns, products in self._products(with_vector, may_be):
            nearest = (products >= highest[columns][None, :] - EQUAL) & (highest[columns] > 0)[None, :]
            nearest &= self._is_earlier(places, columns).T
            lonely[columns] |= nearest.any(axis=0)
        lonely[departing] = False
        return np.flatnonzero(lonely)

    def _compare(self, arriving: np.ndarray, alone: np.ndarray) -> set[bytes]:
        """Bring ``highest`` up to date for what has come, what comes after that, and what lost its nearest."""
        asking = np.concatenate([arriving, alone]).astype(np.int64)
        asking = asking[self.rows["has_vector"][asking]]
        if not len(asking):
            return set()
        came = np.zeros(len(self.rows), bool)
        came[arriving] = True
        highest = self.rows["highest"].copy()
        highest[asking] = 0.0

        def may_count(some: np.ndarray, columns: np.ndarray, rough: np.ndarray) -> np.ndarray:
            is_earlier = self._is_earlier(columns, some)
            own = is_earlier & (rough >= highest[some][:, None] - ROUGH)
            theirs = ~is_earlier & came[some][:, None] & (rough >= highest[columns][None, :] - ROUGH)
            return (own | theirs).any(axis=0)

        for places, columns, products in self._products(asking, may_count):
            earlier = self._is_earlier(columns, places)
            own = np.where(earlier, products, 0.0).max(axis=1, initial=0.0)
            highest[places] = np.maximum(highest[places], own)
            later = self._is_earlier(places, columns).T & came[places][:, None]
            theirs = np.where(later, products, 0.0).max(axis=0, initial=0.0)
            highest[columns] = np.maximum(highest[columns], theirs)
        others = np.flatnonzero(highest != self.rows["highest"])
        changed = np.union1d(others, asking)
        self.rows["highest"][others] = highest[others]
        self.columns[1].touch(others)
        return set(self.ids[changed])

    def _products(
        self, places: np.ndarray, may_count: Callable[[np.ndarray, np.ndarray, np.ndarray], np.ndarray]
    ) -> Iterable[tuple[np.ndarray, np.ndarray, np.ndarray]]:
        """The products of the vectors at ``places`` with others, in parts: (places, columns, products).

        All are multiplied roughly, in the four bytes of their numbers; ``may_count`` says by that, of a part's
        places and a block of others, for which columns the exact product is wanted.
        """
        with_vector = np.flatnonzero(self.rows["has_vector"])
        for left in range(0, len(with_vector) if len(places) else 0, BLOCK):
            block, others = with_vector[left : left + BLOCK], self.vectors[left : left + BLOCK]
            for start in range(0, len(places), QUERIES):
                some = places[start : start + QUERIES]
                asking = self.vectors[np.searchsorted(with_vector, some)]
                wanted = np.flatnonzero(may_count(some, block, asking @ others.T))
                if len(wanted):
                    products = asking.astype(np.float64) @ others[wanted].T.astype(np.float64)
                    yield some, block[wanted], products

    def find_repeats(self, texts: np.ndarray) -> set[bytes]:
        """Say again, for memories of these texts, in order, which is the first and which repeat it; the ids that
        change.
        """
        if not len(texts):
            return set()
        said = np.ascontiguousarray(self.rows["text"])
        at = np.minimum(np.searchsorted(texts, said), len(texts) - 1)
        there = np.flatnonzero(texts[at] == said)
        places = there[in_order(self.ids[there], self.rows[there])]
        repeats = np.ones(len(places), bool)
        repeats[np.unique(self.rows["text"][places], return_index=True)[1]] = False
        changed = places[repeats != self.rows["repeats"][places]]
        self.rows["repeats"][changed] = ~self.rows["repeats"][changed]
        self.columns[1].touch(changed)
        return set(self.ids[changed])


class Gathered:
    """Takes pages of memories, at most ``most`` of them, and scores them together.

    Room for all is set apart at once, but only what is filled of it is really taken. Vectors of several widths are
    compared each with its like, and none is stored.
    """

    def __init__(self, most: int) -> None:
        self._ids, self._rows = np.zeros(most, ID), np.zeros(most, ROW)
        self._vectors: dict[int, np.ndarray] = {}
        self._whose: dict[int, list[int]] = {}
        self._count = 0

    def add(self, candidates: Sequence[Candidate], vectors: Sequence[Vector | None]) -> None:
        """Take a page."""
        first, self._count = self._count, self._count + len(candidates)
        self._ids[first : self._count], self._rows[first : self._count] = rows_of(candidates, vectors)
        for width in {len(vector) for vector in vectors if vector is not None}:
            room = self._vectors.setdefault(width, np.zeros((len(self._rows), width), np.float32))
            whose = self._whose.setdefault(width, [])
            given = [(first + place, v) for place, v in enumerate(vectors) if v is not None and len(v) == width]
            room[len(whose) : len(whose) + len(given)] = policy.unit_rows([vector for _, vector in given], width)
            whose += [place for place, _ in given]

    def score(self) -> Scored:
        """What was taken, scored; nothing can be added any more."""
        ids, rows = self._ids[: self._count], self._rows[: self._count]
        when = np.empty(len(rows), np.int64)
        when[in_order(ids, rows)] = np.arange(len(rows))
        vectors = np.zeros((0, 0), np.float32)
        for width, room in sorted(self._vectors.items()):
            whose, vectors = np.array(self._whose[width]), room[: len(self._whose[width])]
            order = np.argsort(when[whose])
            reorder(vectors, order)
            whose = whose[order]
            rows["highest"][whose] = policy.highest_earlier(vectors)
            reorder(vectors, np.argsort(ids[whose]))
        by_id = np.argsort(ids)
        reorder(rows, by_id)
        ids = ids[by_id]
        is_comparable = len(self._vectors) < 2
        if not is_comparable:
            rows["has_vector"], vectors = False, np.zeros((0, 0), np.float32)
        scored = Scored(Column(ids), Column(rows), Column(vectors), is_comparable=is_comparable)
        scored.find_repeats(np.unique(rows["text"]))
        return scored


def number_of(digest: str) -> int:
    """A digest in hexadecimal as a number of eight bytes; 0 for none."""
    return int(digest[:DIGITS] or "0", 16)


def kind_number(kind: str) -> int:
    """A kind as rows have it."""
    return KINDS.index(kind) + 1


def in_order(ids: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """The places of rows in the order of events (``policy.event_order``)."""
    return np.lexsort((ids, rows["at"], rows["unknown_time"]))


def rows_of(candidates: Sequence[Candidate], vectors: Sequence[Vector | None]) -> tuple[np.ndarray, np.ndarray]:
    """The ids and the rows of memories that nothing is known of yet but what they are.

    Raises :class:`ValueError` for an id that is longer than a row has room for.
    """
    ids, rows = np.zeros(len(candidates), ID), np.zeros(len(candidates), ROW)
    for place, (row, candidate, vector) in enumerate(zip(rows, candidates, vectors, strict=True)):
        identifier = candidate.memory_id.encode()
        if len(identifier) > ID.itemsize:
            raise ValueError(f"The id {candidate.memory_id!r} is longer than the ids of this program.")
        ids[place], row["kind"] = identifier, kind_number(candidate.entity_type)
        row["unknown_time"], row["at"], _ = policy.event_order(candidate)
        text = policy.same_text(candidate.text)
        row["text"] = number_of(hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest())
        row["has_vector"] = vector is not None
    return ids, rows


def reorder(array: np.ndarray, order: np.ndarray) -> None:
    """Put the rows of an array in an order, in place: a copy of all vectors would take their room once more."""
    wanted = order.copy()
    for first in range(len(wanted)):
        held, place = array[first].copy(), first
        while (source := int(wanted[place])) != first:
            array[place], wanted[place] = array[source], place
            place = source
        array[place], wanted[place] = held, place
