"""Recall on a running graph: what is found, what is touched, whose it is, and an index that only follows."""

from __future__ import annotations

import json
import re
import shutil
import time
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory_assets.automation.pipeline import what_is_due
from memory_assets.commands.context import context_for
from memory_assets.commands.sources import recall_for
from memory_assets.context.policy import Asked
from memory_assets.entities.people import Names
from memory_assets.errors import MemoryAssetsError
from memory_assets.graph.graph import Graph
from memory_assets.graph.owners import MARK, readable_owners, stage_made
from memory_assets.recall.index import IndexFileError, PassageIndex, SourceText, Span
from memory_assets.recall.policy import RULES, Passage, RecallRules
from memory_assets.recall.search import LOOK_EVERY, Recall, bring_up_soon, bring_up_to_date, index_path, opened
from memory_assets.runtime.marks import BEGUN
from memory_assets_tests.support.accesses import fold
from memory_assets_tests.support.house import NOW, House
from memory_assets_tests.support.seeds import living_statements, seed_properties, seed_readers

pytestmark = pytest.mark.graph
TALK = [
    ("Nora", "Where did we leave the ladder of the lighthouse?"),
    ("Ben", "It lies behind the boathouse, under the blue sheet."),
    ("Nora", "Good. And I paid 240 euros for the new lens in Skagness."),
]


def talk(turns: list[tuple[str, str]] = TALK, day: str = "2026-05-08") -> str:
    return "\n".join(
        json.dumps(
            {
                "role": "user" if name == "Nora" else "assistant",
                "name": name,
                "content": text,
                "timestamp": f"{day}T10:0{n}:00Z",
                "conversation_id": day,
            }
        )
        for n, (name, text) in enumerate(turns)
    )


def ask(house: House, user: str, question: str, budget: int = 500) -> tuple[Recall, tuple[str, ...]]:
    return recall_for(house.graph, house.settings, user, question, budget)


def texts(answered: tuple[Recall, tuple[str, ...]]) -> list[str]:
    return [row.text for _, rows in answered[0].recalled.passages for row in rows]


def test_an_answer_is_found_by_the_question_before_it_and_counts_as_accessed(house: House) -> None:
    nora = house.user("nora")
    house.ingest(nora, "talk.jsonl", talk())
    house.ingest(nora, "other.md", "The garden has apples and a hedge that nobody cuts.")
    assert house.run("build_memory").success
    answered = ask(house, nora, "ladder of the lighthouse")
    assert TALK[1][1] in texts(answered)
    assert "2026-05-08" in answered[0].recalled.text
    assert house.due(nora) == [], "being asked writes nothing into the graph"
    assert what_is_due(house.graph, house.settings, [nora]) == {nora: "accesses are to be counted."}
    assert house.run("build_memory").success
    rows = living_statements(house.graph, nora)
    counted = {row["text"]: row["access_count"] for row in rows}
    (paid,) = [text for text in counted if "240 euros" in text]
    assert counted[paid] == 1
    ask(house, nora, "euros for the lens")
    assert house.run("update_memory").success
    rows = living_statements(house.graph, nora)
    assert {row["text"]: row["access_count"] for row in rows}[paid] == 2
    assert what_is_due(house.graph, house.settings, [nora]) == {}


def test_first_words_are_no_title_of_what_comes_after(house: House) -> None:
    nora = house.user("nora")
    house.ingest(nora, "talk.jsonl", talk())
    house.ingest(nora, "lens.md", "# The lens\n\nIt came from Bergen.\n\nThe lighthouse paid 240 euros for the lens.")
    assert house.run("build_memory").success
    (recalled, _) = ask(house, nora, "240 euros for the lens")
    heads = [line for line in recalled.recalled.text.splitlines() if line and not line.startswith("- ")]
    assert any(re.fullmatch(r"2026-05-08 \[\d{9}\]", one) for one in heads), heads
    assert any("note: The lens" in one for one in heads), heads
    given = context_for(house.graph, house.settings, nora, Asked(query="240 euros for the lens"))["context"]
    assert re.search(r"^### 2026-05-08 \[\d{9}\]$", given, re.MULTILINE), given


