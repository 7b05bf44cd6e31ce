"""The commands about single sources: what they print, what they exit with, and what they never tell."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from memory_assets.errors import MemoryAssetsError, UnknownReferenceError, WrongUseError
from memory_assets.graph.graph import Graph
from memory_assets.model import AccessKind
from memory_assets.runtime.accesses import Access, record_accesses, used_by_agents
from memory_assets.settings import Settings

pytestmark = pytest.mark.own_engine
KEYS = ["id", "ref", "kind", "title", "path", "phase", "started_at", "reason", "project"]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A note, a team's note and an empty file."""
    for name, text in {
        "own/2026-10-01 tea.md": "I prefer green tea to coffee. Tomasz Wilk repaired the lamp.",
        "own/empty.md": "",
        "team/2026-10-02 plan.md": "The garden plan of Maria Ruiz: the kale is planted by Friday.",
    }.items():
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return tmp_path


def listed(command: Callable[..., str], user: str) -> dict[str, dict[str, Any]]:
    found = json.loads(command("sources", "--user", user, "--json"))
    assert all(list(line) == KEYS for line in found)
    return {Path(line["path"]).name: line for line in found}


@pytest.mark.slow
def test_a_source_from_raw_to_opened_and_what_is_set_aside_until_it_can_be_read(
    command: Callable[..., str], folder: Path, user: str
) -> None:
    team = user.replace("-", "")
    command("team", "add", team, user)
    command("ingest", str(folder / "own"), "--user", user)
    command("ingest", str(folder / "team"), "--team", team)
    lines = listed(command, user)
    assert {name: (line["kind"], line["phase"], line["reason"]) for name, line in lines.items()} == {
        "2026-10-01 tea.md": ("note", "raw", None),
        "2026-10-02 plan.md": ("note", "raw", None),
        "empty.md": (None, "raw", "It is empty."),
    }
    assert (lines["empty.md"]["title"], lines["empty.md"]["started_at"]) == (None, None)
    assert lines["2026-10-01 tea.md"]["started_at"] == "2026-10-01T00:00:00.000Z"

    command("sources", "open", lines["empty.md"]["id"], "--user", user, fails=UnknownReferenceError)
    assert "is a file that gave no source" in command.errors[-1] and "It is empty." in command.errors[-1]  # type: ignore[attr-defined]

    plan = lines["2026-10-02 plan.md"]["id"]
    shown = command("sources", "open", plan, "--user", user)
    assert "note, 2026-10-02T00:00:00.000Z, extracted" in shown and "the kale is planted by Friday" in shown
    lines = listed(command, user)
    assert {name: line["phase"] for name, line in lines.items()} == {
        "2026-10-01 tea.md": "raw", "2026-10-02 plan.md": "extracted", "empty.md": "raw"
    }  # fmt: skip
    assert command("sources", "open", plan, "--user", user) == shown, "again, without another run"
    ref = lines["2026-10-02 plan.md"]["ref"]
    assert ref in command("sources", "--user", user) and plan not in command("sources", "--user", user)
    opened = json.loads(command("sources", "open", ref, "--user", user, "--json"))
    assert (opened["phase"], opened["reason"], len(opened["turns"])) == ("extracted", None, 1)

    table = command("sources", "--user", user)
    assert table.startswith("1 set aside or failed:") and "`memory-assets retry`" in table
    assert table.splitlines()[-1] == "2 sources: 1 raw, 0 processed, 1 extracted; 1 files set aside."

    command("retry", "--user", user, "--json", fails=MemoryAssetsError)
    assert "1 could not be done again" in command.errors[-1]  # type: ignore[attr-defined]
    (folder / "own" / "empty.md").write_text("The mast was painted.", encoding="utf-8")
    report = json.loads(command("retry", "--user", user, "--json"))
    assert ([Path(line["path"]).name for line in report["passed"]], report["failed"]) == (["empty.md"], [])
    assert {line["phase"] for line in listed(command, user).values()} == {"extracted"}
    assert command("retry", "--user", user) == "Nothing is set aside, and nothing has failed.\n"


def test_a_source_of_somebody_else_is_as_unknown_as_none_at_all(
    command: Callable[..., str], folder: Path, user: str
) -> None:
    other = f"{user}b"
    shutil.rmtree(folder / "team")
    command("ingest", str(folder / "own"), "--user", user)
    command("team", "add", other.replace("-", ""), other)
    own = listed(command, user)["2026-10-01 tea.md"]
    refusals = []
    for identifier in (own["id"], own["ref"], "source:ffffffffffffffffffffffff"):
        assert command("sources", "open", identifier, "--user", other, fails=UnknownReferenceError) == ""
        refusals.append(command.errors[-1].replace(identifier, "ID"))  # type: ignore[attr-defined]
    assert len(set(refusals)) == 1
    assert listed(command, other) == {}
    assert command("sources", "--user", other).splitlines() == [
        "0 sources: 0 raw, 0 processed, 0 extracted; 0 files set aside."
    ]
    command("sources", "--user", f"{user}-unknown", fails=MemoryAssetsError)


