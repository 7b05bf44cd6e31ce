"""What is published of a memory is its statement: what of its words a stranger understands."""

from __future__ import annotations

from typing import Any

import pytest

from memory_assets.llm.local.parts import left_of_rewritten
from memory_assets.llm.tokens import count_tokens
from memory_assets.memory_file import reports
from memory_assets.memory_file.drafts import judge_draft, make_drafts, read_draft
from memory_assets.memory_file.items import UNCLEAR
from memory_assets.memory_file.pool import FROM_A_MACHINE, NEVER_RECENT, rewrite_summary
from memory_assets.memory_file.user_files import default_of
from memory_assets.values.classify import classify_memories
from memory_assets_tests.memory_file.pools import memory, outdated_by
from memory_assets_tests.support.memory_files import select_entries


def lines(*pool: Any) -> list[str]:
    text = select_entries("ana", pool, count_tokens).text
    return [line.rpartition(" [")[0] for line in text.split("\n") if line.startswith("- ")]


def test_a_line_is_its_memorys_statement_without_a_speaker_before_it() -> None:
    said = {"label": "Nora Berg", "statement": "Nora Berg has moved to Lyon."}
    assert lines(memory("I have moved to Lyon.", **said)) == ["- 1 September: Nora Berg has moved to Lyon."]


def test_words_that_name_no_speaker_follow_their_speakers_name() -> None:
    said = {"label": "Nora Berg", "statement": "The ferry to Lyon is closed."}
    expected = ["- 1 September, Nora: The ferry to Lyon is closed."]
    assert lines(memory("The ferry to Lyon is closed.", **said)) == expected


def test_what_is_not_understood_alone_is_left_out_and_says_why() -> None:
    chosen = select_entries("ana", [memory("It was closed in Lyon.", statement="")], count_tokens)
    assert (chosen.entries, [row.reason for row in chosen.left_out]) == ((), [UNCLEAR])


@pytest.mark.parametrize("by", ["by_editor", "is_own_line"])
def test_what_a_person_wrote_as_a_line_stays_as_it_is(by: str) -> None:
    assert lines(memory("It was closed in Lyon.", statement="", **{by: True})) == [
        "- 1 September: It was closed in Lyon."
    ]


def test_two_peoples_same_words_are_two_statements() -> None:
    pool = [
        memory("I sold my boat.", label="Nora", statement="Nora sold their boat.", embedding=[1.0, 0.0]),
        memory("I sold my boat!", label="Tom", statement="Tom sold their boat!", embedding=[1.0, 0.0], place=1),
    ]
    assert len(lines(*pool)) == 2


@pytest.mark.parametrize(
    ("statement", "text", "gone", "left"),
    [
        ("Ana lives in Ulm. Ana works at Acme.", "I live in Ulm. I work at Acme.", {0}, "Ana works at Acme."),
        ("Ana lives in Ulm. They work at Acme.", "I live in Ulm. I work at Acme.", {0}, None),
        ("Ana lives in Ulm. They work at Acme.", "I live in Ulm. I work at Acme.", {1}, "Ana lives in Ulm."),
        ("Ana lives in Ulm and they are vegan.", "I live in Ulm and I'm vegan.", {0}, None),
        ("The bus is late. The tram is full.", "The bus is late. The tram is full.", {0}, None),
    ],
)
def test_what_is_left_of_a_statement_names_who_it_is_about(
    statement: str, text: str, gone: set[int], left: str
) -> None:
    assert left_of_rewritten(statement, text, gone) == left


def test_the_clauses_that_still_hold_are_published_as_a_statement() -> None:
    statement = "Ana lives in Boston. Ana has two cats."
    first = memory("I live in Boston. I have two cats.", statement=statement, said_by_owner=True)
    later = memory("I moved to Lyon.", statement="Ana moved to Lyon.", said_by_owner=True, place=1)
    assert lines(outdated_by(first, later, "I live in Boston."), later) == [
        "- 2 September: Ana moved to Lyon.",
        "- 1 September: Ana has two cats.",
    ]


def test_clauses_that_cannot_be_rewritten_are_a_quotation() -> None:
    statement = "Ana lives in Boston and they are vegetarian."
    first = memory("I live in Boston and I'm vegetarian.", statement=statement, said_by_owner=True, label="Ana")
    later = memory("I moved to Lyon.", statement="Ana moved to Lyon.", said_by_owner=True, place=1, label="Ana")
    assert lines(outdated_by(first, later, "I live in Boston"), later) == [
        "- 2 September: Ana moved to Lyon.",
        "- 1 September, Ana: I'm vegetarian.",
    ]


