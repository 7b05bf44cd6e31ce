"""Every source knows its project: from what it says, where it lies, or as it is given. With a running engine."""

from __future__ import annotations

import json
import subprocess
from datetime import UTC, datetime, timedelta
from itertools import permutations
from pathlib import Path

import pytest

from memory_assets.clock import Clock
from memory_assets.graph.graph import Graph
from memory_assets.graph.owners import readable_owners
from memory_assets.privacy.projects import ProjectNameError, Within
from memory_assets.sources.ingest import ingest_paths
from memory_assets.sources.policy import project_of_path
from memory_assets.sources.source_list import list_heads, list_projects

NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)


def clock(minutes: int = 0) -> Clock:
    return Clock(NOW + timedelta(minutes=minutes))


def projects(graph: Graph, user: str) -> list[str | None]:
    return sorted((head.project for head in list_heads(graph, [user], user)), key=str)


def transcript(cwd: str, first: int = 1, last: int = 2, session: str = "s1") -> str:
    lines = [
        {"type": "user", "uuid": f"u{n}", "parentUuid": f"u{n - 1}" if n > 1 else None, "sessionId": session,
         "cwd": cwd, "timestamp": f"2026-11-20T09:0{n}:00Z",
         "message": {"role": "user", "content": f"Line {n} about the harbor."}}
        for n in range(first, last + 1)
    ]  # fmt: skip
    return "\n".join(map(json.dumps, lines)) + "\n"


def belief(text: str, **more: str) -> str:
    return json.dumps({"record": "belief", "agent": "scout", "at": "2026-11-20T09:00:00Z", "text": text, **more})


SLACK = json.dumps([{"type": "message", "user": "U1", "text": "The pier is repaired.", "ts": "1763628000.000100"}])
CHAT = {"role": "user", "content": "The pier is repaired.", "timestamp": "2026-11-20T09:00:05Z", "conversation_id": "c"}


@pytest.mark.parametrize(
    "name, text, expected",
    [
        ("t.jsonl", transcript("/nowhere/src/Harbor"), ["harbor"]),
        ("n.md", "---\nproject: Harbor Walk\n---\n\nThe pier is repaired.\n", ["harbor-walk"]),
        ("n.md", '---\nproject: "[[Harbor]]"\n---\n\nThe pier is repaired.\n', ["harbor"]),
        ("n.md", "The pier is repaired, says the project.\n", [None]),
        ("r.jsonl", belief("The pier is repaired.", project="Harbor") + "\n", ["harbor"]),
        ("r.jsonl", belief("One.", project="harbor") + "\n" + belief("Two.", project="garden"), ["garden", "harbor"]),
        ("r.jsonl", belief("One.", project="harbor") + "\n" + belief("Two."), [None, "harbor"]),
        ("c.jsonl", json.dumps(CHAT) + "\n", [None]),
        ("c.jsonl", json.dumps(CHAT | {"project": "harbor"}) + "\n", ["harbor"]),
        ("dock-talk/2026-11-20.json", SLACK, ["dock-talk"]),
        ("D0123ABCD/2026-11-20.json", SLACK, [None]),
    ],
)
def test_a_source_says_its_project(graph, user, tmp_path, name, text, expected):
    path = tmp_path / "export" / name
    path.parent.mkdir(parents=True)
    path.write_text(text)
    if path.suffix == ".json":
        (tmp_path / "export" / "users.json").write_text("[]")
        (tmp_path / "export" / "channels.json").write_text("[]")
    ingest_paths(graph, user, [tmp_path / "export"], None, clock())
    assert projects(graph, user) == sorted(expected, key=str)


def test_a_subfolder_is_of_its_repository(graph, user, tmp_path):
    root = tmp_path / "harbor"
    (root / "web").mkdir(parents=True)
    subprocess.run(["git", "-C", root, "init", "-q"], check=True)
    for number, folder in enumerate((root, root / "web")):
        (tmp_path / f"{number}.jsonl").write_text(transcript(str(folder), session=f"s{number}"))
    ingest_paths(graph, user, sorted(tmp_path.glob("*.jsonl")), None, clock())
    assert projects(graph, user) == ["harbor", "harbor"]


