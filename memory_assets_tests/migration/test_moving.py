"""Moving in and out: no statement is lost, every reference is explained, and the old bytes come back."""

from __future__ import annotations

import hashlib
import json
import os
import stat
import textwrap
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import dagster as dg
import pytest

from memory_assets.commands.sources import list_removed, recall_for, remove_source, restore_source
from memory_assets.curation.rails import judge_retirements
from memory_assets.entities.extraction import Extractor
from memory_assets.errors import MemoryAssetsError, UnknownReferenceError
from memory_assets.heartbeat.heartbeat_file import publish_copies
from memory_assets.heartbeat.registry import due_tasks, explain_task, list_tasks
from memory_assets.llm.tasks import DESCRIBE_SOURCE, EXTRACT_ENTITIES, Extraction, NotesTaken, SourceDescription
from memory_assets.memory_file.ceilings import Ceiling
from memory_assets.memory_file.drafts import make_drafts, publish_draft
from memory_assets.memory_file.reports import explain
from memory_assets.memory_file.user_files import add_file, added_files, user_files
from memory_assets.migration import moving as migration
from memory_assets.migration.moving import BEGUN, DONE, UNDONE, find_migration, list_migrations
from memory_assets.migration.old_files import MigrationError
from memory_assets.migration.plan import plan_text, preset_for
from memory_assets.runtime.scope import RunScope
from memory_assets.sources.formats import memory_words as words
from memory_assets.sources.process import process_sources
from memory_assets.sources.source_rows import source_row
from memory_assets.sources.store import SourceStore
from memory_assets.values.classify import classify_memories
from memory_assets_tests.heartbeat.test_titles import HABITS
from memory_assets_tests.support.house import House
from memory_assets_tests.support.scripted_models import HashEmbedder, ScriptedModel
from memory_assets_tests.support.seeds import living_statements

pytestmark = pytest.mark.graph
NAMES = (
    "Abels Bakker Cramer Dekker Evers Faber Groen Hoek Ingels Jonker Koster Lagas Maas Noord Otten Post Quist Rood"
).split()
SECRET = "AKIA" + "Q3EGTI5WXRH7KJ2M"
OLD = f"""\
---
owner: Kim
---
# MEMORY.md

## Home city
- Berlin

## Preferences
- **Always** answer in German.
- Dark mode

## Tasks
- [ ] Call the dentist
- [x] File the taxes

## 2026-03-01
We shipped the importer, and Maria mended the parser on the same evening.

| Name | City |
|------|------|
| Ana  | Porto |

```sh
make deploy
```
- Dark mode
- The deploy key is {SECRET}
"""
HEARTBEAT = """\
# HEARTBEAT.md

Be quiet at night, whatever happens.

## Every morning
- Read the mail and sum it up
- Check the build every 2 hours

```yaml
x: 1
```
"""


def script(task: str, payload: Any) -> Any:
    """A model that finds no names, and no statements either."""
    if task == DESCRIBE_SOURCE:
        return SourceDescription(summary=f"About {payload.title}", keywords=("file",), tags=("own",))
    return Extraction(entities=(), statements=()) if task == EXTRACT_ENTITIES else NotesTaken()


