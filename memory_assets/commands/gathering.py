"""What may be put in a context, gathered from all rooms: one search for each cue (a question, a task, errors, files,
people, a branch); the standing instructions and the rest of MEMORY.md; decisions and fixes that agents have remembered;
contradictions on the matter; topics that recall answers.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from pathlib import Path
from typing import Any

from memory_assets.context import offers as offer
from memory_assets.context import policy, reading
from memory_assets.context.policy import BACKGROUND, CRITICAL, INDEX, RELEVANT, Asked, Cue, Offer
from memory_assets.graph.graph import Graph
from memory_assets.graph.owners import reader_of
from memory_assets.graph.said import list_outdated, said_in_turns
from memory_assets.llm import tokens
from memory_assets.llm.opening import embedder
from memory_assets.memory_file.drafts import DraftError, read_draft
from memory_assets.memory_file.pool import POOL_SIZES, STANDING, read_shelves
from memory_assets.memory_file.user_files import default_of
from memory_assets.model import Granularity
from memory_assets.recall.exploring import explore
from memory_assets.recall.index import ALL, PassageIndex, Span, span_of
from memory_assets.recall.levels import days_and_size
from memory_assets.recall.marking import Outdated, has_faded, said_of
from memory_assets.recall.policy import (
    RULES,
    Found,
    SourceHead,
    good_enough,
    turns_of,
    without_repeats,
)
from memory_assets.recall.search import bring_up_soon, bring_up_to_date, called_by_first_words, opened, words_of_owner
from memory_assets.settings import Settings
from memory_assets.text.held import Held
from memory_assets.text.words import content_words
from memory_assets.validity.decisions import SHORT, ends_of, open_contradictions

MOST_PASSAGES = 80
"""Of one cue among others."""
AMPLE, AMPLE_SHARE, AMPLE_PASSAGES = 4_000, 0.35, 200
"""One cue alone in a budget of so many tokens: a passage is good enough that scores this share of the best. Of
LoCoMo's questions .92 have then all that answers them in 8,000 tokens, else .87.
"""
UNASKED = ("error", "branch")
"""Cues that are no questions: where their rare words are said,
the search, which learned from questions, need not be sure.
"""
NEARLY_BEST = 0.95
"""Of the best passage's score: what scores so much is found by its own words or meaning."""
FEWEST_WORDS = 2
"""A passage of fewer words that say something ("Maya,") is none, unless it makes a statement."""
MOST_TOPICS = 16

Row = dict[str, Any]
Notes = dict[tuple[str, int], list[tuple[str, str]]]
"""Of turns, by source and number: which words hold no longer, and why."""


@lru_cache(maxsize=16_384)
def count_tokens(text: str) -> int:
    """The tokens of a line: most lines come in many contexts."""
    return tokens.count_tokens(text)


@dataclass(frozen=True)
class _Hit:
    """A passage, and what has found it best."""

    found: Found
    cue: Cue
    score: float

    def is_for_itself(self, words: str) -> bool:
        """Whether it was found by its own words, not by a neighbour's alone: ``words`` are it and what is about it."""
        is_best = self.score >= NEARLY_BEST * self.cue.weight
        return is_best or self.cue.is_named(words) or policy.shared(words, content_words(self.cue.words)) > 0