@pytest.mark.parametrize("order", list(permutations(range(2))))
def test_what_two_files_say_of_one_session_does_not_depend_on_their_order(graph, user, tmp_path, order):
    texts = (transcript("/nowhere/harbor", 1, 2), transcript("/nowhere/garden", 2, 3))
    for place in order:
        path = tmp_path / f"{place}.jsonl"
        path.write_text(texts[place])
        ingest_paths(graph, user, [path], None, clock(place))
    assert projects(graph, user) == ["garden"]


def test_what_is_given_holds_over_what_was_found(graph, user, tmp_path):
    path = tmp_path / "t.jsonl"
    path.write_text(transcript("/nowhere/harbor"))
    ingest_paths(graph, user, [path], None, clock(), project="Garden Works")
    path.write_text(transcript("/nowhere/harbor", 1, 3))
    ingest_paths(graph, user, [path], None, clock(1))
    assert projects(graph, user) == ["garden-works"]
    report = ingest_paths(graph, user, [path], None, clock(2), project="garden")
    assert (projects(graph, user), report.new) == (["garden"], 0)


def test_a_project_is_given_to_what_is_known(graph, user, tmp_path):
    (tmp_path / "n.md").write_text("The pier is repaired.\n")
    ingest_paths(graph, user, [tmp_path], None, clock())
    assert projects(graph, user) == [None]
    ingest_paths(graph, user, [tmp_path], None, clock(1), project="harbor")
    assert projects(graph, user) == ["harbor"]


def test_what_is_no_name_is_refused_before_anything_is_read(graph, user, tmp_path):
    with pytest.raises(ProjectNameError):
        ingest_paths(graph, user, [tmp_path], None, clock(), project="/")


def test_a_folder_of_the_inbox_is_a_project(graph, user, tmp_path):
    for folder in ("projects/Harbor/notes", "projects", "elsewhere"):
        (tmp_path / folder).mkdir(parents=True, exist_ok=True)
        (tmp_path / folder / "n.md").write_text(f"The pier of {folder} is repaired.\n")
    ingest_paths(graph, user, [tmp_path], None, clock(), projects_in=tmp_path / "projects")
    assert projects(graph, user) == [None, None, "harbor"]


@pytest.mark.parametrize(
    "path, expected",
    [
        ("/in/projects/harbor/a.md", "harbor"),
        ("/in/projects/harbor/deep/a.md", "harbor"),
        ("/in/projects/a.md", None),
        ("/in/projects", None),
        ("/in/a.md", None),
    ],
)
def test_the_folder_beneath_names_the_project(path, expected):
    assert project_of_path(path, Path("/in/projects")) == expected
    assert project_of_path(path, None) is None


def test_projects_are_listed_with_their_days(graph, user, tmp_path):
    for number, (project, day) in enumerate([("harbor", 3), ("harbor", 5), ("garden", 4), ("", 6)]):
        front = f"project: {project}\n" if project else ""
        (tmp_path / f"{number}.md").write_text(f"---\n{front}date: 2026-11-0{day}\n---\n\nThe pier, part {number}.\n")
    ingest_paths(graph, user, [tmp_path], None, clock())
    assert list_projects(graph, user) == [
        {"project": "garden", "sources": 1, "first": "2026-11-04", "last": "2026-11-04"},
        {"project": "harbor", "sources": 2, "first": "2026-11-03", "last": "2026-11-05"},
        {"project": None, "sources": 1, "first": "2026-11-06", "last": "2026-11-06"},
    ]


def test_who_works_in_a_project_reads_no_source_of_another(graph, user, tmp_path):
    for project in ("harbor", "garden"):
        (tmp_path / f"{project}.md").write_text(f"---\nproject: {project}\n---\n\nThe pier of the {project}.\n")
    (tmp_path / "of_none.md").write_text("The pier of nobody.\n")
    ingest_paths(graph, user, [tmp_path], None, clock())

    def read(project: str | None) -> set[str | None]:
        owners = readable_owners(graph, user, Within(project) if project else None)
        return {row["project"] for row in graph.read("sources/list_projects", user_ids=owners)}

    assert read(None) == {"harbor", "garden", None}
    assert read("harbor") == {"harbor", None}
    assert read("elsewhere") == {None}