class Mover:
    """A user with a house, and files that move in."""

    def __init__(self, house: House, folder: Path) -> None:
        self.house, self.folder = house, folder
        self.user = house.user("kim")
        self.graph, self.settings = house.graph, house.settings
        self.runs = 0

    def file(self, text: str = OLD, name: str = "MEMORY.md") -> Path:
        """A file that has grown by hand."""
        path = self.folder / name
        path.write_bytes(text.encode())
        path.chmod(0o640)
        return path

    def run(self, user: str) -> list[str]:
        """What a run does of it, without one: from the sources to the files."""
        self.runs += 1
        graph, settings, clock = self.graph, self.settings, self.settings.clock
        language, embedder = self.house.models.language, self.house.models.embedder
        process_sources(graph, user, language, embedder, clock)
        Extractor(graph, language, embedder, clock, user, print).run(RunScope())
        classify_memories(graph, user, clock.now())
        files = user_files(graph, settings, user)
        make_drafts(graph, user, files, clock.now())
        for file in files:
            publish_draft(graph, file, clock.now())
        publish_copies(graph, user, f"# Heartbeat of {user}\n", clock.now())
        return []

    def whole_run(self, user: str) -> list[str]:
        """Build all, as the command does."""
        self.runs += 1
        result = self.house.run("build_memory", user)
        return [] if result.success else [str(event) for event in result.all_node_events if event.is_failure]

    def add(self, path: Path, **how: Any) -> None:
        """Make a path one of the user's files."""
        add_file(self.graph, self.settings, self.user, path, self.settings.clock.now(), **how)

    def recalls(self, word: str) -> bool:
        """Whether a search for a word finds it."""
        recalled, _ = recall_for(self.graph, self.settings, self.user, word, 500)
        return word in recalled.recalled.text

    def said(self) -> set[str]:
        """What the user's memory states."""
        return {row["text"] for row in living_statements(self.graph, self.user)}

    def migrate(self, path: Path, **how: Any) -> dict[str, Any]:
        """Move a file in."""
        run = how.pop("run", self.run)
        return migration.migrate(self.graph, self.settings, self.user, path, run, **how)

    def undo(self, path: Path, **how: Any) -> dict[str, Any]:
        """Move it out."""
        return migration.undo(self.graph, self.settings, self.user, path, how.get("run", self.run))

    def status(self, path: Path) -> str | None:
        """How far it has come."""
        found = find_migration(self.graph, self.user, path)
        return found.status if found else None

    def explain(self, ref: str) -> dict[str, Any]:
        """What a reference means."""
        return explain_task(self.graph, self.user, ref) or explain(self.graph, self.user, ref)


@pytest.fixture
def mover(graph: Any, user: str, tmp_path: Path) -> Iterator[Mover]:
    folder = tmp_path / "project"
    folder.mkdir()
    with dg.DagsterInstance.ephemeral() as instance:
        yield Mover(House(graph, tmp_path / "home", instance, user, ScriptedModel(script), HashEmbedder()), folder)


def names(path: Path) -> list[str]:
    return sorted(entry.name for entry in path.parent.iterdir())


def became(report: dict[str, Any]) -> dict[str, str]:
    return {row["text"]: row["became"] for row in report["lines"]}


def test_a_memory_file_moves_in_and_out(mover: Mover) -> None:
    path = mover.file()
    dry = migration.dry_run(mover.graph, mover.settings, mover.user, path)
    assert (dry["status"], mover.status(path), names(path), path.read_bytes()) == (
        "dry run",
        None,
        ["MEMORY.md"],
        OLD.encode(),
    )
    assert not added_files(mover.graph, mover.settings, mover.user)

    report = mover.migrate(path, run=mover.whole_run)
    assert (report["status"], report["failures"], sum(report["masked"].values())) == ("migrated", [], 1)
    assert report["lines"] == dry["lines"] and len(report["lines"]) == OLD.count("\n")
    fate = became(report)
    assert (
        fate["- Berlin"] == "memory" and fate["## Home city"] == "heading" and fate["- [ ] Call the dentist"] == "task"
    )
    assert fate["|------|------|"] == "skipped" and fate[""] == "blank"
    assert [row["became"] for row in report["lines"] if row["text"] == "- Dark mode"] == ["memory", "duplicate"]
    assert SECRET not in json.dumps(report)
    for row in report["lines"]:
        assert (row["ref"] is not None) == (row["became"] in ("memory", "task", "duplicate"))
        assert ("reason" in row) == (row["became"] in ("skipped", "duplicate"))
        for ref in row.get("refs", [row["ref"]] if row["ref"] else []):
            found = mover.explain(ref)
            assert [source["kind"] for source in found["sources"]][:1] == ["memory-file"]
        if (
            row["became"] == "memory"
            and "refs" not in row
            and SECRET[:4] not in row["text"]
            and "masked" not in row["text"]
        ):
            assert words.words_in(words.unmarked(row["text"])) <= words.words_in(found["text"] + " name city")
    assert (
        mover.explain(next(r["ref"] for r in report["lines"] if r["text"] == "- Berlin"))["text"] == "Home city: Berlin"
    )

    bounded = path.read_text(encoding="utf-8")
    assert bounded.startswith(f"# Memory of {mover.user}") and SECRET not in bounded
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    backup = path.with_name("MEMORY.md.pre-migration")
    assert (backup.read_bytes(), stat.S_IMODE(backup.stat().st_mode), names(path)) == (
        OLD.encode(),
        0o600,
        ["MEMORY.md", backup.name],
    )
    assert [file.path for file in added_files(mover.graph, mover.settings, mover.user)] == [path]

    runs = mover.runs
    again = mover.migrate(path)
    assert (again["status"], again["lines"], mover.runs) == ("nothing to do", report["lines"], runs)

    path.write_text(bounded + "- my own words\n", encoding="utf-8")
    undone = mover.undo(path, run=mover.whole_run)
    assert (undone["status"], undone["failures"], undone["sources"]) == ("undone", [], 2)
    assert (path.read_bytes(), stat.S_IMODE(path.stat().st_mode)) == (OLD.encode(), 0o640)
    assert not backup.exists()
    assert (path.parent / undone["edited_copy"]).read_text(encoding="utf-8").endswith("- my own words\n")
    assert not added_files(mover.graph, mover.settings, mover.user)
    for row in report["lines"]:
        if row["ref"]:
            with pytest.raises(UnknownReferenceError):
                mover.explain(row["ref"])
    audits = mover.graph.read("curation/list_retirements", user_id=mover.user)
    assert audits and judge_retirements(audits) == []
    with pytest.raises(MigrationError, match="No migration of"):
        mover.undo(path)

    assert mover.migrate(path)["status"] == "migrated" and mover.status(path) == DONE
    assert (
        mover.explain(next(r["ref"] for r in report["lines"] if r["text"] == "- Berlin"))["text"] == "Home city: Berlin"
    )


