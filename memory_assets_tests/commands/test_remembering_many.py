"""A day of many memories: one more costs the same, and all are what they would be if they had come in at once."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from datetime import timedelta
from functools import partial
from typing import Any

import pytest

from memory_assets.commands import remembering
from memory_assets.commands.correcting import take_back
from memory_assets.commands.remembering import list_agent_files, remember
from memory_assets.graph.graph import Graph
from memory_assets.llm.local import language
from memory_assets.privacy import masking
from memory_assets.recall.index import PassageIndex
from memory_assets.records.reading import find_record
from memory_assets.records.recording import Recorder
from memory_assets.runtime.owners import owner_lock
from memory_assets.sources.ingest import ingest_paths
from memory_assets.sources.process import process_sources
from memory_assets_tests.commands.test_correcting import corrected, recalled, remembered, run
from memory_assets_tests.commands.test_decisions import difference, state
from memory_assets_tests.support.house import House
from memory_assets_tests.support.stopping import KilledError, stopped_after

pytestmark = pytest.mark.graph
COLOURS = ("amber", "azure", "beige", "black", "brown", "coral", "ebony", "green", "hazel", "ivory", "khaki", "lilac",
           "mauve", "ochre", "olive", "peach", "sepia", "white")  # fmt: skip
FIRST = "cocoa", "cream", "lemon", "mango", "misty", "mocha", "rusty", "steel", "straw"
"""After so many there are as many alike as one more is compared with."""
TOLD = ("title", "summary", "keywords", "turns", "raw_content", "text", "recorded_at", "state", "token_count")


@pytest.fixture(autouse=True)
def _short_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(remembering, "PART_SIZE", 800)


def text_of(colour: str) -> str:
    return f"The {colour} boat lies at the old quay."


def sources_of(house: House, nora: str, ref: str) -> list[str]:
    return [source["title"] for source in find_record(house.graph, nora, ref)["sources"]]


def test_one_more_costs_the_same_however_many_there_are(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    counts: Counter[str] = Counter()

    def count(owner: Any, name: str, amount: Callable[[tuple[Any, ...], Any], int]) -> None:
        call = getattr(owner, name)

        def counted(*args: Any, **given: Any) -> Any:
            result = call(*args, **given)
            counts[name] += amount(args, result)
            return result

        monkeypatch.setattr(owner, name, counted)

    count(language, "_parse", lambda args, _: len(args[1]))
    count(masking, "find_secrets", lambda args, _: 1)
    count(Graph, "read_each", lambda _, rows: len(rows))
    count(Graph, "write_together", lambda args, _: len(args[1]))
    count(PassageIndex, "replace", lambda args, _: sum(len(one.passages) for one in args[1].values()))

    nora = house.user("nora")
    recalled(house, nora, "Where are the boats?")  # there is an index
    for colour in FIRST:
        remembered(house, nora, text_of(colour))
    most: list[Counter[str]] = []
    for colours in (COLOURS[:9], COLOURS[9:]):
        most.append(Counter())
        for colour in colours:
            counts.clear()
            remembered(house, nora, text_of(colour))
            most[-1] |= counts
        folder = house.settings.home / "elsewhere"
        folder.mkdir(exist_ok=True)
        for number in range(30):
            (folder / f"note-{number}.md").write_text(f"Boat {number} lies in Skagness.")
            line = {
                "record": "belief",
                "agent": "old",
                "at": f"2020-01-{number + 1:02}",
                "text": f"Boat {number} leaks.",
            }
            (folder / f"belief-{number}.jsonl").write_text(json.dumps(line) + "\n")
        ingest_paths(house.graph, nora, [folder], None, house.settings.clock)
    few, many = most
    assert set(few) == {"_parse", "find_secrets", "read_each", "write_together", "replace"}
    assert many <= few, (few, many)
    assert len(list_agent_files(house.settings, nora)) > 3


def test_what_came_one_by_one_is_what_comes_in_at_once(house: House) -> None:
    nora, again = house.user("nora"), house.user("again")
    for colour in COLOURS[:8]:
        remembered(house, nora, text_of(colour))
    before = run(house, nora)
    paths = list_agent_files(house.settings, nora)
    lines = [line for path in paths for line in path.read_text().splitlines()]
    assert len(paths) > 1
    ingest_paths(house.graph, nora, paths, "record", house.settings.clock, force=True)
    house.ingest(nora, "all.jsonl", "\n".join(reversed(lines)))
    assert difference(run(house, nora), before) == []

    house.ingest(again, "all.jsonl", "\n".join(reversed(lines)))
    Recorder(house.graph, house.models.embedder, house.settings.clock, again).run()
    language = house.models.language_for("processed_sources")
    process_sources(house.graph, again, language, house.models.embedder, house.settings.clock)

    def made(user: str) -> list[str]:
        rows = [json.loads(line) for line in state(house, user)]
        nodes = [row["properties"] for row in rows if {"Source", "MemoryEntry"} & set(row.get("labels", ()))]
        return sorted(json.dumps([node.get(name) for name in TOLD]) for node in nodes)

    assert made(nora) == made(again)


def test_another_line_of_a_record_is_in_its_part(house: House) -> None:
    nora = house.user("nora")

    def keyed(text: str, key: str = "berth") -> str:
        made = remember(house.graph, house.settings, nora, text, agent="codex", models=house.models, key=key)
        assert made.recallable
        return made.ref

    first, ref = remembered(house, nora, text_of("amber")), keyed("The winter berth costs 412 pounds.")
    others = [remembered(house, nora, text_of(colour)) for colour in COLOURS[1:7]]
    assert sources_of(house, nora, ref) != sources_of(house, nora, others[-1])
    assert sources_of(house, nora, others[-1])[0].endswith(", part 2")
    where = sources_of(house, nora, ref)
    assert keyed("The winter berth costs 430 pounds.") == ref and sources_of(house, nora, ref) == where
    found = recalled(house, nora, "What does the winter berth cost?")
    assert "430" in found and "412" not in found
    before = state(house, nora)
    for one, place in ((first, where), (others[-1], sources_of(house, nora, others[-1]))):
        corrected(house, nora, one, "Nora keeps goats in Skagness.")
        assert sources_of(house, nora, one) == place
        assert "goats" in recalled(house, nora, "Does Nora keep goats in Skagness?")
        take_back(house.graph, house.settings, nora, one, "codex", house.models)
        assert "goats" not in recalled(house, nora, "Does Nora keep goats in Skagness?")
    assert difference(state(house, nora), before) == []


def lines_of(house: House, user: str) -> list[dict[str, Any]]:
    """What is written down of what agents have remembered."""
    return [
        json.loads(line) for path in list_agent_files(house.settings, user) for line in path.read_text().splitlines()
    ]


def test_what_waits_since_a_call_was_stopped_is_said_again_in_its_part(house: House) -> None:
    nora = house.user("nora")

    def keyed(colour: str, text: str) -> str:
        asked = {"agent": "codex", "key": colour, "models": house.models}
        return remember(house.graph, house.settings, nora, text, **asked).ref

    for colour in COLOURS[:6]:
        with stopped_after(0, [(remembering, "take_in")]), suppress(KilledError):
            keyed(colour, text_of(colour))
    refs = [keyed(colour, text_of(colour) + " Still.") for colour in COLOURS[3:6]]
    refs += [keyed(colour, text_of(colour)) for colour in COLOURS[:3]]
    lines = lines_of(house, nora)
    parts: dict[str, set[int]] = {}
    for line in lines:
        parts.setdefault(line["id"], set()).add(line.get("part", 1))
    assert len(lines) == 9 and all(len(found) == 1 for found in parts.values()), parts
    run(house, nora)
    assert [len(sources_of(house, nora, ref)) for ref in refs] == [1] * 6


def test_the_same_said_by_many_at_once_is_written_down_once(house: House) -> None:
    nora = house.user("nora")

    def said(text: str, key: str | None) -> tuple[str, bool, bool]:
        asked = {"agent": "codex", "key": key, "models": house.models}
        made = remember(house.graph, house.settings, nora, text, **asked)
        return made.ref, made.is_new, made.recallable

    for key in (None, "berth"):
        for text in ("The winter berth costs 412 pounds.", "The winter berth costs 430 pounds."):
            before = len(lines_of(house, nora))
            with ThreadPoolExecutor(6) as callers:
                found = list(callers.map(partial(said, key=key), [text] * 6))
            assert len({ref for ref, *_ in found}) == 1 and all(recallable for *_, recallable in found)
            assert sum(is_new for _, is_new, _ in found) == 1
            assert len(lines_of(house, nora)) == before + 1
    assert said("The winter berth costs 412 pounds.", "berth")[1], "what was said before is said again"
    assert len(lines_of(house, nora)) == 5


def test_what_was_read_and_not_processed_when_a_call_was_stopped_is_recalled_when_it_is_said_again(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Though the next lines are of another part, whose source alone they have processed."""
    nora = house.user("nora")
    recalled(house, nora, "Where are the boats?")  # there is an index
    remembered(house, nora, text_of(COLOURS[0]))
    with stopped_after(0, [(remembering, "process_given")]), suppress(KilledError):
        remembered(house, nora, text_of(COLOURS[1]))

    def said_again() -> tuple[bool, bool]:
        again = remember(house.graph, house.settings, nora, text_of(COLOURS[1]), agent="codex", models=house.models)
        return again.is_new, again.recallable

    monkeypatch.setattr(remembering, "PATIENCE", 0.1)
    with ThreadPoolExecutor(1) as elsewhere, owner_lock(house.settings, nora):
        assert elsewhere.submit(said_again).result() == (False, False), "it waits for the run that is at work"
    assert said_again() == (False, True)
    with ThreadPoolExecutor(1) as elsewhere, owner_lock(house.settings, nora):
        assert elsewhere.submit(said_again).result() == (False, True)
    assert text_of(COLOURS[1]) in recalled(house, nora, text_of(COLOURS[1]))


def test_words_of_today_are_not_recallable_because_those_of_yesterday_under_their_key_are(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    nora, today = house.user("nora"), house.settings.clock.now()

    def said(colour: str) -> Any:
        asked = {"agent": "codex", "key": "boat", "models": house.models}
        return remember(house.graph, house.settings, nora, text_of(colour), **asked)

    recalled(house, nora, "Where are the boats?")  # there is an index
    assert said(COLOURS[0]).recallable
    house.travel(today + timedelta(days=1))
    with stopped_after(0, [(remembering, "process_given")]), suppress(KilledError):
        said(COLOURS[1])
    monkeypatch.setattr(remembering, "PATIENCE", 0.1)
    with ThreadPoolExecutor(1) as elsewhere, owner_lock(house.settings, nora):
        again = elsewhere.submit(said, COLOURS[1]).result()
    assert (again.is_new, again.recallable) == (False, False)
    assert said(COLOURS[1]).recallable and text_of(COLOURS[1]) in recalled(house, nora, text_of(COLOURS[1]))
