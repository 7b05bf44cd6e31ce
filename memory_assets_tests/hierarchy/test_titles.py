"""No two memories of an owner have the same title, and which title each has depends on all of them alone."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_assets.hierarchy.evidence import LEAST_SENTENCES
from memory_assets.hierarchy.naming import MOST_SAID, Stated, said_of
from memory_assets.hierarchy.stories import Anchor, Story, StorySource
from memory_assets.hierarchy.titles import MOST_CHARACTERS, Titled, bounded, distinct, stem
from memory_assets.llm.sentences import Sentence, text_of


def day(number: int, month: int = 10, year: int = 2026) -> datetime:
    return datetime(year, month, number, 9, tzinfo=UTC)


def titled(title: str, anchor: str = "Kestrel", first: datetime | None = None, last: datetime | None = None) -> Titled:
    return Titled(title, anchor, first, last)


@pytest.mark.parametrize(
    ("given_", "titles"),
    [
        ([titled("The plum trees"), titled("The pier")], ["The plum trees", "The pier"]),
        ([titled("The pier", "Nora"), titled("the pier", "Idris")], ["The pier (Nora)", "the pier (Idris)"]),
        (
            [titled("The Kestrel", first=day(5), last=day(19)), titled("The Kestrel", first=day(28, 9), last=day(5))],
            ["The Kestrel, 5 to 19 October 2026", "The Kestrel, 28 September to 5 October 2026"],
        ),
        (
            [titled("The pier", first=day(5), last=day(5)), titled("The pier", first=day(30, 12, 2025), last=day(2))],
            ["The pier (Kestrel), 5 October 2026", "The pier (Kestrel), 30 December 2025 to 2 October 2026"],
        ),
        (
            [titled("Nora sold the Kestrel", anchor, day(5), day(5)) for anchor in ("Nora", "Kestrel")],
            ["Nora sold the Kestrel (Nora)", "Nora sold the Kestrel (Kestrel)"],
        ),
        ([titled("The Kestrel"), titled("The Kestrel", first=day(5), last=day(5))],
         ["The Kestrel (Kestrel)", "The Kestrel, 5 October 2026"]),
    ],
)  # fmt: skip
def test_the_same_title_is_told_apart_by_whom_and_when_it_is_of(given_: list[Titled], titles: list[str]) -> None:
    assert list(distinct({str(at): one for at, one in enumerate(given_)}).values()) == titles


@given(
    st.dictionaries(
        st.text(st.characters(codec="ascii", categories=["L"]), min_size=1, max_size=3),
        st.tuples(
            st.sampled_from(["The pier", "the Pier", "Plums"]), st.sampled_from(["Nora", "Pier"]), st.integers(1, 28)
        ),
        max_size=8,
    ),
    st.randoms(),
)
def test_titles_are_distinct_and_a_function_of_the_set(drawn: dict[str, tuple[str, str, int]], random: Random) -> None:
    memories = {key: titled(title, anchor, day(at), day(at)) for key, (title, anchor, at) in drawn.items()}
    titles = distinct(memories)
    order = list(memories)
    random.shuffle(order)
    assert distinct({key: memories[key] for key in order}) == titles
    different = {(one.title.casefold(), one.anchor.casefold(), one.first_at) for one in memories.values()}
    assert len({title.casefold() for title in titles.values()}) == len(different)
    assert all(title.startswith(memories[key].title) for key, title in titles.items())


PARTS = st.sampled_from(
    ["The pier", "the PIER", "The pier,", "(Nora)", "The pier (Nora)", "Straße", "STRASSE", "1 May"]
)


@given(
    st.dictionaries(
        st.integers(0, 20),
        st.tuples(st.lists(PARTS, min_size=1, max_size=2).map(" ".join), st.sampled_from(["Nora", "Pier", "A, (B)"])),
    ),
    st.integers(1, 3),
)
def test_titles_with_other_stems_cannot_come_to_be_the_same(drawn: dict[int, tuple[str, str]], days: int) -> None:
    memories = {str(key): titled(title, anchor, day(1), day(1 + key % days)) for key, (title, anchor) in drawn.items()}
    by_stem: dict[str, dict[str, Titled]] = {}
    for key, one in memories.items():
        by_stem.setdefault(stem(one.title), {})[key] = one
    apart = {key: title for some in by_stem.values() for key, title in distinct(some).items()}
    assert apart == distinct(memories)


@given(st.lists(st.integers(1, 900), max_size=12))
def test_a_text_has_a_bound_and_two_sentences(lengths: list[int]) -> None:
    sentences = [Sentence(f"{at}{'a' * length}.", ("c",), ("s",)) for at, length in enumerate(lengths)]
    some = bounded(sentences)
    assert list(some) == [one for one in sentences if one in some], "in their order, each once"
    assert len(some) >= min(LEAST_SENTENCES, len(sentences))
    length = len(text_of(some) or "")
    if length <= MOST_CHARACTERS:
        left = [len(one.text) for one in sentences if one not in some]
        longest = max(map(len, map(text_of, [[one] for one in some])), default=0)
        assert all(length + 1 + more > MOST_CHARACTERS for more in left if more <= longest)
    else:
        assert sorted(len(one.text) for one in some) == sorted(len(one.text) for one in sentences)[:LEAST_SENTENCES]


@pytest.mark.parametrize(
    ("lengths", "taken"),
    [
        ([716, 10], [0, 1]),
        ([300, 700, 200], [0, 2]),
        ([800, 300, 300], [1, 2]),
        ([700, 710, 705, 720], [0, 2]),
        ([900], [0]),
        ([200, 200, 200, 200], [0, 1, 2]),
    ],
)
def test_a_long_sentence_leaves_no_other_alone(lengths: list[int], taken: list[int]) -> None:
    sentences = [Sentence("a" * length, ("c",), (str(at),)) for at, length in enumerate(lengths)]
    assert bounded(sentences) == tuple(sentences[at] for at in taken)


HOLDS = Story(Anchor("k", "Nora Weiss", 0.9, ()), (StorySource("s", None),), (("s", "rows"), ("s", "row")))


def stated(text: str, key: str, durability: float = 0.5) -> Stated:
    return Stated(key, text, "Idris Cole", durability, frozenset())


def test_of_a_source_what_a_storyline_tells_is_shown_in_its_order() -> None:
    rows = [stated("Nora rows.", "rows"), stated("The ferry is late.", "ferry"), stated("Nora likes to row.", "row")]
    assert [said.text for said in said_of(HOLDS, "s", rows)] == ["Nora rows.", "Nora likes to row."]


def test_of_many_those_that_last_longest_are_shown() -> None:
    rows = [stated(f"Number {at}.", f"c{at}", durability=0.9 if at % 2 else 0.1) for at in range(20)]
    story = replace(HOLDS, statements=tuple(("s", row.id) for row in rows))
    assert [said.text for said in said_of(story, "s", rows)] == [f"Number {at}." for at in range(1, 2 * MOST_SAID, 2)]