def test_prose_moves_in_sentence_by_sentence_and_out_again(mover: Mover) -> None:
    facts = [
        f"Our boat number {n} was bought from the widow of captain {name} in Vlissingen" for n, name in enumerate(NAMES)
    ]
    paragraphs = [". ".join(facts[at : at + 6]) + "." for at in range(0, len(facts), 6)]
    text = "# Memory\n\n## Boats\n\n" + "\n\n".join(textwrap.fill(one, 88) for one in paragraphs) + "\n"
    path = mover.file(text)
    planned = migration.dry_run(mover.graph, mover.settings, mover.user, path)
    assert {row["became"] for row in planned["lines"]} == {"heading", "blank", "memory"}
    mover.migrate(path)
    assert mover.said() == {f"{fact}." for fact in facts}
    entries = [line for line in path.read_text().splitlines() if line.startswith("- ")]
    assert len(entries) > 10 and max(map(len, entries)) < 150, "no line holds a paragraph"
    mover.undo(path)
    assert path.read_text() == text and mover.said() == set()


def test_what_another_source_says_too_stays(mover: Mover) -> None:
    one, other = (
        mover.file("- We use tabs, not spaces.\n- Only here is this said.\n"),
        mover.file("- We use tabs, not spaces.\n", "NOTES.md"),
    )
    first, _ = mover.migrate(one), mover.migrate(other)
    mover.undo(one)
    both, alone = (row["ref"] for row in first["lines"])
    assert mover.explain(both)["text"] == "We use tabs, not spaces."
    with pytest.raises(UnknownReferenceError):
        mover.explain(alone)


def test_a_heartbeat_file_moves_in_and_out(mover: Mover) -> None:
    path = mover.file(HEARTBEAT, "HEARTBEAT.md")
    report = mover.migrate(path, run=mover.whole_run)
    fate = became(report)
    assert fate["- Read the mail and sum it up"] == fate["- Check the build every 2 hours"] == "task"
    assert fate["Be quiet at night, whatever happens."] == fate["x: 1"] == "memory"
    for row in report["lines"]:
        if row["ref"]:
            assert mover.explain(row["ref"])["text"]
    tasks = {task["task_name"]: task["schedule"] for task in list_tasks(mover.graph, mover.user)}
    assert tasks == {"Read the mail and sum it up": "Every morning", "Check the build every 2 hours": "every 2 hours"}
    assert path.read_text(encoding="utf-8").startswith(f"# Heartbeat of {mover.user}")
    assert mover.migrate(path)["status"] == "nothing to do"
    undone = mover.undo(path)
    assert (undone["tasks"], path.read_bytes()) == (2, HEARTBEAT.encode())
    assert list(list_tasks(mover.graph, mover.user)) == []


