"""Tables that no text can break, judged by a Markdown parser; what was spent; owners summed up."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from memory_assets.presentation.reports import (
    CELL_LENGTH,
    IN_PLACE,
    ROWS_SHOWN,
    Markdown,
    bar,
    count_table,
    fenced,
    markdown_table,
    one_cell,
    spent,
    summarise,
)

PARSER = MarkdownIt("commonmark").enable(["table", "strikethrough"])
HOSTILE = st.text(alphabet=st.one_of(st.sampled_from("|\\`*_[]()<>!&~\n\r#-=:$ a1"), st.characters()), max_size=400)


def parse(text: str) -> tuple[list[list[str]], set[str]]:
    """The rows of the one table in ``text`` as seen by readers, and the kinds of everything inside its cells."""
    tokens = PARSER.parse(text)
    rows: list[list[str]] = []
    kinds: set[str] = set()
    for token in tokens:
        if token.type == "tr_open":
            rows.append([])
        elif token.type == "inline" and token.level == 4:
            kinds |= {child.type for child in token.children}
            rows[-1].append("".join(child.content for child in token.children))
    return rows, kinds


@given(HOSTILE, HOSTILE)
@example("a|b\\|c", "![x](http://evil.example/x.png)")
@example("\\", "<img src=x>")
@example("`a|b`", "&lt;&#124;")
@example("__init__ and snake_case", "**bold** ~~gone~~")
def test_whatever_a_cell_says_it_stays_one_cell_of_plain_text(first: str, second: str) -> None:
    rows, kinds = parse(markdown_table(("first", "second"), [{"first": first, "second": second}]))
    assert [len(row) for row in rows] == [2, 2]
    assert kinds <= {"text", "text_special"}
    for seen, said in zip(rows[1], (first, second), strict=True):
        assert len(seen) <= CELL_LENGTH
        if said.isascii() and said.isprintable() and len(said) <= CELL_LENGTH:
            assert seen == " ".join(said.split())


@given(st.lists(st.dictionaries(st.sampled_from("abc"), HOSTILE), max_size=70))
def test_a_table_is_bounded_and_counts_what_it_does_not_show(rows: list[dict[str, str]]) -> None:
    table = markdown_table(("a", "b", "c"), rows)
    seen, _ = parse(table)
    assert len(seen) == 1 + min(len(rows), ROWS_SHOWN)
    assert len(table) < 100 + ROWS_SHOWN * 3 * (2 * CELL_LENGTH + 3)
    assert table.endswith(f"and {len(rows) - ROWS_SHOWN} more") == (len(rows) > ROWS_SHOWN)


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (None, ""),
        (True, "yes"),
        (0, "0"),
        (0.25, "0.25"),
        (0.0, "0"),
        (2 / 3, "0.6667"),
        (0.000336, "0.000336"),
        (datetime(2026, 5, 3, 9, tzinfo=UTC), "2026-05-03"),
        ("x" * 400, "x" * 299 + "…"),
        ("a\u202eb\x00\ud800", "ab"),
    ],
)
def test_values_in_cells(value: object, shown: str) -> None:
    assert one_cell(value) == shown


def test_headings_and_sides() -> None:
    table = markdown_table({"n": "how many", "w": "what"}, [{"n": 3, "w": "x"}, {"n": 4.5}])
    assert table.splitlines() == ["| how many | what |", "|---:|---|", "| 3 | x |", "| 4.5 |  |"]
    assert isinstance(table, Markdown)
    assert markdown_table(("left_out",), []).splitlines() == ["| left out |", "|---|"]
    counted = count_table("kind", {"a": 1, "c": 2, "b": 2}, "n")
    assert counted.splitlines()[2:] == ["| b | 2 |", "| c | 2 |", "| a | 1 |"]


@given(HOSTILE)
@example("```\n# no block any more")
def test_a_block_of_code_holds_all_of_its_text(text: str) -> None:
    tokens = PARSER.parse(fenced(text, "diff"))
    assert [(token.type, token.info) for token in tokens] == [("fence", "diff")]


def test_what_was_spent() -> None:
    totals = {"calls": 5, "cached": 2, "tokens_in": 10, "tokens_out": 3, "usd": 0.1 + 0.2, "unpriced": []}
    expected = {"calls": 5, "tokens_in": 10, "tokens_out": 3, "answers_from_cache": 2, "usd": 0.3}
    assert spent(totals) == expected
    assert spent(totals | {"unpriced": ["m", "n"]}) == expected | {
        "unpriced": "not in usd, since their price is not known: m, n"
    }


def test_owners_are_summed_up() -> None:
    done = {
        "ben": {"new": 1, "seconds": 0.2, "table": Markdown("x"), "set_aside": 0},
        "ana": {"new": 2, "seconds": 0.1, "set_aside": 0},
    }
    summary = summarise(done, {"cyd": "no | space"})
    assert (summary["owners"], summary["owners_held_up"], summary["new"], summary["seconds"]) == (2, 1, 3, 0.3)
    assert summary["set_aside"] == 0 and "table" not in summary
    assert parse(summary["by_owner"])[0] == [["owner", "new", "seconds"], ["ana", "2", "0.1"], ["ben", "1", "0.2"]]
    assert parse(summary["held_up"])[0][1:] == [["cyd", "no | space"]]
    assert summarise({}) == {"owners": 0, "owners_held_up": 0}


def test_what_is_no_count_is_not_added_up() -> None:
    metrics = {
        "ana": {
            "memories": 10,
            "file_entries": 5,
            "graph_to_file_ratio": 2.0,
            "days_in_history": 3,
            "snapshot_kept": True,
        },
        "ben": {
            "memories": 90,
            "file_entries": 15,
            "graph_to_file_ratio": 6.0,
            "days_in_history": 8,
            "snapshot_kept": False,
        },
        "cyd": {"memories": 0, "file_entries": 0, "days_in_history": 1, "snapshot_kept": False},
    }
    summary = summarise(metrics)
    assert (summary["memories"], summary["file_entries"]) == (100, 20)
    assert summary["graph_to_file_ratio"] == 5.0, "100 memories for 20 in the files"
    assert summary["snapshot_kept"] == "for 1 of 3 owners" and "days_in_history" not in summary
    assert parse(summary["least_to_most"])[0][1:] == [["days in history", "1", "3", "8"]]
    shown = parse(summary["by_owner"])[0]
    assert shown[0] == ["owner", "memories", "file entries", "graph to file ratio", "days in history"]
    assert shown[2] == ["ben", "90", "15", "6", "8"]
    values = {"ana": {"memories": 1, "mean_value": 0.9}, "ben": {"memories": 3, "mean_value": 0.1}}
    assert summarise(values)["mean_value"] == 0.3
    drafts = {"ana": {"tokens": 10, "budget": 2000}, "ben": {"tokens": 30, "budget": 5000}}
    summary = summarise(drafts)
    assert summary["tokens"] == 40 and "budget" not in summary
    assert parse(summary["least_to_most"])[0][1:] == [["budget", "2000", "3500", "5000"]]


@given(st.dictionaries(st.text("ab", max_size=3), st.floats(0, 1e6) | st.integers(0, 10**6), min_size=1, max_size=5))
def test_an_average_and_a_range_stay_between_the_least_and_the_most(values: dict[str, float]) -> None:
    names = ("memories", "mean_value", "budget", "new")
    summary = summarise({owner: dict.fromkeys(names, value) for owner, value in values.items()})
    if "mean_value" in summary:
        assert min(values.values()) - 1e-3 <= summary["mean_value"] <= max(values.values()) + 1e-3
    assert summary["new"] == summary["memories"] == pytest.approx(sum(values.values()), abs=1e-5)
    least, median, most = map(float, parse(summary["least_to_most"])[0][1][1:])
    assert least <= median <= most and "budget" not in summary


def test_a_summary_of_a_thousand_owners_is_small() -> None:
    numbers = dict.fromkeys((f"figure_{place}" for place in range(20)), 29) | {"statements": 29}
    summary = summarise({f"user-{place:04}": numbers for place in range(1000)})
    assert summary["statements"] == 29_000 and len(summary["by_owner"]) < 4000
    assert summary["by_owner"].endswith("and 950 more")


def test_a_table_that_must_fit_leaves_out_its_last_rows_and_counts_them() -> None:
    rows = [{"name": "n" * 90} for _ in range(20)]
    table = markdown_table(("name",), rows, fit=IN_PLACE)
    assert len(table) <= IN_PLACE < len(markdown_table(("name",), rows))
    assert table.endswith(f"and {20 - table.count('nnn' * 30)} more")
    assert "n" * 90 in markdown_table(("name",), rows, fit=10)  # one row at least


@pytest.mark.parametrize(
    ("part", "whole", "drawn"),
    [(0, 4, "░░░░"), (1, 4, "█░░░"), (1, 400, "█░░░"), (4, 4, "████"), (9, 4, "████"), (0, 0, "░░░░")],
)
def test_a_bar_shows_a_share_and_never_hides_something(part: int, whole: int, drawn: str) -> None:
    assert bar(part, whole, 4) == drawn
