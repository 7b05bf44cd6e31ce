"""What is remembered by a command: once under a key, in the place of what holds no longer."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from memory_assets_tests.cli.test_files import command

__all__ = ["command"]
pytestmark = pytest.mark.graph


def test_it_is_remembered_once_under_a_key_and_supersedes(command: Callable[..., str]) -> None:
    def remembered(*given: str) -> dict[str, object]:
        return json.loads(command("remember", *given, "--json"))

    old = remembered("The ferry leaves at nine.", "--key", "ferry")
    again = remembered("The ferry leaves at nine.", "--key", "ferry")
    assert (again["ref"], again["is_new"]) == (old["ref"], False)
    new = remembered("The ferry leaves at ten.", "--supersedes", f"[{old['ref']}]")
    assert new["supersedes"] == [old["ref"]]
    found = command("recall", "When does the ferry leave?")
    assert "at ten" in found and "at nine" not in found
    said = command("remember", "The ferry is blue.", "--supersedes", "000000000", fails=True)
    assert "000000000" in said and "blue" not in command("recall", "Which colour has the ferry?")


def test_it_says_what_it_contradicts(command: Callable[..., str]) -> None:
    ref = command("remember", "Priya is allergic to nuts.", "--agent", "cursor").strip("[]\n")
    said = command("remember", "Priya is not allergic to nuts.", "--agent", "codex")
    assert f"It contradicts [{ref}]: Priya is allergic to nuts." in said and "memory-assets contradictions" in said
