"""What left a working memory is found by a question, with the numbers by which its turns come back."""

from __future__ import annotations

from pathlib import Path

from memory_assets.commands.sessions import find_left
from memory_assets.sessions.working_memory import Sessions
from memory_assets_tests.sessions.turns import CLOCK, RULES, turn


def test_what_left_is_found_by_a_question_within_the_budget(tmp_path: Path) -> None:
    sessions = Sessions(tmp_path, CLOCK, RULES)
    said = [f"We talked about the harbor and the {number} boats in it, at length." for number in range(120)]
    said[3] = "The marmalade recipe needs 900 grams of sugar."
    sessions.add("maya", "s", [turn("user", text, 60 * number) for number, text in enumerate(said)])
    found = find_left(sessions, "maya", "s", "How much sugar does the marmalade need?", 200)
    turns = {row.turn for _, rows in found.passages for row in rows}
    assert 3 in turns and "- user [3]: The marmalade recipe" in found.text and found.tokens <= 200
    assert found.text.splitlines()[0] == "2026-05-03", "a day, and not the session that was asked for"
    assert sessions.back("maya", "s", ["3"])[0]["content"] == said[3]
    assert not find_left(sessions, "maya", "s", "zebra", 200).text