class Gathered:
    """What may be put in a context, step by step; another thread may look at what is ready."""

    def __init__(self, graph: Graph, settings: Settings, user: str, asked: Asked) -> None:
        self.graph, self.settings, self.user, self.asked = graph, settings, user, asked
        self.cues = policy.cues_of(asked)
        self.offers: list[Offer] = []
        self.is_partial = False
        self.is_late = False
        self.error: BaseException | None = None
        is_ample = len(self.cues) == 1 and (asked.limits.tokens or 0) >= AMPLE
        self._rules = replace(RULES, least_share=AMPLE_SHARE) if is_ample else RULES
        self._most = AMPLE_PASSAGES if is_ample else MOST_PASSAGES
        self._owners: list[str] = []
        self._own_names: frozenset[str] = frozenset()
        self._words = content_words(" ".join(cue.words for cue in self.cues))
        self._found: dict[tuple[str, int], _Hit] = {}
        self._found_by: dict[str, _Hit] = {}
        self._sure: set[Cue] = set()
        self._records: set[str] = set()
        self._today = settings.clock.now().date()

    def wanted(self, asked: Asked) -> list[Offer]:
        """What of it belongs into the answer."""
        return policy.wanted(self.offers, asked, has_cues=bool(self.cues))

    def run(self) -> None:
        """All steps, the most needed first; stops between two of them when it is late."""
        try:
            reader = reader_of(self.graph, self.user, self.asked.within)
            self._owners, self._own_names = reader.owners, words_of_owner(reader.names)
            for step in self._steps():
                if self.is_late:
                    return
                self.offers += step()
        except BaseException as error:  # who waits for it raises it
            self.error = error

    def _steps(self) -> Iterator[Callable[[], list[Offer]]]:
        tiers = set(self.asked.tiers)
        if tiers & {CRITICAL, BACKGROUND}:
            yield self._file
        if self.cues or INDEX in tiers:
            passages = opened(self.settings.home, self.user)
            if self.asked.deadline_ms is None:
                bring_up_to_date(self.graph, passages, self._owners)
            else:
                bring_up_soon(self.graph, passages, self._owners, self.asked.deadline_ms)
        for cue in self.cues:
            yield partial(self._search, passages, cue)
        if self.cues:
            yield partial(self._passages, passages)
        for cue in self.cues if RELEVANT in tiers and self.asked.level is not Granularity.SAID else ():
            yield partial(self._overviews, cue)
        if CRITICAL in tiers and self.cues:
            yield self._decisions
        if INDEX in tiers and (not self.cues or any(one.cue for one in self.offers)):
            yield partial(self._topics, passages)

    def _file(self) -> list[Offer]:
        """MEMORY.md as it was last made, without what does not hold any more; and all that must always hold."""
        most, bounds = POOL_SIZES["preferences"], read_shelves(self.graph, self.user).bounds(STANDING)
        shelf = self.graph.read("graph/list_standing_shelf", user_id=self.user, limit=most, **bounds)
        text = ""
        entries: Sequence[Mapping[str, Any]] = ()
        with suppress(DraftError):  # of whom no file was made yet
            draft = read_draft(self.graph, default_of(self.user))
            text, entries = draft.text, draft.entries
        rests_on = {
            row["ref"]: [row["memory_id"], *(part["memory_id"] for part in row.get("rests_on", ()))] for row in entries
        }
        standing = [row["memory_id"] for row in shelf]
        known = reading.may_be_offered(
            self.graph, self._owners, [*standing, *(name for names in rests_on.values() for name in names)], self._today
        )
        holding = {name: row for name, row in known.items() if row["outdated"] != "wholly"}
        why = {
            holding[name]["ref"]: f"must always hold, said on {offer.day_of(holding[name]['at'])}"
            for name in standing
            if name in holding
        }
        offers = [
            replace(one, memory_ids=tuple(rests_on[one.ref]), score=policy.shared(one.text, self._words))
            for one in offer.of_file(text, why)
            if all(name in holding for name in rests_on.get(one.ref, [""]))
        ]
        return offers + self._others_standing(why, standing, holding, offers)

    def _others_standing(
        self, why: dict[str, str], standing: list[str], known: dict[str, Row], there: list[Offer]
    ) -> list[Offer]:
        """What must always hold and MEMORY.md has no room for, or was not made for yet."""
        refs = {one.ref for one in there}
        left = [name for name in standing if name in known and known[name]["ref"] not in refs]
        words = reading.words_of(self.graph, self.user, [name for name in left if known[name]["outdated"] is None])
        return [offer.of_statement(words[name], CRITICAL, why[words[name]["ref"]]) for name in left if name in words]

    def _search(self, passages: PassageIndex, cue: Cue) -> list[Offer]:
        """What a cue finds: where the search is not sure, only what surely means it."""
        answered = passages.search(cue.words, span_of(self.asked.within), limit=self._most, owner=self._own_names)
        best = max((one.score for one in answered.found), default=0.0) or 1.0
        found = good_enough(answered.found, self._rules) if answered.is_sure else []
        self._sure |= {cue} if answered.is_sure else set()
        found = [one for one in found if cue.is_about(f"{one.speaker or ''} {one.text}")]
        if not answered.is_sure and (cue.names or cue.kind in UNASKED):
            found = [one for one in answered.found if cue.is_meant(f"{one.speaker or ''} {one.text}")]
        for one in found:
            place, score = (one.source_id, one.place), cue.weight * one.score / best
            if place not in self._found or self._found[place].score < score:
                self._found[place] = _Hit(one, cue, score)
        return []

    def _passages(self, index: PassageIndex) -> list[Offer]:
        """What was found, the decisions and fixes in it, and the contradictions that touch it."""
        hits = list(self._found.values())
        places = [(hit.found.source_id, turn) for hit in hits for turn in turns_of(hit.found)]
        heads = said_in_turns(self.graph, self.user, self._owners, places)
        said_ids = [said["id"] for head in heads.values() for said in head["said"]]
        of_records = [name for name, head in heads.items() if head["kind"] == "record" and head["owner"] == self.user]
        records = reading.records_in(self.graph, self.user, of_records)
        touched = [*said_ids, *(row["id"] for row in records)] if CRITICAL in self.asked.tiers else []
        disputes = open_contradictions(self.graph, self.user, of=touched)
        ends = [name for row in disputes for name in ends_of(row)]
        allowed = reading.may_be_offered(self.graph, self._owners, [*heads, *said_ids, *ends])
        hits = [hit for hit in hits if hit.found.source_id in heads and hit.found.source_id in allowed]
        pages = {name: tuple(row[part] for part in ("owner", "kind", "title", "at")) for name, row in heads.items()}
        ranked = sorted(hits, key=lambda hit: (-hit.score, hit.found.source_id, hit.found.place))
        once = {id(one) for one in without_repeats([hit.found for hit in ranked], pages)}
        hits = [hit for hit in hits if id(hit.found) in once]
        notes = self._notes(heads)
        for name in called_by_first_words(index, heads):
            heads[name]["title"] = ""
        offers = []
        for hit in hits:
            offers += self._of_hit(hit, heads[hit.found.source_id], notes, records, allowed)
        if self.asked.level is not Granularity.SAID:
            offers = [one for one in offers if one.tier == CRITICAL]
        return offers + self._contradictions(disputes, allowed)

    def _overviews(self, cue: Cue) -> list[Offer]:
        """The storylines or themes that a cue finds; where the search is not sure, only what surely means it."""
        level, budget = self.asked.level, self.asked.budget
        how: dict[str, Any] = {"within": self.asked.within}
        found = explore(
            self.graph, self.settings.home, self.user, cue.words, level, budget, embedder(self.settings), **how
        )
        rows = [card.row for card in found.packed.cards] if found.matched else []
        allowed = reading.may_be_offered(self.graph, self._owners, [row["id"] for row in rows])
        is_meant = cue.is_about if cue in self._sure else cue.is_meant if cue.names or cue.kind in UNASKED else None
        return [
            offer.of_overview(row, days_and_size(row), level.value, cue, cue.weight / (1 + place))
            for place, row in enumerate(rows)
            if row["id"] in allowed and is_meant is not None and is_meant(f"{row['title']} {row['text']}")
        ]

    def _of_hit(
        self, hit: _Hit, head: Row, notes: Notes, records: Sequence[Row], allowed: Collection[str]
    ) -> list[Offer]:
        one, cue = hit.found, hit.cue
        flat = " ".join(one.text.split())
        turns = turns_of(one)
        of_turns = (row for row in head["said"] if row["turn"] in turns)
        parts = {row["id"]: row | {"words": part} for row in of_turns if (part := said_of(flat, row["words"]))}
        said = list(parts.values())
        in_reach = SourceHead("", None, "", "", "", None, head["is_archived"], head["kept_turns"])
        if not in_reach.is_in_reach(one.turn) or has_faded(one, said):
            return []
        record = next((row for row in records if row["source_id"] == one.source_id and _is_of(row, flat)), None)
        if record is not None and record["kind"] in (reading.DECISION, reading.ERROR_FIX):
            if record["ref"] in self._records:
                return []
            self._records.add(record["ref"])
            return self._of_records([record | {"sources": [one.source_id]}], cue, hit.score)
        of_turn = [note for turn in turns for note in notes.get((one.source_id, turn), [])]
        if record is not None and (note := Held.of(record).note(self._today)):
            of_turn = [*of_turn, (flat, note)]
        said = [row for row in said if row["id"] in allowed]
        for row in said:
            self._found_by.setdefault(row["id"], hit)
        if record is not None and not said:  # it was remembered a moment ago
            said = [{"id": record["id"], "ref": record["ref"], "words": one.text}]
        if not said and len(content_words(one.text)) < FEWEST_WORDS:
            return []
        of_turn = [(part, note) for words, note in of_turn if (part := said_of(flat, words))]
        own = head | {"is_own": head["owner"] == self.user}
        passage = offer.of_passage(own, one.speaker, one.text, said, of_turn, cue, hit.score)
        return [policy.by_size(passage, one.tokens or count_tokens(passage.line), RULES.size_power)]

    def _notes(self, said: Mapping[str, Row]) -> Notes:
        """What of these turns holds no longer."""
        notes: Notes = {}
        for row in list_outdated(self.graph, self.user, self._owners, said):
            place = row.pop("source_id"), row.pop("turn")
            notes.setdefault(place, []).append((row["words"], Outdated(**row).note))
        return notes

    def _decisions(self) -> list[Offer]:
        """Decisions and fixes that name what is at work, and that the searches have not found."""
        names = {name for cue in self.cues for name in cue.spellings}
        kinds = (reading.DECISION, reading.ERROR_FIX)

        def cue_of(row: Row) -> Cue | None:
            said = "\n".join((row["text"], *row["about"]))
            return next((cue for cue in self.cues if cue.is_named(said)), None)

        def is_new(row: Row) -> bool:
            return row["ref"] not in self._records and cue_of(row) is not None

        offers = []
        for row in reading.records_naming(self.graph, self.user, self._owners, kinds, names, is_new):
            if (cue := cue_of(row)) is not None:
                offers += self._of_records([row], cue, cue.weight)
        return offers

    def _of_records(self, records: Sequence[Row], cue: Cue, score: float) -> list[Offer]:
        """Records with what of them holds no longer, which says the last word on each of their statements."""
        said = reading.said_in(
            self.graph, self.user, self._owners, {name for row in records for name in row["sources"]}
        )
        offers = []
        for record in records:
            own = [one for name in record["sources"] for one in said.get(name, ()) if _is_of(record, one["said"])]
            notes = [
                (one["words"], Outdated(**{name: one[name] for name in _OUTDATED}).note)
                for one in own
                if one["outdated"]
            ]
            if note := Held.of(record).note(self._today):
                notes.append((record["text"], note))
            covers = dict.fromkeys(one["statement_ref"] for one in own)
            named = "\n".join((record["text"], *record["about"]))
            first = next((one for one in self.cues if one.is_named(named)), cue)
            offers.append(offer.of_record(record, list(covers), notes, first, score))
        return offers

    def _contradictions(self, rows: Sequence[Row], allowed: Collection[str]) -> list[Offer]:
        """The open ones that touch what was found or named, a few of them."""
        offers = []
        for row in rows:
            ends = ends_of(row)
            words = f"{row['one']}\n{row['other']}"
            hits = [self._found_by[name] for name in ends if name in self._found_by]
            found = (hit.cue for hit in hits if hit.is_for_itself(words))
            cue = next(found, None) or next((cue for cue in self.cues if cue.is_named(words)), None)
            if cue is not None and all(name in allowed for name in ends):
                offers.append(offer.of_contradiction(row, row["id"].rpartition(":")[2][:SHORT], cue))
        return offers[: policy.MOST_CONTRADICTIONS]

    def _topics(self, passages: PassageIndex) -> list[Offer]:
        """The latest themes and storylines by whose title recall finds something."""
        rows = reading.latest_topics(self.graph, self.user, self._owners, MOST_TOPICS)
        answered = _answered(passages, [row["title"] for row in rows], span_of(self.asked.within))
        topics = [offer.of_topic(row) for row in rows if row["title"] in answered]
        return [replace(one, score=policy.shared(one.text, self._words)) for one in topics]


_OUTDATED = ("words", "outdated", "reason", "ref", "since")
_ANSWERED: dict[tuple[Path, Span], tuple[str, dict[str, bool]]] = {}
_MOST_ANSWERED = 256


def _answered(passages: PassageIndex, titles: Iterable[str], span: Span = ALL) -> set[str]:
    """Those of the titles that recall answers, as the index is now: asked once until it is another one."""
    mark, _ = passages.mark()
    known_mark, known = _ANSWERED.pop((passages.folder, span), ("", {}))
    if mark is None or known_mark != mark:
        known = {}
    for title in titles:
        if title not in known:
            answered = passages.search(title, span, limit=1)
            known[title] = answered.is_sure and bool(answered.found)
    if mark is not None:
        while len(_ANSWERED) >= _MOST_ANSWERED:
            _ANSWERED.pop(next(iter(_ANSWERED)), None)
        _ANSWERED[passages.folder, span] = (mark, known)
    return {title for title in titles if known[title]}


def _is_of(record: Row, words: str) -> bool:
    """Whether words of a record's source are that record's: a long one is several passages."""
    return " ".join(words.split()) in " ".join(record["text"].split())
