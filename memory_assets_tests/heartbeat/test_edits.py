"""A HEARTBEAT.md edited by hand: lines added, changed and taken out are tasks so; nothing written is lost unseen."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from memory_assets.graph.graph import Graph
from memory_assets.heartbeat.edit_decisions import OTHER
from memory_assets.heartbeat.edit_store import (
    TaskEditError,
    confirm_task_edits,
    list_task_conflicts,
    list_task_edits,
    take_in_edits,
    task_edit_list,
    undo_task_edit,
)
from memory_assets.heartbeat.edits import diff
from memory_assets.heartbeat.heartbeat_file import publish_copies, publish_heartbeat
from memory_assets.heartbeat.reading import DEFAULT_SCHEDULE
from memory_assets.heartbeat.registry import add_tasks, list_tasks, read_registry
from memory_assets.heartbeat.tasks import Task, quick_line
from memory_assets.memory_file.ceilings import Ceiling
from memory_assets.memory_file.edit_store import list_edits
from memory_assets.memory_file.user_files import add_file
from memory_assets.settings import Settings

PUBLISHED = """\
# Heartbeat of kim

3 tasks; registry 0a1b2c3d4e5f607, synced 2026-11-20T12:00Z. What is due, in full: `memory-assets heartbeat due --user kim`

## Quick Tasks
- mail (every 2 hours): Look into the inbox.
  - answer what is short

  and file the rest
- plants (daily): Water the plants.

