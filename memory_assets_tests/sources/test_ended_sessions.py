"""A session that has ended is one source, however often it ends and in whatever form it comes in besides."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from memory_assets.graph.graph import Graph
from memory_assets.model import node_id
from memory_assets.sessions.working_memory import Sessions
from memory_assets.sources.ingest import ingest_paths
from memory_assets_tests.sessions.turns import CLOCK, RULES, turn
from memory_assets_tests.sources.exports import codex_message, codex_meta

pytestmark = pytest.mark.graph
SESSION = "0b1f6a52-6c1e-4d7e-9d39-5a1f0c9be111"


def transcript(path: Path, *more: str) -> Path:
    """As Claude Code writes one."""
    said = [
        ("user", "u1", None, "I decided that the boat leaves on Friday."),
        ("assistant", "a1", "u1", "Noted: on Friday."),
    ]
    said += [("user", f"m{number}", "a1", text) for number, text in enumerate(more)]
    path.write_text(
        "\n".join(
            json.dumps(
                {
                    "type": role,
                    "uuid": name,
                    "parentUuid": parent,
                    "sessionId": SESSION,
                    "isSidechain": False,
                    "timestamp": f"2026-05-03T09:0{number}:00Z",
                    "message": {"role": role, "content": text},
                }
            )
            for number, (role, name, parent, text) in enumerate(said)
        ),
        encoding="utf-8",
    )
    return path


def ended(home: Path, user: str) -> Path:
    sessions = Sessions(home, CLOCK, RULES)
    sessions.add(
        user,
        SESSION,
        [turn("user", "I decided that the boat leaves on Friday."), turn("assistant", "Noted: on Friday.")],
    )
    (file,) = sessions.end(user, SESSION, home / "inbox" / user)
    return file


def stored(graph: Graph, user: str) -> list[str]:
    keys = (f"id/{SESSION}", f"claude-code/{SESSION}/session", f"codex/{SESSION}/session")
    ids = [node_id("source", user, "conversation", key) for key in keys]
    return [row["id"] for row in graph.read("graph/find_sources", ids=ids, user_id=user)]


def codex_transcript(path: Path) -> Path:
    """The same as Codex writes it."""
    said = [codex_message("user", "I decided that the boat leaves on Friday."), codex_message("assistant", "Noted.")]
    path.write_text("\n".join([codex_meta(SESSION), *said]), encoding="utf-8")
    return path


@pytest.mark.parametrize("written", [transcript, codex_transcript])
@pytest.mark.parametrize("order", ["session first", "transcript first", "together"])
def test_a_session_and_its_transcript_are_one_source(
    order: str, written: Callable[[Path], Path], graph: Graph, user: str, tmp_path: Path
) -> None:
    file, other = ended(tmp_path, user), written(tmp_path / "transcript.jsonl")
    rounds = {"session first": [[file], [other]], "transcript first": [[other], [file]], "together": [[file, other]]}[
        order
    ]
    for paths in rounds:
        report = ingest_paths(graph, user, paths, None, CLOCK)
        assert not report.set_aside
    (one,) = stored(graph, user)
    for paths in rounds:
        assert ingest_paths(graph, user, paths, None, CLOCK, force=True).new == 0
    assert stored(graph, user) == [one]


def test_a_transcript_that_came_in_first_is_the_source_of_all_parts_of_its_session(
    graph: Graph, user: str, tmp_path: Path
) -> None:
    sessions = Sessions(tmp_path, CLOCK, RULES)
    for project in ("harbor", "garden"):
        sessions.add(user, SESSION, [turn("user", f"I decided that the boat of {project} leaves.")], project=project)
    files = sessions.end(user, SESSION, tmp_path / "inbox" / user)
    assert len(files) == 2 and ingest_paths(graph, user, [transcript(tmp_path / "t.jsonl")], None, CLOCK).new == 1
    assert ingest_paths(graph, user, files, None, CLOCK).new == 0
    other = f"{user}-2"
    assert ingest_paths(graph, other, files, None, CLOCK).new == 2
    assert ingest_paths(graph, other, [tmp_path / "t.jsonl"], None, CLOCK).new == 0


def test_a_session_that_ends_again_has_grown(graph: Graph, user: str, tmp_path: Path) -> None:
    file = ended(tmp_path, user)
    ingest_paths(graph, user, [file], None, CLOCK)
    (one,) = stored(graph, user)
    sessions = Sessions(tmp_path, CLOCK, RULES)
    sessions.add(user, SESSION, [turn("user", "And Maya comes along.", 5)])
    sessions.end(user, SESSION, tmp_path / "inbox" / user)
    report = ingest_paths(graph, user, [file], None, CLOCK)
    assert (report.sources, report.new) == (1, 0) and stored(graph, user) == [one]
    (row,) = graph.read("sources/list_raw_contents", ids=[one], user_id=user)
    assert row["raw_content"].count("\n") == 2 and "Maya" in row["raw_content"]
