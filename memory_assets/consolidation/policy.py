"""Which sources become knowledge, with which others, and what of them stays in the default search (004, Memory
Consolidation, Episodic to Semantic). Pure.

The sources alone decide, replayed in the order of their events: what arrived or was archived in which order does not
show. Ages count from the later of ingestion and last use, so that imported history is as fresh as it is new here.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, time, timedelta
from enum import StrEnum

import numpy as np

from memory_assets.clock import day_of, in_order, to_iso
from memory_assets.graph.lives import KEEP_FOREVER, Life, RestRules, rests_at, salience
from memory_assets.llm.cited import Cited
from memory_assets.llm.cited import fault as cited_fault
from memory_assets.llm.sentences import is_said
from memory_assets.llm.tasks import ClusterRequest, ClusterStatement, Insight
from memory_assets.model import ContentType, State, node_id
from memory_assets.text.attribution import behind_name
from memory_assets.text.words import BARE_WORD, content_words, rarity

CODE_VERSION = "2"


@dataclass(frozen=True)
class ConsolidationRules(RestRules):
    """004, Consolidation triggers; the figures without a source are this table's own."""

    least_overlapping: int = 5
    grace: timedelta = timedelta(hours=24)
    """What is younger is never archived (001, rail 9)."""
    near: timedelta = timedelta(days=30)
    farthest: timedelta = timedelta(days=90)
    likeness: tuple[float, float] = (0.25, 0.40)
    """Of what is near, and of what is farthest in time. Of two people's talks without anything else in common the
    summaries lie around 0.37."""
    recent: int = 8
    most_sources: int = 12
    most_subjects: int = 5
    most_shown: int = 80
    """So many statements of a cluster are shown to a model, those that last longest."""
    foundational: float = 0.9
    """From this durability on what is said is a foundational fact, retained forever (004, Note Retention)."""
    lasting: float = 0.3
    """From this durability on a statement stays in the default search by itself."""
    least_worth: float = 2.0
    """The words of a turn that are worth less together (``text.words.rarity``) say nothing."""
    most_planned: int = 25
    """So many clusters are planned, and carried out, in one run."""


RULES = ConsolidationRules()


class Trigger(StrEnum):
    """Why a source is a candidate (004, Consolidation triggers)."""

    FADED = "faded"
    OVERLAPPING = "overlapping"
    FREQUENT = "often used, hardly present"


@dataclass(frozen=True)
class Episode:
    """A source as consolidation sees it. ``anchors``: whom and what it names, without its owner; ``vector``: of its
    summary, of length 1, None where nothing is known of its likeness.
    """

    id: str
    started_at: datetime | None
    life: Life
    anchors: frozenset[str] = frozenset()
    vector: np.ndarray | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True)
class Cluster:
    """Sources that become knowledge together, in the order of their events."""

    episodes: tuple[Episode, ...]
    triggers: tuple[Trigger, ...]

    @property
    def source_ids(self) -> tuple[str, ...]:
        """Its sources, in the order of their ids."""
        return tuple(sorted(one.id for one in self.episodes))

    def id_for(self, user: str) -> str:
        """The id of its consolidation: by its sources, as they were used last. What came back and faded is another."""
        return node_id("consolidation", user, *sorted(f"{one.id} {to_iso(one.life.since)}" for one in self.episodes))


def is_railed(life: Life, now: datetime) -> bool:
    """Whether a rail protects a source or statement from being archived (``curation/rails.py``): for ever, or new."""
    return life.ttl_policy == KEEP_FOREVER or now - life.created_at < RULES.grace


def triggers(life: Life, now: datetime) -> tuple[Trigger, ...]:
    """What makes a source a candidate by itself."""
    if is_railed(life, now) or salience(life, now) >= RULES.faded_below:
        return ()
    is_old = now - life.since > RULES.faded_after
    is_frequent = life.access_count >= RULES.often_accessed
    return tuple(t for t, holds in ((Trigger.FADED, is_old), (Trigger.FREQUENT, is_frequent)) if holds)


def may_overlap(life: Life, now: datetime) -> bool:
    """Whether a source is one of those that overlap: nobody has asked for it for a month, and it is nobody's core."""
    is_quiet = now - life.since > RULES.quiet_for
    return is_quiet and life.state is not State.CORE and not is_railed(life, now)


def next_candidate_at(lives: Iterable[Life], now: datetime) -> datetime | None:
    """When time alone makes a candidate of a source that is none now."""
    return min((at for life in lives for at in rests_at(life, RULES) if at > now), default=None)


