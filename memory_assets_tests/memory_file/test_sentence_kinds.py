"""What kind of sentence a memory is, and what that makes it worth among others that say as much."""

from __future__ import annotations

from datetime import date

import pytest

from memory_assets.llm.tokens import count_tokens
from memory_assets.memory_file import sentence_kinds, weighing
from memory_assets.memory_file.candidates import FileRules
from memory_assets.memory_file.selection import select_entries
from memory_assets_tests.memory_file.pools import memory

RULES = FileRules()


def factor(text: str, section: str = "insights", entity_type: str = "KnowledgeChunk") -> float:
    one = memory(text, section, entity_type=entity_type)
    return weighing.factor_of(one, text, "maria", None, RULES, was_task=False)


@pytest.mark.parametrize(
    ("text", "has_happened"),
    [
        ("I painted the harbour", True),
        ("we went to the quarry", True),
        ("The ladder was sold", True),
        ("I paint the harbour", False),
        ("I need a ladder", False),
        ("I will paint the harbour", False),
        ("Wir malen den Hafen", False),
    ],
)
def test_what_has_happened_shows_by_its_verb(text: str, has_happened: bool) -> None:
    assert sentence_kinds.happened(text) is has_happened


@pytest.mark.parametrize(
    ("text", "opens"),
    [
        ("Looking forward to the harbour", True),
        ("painting the harbour is fun", True),
        ("Nothing is left of the harbour", False),
        ("During the storm the harbour stays shut", False),
        ("Morning fog lies in the harbour", False),
        ("I am painting the harbour", False),
    ],
)
def test_what_opens_with_doing_does_not_say_who_does(text: str, opens: bool) -> None:
    assert sentence_kinds.opens_with_doing(text) is opens


def test_each_kind_weighs_an_insight_by_its_own_rule() -> None:
    plain = factor("I like the quarry")
    assert factor("I like the quarry of Oslo") == pytest.approx(plain / RULES.plain_weight)
    assert factor("I painted the quarry") == pytest.approx(plain * RULES.happened_weight)
    assert factor("Painting the quarry is fun") == pytest.approx(plain * RULES.doing_weight)


@pytest.mark.parametrize("section", ["preferences", "tasks", "recent"])
def test_what_stands_elsewhere_is_weighed_by_no_such_rule(section: str) -> None:
    assert (
        factor("Painting the quarry", section)
        == factor("I painted the quarry", section)
        == factor("I like the quarry", section)
    )


def test_an_overview_is_weighed_as_a_whole_whatever_its_verbs() -> None:
    texts = ("They painted the quarry", "They paint the quarry")
    assert len({factor(text, entity_type="Macro") for text in texts}) == 1


def test_of_two_that_say_as_much_stands_what_has_happened() -> None:
    happened, doing = memory("We visited the quarry orchard"), memory("Visiting the quarry orchard")
    chosen = select_entries("maria", [doing, happened], count_tokens)
    assert [entry.text for entry in chosen.entries] == [happened.text]
    assert [row.reason for row in chosen.left_out] == [f"already said by {happened.ref}"]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("They help me through the long days at the mill.", True),
        ("You really enjoy having herons in the garden!", True),
        ("Your help will make it happen.", True),
        ("It's been a hard winter, and I want to make the best of it.", True),
        ("That's how we will think of the old pier.", True),
        ("It needs a new rope before anybody climbs it.", False),
        ("You must send the papers.", False),
        ("They want me to bring the ladder.", False),
        ("It's due on Monday.", False),
        ("It's time to renew the passport.", False),
        ("It will be collected by Friday.", False),
        ("They collect the ladder on 30 September.", False),
        ("This week I'll tune the cello.", False),
        ("That invoice is to be paid.", False),
        ("Italian papers have to be renewed.", False),
        ("I'll mend it.", False),
        ("It looks like I need to replace the tyre.", False),
        ("They sent me the form, I still have to sign it.", False),
        ("It's my job to file the taxes.", False),
        ("That was kind, I love herons.", True),
        ("This is due, and that is to be paid.", False),
        ("That is to be paid.", False),
    ],
)
def test_what_only_tells_of_another_is_no_task(text: str, told: bool) -> None:
    assert sentence_kinds.tells_of_another(text, date(2026, 9, 1)) is told


def test_what_the_owner_only_tells_of_others_is_an_insight_unless_they_wrote_it_down_as_a_task() -> None:
    told = memory("They help me through the long days.", "tasks", label="Maria", said_by_owner=True)
    bens = memory("You carry the ladder to the pier.", "tasks", label="Ben")
    written = memory("It is all about the harbour.", "tasks", said_by_owner=True, by_editor=True)
    placed = {e.memory_id: e.section for e in select_entries("maria", [told, bens, written], count_tokens).entries}
    assert placed == {told.memory_id: "insights", bens.memory_id: "tasks", written.memory_id: "tasks"}
