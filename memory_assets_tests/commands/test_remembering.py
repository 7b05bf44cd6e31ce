"""What is remembered says what it contradicts; what was pruned can be remembered again."""

from __future__ import annotations

import json
from datetime import timedelta
from typing import Any

import pytest

from memory_assets.automation.pipeline import what_is_due
from memory_assets.commands.context import context_for
from memory_assets.commands.decisions import resolve
from memory_assets.commands.reading import open_memory
from memory_assets.commands.remembering import remember
from memory_assets.context.policy import Asked
from memory_assets.errors import WrongUseError
from memory_assets.graph.said import held_memories
from memory_assets.memory_file.drafts import read_draft
from memory_assets.memory_file.pool import read_pool
from memory_assets.memory_file.user_files import default_of
from memory_assets.model import Resolution
from memory_assets.recall.search import opened
from memory_assets.records.reading import find_record
from memory_assets.records.recording import Recorder
from memory_assets.sources.process import process_sources
from memory_assets.text.held import Held
from memory_assets.validity.decisions import open_contradictions
from memory_assets_tests.commands.test_correcting import recalled, remembered, run, statement_of
from memory_assets_tests.commands.test_decisions import said
from memory_assets_tests.curation.test_tombstones import prune
from memory_assets_tests.support.house import House

pytestmark = pytest.mark.graph


def test_what_is_remembered_says_what_of_all_that_is_known_it_contradicts(house: House) -> None:
    nora = house.user("nora")
    house.ingest(nora, "a.jsonl", said(2, "I am allergic to nuts.", "I prefer tea in the morning."))
    text = "I am not allergic to nuts."
    first = remember(house.graph, house.settings, nora, "The ferry leaves at nine.", agent="codex", models=house.models)
    assert first.contradicts == ()
    run(house, nora)
    ref = statement_of(house, nora, "allergic")
    made = remember(house.graph, house.settings, nora, text, agent="codex", models=house.models)
    (found,) = made.contradicts
    assert (found["ref"], found["text"]) == (ref, "I am allergic to nuts.")
    again = remember(house.graph, house.settings, nora, text, agent="codex", models=house.models)
    assert (again.is_new, again.contradicts) == (False, made.contradicts)
    (listed,) = open_contradictions(house.graph, nora)
    assert (listed["id"], listed["one_ref"], listed["other_ref"], listed["other"]) == (found["id"], ref, made.ref, text)
    run(house, nora)
    assert len(open_contradictions(house.graph, nora)) == 1
    resolve(house.graph, house.settings, nora, found["id"], Resolution.A_WINS, "", "codex")
    assert open_contradictions(house.graph, nora) == []
    assert find_record(house.graph, nora, made.ref)["state"] == "archived"


@pytest.mark.parametrize(
    "text",
    ["The rope of the crane costs 120 pounds.", "The rope of the crane doesn't cost 74 pounds any more."],
)
def test_what_has_no_day_was_known_before(house: House, text: str) -> None:
    nora = house.user("nora")
    house.ingest(nora, "note.md", "The rope of the crane costs 74 pounds. The quay has a new lamp.")
    run(house, nora)
    made = remember(house.graph, house.settings, nora, text, agent="codex", models=house.models)
    assert [one["text"] for one in made.contradicts] == ["The rope of the crane costs 74 pounds."]
    assert [one["other"] for one in open_contradictions(house.graph, nora)] == [text]
    run(house, nora)
    assert len(open_contradictions(house.graph, nora)) == 1


