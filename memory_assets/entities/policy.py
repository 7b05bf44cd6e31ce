"""From a model's answer about one source to rows: what is stored, under which ids (specification 004, Phase 2).

Pure. Everything here is a statement about one source by itself; what an anchor or a statement is by all of
its sources is derived in ``cypher/entities/set_*_totals.cypher`` from the values that the links carry, so
that neither order nor repetition of extractions shows in the graph.

Text is data: a speaker, an owner or a standing instruction is taken from the turn that a statement is
in, never from what the text or the model says about itself.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime, time
from functools import reduce
from typing import Any

from memory_assets.clock import to_iso
from memory_assets.entities.text import LONGEST_NAME, canonical_name, clean, display_name, excerpt, normalised
from memory_assets.llm.tasks import ExtractedEntity, Extraction, Statement, TurnText
from memory_assets.model import node_id
from memory_assets.privacy.personal import has_personal
from memory_assets.text.layout import beginnings
from memory_assets.text.repeating import Said, bare_words

CODE_VERSION = "13"

KINDS = ("person", "entity", "concept")
"""What a name is when a model calls it two things with equal confidence: the earlier one wins."""

WISHES = ("preference", "task")
CONTENT_TYPES = (*WISHES, "insight", "chitchat")
"""000: what a statement is about, the most durable first; it wins where two verdicts meet."""


_OWN_DAY = re.compile(r"(\d{4}-\d{2}-\d{2}): (?=\S)")


@dataclass(frozen=True)
class ExtractionRules:
    """004, Phase 2, Step 1: ``confidence >= 7 && subpoints.length > 2``, confidence then within 0 to 1."""

    least_confidence: float = 7.0
    more_subpoints_than: int = 2
    confidence_scale: float = 10.0


RULES = ExtractionRules()


@dataclass(frozen=True)
class Mention:
    """An anchor as one source names it. ``anchor_id`` is the anchor's by this name alone: the name's id."""

    anchor_id: str
    kind: str
    name: str
    canonical_name: str
    entity_type: str
    confidence: float
    subpoints: int


@dataclass(frozen=True)
class StatedChunk:
    """A statement as one source makes it. ``normalised`` is what is embedded: a function of the id.

    ``statement`` is what a stranger understands alone, empty where it needs what was said before; ``quotation`` is
    what it says word for word, behind the question that it answers or behind who writes it: for a line of a file alone.
    """

    chunk_id: str
    content: str
    normalised: str
    token_count: int
    speaker: str | None
    turn: int
    excerpt: str
    content_type: str
    durability: float
    confidence: float
    is_instruction: bool
    said_by_owner: bool
    about: tuple[str, ...]
    has_personal_data: bool = False
    statement: str = ""
    quotation: str | None = None
    lasting: float | None = None
    """How likely it holds a year later, where that is judged."""
    judged: str = ""
    """What it was taken for and why, in words, where the model says so."""
    position: int = 0
    """Its place among the statements of its turn."""
    said_at: str | None = None
    """When it was said last in its source (ISO 8601), where turns or it itself have times; else the source's time."""
    first_said_at: str | None = None
    """When it was said first in its source; none where that is the source's time."""
    turns: tuple[int, ...] = ()
    """All turns in which its source says it, ``turn`` first; none where it is the only one."""
    by_agent: bool = False
    """An assistant says it, or another program."""


@dataclass(frozen=True)
class Decision:
    """What of an answer is stored, and how many pieces were dropped, by reason."""

    mentions: tuple[Mention, ...]
    chunks: tuple[StatedChunk, ...]
    dropped: dict[str, int] = field(default_factory=dict)


WITHHELD = "withheld"
"""In place of an extraction's fingerprint: the user may no longer read the source, nothing of it is left."""

NOTHING = Decision((), ())

REPEATED = "an agent repeats what is remembered"
"""Why a statement is dropped."""


def anchor_id(kind: str, user: str, name: str, entity_type: str) -> str:
    """The id of an anchor: people and concepts by name, entities by name and type (004, Step 2)."""
    return node_id(kind, user, name, entity_type) if kind == "entity" else node_id(kind, user, name)


def statement_id(user: str, speaker: str | None, text: str) -> str:
    """The id of a statement: one memory for its owner, whatever source makes it."""
    spoken_by = clean(speaker) if speaker else ""
    return node_id("chunk", user, spoken_by.casefold(), normalised(clean(text)))