TITLED = [
    name for name, (_, tasks) in HABITS.items() if all(text.startswith(name) or "\n" in text for name, _, text in tasks)
]


def test_titles_of_tasks_move_in_with_their_bodies(mover: Mover) -> None:
    habits = [HABITS[name] for name in TITLED if HABITS[name][0].startswith("# H\n\n## ")]
    bodies = [
        text.removeprefix("# H\n\n").replace("Check mail", f"Check mail {n}") for n, (text, _) in enumerate(habits)
    ]
    named = [(n, one) for n, (_, tasks) in enumerate(habits) for one in tasks]
    expected = {(f"{one[0]}|{one[2]}").replace("Check mail", f"Check mail {n}") for n, one in named}
    path = mover.file("# HEARTBEAT.md\n\n" + "\n".join(bodies), "HEARTBEAT.md")
    report = mover.migrate(path)
    assert len(habits) > 8 and {row["became"] for row in report["lines"]} <= {"task", "heading", "blank", "skipped"}
    assert {row["text"] for row in report["lines"] if row["became"] == "skipped"} <= {"|---|---|---|"}
    assert mover.said() == set(), "no body is a memory"
    later = mover.settings.clock.now() + timedelta(days=40)
    due = {f"{task['task_name']}|{task['definition']}" for task in due_tasks(mover.graph, mover.user, later)}
    assert due == expected


class KilledError(BaseException):
    """The end of a process."""


@pytest.mark.parametrize("step", ["keep_old", "store_sources", "run"])
def test_a_migration_that_was_killed_goes_on(mover: Mover, monkeypatch: pytest.MonkeyPatch, step: str) -> None:
    path = mover.file("- We use tabs, not spaces.\n- Berlin is where we live now.\n")

    def die(*_: object, **__: object) -> None:
        raise KilledError

    with monkeypatch.context() as patched:
        owner = mover if step == "run" else migration
        patched.setattr(owner, step, die)
        with pytest.raises(KilledError):
            mover.migrate(path)
    assert mover.status(path) == BEGUN
    assert mover.migrate(path)["status"] == "migrated"
    assert names(path) == ["MEMORY.md", "MEMORY.md.pre-migration"]

    with monkeypatch.context() as patched:
        patched.setattr(migration, "forget_old" if step == "run" else "give_back", die)
        with pytest.raises(KilledError):
            mover.undo(path)
    mover.undo(path)
    assert (names(path), mover.status(path)) == (["MEMORY.md"], UNDONE)
    assert path.read_text(encoding="utf-8").startswith("- We use tabs")


def test_a_run_that_fails_leaves_the_old_file_and_a_word(mover: Mover) -> None:
    path = mover.file()
    with pytest.raises(MigrationError, match="the file is as it was.*: no luck"):
        migration.migrate(mover.graph, mover.settings, mover.user, path, lambda _: ["no luck"])
    assert (path.read_bytes(), mover.status(path)) == (OLD.encode(), BEGUN)
    mover.undo(path)
    assert (path.read_bytes(), names(path)) == (OLD.encode(), ["MEMORY.md"])


def test_a_file_of_ours_that_was_edited_does_not_move_in(mover: Mover) -> None:
    path, beats = mover.folder / "NOTES.md", mover.folder / "HEARTBEAT.md"
    mover.add(path, ceiling=Ceiling(tokens=300))
    mover.add(beats, ceiling=Ceiling(tokens=500), kind="heartbeat")
    mover.run(mover.user)
    default = mover.settings.memory_file(mover.user)
    for file, heading in ((path, "# Memory"), (beats, "# Heartbeat"), (default, "# Memory")):
        text = file.read_text(encoding="utf-8")
        assert text.startswith(heading)
        file.write_text(text + "- We use tabs, not spaces.\n", encoding="utf-8")
        for report in (mover.migrate(file), migration.dry_run(mover.graph, mover.settings, mover.user, file)):
            assert (report["status"], report["lines"]) == ("nothing to do", [])
            assert ("heartbeat add" if file == beats else "materialize") in report["note"]
        assert mover.status(file) is None
    assert (mover.said(), mover.runs) == (set(), 1)
    assert [file.ceiling for file in added_files(mover.graph, mover.settings, mover.user)] == [
        Ceiling(tokens=500),
        Ceiling(tokens=300),
    ]


