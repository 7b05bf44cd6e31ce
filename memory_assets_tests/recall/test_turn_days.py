"""What is said in a source of many days has the day of its turn, wherever a day is shown or compared."""

from __future__ import annotations

import json
from datetime import UTC, date, datetime

import pytest

from memory_assets.commands.context import context_for
from memory_assets.commands.sources import recall_for
from memory_assets.context.policy import Asked
from memory_assets.entities.extraction import Extractor
from memory_assets.graph.owners import readable_owners
from memory_assets.model import reference
from memory_assets.recall.index import Span
from memory_assets.runtime.scope import RunScope
from memory_assets.sources.process import process_sources
from memory_assets.validity.judging import judge_statements
from memory_assets.validity.reading import read_diff
from memory_assets_tests.sources.exports import gpt, gpt_message
from memory_assets_tests.support.house import House

pytestmark = pytest.mark.graph
FIRST, CHANGED = datetime(2026, 9, 12, 10, tzinfo=UTC), datetime(2026, 11, 3, 9, tzinfo=UTC)
OLD, NEW = "I live in Bonn.", "I moved from Bonn to Cologne."
EXPORT = gpt(
    "c",
    {
        "a": (None, gpt_message("user", OLD, at=FIRST.timestamp())),
        "b": ("a", gpt_message("assistant", "Noted.", at=FIRST.timestamp() + 10)),
        "c": ("b", gpt_message("user", NEW, at=CHANGED.timestamp())),
    },
    "c",
    create_time=FIRST.timestamp(),
)
CHAT = (
    "12.09.26, 10:00 - Nora: I live in Bonn\n12.09.26, 10:01 - Ann: Nice\n"
    "03.11.26, 09:00 - Nora: I moved from Bonn to Cologne\n03.11.26, 19:10 - Nora: Lena has swimming on Fridays now\n"
    "15.11.26, 09:12 - Ann: The harbour opens in May\n"
)


def build(house: House, nora: str) -> tuple[int, int]:
    """All of Nora's sources read, extracted and judged: how many were extracted, and how many statements judged."""
    graph, clock, models = house.graph, house.settings.clock, house.models
    process_sources(graph, nora, models.language_for("processed_sources"), models.embedder, clock)
    language = models.language_for("extracted_entities")
    counts = Extractor(graph, language, models.embedder, clock, nora, lambda _: None).run(RunScope())
    judged = judge_statements(graph, nora, clock.now(), house.settings.validity_index(nora), "recipe")
    return counts["extracted"], judged.statements


def statements(house: House, nora: str) -> dict[str, dict[str, str]]:
    found = house.graph.query_read_only(
        "MATCH (c:KnowledgeChunk {user_id: $user}) "
        "RETURN c.id AS id, c.content AS text, toString(c.occurred_at) AS at, toString(c.valid_to) AS until",
        {"user": nora},
    )
    return {row["text"].rstrip("."): row for row in found}


@pytest.mark.parametrize(("name", "written"), [("conversations.json", json.dumps([EXPORT])), ("chat.txt", CHAT)])
def test_a_change_holds_from_the_day_of_its_turn_on(house: House, name: str, written: str) -> None:
    nora = house.user("nora")
    house.ingest(nora, name, written)
    assert build(house, nora)[0] == 1
    known = statements(house, nora)
    old, new = known[OLD.rstrip(".")], known[NEW.rstrip(".")]
    assert (old["at"][:10], new["at"][:10], old["until"][:10]) == ("2026-09-12", "2026-11-03", "2026-11-03")
    about = {"user_id": nora, "user_ids": readable_owners(house.graph, nora), "memory_id": new["id"]}
    (explained,) = house.graph.read("graph/list_statement_sources", **about)
    assert explained["occurred_at"].date() == CHANGED.date()
    days = {
        row["text"]: row["at"][:10] for row in read_diff(house.graph, nora, datetime(2000, 1, 1, tzinfo=UTC))["new"]
    }
    assert {text.rstrip("."): day for text, day in days.items()}[NEW.rstrip(".")] == "2026-11-03"
    then, today = (
        recall_for(house.graph, house.settings, nora, "Where do I live, in Bonn?", 2000, day)[0].recalled
        for day in (date(2026, 10, 15), None)
    )
    between, now = then.text, today.text
    by = [
        [ref for _, found in recalled.passages for one in found for ref in one.superseded_by]
        for recalled in (then, today)
    ]
    assert by == [[], [reference(new["id"])]]
    assert "superseded" not in between and "Cologne" not in between and "Bonn" in between
    assert "superseded on 2026-11-03" in now
    assert any(line.startswith("- 2026-11-03, ") and "Cologne" in line for line in now.split("\n"))
    assert not any(line.startswith("- 2026-09-12") for line in now.split("\n")), "the head says that day"
    assert build(house, nora) == (0, 0) and statements(house, nora) == known, "a rerun changes nothing"
    if name == "chat.txt":
        assert known["Lena has swimming on Fridays now"]["at"][:10] == "2026-11-03"
        assert known["The harbour opens in May"]["at"][:10] == "2026-11-15"
        assert not any("Lena" in text and "Cologne" in text for text in known)


