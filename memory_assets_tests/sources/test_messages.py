"""Conversations in one JSON document, and JSON that is broken."""

from __future__ import annotations

import io
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_assets.sources.formats import broken_json, clean, describe, merge, recognise
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


def read(document: object) -> list[RawSource | LineError]:
    data = json.dumps(document, indent=1).encode()
    return list(recognise(data, "chat.json").read(Document(io.BytesIO(data), "chat.json", len(data))))


@pytest.mark.parametrize("document", [CHAT, [CHAT], {"conversations": [CHAT]}])
def test_a_conversation_of_messages_is_read(document: object) -> None:
    (source,) = read(document)
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


LEEKS = [("user", "Ben", "I hate leeks"), ("user", "Ana", "I love leeks"), ("assistant", "", "Both of you?")]


@pytest.mark.parametrize("said", [LEEKS, LEEKS[1:], LEEKS[2:], [("human", "", "I love leeks"), *LEEKS[2:]]])
def test_who_says_it_is_the_same_as_in_json_lines(said: list[tuple[str, str, str]]) -> None:
    messages = [{"role": role, "content": text} | ({"name": name} if name else {}) for role, name, text in said]
    (source,) = read({"messages": messages})
    lines = describe("conversation", "\n".join(map(json.dumps, messages)))
    assert isinstance(source, RawSource)
    assert (source.owner_speaker, source.participants) == (lines.owner_speaker, lines.participants)
    assert clean("conversation", source.raw_content).turns == clean("conversation", lines.raw_content).turns


def chat(*texts: str) -> dict[str, Any]:
    return {
        "title": "Chat",
        "messages": [{"role": ("user", "assistant")[at % 2], "content": text} for at, text in enumerate(texts)],
    }


def united(*documents: list[dict[str, Any]]) -> list[list[str]]:
    """The words of the sources that documents leave which come one after the other."""
    stored: dict[str, str] = {}
    for document in documents:
        for source in read(document):
            assert isinstance(source, RawSource) and source.key
            known = stored.get(source.key)
            raw = source.raw_content
            stored[source.key] = raw if known is None else merge("conversation", known, raw)
    return [[turn.text for turn in clean("conversation", raw).turns] for raw in stored.values()]


def test_conversations_that_begin_alike_and_part_are_two_however_they_grow() -> None:
    leeks, vegan = ("hi", "hello", "I hate leeks"), ("hi", "hello", "My son is a vegan")
    assert united([chat(*leeks), chat(*vegan)]) == [[*leeks], [*vegan]]
    longer = [chat(*leeks, "Noted."), chat("hi", "Yes?"), chat(*vegan, "Noted.", "And I bake.")]
    assert united([chat(*leeks), chat(*vegan)], longer) == [
        [*leeks, "Noted."],
        [*vegan, "Noted.", "And I bake."],
        ["hi", "Yes?"],
    ]
    assert united([chat("hi"), chat(*leeks), chat("hi", "hello")]) == [[*leeks]], "the one goes on with the other"


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