def looks_again_at(lives: Iterable[Life], next_day: date | None, now: datetime) -> datetime:
    """When the plan is to be made again by itself: with the next candidate, of those that were read or on the day on
    which another rests, and within a month in any case: what is used meanwhile begins to fade.
    """
    rests = datetime.combine(next_day, time(), UTC) if next_day else None
    return min(filter(None, [next_candidate_at(lives, now), rests, now + RULES.quiet_for]))


def clusters_of(episodes: Iterable[Episode], now: datetime, planned: Iterable[Cluster] = ()) -> tuple[Cluster, ...]:
    """What is to be consolidated, oldest first; no source is in two clusters.

    What is ``planned`` already stays as it is: whatever rests each day would make another plan of it each night, asked
    for again and read again, and never carried out.

    Sources that are near in time, share whom or what they name and are alike go together. Those that are candidates by
    themselves are, however few they are; the others where they are five or more. Apart from each other, so that what is
    folded first changes nothing for the rest.
    """
    found = list(planned)
    taken = {one.id for cluster in found for one in cluster.episodes}
    given = sorted((one for one in episodes if one.id not in taken), key=event_order)
    own = {one.id: triggers(one.life, now) for one in given}
    found += [_cluster(members, own) for members in _groups([one for one in given if own[one.id]])]
    resting = [one for one in given if not own[one.id] and may_overlap(one.life, now)]
    overlapping = [members for members in _groups(resting) if len(members) >= RULES.least_overlapping]
    found += [_cluster(members, own) for members in overlapping]
    return tuple(sorted(found, key=lambda cluster: event_order(cluster.episodes[0])))


def _cluster(members: Sequence[Episode], own: Mapping[str, Sequence[Trigger]]) -> Cluster:
    why = {trigger for one in members for trigger in own[one.id]}
    if len(members) >= RULES.least_overlapping:
        why.add(Trigger.OVERLAPPING)
    return Cluster(tuple(members), tuple(trigger for trigger in Trigger if trigger in why))


def _groups(episodes: Iterable[Episode]) -> list[list[Episode]]:
    """Those that go together, of sources in the order of their events."""
    groups: list[_Group] = []
    live: dict[str, dict[int, _Group]] = {}
    """By whom or what they name, those that a next source can join: what is too old for one is so for all behind."""
    for one in episodes:
        near = {place: group for name in one.anchors for place, group in live.get(name, {}).items()}
        if one.started_at is None:
            near = dict(enumerate(groups))  # unknown times part nothing, and come last
        group = _fitting(one, near)
        if group is None:
            groups.append(group := _Group())
            for name in one.anchors:
                live.setdefault(name, {})[len(groups) - 1] = group
        group.add(one)
        for place, other in near.items():
            if len(other.members) >= RULES.most_sources or _needed(one.started_at, other.last_at) == math.inf:
                for name in one.anchors:
                    live.get(name, {}).pop(place, None)
    return [group.members for group in groups]


def event_order(one: Episode) -> tuple[bool, datetime, str]:
    """By the event's time, then by id; unknown times last."""
    return in_order(one.started_at, one.id)


class _Group:
    """Sources that go together, what all of them name, and the time of the latest."""

    def __init__(self) -> None:
        self.members: list[Episode] = []
        self.shared: frozenset[str] = frozenset()
        self.last_at: datetime | None = None

    def add(self, one: Episode) -> None:
        self.shared = self.shared & one.anchors if self.members else one.anchors
        self.members.append(one)
        self.last_at = one.started_at or self.last_at


def _fitting(one: Episode, groups: Mapping[int, _Group]) -> _Group | None:
    """The group that shares most with a source, the most alike of these, the latest of equals."""
    found: list[tuple[int, float, int]] = []
    for place, group in groups.items():
        shared = len(group.shared & one.anchors)
        needed = _needed(one.started_at, group.last_at)
        if not shared or needed == math.inf or len(group.members) >= RULES.most_sources:
            continue
        likeness = _likeness(one, group.members[-RULES.recent :])
        if likeness >= needed:
            found.append((shared, likeness, place))
    return groups[max(found)[2]] if found else None


def _needed(at: datetime | None, last_at: datetime | None) -> float:
    """How alike what bridges a gap in time must be: the wider, the more. Unknown times part nothing."""
    gap = at - last_at if at and last_at else timedelta(0)
    if gap > RULES.farthest:
        return math.inf
    near, far = RULES.likeness
    return near + (far - near) * max(0.0, (gap - RULES.near) / (RULES.farthest - RULES.near))


def _likeness(one: Episode, others: Sequence[Episode]) -> float:
    """The mean cosine; 1 where there is nothing to compare. Rounded, so that the last bits of a sum decide nothing."""
    known = [float(o.vector @ one.vector) for o in others if o.vector is not None and one.vector is not None]
    return round(sum(known) / len(known), 6) if known else 1.0


