"""Which version of a record holds, and what it says: the same whatever the order, and for each line by itself."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory_assets.model import node_id
from memory_assets.records.policy import (
    Correction,
    corrected_line,
    decide_correction,
    latest,
    link_named,
    read_versions,
    row_of,
)
from memory_assets.sources.formats import record

QUICK = settings(max_examples=150)

moments = st.sampled_from([None, "2026-10-05", "2026-10-05T09:00:00Z", "2026-10-06", "some day", 1_800_000_000])
statements = st.fixed_dictionaries(
    {
        "record": st.sampled_from([kind for kind in record.TYPES if kind != "session"]),
        "text": st.sampled_from(["Slip 4 is dry.", "Slip 4 leaks.", "Call Maya."]),
    },
    optional={
        "id": st.sampled_from(["x1", "x2"]),
        "agent": st.sampled_from(["Harbor", " Harbor ", "Mole"]),
        "at": moments,
        "keep": st.booleans(),
        "state": st.sampled_from(["active", "archived"]),
        "refers_to": st.lists(st.sampled_from(["x1", "x2", ""]), max_size=3),
    },
)
sessions = st.fixed_dictionaries(
    {
        "record": st.just("session"),
        "turns": st.lists(
            st.fixed_dictionaries(
                {"role": st.sampled_from(["user", "agent", "tool"]), "text": st.sampled_from(["a", " ", "b"])},
                optional={"at": moments},
            ),
            min_size=1,
            max_size=3,
        ),
    },
    optional={"id": st.sampled_from(["x1", "s1"]), "at": moments},
)
lines = st.lists((statements | sessions).map(json.dumps), max_size=8)


@QUICK
@given(lines, lines, st.randoms())
def test_what_holds_is_a_function_of_the_set_of_lines(one: list[str], other: list[str], shuffled: Any) -> None:
    whole = read_versions("ana", "\n".join([*one, *other]))
    mixed = [*one, *other, *one]
    shuffled.shuffle(mixed)
    assert read_versions("ana", "\n".join(mixed)) == whole
    parts = [version for text in (one, other) for version in read_versions("ana", "\n".join(text)).values()]
    assert latest(parts) == whole
    assert read_versions("ana", record.merge("\n".join(one), "\n".join(other))) == whole


@QUICK
@given(lines)
def test_a_line_that_is_no_record_says_nothing(given_lines: list[str]) -> None:
    broken = ["{", '{"record": "rumour"}', '{"record": "belief", "text": "x", "keep": "yes"}', ""]
    assert read_versions("ana", "\n".join([*broken, *given_lines, *broken])) == read_versions(
        "ana", "\n".join(given_lines)
    )


@pytest.mark.parametrize(
    ("valid_from", "valid_to", "expected"),
    [
        ("2026-11-01", "2026-11-30", ("2026-11-01", "2026-11-30")),
        ("2026-11-30", "2026-11-30", ("2026-11-30", "2026-11-30")),
        ("2026-11-30", "2026-11-01", (None, None)),
        (None, "2026-11-30T00:30:00+02:00", (None, "2026-11-30")),
        ("2026-11-30T23:30:00-05:00", "in spring", ("2026-11-30", None)),
    ],
)
def test_the_days_of_a_record_are_as_it_says_them(
    valid_from: str | None, valid_to: str | None, expected: tuple[str | None, str | None]
) -> None:
    line = {"record": "memory", "text": "The pier is closed.", "valid_from": valid_from, "valid_to": valid_to}
    (version,) = read_versions("ana", json.dumps(line)).values()
    row = row_of(version, 1, None)
    assert (row["valid_from"], row["valid_to"]) == expected


def test_an_id_follows_from_owner_kind_agent_and_own_id_or_else_the_text() -> None:
    said = {"record": "belief", "agent": " Harbor ", "text": "Slip  4 is dry."}
    (own,) = read_versions("ana", json.dumps(said | {"id": "b1"}))
    (identifier,) = read_versions("ana", json.dumps(said))
    assert own == node_id("record", "ana", "Belief", "Harbor", "b1")
    assert identifier == node_id("record", "ana", "Belief", "Harbor", "Slip  4 is dry.")
    assert own not in read_versions("ben", json.dumps(said | {"id": "b1"}))


@pytest.mark.parametrize(
    ("turns", "expected"),
    [
        (["2026-10-05T09:00:00Z", "2026-10-06T09:00:00Z", None], datetime(2026, 10, 6, 9, tzinfo=UTC)),
        ([None], None),
    ],
)
def test_a_session_without_a_time_was_when_the_last_was_said(turns: list[str | None], expected: datetime) -> None:
    said = {"record": "session", "id": "s", "turns": [{"role": "user", "text": "Hm.", "at": at} for at in turns]}
    assert record.moment_of(record.parse_record(json.dumps(said))) == expected


def test_a_long_session_stands_in_its_memory_by_its_beginning() -> None:
    said = {"record": "session", "turns": [{"role": "user", "text": f"Number {n}."} for n in range(1000)]}
    (version,) = read_versions("ana", json.dumps(said)).values()
    text = version.properties["text"]
    assert len(text) <= 4000 and text.startswith("user: Number 0.\nuser: Number 1.") and text.endswith("…")
    grown = said | {"turns": [*said["turns"], {"role": "user", "text": "One more."}]}
    assert list(read_versions("ana", json.dumps(grown))) == [version.id], "it is the same session"


@pytest.mark.parametrize(
    ("kind", "state", "expected"),
    [
        ("belief", None, ("active", "HOT")),
        ("belief", "active", ("active", "HOT")),
        ("belief", "archived", ("archived", "ARCHIVE")),
        ("task", None, ("active", None)),
        ("task", "archived", ("archived", None)),
    ],
)
def test_a_new_record_is_active_and_hot_unless_it_is_archived(
    kind: str, state: str | None, expected: tuple[str, str | None]
) -> None:
    (version,) = read_versions("ana", json.dumps({"record": kind, "text": "x", "state": state})).values()
    row = row_of(version, 1, None)
    assert (row["state"], row["tier"]) == expected


def test_whoever_names_an_own_id_is_linked_to_all_who_have_it_and_not_to_itself() -> None:
    waiting = [
        {"id": "a", "refers_to": ["x", "y"], "learned_from": ["x"]},
        {"id": "b", "refers_to": ["x"], "learned_from": None},
        {"id": "c", "refers_to": ["c1"], "learned_from": []},
    ]
    references, lessons, linked = link_named(waiting, {"x": {"b", "d"}, "c1": {"c"}}).values()
    assert [(row["id"], row["other_id"], row["name"]) for row in references] == [
        ("a", "b", "x"), ("a", "d", "x"), ("b", "d", "x"),
    ]  # fmt: skip
    assert [(row["id"], row["other_id"]) for row in lessons] == [("a", "b"), ("a", "d")]
    assert linked == [{"id": "b"}], "y has not come in, and c1 is nobody else's"


@pytest.mark.parametrize(
    ("line", "text", "is_own", "is_replaced", "words", "is_said"),
    [
        ({"text": "Old."}, "New.", True, False, "New.", False),
        ({"text": "New."}, "New.", True, False, "New.", True),
        ({"text": "New.", "retired": True}, "New.", True, False, "New.", False),
        ({"text": "Old."}, None, True, False, None, False),
        ({"text": "Old.", "retired": True}, None, True, False, None, True),
        ({"text": "New."}, "New.", False, False, None, False),
        ({"text": "Old.", "retired": True}, "New.", False, False, None, True),
        ({"text": "New."}, "New.", True, True, None, False),
    ],
)
def test_an_agent_rewrites_its_own_record_and_another_ones_is_retired(
    line: dict[str, Any], text: str | None, is_own: bool, is_replaced: bool, words: str | None, is_said: bool
) -> None:
    found = decide_correction(line, text, is_own=is_own, is_replaced=is_replaced)
    assert found == Correction(words, is_said)
    new = corrected_line(line | {"id": "x", "at": "then"}, found, {"at": "now", "decision": "d"})
    assert new["text"] == (words or line["text"]) and new.get("retired", False) is (words is None)
    assert (new["id"], new["at"], new["decision"]) == ("x", "now", "d")
