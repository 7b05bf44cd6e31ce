"""What must hold for any text whatever."""

from __future__ import annotations

import io
import json
from datetime import UTC, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory_assets.errors import SourceUnreadableError
from memory_assets.model import SourceType
from memory_assets.sources.cleaning import clean_text, one_line
from memory_assets.sources.dates import (
    date_in_name,
    parse_instant,
    parse_mail_date,
    parse_written_date,
)
from memory_assets.sources.disk_files import printable
from memory_assets.sources.encoding import decode
from memory_assets.sources.formats import FORMATS, clean, recognise
from memory_assets.sources.formats.base import Document, LineError, RawSource
from memory_assets.sources.source_rows import source_id, unite

QUICK = settings(max_examples=120)

pieces = st.sampled_from(
    [
        "\n",
        "\n\n",
        "> ",
        "On x wrote:\n",
        "From: ",
        "WEBVTT\n",
        "00:00 --> 00:01\n",
        "<v A>",
        "Mara: ",
        "---\n",
        "{",
        "[",
        '{"role": "user", "content": "',
        '"}',
        "\u202e",
        "\u200d",
        "\x00",
        "\ud800",
        "<b>",
        "=?utf-8?b?",
        "1\n",
        "date: ",
    ]
)
anything = st.text(alphabet=st.characters(codec=None), max_size=60)
texts = st.lists(pieces | anything, max_size=12).map("".join)


@pytest.mark.parametrize("kind", list(SourceType))
@QUICK
@given(text=texts)
def test_cleaning_never_fails_and_leaves_clean_text(kind: SourceType, text: str) -> None:
    cleaned = clean(kind, text)
    assert [turn.index for turn in cleaned.turns] == list(range(len(cleaned.turns)))
    for turn in cleaned.turns:
        assert turn.text and "\x00" not in turn.text and "\u202e" not in turn.text
    cleaned.content.encode("utf-8")


@pytest.mark.parametrize("kind", list(SourceType))
@QUICK
@given(data=st.binary(max_size=200) | texts.map(lambda text: text.encode("utf-8", "replace")))
def test_reading_ends_in_sources_or_a_reason(kind: SourceType, data: bytes) -> None:
    try:
        found = list(FORMATS[kind].read(Document(io.BytesIO(data), "x.txt", len(data))))
        recognise(data, "x.txt")
    except SourceUnreadableError as error:
        assert str(error)
        return
    for item in found:
        assert isinstance(item, RawSource | LineError)
        if isinstance(item, RawSource):
            assert item.source_type == kind and item.title == one_line(item.title)
            clean(kind, item.raw_content)


messages = st.fixed_dictionaries(
    {"role": st.sampled_from(["user", "assistant", "system", "tool"]), "content": anything},
    optional={
        "name": anything | st.none(),
        "timestamp": st.datetimes().map(str) | anything | st.integers() | st.floats(),
        "conversation_id": st.sampled_from(["a", "b", "", 3, None]),
    },
)


@QUICK
@given(st.lists(messages | st.just(None), max_size=15))
def test_every_valid_line_of_a_conversation_is_in_the_raw_content(items: list) -> None:
    lines = [json.dumps(item) if item else "broken" for item in items]
    data = "\n".join(lines).encode()
    found = list(FORMATS[SourceType.CONVERSATION].read(Document(io.BytesIO(data), "x", len(data))))
    stored = [line for item in found if isinstance(item, RawSource) for line in item.raw_content.split("\n")]
    assert sorted(stored) == sorted(line for line in lines if line != "broken")
    assert [item.line for item in found if isinstance(item, LineError)] == [
        n for n, line in enumerate(lines, 1) if line == "broken"
    ]


@QUICK
@given(text=texts, owner=st.sampled_from(["u", "v", "team-u"]))
def test_an_id_follows_from_owner_kind_and_content(text: str, owner: str) -> None:
    source = RawSource(SourceType.NOTE, "title", text)
    same = RawSource(SourceType.NOTE, "other title", text, participants=("x",))
    assert source_id(owner, source) == source_id(owner, same)
    assert source_id(owner, source) != source_id("w", source)


@QUICK
@given(anything)
def test_clean_text_is_clean_already(text: str) -> None:
    once = clean_text(text)
    assert clean_text(once) == once
    assert "\n" not in one_line(text, 20) and len(one_line(text, 20)) <= 20


@pytest.mark.parametrize(
    "text",
    ["2026-05-03", "2026/5/3", "3.5.2026", "3rd May 2026", "May 3, 2026", "SUNDAY, MAY 3, 2026", "Sun 3 May 2026"]
    + ["Sonntag, 3. Mai 2026", "3 mai 2026", "3 de mayo de 2026", "domingo, 3 de maio de 2026", "2026年5月3日"],
)
def test_a_written_date_is_read_in_each_language(text: str) -> None:
    assert parse_written_date(f" '{text}' ") == datetime(2026, 5, 3, tzinfo=UTC)


@pytest.mark.parametrize(
    "text", ["Released 3 May 2026", "3 May 2026 and 4 May 2026", "31.02.2026", "May 2026", "notes"]
)
def test_what_is_more_or_less_than_a_date_is_none(text: str) -> None:
    assert parse_written_date(text) is None


@QUICK
@given(anything)
def test_dates_never_fail(text: str) -> None:
    for parse in (parse_instant, parse_mail_date, parse_written_date, date_in_name):
        found = parse(text)
        assert found is None or 1900 <= found.year <= 2199


@QUICK
@given(st.binary(max_size=100), st.text(max_size=20) | st.none())
def test_bytes_are_always_some_text(data: bytes, declared: str | None) -> None:
    assert isinstance(decode(data, declared).text, str)


@QUICK
@given(st.permutations([("b", "2", None), ("a", "3", "2026-10-05"), ("c", "1", "2026-10-02")]))
def test_uniting_does_not_depend_on_order(order: list) -> None:
    rows = [{"id": "x", "title": t, "path": p, "provenance": "{}", "started_at": day} for t, p, day in order]
    private = {"sensitivity": "normal", "original_content": None, "project": None, "project_is_given": False}
    said = {"3": {"sensitivity": "high", "project": "harbor", "project_is_given": True}, "2": {"project": "garden"}}
    rows = [row | private | said.get(row["path"], {}) for row in rows]
    assert unite(rows) == [
        {"id": "x", "title": "a", "path": "1", "provenance": "{}", "started_at": "2026-10-02"}
        | {"sensitivity": "high", "original_content": None, "project": "harbor", "project_is_given": True}
    ]


@QUICK
@given(st.binary(min_size=1, max_size=30))
def test_a_path_can_always_be_shown(name: bytes) -> None:
    import os

    shown = printable(os.fsdecode(name))
    assert shown.isprintable()
    shown.encode("utf-8")