def decide(
    answer: Extraction,
    turns: Sequence[TurnText],
    owner_speaker: str | None,
    *,
    user: str,
    count_tokens: Callable[[str], int],
    passed_on: Collection[int] = (),
    by_agents: Collection[int] = (),
    started_at: str | None = None,
) -> Decision:
    """The rows of one source for one user. Words that are ``passed_on``, by their turns, are nobody's wish or task;
    those of the turns ``by_agents`` are assistants'. ``started_at`` is the source's time, as
    :func:`memory_assets.clock.to_iso` writes it.
    """
    dropped: Counter[str] = Counter()
    mentions = _decide_mentions(answer.entities, user, dropped)
    known = {mention.canonical_name: mention.anchor_id for mention in mentions}
    spoken = {turn.index: turn for turn in turns}
    # A turn without a time was said after the one before it: so their order is that of the turns.
    times: dict[int, str | None] = {}
    at: str | None = None
    for turn in turns:
        at = times[turn.index] = turn.at or at
    made: dict[str, list[StatedChunk]] = {}
    for statement, position in in_document_order(answer.statements, spoken):
        chunk = _decide_chunk(statement, spoken, owner_speaker, known, user, count_tokens)
        if chunk is None:
            dropped["statement without words, or in no turn"] += 1
            continue
        if statement.turn in passed_on and chunk.content_type in WISHES:
            chunk = replace(chunk, content_type="insight")
        if chunk.chunk_id in made:
            dropped["statement made twice in a source"] += 1
        at = times[statement.turn]
        said: dict[str, Any] = {"said_at": at, "first_said_at": at, "by_agent": statement.turn in by_agents}
        made.setdefault(chunk.chunk_id, []).append(replace(chunk, position=position, **said))
    chunks = (_on_own_day(_join_all(made[key]), started_at) for key in sorted(made))
    return Decision(mentions, tuple(chunks), dict(sorted(dropped.items())))


def _on_own_day(chunk: StatedChunk, started_at: str | None) -> StatedChunk:
    """An entry of a log was said on its own day, where that is before the day it is written down on: "2026-10-17: Two
    planks fitted." A task's day is when it is due.
    """
    dated, at = _OWN_DAY.match(chunk.content), chunk.said_at or started_at
    if dated is None or at is None or dated[1] >= at[: len(dated[1])] or chunk.content_type == "task":
        return chunk
    try:
        day = datetime.combine(date.fromisoformat(dated[1]), time(), UTC)
    except ValueError:
        return chunk
    return replace(chunk, said_at=to_iso(day), first_said_at=to_iso(day))


def with_merged(decision: Decision, merged_into: Mapping[str, str]) -> Decision:
    """A source's rows, with merged statements under the ids of those they were ``merged_into``. Where a source makes
    both, it has the words of the latter.
    """
    made: dict[str, list[StatedChunk]] = {}
    for chunk in decision.chunks:
        made.setdefault(merged_into.get(chunk.chunk_id, chunk.chunk_id), []).append(chunk)
    chunks = []
    for key in sorted(made):
        own_first = sorted(made[key], key=lambda chunk: (chunk.chunk_id != key, chunk.chunk_id))
        chunks.append(replace(reduce(_join_chunks, own_first), chunk_id=key))
    return replace(decision, chunks=tuple(chunks))


def without_repeated(decision: Decision, known: Collection[str], given: Said) -> Decision:
    """A source's rows without the statements by which its agents say again, word for word, what they were ``given`` by
    the memory until then, or what was said before in the source: that founds no other one. Those that are ``known``, by
    their ids, were there first and stay.
    """
    repeated: set[str] = set()
    said: set[str] = set()
    for chunk in sorted(decision.chunks, key=lambda chunk: (chunk.turn, chunk.position, chunk.chunk_id)):
        words = bare_words(chunk.content)
        is_given = words in said or (chunk.said_at and given.has(chunk.content, datetime.fromisoformat(chunk.said_at)))
        if chunk.by_agent and chunk.chunk_id not in known and is_given:
            repeated.add(chunk.chunk_id)
        else:
            said |= {words, bare_words(chunk.statement or "")}
    if not repeated:
        return decision
    chunks = tuple(chunk for chunk in decision.chunks if chunk.chunk_id not in repeated)
    return replace(decision, chunks=chunks, dropped=decision.dropped | {REPEATED: len(repeated)})


def in_document_order(
    statements: Sequence[Statement], spoken: Mapping[int, TurnText]
) -> Iterator[tuple[Statement, int]]:
    """Statements as they were said, each with its place in its turn.

    The order of an answer says nothing: each statement is placed where its words begin.
    """
    by_turn: dict[int, list[Statement]] = {}
    for statement in statements:
        by_turn.setdefault(statement.turn, []).append(statement)
    for number in sorted(by_turn):
        said = by_turn[number]
        places = beginnings(spoken[number].text if number in spoken else "", [one.text for one in said])
        order = sorted(range(len(said)), key=lambda at: (places[at], normalised(said[at].text), said[at].text))
        yield from ((said[at], position) for position, at in enumerate(order))


