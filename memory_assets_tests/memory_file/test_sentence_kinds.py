"""What kind of sentence a memory is, and what that makes it worth among others that say as much."""

from __future__ import annotations

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
    assert factor("Painting the quarry", section) == factor("I painted the quarry", section) == factor("I like the quarry", section)


def test_an_overview_is_weighed_as_a_whole_whatever_its_verbs() -> None:
    texts = ("They painted the quarry", "They paint the quarry")
    assert len({factor(text, entity_type="Macro") for text in texts}) == 1


def test_of_two_that_say_as_much_stands_what_has_happened() -> None:
    happened, doing = memory("We visited the quarry orchard"), memory("Visiting the quarry orchard")
    chosen = select_entries("maria", [doing, happened], count_tokens)
    assert [entry.text for entry in chosen.entries] == [happened.text]
    assert [row.reason for row in chosen.left_out] == [f"already said by {happened.ref}"]
