"""A source taken apart: whom and what it speaks of, and what was said (004, Phase 2)."""

from __future__ import annotations

from memory_assets.llm.local.entities import find_entities
from memory_assets.llm.local.language import words_in
from memory_assets.llm.local.reading import Sentence, read
from memory_assets.llm.local.sentences import Form
from memory_assets.llm.local.statements import Verdict, judge
from memory_assets.llm.local.telling import Telling, Told
from memory_assets.llm.tasks import Extraction, SourceText, Statement

FEWEST_WORDS_OF_CHITCHAT, FEWEST_WORDS_OF_HEADING = 3, 4
MOST_ABOUT = 12


def extract(source: SourceText) -> Extraction:
    """The answer to ``entities/extract_entities``: entities, and every sentence as a statement."""
    reading, title = read(source)
    found = find_entities(source, reading, title)
    telling = Telling(source, reading)
    statements: list[Statement] = []
    told: Told | None = None
    for sentence, about in zip(reading, found.about, strict=True):
        verdict = judge(sentence.piece, sentence.parsed, sentence.setting)
        told = telling.tell(sentence, told, is_order=_is_order(sentence, verdict))
        if _says_something(sentence, verdict):
            statements.append(_statement(sentence, verdict, about, told.statement))
    return Extraction(entities=found.entities, statements=tuple(statements))


def _is_order(sentence: Sentence, verdict: Verdict) -> bool:
    asks_agent = verdict.content_type == "preference" and sentence.to_assistant
    return verdict.is_instruction or verdict.content_type == "task" or asks_agent


def _says_something(sentence: Sentence, verdict: Verdict) -> bool:
    """Whether it has words enough: a heading names what follows, and the sentences below it carry its meaning."""
    words = words_in(sentence.text)
    is_heading = sentence.piece.form is Form.HEADING and words < FEWEST_WORDS_OF_HEADING
    return not is_heading and (verdict.content_type != "chitchat" or words >= FEWEST_WORDS_OF_CHITCHAT)


def _statement(sentence: Sentence, verdict: Verdict, about: tuple[str, ...], statement: str | None) -> Statement:
    return Statement(
        text=sentence.text,
        speaker=sentence.speaker,
        turn=sentence.turn,
        content_type=verdict.content_type,
        is_instruction=verdict.is_instruction,
        durability=verdict.durability,
        confidence=verdict.confidence,
        about=about[:MOST_ABOUT],
        statement=statement,
        judged=verdict.why,
    )
