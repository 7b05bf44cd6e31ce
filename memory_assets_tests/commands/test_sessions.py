"""What left a working memory is found by a question, with the numbers by which its turns come back."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import pytest

from memory_assets.commands.sessions import find_left, readable, recall_into
from memory_assets.commands.sources import remove_source, restore_source
from memory_assets.keys.policy import Caller, Scope
from memory_assets.server.operations import Operations
from memory_assets.sessions.working_memory import Sessions
from memory_assets.sources.process import process_sources
from memory_assets.sources.source_list import lines, list_heads
from memory_assets_tests.sessions.turns import CLOCK, RULES, turn
from memory_assets_tests.support.house import House


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


@pytest.mark.graph
def test_a_working_memory_shows_nothing_recalled_that_may_no_longer_be_read(house: House) -> None:
    graph, settings, nora = house.graph, house.settings, house.user("nora")
    house.ingest(nora, "home.md", "I live in Boston.")
    house.ingest(nora, "cello.md", "I play the cello in Boston.")
    language = house.models.language_for("processed_sources")
    assert process_sources(graph, nora, language, house.models.embedder, settings.clock)
    sessions = Sessions.of(settings)
    sessions.add(nora, "s", [turn("user", "Where do I live?", 0)])
    assert recall_into(graph, settings, nora, "s", "I live in Boston and play the cello.")["refs"]
    of_agent = Caller(nora, "codex", frozenset(Scope))

    def shown() -> list[set[str]]:
        may_read = partial(readable, graph, nora)
        texts = sessions.text(nora, "s", may_read)
        looked = (
            sessions.look(nora, "s", may_read)["recalled"],
            Operations(graph, settings).session(of_agent, "s")["retrieved"],
        )
        return [{row["text"] for row in rows} for rows in looked] + [
            {text for text in ("I live in Boston.", "I play the cello in Boston.") if text in texts}
        ]

    assert shown() == [{"I live in Boston.", "I play the cello in Boston."}] * 3
    ids = {Path(line["path"]).name: line["id"] for line in lines(graph, list_heads(graph, [nora], nora))}
    home = ids["home.md"]
    assert remove_source(graph, settings.clock, nora, home)
    assert shown() == [{"I play the cello in Boston."}] * 3
    restore_source(graph, settings.clock, nora, home)
    assert shown() == [{"I live in Boston.", "I play the cello in Boston."}] * 3