## Deferred Tasks
- report (0 9 * * 1) 0123456789ab
"""

OLDER = (
    PUBLISHED.replace("3 tasks; registry 0a1b2c3d4e5f607", "2 tasks, 1 idle; registry 0a1b2c3d4e5f608")
    .replace("- plants (daily): Water the plants.\n", "")
    .replace("\n## Deferred", "- and 1 more\n\n## Pending Changes\n- mail 0123456789ff\n\n## Deferred")
)
"""As it was before ``plants`` was a task, with lines of its own that no person has written."""


def told(edited: str) -> dict[str, list[str]]:
    """An edit in ids."""
    edit = diff(PUBLISHED, edited)
    found = {
        "added": [one.key for one in edit.added],
        "changed": [after.key for _, after in edit.changed],
        "removed": [one.key for one in edit.removed],
        "vanished": [one.key for one in edit.vanished],
        "unclear": [one.key for one in edit.unclear],
        "rest": [line for line in edit.rest.split("\n") if line.strip()],
    }
    return {name: of_it for name, of_it in found.items() if of_it}


@pytest.mark.parametrize(
    ("edited", "expected"),
    [
        (PUBLISHED, {}),
        (PUBLISHED.replace("\n", "\r\n").replace("daily", "daily "), {}),
        ("## Deferred Tasks" + PUBLISHED.partition("## Deferred Tasks")[2] + PUBLISHED.partition("## Deferred Tasks")[0], {}),
        (PUBLISHED + "- Feed the cat every morning\n", {"rest": ["- Feed the cat every morning"]}),
        (PUBLISHED + "- cat (every 8 hours): Feed it.\n", {"added": ["cat"]}),
        (PUBLISHED.replace("Water the", "Water all"), {"changed": ["plants"]}),
        (PUBLISHED.replace("0 9 * * 1", "0 7 * * 1"), {"changed": ["report"]}),
        (PUBLISHED.replace("file the rest", "burn the rest"), {"changed": ["mail"]}),
        (PUBLISHED.replace("- plants", "- [x] plants"), {"removed": ["plants"]}),
        (PUBLISHED.replace("- plants (daily): Water the plants.", "- ~~plants (daily): Water the plants.~~"), {"removed": ["plants"]}),
        (PUBLISHED.replace("- report (0 9 * * 1) 0123456789ab\n", ""), {"removed": ["report"]}),
        ("", {"vanished": ["mail", "plants", "report"]}),
        ("mine", {"vanished": ["mail", "plants", "report"], "rest": ["mine"]}),
        (PUBLISHED[:-30], {"vanished": ["report"]}),
        (PUBLISHED[:-30].replace("\n", "\r\n"), {"vanished": ["report"]}),
        (PUBLISHED.partition("\n## Deferred")[0].replace(" the plants.", "") + "\n", {"changed": ["plants"], "removed": ["report"]}),
        (PUBLISHED.replace("of kim", "of tom").replace("- mail", "- post"), {"vanished": ["mail", "plants", "report"]}),
        (OLDER + "- cat (every 8 hours): Feed it.\n", {"added": ["cat"], "vanished": ["plants"]}),
        (PUBLISHED + "- plants (weekly): Again.\n", {"unclear": ["plants"]}),
        (PUBLISHED + "- plants (daily): Water the plants.\n", {}),
    ],
)  # fmt: skip
def test_what_an_edit_is(edited: str, expected: dict[str, list[str]]) -> None:
    assert told(edited) == expected


def test_many_tasks_that_are_gone_at_once_wait_for_a_word() -> None:
    lines = [f"- t{number} (daily): Do {number}.\n" for number in range(8)]
    head = "# Heartbeat of kim\n\n## Quick Tasks\n"
    few = diff(head + "".join(lines), head + "".join(lines[4:]))
    many = diff(head + "".join(lines), head + "".join(lines[5:]))
    assert (len(few.removed), few.vanished) == (4, ())
    assert (many.removed, len(many.vanished)) == ((), 5)


@given(st.text(alphabet="-#*~[]() x:\n1a\t", max_size=200))
def test_every_letter_of_an_edit_is_somewhere(written: str) -> None:
    edit = diff(PUBLISHED, PUBLISHED + written)
    parts = [*edit.added, *edit.kept, *edit.removed, *edit.unclear, *(after for _, after in edit.changed)]
    there = "".join([edit.rest, *(one.words for one in parts), PUBLISHED])
    assert {sign for sign in written if sign.isalnum()} <= set(there)


KEYS = st.text(alphabet="abc ():-1~x[]", min_size=1, max_size=8).map(str.strip).filter(bool)
TEXTS = st.text(alphabet="ab:()#-*~` \n\tx1", min_size=1, max_size=40).filter(lambda text: any(map(str.isalnum, text)))


@example({"~~1": "1~~"})
@given(st.dictionaries(KEYS, TEXTS, max_size=6))
def test_what_was_published_is_no_edit_and_a_new_line_is_one_whatever_the_tasks_are(tasks: dict[str, str]) -> None:
    lines = [quick_line(key, "every 2 hours", text) for key, text in tasks.items()]
    published = "\n".join(["# Heartbeat of kim", "", "## Quick Tasks", *lines, "- and 3 more"]) + "\n"
    assert not diff(published, published) and not diff(published, published.replace("\n", "\r\n"))
    edit = diff(published, published.replace("## Quick Tasks\n", "## Quick Tasks\n- Quiz the zebra\n"))
    assert "- Quiz the zebra" in edit.rest
    assert not (edit.removed or edit.vanished or edit.changed or edit.added)


NOON = datetime(2026, 11, 20, 12, 0, tzinfo=UTC)
TASKS = [
    Task("mail", "Check mail", "every 2 hours", "Look into the inbox."),
    Task("plants", "Plants", "daily", {"do": "water", "which": ["fern"]}),
    Task("report", "Report", "0 9 * * 1", "Write the report. " * 60),
]


class Desk:
    """A user with tasks, a published HEARTBEAT.md, and a second one elsewhere."""

    def __init__(self, graph: Graph, user: str, folder: Path) -> None:
        self.graph, self.user, self.now = graph, user, NOON
        self.path, self.further = folder / "home" / user / "HEARTBEAT.md", folder / "work" / "HEARTBEAT.md"
        self.further.parent.mkdir()
        settings = Settings(home=folder / "home")
        add_file(graph, settings, user, self.further, NOON, ceiling=Ceiling(tokens=500), kind="heartbeat")
        add_tasks(graph, user, TASKS, NOON)
        self.run()

    def run(self) -> tuple[str, ...]:
        """One run of the step that publishes; what it says."""
        self.now += timedelta(minutes=5)
        edits = take_in_edits(self.graph, self.user, self.path, self.now)
        done = publish_heartbeat(self.graph, self.user, self.path, self.now, taken_in=edits.whole)
        copies = publish_copies(self.graph, self.user, done.heartbeat.text, self.now, edits.whole)
        assert not copies.failures
        return edits.notes

    def edit(self, old: str, new: str, path: Path | None = None) -> tuple[str, ...]:
        """Change a file by hand, and run."""
        path = path or self.path
        text = path.read_text(encoding="utf-8")
        assert old in text
        path.write_text(text.replace(old, new), encoding="utf-8")
        return self.run()

    def tasks(self) -> dict[str, tuple[str, bool]]:
        """Schedules, and whether they are active, by id."""
        return {task["id"]: (task["schedule"], task["is_active"]) for task in list_tasks(self.graph, self.user)}

    def actions(self) -> list[tuple[str, str]]:
        """What became of edits, by task."""
        return [(row["action"], row["task_key"]) for row in list_task_edits(self.graph, self.user)]

    def copies(self) -> list[str]:
        """What is kept beside the files."""
        return sorted(one.name for path in (self.path, self.further) for one in path.parent.iterdir() if "edited" in one.name)

    def definition(self, key: str) -> Any:
        """A task's definition."""
        from memory_assets.heartbeat.edit_decisions import tasks_by_key
        from memory_assets.heartbeat.tasks import task_id

        rows = self.graph.read("heartbeat/find_whole_tasks", ids=[task_id(self.user, key)], user_id=self.user)
        return tasks_by_key(rows)[key].definition


