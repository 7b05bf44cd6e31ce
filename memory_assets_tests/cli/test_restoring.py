"""`audits` and `restore`, as somebody types them."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from memory_assets.errors import UnknownReferenceError
from memory_assets.graph.graph import Graph
from memory_assets.graph.owners import source_mark
from memory_assets_tests.cli.test_sources import command  # noqa: F401
from memory_assets_tests.curation.records import record, seed
from memory_assets_tests.curation.test_restoring import picture
from memory_assets_tests.curation.test_tombstones import NOW, prune, remove

pytestmark = pytest.mark.graph


def test_what_was_cut_is_listed_and_comes_back_once(
    graph: Graph,
    user: str,
    command: Callable[..., str],  # noqa: F811
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
    command: Callable[..., str],  # noqa: F811
) -> None:
    graph.write_together([source_mark(user, NOW)])
    seed(graph, user, [record(user)])
    prune(graph, user, [user])
    (audit,) = json.loads(command("audits", "-u", user, "--json"))["audits"]
    done = json.loads(command("restore", audit["id"], "--json"))
    assert [row["audit"] for row in done["restored"]] == [audit["id"]]
    command("restore", "audit:unknown", "-u", user, fails=UnknownReferenceError)
    for wrong in ([], ["x", "--cycle", "y"]):
        command("restore", *wrong, "-u", user, fails=SystemExit)
    command("restore", "--since", "soon", "-u", user, fails=SystemExit)
