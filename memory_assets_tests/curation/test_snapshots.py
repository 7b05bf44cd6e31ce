"""What an audit keeps of a memory: all of it, and back."""

from __future__ import annotations

import json
from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_assets.curation.snapshots import Link, Snapshot, decode, encode, read_whole, whole_snapshots
from memory_assets.errors import GraphRowError
from memory_assets.graph.graph import Graph
from memory_assets_tests.curation.records import record, seed

INSTANTS = st.datetimes(datetime(1900, 1, 1), datetime(2199, 12, 31), timezones=st.just(UTC))
SCALARS = st.one_of(
    st.text(),
    st.integers(-(2**63), 2**63 - 1),
    st.floats(allow_nan=False, allow_infinity=False),
    st.booleans(),
    INSTANTS,
    st.dates(),
)
VALUES = st.one_of(SCALARS, *(st.lists(kind, max_size=4) for kind in (st.text(), st.floats(-1, 1), INSTANTS)))
PROPERTIES = st.dictionaries(st.text(min_size=1, max_size=8), VALUES, max_size=8)
LINKS = st.builds(
    Link,
    st.sampled_from(["REFERS_TO", "ABOUT"]),
    st.sampled_from(["in", "out"]),
    st.text(max_size=5),
    st.lists(st.sampled_from(["Belief", "Memory", "Note"]), unique=True, min_size=1).map(lambda s: tuple(sorted(s))),
    PROPERTIES,
)
SNAPSHOTS = st.builds(Snapshot, st.just(("Belief", "Memory")), PROPERTIES, st.lists(LINKS, max_size=5).map(tuple))


@given(SNAPSHOTS, st.randoms())
def test_what_is_encoded_comes_back_in_whatever_order_it_was_told(snapshot: Snapshot, random: Any) -> None:
    text = encode(snapshot)
    back = decode(text)
    assert back is not None and encode(back) == text
    assert (back.labels, back.properties) == (snapshot.labels, snapshot.properties)
    assert len(back.links) == len(snapshot.links) and all(link in snapshot.links for link in back.links)
    assert {key: type(value) for key, value in back.properties.items()} == {
        key: type(value) for key, value in snapshot.properties.items()
    }
    shuffled = list(snapshot.links)
    random.shuffle(shuffled)
    assert encode(Snapshot(snapshot.labels[::-1], snapshot.properties, tuple(shuffled))) == text


@pytest.mark.parametrize("text", [None, "", "no JSON", "[]", '{"created_at": "2026-05-01"}', '{"labels": []}'])
def test_what_holds_no_whole_memory_is_none(text: str | None) -> None:
    assert decode(text) is None


def test_what_would_not_come_back_is_refused() -> None:
    with pytest.raises(GraphRowError, match="lasts is timedelta"):
        encode(Snapshot(("Memory",), {"id": "a", "lasts": timedelta(days=1)}))


def test_a_day_stays_a_day_and_a_text_a_text() -> None:
    given = {"id": "a", "day": date(2026, 5, 1), "text": "2026-05-01", "at": datetime(2026, 5, 1, 9, tzinfo=UTC)}
    text = encode(Snapshot(("Memory",), given))
    assert json.loads(text)["properties"]["at"] == {"$at": "2026-05-01T09:00:00.000Z"}
    assert (back := decode(text)) is not None and back.properties == given


def test_a_stored_memory_is_read_whole_and_nobody_elses(graph: Graph, user: str) -> None:
    one, other, source = f"{user}:1", f"{user}:2", f"{user}:s"
    rows = [
        record(one, embedding=[0.1, -2.5, 1 / 3], about=["a", "b"], recent_accesses=[]),
        record(other, "Task"),
        record(source, "Source"),
    ]
    links = [
        (one, "REFERS_TO", other),
        (other, "REFERS_TO", one),
        (one, "RECORDED_IN", source),
        (one, "REFERS_TO", one),
    ]
    seed(graph, user, rows, links)
    assert whole_snapshots(graph, f"{user}-x", [one]) == {}
    found = read_whole(graph, user, [one, "unknown", one])
    assert list(found) == [one]
    memory = found[one]
    assert (memory.id, memory.kind, memory.labels) == (one, "Belief", ("Belief", "Memory"))
    assert memory.properties["embedding"] == [0.1, -2.5, 1 / 3]
    assert memory.properties["created_at"] == datetime(2026, 1, 2, 3, 4, 5, 678000, tzinfo=UTC)
    assert sorted(link.place for link in memory.links) == sorted(
        [
            ("REFERS_TO", "out", other), ("REFERS_TO", "in", other), ("RECORDED_IN", "out", source),
            ("REFERS_TO", "out", one),
        ]
    )  # fmt: skip
    assert decode(whole_snapshots(graph, user, [one])[one]) is not None