@pytest.mark.graph
def test_what_was_said_is_found_from_its_statement(world: Any) -> None:
    source = world.add_source("boat", 0)
    known = {"speaker": "Caroline", "statement": "Caroline sold their boat."}
    world.add_statement("I sold my boat.", source, **known)
    world.add_statement("It was red.", source, speaker="Caroline", statement="")
    classify_memories(world.graph, world.user, world.now)
    file = default_of(world.user)
    make_drafts(world.graph, world.user, [file], world.now)
    assert not judge_draft(world.graph, file)
    draft = read_draft(world.graph, file)
    (entry,) = [entry for entry in draft.entries if entry["section"] == "insights"]
    assert entry["text"] == "Caroline sold their boat."
    assert UNCLEAR in [row["reason"] for row in draft.left_out]
    found = reports.explain(world.graph, world.user, entry["ref"])
    assert (found["text"], found["said"]) == ("Caroline sold their boat.", "I sold my boat.")


@pytest.mark.graph
def test_another_statement_of_the_same_words_is_another_line(world: Any) -> None:
    source, file = world.add_source("boat", 0), default_of(world.user)
    for name in ("Caroline", "Caroline Lund"):
        world.add_statement("I sold my boat.", source, speaker="Caroline", statement=f"{name} sold their boat.")
        classify_memories(world.graph, world.user, world.now)
        assert make_drafts(world.graph, world.user, [file], world.now) == [True]
        assert not judge_draft(world.graph, file)
        assert f"{name} sold their boat." in read_draft(world.graph, file).text


@pytest.mark.parametrize(
    ("summary", "statements", "rewritten"),
    [
        (
            "I moved to Lyon. The ferry to Lyon is closed.",
            [("I moved to Lyon.", "Ana moved to Lyon.")],
            "Ana moved to Lyon. The ferry to Lyon is closed.",
        ),
        ("I moved to Lyon. Our ferry is closed.", [("I moved to Lyon", "Ana moved to Lyon.")], "Ana moved to Lyon."),
        ("Ana wrote about “My plans”. I like it.", [], "Ana wrote about “My plans”."),
        ("We like it.", [("We like it.", "")], ""),
    ],
)
def test_a_summary_says_i_of_nobody(summary: str, statements: list[tuple[str, str]], rewritten: str) -> None:
    assert rewrite_summary(summary, statements) == rewritten


@pytest.mark.graph
def test_what_a_machine_has_sent_is_in_no_file(world: Any) -> None:
    sent = world.add_source("sale", provenance='{"bulk": true, "encoding": "ascii"}')
    said, file = world.add_source("harbour", 50), default_of(world.user)
    world.add_statement("All seeds are sold at half the price.", sent)
    world.add_statement("The crane of the harbour is green.", said)
    classify_memories(world.graph, world.user, world.now)
    make_drafts(world.graph, world.user, [file], world.now)
    content = read_draft(world.graph, file)
    assert "crane" in content.text and "half the price" not in content.text and "sale" not in content.text
    assert [row["reason"] for row in content.left_out].count(FROM_A_MACHINE) == 2


@pytest.mark.graph
def test_a_recent_source_is_rewritten_by_its_statements(world: Any) -> None:
    source, file = world.add_source("boat. I lent my boat", 60, source_type="note"), default_of(world.user)
    restated = {"statement": "Ana lent their boat for an hour.", "speaker": None}
    world.add_statement("I lent my boat for an hour.", source, "chitchat", **restated)
    classify_memories(world.graph, world.user, world.now)
    make_drafts(world.graph, world.user, [file], world.now)
    assert not judge_draft(world.graph, file)
    (entry,) = [one for one in read_draft(world.graph, file).entries if one["section"] == "recent"]
    assert entry["text"] == "They built the boat. Ana lent their boat for an hour."


@pytest.mark.graph
@pytest.mark.parametrize(("source_type", "is_there"), [("note", True), ("email", False), ("slack", False)])
def test_what_people_write_to_each_other_is_no_recent_context(world: Any, source_type: str, is_there: bool) -> None:
    world.add_source("jetty", 60, source_type=source_type)
    classify_memories(world.graph, world.user, world.now)
    make_drafts(world.graph, world.user, [default_of(world.user)], world.now)
    content = read_draft(world.graph, default_of(world.user))
    assert ("They built the jetty" in content.text) is is_there
    assert is_there or [row["reason"] for row in content.left_out] == [NEVER_RECENT[source_type]]