@dataclass(frozen=True)
class Name:
    """Whom or what a source names: ``name_id`` by which name, ``source_count`` how many sources name it in all;
    ``is_owner``: it is the source's owner.
    """

    source_id: str
    anchor_id: str
    name: str
    kind: str
    name_id: str
    source_count: int = 0
    is_owner: bool = False


def subjects_of(cluster: Cluster, names: Iterable[Name]) -> tuple[Name, ...]:
    """Whom and what insights of a cluster are noted on: what half of its sources name, and two at least where there are
    more; most of them first, then the more specific. Each by its first name.
    """
    members = set(cluster.source_ids)
    given = [one for one in names if one.source_id in members]
    sources: dict[str, set[str]] = {}
    for one in given:
        sources.setdefault(one.anchor_id, set()).add(one.source_id)
    least = min(len(members), max(2, math.ceil(len(members) / 2)))
    first = {one.anchor_id: one for one in sorted(given, key=lambda one: one.name_id, reverse=True)}
    shared = [one for key, one in first.items() if len(sources[key]) >= least]
    by_name: dict[str, Name] = {}
    for one in sorted(shared, key=lambda one: (-len(sources[one.anchor_id]), one.source_count, one.anchor_id)):
        by_name.setdefault(one.name, one)
    return tuple(by_name.values())[: RULES.most_subjects]


@dataclass(frozen=True)
class Said:
    """A statement of a source, with what its place in the default search follows from.

    ``weighed``: somebody has decided about it, or it supersedes or contradicts another, or another it.
    ``published``: it is in a file.
    """

    id: str
    ref: str
    source_id: str
    turn: int
    position: int
    text: str
    life: Life
    speaker: str | None = None
    said_at: datetime | None = None
    said_by_owner: bool = False
    content_type: str = ContentType.INSIGHT
    durability: float = 0.0
    is_instruction: bool = False
    source_count: int = 1
    about: frozenset[str] = frozenset()
    statement: str | None = None
    """What of it a stranger understands alone; empty where it needs what was said before."""
    weighed: bool = False
    published: bool = False

    @property
    def place(self) -> tuple[str, int, int, str]:
        """Its place in its source."""
        return self.source_id, self.turn, self.position, self.id


def request_for(cluster: Cluster, subjects: Sequence[Name], said: Iterable[Said]) -> ClusterRequest | None:
    """What a model is asked about a cluster: of what its sources state and a stranger understands, what lasts longest;
    nothing that was decided about, or changed.
    None where nothing is stated, or of nobody and nothing that could carry a note.
    """
    order = {one.id: place for place, one in enumerate(cluster.episodes)}
    living = [
        one
        for one in said
        if one.source_id in order and one.statement != "" and one.life.state != State.ARCHIVED and not one.weighed
    ]
    serious = [one for one in living if one.content_type != ContentType.CHITCHAT] or living
    shown = sorted(serious, key=lambda one: (-one.durability, order[one.source_id], one.place))[: RULES.most_shown]

    def statement(one: Said) -> ClusterStatement:
        about = _about(one, subjects)
        same = {name: getattr(one, name) for name in ("ref", "speaker", "durability", "said_by_owner")}
        return ClusterStatement(day=day_said(one.said_at), text=one.statement or one.text, about=about, **same)

    statements = [statement(one) for one in sorted(shown, key=lambda one: (order[one.source_id], one.place))]
    if not any(one.about for one in statements):
        return None
    return ClusterRequest(subjects=tuple(one.name for one in subjects), statements=tuple(statements))


def _about(one: Said, subjects: Sequence[Name]) -> tuple[str, ...]:
    """The subjects of whom and of which a statement says something: what it is about, then who says it."""
    speaker = BARE_WORD.findall((one.speaker or "").casefold())
    about = [s for s in subjects if s.anchor_id in one.about]
    people = [s for s in subjects if s.kind == "person"]
    saying = [s for s in people if _is_called(s, speaker) or (s.is_owner and one.said_by_owner)]
    return tuple(dict.fromkeys(s.name for s in (*about, *saying)))


def _is_called(subject: Name, speaker: Sequence[str]) -> bool:
    """Whether who speaks has a subject's name, or the beginning of it."""
    return bool(speaker) and BARE_WORD.findall(subject.name.casefold())[: len(speaker)] == [*speaker]


def day_said(at: datetime | None) -> str | None:
    """The day of a statement as it is shown to a model, and judged by."""
    return day_of(at).isoformat() if at else None


LONGEST_INSIGHT = 500
_NUMBER = re.compile(r"\d+")


