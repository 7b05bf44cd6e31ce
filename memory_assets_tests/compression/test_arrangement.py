"""What follows what, and what is part of what: from the set of sources alone."""

from __future__ import annotations

import random
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_assets.compression.arrangement import Head, Place, arrange, series_of
from memory_assets.compression.policy import FULL, SUMMARY, context_id

USER = "ana"
DAY = datetime(2026, 3, 2, 9, tzinfo=UTC)


def full(key: str | None) -> str | None:
    return None if key is None else context_id(USER, key, FULL)


def mail(key: str, hours: float | None, answers: str | None = None, thread: str = "t") -> Head:
    at = None if hours is None else DAY + timedelta(hours=hours)
    return Head(key, USER, "email", at, thread_id=thread, path="box.mbox", replies_to=answers)


def slack(key: str, hours: float, thread: str | None = None, channel: str = "harbour") -> Head:
    return Head(key, USER, "slack", DAY + timedelta(hours=hours), thread_id=thread, channel=channel)


def before(*heads: Head) -> dict[str, str | None]:
    names = {full(head.id): head.id for head in heads}
    return {key: names.get(place.previous) for key, place in arrange(USER, heads, ()).items()}


@pytest.mark.parametrize(
    ("head", "series"),
    [
        (mail("a", 0), (USER, "thread", "t")),
        (Head("a", USER, "email", DAY, path="box.mbox"), None),
        (slack("a", 0, "1.2"), (USER, "channel", "harbour")),
        (Head("a", USER, "conversation", DAY, conversation_id="c", path="chats.json"), (USER, "file", "chats.json")),
        (Head("a", USER, "conversation", DAY, conversation_id="c"), (USER, "conversation", "c")),
        (Head("a", USER, "note", DAY), None),
    ],
)
def test_a_source_goes_on_with_its_thread_channel_file_or_conversation(
    head: Head, series: tuple[str, ...] | None
) -> None:
    assert series_of(head) == series


def test_each_follows_the_one_before_it_by_the_events_time() -> None:
    heads = (mail("c", 5), mail("a", 1), mail("b", 2), mail("x", 1.5, thread="other"), mail("unknown", None))
    assert before(*heads) == {"a": None, "b": "a", "c": "b", "x": None, "unknown": None}


def test_what_owners_have_in_common_follows_nothing_of_the_other() -> None:
    team = Head("b", "team-x", "slack", DAY + timedelta(hours=1), channel="harbour")
    assert before(slack("a", 0), team) == {"a": None, "b": None}


def test_a_reply_is_part_of_what_it_answers_and_a_thread_of_its_channels_day() -> None:
    heads = (
        mail("a", 1),
        mail("b", 2, "a"),
        mail("lost", 3, "gone"),
        slack("day", 0),
        slack("thread", 3, "1.2"),
        slack("next", 30, "1.3"),
    )
    places = arrange(USER, heads, ("a", "b"))
    assert {key: place.parent for key, place in places.items()} == {
        "a": None, "b": full("a"), "lost": None, "day": None, "thread": full("day"), "next": None,
    }  # fmt: skip
    assert places["a"].children == (context_id(USER, "a", SUMMARY), full("b"))
    assert places["day"].children == (full("thread"),)


def test_another_place_is_another_digest() -> None:
    alone = Place("c", None, None, ())
    others = (Place("c", "b", None, ()), Place("c", None, "b", ()), Place("c", None, None, ("b",)))
    assert len({place.digest for place in (alone, *others)}) == 4


HEADS = st.lists(
    st.builds(
        Head,
        st.integers(0, 30).map(str),
        st.sampled_from([USER, "team-x"]),
        st.sampled_from(["email", "slack", "conversation", "note"]),
        st.none() | st.integers(0, 60).map(lambda hours: DAY + timedelta(hours=hours)),
        st.none() | st.sampled_from(["t1", "t2"]),
        st.none() | st.sampled_from(["c1", "c2"]),
        st.none() | st.sampled_from(["h", "g"]),
        st.none() | st.sampled_from(["f1", "f2"]),
        st.none() | st.integers(0, 30).map(str),
    ),
    max_size=25,
    unique_by=lambda head: head.id,
)


@given(HEADS, st.randoms(use_true_random=False))
def test_order_says_nothing_and_nothing_is_followed_twice(heads: list[Head], chance: random.Random) -> None:
    places = arrange(USER, heads, ())
    shuffled = list(heads)
    chance.shuffle(shuffled)
    assert arrange(USER, shuffled, ()) == places
    followed = [place.previous for place in places.values() if place.previous]
    assert len(followed) == len(set(followed))
    assert all(place.id not in (place.previous, place.parent) for place in places.values())
    children = {child for place in places.values() for child in place.children}
    assert children == {place.id for place in places.values() if place.parent}
