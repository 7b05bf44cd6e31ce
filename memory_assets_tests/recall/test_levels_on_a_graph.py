"""Storylines and themes of a user's sample inbox, found and opened, from a theme down to a sentence and back up."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any

import dagster as dg
import pytest

from memory_assets.commands import gathering
from memory_assets.commands.context import context_for
from memory_assets.commands.reading import explore_for, open_memory
from memory_assets.commands.sources import recall_for
from memory_assets.context.policy import INDEX, RELEVANT, Asked
from memory_assets.errors import MemoryAssetsError, UnknownReferenceError
from memory_assets.graph.graph import Graph
from memory_assets.memory_file.reports import explain
from memory_assets.model import Granularity
from memory_assets.recall import levels
from memory_assets.recall.exploring import Explored
from memory_assets.recall.search import opened as opened_index
from memory_assets.sources.ingest import ingest_paths
from memory_assets_tests.conftest import owner_for
from memory_assets_tests.support.accesses import fold
from memory_assets_tests.support.house import House
from memory_assets_tests.support.seeds import seed_properties

pytestmark = pytest.mark.graph
STORYLINES, THEMES = Granularity.STORYLINES, Granularity.THEMES
ROOT = Path(__file__).resolve().parents[2]
LIVES = "graph/list_lives"


@pytest.fixture(scope="module")
def house(graph: Graph, tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    with dg.DagsterInstance.ephemeral() as instance:
        made = House(graph, tmp_path_factory.mktemp("levels"), instance, owner_for(__name__))
        ingest_paths(graph, made.user("maya"), [ROOT / "sample_inbox" / "maya"], None, made.settings.clock)
        made.ingest(made.user("ben"), "note.md", "The crane is green.")
        assert made.run("build_memory").success
        yield made


@pytest.fixture
def maya(house: House) -> str:
    return house.user("maya")


def explore(house: House, user: str, question: str, level: Granularity, budget: int = 1500, **more: Any) -> Explored:
    return explore_for(house.graph, house.settings, user, question, level, budget, **more)


def opened(house: House, user: str, ref: str, level: str | None = None) -> dict[str, Any]:
    return open_memory(house.graph, house.settings, user, ref, 4000, level)


def titles(found: Explored) -> list[str]:
    return [card.row["title"] for card in found.packed.cards]


def accesses(house: House, user: str, memory_id: str) -> int:
    fold(house.graph, house.settings, user, house.settings.clock.now())
    return house.graph.read(LIVES, user_id=user, memory_ids=[memory_id])[0]["access_count"]


@pytest.mark.parametrize(
    ("question", "name"),
    [
        ("When was the first cello lesson?", "cello"),
        ("playing a string instrument", "Vårvindar"),  # the tune that she plays: none of these words is in it
    ],
)
def test_the_right_storyline_is_found_by_words_and_by_meaning(
    house: House, maya: str, question: str, name: str
) -> None:
    found = explore(house, maya, question, STORYLINES)
    assert found.matched and found.by_words_alone is None
    assert any(name in one for one in titles(found)[:2])
    assert "cello" in found.packed.text and found.packed.tokens <= 1500


def test_a_storyline_comes_with_its_sources_and_a_theme_with_its_storylines(house: House, maya: str) -> None:
    card = explore(house, maya, "cello", STORYLINES).packed.cards[0]
    assert card.row["source_count"] >= len(card.lines) > 0
    assert all(one.row["kind"] in one.text and one.row["ref"] in one.text for one in card.lines)
    theme = explore(house, maya, "", THEMES).packed.cards[0]
    assert theme.row["storyline_count"] >= len(theme.lines) >= 1
    assert f"[{theme.row['ref']}]" in theme.head


def test_a_question_that_fits_nothing_gives_the_latest_and_says_so(house: House, maya: str) -> None:
    found = explore(house, maya, "xylophone", THEMES)
    assert not found.matched and titles(found) == titles(explore(house, maya, "", THEMES))
    assert explore(house, house.user("ben"), "crane", THEMES).packed.cards == ()


def test_pages_go_on_and_names_bound_what_is_found(house: House, maya: str) -> None:
    every = explore(house, maya, "", STORYLINES, 20_000)
    assert not every.packed.has_more and len(every.packed.cards) > 2
    pages = [explore(house, maya, "", STORYLINES, 250)]
    while pages[-1].packed.has_more:
        pages.append(explore(house, maya, "", STORYLINES, 250, page=len(pages) + 1))
    refs = [card.row["ref"] for page in pages for card in page.packed.cards]
    assert len(pages) > 1 and len(refs) == len(set(refs))
    assert set(refs) <= {one.row["ref"] for one in every.packed.cards}
    of_cello = explore(house, maya, "", STORYLINES, 20_000, about=["CELLO"])
    assert 0 < len(of_cello.packed.cards) < len(every.packed.cards)
    assert all("cello" in f"{one.head} {one.text} {one.lines}".lower() for one in of_cello.packed.cards)
    for level in (STORYLINES, THEMES):
        both = explore(house, maya, "cello", level, about=["cello", "xylophone"])
        assert both.packed.cards == () and not both.matched


def test_the_best_of_what_a_name_bounds_are_found_however_much_is_better(
    house: House, maya: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(levels.rank, "__defaults__", (replace(levels.RULES, most=1),))
    for name in ("cello", "interviews"):
        found = explore(house, maya, "the cello and the interviews", STORYLINES, about=[name])
        assert found.matched and len(found.packed.cards) == 1 and levels.says(found.packed.cards[0], [name])


@pytest.mark.parametrize(("level", "kind"), [(STORYLINES, "storyline"), (THEMES, "theme")])
def test_a_context_tells_what_is_relevant_at_the_level_that_is_asked_for(
    house: House, maya: str, level: Granularity, kind: str
) -> None:
    title = titles(explore(house, maya, "", level))[0]
    asked = Asked(query=title, level=level, session=f"by {level}", budget=3_000)
    beginning = replace(asked, query="", level=Granularity.SAID, tiers=(INDEX,))
    titled = context_for(house.graph, house.settings, maya, beginning)
    assert title in titled["context"], "a title is given, and not yet what stands below it"
    found = context_for(house.graph, house.settings, maya, asked)
    told = [one for one in found["entries"] if one["tier"] == RELEVANT]
    memories = [opened(house, maya, one["ref"]) for one in told]
    assert {one["kind"] for one in memories} == {kind} and told[0]["text"].startswith(title)
    assert all(one["text"] in said["text"] for one, said in zip(memories, told, strict=True))
    assert f"### {level.value.capitalize()}" in found["context"] and found["token_count"] <= 3_000
    again = context_for(house.graph, house.settings, maya, replace(asked, tiers=(RELEVANT,)))
    assert {one["ref"] for one in told}.isdisjoint(one["ref"] for one in again["entries"]), "once a session"
    as_said = context_for(house.graph, house.settings, maya, replace(asked, level=Granularity.SAID))
    kinds = {opened(house, maya, one["ref"])["kind"] for one in as_said["entries"] if one["tier"] == RELEVANT}
    assert kinds and kinds <= {"statement", "source"}
    for words in ("xylophone", f"What does a xylophone cost in {title.split()[0]}?"):
        sure = context_for(house.graph, house.settings, maya, replace(asked, query=words, level=Granularity.SAID))
        found = context_for(house.graph, house.settings, maya, replace(asked, query=words, session=""))
        assert not sure["abstained"] or found["abstained"], "no more is found than by what was said"


def test_a_walk_down_to_a_sentence_and_back_up(house: House, maya: str) -> None:
    theme = opened(house, maya, explore(house, maya, "", THEMES).packed.cards[0].row["ref"])
    storyline = opened(house, maya, theme["storylines"][-1]["ref"])
    source = opened(house, maya, next(row["ref"] for row in storyline["sources"] if row["text"]))
    sentence = opened(house, maya, source["sentences"][0]["ref"])
    assert [one["kind"] for one in (theme, storyline, source, sentence)] == [
        "theme",
        "storyline",
        "source",
        "statement",
    ]
    assert source["context"]["text"]
    assert theme["ref"] in {row["ref"] for row in storyline["part_of"]}
    assert storyline["ref"] in {row["ref"] for row in source["part_of"]}
    assert source["ref"] in {row["ref"] for row in sentence["sources"]}
    beside = [row["ref"] for row in source["sentences"] if row["ref"] != sentence["ref"]]
    assert [row["ref"] for row in sentence["after"]] == beside[:3] and sentence["before"] == []
    full = opened(house, maya, sentence["ref"], "full")
    assert full["kind"] == "source" and full["context"]["level"] == "full"
    (anchor,) = theme["about"]
    name = opened(house, maya, anchor["ref"])
    assert theme["ref"] in {row["ref"] for row in name["themes"]} and name["storylines"]


def test_each_level_counts_as_accessed(house: House, maya: str) -> None:
    for level in (STORYLINES, THEMES):
        card = explore(house, maya, "cello", level).packed.cards[0]
        before = [accesses(house, maya, one) for one in (card.row["id"], card.lines[0].row["id"])]
        explore(house, maya, "cello", level)
        assert [accesses(house, maya, one) for one in (card.row["id"], card.lines[0].row["id"])] == [
            n + 1 for n in before
        ]
    theme = explore(house, maya, "", THEMES).packed.cards[0].row
    storyline = opened(house, maya, theme["ref"])["storylines"][0]
    source = opened(house, maya, storyline["ref"])["sources"][0]
    sentence = opened(house, maya, source["ref"])["sentences"][0]
    for one in (theme, storyline, source, sentence):
        before = accesses(house, maya, one["id"])
        opened(house, maya, one["ref"])
        assert accesses(house, maya, one["id"]) == before + 1


def test_somebody_elses_references_are_not_found(house: House, maya: str) -> None:
    theme = explore(house, maya, "", THEMES).packed.cards[0].row
    storyline = opened(house, maya, theme["ref"])["storylines"][0]
    source = opened(house, maya, storyline["ref"])["sources"][0]
    for ref in (theme["ref"], storyline["ref"], source["ref"], source["id"], "123456789"):
        with pytest.raises(UnknownReferenceError, match="Nothing of"):
            opened(house, house.user("ben"), ref)


def test_a_budget_that_cannot_be_is_said(house: House, maya: str) -> None:
    with pytest.raises(MemoryAssetsError, match="budget of 10"):
        explore(house, maya, "cello", STORYLINES, 10)


def test_what_has_no_room_is_not_taken_for_nothing(house: House, maya: str) -> None:
    for question in ("cello", "xylophone"):
        found = explore(house, maya, question, STORYLINES, 25)
        assert found.packed.cards == () and found.chosen
    assert explore(house, maya, "cello", STORYLINES, days=(date(2030, 1, 1), None)).chosen == 0


def test_the_index_can_be_removed(house: House, maya: str) -> None:
    first = titles(explore(house, maya, "cello", STORYLINES))
    for path in (house.settings.home / "recall").glob(f"{maya}.*"):
        path.unlink()
    assert titles(explore(house, maya, "cello", STORYLINES)) == first != []


@pytest.mark.parametrize("level", [STORYLINES, THEMES])
def test_what_is_archived_is_found_when_it_is_asked_for_and_is_back_then(
    house: House, maya: str, level: Granularity
) -> None:
    card = explore(house, maya, "cello", level).packed.cards[0].row
    seed_properties(house.graph, maya, card["id"], state="archived")
    assert card["ref"] not in explore(house, maya, "cello", level).packed.text
    assert opened(house, maya, card["ref"])["is_archived"]
    assert f"(archived) [{card['ref']}]" in explore(house, maya, "cello", level, archived=True).packed.text
    fold(house.graph, house.settings, maya, house.settings.clock.now())
    assert card["ref"] in explore(house, maya, "cello", level).packed.text


def test_an_archived_statement_is_recalled_when_it_is_asked_for(house: House, maya: str) -> None:
    def said(**more: bool) -> str:
        found, _ = recall_for(house.graph, house.settings, maya, "cello choir Tuesdays", 1500, **more)
        return found.recalled.text

    source = explore(house, maya, "cello", STORYLINES).packed.cards[0].lines[0].row
    sentences = opened(house, maya, source["ref"])["sentences"]
    fold(house.graph, house.settings, maya, house.settings.clock.now())
    head = f"[{source['ref']}]"
    assert head in said(archived=True)
    fold(house.graph, house.settings, maya, house.settings.clock.now())
    for sentence in sentences:
        seed_properties(house.graph, maya, sentence["id"], state="archived")
    before, after = said(), said(archived=True)
    flat = [" ".join(row["text"].split()) for row in sentences]
    assert not any(text in before for text in flat) and any(text in after for text in flat)
    ref = sentences[0]["ref"]
    assert explain(house.graph, maya, ref)["sources"], "explain reaches it"
    fold(house.graph, house.settings, maya, house.settings.clock.now())
    assert any(text in said() for text in flat), "asking brought it back"


def test_the_topics_of_a_context_are_what_recall_answers_and_others_are_not_named(house: House, maya: str) -> None:
    found = context_for(house.graph, house.settings, maya, Asked(budget=20_000))
    topics = {one["ref"] for one in found["entries"] if one["tier"] == INDEX}
    assert len(topics) >= 5 and {one["why"] for one in found["entries"] if one["tier"] == INDEX} == {
        "recall answers it"
    }
    rows = [
        row
        for level in ("recall/list_macros", "recall/list_storylines")
        for row in house.graph.read(level, user_id=maya, with_archived=False)
    ]
    for row in rows:
        recalled = recall_for(house.graph, house.settings, maya, row["title"], 500)[0].recalled
        if row["ref"] in topics:
            assert recalled.passages and not recalled.abstained
            topics.remove(row["ref"])
    assert not topics
    answered = gathering._answered(opened_index(house.settings.home, maya), ["zebra rugby cup", "Halden Strings"])
    assert answered == {"Halden Strings"}
