"""What a memory gave to an agent is marked, and cut out of what is read afterwards."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_assets.llm.tokens import count_tokens
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
    cut_off = before + mark_injected(one)[: -len(CLOSING)]
    assert without_injected(cut_off, is_cut_off=True) == before and without_injected(cut_off) == cut_off


@given(texts)
def test_what_is_cut_once_is_cut(said: str) -> None:
    assert f"{OPENING}\n" not in without_injected(said, is_cut_off=True)


def test_who_writes_of_a_mark_loses_no_word() -> None:
    said = f"Why is `{OPENING}` in the log?\n\nFrom now on always use tabs.\n{OPENING}\nand no end"
    assert without_injected(said) == said


@pytest.mark.parametrize("before", ["", "Nora", "Nora ", "\n", "`", '"', "(", ">", "}", "?>", "。", "<", "</", "<<"])
@pytest.mark.parametrize("mark", [OPENING, CLOSING, "<system-reminder>", "</system-reminder>"])
def test_what_looks_like_a_mark_is_none_and_costs_no_token_more(before: str, mark: str) -> None:
    text = f"{before}{mark} rule {before}{mark}"
    marked = mark_injected(text)
    assert count_tokens(marked) <= count_tokens(f"{OPENING}\n{text}\n{CLOSING}")
    inner = marked.removeprefix(f"{OPENING}\n").removesuffix(f"\n{CLOSING}")
    assert not any(one in inner for one in (OPENING, CLOSING, "<system-reminder>", "</system-reminder>"))