def test_what_was_said_is_recalled_in_words_and_as_json(command: Callable[..., str], folder: Path, user: str) -> None:
    command("ingest", str(folder / "own"), "--user", user)
    command("materialize", "--user", user)
    assert "Tomasz Wilk repaired the lamp." in command("recall", "Who repaired the lamp?", "--user", user)
    answer = json.loads(command("recall", "Who repaired the lamp?", "--user", user, "--tokens", "100", "--json"))
    assert answer["tokens"] <= answer["budget"] == 100
    assert [(source["kind"], source["occurred_at"][:10]) for source in answer["sources"]] == [("note", "2026-10-01")]
    missed = json.loads(command("recall", "xylophone", "--user", user, "--json"))
    assert missed["abstained"] and missed["sources"] == [] and missed["nearest"]
    ref, title = (answer["sources"][0][name] for name in ("ref", "title"))
    shown = command("open", f"[{ref}]", "--user", user)
    assert shown.splitlines()[0] == f"{title} [{ref}]" and "- Tomasz Wilk repaired the lamp. [" in shown
    opened = json.loads(command("open", ref, "--user", user, "--level", "full", "--json"))
    assert (opened["kind"], opened["context"]["level"], opened["ref"]) == ("source", "full", ref)
    assert "Tomasz Wilk repaired the lamp." in opened["context"]["text"]
    (sentence,) = [row["ref"] for row in opened["sentences"] if "lamp" in row["text"]]
    assert f"said in: 2026-10-01, note {title} [{ref}]" in command("open", sentence, "--user", user)
    found = json.loads(command("recall", "--level", "storylines", "--user", user, "--json"))
    assert (found["storylines"], found["matched"], found["level"]) == ([], False, "storylines")
    command("recall", "lamp", "--user", user, "--level", "themes", "--as-of", "2026-10-01", fails=WrongUseError)
    for level, more in (("storylines", "1"), ("themes", "2")):
        asked = ("recall", "lamp", "--user", user, "--level", level, "--about", "Tomasz", "--more", more, "--json")
        found = json.loads(command(*asked))
        assert (found[level], found["more"]) == ([], None)
    for instant, is_there in (("2026-10-01T23:30:00Z", True), ("2026-10-01T23:30:00-02:00", False)):
        span = ("--since", instant, "--until", "2026-10-31T00:00:00+00:00", "--thorough")
        assert ("lamp" in command("recall", "Who repaired the lamp?", "--user", user, *span)) is is_there
    assert "lamp" in command("recall", "Who repaired the lamp?", "--user", user, "--as-of", "2026-10-02T00:00:00Z")
    command("recall", "lamp", "--user", user, "--tokens", "1", fails=MemoryAssetsError)


def test_projects_are_listed_and_their_sources_shown_alone(
    command: Callable[..., str], user: str, folder: Path
) -> None:
    command("ingest", str(folder / "own"), "--user", user)
    command("ingest", str(folder / "team"), "--user", user, "--project", "Garden")
    listed = json.loads(command("projects", "--user", user, "--json"))
    assert [(row["project"], row["sources"]) for row in listed] == [("garden", 1), (None, 1)]
    (line,) = json.loads(command("sources", "--user", user, "--project", "garden", "--json"))
    assert line["project"] == "garden" and line["title"].startswith("The garden plan")
    command("ingest", str(folder / "own"), "--user", user, "--project", "/", fails=MemoryAssetsError)


def test_a_transcript_that_is_taken_in_cites_what_its_session_was_shown(
    command: Callable[..., str], graph: Graph, graph_settings: Settings, tmp_path: Path, user: str
) -> None:
    command("ingest", str(tmp_path), "--user", user)
    assert not used_by_agents(graph_settings, user, graph_settings.clock.now())
    (tmp_path / "note.md").write_text("The oboe is Nora's.", encoding="utf-8")
    command("ingest", str(tmp_path), "--user", user)
    ref = json.loads(command("remember", "Nora's oboe is in the attic.", "--user", user, "--json"))["ref"]
    (row,) = graph.read("graph/list_referenced", user_id=user, refs=[ref])
    now = graph_settings.clock.now()
    record_accesses(graph_settings, [Access(user, row["id"], now, AccessKind.INJECTED, "claude-code", "s-1")])
    said = {"type": "assistant", "uuid": "a", "parentUuid": None, "sessionId": "s-1"}
    asked = said | {"type": "user", "uuid": "u", "message": {"role": "user", "content": "Where is the oboe?"}}
    said |= {"message": {"role": "assistant", "content": [{"type": "text", "text": f"In the attic [{ref}]."}]}}
    (tmp_path / "t.jsonl").write_text(f"{json.dumps(asked)}\n{json.dumps(said)}\n")
    for _ in range(2):
        command("ingest", str(tmp_path), "--user", user)
        (agent,) = used_by_agents(graph_settings, user, now)
        assert (agent["agent"], agent["cited"]) == ("claude-code", 1)
