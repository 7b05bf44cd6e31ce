"""Wishes that another one says already, tasks in two forms, and first names."""

from __future__ import annotations

import pytest

from memory_assets.llm.tokens import count_tokens
from memory_assets.memory_file.candidates import Memory
from memory_assets.memory_file.weighing import short_labels
from memory_assets_tests.memory_file.pools import memory
from memory_assets_tests.support.memory_files import select_entries


def reasons(*pool: Memory) -> dict[str, str]:
    chosen = select_entries("maria", pool, count_tokens)
    texts = {m.memory_id: m.text for m in pool}
    return {texts[row.memory_id]: row.reason for row in chosen.left_out}


def test_one_task_in_two_forms_of_one_date_is_there_once() -> None:
    one = memory("Order six bronze keel bolts for Marigold by 2026-11-30", "tasks", 9)
    two = memory("I have to order the keel bolts by 30 November so that he can fit them.", "tasks", 5, label="Maria")
    assert len(reasons(one, two)) == 1


def test_first_names_are_enough_where_they_are_nobody_elses() -> None:
    pool = [
        memory("I asked Maya about it.", place=1, label="Ben Okafor"),
        memory("Maya is late.", place=2, label="Maya Lindqvist"),
        memory("The lanes open at six.", place=3, label="Millpond Pool"),
        memory("Hello Anna.", place=4, label="Anna Berg"),
        memory("Anna, no.", place=5, label="Anna Fischer"),
    ]
    short = short_labels(pool)
    assert short["Maya Lindqvist"] == "Maya"
    assert not {"Millpond Pool", "Anna Berg", "Anna Fischer"} & set(short)


@pytest.mark.parametrize(
    ("said", "stays"),
    [
        (["Always use metric units.", "Always use imperial units.", "Always use metric units!"], [1, 2]),
        (["Always use metric units.", "Always use my boat's units.", "Always use metric units!"], [0, 1]),
        (["Always convert the amounts to euros.", "Always convert the amounts to dollars."], [0, 1]),
        (["Always send the invoices to Anna.", "Always send the invoices to Ben."], [0, 1]),
        (["I always prefer hotels which allow dogs.", "I always prefer hotels which have a gym."], [0, 1]),
        (["I prefer tea rather than coffee.", "I prefer coffee rather than tea."], [0, 1]),
        (["I prefer React over Vue.", "I prefer Vue over React to keep it light."], [0, 1]),
        (["Always write English, never German.", "Always write German, never English."], [0, 1]),
        (["I prefer plain oak shelves to keep it light.", "I prefer plain oak shelves because they last."], [0]),
    ],
)  # fmt: skip
def test_the_newest_of_two_wishes_is_never_left_out_for_an_older_one(said: list[str], stays: list[int]) -> None:
    owners = {"said_by_owner": True, "is_standing": True, "section": "preferences"}
    pool = [memory(text, place=place, **owners) for place, text in enumerate(said)]
    chosen = {entry.memory_id for entry in select_entries("maria", pool, count_tokens).entries}
    assert [place for place, one in enumerate(pool) if one.memory_id in chosen] == stays