def test_a_reference_gives_what_was_said_around_it(house: House) -> None:
    nora = house.user("nora")
    house.ingest(nora, "talk.jsonl", talk())
    assert house.run("build_memory").success
    (entry, *_) = [
        row
        for row in house.graph.read("memory_file/list_considered", user_id=nora, user_ids=[nora])
        if row["section"] == "insights"
    ]
    answered = ask(house, nora, f"[{entry['ref']}]")
    assert TALK[1][1] in texts(answered)
    assert ask(house, house.user("eve"), entry["ref"])[0].recalled.passages == ()


def test_a_teams_source_that_recall_touches_is_extracted_then_for_whom_it_was_found(house: House) -> None:
    ana, ben, eve = (house.user(name) for name in ("ana", "ben", "eve"))
    team = house.team("harbour", ana, ben)
    house.ingest(team, "plan.md", "The harbour gets a new crane from Hamburg in autumn.")
    house.ingest(team, "shed.md", "The shed gets a new door.")
    house.ingest(ana, "own.md", "Apples are sorted by colour.")
    assert house.run("build_memory").success
    assert house.due(ana) == []
    answered = ask(house, ana, "crane from Hamburg")
    assert len(answered[1]) == 1 and any("crane" in text for text in texts(answered))
    assert house.due(ana) == ["extracted_entities"] and house.due(ben) == []
    assert ask(house, ana, "crane from Hamburg")[1] == (), "wanted once"
    assert texts(ask(house, eve, "crane from Hamburg")) == []
    assert house.run("build_memory").success
    said = [row["text"] for row in living_statements(house.graph, ana)]
    assert any("crane" in text for text in said) and not any("door" in text for text in said)


def test_the_index_follows_the_graph_and_can_be_removed(house: House) -> None:
    nora = house.user("nora")
    house.ingest(nora, "talk.jsonl", talk())
    assert house.run("build_memory").success
    first = texts(ask(house, nora, "lens Skagness"))
    path = index_path(house.settings.home, nora)
    assert path.stat().st_mode & 0o077 == 0
    shutil.rmtree(path)
    assert texts(ask(house, nora, "lens Skagness")) == first != []
    house.ingest(nora, "more.jsonl", talk([("Nora", "The second lens came from Bergen by train.")], "2026-06-01"))
    assert house.run("build_memory").success
    assert any("Bergen" in text for text in texts(ask(house, nora, "lens Bergen")))


def test_while_a_run_is_at_work_the_sources_are_looked_at_every_few_seconds(house: House) -> None:
    nora = house.user("nora")
    house.ingest(nora, "talk.jsonl", talk())
    house.ingest(nora, "other.md", "The lens of the garden camera is broken.")
    assert house.run("process_sources").success
    passages = opened(house.settings.home, nora)
    house.graph.write_together([stage_made(nora, f"{MARK}processed_sources", f"x{BEGUN}", NOW)])
    assert len(ask(house, nora, "lens")[0].recalled.passages) == 2
    mark, looked_at = passages.mark()
    assert mark and mark.endswith(BEGUN) and time.monotonic() - looked_at < LOOK_EVERY
    first, second = sorted(passages.marks())
    passages.replace({}, [first])
    assert [head.id for head, _ in ask(house, nora, "lens")[0].recalled.passages] == [second], "it was just now"
    passages.set_mark(mark, looked_at - LOOK_EVERY)
    assert len(ask(house, nora, "lens")[0].recalled.passages) == 2
    passages.replace({}, [first])
    house.ingest(nora, "third.md", "The lens of the microscope is broken.")
    assert len(ask(house, nora, "lens")[0].recalled.passages) == 2, "something came in: all are looked at"


def test_an_index_that_another_has_made_anew_is_not_made_again(house: House) -> None:
    nora = house.user("nora")
    house.ingest(nora, "talk.jsonl", talk())
    assert house.run("process_sources").success
    owners = readable_owners(house.graph, nora)
    late, first = (
        PassageIndex(index_path(house.settings.home, nora)),
        PassageIndex(index_path(house.settings.home, nora)),
    )
    late.begin()
    first.clear()
    assert bring_up_to_date(house.graph, first, owners) == 1
    assert late.mark() == (None, 0), "it still has the file of before open"
    assert bring_up_to_date(house.graph, late, owners) == 0, "which is up to date"
    assert late.mark() == first.mark() and not first.is_gone() and set(late.marks()) == set(first.marks())
    late.close()
    first.close()