def fault(insight: Insight, request: ClusterRequest) -> str | None:
    """Why an insight is not taken; None where it is of a subject that it may be of, and follows from what it cites."""
    stated = {one.ref: one for one in request.statements}
    cited = [stated[ref] for ref in insight.refs if ref in stated]
    if insight.subject not in request.subjects:
        return "is about nobody and nothing that was asked about"
    if not cited or len(cited) != len(insight.refs):
        return "rests on what was not shown"
    if not any(insight.subject in one.about for one in cited):
        return "is about somebody or something else than what it rests on"
    return fault_of(insight.text, cited)


def fault_of(text: str, cited: Sequence[ClusterStatement]) -> str | None:
    """Why a sentence does not follow from what it cites; None where it does: the words of one statement, or what passes
    the check of lines that a model writes (``llm/cited.py``).
    """
    if len(text) > LONGEST_INSIGHT:
        return "is too long"
    if is_said(text, (words for one in cited for words in (one.text, behind_name(one.text, one.speaker)))):
        return None
    shown = [Cited(one.ref, one.ref, "", one.text, one.speaker, one.day, is_owners=one.said_by_owner) for one in cited]
    return cited_fault(text, shown)


def lifetime_of(insight: Insight, cited: Iterable[Said]) -> str:
    """How long an insight lives: forever only if a statement that it rests on lasts, whatever it says of itself."""
    lasts = max((one.durability for one in cited), default=0.0) >= RULES.foundational
    return "forever" if insight.lifetime == "forever" and lasts else "year"


class Stay(StrEnum):
    """Why a statement stays in the default search although all that is left of its source is archived."""

    RAIL = "a rail keeps it"
    EVIDENCE = "an insight rests on it"
    REPEATED = "several sources say it"
    RECALLED = "somebody has asked for it"
    WEIGHED = "it changes what holds, or somebody has decided about it"
    PUBLISHED = "it stands in a file"
    LASTING = "it lasts"
    SAYS_MOST = "it tells most of its turn"


@dataclass(frozen=True)
class Rest:
    """What of a cluster stays in the default search, and what leaves it."""

    staying: Mapping[str, Stay]
    folded: tuple[str, ...]
    turns: Mapping[str, tuple[int, ...]]
    """By source: the turns that the default search still reads."""

    @property
    def reasons(self) -> dict[str, int]:
        """How many statements stay, by reason."""
        return dict(Counter(reason.value for reason in self.staying.values()))


def rest_of(
    said: Iterable[Said], turns: Mapping[str, Mapping[int, str]], evidence: Collection[str], now: datetime
) -> Rest:
    """What stays of a cluster's sources: ``turns`` are the words of each by source and turn, ``evidence`` the
    statements that its insights rest on.

    Each turn that says anything stays, and with it one statement at least: what lasts, or else what says most of it.
    Questions ask for its words, and each answer needs a reference.
    """
    staying: dict[str, Stay] = {}
    folded: list[str] = []
    read: dict[str, set[int]] = {source: set() for source in turns}
    by_turn: dict[tuple[str, int], list[Said]] = {}
    for one in (one for one in said if one.life.state != State.ARCHIVED):
        by_turn.setdefault((one.source_id, one.turn), []).append(one)
    for source, spoken in turns.items():
        read[source] |= {turn for turn, text in spoken.items() if _says_something(text)}
    for (source, turn), made in sorted(by_turn.items()):
        reasons = {one.id: reason for one in made if (reason := why_stays(one, evidence, now))}
        if not reasons and turn in read.get(source, ()):
            reasons = {max(made, key=_content).id: Stay.SAYS_MOST}
        staying |= reasons
        folded += [one.id for one in made if one.id not in reasons]
        if reasons:
            read.setdefault(source, set()).add(turn)
    return Rest(staying, tuple(sorted(folded)), {source: tuple(sorted(found)) for source, found in read.items()})


def why_stays(one: Said, evidence: Collection[str], now: datetime) -> Stay | None:
    """Why a statement stays by itself; None where it need not."""
    holds = {
        Stay.RAIL: is_railed(one.life, now),
        Stay.EVIDENCE: one.id in evidence,
        Stay.REPEATED: one.source_count > 1,
        Stay.RECALLED: one.life.access_count > 0,
        Stay.WEIGHED: one.weighed,
        Stay.PUBLISHED: one.published,
        Stay.LASTING: one.is_instruction or one.durability >= RULES.lasting or one.content_type != ContentType.CHITCHAT,
    }
    return next((reason for reason, is_so in holds.items() if is_so), None)


def _says_something(text: str) -> bool:
    return bool(_NUMBER.search(text)) or sum(map(rarity, content_words(text))) >= RULES.least_worth


def _content(one: Said) -> tuple[float, float, int, str]:
    worth = round(math.fsum(map(rarity, sorted(content_words(one.text)))), 6)
    return one.durability, worth, -one.position, one.id
