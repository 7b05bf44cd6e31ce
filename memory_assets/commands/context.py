"""What an agent is given before it starts, and what it will need next: gathered from all rooms, without a model.

One search for each cue (a question, a task, errors, files, people, a branch); the standing instructions and the rest of
MEMORY.md; decisions and fixes that agents have remembered; contradictions on the matter; topics that recall answers.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime, time
from functools import lru_cache, partial
from pathlib import Path
from time import monotonic
from typing import Any

from memory_assets.clock import day_of, to_iso
from memory_assets.commands.sources import check_budget
from memory_assets.context import offers as offer
from memory_assets.context import policy, reading
from memory_assets.context.policy import BACKGROUND, CRITICAL, INDEX, RELEVANT, Asked, Cue, Limits, Offer, Usage
from memory_assets.errors import WrongUseError
from memory_assets.graph.graph import Graph
from memory_assets.graph.owners import readable_owners, reader_of
from memory_assets.graph.said import list_outdated, said_in_turns
from memory_assets.keys.policy import COMMAND_LINE
from memory_assets.llm import tokens
from memory_assets.llm.opening import embedder
from memory_assets.memory_file.drafts import DraftError, read_draft
from memory_assets.memory_file.pool import POOL_SIZES, STANDING, read_shelves
from memory_assets.memory_file.user_files import default_of
from memory_assets.model import AccessKind, Granularity, check_user
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
from memory_assets.runtime.accesses import ALL as ALL_USES
from memory_assets.runtime.accesses import Access, Given, access_log, record_accesses
from memory_assets.sessions.log import PATIENCE_SECONDS, SessionBusyError
from memory_assets.sessions.working_memory import Sessions
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
RESERVE = 0.03
"""Seconds of a deadline for choosing and writing down what is ready, at least; at most half of it."""
_CHOOSING: deque[float] = deque(maxlen=20)
"""How many seconds that has taken lately under a deadline: on a busy machine more is reserved."""
TOO_LATE = 0.3
"""Seconds after its deadline at which an answer is none."""
_AT_WORK = threading.BoundedSemaphore(16)
"""So many gather under a deadline at a time: what is late goes on for a while, and must not pile up."""

Row = dict[str, Any]


@lru_cache(maxsize=16_384)
def count_tokens(text: str) -> int:
    """The tokens of a line: most lines come in many contexts."""
    return tokens.count_tokens(text)


class ContextError(WrongUseError):
    """A context cannot be made of what was asked."""


def context_for(
    graph: Graph,
    settings: Settings,
    user: str,
    asked: Asked,
    *,
    agent: str = COMMAND_LINE,
    is_counted: bool = True,
    fits: Callable[[str], bool] = lambda text: True,
    beside: Sequence[Row] = (),
    began: float | None = None,
) -> dict[str, Any]:
    """What the user's agent is to know for what is ``asked``, within its budget, its surface and its deadline.

    ``context`` is the text; with ``token_count``, ``tiers`` and ``effective_budgets`` by tier, ``entries`` (each with
    its reference and why), ``left_out`` (each with the reason), ``abstained`` (nothing relevant was found: no text),
    ``partial`` (the deadline was met with what was ready), ``session`` and ``as_of``. In a session nothing comes twice
    until it is compacted (:meth:`Sessions.compacted`). What is given is appended to the log of accesses, as injected,
    and is the session's, unless it is only looked at (not ``is_counted``). ``fits``: whether the text does, where the
    caller puts it; what does not is left out, and not given. ``beside``: memories (``id``, ``ref``) that the caller
    gives with it; they are given if it is. ``began``: when the deadline did, by :func:`time.monotonic`, if not now.
    """
    _check(user, asked)
    began = monotonic() if began is None else began
    gathered = _gather(graph, settings, user, asked, began)
    try:
        return _given(settings, user, asked, gathered, agent, is_counted, fits, beside, began)
    except SessionBusyError:
        if asked.deadline_ms is None:
            raise
        gathered.is_partial = True
        return _as_answer(settings, asked, gathered, policy.Assembled())


def _given(
    settings: Settings,
    user: str,
    asked: Asked,
    gathered: _Gathered,
    agent: str,
    is_counted: bool,
    fits: Callable[[str], bool],
    beside: Sequence[Row],
    began: float,
) -> dict[str, Any]:
    """The answer, chosen of what was gathered, and given."""
    until = None if asked.deadline_ms is None else began + asked.deadline_ms / 1000
    with _injecting(settings, user, asked.session, until) as (seen, inject):
        gathered_at = monotonic()
        offers = gathered.wanted(asked)
        # What is injected today counts from tomorrow on: the same asked again is answered by the same text.
        ranked = (one for one in offers if one.tier in policy.RANKED_BY_USAGE)
        usage = _usage(settings, user, ranked, injected_before=_today(settings))
        chosen = _assembled(policy.by_usage(offers, *usage), asked, seen | {one["ref"] for one in beside}, fits)
        if asked.deadline_ms is not None and monotonic() - began > asked.deadline_ms / 1000 + TOO_LATE:
            # Nobody may wait for it any more: nothing of it counts as given.
            chosen, gathered.is_partial, beside = policy.Assembled(), True, ()
        answer = _as_answer(settings, asked, gathered, chosen)
        if is_counted:
            now = settings.clock.now()
            ids = dict.fromkeys(name for one in chosen.chosen for name in one.memory_ids)
            ids |= dict.fromkeys(one["id"] for one in beside)
            injected = [Access(user, name, now, AccessKind.INJECTED, agent, asked.session) for name in ids]
            record_accesses(settings, injected, Given(user, now, answer["token_count"], agent))
        if is_counted and (chosen.chosen or beside):  # last: what fails is not given
            keys = (key for one in chosen.chosen for key in one.keys)
            inject(dict.fromkeys([*(one["ref"] for one in beside), *keys]))
    if asked.deadline_ms is not None:
        _CHOOSING.append(monotonic() - gathered_at)
    return answer


def _as_answer(settings: Settings, asked: Asked, gathered: _Gathered, chosen: policy.Assembled) -> dict[str, Any]:
    abstained = not gathered.is_partial and not gathered.wanted(asked)
    answer = chosen.as_json(count_tokens) | {"budget": asked.budget, "abstained": abstained}
    answer |= {"partial": gathered.is_partial, "session": asked.session or None}
    return answer | {"as_of": to_iso(settings.clock.now())}


def predict_for(
    graph: Graph, settings: Settings, user: str, asked: Asked, at: datetime | None = None
) -> dict[str, Any]:
    """What will be needed next for these cues: ``predicted_memories`` in at most the budget, each with its tier, its
    tokens, the cue it was found by, and how likely it is used, by how often it was cited of the times it was shown;
    with an instant ``at``, what was used at that time of other days, by the share of those days. ``confidence`` is the
    share of them that will be used by this, and by how right this was until now; ``calibration`` says how right: of so
    many shown memories that were ``judged`` the share ``used``, the mean ``probability``, the ``brier`` score. Nothing
    counts as shown.
    """
    _check(user, asked)
    found: list[tuple[Offer, float]] = []
    if policy.cues_of(asked):
        gathered = _gather(graph, settings, user, replace(asked, tiers=(CRITICAL, RELEVANT)))
        with _injecting(settings, user, asked.session) as (seen, _):
            chosen = [one for one in _assembled(gathered.wanted(asked), asked, seen).chosen if one.cue]
        usage, all_of_them = _usage(settings, user, chosen)
        for one in chosen:
            of_it = policy.best_used(usage[name] for name in one.memory_ids if name in usage)
            found.append((one, policy.probability(of_it, all_of_them)))
    if at is not None:
        found += _used_at(graph, settings, user, at, asked, {one.ref for one, _ in found})
    rows: list[Row] = [
        {"ref": one.ref, "tier": one.tier, "probability": likely, "cue": one.cue, "tokens": count_tokens(one.line)}
        for one, likely in sorted(found, key=lambda each: (-each[1], each[0].tier, each[0].ref))
    ]
    calibration = policy.calibration(access_log(settings, user).uses())
    mean = sum(row["probability"] for row in rows) / len(rows) if rows else None
    confidence = None if mean is None else calibration.corrected(mean)
    return {"predicted_memories": rows, "confidence": confidence, "calibration": asdict(calibration)}


Notes = dict[tuple[str, int], list[tuple[str, str]]]
"""Of turns, by source and number: which words hold no longer, and why."""


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


class _Gathered:
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


def _run_and_leave(gathered: _Gathered) -> None:
    try:
        gathered.run()
    finally:
        _AT_WORK.release()


def _gather(graph: Graph, settings: Settings, user: str, asked: Asked, began: float | None = None) -> _Gathered:
    gathered = _Gathered(graph, settings, user, asked)
    if asked.deadline_ms is None:
        gathered.run()
    else:
        wait = asked.deadline_ms / 1000
        until = (monotonic() if began is None else began) + wait - policy.reserved(wait, RESERVE, _CHOOSING)
        worker = threading.Thread(target=_run_and_leave, args=(gathered,), daemon=True)
        if may_run := _AT_WORK.acquire(timeout=max(0.0, until - monotonic())):
            worker.start()
            worker.join(max(0.0, until - monotonic()))
        if not may_run or worker.is_alive():
            gathered.is_late = True
            ready, whole = list(gathered.offers), gathered
            gathered = _Gathered(graph, settings, user, asked)
            gathered.offers, gathered.is_partial, gathered.error = ready, True, whole.error
    if gathered.error is not None:
        raise gathered.error
    return gathered


def _assembled(
    offers: Iterable[Offer], asked: Asked, seen: Iterable[str], fits: Callable[[str], bool] = lambda text: True
) -> policy.Assembled:
    return policy.assemble(offers, asked.limits, asked.activity, count_tokens, frozenset(seen), asked.tiers, fits)


def _usage(
    settings: Settings, user: str, offers: Iterable[Offer], injected_before: datetime | None = None
) -> tuple[dict[str, Usage], Usage]:
    """How often what is offered was used, each of these memories and all of the user's together."""
    names = {name for one in offers for name in one.memory_ids}
    counts = access_log(settings, user).usage({*names, ALL_USES}, injected_before) if names else {}
    all_of_them = Usage.of(counts.pop(ALL_USES, {}))
    return {name: Usage.of(one) for name, one in counts.items()}, all_of_them


