"""A source described: the one or two sentences that tell most, its keywords, its tags (004, Phase 1)."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from memory_assets.llm.local import lexicon
from memory_assets.llm.local.entities import find_entities
from memory_assets.llm.local.language import Parsed, is_content, weight
from memory_assets.llm.local.patterns import LEANING
from memory_assets.llm.local.reading import LONGEST_DESCRIBED, Sentence, is_owners, read, speakers
from memory_assets.llm.local.sentences import Form
from memory_assets.llm.local.statements import judge
from memory_assets.llm.tasks import SourceDescription, SourceText
from memory_assets.text.attribution import Words, running

MOST_KEYWORDS = 10
FEWEST_KEYWORDS = 5
MOST_TAGS = 5
FEWEST_TAGS = 3
SUMMARY_LENGTH = 320
DECISION_WORTH = 1.5
LEANING_WORTH = 0.5
FRAGMENT_WORTH = 0.2
SHORTEST_TOLD = 5
LONGEST_SAID = 400
_WORTH = {"preference": 1.0, "task": 0.95, "insight": 1.0, "chitchat": 0.15}


def describe_source(source: SourceText) -> SourceDescription:
    """The answer to ``sources/describe_source``."""
    reading, title = read(source, longest=LONGEST_DESCRIBED, keep=True)
    return SourceDescription(
        summary=_summary(source, reading, title),
        keywords=_keywords(source, reading, title),
        tags=_tags(source, reading),
    )


def word_values(reading: Iterable[Parsed]) -> dict[str, float]:
    """What each content word is worth in this text: rarity x part of speech x (1 + .5 ln count)."""
    counts: Counter[str] = Counter()
    weights: dict[str, float] = {}
    for parsed in reading:
        for token in parsed.tokens:
            if is_content(token):
                lemma = token.lemma.lower()
                counts[lemma] += 1
                weights[lemma] = max(weights.get(lemma, 0.0), weight(token))
    return {lemma: worth * (1 + 0.5 * math.log(counts[lemma])) for lemma, worth in weights.items()}


def lemmas(parsed: Parsed) -> frozenset[str]:
    """The content words of a sentence."""
    return frozenset(token.lemma.lower() for token in parsed.tokens if is_content(token))


def cover(parsed: Sequence[Parsed], values: Mapping[str, float], worths: Mapping[int, float], most: int) -> list[int]:
    """The places, in order, of the texts that say most for their length, by greedy coverage; beyond two, only what adds
    something.

    ``worths`` has a factor for each place that may be chosen.
    """
    weights = {place: worth / (8 + len(parsed[place].tokens)) ** 0.75 for place, worth in worths.items()}
    words = {place: lemmas(parsed[place]) for place in weights}
    chosen: list[int] = []
    covered: set[str] = set()
    while weights and len(chosen) < most:
        gains = {
            place: weight * math.fsum(values[w] for w in sorted(words[place] - covered))
            for place, weight in weights.items()
        }
        best = max(gains, key=lambda place: (gains[place], -place))
        if gains[best] <= 0 and len(chosen) >= 2:
            break
        chosen.append(best)
        covered |= words[best]
        del weights[best]
    return sorted(chosen)


def _summary(source: SourceText, reading: Sequence[Sentence], title: Parsed | None) -> str:
    values = word_values(sentence.parsed for sentence in reading)
    for lemma in lemmas(title) if title is not None else ():
        values[lemma] = values.get(lemma, 0.0) * 1.3
    worths = {}
    for position, sentence in enumerate(reading):
        length = len(sentence.text)
        if sentence.piece.form in {Form.HEADING, Form.CODE} or length > SUMMARY_LENGTH or length < 15:
            continue
        verdict = judge(sentence.piece, sentence.parsed, by_assistant=sentence.by_assistant)
        worths[position] = (
            _WORTH[verdict.content_type]
            * (0.4 if "?" in sentence.text else 1)
            * (0.5 if sentence.by_assistant else 1)
            * (DECISION_WORTH if verdict.rule == "decision" else 1)
            * (LEANING_WORTH if LEANING.match(sentence.text) else 1)
            * (FRAGMENT_WORTH if len(sentence.text.split()) < SHORTEST_TOLD else 1)
        )
    chosen = cover([sentence.parsed for sentence in reading], values, worths, 2)
    # The title of a chat is often the first words of whoever began it: those words are somebody's.
    is_spoken = source.source_type in ("conversation", "transcript", "slack")
    if not chosen and reading and (is_spoken or not source.title.strip()):
        chosen = [next((at for at, sentence in enumerate(reading) if len(sentence.text) <= SUMMARY_LENGTH), 0)]
    said = running(_words(source, reading[position]) for position in chosen)
    return said or " ".join(source.title.split())[:SUMMARY_LENGTH]


def _words(source: SourceText, sentence: Sentence) -> Words:
    return Words(sentence.text[:LONGEST_SAID], sentence.speaker, is_owners(source, sentence.speaker))


def _keywords(source: SourceText, reading: Sequence[Sentence], title: Parsed | None) -> tuple[str, ...]:
    """The strongest names and concepts; in a short text its rarest words fill up to five."""
    found = find_entities(source, reading, title)
    people = {name.lower() for name in speakers(source)}
    ranked = sorted(
        (entity for entity in found.entities if entity.name.lower() not in people),
        key=lambda entity: (-entity.confidence - 0.4 * len(entity.subpoints), entity.name),
    )
    result: dict[str, str] = {}
    for entity in ranked:
        key = entity.name.lower()
        if not any(key in other or other in key for other in result):
            result[key] = entity.name
    words = word_values([*(sentence.parsed for sentence in reading), *([title] if title else [])])
    for lemma in sorted(words, key=lambda word: (-words[word], word)):
        if len(result) >= FEWEST_KEYWORDS:
            break
        usable = (
            len(lemma) > 2
            and lemma[0].isalpha()
            and lemma not in lexicon.NOT_NAMES
            and lemma not in lexicon.VAGUE_NOUNS
        )
        if usable and not any(lemma in other or other in lemma for other in result):
            result[lemma] = lemma
    return tuple(list(result.values())[:MOST_KEYWORDS])


def _tags(source: SourceText, reading: Sequence[Sentence]) -> tuple[str, ...]:
    """Three to five tags: what the words speak of, and the kind of source."""
    said: Counter[str] = Counter()
    for sentence in reading:
        for lemma in {token.lemma.lower() for token in sentence.parsed.tokens}:
            said[lemma] += 1
    total = max(1, len(reading))
    scores = {}
    for tag, words in lexicon.TAG_WORDS.items():
        hits = sorted((said[word] for word in words if said[word]), reverse=True)
        scores[tag] = sum(min(count, 0.15 * total + 1) for count in hits)
    ranked = [
        tag for tag in sorted(scores, key=lambda tag: (-scores[tag], tag)) if scores[tag] >= max(1.0, 0.03 * total)
    ]
    tags = [*ranked[: MOST_TAGS - 1], lexicon.TAG_OF_KIND.get(source.source_type, "note")]
    asks = sum("?" in sentence.text for sentence in reading)
    for filler in (
        *(["question"] if asks * 4 > total else []),
        "personal" if source.source_type in {"conversation", "note"} else "work",
        "information",
        "general",
    ):
        if len(tags) >= FEWEST_TAGS:
            break
        if filler not in tags:
            tags.append(filler)
    return tuple(tags)