def test_who_has_a_deadline_waits_no_longer_than_that_and_one_thread_brings_the_index_up_to_date(house: House) -> None:
    nora = house.user("nora")
    house.ingest(nora, "talk.jsonl", talk())
    assert house.run("process_sources").success
    passages, owners = opened(house.settings.home, nora), readable_owners(house.graph, nora)
    with passages.lock():  # somebody else is at it
        bring_up_soon(house.graph, passages, owners, 0.05)
        bring_up_soon(house.graph, passages, owners, 0.05)
        assert not passages.marks()
    assert bring_up_soon(house.graph, passages, owners, 150_000)
    assert len(passages.marks()) == 1
    assert len(ask(house, nora, "lens")[0].recalled.passages) == 1


def test_what_was_recalled_outlives_its_sources_but_stands_in_no_file(house: House) -> None:
    nora = house.user("nora")
    house.ingest(nora, "talk.jsonl", talk())
    assert house.run("build_memory").success
    ask(house, nora, "lens Skagness")
    fold(house.graph, house.settings, nora, house.settings.clock.now())
    (source,) = house.graph.read("recall/list_sources", user_ids=[nora])
    said = living_statements(house.graph, nora)
    assert any(row["access_count"] for row in said)
    house.graph.write("curation/retire_statements", [{"source_id": source["id"], "kept_ids": []}], user_id=nora)
    assert living_statements(house.graph, nora) == []


@pytest.mark.parametrize(
    ("question", "budget", "says"), [("  ", 500, "nothing to search"), ("lamp", 10, "budget of 10")]
)
def test_what_cannot_be_asked_is_said(house: House, question: str, budget: int, says: str) -> None:
    with pytest.raises(MemoryAssetsError, match=says):
        ask(house, house.user("nora"), question, budget)


def test_a_file_that_is_no_index_is_named_with_what_to_do(tmp_path: Path) -> None:
    (tmp_path / "passages.sqlite3").write_text("no database " * 200)
    with pytest.raises(IndexFileError, match="remove it"):
        PassageIndex(tmp_path).marks()


def test_an_index_whose_words_are_missing_is_named_with_what_to_do(tmp_path: Path) -> None:
    made = PassageIndex(tmp_path)
    made.replace(sources({"s1": ["the lamp"]}))
    shutil.rmtree(tmp_path / "words")
    with pytest.raises(IndexFileError, match="remove it"):
        PassageIndex(tmp_path).search("lamp")


WORDS = st.sampled_from("lamp mast crane apple hedge ladder lens harbour".split())
SOURCES = st.dictionaries(
    st.sampled_from(["s1", "s2", "s3"]),
    st.lists(st.lists(WORDS, min_size=1, max_size=4).map(" ".join), min_size=1, max_size=5),
)


@settings(max_examples=30)
@given(st.lists(SOURCES, min_size=1, max_size=4), WORDS)
def test_an_index_of_any_history_finds_what_a_new_one_finds(
    tmp_path_factory: Any, states: list[dict[str, list[str]]], word: str
) -> None:
    folder = tmp_path_factory.mktemp("index")
    grown, fresh = PassageIndex(folder / "grown"), PassageIndex(folder / "fresh")
    for state in states:
        grown.replace(sources(state), sorted(grown.marks().keys() - state.keys()))
    fresh.replace(sources(states[-1]))
    few = RecallRules(all_of=0)
    for rules in (RULES, few):
        assert grown.search(word, rules=rules) == fresh.search(word, rules=rules)
    assert {one.text for one in grown.search(word, rules=few).found} >= {
        text for said in states[-1].values() for text in said if word in text
    }
    assert grown.marks() == fresh.marks()
    grown.close()
    fresh.close()


def sources(state: dict[str, list[str]]) -> dict[str, SourceText]:
    return {
        key: SourceText(repr(said), None, [Passage(n, None, None, text) for n, text in enumerate(said)])
        for key, said in state.items()
    }


