"""A source taken apart: whom and what it speaks of, and what was said (004, Phase 2)."""

from __future__ import annotations

from memory_assets.llm.local.entities import find_entities
from memory_assets.llm.local.language import words_in
from memory_assets.llm.local.reading import Sentence, read
from memory_assets.llm.local.sentences import Form
from memory_assets.llm.local.statements import judge
from memory_assets.llm.local.telling import Telling
from memory_assets.llm.tasks import Extraction, SourceText, Statement

FEWEST_WORDS_OF_CHITCHAT, FEWEST_WORDS_OF_HEADING = 3, 4
MOST_ABOUT = 12


def extract(source: SourceText) -> Extraction:
    """The answer to ``entities/extract_entities``: entities, and every sentence as a statement."""
    reading, title = read(source)
    found = find_entities(source, reading, title)
    told = Telling(source)
    before = (None, *reading)
    statements = (
        _statement(sentence, about, told, previous)
        for sentence, about, previous in zip(reading, found.about, before, strict=False)
    )
    return Extraction(entities=found.entities, statements=tuple(s for s in statements if s is not None))


def _statement(sentence: Sentence, about: tuple[str, ...], told: Telling, before: Sentence | None) -> Statement | None:
    if sentence.piece.form is Form.HEADING and words_in(sentence.text) < FEWEST_WORDS_OF_HEADING:
        return None  # it names what follows; the sentences below it carry its meaning
    verdict = judge(sentence.piece, sentence.parsed, sentence.setting)
    if verdict.content_type == "chitchat" and words_in(sentence.text) < FEWEST_WORDS_OF_CHITCHAT:
        return None
    content_type = verdict.content_type
    asks_agent = content_type == "preference" and sentence.to_assistant
    is_order = verdict.is_instruction or content_type == "task" or asks_agent
    return Statement(
        text=sentence.text,
        speaker=sentence.speaker,
        turn=sentence.turn,
        content_type=content_type,
        is_instruction=verdict.is_instruction,
        durability=verdict.durability,
        confidence=verdict.confidence,
        about=about[:MOST_ABOUT],
        statement=told.statement(sentence, before, is_order=is_order),
        judged=verdict.why,
    )
