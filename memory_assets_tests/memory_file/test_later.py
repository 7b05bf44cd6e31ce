"""What later statements have made of those in a file's pool."""

from __future__ import annotations

import pytest

from memory_assets.llm.tokens import count_tokens
from memory_assets_tests.memory_file.pools import memory, outdated_by
from memory_assets_tests.support.memory_files import select_entries


@pytest.mark.parametrize("text", ["I live in Boston and I'm vegetarian.", "I live in Boston."])
def test_of_a_memory_only_what_holds_is_in_the_file(text: str) -> None:
    later = memory("I've moved to Denver.", place=5, said_by_owner=True)
    earlier = memory("I live in Boston and I'm vegetarian.", place=0, said_by_owner=True)
    pool = [outdated_by(earlier, later, "I live in Boston"), later]
    summary = memory(f"We talked of food. {text}", "recent", place=0)
    chosen = select_entries("ann", [*pool, summary], count_tokens)
    assert "Boston" not in chosen.text and "I'm vegetarian." in chosen.text and "Denver" in chosen.text
    assert {entry.memory_id for entry in chosen.entries} == {one.memory_id for one in pool}
    assert [row.reason for row in chosen.left_out] == [f"tells what {later.ref} has taken back"]


def test_what_loses_all_its_clauses_one_by_one_leaves_the_file() -> None:
    moved = memory("I've moved to Denver.", place=1, said_by_owner=True)
    eats = memory("I'm no longer vegetarian.", place=2, said_by_owner=True)
    earlier = memory("I live in Boston and I'm vegetarian.", place=0, said_by_owner=True)
    earlier = outdated_by(outdated_by(earlier, moved, "I live in Boston"), eats, "I'm vegetarian")
    chosen = select_entries("ann", [earlier, moved, eats], count_tokens)
    assert [(row.memory_id, row.reason) for row in chosen.left_out] == [
        (earlier.memory_id, f"superseded by {eats.ref}")
    ]


@pytest.mark.parametrize(
    ("how", "reason", "why"),
    [
        ("wholly", "changed", "superseded by {}"),
        ("wholly", "done", "done by {}"),
        ("perhaps", "changed", "perhaps outdated, see {}"),
    ],
)
def test_what_a_later_entry_outdates_is_left_out_and_says_why(how: str, reason: str, why: str) -> None:
    later = memory("I renewed the passport.", place=6, said_by_owner=True)
    task = memory("Renew the passport by 20 September.", "tasks", place=1, said_by_owner=True)
    chosen = select_entries("ann", [outdated_by(task, later, how=how, reason=reason), later], count_tokens)
    assert [row.reason for row in chosen.left_out] == [why.format(later.ref)]


def test_what_is_perhaps_outdated_stays_where_the_later_statement_is_not() -> None:
    later = memory("I'm on the train.", place=6, said_by_owner=True, statement="")
    car = memory("I drive an old Golf.", place=1, said_by_owner=True)
    chosen = select_entries("ann", [outdated_by(car, later, how="perhaps", reason="changed"), later], count_tokens)
    assert [entry.memory_id for entry in chosen.entries] == [car.memory_id]


@pytest.mark.parametrize("is_order", [True, False])
def test_an_order_that_is_perhaps_outdated_leaves_its_room_to_another_order_alone(is_order: bool) -> None:
    later = memory("Name the builds by date.", "preferences", place=6, said_by_owner=True, is_standing=is_order)
    order = memory("Name the builds by number.", "preferences", place=1, said_by_owner=True, is_standing=True)
    chosen = select_entries("ann", [outdated_by(order, later, how="perhaps", reason="changed"), later], count_tokens)
    assert (order.memory_id in {entry.memory_id for entry in chosen.entries}) is not is_order


def test_the_latest_statement_is_named_that_takes_a_memory_back() -> None:
    first, second = (memory(text, place=9 + n) for n, text in enumerate(("It moves to 10 May.", "It moves to 1 June.")))
    launch = memory("The launch is on 3 May.", place=1)
    launch = outdated_by(outdated_by(launch, first), second)
    chosen = select_entries("ann", [launch, outdated_by(first, second), second], count_tokens)
    assert {row.reason for row in chosen.left_out} == {f"superseded by {second.ref}"}