def test_what_is_archived_is_found_when_it_is_asked_for(house: House) -> None:
    nora = house.user("nora")
    house.ingest(nora, "talk.jsonl", talk())
    house.ingest(nora, "more.jsonl", talk([("Nora", "The second lens came from Bergen.")], "2026-06-01"))
    assert house.run("process_sources").success
    first, *_ = [row for row in house.graph.read("recall/list_sources", user_ids=[nora]) if "/2026-05" in row["mark"]]
    seed_properties(house.graph, nora, first["id"], state="archived")

    def days(question: str, **more: bool) -> set[str | None]:
        found, _ = recall_for(house.graph, house.settings, nora, question, 500, **more)
        return {head.id for head, _ in found.recalled.passages}

    assert first["id"] not in days("lens") != set()
    assert first["id"] in days("lens", archived=True)
    with pytest.raises(MemoryAssetsError):
        recall_for(house.graph, house.settings, nora, " ", 500)


def test_a_mark_tells_that_nothing_has_changed_and_the_graph_what_may_be_read(house: House) -> None:
    nora = house.user("nora")
    house.ingest(nora, "talk.jsonl", talk())
    house.ingest(nora, "other.md", "The lens of the garden camera is broken.")
    assert house.run("process_sources").success
    assert len(ask(house, nora, "lens")[0].recalled.passages) == 2
    passages = opened(house.settings.home, nora)
    first, second = sorted(passages.marks())
    passages.replace({}, [first])
    found = ask(house, nora, "lens")[0].recalled.passages
    assert [head.id for head, _ in found] == [second], "no source was read"
    passages.set_mark("")
    assert {head.id for head, _ in ask(house, nora, "lens")[0].recalled.passages} == {first, second}
    seed_readers(house.graph, nora, first, ["nobody"])
    assert [head.id for head, _ in ask(house, nora, "lens")[0].recalled.passages] == [second], "whatever the index has"


def test_what_fits_nothing_is_said_so_and_thorough_shows_what_there_is(house: House) -> None:
    nora = house.user("nora")
    house.ingest(nora, "talk.jsonl", talk())
    assert house.run("process_sources").success
    foreign = "Which violin did Caroline buy in Paris for her daughter's wedding?"
    found, _ = ask(house, nora, foreign)
    assert found.recalled.abstained and found.recalled.tokens <= 200 and found.retrieved == ()
    whole, _ = recall_for(house.graph, house.settings, nora, foreign, 500, thorough=True)
    assert not whole.recalled.abstained and len(texts((whole, ()))) == len(TALK)


NOTES = {
    "goats.md": "# Goats\n\nTilly gets 200 g of oats every evening.\n\nThe vet wants 75 pounds a visit.\n",
    "boiler.md": "# House\n\n## Boiler\n\nThe pressure is right at 1.4 bar.\n\nThe spare key hangs in the shed.\n",
    "trip.md": "# Porto\n\nThe flight leaves on Saturday at 6:55.\n\nRuth next door looks after the hens.\n",
    "class.md": "# Language class\n\nThursdays at 20:15 by video, no longer Tuesdays.\n\nThe exam costs 90 euros.\n",
}
"""What somebody writes down: no word of who speaks."""
ASKED = [
    ("When does Petra have her language class?", "Thursdays at 20:15"),
    ("How much grain does the goat get?", "200 g of oats"),
    ("What should the boiler pressure be?", "1.4 bar"),
    ("Who looks after the chickens?", "Ruth next door"),
    ("What does a visit of the vet cost Petra?", "75 pounds"),
]
FOREIGN = [
    "Which resin did I use for the hull of the kayak?",
    "How many chapters of the dissertation has Professor Achterberg read?",
    "Which telescope eyepiece did I lend to the astronomy club?",
    "When is the band's next rehearsal in the cellar?",
]


