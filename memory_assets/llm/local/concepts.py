"""What a source is about: noun phrases (adjectives and nouns before a noun), by repetition and rarity."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from memory_assets.llm.local import lexicon
from memory_assets.llm.local.candidates import Candidate
from memory_assets.llm.local.language import Parsed, Token, rarity
from memory_assets.llm.local.reading import Sentence


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
                if key in names or not _is_concept(words):
                    continue
                candidate = found.setdefault(key, Candidate(key, "concept"))
                candidate.forms[key] += 1
                candidate.sentences[position] = None
    return found


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
        len(token.text) > 1
        and bool(re.fullmatch(r"[^\W\d_][\w&+/-]*(?:['’]s)?", token.text))
        and len(token.text) <= 30
    )


def _is_concept(words: Sequence[Token]) -> bool:
    head = words[-1]
    lemma = head.lemma.lower()
    if (
        lemma in lexicon.VAGUE_NOUNS
        or head.lower in lexicon.VAGUE_NOUNS
        or lemma in lexicon.NOT_NAMES
        or len(lemma) < 3
    ):
        return False
    if lemma.endswith("in") and rarity(lemma + "g") < rarity(lemma):
        return False  # "thinkin"
    if lemma in lexicon.TIME_NOUNS or any(word.lower in lexicon.NOT_NAMES for word in words):
        return False
    if not re.fullmatch(r"[a-z][a-z&+/-]*", lemma) or "/" in lemma and len(lemma) > 15:
        return False
    return len(words) > 1 or rarity(lemma) >= 1.9