def test_a_file_that_was_added_before_keeps_its_ceiling_and_its_place_in_the_list(mover: Mover) -> None:
    path = mover.file("- We use tabs, not spaces.\n")
    mover.add(path, ceiling=Ceiling(tokens=300))
    before = added_files(mover.graph, mover.settings, mover.user)
    assert mover.migrate(path)["status"] == "migrated"
    assert added_files(mover.graph, mover.settings, mover.user) == before
    undone = mover.undo(path)
    assert (undone["is_listed"], mover.status(path)) == (True, UNDONE)
    assert added_files(mover.graph, mover.settings, mover.user) == before
    assert path.read_text(encoding="utf-8") == "- We use tabs, not spaces.\n"
    assert mover.migrate(path, preset="codex")["status"] == "migrated"
    assert added_files(mover.graph, mover.settings, mover.user)[0].preset == "codex"
    mover.undo(path)
    assert added_files(mover.graph, mover.settings, mover.user) == before


def test_a_file_that_somebody_touches_during_a_failing_run_is_not_done(mover: Mover) -> None:
    path = mover.file("- We use tabs, not spaces.\n")

    def touched(_: str) -> list[str]:
        path.write_text("somebody's", encoding="utf-8")
        return ["no luck"]

    with pytest.raises(MigrationError, match="changed by somebody in the meantime.*: no luck"):
        mover.migrate(path, run=touched)
    assert mover.status(path) == BEGUN
    assert mover.migrate(path)["status"] == "migrated" and mover.status(path) == DONE
    assert any((path.parent / name).read_text(encoding="utf-8") == "somebody's" for name in names(path))


def test_what_moved_out_is_not_recalled(mover: Mover) -> None:
    path = mover.file("- We use tabs, not spaces.\n")
    for _ in range(2):
        mover.migrate(path)
        assert mover.recalls("tabs")
        mover.undo(path)
        assert not mover.recalls("tabs")


def test_what_was_removed_and_moved_out_comes_back_with_the_file(mover: Mover) -> None:
    path, said = mover.file("- We use tabs, not spaces.\n"), {"We use tabs, not spaces."}
    mover.migrate(path)
    (key,) = (key for one in list_migrations(mover.graph, mover.user) for key in one.source_ids)
    assert mover.said() == said
    assert remove_source(mover.graph, mover.settings.clock, mover.user, key)
    mover.undo(path)
    assert mover.said() == set() and not mover.recalls("tabs")
    mover.migrate(path)
    assert mover.said() == said and mover.recalls("tabs") and list_removed(mover.graph, [mover.user]) == []

    mover.undo(path)
    assert [line["reason"] for line in list_removed(mover.graph, [mover.user])] == [
        "the file that it came from was moved out again"
    ]
    assert restore_source(mover.graph, mover.settings.clock, mover.user, key)
    assert not restore_source(mover.graph, mover.settings.clock, mover.user, key)
    mover.run(mover.user)
    assert mover.said() == said


def test_a_withdrawn_source_that_is_ingested_lives_and_is_no_longer_the_migrations(mover: Mover) -> None:
    path = mover.file("- We use tabs, not spaces.\n")
    mover.migrate(path)
    mover.undo(path)
    now = mover.settings.clock.now()
    plan = plan_text(mover.user, path.name, path.read_text(encoding="utf-8"), "memory", now)
    store = SourceStore(mover.graph, mover.user)
    for source in plan.sources:
        store.add(source_row(source, owner=mover.user, path=str(path), now=now))
    store.flush()
    mover.run(mover.user)
    assert mover.said() == {"We use tabs, not spaces."}
    mover.migrate(path)
    assert mover.undo(path)["sources"] == 0 and mover.said() == {"We use tabs, not spaces."}