def test_a_few_notes_answer_what_they_can_and_say_when_they_cannot(house: House) -> None:
    petra = house.user("petra")
    Names(house.graph, house.settings.clock, petra).set_profile("Petra Holm", ["petra@example.org"])
    for name, text in NOTES.items():
        house.ingest(petra, name, text)
    assert house.run("process_sources").success
    for question, answer in ASKED:
        found, _ = ask(house, petra, question)
        assert not found.recalled.abstained and answer in found.recalled.text, question
    assert all(not text.startswith("#") or len(text.split()) > 4 for text in texts(ask(house, petra, "boiler")))
    assert [ask(house, petra, question)[0].recalled.abstained for question in FOREIGN] == [True] * len(FOREIGN)
    first = texts(ask(house, petra, ASKED[0][0]))[0]
    assert first == texts(ask(house, petra, ASKED[0][0].replace("Petra", "she")))[0], "the name finds nothing else"


def test_an_edited_page_shows_the_same_words_once(house: House) -> None:
    petra = house.user("petra")
    house.ingest(petra, "goats.md", NOTES["goats.md"])
    house.ingest(petra, "goats.md", NOTES["goats.md"] + "\nTilly limps on the left.\n")
    assert house.run("process_sources").success
    found, _ = recall_for(house.graph, house.settings, petra, "oats for Tilly", 500, thorough=True)
    shown = texts((found, ()))
    assert any("limps" in text for text in shown) and sum("200 g of oats" in text for text in shown) == 1
    seen: list[str] = []
    for page in range(1, 6):
        found, _ = recall_for(house.graph, house.settings, petra, "oats for Tilly", 60, thorough=True, page=page)
        seen += texts((found, ()))
    assert sorted(seen) == sorted(shown)


def test_a_name_that_nobody_said_is_likely_another(house: House) -> None:
    nora = house.user("nora")
    house.ingest(nora, "talk.jsonl", talk())
    assert house.run("process_sources").success
    found, _ = recall_for(house.graph, house.settings, nora, "the lens", 500, span=Span(about=("Skagnes",)))
    assert found.recalled.passages == () and found.meant == ("Skagness",)
    found, _ = recall_for(house.graph, house.settings, nora, "the lens", 500, span=Span(about=("Quentin",)))
    assert found.meant == ()
    found, _ = recall_for(house.graph, house.settings, nora, "the lens", 500, span=Span(about=("Skagness",)))
    assert found.recalled.passages and found.meant == ()


def test_only_a_name_that_would_be_shown_is_likely_meant(house: House) -> None:
    nora = house.user("nora")
    house.ingest(nora, "talk.jsonl", talk())
    house.ingest(nora, "later.jsonl", talk([("Nora", "The boat to Skagnis leaves at six.")], "2026-06-01"))
    assert house.run("process_sources").success

    def meant(**asked: Any) -> set[str]:
        span = Span(**{"about": ("Skagnes",)} | {name: asked.pop(name) for name in ("since", "until") if name in asked})
        return set(recall_for(house.graph, house.settings, nora, "the lens", 500, span=span, **asked)[0].meant)

    assert meant() == {"Skagness", "Skagnis"}
    assert meant(as_of=date(2026, 5, 20)) == meant(until=date(2026, 5, 20)) == {"Skagness"}
    assert meant(since=date(2026, 5, 20)) == {"Skagnis"}
    assert meant(until=date(2026, 4, 1)) == set()
    found, _ = recall_for(house.graph, house.settings, nora, "boat", 500, span=Span(about=("Skagnis",)))
    ((head, _),) = found.recalled.passages
    seed_properties(house.graph, nora, head.id, state="archived")
    assert meant() == {"Skagness"} and meant(archived=True) == {"Skagness", "Skagnis"}


def test_no_more_is_looked_at_than_fits_with_the_heads_of_its_sources(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    nora, budget = house.user("nora"), 1500
    for n in range(70):
        house.ingest(nora, f"{n}.md", f"The lantern of the boat at pier {n} is lit at {n % 12} in the evening.")
    assert house.run("update_memory").success
    looked: list[int] = []
    read = Graph.read

    def counted(graph: Graph, name: str, **asked: Any) -> Any:
        looked.extend([len(asked["rows"])] if name == "graph/list_said" else [])
        return read(graph, name, **asked)

    monkeypatch.setattr(Graph, "read", counted)
    recalled = ask(house, nora, "When is the lantern of the boat lit?", budget)[0].recalled
    assert len(looked) == 1 and len(recalled.passages) <= looked[0] < 60, "passages alone would be more than sixty"
    assert budget / 2 < recalled.tokens <= budget
