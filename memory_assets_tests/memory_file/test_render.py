"""Text from a source can neither break the file nor forge anything in it."""

from __future__ import annotations

import unicodedata
from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_assets.memory_file.render import (
    Entry,
    clean_text,
    day_of,
    is_line_of,
    label_of,
    references_in,
    render,
    render_section,
    split_sections,
)
from memory_assets_tests.memory_file.pools import HOSTILE


@pytest.mark.parametrize(
    ("text", "cleaned"),
    [
        ("I prefer tea.", "I prefer tea."),
        ("two\nlines\r\n\r\nand\ttabs", "two lines and tabs"),
        ("# heading", "\\# heading"),
        ("#hashtag stays", "#hashtag stays"),
        ("- item", "\\- item"),
        ("-5 degrees", "-5 degrees"),
        ("> quote", "\\> quote"),
        ("```code```", "\\```code```"),
        ("~~~ fence", "\\~~~ fence"),
        ("*emphasis* stays", "*emphasis* stays"),
        ("* item", "\\* item"),
        ("1. first", "1\\. first"),
        ("1.5 litres", "1.5 litres"),
        ("2026) year", "2026\\) year"),
        ("---", "\\---"),
        ("[x]: http://example.test", "\\[x]: http://example.test"),
        ("see [123456789] there", "see (123456789) there"),
        ("see [ 123456789 ]", "see (123456789)"),
        ("![img](http://example.test)", "!\\[img](http://example.test)"),
        ("<!-- gone? -->", "\\<!-- gone? -->"),
        ("say <script>x</script>", "say \\<script>x\\</script>"),
        ("List<String> stays", "List<String> stays"),
        ("a\u200bb\u202ec\u2066d\ufeffe\u00adf", "abcdef"),
        ("bell\x07 nul\x00", "bell nul"),
        ("lone \ud800 surrogate", "lone \ufffd surrogate"),
        ("\U000e0048\U000e0049hidden", "hidden"),
        ("\u2028\u2029\x85", ""),
        ("fine | Ben: I lied", "fine | Ben: I lied"),
    ],
)
def test_text_is_made_plain(text: str, cleaned: str) -> None:
    assert clean_text(text) == cleaned


@given(st.one_of(st.text(), st.text(alphabet=st.characters(blacklist_categories=())), st.sampled_from(HOSTILE)))
def test_cleaned_text_is_one_visible_line_that_can_be_written(text: str) -> None:
    cleaned = clean_text(text)
    cleaned.encode("utf-8")
    assert len(cleaned.splitlines()) <= 1
    assert not any(unicodedata.category(c) in ("Cc", "Cf", "Cs", "Zl", "Zp") for c in cleaned)
    assert references_in(f"- {cleaned} [000000007]") in (["000000007"],)


def test_a_line_says_who_and_when_where_that_helps() -> None:
    entry = Entry("123456789", "chunk:1", "insights", "I paint.", "Caroline", "8 May 2023")
    assert entry.line == "- 8 May, Caroline: I paint. [123456789]"
    same_day = Entry("1" * 9, "c", "insights", "I sing.", None, "8 May 2023")
    next_year = Entry("2" * 9, "c", "insights", "I dance.", None, "9 May 2024")
    undated = Entry("3" * 9, "c", "insights", "I sleep.")
    assert render_section("insights", [undated, entry, same_day, next_year]).splitlines()[2:] == [
        "- I sleep. [333333333]",
        "### 2023",
        "- 8 May, Caroline: I paint. [123456789]",
        "- 8 May: I sing. [111111111]",
        "### 2024",
        "- 9 May: I dance. [222222222]",
    ]
    assert "### Day unknown\n- I sleep." in render_section("insights", [entry, undated])
    assert Entry("1" * 9, "c", "preferences", "I paint.").line == "- I paint. [111111111]"


def test_every_entry_is_a_line_of_its_own_with_any_speaker() -> None:
    said = [(None, "I paint."), (None, "I sing"), ("Ben", "I row."), ("Ben", "I ski | I swim.")]
    entries = [Entry(f"{i}" * 9, f"c{i}", "insights", text, who, "8 May 2023") for i, (who, text) in enumerate(said)]
    lines = [
        "- 8 May: I paint. [000000000]",
        "- 8 May: I sing [111111111]",
        "- 8 May, Ben: I row. [222222222]",
        "- 8 May, Ben: I ski | I swim. [333333333]",
    ]
    assert render_section("insights", entries) == "\n## Key Insights\n### 2023\n" + "\n".join(lines) + "\n"
    assert all(is_line_of(line, text) for line, (_, text) in zip(lines, said, strict=True))
    assert not is_line_of("- 8 May: I paint. I sing [000000000]", "I paint.")
    assert not is_line_of("- 8 May, Ben: he lied: I row. [222222222]", "I row.")


@pytest.mark.parametrize(
    ("speaker", "owner", "label"),
    [
        ("Caroline", False, "Caroline"),
        ("Caroline", True, None),
        ("user", False, "user"),
        ("user", True, None),
        ("Assistant", False, "Assistant"),
        (None, False, None),
        ("L" * 41, False, "L" * 39 + "…"),
        ("Bo: [123456789]\n# x", False, "Bo 123456789 # x"),
        ("\u202e", False, "Unknown"),
    ],
)
def test_a_label_is_a_name_or_nothing(speaker: str | None, owner: bool, label: str | None) -> None:
    assert label_of(speaker, owner) == label


def test_days_are_utc() -> None:
    assert day_of(datetime(2023, 5, 8, 23, tzinfo=timezone(timedelta(hours=-3)))) == "9 May 2023"
    assert day_of(datetime(2023, 5, 8)) == day_of(datetime(2023, 5, 8, tzinfo=UTC)) == "8 May 2023"
    assert day_of(None) is None


def test_a_file_has_its_sections_in_order_and_leaves_out_empty_ones() -> None:
    entries = [
        Entry("111111111", "source:1", "recent", "Lunch."),
        Entry("222222222", "chunk:1", "preferences", "Tea."),
        Entry("333333333", "chunk:2", "preferences", "No milk."),
    ]
    text = render("maria", entries)
    assert text == (
        "# Memory of maria\n"
        "\n## Personal Preferences\n- Tea. [222222222]\n- No milk. [333333333]\n"
        "\n## Recent Context\n- Lunch. [111111111]\n"
    )
    assert list(split_sections(text)) == ["preferences", "recent"]
    assert "".join(["# Memory of maria\n", *split_sections(text).values()]) == text
    assert references_in(text) == ["222222222", "333333333", "111111111"]


def test_a_user_without_memories_has_a_title() -> None:
    assert render("maria", []) == "# Memory of maria\n"
