"""The manners of the command line: kinds, messages, exit codes, and what goes to which stream."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from memory_assets_tests.support.installation import Installation, installation

pytestmark = [pytest.mark.own_engine, pytest.mark.slow]


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Installation]:
    """One installation for all tests of a user each."""
    with installation(tmp_path_factory.mktemp("house") / "home") as made:
        yield made


def test_a_given_kind_decides(house: Installation, tmp_path: Path, user: str) -> None:
    (tmp_path / "body.txt").write_text("Ann: this line would make it a transcript.\nBen: And this.\n", encoding="utf-8")
    assert house.json("ingest", tmp_path, "--user", user, "--kind", "email")["new"] == 1
    lines = [json.loads(line) for line in house.run("export", "--user", user).stdout.splitlines()]
    assert [line["properties"]["source_type"] for line in lines if "Source" in line.get("labels", [])] == ["email"]


def test_a_broken_line_and_a_file_set_aside_are_told_on_stderr(house: Installation, tmp_path: Path, user: str) -> None:
    (tmp_path / "chat.jsonl").write_text('{"role": "user", "content": "I like rain."}\nnot JSON\n', encoding="utf-8")
    (tmp_path / "empty.md").write_text("", encoding="utf-8")
    done = house.run("ingest", tmp_path, "--user", user, "--json")
    assert json.loads(done.stdout)["new"] == 1
    assert "chat.jsonl, line 2: The line was left out: it is not JSON" in done.stderr
    assert "Files set aside: 1;" in done.stderr


@pytest.mark.parametrize("command", [["show"], ["materialize", "--user", "nora"], ["doctor"]])
def test_a_home_that_cannot_be_is_one_sentence(tmp_path: Path, command: list[str]) -> None:
    (tmp_path / "file").write_text("in the way", encoding="utf-8")
    done = Installation(tmp_path / "file" / "home").run(*command, code=1)
    assert "Traceback" not in done.stderr
    assert str(tmp_path / "file") in done.stdout + done.stderr


def test_a_mistyped_name_does_not_become_a_user(house: Installation, user: str) -> None:
    done = house.run("materialize", "--user", user, code=2)
    assert f"Nothing is known of '{user}'" in done.stderr
    assert not house.memory_file(user).exists()
    assert user not in [path.name for path in (house.home / "inbox").iterdir()]
