"""An answer in parts: each within its budget, together the whole."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_assets.llm.tokens import count_tokens
from memory_assets.server.parts import PartError, as_text, part_of

NAMES = st.sampled_from(["text", "title", "sources", "context", "at", "lines"])
SCALARS = st.none() | st.booleans() | st.integers(-999, 99_999) | st.text(max_size=40)
TEXTS = st.text(max_size=2_000) | st.lists(st.sampled_from(["bees", "Größe", "蜂", "\n", '"'])).map(" ".join)
ROWS = st.dictionaries(NAMES, SCALARS | TEXTS, max_size=4)
LISTS = st.lists(ROWS | SCALARS, max_size=8) | st.dictionaries(NAMES, st.lists(ROWS, max_size=3))
ANSWERS = st.dictionaries(NAMES, SCALARS | TEXTS | ROWS | LISTS, max_size=6)
REF = {"ref": "482915037", "kind": "source"}


def parts_of(answer: dict[str, Any], budget: int) -> list[dict[str, Any]]:
    parts = [part_of(answer, budget)]
    while parts[-1]["more"]:
        parts.append(part_of(answer, budget, parts[-1]["more"]))
        assert len(parts) < 10_000
    return parts


def said(value: Any, path: tuple[str, ...], found: dict[tuple[str, ...], list[Any]]) -> None:
    """The leaves by their paths, texts in one."""
    if isinstance(value, dict) and value:
        for name, one in value.items():
            said(one, (*path, name), found)
    elif isinstance(value, list) and value:
        for one in value:
            said(one, (*path, "[]"), found)
    else:
        found[path].append(value)


@given(ANSWERS, st.integers(80, 600))
def test_every_part_is_within_the_budget_and_all_say_everything_once(answer: dict[str, Any], budget: int) -> None:
    answer = REF | answer
    whole: dict[tuple[str, ...], list[Any]] = defaultdict(list)
    together: dict[tuple[str, ...], list[Any]] = defaultdict(list)
    said(answer, (), whole)
    for number, part in enumerate(parts_of(answer, budget)):
        assert count_tokens(as_text(part)) <= budget
        assert part["ref"] == REF["ref"] and part["kind"] == REF["kind"]
        said({name: one for name, one in part.items() if name != "more" and not (number and name in REF)}, (), together)
    assert together.keys() == whole.keys()
    for path, values in whole.items():
        if any(isinstance(one, str) for one in values):
            assert "".join(map(str, together[path])) == "".join(map(str, values))
        else:
            assert together[path] == values


def test_a_row_stays_whole_and_a_text_is_cut_between_words() -> None:
    rows = [{"ref": str(number), "line": f"Hive {number} has {number} frames."} for number in range(40)]
    parts = parts_of(REF | {"text": "bees " * 300, "rows": rows}, 200)
    assert len(parts) > 3
    assert [row for part in parts for row in part.get("rows", [])] == rows
    assert all(part["text"].endswith("bees ") for part in parts if "text" in part)
    assert [len(parts_of(REF | {"rows": rows}, 20_000)), part_of(REF, 100)] == [1, REF | {"more": None}]


@pytest.mark.parametrize("more", ["x", "-1", "99", "1.2.3", "1 "])
def test_what_is_no_position_is_refused(more: str) -> None:
    with pytest.raises(PartError, match="There is no more at"):
        part_of(REF, 100, more)
