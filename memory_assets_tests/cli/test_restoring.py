"""`audits` and `restore`, as somebody types them."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from memory_assets.curation.duplicates import deduplicate
from memory_assets.errors import UnknownReferenceError, WrongUseError
from memory_assets.graph.graph import Graph
from memory_assets.graph.owners import source_mark
from memory_assets_tests.curation.records import record, seed
from memory_assets_tests.curation.test_duplicates import say
from memory_assets_tests.curation.test_restoring import picture
from memory_assets_tests.curation.test_tombstones import NOW, prune, remove

pytestmark = pytest.mark.own_engine


def test_what_was_cut_is_listed_and_comes_back_once(
    graph: Graph,
    user: str,
    command: Callable[..., str],
) -> None:
    one, other = f"{user}:one", f"{user}:other"
    graph.write_together([source_mark(user, NOW)])
    seed(graph, user, [record(one), record(other, "Task")], [(other, "REFERS_TO", one)])
    before = picture(graph, user, [one, other])
    prune(graph, user, [one, other])
    remove(graph, user, [other])
    listed = json.loads(command("audits", "--user", user, "--json"))["audits"]
    assert listed[0]["action"] == "remove" and {row["memory_id"] for row in listed[1:]} == {one, other}
    assert len(json.loads(command("audits", "-u", user, "--since", "2026-05-02", "--json"))["audits"]) == 1
    assert "its time is over" in command("audits", "-u", user)

    planned = json.loads(command("restore", "--cycle", f"cycle:{user}", "-u", user, "--dry-run", "--json"))
    assert planned["dry_run"] and {row["memory_id"] for row in planned["restored"]} == {one, other}
    assert picture(graph, user, [one, other]) != before
    assert "What" in command("restore", "--cycle", f"cycle:{user}", "-u", user)
    assert picture(graph, user, [one, other]) == before
    again = json.loads(command("restore", "--since", "2026-05-01", "-u", user, "--json"))
    assert again["restored"] == [] and {row["memory_id"] for row in again["left"]} == {one, other}
    assert all("restored before" in row["what"] for row in again["left"])


def test_an_audit_needs_no_user_and_one_that_nobody_has_is_an_error(
    graph: Graph,
    user: str,
    command: Callable[..., str],
) -> None:
    graph.write_together([source_mark(user, NOW)])
    seed(graph, user, [record(user)])
    prune(graph, user, [user])
    (audit,) = json.loads(command("audits", "-u", user, "--json"))["audits"]
    done = json.loads(command("restore", audit["id"], "--json"))
    assert [row["audit"] for row in done["restored"]] == [audit["id"]]
    command("restore", "audit:unknown", "-u", user, fails=UnknownReferenceError)
    for wrong in ([], ["x", "--cycle", "y"]):
        command("restore", *wrong, "-u", user, fails=WrongUseError)
    command("restore", "--since", "soon", "-u", user, fails=WrongUseError)


def test_a_record_gets_its_words_back_and_two_that_are_kept_apart_wait_again(
    graph: Graph,
    user: str,
    command: Callable[..., str],
) -> None:
    graph.write_together([source_mark(user, NOW)])
    said = {"record_kind": "Analysis", "confidence": None}
    short = record(f"{user}:s", "Analysis", **said, text="It was so.", full_text="It was so and so.", token_count=4)
    texts = ("The dog of the neighbour bit the old man.", "The old man bit the dog of the neighbour.")
    seed(graph, user, [short])
    one, _ = (say(graph, user, str(at), text) for at, text in enumerate(texts))
    for more in (["--dry-run"], []):
        (back,) = json.loads(command("restore", "--words", short["ref"], "-u", user, "--json", *more))["words"]
        assert back["text"] == "It was so and so."
    command("restore", "--words", short["ref"], "-u", user, fails=UnknownReferenceError)
    command("restore", "--words", short["ref"], fails=WrongUseError)
    deduplicate(graph, user, [one], NOW)
    (pair,) = json.loads(command("duplicates", "-u", user, "--json"))
    command("duplicates", "keep", pair["id"], "-u", user)
    assert json.loads(command("duplicates", "-u", user, "--json")) == []
    assert [row["id"] for row in json.loads(command("duplicates", "-u", user, "--kept", "--json"))] == [pair["id"]]
    command("duplicates", "undo", pair["id"], "-u", user)
    assert len(json.loads(command("duplicates", "-u", user, "--json"))) == 1
    command("duplicates", "undo", pair["id"], "-u", user, fails=UnknownReferenceError)