def test_a_backup_of_other_bytes_is_left_alone(mover: Mover) -> None:
    path = mover.file()
    (mover.folder / "MEMORY.md.pre-migration").write_text("somebody's", encoding="utf-8")
    assert mover.migrate(path)["backup"].endswith("MEMORY.md.pre-migration-2")
    (mover.folder / "MEMORY.md.pre-migration-2").write_text("changed", encoding="utf-8")
    bounded = path.read_bytes()
    with pytest.raises(MigrationError, match="is gone or was changed"):
        mover.undo(path)
    assert (path.read_bytes(), mover.status(path)) == (bounded, DONE)
    (mover.folder / "MEMORY.md.pre-migration-2").write_bytes(OLD.encode())
    mover.undo(path)
    assert path.read_bytes() == OLD.encode()
    assert (mover.folder / "MEMORY.md.pre-migration").read_text(encoding="utf-8") == "somebody's"


def test_a_kept_file_that_is_taken_away_after_a_stop_is_kept_anew(mover: Mover) -> None:
    path = mover.file()
    with pytest.raises(MigrationError, match="is as it was"):
        mover.migrate(path, run=lambda user: ["no room"])
    (mover.folder / "MEMORY.md.pre-migration").unlink()
    mover.migrate(path)
    assert (mover.folder / "MEMORY.md.pre-migration").read_bytes() == OLD.encode()
    mover.undo(path)
    assert path.read_bytes() == OLD.encode()


def test_what_cannot_move_in_says_why(mover: Mover) -> None:
    path = mover.file()
    (mover.folder / "link.md").symlink_to(path)
    (mover.folder / "bin.md").write_bytes(b"\x00\x01\x02\xff" * 100)
    empty = mover.file("\n\n---\n", "empty.md")
    (mover.folder / "folder.md").mkdir()
    for name, word in (
        ("link.md", "is a link to"),
        ("none.md", "There is no file"),
        ("bin.md", r"/bin\.md cannot move in\. .*binary"),
        ("folder.md", "is a folder: give"),
    ):
        with pytest.raises(MemoryAssetsError, match=word):
            mover.migrate(mover.folder / name)
    with pytest.raises(MigrationError, match="says nothing"):
        mover.migrate(empty)
    with pytest.raises(MemoryAssetsError, match="no preset 'enormous'"):
        mover.migrate(path, preset="enormous")
    assert (mover.status(path), path.read_bytes(), mover.runs) == (UNDONE, OLD.encode(), 0)
    assert "MEMORY.md.pre-migration" not in names(path)


@pytest.mark.parametrize("codec", ["utf-8-sig", "utf-16", "cp1252"])
def test_any_encoding_comes_back_as_it_was(mover: Mover, codec: str) -> None:
    path = mover.folder / "MEMORY.md"
    data = "# Größe\r\n- Wir mögen grüne Äpfel sehr, und überall.\r\n".encode(codec)
    path.write_bytes(data)
    report = migration.dry_run(None, mover.settings, mover.user, path)
    assert report["lines"][1]["text"] == "- Wir mögen grüne Äpfel sehr, und überall."
    old = migration.read_old(path)
    assert old.sha256 == hashlib.sha256(data).hexdigest()
    backup = migration.keep_old(path, old)
    path.write_text("bounded", encoding="utf-8")
    assert migration.give_back(path, old, [hashlib.sha256(b"bounded").hexdigest()]) is None
    migration.forget_old(path, backup, old.sha256)
    assert (path.read_bytes(), os.listdir(mover.folder)) == (data, ["MEMORY.md"])


@pytest.mark.parametrize(
    ("path", "preset"),
    [
        ("/home/a/.claude/MEMORY.md", "claude-code"),
        ("/home/a/project/CLAUDE.md", "claude-code"),
        ("/home/a/.openclaw/workspace/MEMORY.md", "openclaw"),
        ("/home/a/.codex/MEMORY.md", "codex"),
        ("/home/a/notes/MEMORY.md", "memory-assets"),
    ],
)
def test_a_preset_is_guessed_from_the_path(path: str, preset: str) -> None:
    assert preset_for(Path(path)) == preset