def _decide_mentions(entities: Iterable[ExtractedEntity], user: str, dropped: Counter[str]) -> tuple[Mention, ...]:
    """One mention per canonical name: variants of a name within a source are one thing, of one kind."""
    variants: dict[str, list[ExtractedEntity]] = {}
    for entity in entities:
        name = canonical_name(entity.name)
        if not name or len(name) > LONGEST_NAME:
            dropped["not a name"] += 1
        elif entity.confidence < RULES.least_confidence:
            dropped["confidence too low"] += 1
        else:
            variants.setdefault(name, []).append(entity)
    mentions: list[Mention] = []
    for name in sorted(variants):
        mention = _join_variants(name, variants[name], user)
        if mention.subpoints > RULES.more_subpoints_than:
            mentions.append(mention)
        else:
            dropped["too few subpoints"] += 1
    return tuple(mentions)


def _join_variants(name: str, variants: Sequence[ExtractedEntity], user: str) -> Mention:
    best = min(variants, key=lambda v: (-v.confidence, KINDS.index(v.kind), clean(v.entity_type), v.name))
    kind = best.kind
    entity_type = (canonical_name(best.entity_type) or "other") if kind == "entity" else kind
    names = Counter(display_name(variant.name) for variant in variants)
    points = {normalised(point) for variant in variants for point in variant.subpoints} - {""}
    return Mention(
        anchor_id=anchor_id(kind, user, name, entity_type),
        kind=kind,
        name=min(names, key=lambda shown: (-names[shown], shown)),
        canonical_name=name,
        entity_type=entity_type,
        confidence=round(best.confidence / RULES.confidence_scale, 4),
        subpoints=len(points),
    )


def _decide_chunk(
    statement: Statement,
    spoken: dict[int, TurnText],
    owner_speaker: str | None,
    known: dict[str, str],
    user: str,
    count_tokens: Callable[[str], int],
) -> StatedChunk | None:
    turn = spoken.get(statement.turn)
    content = clean(statement.text)
    key = normalised(content)
    if turn is None or not any(character.isalnum() for character in key):
        return None
    speaker = clean(turn.speaker) if turn.speaker else None
    said_by_owner = owner_speaker is not None and turn.speaker == owner_speaker
    about = {known[name] for name in map(canonical_name, statement.about) if name in known}
    return StatedChunk(
        chunk_id=statement_id(user, speaker, f"{clean(statement.of)}: {content}" if statement.of else content),
        content=content,
        normalised=key,
        token_count=count_tokens(content),
        speaker=speaker or None,
        turn=statement.turn,
        excerpt=excerpt(turn.text, content),
        content_type=statement.content_type,
        durability=round(statement.durability, 4),
        lasting=statement.lasting,
        confidence=round(statement.confidence / RULES.confidence_scale, 4),
        is_instruction=statement.is_instruction and said_by_owner,
        said_by_owner=said_by_owner,
        about=tuple(sorted(about)),
        has_personal_data=has_personal(content) or has_personal(statement.quotation),
        statement=clean(statement.statement or ""),
        quotation=clean(statement.quotation) or None,
        judged=statement.judged,
    )


def _join_all(same: Sequence[StatedChunk]) -> StatedChunk:
    statement = _one_statement([chunk.statement for chunk in same])
    quotations = sorted({chunk.quotation for chunk in same if chunk.quotation})
    is_one = len(quotations) == 1 or len({chunk.speaker for chunk in same}) == 1
    quotation = quotations[0] if quotations and is_one else None
    return replace(reduce(_join_chunks, same), statement=statement, quotation=quotation)


def _one_statement(statements: Sequence[str]) -> str:
    """What is understood alone of the same words: nothing where it differs, for "she" is not one person then."""
    understood = sorted(filter(None, statements))
    return understood[0] if len({*map(normalised, understood)}) == 1 else ""


def _join_chunks(one: StatedChunk, other: StatedChunk) -> StatedChunk:
    """A statement made twice in a source: its place is the first one, its times the first and the last, and the
    stronger verdict holds.
    """
    turns = tuple(dict.fromkeys((one.turn, *one.turns, other.turn, *other.turns)))
    return replace(
        one,
        turns=turns if len(turns) > 1 else (),
        content_type=min(one.content_type, other.content_type, key=CONTENT_TYPES.index),
        durability=max(one.durability, other.durability),
        lasting=None if one.lasting is None or other.lasting is None else max(one.lasting, other.lasting),
        confidence=max(one.confidence, other.confidence),
        is_instruction=one.is_instruction or other.is_instruction,
        said_by_owner=one.said_by_owner or other.said_by_owner,
        about=tuple(sorted({*one.about, *other.about})),
        has_personal_data=one.has_personal_data or other.has_personal_data,
        said_at=max(filter(None, (one.said_at, other.said_at)), default=None),
        first_said_at=min(one.first_said_at, other.first_said_at)
        if one.first_said_at and other.first_said_at
        else None,
    )