def test_what_is_remembered_is_indexed_at_once_without_a_look_at_all_sources(house: House) -> None:
    nora = house.user("nora")
    house.ingest(nora, "a.jsonl", said(2, "I prefer tea in the morning.", "The ferry leaves at nine."))
    run(house, nora)
    assert recalled(house, nora, "When does the ferry leave?")
    passages = opened(house.settings.home, nora)
    (first,) = passages.marks()
    passages.replace({}, [first])  # a look would find it again
    before = passages.mark()
    text = "The lamp of the harbour is green."
    made = remember(house.graph, house.settings, nora, text, agent="codex", models=house.models)
    assert made.recallable and passages.mark() == before
    assert text in recalled(house, nora, "Which colour has the lamp of the harbour?")
    assert first not in passages.marks(), "no other source was looked at"
    record = find_record(house.graph, nora, made.ref)
    assert set(passages.marks()) == {source["id"] for source in record["sources"]}
    assert nora in what_is_due(house.graph, house.settings, [nora]), "the next run takes it up"
    size = passages.size()
    remember(house.graph, house.settings, nora, text, agent="codex", models=house.models)
    assert passages.size() == size, "it is indexed as it is"
    passages.replace({}, list(passages.marks()))
    again = remember(house.graph, house.settings, nora, text, agent="codex", models=house.models)
    assert not again.is_new and text in recalled(house, nora, "Which colour has the lamp of the harbour?")
    house.ingest(nora, "b.md", "The boat house has a blue door.")
    recalled(house, nora, "Which colour has the door?")
    assert first in passages.marks(), "what came in otherwise: all are looked at"


@pytest.mark.parametrize("project", [None, "harbor"])
def test_no_secret_beside_the_text_is_written_and_its_key_is_known_again(house: House, project: str | None) -> None:
    nora, secret = house.user("nora"), "sk-proj-" + "a1B2c3D4e5F6g7H8" * 3
    how: dict[str, Any] = {"agent": "codex", "models": house.models, "key": f"key {secret}", "project": project}
    how |= {"about": ["Ilse Brandt", f"the key {secret}"]}
    made = remember(house.graph, house.settings, nora, "The crane has a new key.", **how)
    assert made.recallable and made.masked == ("api key",)
    assert not remember(house.graph, house.settings, nora, "The crane has a new key.", **how).is_new
    other = remember(house.graph, house.settings, nora, "The crane has an old key.", **how)
    assert (other.ref, other.is_new) == (made.ref, True), "the same key"
    assert find_record(house.graph, nora, made.ref)["text"] == "The crane has an old key."
    (file,) = (house.settings.inbox / nora / "agents").iterdir()
    names = json.loads(file.read_text().splitlines()[-1])["about"]
    assert names == ["Ilse Brandt", "the key [masked: api key]"]
    written = [path for path in house.settings.home.rglob("*") if path.is_file()]
    assert file in written and not [path for path in written if secret.encode() in path.read_bytes()]


def test_a_record_that_was_pruned_is_remembered_again(house: House) -> None:
    nora = house.user("nora")
    remembered(house, nora, "The ferry leaves at nine.", "cursor")
    ref = remembered(house, nora, "Nora keeps bees in Skagness.")
    memory_id = find_record(house.graph, nora, ref)["id"]
    later = house.settings.clock.now() + timedelta(days=40)
    assert prune(house.graph, nora, [memory_id], later) == {memory_id}
    assert find_record(house.graph, nora, ref) is None
    house.travel(later)
    made = remember(
        house.graph, house.settings, nora, "Nora keeps bees in Skagness.", agent="codex", models=house.models
    )
    assert (made.ref, made.is_new, made.recallable) == (ref, True, True)
    assert find_record(house.graph, nora, ref)["state"] == "active"
    assert "bees" in recalled(house, nora, "Where does Nora keep bees?")


