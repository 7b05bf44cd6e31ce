"""What a source is about: noun phrases (adjectives and nouns before a noun), by repetition and rarity."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from memory_assets.llm.local import lexicon
from memory_assets.llm.local.kinds import Candidate
from memory_assets.llm.local.language import Parsed, Token, rarity
from memory_assets.llm.local.reading import Sentence

_SHORT = 24


def find_concepts(reading: Sequence[Sentence], names: dict[str, Candidate]) -> dict[str, Candidate]:
    """Noun phrases of one to three words, each also under its shorter endings and its nouns."""
    found: dict[str, Candidate] = {}
    for position, sentence in enumerate(reading):
        if sentence.by_assistant:
            continue
        for phrase in noun_phrases(sentence.parsed):
            # Modifiers count by themselves: "adoption agency" speaks of adoption, whatever comes after it.
            endings = [phrase[-length:] for length in range(1, len(phrase) + 1)]
            for words in [*endings, *([word] for word in phrase[:-1] if word.pos == "NOUN")]:
                key = " ".join(word.lemma.lower() for word in words)
                if key in names or not is_concept(words):
                    continue
                candidate = found.setdefault(key, Candidate(key, "concept"))
                candidate.forms[key] += 1
                candidate.sentences[position] = None
    return _without_shadows(found)


def _without_shadows(found: dict[str, Candidate]) -> dict[str, Candidate]:
    """Without words that are only said within a longer phrase said again ("session" of "session key")."""
    shadows: set[str] = set()
    for key, candidate in found.items():
        words = key.split()
        times = sum(candidate.forms.values())
        if len(words) < 2 or times < 2:
            continue
        for size in range(1, len(words)):
            for at in range(len(words) - size + 1):
                part = found.get(" ".join(words[at : at + size]))
                if part is not None and sum(part.forms.values()) <= times:
                    shadows.add(part.key)
    return {key: candidate for key, candidate in found.items() if key not in shadows}


def concept_confidence(candidate: Candidate, sentences: int) -> float:
    """How surely a phrase is a topic of a source of so many sentences: by repetition, rarity and the title."""
    times = sum(candidate.forms.values())
    said = len(candidate.sentences) + 0.5 * (times - len(candidate.sentences))
    words = candidate.key.split()
    worth = max(0.0, min(2.2, rarity(words[-1]) - 2.0))
    value = 4.0 + 2.3 * min(1.0, said - 1) + 0.7 * max(0.0, min(1.0, said - 2)) + 0.2 * max(0.0, min(6.0, said - 3))
    value += 0.5 * worth + 0.7 * (len(words) > 1) + 1.0 * candidate.in_title
    # In a short text two mentions are as many as three in a long one.
    value += 0.5 * (said >= 1.5 and sentences <= _SHORT)
    return min(9.0, value)


def noun_phrases(parsed: Parsed) -> Iterable[list[Token]]:
    """Runs of adjectives and nouns that end in a noun; at most the last three words."""
    run: list[Token] = []
    for token in (*parsed.tokens, None):
        if token is not None and token.pos in {"ADJ", "NOUN"} and _is_word(token):
            run.append(token)
            continue
        while run and run[-1].pos != "NOUN":
            run.pop()
        if run:
            run = run[-3:]
            # Common adjectives ("new", "great") belong to the moment, not to the concept.
            while len(run) > 1 and (
                run[0].pos == "ADJ"
                and rarity(run[0].lower) < 2.6
                or run[0].lower in lexicon.VAGUE_NOUNS
                or run[0].is_stop
            ):
                run = run[1:]
            yield run
        run = []


def _is_word(token: Token) -> bool:
    return (
        len(token.text) > 1 and bool(re.fullmatch(r"[^\W\d_][\w&+/-]*(?:['’]s)?", token.text)) and len(token.text) <= 30
    )


def is_concept(words: Sequence[Token]) -> bool:
    """Whether a noun with what is before it names a topic: nothing vague, no unit and no time."""
    head = words[-1]
    lemma = head.lemma.lower()
    vague = lemma in lexicon.VAGUE_NOUNS or head.lower in lexicon.VAGUE_NOUNS
    # "session key", "state file": the word before says which.
    if vague and not (len(words) > 1 and words[-2].pos == "NOUN" and is_concept(words[-2:-1])):
        return False
    if lemma in lexicon.NOT_NAMES or lemma in lexicon.UNITS or len(lemma) < 3:
        return False
    if lemma.endswith("in") and rarity(lemma + "g") < rarity(lemma):
        return False  # "thinkin"
    if lemma in lexicon.TIME_NOUNS or any(word.lower in lexicon.NOT_NAMES for word in words):
        return False
    if not re.fullmatch(r"[a-z][a-z&+/-]*", lemma) or "/" in lemma and len(lemma) > 15:
        return False
    return len(words) > 1 or rarity(lemma) >= 1.75