@pytest.fixture
def desk(graph: Graph, user: str, tmp_path: Path) -> Desk:
    """A desk of its own."""
    return Desk(graph, user, tmp_path)


@pytest.mark.graph
def test_a_line_that_is_added_is_a_task_with_its_schedule_or_the_usual_one(desk: Desk) -> None:
    notes = desk.edit("## Quick Tasks\n", "## Quick Tasks\n- Feed the cat every 8 hours\n- Look for replies\n")
    (told,) = notes
    assert "2 added" in told and str(desk.path) in told
    new = {key: of_it for key, of_it in desk.tasks().items() if key not in {task.key for task in TASKS}}
    assert sorted(new.values()) == [("every 30 minutes", True), ("every 8 hours", True)]
    assert DEFAULT_SCHEDULE == "every 30 minutes"
    text = desk.path.read_text(encoding="utf-8")
    assert "Feed the cat every 8 hours" in text and desk.further.read_text(encoding="utf-8") == text
    assert desk.copies() == [], "all of it is in the graph"
    assert desk.run() == () and len(desk.actions()) == 2


@pytest.mark.graph
def test_a_remark_is_no_task_and_is_kept_beside_the_file(desk: Desk) -> None:
    desk.edit("## Quick Tasks\n", "Agreed with Tom last week.\n\n## Quick Tasks\n")
    assert desk.tasks().keys() == {task.key for task in TASKS}
    (conflict,) = list_task_conflicts(desk.graph, desk.user)
    assert conflict["edited"] == "Agreed with Tom last week." and conflict["what"].startswith("a remark")
    assert len(desk.copies()) == 1 and "Agreed" not in desk.path.read_text(encoding="utf-8")
    desk.edit("## Quick Tasks\n", "Water the garden every evening at 19:00\n\n## Quick Tasks\n")
    (made,) = desk.tasks().keys() - {task.key for task in TASKS}
    assert desk.tasks()[made] == ("every evening at 19:00", True), "what says when is a task"


@pytest.mark.graph
def test_a_line_of_another_file_of_the_user_is_taken_in_as_well(desk: Desk) -> None:
    desk.edit("- mail (every 2 hours)", "- mail (every 3 hours)", desk.further)
    assert desk.tasks()["mail"] == ("every 3 hours", True)
    assert "every 3 hours" in desk.path.read_text(encoding="utf-8")