def test_a_statement_holds_as_long_as_what_an_agent_remembered(house: House) -> None:
    nora = house.user("nora")
    held = Held(last=house.settings.clock.now().date())
    text = "The winter berth costs 412 pounds a month."
    remember(house.graph, house.settings, nora, text, agent="codex", models=house.models, held=held)
    remember(house.graph, house.settings, nora, "Ilse Brandt paints the boat red.", agent="codex", models=house.models)
    run(house, nora)
    pool = read_pool(house.graph, nora, [nora])
    by_words = {one.text: one.held for one in pool if one.entity_type == "KnowledgeChunk"}
    assert by_words == {text: held, "Ilse Brandt paints the boat red.": Held()}
    ref = statement_of(house, nora, "berth")
    assert open_memory(house.graph, house.settings, nora, ref, 500)["valid_to"] == held.last.isoformat()
    assert text in read_draft(house.graph, default_of(nora)).text
    asked = Asked(task="What does the berth cost?")
    assert text in context_for(house.graph, house.settings, nora, asked)["context"]
    house.travel(house.settings.clock.now() + timedelta(days=1))
    context = context_for(house.graph, house.settings, nora, asked)["context"]
    assert all("(held until" in line for line in context.splitlines() if "412" in line), context
    house.run("build_memory")
    assert text not in read_draft(house.graph, default_of(nora)).text


@pytest.mark.parametrize("is_first", [True, False])
def test_what_always_holds_is_not_ended_by_a_record_that_says_more(house: House, is_first: bool) -> None:
    nora = house.user("nora")
    yesterday = Held(last=house.settings.clock.now().date() - timedelta(days=1))
    always, until = "Deploys need two approvals", "Deploys need two approvals until the audit is over."
    for text in (always, until) if is_first else (until, always):
        held = yesterday if text == until else Held()
        remember(house.graph, house.settings, nora, text, agent="codex", models=house.models, held=held)
    found = recalled(house, nora, "How many approvals do deploys need?")
    assert f"- codex: {always}" in found.splitlines() and found.count("(held until") == 1, found
    run(house, nora)
    rows = house.graph.read("validity/list_living", user_id=nora)
    stated = house.graph.read("validity/list_statements", user_id=nora, memory_ids=[row["memory_id"] for row in rows])
    ended = held_memories(house.graph, nora, [nora], [row["memory_id"] for row in stated])
    by_words = {row["text"]: ended.get(row["memory_id"], Held()) for row in stated}
    assert by_words[always] == Held() and by_words[until] == yesterday, by_words


def test_days_that_are_left_out_stay_as_they_were(house: House) -> None:
    nora = house.user("nora")
    day = house.settings.clock.now().date()

    def said_again(held: Held) -> tuple[bool, Held]:
        text = "The winter berth costs 412 pounds a month."
        made = remember(house.graph, house.settings, nora, text, agent="codex", models=house.models, held=held)
        return made.is_new, Held.of(find_record(house.graph, nora, made.ref))

    assert said_again(Held(last=day)) == (True, Held(last=day))
    assert said_again(Held()) == (False, Held(last=day))
    assert said_again(Held(first=day)) == (True, Held(day, day))
    with pytest.raises(WrongUseError, match="exchange these days"):
        said_again(Held(first=day + timedelta(days=1)))


def test_a_teams_records_come_marked_for_its_members(house: House) -> None:
    nora = house.user("nora")
    team = house.team("crew", nora)
    line = {"record": "memory", "id": "1", "agent": "codex", "at": "2026-11-02T09:00:00Z"}
    line |= {"text": "The winter berth costs 412 pounds a month.", "valid_to": "2026-11-10"}
    house.ingest(team, "crew.jsonl", json.dumps(line) + "\n")
    Recorder(house.graph, house.models.embedder, house.settings.clock, team).run()
    process_sources(
        house.graph, team, house.models.language_for("processed_sources"), house.models.embedder, house.settings.clock
    )
    assert "(held until 2026-11-10)" in recalled(house, nora, "What does the winter berth cost?")


def test_another_users_statements_are_not_contradicted(house: House) -> None:
    nora, olaf = house.user("nora"), house.user("olaf")
    house.ingest(nora, "a.jsonl", said(2, "I am allergic to nuts."))
    house.ingest(olaf, "b.jsonl", said(2, "I prefer tea in the morning."))
    for user in (nora, olaf):
        run(house, user)
    text = "I am not allergic to nuts."
    assert remember(house.graph, house.settings, olaf, text, agent="codex", models=house.models).contradicts == ()
