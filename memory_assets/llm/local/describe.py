"""A source described: who talked with whom about what and what came out, its keywords, its tags (004, Phase 1)."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from memory_assets.llm.local import lexicon, worth
from memory_assets.llm.local.entities import find_entities
from memory_assets.llm.local.extract import Candidate, candidates
from memory_assets.llm.local.language import Parsed, is_content, weight
from memory_assets.llm.local.lexicon import ROLES
from memory_assets.llm.local.matters import Stated, matters_of
from memory_assets.llm.local.reading import (
    LONGEST_DESCRIBED,
    Sentence,
    is_owners,
    read,
    short_names,
    speakers,
    subject_of,
)
from memory_assets.llm.local.rewriting import USER
from memory_assets.llm.local.sentences import Form
from memory_assets.llm.tasks import LETTERS, SourceDescription, SourceText
from memory_assets.text.attribution import Words, behind_name, name_of, running, without_writer

MOST_KEYWORDS = 10
FEWEST_KEYWORDS = 5
MOST_TAGS = 5
FEWEST_TAGS = 3
SUMMARY_LENGTH = 320
QUESTION_WORTH = 0.4
FRAGMENT_WORTH = 0.2
FEWEST_WORDS = 5
LEAST_WRITTEN = 0.3
"""Of a letter no sentence says what came of it that is worth less."""
LONGEST_SAID = 400
MOST_NAMED = 4
MOST_MATTERS = 2
TALKED = frozenset({"conversation", "slack", "transcript"})
_WORTH = {"preference": 1.0, "task": 0.95, "insight": 1.0, "chitchat": 0.15}


def describe_source(source: SourceText) -> SourceDescription:
    """The answer to ``sources/describe_source``."""
    whole, title = read(source, longest=LONGEST_DESCRIBED, keep=True)
    reading = [sentence for sentence in whole if not sentence.setting.is_worked_on]
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


def are_alike(words: frozenset[str], other: frozenset[str], share: float) -> bool:
    """Whether two texts share so many of their content words (of the shorter one)."""
    return len(words & other) >= share * max(1, min(len(words), len(other)))


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
    """Who wrote or talked with whom about what, and the one or two statements that say most of what came out."""
    values = word_values(sentence.parsed for sentence in reading)
    for lemma in lemmas(title) if title is not None else ():
        values[lemma] = values.get(lemma, 0.0) * 1.3
    statements, worth_of = _statements(source, reading)
    people = {at for at in statements if not _is_role(source, reading[at])}
    opening = _opening(source, reading, least=2 if people else 1)
    # An assistant's words are what came out of a chat only where people state nothing.
    worths = {at: worth_of[at] for at in (people if opening else people or statements)}
    chosen = cover([sentence.parsed for sentence in reading], values, worths, 2)
    worded = {at: without_writer(statements[at]) for at in chosen}
    repeated = {
        at for at in chosen for one in chosen if worded[at] in worded[one] and (worded[at] != worded[one] or one < at)
    }
    chosen = [at for at in chosen if at not in repeated]
    said = [_attributed(source, reading[at], statements[at], worded[at] if opening else None) for at in chosen]
    # What is above several lines of a note is said once.
    leads = [place.lead(reading[at].text) if (place := reading[at].place) else "" for at in chosen]
    said[1:] = [
        text.removeprefix(f"{lead}: ") if before.startswith(f"{lead}: ") else text
        for text, lead, before in zip(said[1:], leads[1:], said, strict=False)
    ]
    return " ".join(filter(None, [opening, *said])) or _first_words(source, reading)


def _opening(source: SourceText, reading: Sequence[Sentence], *, least: int) -> str:
    """ "Ana and Bo talked about the boat."; nothing of what nobody says, or where ``least`` turns share nothing."""
    who = [name_of(name) for name in speakers(source)]
    if not who and any(is_owners(source, turn.speaker) for turn in source.turns):
        who = [USER]
    subject = subject_of(source) if source.source_type == "email" else ""
    about = f"“{subject}”" if subject else _matters(source, reading, least)
    if not about or not who or source.source_type not in {*TALKED, "email"}:
        return ""
    if source.source_type == "email":
        return f"{_listed(who)} wrote about {about}."
    if len(who) == 1 and any(sentence.to_assistant for sentence in reading):
        return f"{who[0]} talked with an assistant about {about}."
    talked = "wrote" if len(who) == 1 and source.source_type == "slack" else "talked"
    return f"{_listed(who)} {talked} about {about}."


def _listed(names: Sequence[str]) -> str:
    """ "Ana, Bo and Cleo"; of many the first, and how many others."""
    shown = list(names if len(names) <= MOST_NAMED else names[: MOST_NAMED - 1])
    if len(shown) < len(names):
        shown.append(f"{len(names) - len(shown)} others")
    return " and ".join(filter(None, [", ".join(shown[:-1]), shown[-1]])) if shown else ""


def _matters(source: SourceText, reading: Sequence[Sentence], least: int) -> str:
    """What several turns speak of: no name of somebody who speaks."""
    people = {word.casefold() for name in short_names(speakers(source)) for word in name.split()}
    stated = [
        Stated(one.turn, one.speaker, one.parsed)
        for one in reading
        if (one.speaker or "").casefold() not in ROLES or is_owners(source, one.speaker)
    ]
    chosen: list[str] = []
    said: set[str] = set()
    for matter in matters_of(stated):
        words = set(matter.words)
        if len(chosen) < MOST_MATTERS and len(matter.sources) >= least and not words & (people | said):
            chosen.append(matter.with_article)
            said |= words
    return " and ".join(chosen)


def _is_role(source: SourceText, sentence: Sentence) -> bool:
    """Whether it is said by an assistant without a name."""
    return sentence.by_assistant and (sentence.speaker or "").casefold() in ROLES


def _statements(source: SourceText, reading: Sequence[Sentence]) -> tuple[dict[int, str], dict[int, float]]:
    """What a stranger understands alone, by the places of the sentences that say it, and what each is worth."""
    found, worths = {}, {}
    for at, candidate in enumerate(candidates(source, reading)):
        restated, sentence = candidate.restated, candidate.restated.sentence
        is_readable = (
            sentence.piece.form not in {Form.HEADING, Form.CODE} and 15 <= len(sentence.text) <= SUMMARY_LENGTH
        )
        text = restated.quotation if restated.said else restated.statement
        value = _worth(candidate, source)
        if is_readable and text and (value >= LEAST_WRITTEN or source.source_type not in LETTERS):
            found[at], worths[at] = text, value
    return found, worths


def _worth(candidate: Candidate, source: SourceText) -> float:
    sentence = candidate.restated.sentence
    is_judged = worth.is_judged(*candidate, source)
    return (
        (worth.judged(*candidate, source).worth if is_judged else _WORTH[candidate.verdict.content_type])
        * (QUESTION_WORTH if "?" in sentence.text else 1)
        * (FRAGMENT_WORTH if len(sentence.text.split()) < FEWEST_WORDS else 1)
    )


def _attributed(source: SourceText, sentence: Sentence, statement: str, worded: str | None) -> str:
    """A statement behind the name of who says it, where it does not name them; the owner of a chat is its user. What is
    quoted is ``worded`` behind the name alone, where the opening says to whom and about what.
    """
    text = statement if statement[-1:] in ".!?…”" else statement.rstrip(" ,;:") + "."
    is_users = is_owners(source, sentence.speaker) and (sentence.speaker or "").casefold() in ROLES
    if worded is not None and worded != statement and not is_users:
        return running([Words(worded, sentence.speaker, False)])
    return text if is_users else behind_name(text, sentence.speaker)


def _first_words(source: SourceText, reading: Sequence[Sentence]) -> str:
    """Where nothing is understood alone: the title, or, if that is somebody's words, the first with their speaker."""
    is_spoken = source.source_type in ("conversation", "transcript", "slack")
    title = " ".join(source.title.split())
    if reading and (is_spoken or not title):
        first = next((sentence for sentence in reading if len(sentence.text) <= SUMMARY_LENGTH), reading[0])
        return running([Words(first.text[:LONGEST_SAID], first.speaker, False)])
    return title[:SUMMARY_LENGTH]


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
    said = Counter(lemma for one in reading for lemma in {token.lemma.lower() for token in one.parsed.tokens})
    total = max(1, len(reading))
    scores = {
        tag: math.fsum(min(said[word], 0.15 * total + 1) for word in words) for tag, words in lexicon.TAG_WORDS.items()
    }
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