@pytest.mark.graph
def test_a_changed_line_changes_its_task_and_the_undo_brings_it_back(desk: Desk) -> None:
    desk.edit("Look into the inbox.", "Look into the inbox, and the spam.")
    desk.edit('"water"', '"drown"')
    assert desk.definition("mail") == "Look into the inbox, and the spam."
    assert desk.definition("plants") == {"do": "drown", "which": ["fern"]}
    assert desk.actions() == [("changed", "mail"), ("changed", "plants")]
    shown = task_edit_list(desk.graph, desk.user)[0]
    assert (shown["published"], shown["edited"]) == (
        "- mail (every 2 hours): Look into the inbox.",
        "- mail (every 2 hours): Look into the inbox, and the spam.",
    )
    assert list_edits(desk.graph, desk.user) == [], "no memory was edited"
    assert undo_task_edit(desk.graph, desk.user, shown["id"], desk.now)
    assert undo_task_edit(desk.graph, desk.user, shown["id"], desk.now) == []
    assert desk.definition("mail") == "Look into the inbox."
    assert desk.run() == () and "the spam" not in desk.path.read_text(encoding="utf-8")
    assert undo_task_edit(desk.graph, desk.user, "no such edit", desk.now) is None


@pytest.mark.graph
def test_a_line_that_is_gone_lets_its_task_rest_and_it_comes_back(desk: Desk) -> None:
    before = desk.path.read_text(encoding="utf-8")
    line = next(line for line in before.splitlines() if line.startswith("- report"))
    desk.edit(line + "\n", "")
    assert desk.tasks()["report"] == ("0 9 * * 1", False), "it is there, with its definition"
    assert desk.actions() == [("removed", "report")]
    desk.edit("## Quick Tasks\n", f"{line}\n\n## Quick Tasks\n")
    assert desk.tasks()["report"] == ("0 9 * * 1", True)
    assert desk.definition("report") == TASKS[2].definition
    assert read_registry(desk.graph, desk.user)[0].active == 3
    assert desk.copies() == []


@pytest.mark.graph
def test_an_emptied_file_stops_no_task_before_somebody_confirms_it(desk: Desk) -> None:
    desk.path.write_text("", encoding="utf-8")
    desk.run()
    assert {key for key, (_, is_active) in desk.tasks().items() if is_active} == {"mail", "plants", "report"}
    assert {row["what"] for row in list_task_conflicts(desk.graph, desk.user)} == {"it vanished with many others"}
    assert [row["task_key"] for row in confirm_task_edits(desk.graph, desk.user, desk.now, ["plants"])] == ["plants"]
    assert {key for key, (_, is_active) in desk.tasks().items() if is_active} == {"mail", "report"}
    assert len(confirm_task_edits(desk.graph, desk.user, desk.now)) == 2
    assert not any(is_active for _, is_active in desk.tasks().values())
    assert list_task_conflicts(desk.graph, desk.user) == []
    desk.run()
    assert desk.path.read_text(encoding="utf-8") == ""


@pytest.mark.graph
def test_words_that_are_no_task_are_kept_beside_and_said_with_their_text(desk: Desk) -> None:
    desk.edit("(every 2 hours): Look", "(now and then): Look")
    assert desk.tasks()["mail"] == ("every 2 hours", True)
    (conflict,) = list_task_conflicts(desk.graph, desk.user)
    assert "'now and then' is no schedule" in conflict["what"]
    assert (conflict["known"], conflict["edited"]) == (
        "- mail (every 2 hours): Look into the inbox.",
        "- mail (now and then): Look into the inbox.",
    )
    assert len(desk.copies()) == 1
    with pytest.raises(TaskEditError, match="nothing to take back"):
        undo_task_edit(desk.graph, desk.user, conflict["edit"], desk.now)
    confirm_task_edits(desk.graph, desk.user, desk.now)
    assert list_task_conflicts(desk.graph, desk.user) == []