def _today(settings: Settings) -> datetime:
    return datetime.combine(day_of(settings.clock.now()), time(), UTC)


@contextmanager
def _injecting(
    settings: Settings, user: str, session: str, until: float | None = None
) -> Iterator[tuple[frozenset[str], Callable[[Iterable[str]], None]]]:
    if not session:
        yield frozenset(), lambda refs: None
    else:
        patience = PATIENCE_SECONDS if until is None else min(PATIENCE_SECONDS, max(0.0, until - monotonic()))
        with Sessions.of(settings).injecting(user, session, patience) as (seen, inject):
            yield seen, inject


AROUND_MINUTES, MOST_USES = 60, 5_000


def _used_at(
    graph: Graph, settings: Settings, user: str, at: datetime, asked: Asked, there: set[str]
) -> list[tuple[Offer, float]]:
    """What was used at this time of other days, the most regular first, within the budget."""
    days, all_days = access_log(settings, user).used_around(at, AROUND_MINUTES, MOST_USES)
    today = settings.clock.now().date()
    known = reading.may_be_offered(graph, readable_owners(graph, user, asked.within), days, today)
    left = asked.limits.tokens or 0
    found = []
    words = reading.words_of(graph, user, [name for name, row in known.items() if row["outdated"] != "wholly"])
    for name in sorted(words, key=lambda name: (-days[name], name)):
        row = words[name]
        if row["ref"] in there:
            continue
        one = replace(offer.of_statement(row, RELEVANT, "used at this time of day"), cue="time of day")
        cost = count_tokens(one.line)
        if cost <= left:
            left -= cost
            found.append((one, policy.regularity(days[name], all_days)))
    return found


def _check(user: str, asked: Asked) -> None:
    check_user(user)
    check_budget(asked.budget)
    check_surface(asked.surface)
    if not set(asked.tiers) <= set(policy.TIERS):
        raise ContextError("Tiers are 1 to 4.")


def check_surface(surface: str | Limits) -> None:
    """Raise :class:`ContextError` where there is no such surface, or none can be so small."""
    if isinstance(surface, str) and surface not in policy.SURFACES:
        raise ContextError(f"There is no surface {surface!r}. There are: {', '.join(policy.SURFACES)}.")
    given = (surface.tokens, surface.characters) if isinstance(surface, Limits) else ()
    if any(limit is not None and limit < 1 for limit in given):
        raise ContextError("A surface's limits are 1 or more.")