@pytest.mark.parametrize(
    ("day", "span", "turns"),
    [
        (None, Span(), [0, 1, 2]),
        (date(2026, 10, 15), Span(), [0, 1]),
        (None, Span(until=date(2026, 9, 12)), [0, 1]),
        (None, Span(since=date(2026, 9, 13)), [2]),
        (date(2026, 9, 11), Span(), []),
    ],
)
def test_what_surrounds_a_reference_is_of_the_days_that_are_asked_for(
    house: House, day: date | None, span: Span, turns: list[int]
) -> None:
    nora = house.user("nora")
    house.ingest(nora, "conversations.json", json.dumps([EXPORT]))
    build(house, nora)
    ref = reference(statements(house, nora)[OLD.rstrip(".")]["id"])
    found, _ = recall_for(house.graph, house.settings, nora, ref, 2000, day, span=span)
    assert [row.turn for _, rows in found.recalled.passages for row in rows] == turns


def talk(name: str, *said: tuple[str, str]) -> str:
    turns = [
        {"role": "user", "name": "Nora", "content": text, "timestamp": f"{day}T10:00:00Z", "conversation_id": name}
        for day, text in said
    ]
    return "\n".join(map(json.dumps, turns))


@pytest.mark.parametrize(
    "talks",
    [
        [[("2026-01-05", OLD)], [("2026-02-05", NEW)], [("2026-06-05", NEW)]],
        [[("2026-01-05", OLD)], [("2026-02-05", NEW), ("2026-06-05", NEW)]],
        [[("2026-01-05", OLD), ("2026-02-05", NEW), ("2026-06-05", NEW)]],
    ],
)
def test_a_change_that_is_said_again_holds_since_it_was_said_first(
    house: House, talks: list[list[tuple[str, str]]]
) -> None:
    nora = house.user("nora")
    for number, said in enumerate(talks):
        house.ingest(nora, f"{number}.jsonl", talk(str(number), *said))
    build(house, nora)
    assert statements(house, nora)[OLD.rstrip(".")]["until"][:10] == "2026-02-05"
    for day, marks in ((date(2026, 2, 4), 0), (date(2026, 3, 1), 1), (None, 1)):
        found, _ = recall_for(house.graph, house.settings, nora, "Where do I live, in Bonn?", 2000, day)
        assert found.recalled.text.count("superseded on 2026-02-05") == marks, (day, found.recalled.text)


def test_what_is_superseded_is_marked_wherever_its_source_says_it(house: House) -> None:
    nora = house.user("nora")
    rain = [("2026-01-05", f"The hedge number {at} needs water.") for at in range(8)]
    house.ingest(nora, "0.jsonl", talk("0", ("2026-01-05", OLD), *rain, ("2026-01-06", "i live in Bonn!")))
    house.ingest(nora, "1.jsonl", talk("1", ("2026-02-05", NEW)))
    build(house, nora)
    found, _ = recall_for(house.graph, house.settings, nora, "Where do I live, in Bonn?", 2000)
    rows = [row for _, rows in found.recalled.passages for row in rows if "live in Bonn" in row.text]
    assert {row.turn: "superseded on 2026-02-05" in row.text for row in rows} == {0: True, 9: True}
    given = context_for(house.graph, house.settings, nora, Asked(query="Where do I live, in Bonn?"))["context"]
    lines = [line for line in given.splitlines() if "live in Bonn" in line]
    assert lines and all("superseded on 2026-02-05" in line for line in lines), given