@pytest.mark.graph
def test_an_edit_of_a_task_that_was_changed_elsewhere_holds_and_is_a_conflict(desk: Desk) -> None:
    add_tasks(desk.graph, desk.user, [Task("mail", "Check mail", "hourly", "Look into both inboxes.")], desk.now)
    desk.edit("Look into the inbox.", "Look into the inbox at once.")
    assert desk.definition("mail") == "Look into the inbox at once."
    (conflict,) = list_task_conflicts(desk.graph, desk.user)
    assert "changed elsewhere" in conflict["what"]


@pytest.mark.graph
def test_a_file_that_was_open_while_a_task_was_added_does_not_stop_that_task(desk: Desk) -> None:
    opened = desk.path.read_text(encoding="utf-8")
    add_tasks(desk.graph, desk.user, [Task("cat", "Cat", "every 8 hours", "Feed the cat.")], desk.now)
    desk.run()
    desk.path.write_text(opened.replace("Look into the inbox.", "Look into both inboxes."), encoding="utf-8")
    desk.run()
    assert desk.tasks()["cat"] == ("every 8 hours", True) and "Feed the cat." in desk.path.read_text(encoding="utf-8")
    assert desk.definition("mail") == "Look into both inboxes."
    assert sorted(desk.tasks()) == ["cat", "mail", "plants", "report"], "the line of counts is no task"
    assert {row["what"] for row in list_task_conflicts(desk.graph, desk.user)} == {OTHER}
    assert len(desk.copies()) == 1


@pytest.mark.graph
def test_a_file_that_was_cut_within_a_letter_changes_no_task(desk: Desk) -> None:
    desk.edit("## Quick Tasks\n", "## Quick Tasks\n- cat (every 8 hours): Füttere die Katze.\n- ä (daily): Prüfe ä.\n")
    data = desk.path.read_bytes()
    desk.path.write_bytes(data[: data.rindex("ä".encode()) + 1])
    desk.run()
    assert (desk.definition("cat"), desk.definition("ä")) == ("Füttere die Katze.", "Prüfe ä.")
    assert all(is_active for _, is_active in desk.tasks().values()) and len(desk.copies()) == 1


@pytest.mark.graph
def test_of_another_users_file_nothing_is_taken(desk: Desk) -> None:
    mine = desk.path.read_text(encoding="utf-8")
    desk.path.write_text(mine.replace(f"of {desk.user}", "of somebody").replace("- mail", "- post"), encoding="utf-8")
    desk.run()
    assert sorted(desk.tasks()) == ["mail", "plants", "report"] and all(on for _, on in desk.tasks().values())
    assert desk.path.read_text(encoding="utf-8") == mine and len(desk.copies()) == 1


@pytest.mark.graph
def test_a_line_that_was_taken_back_and_is_written_again_is_taken_in_again(desk: Desk) -> None:
    desk.edit("## Quick Tasks\n", "## Quick Tasks\n- Feed the cat every 8 hours\n")
    (row,) = task_edit_list(desk.graph, desk.user)
    assert undo_task_edit(desk.graph, desk.user, row["ref"], desk.now)
    desk.run()
    assert desk.tasks()[row["task"]] == ("every 8 hours", False) and "cat" not in desk.path.read_text(encoding="utf-8")
    desk.edit("## Quick Tasks\n", "## Quick Tasks\n- Feed the cat every 8 hours\n")
    assert desk.tasks()[row["task"]] == ("every 8 hours", True) and desk.copies() == []


@pytest.mark.graph
def test_a_stop_between_taking_in_and_publishing_is_repaired(desk: Desk) -> None:
    text = desk.path.read_text(encoding="utf-8")
    desk.path.write_text(text + "- Feed the cat every 8 hours\n", encoding="utf-8")
    assert take_in_edits(desk.graph, desk.user, desk.path, desk.now).whole
    assert desk.run() == (), "these bytes are taken in"
    assert [action for action, _ in desk.actions()] == ["added"]
    assert "Feed the cat" in desk.path.read_text(encoding="utf-8")
