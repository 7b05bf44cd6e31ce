"""Texts that nobody writes, through all that looks at a source's words: each step ends in time on each of them.

Processor time counts. Each of these takes a few hundredths of a second; :data:`LIMIT` is for what grows otherwise.
"""

from __future__ import annotations

import io
from datetime import UTC, datetime

import pytest

from memory_assets.entities import policy
from memory_assets.errors import SourceOverrunError, SourceUnreadableError
from memory_assets.llm.local.model import LocalModel
from memory_assets.llm.model_client import Answer
from memory_assets.llm.tasks import (
    DESCRIBE_SOURCE,
    EXTRACT_ENTITIES,
    Extraction,
    SourceDescription,
    SourceText,
    TurnText,
)
from memory_assets.llm.tokens import count_tokens
from memory_assets.sources import source_rows
from memory_assets.sources.encoding import HEAD_BYTES
from memory_assets.sources.formats import clean, recognise
from memory_assets.sources.formats.base import Document, RawSource
from memory_assets.work_limit import WorkLimit
from memory_assets_tests.support.odd_texts import odd_files, odd_texts

pytestmark = pytest.mark.slow

LIMIT = WorkLimit(10)
SIZE = 10_000
NOW = datetime(2026, 11, 20, tzinfo=UTC)


def read(name: str, data: bytes) -> list[RawSource]:
    chosen = recognise(data[:HEAD_BYTES], name, None)
    return [one for one in chosen.read(Document(io.BytesIO(data), name, len(data))) if isinstance(one, RawSource)]


def test_readers_and_maskers_end() -> None:
    seen = 0
    for name, data in odd_files(SIZE).items():
        try:
            for source in LIMIT.run(lambda name=name, data=data: read(name, data)):
                row = LIMIT.run(
                    lambda source=source, name=name: source_rows.source_row(source, owner="nora", path=name, now=NOW)
                )
                LIMIT.run(lambda row=row: clean(row["source_type"], row["raw_content"]))
                seen += 1
        except SourceOverrunError as error:
            pytest.fail(f"{name}: {error}")
        except SourceUnreadableError:
            continue
    assert seen > 300


@pytest.mark.parametrize(("task", "answer"), [(DESCRIBE_SOURCE, SourceDescription), (EXTRACT_ENTITIES, Extraction)])
def test_the_local_model_ends(task: str, answer: type[SourceDescription] | type[Extraction]) -> None:
    model = LocalModel(limit=LIMIT)
    for name, text in odd_texts(SIZE).items():
        turns = tuple(
            TurnText(index=number, speaker=speaker, text=text) for number, speaker in enumerate(("Ana", "Ben"))
        )
        source = SourceText(source_type="conversation", title=name, started_at=None, owner_speaker="Ana", turns=turns)
        (given,) = model.ask_many(task, [source], answer, asset="extracted_entities", user_id="nora")
        assert isinstance(given, Answer), f"{name}: {given}"
        if isinstance(given.value, Extraction):
            value = given.value
            LIMIT.run(
                lambda value=value, turns=turns: policy.decide(
                    value, turns, "Ana", user="nora", count_tokens=count_tokens
                )
            )
