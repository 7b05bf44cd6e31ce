"""Words that are said again as they stand."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from memory_assets.text.repeating import Said

SINCE = datetime(2026, 11, 5, 9, tzinfo=UTC)
TEA, CHINESE = "Alex drinks tea, never coffee.", "我们决定使用港口数据库。"


@pytest.mark.parametrize(
    ("text", "repeats"),
    [
        (TEA, True),
        ("- Alex drinks *tea*,  never coffee", True),
        ("Alex drinks tea, never coffee [482915037].", True),
        ("- [482915037] Alex drinks tea, never coffee.", True),
        ("- [482915037] 12 Oct, Alex: Alex drinks tea, never coffee.", True),
        ("- [482915037] 12 October 2026: Alex drinks tea, never coffee.", True),
        (CHINESE, True),
        # A word or a sign more, before or between, says something else.
        ("Reverted: Alex drinks tea, never coffee.", False),
        ("[482915037] Reverted: Alex drinks tea, never coffee.", False),
        ("I doubt that Alex drinks tea, never coffee.", False),
        ("Alex used to drink tea, never coffee.", False),
        ("Alex drinks tea, never coffee, from Tirol.", False),
        ("Alex drinks tea, never coffee?", False),
        ("A reply takes > 50 ms in C#.", False),
        ("记得我们决定使用港口数据库。", False),
        ("[482915037]", False),
        ("", False),
    ],
)
def test_the_same_words_alone_are_the_same(text: str, repeats: bool) -> None:
    said = Said()
    said.add(SINCE, TEA, None, CHINESE, "A reply takes < 50 ms in C++.")
    assert said.has(text, SINCE) is repeats
    assert not said.has(text, SINCE - timedelta(seconds=1)), "it was not said yet"


def test_the_first_time_counts() -> None:
    said = Said()
    for days in (3, 1, 2):
        said.add(SINCE + timedelta(days=days), TEA)
    assert said.has(TEA, SINCE + timedelta(days=1)) and not said.has(TEA, SINCE)
