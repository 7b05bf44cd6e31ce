"""Conversations in one JSON document, and JSON that is broken."""

from __future__ import annotations

import io
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_assets.sources.formats import broken_json, clean, recognise
from memory_assets.sources.formats.base import Document, LineError, RawSource

CHAT: dict[str, Any] = {
    "title": "Garlic",
    "create_time": 1789243500,
    "messages": [
        {"role": "user", "content": "When do I plant garlic?", "create_time": 1789243500},
        {"role": "assistant", "content": "In October.", "create_time": 1789243507},
        {"role": "system", "content": "Be short."},
    ],
}


def read(told: object) -> list[RawSource | LineError]:
    data = json.dumps(told, indent=1).encode()
    return list(recognise(data, "chat.json").read(Document(io.BytesIO(data), "chat.json", len(data))))


@pytest.mark.parametrize("told", [CHAT, [CHAT], {"conversations": [CHAT]}])
def test_a_conversation_of_messages_is_read(told: object) -> None:
    (source,) = read(told)
    assert isinstance(source, RawSource)
    assert (source.title, source.owner_speaker) == ("Garlic", "user")
    turns = clean("conversation", source.raw_content).turns
    assert [(turn.speaker, turn.text) for turn in turns] == [
        ("user", "When do I plant garlic?"),
        ("assistant", "In October."),
    ]
    assert str(source.started_at) == "2026-09-12 20:05:00+00:00"


def test_conversations_without_ids_are_told_apart_and_the_same_one_is_one() -> None:
    other = CHAT | {"title": "Leeks"}
    keys = [source.key for source in read([CHAT, other, CHAT]) if isinstance(source, RawSource)]
    assert len(keys) == 3 and keys[0] == keys[2] != keys[1]


def test_a_message_that_is_none_costs_itself_alone() -> None:
    broken = CHAT | {"messages": [*CHAT["messages"], "and?", {"role": "oracle", "content": "No."}]}
    problem, source = read([broken])
    assert isinstance(problem, LineError) and "2 of its messages were left out" in problem.reason
    assert isinstance(source, RawSource)


def test_where_json_is_broken_is_said() -> None:
    assert broken_json(b'[{"title": "Garlic",\n  "messages": [}]') == (
        "Its JSON is broken: Expecting value at line 2, column 16."
    )
    assert broken_json(b"Garlic, leeks") is None and broken_json(b'{"a": 1}') is None
    assert "too deeply" in (broken_json(b"[" * 200_000) or "")


@given(st.binary(max_size=200))
def test_any_bytes_are_answered(data: bytes) -> None:
    assert isinstance(broken_json(data), str | None)
