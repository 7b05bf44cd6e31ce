"""Who and what a source speaks of, with the evidence for it.

Speakers are persons by construction. Other names (see mentions, kinds) earn their confidence by being said
again, by staying capitalised within sentences, and by how much more speaks for their kind than for another.
Concepts (see concepts) are noun phrases, by repetition and rarity. Subpoints are the sentences that speak of
it, and who or what else is named there. An assistant's answers only add mentions of what people named: long
answers with their title-case headings would bury it.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from memory_assets.llm.local.concepts import concept_confidence, find_concepts, noun_phrases
from memory_assets.llm.local.kinds import Candidate
from memory_assets.llm.local.language import Parsed, rarity
from memory_assets.llm.local.mentions import find_names, find_people
from memory_assets.llm.local.reading import Sentence
from memory_assets.llm.tasks import ExtractedEntity, SourceText

LEAST_CONFIDENCE = 7.0  # what the entities room keeps from (004, Phase 2, Step 1)
MOST_SUBPOINTS = 8
FEWEST_SUBPOINTS = 3  # more than two subpoints are needed as well (same place)
SUBPOINT_LENGTH = 160
MOST_ENTITIES = 48


@dataclass(frozen=True)
class Found:
    """The entities of a source, and for each sentence the names of those that it mentions."""

    entities: tuple[ExtractedEntity, ...]
    about: tuple[tuple[str, ...], ...]


def find_entities(source: SourceText, reading: Sequence[Sentence], title: Parsed | None = None) -> Found:
    """All persons, entities and concepts of a source, strongest first, and what each sentence is about."""
    people = find_people(source, reading)
    candidates = find_names(source, reading, people)
    # A speaker stays a person, though the tagger takes the name for a noun somewhere.
    candidates |= {candidate.key: candidate for candidate in people.values()}
    candidates |= find_concepts(reading, {**people, **candidates})
    _add_mentions(reading, candidates)
    if title is not None:
        _credit_title(candidates.values(), title)
    ranked = _rank(list(candidates.values()), len(reading), len(source.turns))
    named_in = _names_by_sentence(ranked)
    cast = sorted({candidate.name for candidate in people.values()})
    entities = tuple(_entity(candidate, reading, named_in, cast) for candidate in ranked)
    return Found(entities, tuple(tuple(named_in.get(position, ())) for position in range(len(reading))))


def _add_mentions(reading: Sequence[Sentence], candidates: dict[str, Candidate]) -> None:
    """Where an assistant speaks of what people named. Such mentions are listed, but weigh nothing."""
    for position, sentence in enumerate(reading):
        if not sentence.by_assistant:
            continue
        words = [token.lemma.lower() if token.pos == "NOUN" else token.lower for token in sentence.parsed.tokens]
        grams = (" ".join(words[at : at + size]) for size in (1, 2, 3, 4) for at in range(len(words) - size + 1))
        for gram in dict.fromkeys(grams):
            if (candidate := candidates.get(gram)) is not None:
                candidate.echoes[position] = None


def _credit_title(candidates: Iterable[Candidate], title: Parsed) -> None:
    lemmas = f" {' '.join(token.lemma.lower() for token in title.tokens)} "
    words = f" {' '.join(token.lower for token in title.tokens)} "
    for candidate in candidates:
        candidate.in_title = f" {candidate.key} " in lemmas or f" {candidate.key} " in words


def _rank(candidates: list[Candidate], sentences: int, turns: int) -> list[Candidate]:
    """Confidence from the evidence; then only as many concepts stay above the bar as a source can be about."""
    for candidate in candidates:
        candidate.confidence = _confidence(candidate, sentences)
    ranked = sorted(candidates, key=lambda c: (-c.confidence, -len(c.sentences), -rarity(c.key.split()[-1]), c.key))
    room = {
        "concept": 4 + min(8, sentences // 10),
        "entity": 8 + min(10, sentences // 10),
        "person": 8 + min(14, turns // 4),
    }
    for candidate in ranked:
        if candidate.is_speaker or candidate.confidence < LEAST_CONFIDENCE:
            continue
        room[candidate.kind] -= 1
        if room[candidate.kind] < 0:
            candidate.confidence = LEAST_CONFIDENCE - 0.5
    ranked.sort(key=lambda c: (-c.confidence, -len(c.sentences), c.key))
    # Ties in one name: "pottery" as a concept beats "Pottery" as a name only by standing first.
    return ranked[:MOST_ENTITIES]


def _confidence(candidate: Candidate, sentences: int) -> float:
    if candidate.is_speaker:
        return 10.0
    if candidate.kind == "concept":
        return concept_confidence(candidate, sentences)
    said = len(candidate.sentences) + (1.5 if candidate.in_title else 0)
    head = candidate.key.split()[-1]
    words = candidate.key.count(" ") + 1
    margin = _margin(candidate)
    value = 5.2 + min(2.0, 0.8 * (said - 1)) + 0.6 * max(-1.0, min(2.5, margin))
    value += 0.6 * (candidate.proper >= 0.6 * candidate.seen) + 0.7 * (words > 1)
    value += 0.6 * (candidate.labelled >= 0.5 * candidate.seen) + 0.5 * (candidate.inside > 0)
    value += 1.0 * candidate.is_addressed
    value += 0.3 * max(-2.0, min(2.5, rarity(head) - 3.0))
    return max(0.0, min(9.5, value))


def _margin(candidate: Candidate) -> float:
    """How much more speaks for what the candidate is taken for than for anything else."""
    # Of a name that another one has taken up, one kind may be left, or none.
    first, second, *_ = (*sorted(candidate.evidence.values(), reverse=True), 0.0, 0.0)
    return first - max(0.0, second)


def _names_by_sentence(ranked: Sequence[Candidate]) -> dict[int, list[str]]:
    result: dict[int, list[str]] = defaultdict(list)
    for candidate in ranked:
        for position in (*candidate.sentences, *candidate.echoes):
            result[position].append(candidate.name)
    return result


def _entity(
    candidate: Candidate, reading: Sequence[Sentence], named_in: dict[int, list[str]], cast: Sequence[str]
) -> ExtractedEntity:
    """The answer for one candidate."""
    return ExtractedEntity(
        kind=candidate.kind,
        name=candidate.name,
        entity_type=candidate.entity_type if candidate.kind == "entity" else candidate.kind,
        confidence=round(candidate.confidence, 1),
        subpoints=_subpoints(candidate, reading, named_in, cast),
    )


def _subpoints(
    candidate: Candidate, reading: Sequence[Sentence], named_in: dict[int, list[str]], cast: Sequence[str]
) -> tuple[str, ...]:
    """The sentences that speak of it, then who and what is named beside it.

    A speaker's are also what it said and with whom it spoke. What is named once, in a short message, has
    the sentences around it.
    """
    texts = dict.fromkeys(_short(reading[position].text) for position in candidate.sentences)
    beside = Counter(
        name for position in candidate.sentences for name in named_in.get(position, ()) if name != candidate.name
    )
    points = dict.fromkeys(list(texts)[:MOST_SUBPOINTS])
    points.update(dict.fromkeys(sorted(beside, key=lambda name: (-beside[name], name))))
    if candidate.is_speaker:
        spoken = (s.text for s in reading if s.speaker and s.speaker.lower().startswith(candidate.key))
        points.update(dict.fromkeys(_short(text) for text in spoken))
        points.update(dict.fromkeys(f"speaks with {name}" for name in cast if name != candidate.name))
    if candidate.in_title:
        points["named in the title"] = None
    if len(points) < FEWEST_SUBPOINTS:
        points.update(dict.fromkeys(_around(candidate, reading)))
    return tuple(list(points)[:MOST_SUBPOINTS])


def _around(candidate: Candidate, reading: Sequence[Sentence]) -> Iterable[str]:
    """What is said next to a name: the things of its own sentence, then the sentences beside it.

    A letter's addressee is spoken to in all of it.
    """
    for position in candidate.sentences:
        for phrase in noun_phrases(reading[position].parsed):
            words = " ".join(word.lower for word in phrase)
            if candidate.key not in words:
                yield words
    for position in candidate.sentences:
        for near in (position + 1, position - 1):
            if 0 <= near < len(reading) and _belongs(reading, near, position):
                yield _short(reading[near].text)
    if candidate.is_addressed:
        first = next(iter(candidate.sentences))
        yield from (_short(s.text) for s in reading[first + 1 :] if s.speaker == reading[first].speaker)


def _belongs(reading: Sequence[Sentence], near: int, position: int) -> bool:
    """Whether a sentence beside another is of its turn, or answers its question."""
    if reading[near].turn == reading[position].turn:
        return True
    return near > position and reading[position].text.endswith("?") and not reading[near].by_assistant


def _short(text: str) -> str:
    if len(text) <= SUBPOINT_LENGTH:
        return text
    return text[:SUBPOINT_LENGTH].rsplit(" ", 1)[0] + " …"
