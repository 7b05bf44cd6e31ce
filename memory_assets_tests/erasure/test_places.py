"""Places beside the graph that agents write: of each what is erased goes, and all else stays."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path

from memory_assets.client.hook import FAILURES_FILE, failures
from memory_assets.erasure.places import (
    Gone,
    connections,
    edited_files,
    erase_alerts,
    erase_copies,
    erase_hooks,
    erase_owner_files,
)
from memory_assets.erasure.searching import Finder
from memory_assets.files.publish import digest
from memory_assets.settings import Settings


def gone(home: Path, *terms: str, owner: str | None = None) -> Gone:
    found = frozenset(terms)
    return Gone(Settings(_env_file=None, home=home), found, Finder(found), ("nora",), owner)


def write(path: Path, *lines: object) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


def test_a_line_of_a_missed_event_goes_with_an_erased_word_or_its_owners_name(tmp_path: Path) -> None:
    lines = [{"agent": "claude-code", "reason": said} for said in ("no zorvéxquil", "--user nora", "no server runs")]
    write(tmp_path / FAILURES_FILE, *lines)
    write(tmp_path / f"{FAILURES_FILE}.1", *lines)
    log = write(tmp_path / "server" / "host.log", "zorvéxquil")
    of_source = gone(tmp_path, "zorvéxquil")
    assert erase_hooks(of_source, dry_run=True) == 3 and len(failures(tmp_path)) == 6 and log.exists()
    assert erase_hooks(of_source, dry_run=False) == 3 and not log.exists()
    assert [one["reason"] for one in failures(tmp_path)] == ["--user nora", "no server runs"] * 2
    assert erase_hooks(gone(tmp_path, owner="nora"), dry_run=False) == 2
    assert [one["reason"] for one in failures(tmp_path)] == ["no server runs"] * 2
    assert erase_hooks(gone(tmp_path, "zorvéxquil", owner="nora"), dry_run=False) == 0


def test_of_alerts_about_one_subject_an_owners_go_and_nobody_elses(tmp_path: Path) -> None:
    of_nora = gone(tmp_path, owner="nora")
    with closing(sqlite3.connect(of_nora.settings.alerts_file)) as database, database:
        database.execute("CREATE TABLE conditions (subject TEXT, owner TEXT, PRIMARY KEY (subject, owner))")
        database.executemany("INSERT INTO conditions VALUES ('a check', ?)", [("nora",), ("omar",)])
        database.commit()
        assert erase_alerts(of_nora, dry_run=True) == 1
        assert erase_alerts(of_nora, dry_run=False) == 1
        assert database.execute("SELECT owner FROM conditions").fetchall() == [("omar",)]


def test_an_owners_locks_and_connections_go_and_nobody_elses(tmp_path: Path) -> None:
    for owner in ("nora", "nora2"):
        for ending in (".lock", ".agents.lock"):
            write(tmp_path / "locks" / f"{owner}{ending}")
        write(tmp_path / "connections" / f"{owner}-codex.json", {"user": owner})
        write(tmp_path / "connections" / f"{owner}-codex.key", "mem_")
        write(tmp_path / "connections" / f"python-{owner}.key", "mem_")
    write(tmp_path / "connections" / "broken.json").write_text("{")
    assert [path.name for path in connections(gone(tmp_path).settings, lambda user: user == "nora")] == [
        "nora-codex.json"
    ]
    assert erase_owner_files(gone(tmp_path, owner="nora"), dry_run=True) == 5
    assert erase_owner_files(gone(tmp_path, owner="nora"), dry_run=False) == 5
    left = sorted(path.name for path in tmp_path.rglob("*") if path.is_file())
    assert left == [
        "broken.json",
        "nora2-codex.json",
        "nora2-codex.key",
        "nora2.agents.lock",
        "nora2.lock",
        "python-nora2.key",
    ]


def test_an_owners_files_outside_of_home_go_as_they_were_published_and_edited_ones_stay(tmp_path: Path) -> None:
    home, project = tmp_path / "home", tmp_path / "project"
    published = "# Memory of nora\n- zorvexquil [123456789]\n"
    texts = {"ours.md": published, "edited.md": f"{published}- mine\n", "never.md": "mine", "omars.md": published}
    project.mkdir()
    for name, text in texts.items():
        (project / name).write_text(text)
        (project / f"{name}.edited-1").write_text(published)
    (project / "gone.md.pre-migration").write_text("mine")
    digests: dict[str, list[str]] = {"omars.md": [], "never.md": []}
    own = {project / name: digests.get(name, [digest(published), "0"]) for name in (*texts, "gone.md")}
    of_nora = replace(gone(home, "zorvexquil", owner="nora"), own_files=own)
    assert edited_files(own) == [project / "edited.md"]
    for dry_run in (True, False):
        assert erase_owner_files(of_nora, dry_run) == 1 and erase_copies(of_nora, dry_run) == len(texts)
    left = {path.name: path.read_text() for path in project.iterdir()}
    assert left == {name: texts[name] for name in texts if name != "ours.md"} | {"gone.md.pre-migration": "mine"}
    assert edited_files(own) == [project / "edited.md"]
