"""Notes taken by calling tools, against a real server: rounds, what is paid once, and what comes to no good end."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from memory_assets.errors import BudgetExceededError, ModelError
from memory_assets.llm.budget import Budget
from memory_assets.llm.connection import Connection
from memory_assets.llm.ledger import Ledger
from memory_assets.llm.model_client import Answer
from memory_assets.llm.openai_model import OpenAIModel
from memory_assets.llm.tasks import NOTE_ENTITIES, NOTE_PEOPLE, NoteRequest, NotesTaken, StatedText, SubjectName
from memory_assets.llm.tool_calling import MOST_REPLIES
from memory_assets.llm.tools import tools_of
from memory_assets_tests.support.protocol_server import (
    Behaviour,
    ProtocolServer,
    Reply,
    Request,
    calls,
    completion,
    good,
    refusal,
    status,
)

MARIA = {"subject": "Maria", "content": "Maria repairs boats.", "lifetime": "year"}
WORKS = {"from": "Maria", "to": "Harbour Yard", "type": "works_at", "description": "Maria works at the yard."}


def request(text: str = "Maria works at Harbour Yard.") -> NoteRequest:
    names = (("person", "Maria", "person"), ("person", "Tom", "person"), ("entity", "Harbour Yard", "organization"))
    return NoteRequest(
        source_type="note",
        title="Yard",
        started_at=None,
        owner_speaker=None,
        names=tuple(SubjectName(kind=kind, name=name, entity_type=of) for kind, name, of in names),
        statements=(
            StatedText(
                speaker=None, text=text, content_type="insight", durability=0.7, about=("Maria", "Harbour Yard")
            ),
        ),
    )


@pytest.fixture
def ledger(tmp_path: Path) -> Iterator[Ledger]:
    opened = Ledger(tmp_path / "models.sqlite")
    yield opened
    opened.close()


def model_at(server: ProtocolServer, ledger: Ledger, budget: float | None = None) -> OpenAIModel:
    connection = Connection(server.base_url, "sk-test-0123456789", max_retries=1)
    return OpenAIModel("gpt-4.1-mini", connection, ledger, Budget(budget))


def take(model: OpenAIModel, *payloads: NoteRequest, task: str = NOTE_PEOPLE) -> list[Any]:
    return model.ask_many(task, payloads or (request(),), NotesTaken, asset="notes", user_id="ana")


def test_calls_are_taken_answered_and_end_with_the_model(ledger: Ledger) -> None:
    more = {"from": "Maria", "to": "harbour  yard", "type": "works_at", "content": "Since May.", "lifetime": "month"}
    one_by_one = calls(("add_note_to_person", MARIA)), calls(("create_relationship", WORKS))
    with ProtocolServer(*one_by_one, calls(("add_note_to_relationship", more)), calls()) as server:
        (answer,) = take(model_at(server, ledger))
        assert isinstance(answer, Answer) and not answer.cached
        assert [(note.subject, note.lifetime) for note in answer.value.notes] == [("Maria", "year")]
        assert [(one.from_name, one.type, one.to_name) for one in answer.value.relationships] == [
            ("Maria", "works_at", "Harbour Yard")
        ]
        assert answer.value.relationship_notes[0].to_name == "Harbour Yard", "names as they are listed"
        asked = [chat.body for chat in server.chats]
        assert [tool["function"]["strict"] for tool in asked[0]["tools"]] == [True] * 3
        assert [len(body["messages"]) for body in asked] == [2, 4, 6, 8]
        results = [message["content"] for message in asked[1]["messages"] if message["role"] == "tool"]
        assert results == ["noted"]
        (again,) = take(model_at(server, ledger))
        assert again.value == answer.value and again.cached and again.usd == 0 and len(server.chats) == 4
    summary = ledger.summary()
    assert (summary["calls"], summary["cached"]) == (5, 1)
    assert summary["usd"] == pytest.approx(answer.usd) and answer.usd > 0


def test_who_says_it_all_at_once_is_not_asked_again(ledger: Ledger) -> None:
    with ProtocolServer(calls(("add_note_to_person", MARIA), ("create_relationship", WORKS))) as server:
        (answer,) = take(model_at(server, ledger))
        assert isinstance(answer, Answer) and len(answer.value.notes) == len(answer.value.relationships) == 1
        assert len(server.chats) == 1
    assert ledger.summary()["calls"] == 1


@pytest.mark.parametrize(
    ("name", "given", "said"),
    [
        ("add_note_to_person", {**MARIA, "subject": "Nobody"}, "not one of the listed"),
        ("add_note_to_person", {**MARIA, "subject": "Harbour Yard"}, "of kind entity"),
        ("add_note_to_person", {**MARIA, "lifetime": "decade"}, "lifetime"),
        ("add_note_to_person", {**MARIA, "content": " ?! "}, "empty"),
        ("add_note_to_person", '{"subject": "Maria", ', "not valid JSON"),
        ("add_note_to_entity", {**MARIA}, "no such tool"),
        ("drop_table", {}, "no such tool"),
        ("create_relationship", {**WORKS, "type": "eats_at"}, "type"),
        ("create_relationship", {**WORKS, "to": "Maria"}, "two different names"),
        ("create_relationship", {**WORKS, "to": "Tom"}, "cannot be from kind person to kind person"),
        ("add_note_to_relationship", {**WORKS, "description": "x"}, "Extra inputs|Field required"),
        (
            "add_note_to_relationship",
            {"from": "Maria", "to": "Tom", "type": "works_with", "content": "x y", "lifetime": "week"},
            "create it first",
        ),
    ],
)
def test_a_call_that_cannot_be_used_comes_back_with_the_reason(
    ledger: Ledger, name: str, given: Any, said: str
) -> None:
    with ProtocolServer(calls((name, given)), calls(("add_note_to_person", MARIA)), calls()) as server:
        (answer,) = take(model_at(server, ledger))
        assert [note.subject for note in answer.value.notes] == ["Maria"]
        assert not answer.value.relationships and not answer.value.relationship_notes
        (result,) = [message for message in server.chats[1].body["messages"] if message["role"] == "tool"]
        assert result["content"].startswith("not taken: ")
        assert any(word in result["content"] for word in said.split("|"))
        echoed = server.chats[1].body["messages"][2]["tool_calls"][0]["function"]["arguments"]
        json.loads(echoed)


def test_rounds_are_bounded_and_what_they_took_by_then_counts(ledger: Ledger) -> None:
    def on_and_on(asked: Request) -> Reply:
        note = {**MARIA, "content": f"Note {len(asked.body['messages'])}."}
        return calls(("add_note_to_person", note))(asked)

    with ProtocolServer(always=on_and_on) as server:
        (answer,) = take(model_at(server, ledger))
        assert len(answer.value.notes) == len(server.chats) == MOST_REPLIES
        assert take(model_at(server, ledger))[0].cached and len(server.chats) == MOST_REPLIES


def test_calls_that_never_become_usable_fail_their_question_and_are_asked_again(ledger: Ledger) -> None:
    wrong = calls(("add_note_to_person", {**MARIA, "subject": "Nobody"}))
    with ProtocolServer(always=wrong) as server:
        failed, other = take(model_at(server, ledger), request(), request("Tom paints."))
        assert isinstance(failed, ModelError) and "after 4 rounds" in str(failed) and "Nobody" not in str(failed)
        assert isinstance(other, ModelError) and len(server.chats) == 2 * MOST_REPLIES
        server.always = good
        (answer,) = take(model_at(server, ledger))
        assert [note.subject for note in answer.value.notes] == ["Maria"] and answer.value.relationships


def cut(asked: Request) -> Reply:
    return Reply(body=completion(asked, '{"half', "length"))


@pytest.mark.parametrize(
    ("trouble", "said"),
    [(refusal("no"), "declined"), (cut, "cut off"), (status(400, "bad request"), "refused the request")],
)
def test_a_round_that_fails_costs_the_rounds_before_it_nothing(ledger: Ledger, trouble: Behaviour, said: str) -> None:
    first = calls(("add_note_to_person", MARIA))
    with ProtocolServer(first, always=trouble) as server:
        (failed,) = take(model_at(server, ledger))
        assert isinstance(failed, ModelError) and said in str(failed)
        before = len(server.chats)
        server.always = calls()
        (answer,) = take(model_at(server, ledger))
        assert [note.subject for note in answer.value.notes] == ["Maria"]
        assert len(server.chats) == before + 1, "the first round was answered: it is not asked again"
        assert any(message["role"] == "tool" for message in server.chats[-1].body["messages"])


def test_the_budget_stops_before_a_round(ledger: Ledger) -> None:
    with ProtocolServer() as server:
        (stopped,) = take(model_at(server, ledger, budget=0.000001))
        assert isinstance(stopped, BudgetExceededError) and not server.chats


def test_steps_side_by_side_keep_to_one_number_of_calls_at_once(ledger: Ledger) -> None:
    with ProtocolServer() as server:
        model = model_at(server, ledger)
        many = [request(f"Maria works at Harbour Yard {n}.") for n in range(12)]
        threads = [
            threading.Thread(target=take, args=(model, *many), kwargs={"task": task})
            for task in (NOTE_PEOPLE, NOTE_ENTITIES)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert server.most_at_once <= 8
        assert len(server.chats) == 2 * 12
    assert ledger.summary()["calls"] == 24


def test_each_step_has_the_tools_of_its_own_kind() -> None:
    assert [tool["function"]["name"] for tool in tools_of(NOTE_ENTITIES)] == [
        "add_note_to_entity",
        "create_relationship",
        "add_note_to_relationship",
    ]
    for tool in tools_of(NOTE_PEOPLE):
        parameters = tool["function"]["parameters"]
        assert parameters["additionalProperties"] is False
        assert sorted(parameters["required"]) == sorted(parameters["properties"])


def test_a_long_source_is_noted_in_parts_and_joined(ledger: Ledger) -> None:
    long = request().model_copy(
        update={
            "statements": tuple(
                StatedText(
                    speaker=None,
                    text=f"Maria repaired boat number {n} " + "in the harbour " * 30,
                    content_type="insight",
                    durability=0.6,
                    about=("Maria",),
                )
                for n in range(120)
            )
        }
    )
    with ProtocolServer() as server:
        (answer,) = take(model_at(server, ledger), long)
        parts = {chat.user_text for chat in server.chats}
        assert len(parts) > 1
        assert len(answer.value.notes) == len(parts) and len(answer.value.relationships) == 1
