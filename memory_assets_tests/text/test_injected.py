"""What a memory gave to an agent is marked, and cut out of what is read afterwards."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from memory_assets.text.injected import CLOSING, OPENING, mark_injected, without_injected

texts = st.lists(st.text(max_size=20) | st.sampled_from([OPENING, CLOSING, "<", "\n"]), max_size=6).map("".join)
plain = st.text(max_size=40).filter(lambda text: "<" not in text)


@given(plain, texts, plain, texts, plain)
def test_nothing_that_was_injected_is_left_and_nothing_else_goes(
    before: str, one: str, between: str, other: str, after: str
) -> None:
    said = f"{before}{mark_injected(one)}\n{between}{mark_injected(other)}\n{after}"
    assert without_injected(said) == before + between + after


@given(plain, texts)
def test_what_is_cut_off_is_cut_whole(before: str, one: str) -> None:
    assert without_injected(before + mark_injected(one)[: -len(CLOSING)]) == before


@given(texts)
def test_what_is_cut_once_is_cut(said: str) -> None:
    assert OPENING not in without_injected(said)
