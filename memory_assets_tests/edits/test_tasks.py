"""A HEARTBEAT.md edited by hand: lines added, changed and taken out are tasks so; nothing written is lost unseen."""

from __future__ import annotations

import os
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from memory_assets.edits import policy, reports, store
from memory_assets.graph.graph import Graph
from memory_assets.heartbeat.edit_decisions import OTHER, read, tasks_by_key
from memory_assets.heartbeat.edited import KIND
from memory_assets.heartbeat.heartbeat_file import publish_copies, publish_heartbeat
from memory_assets.heartbeat.reading import DEFAULT_SCHEDULE
from memory_assets.heartbeat.registry import add_tasks, list_tasks, read_registry
from memory_assets.heartbeat.tasks import Task, quick_line, task_id
from memory_assets.memory_file.ceilings import Ceiling
from memory_assets.memory_file.user_files import add_file
from memory_assets.runtime.edited_files import HEARTBEAT, MEMORY, Base, Edit, EditedError
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
"""  # noqa: E501

OLDER = (
    PUBLISHED.replace("3 tasks; registry 0a1b2c3d4e5f607", "2 tasks, 1 idle; registry 0a1b2c3d4e5f608")
    .replace("- plants (daily): Water the plants.\n", "")
    .replace("\n## Deferred", "- and 1 more\n\n## Pending Changes\n- mail 0123456789ff\n\n## Deferred")
)
"""As it was before ``plants`` was a task, with lines of its own that no person has written."""


def diff(published: str, edited: str) -> Edit:
    """An edit of a HEARTBEAT.md."""
    return policy.diff(published, edited, read(Base(published), edited))


def described(edited: str) -> dict[str, list[str]]:
    """An edit in ids."""
    edit = diff(PUBLISHED, edited)
    found = {
        "added": [item.ref for item in edit.added if item.ref],
        "changed": [line.ref for line, _, _ in edit.changed],
        "removed": [line.ref for line in edit.removed],
        "vanished": [line.ref for line in edit.vanished],
        "rest": [line for item in edit.added if item.ref is None for line in item.words.split("\n")],
    }
    return {name: of_it for name, of_it in found.items() if of_it}


@pytest.mark.parametrize(
    ("edited", "expected"),
    [
        (PUBLISHED, {}),
        (PUBLISHED.replace("\n", "\r\n").replace("daily", "daily "), {}),
        ("## Deferred Tasks" + PUBLISHED.partition("## Deferred Tasks")[2] + PUBLISHED.partition("## Deferred Tasks")[0], {}),  # noqa: E501
        (PUBLISHED + "- Feed the cat every morning\n", {"rest": ["- Feed the cat every morning"]}),
        (PUBLISHED + "- cat (every 8 hours): Feed it.\n", {"added": ["cat"]}),
        (PUBLISHED.replace("Water the", "Water all"), {"changed": ["plants"]}),
        (PUBLISHED.replace("0 9 * * 1", "0 7 * * 1"), {"changed": ["report"]}),
        (PUBLISHED.replace("file the rest", "burn the rest"), {"changed": ["mail"]}),
        (PUBLISHED.replace("- plants", "- [x] plants"), {"removed": ["plants"]}),
        (PUBLISHED.replace("- plants (daily): Water the plants.", (
            "- ~~plants (daily): Water the plants.~~"
        )), {"removed": ["plants"]}),
        (PUBLISHED.replace("- report (0 9 * * 1) 0123456789ab\n", ""), {"removed": ["report"]}),
        ("", {"vanished": ["mail", "plants", "report"]}),
        ("mine", {"vanished": ["mail", "plants", "report"], "rest": ["mine"]}),
        (PUBLISHED[:-30], {"vanished": ["report"]}),
        (PUBLISHED[:-30].replace("\n", "\r\n"), {"vanished": ["report"]}),
        (PUBLISHED.partition("\n## Deferred")[0].replace(" the plants.", "") + "\n", {"changed": ["plants"], "removed": ["report"]}),  # noqa: E501
        (PUBLISHED.replace("of kim", "of tom").replace("- mail", "- post"), {"vanished": ["mail", "plants", "report"]}),
        (OLDER + "- cat (every 8 hours): Feed it.\n", {"added": ["cat"], "vanished": ["plants"]}),
        (PUBLISHED + "- plants (weekly): Again.\n", {"added": ["plants"]}),
        (PUBLISHED + "- plants (daily): Water the plants.\n", {}),
    ],
)  # fmt: skip
def test_what_an_edit_is(edited: str, expected: dict[str, list[str]]) -> None:
    assert described(edited) == expected


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
    parts = [*edit.added, *(item for _, item in edit.same), *(item for _, item, _ in edit.changed)]
    there = "".join([*(item.words for item in parts), PUBLISHED])
    assert {sign for sign in written if sign.isalnum()} <= set(there)


KEYS = st.text(alphabet="abc ():-1~x[]", min_size=1, max_size=8).map(str.strip).filter(bool)
TEXTS = st.text(alphabet="ab:()#-*~` \n\tx1", min_size=1, max_size=40).filter(lambda text: any(map(str.isalnum, text)))


@example({"~~1": "1~~"})
@given(st.dictionaries(KEYS, TEXTS, max_size=6))
def test_what_was_published_is_no_edit_and_a_new_line_is_one_whatever_the_tasks_are(tasks: dict[str, str]) -> None:
    lines = [quick_line(key, "every 2 hours", text) for key, text in tasks.items()]
    published = "\n".join(["# Heartbeat of kim", "", "## Quick Tasks", *lines, "- and 3 more"]) + "\n"
    assert not len(diff(published, published)) and not len(diff(published, published.replace("\n", "\r\n")))
    edit = diff(published, published.replace("## Quick Tasks\n", "## Quick Tasks\n- Quiz the zebra\n"))
    assert [item.words for item in edit.added] == ["- Quiz the zebra"]
    assert len(edit) == 1


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
        self.home = folder / "home"
        self.path, self.further = self.settings.heartbeat_file(user), folder / "work" / "HEARTBEAT.md"
        self.further.parent.mkdir()
        add_file(graph, self.settings, user, self.further, NOON, ceiling=Ceiling(tokens=500), kind="heartbeat")
        add_tasks(graph, user, TASKS, NOON)
        self.run()

    def run(self) -> tuple[str, ...]:
        """One run of the step that publishes; what it says."""
        self.now += timedelta(minutes=5)
        notes = self.take_in()
        taken_in = store.taken_in(self.graph, self.settings, self.user, KIND)
        done = publish_heartbeat(self.graph, self.user, self.path, self.now, taken_in=taken_in)
        copies = publish_copies(self.graph, self.user, done.heartbeat.text, self.now, taken_in)
        assert not copies.failures
        return notes

    @property
    def settings(self) -> Settings:
        """The installation's, by the desk's clock."""
        return Settings(_env_file=None, home=self.home, now=self.now)

    def take_in(self) -> tuple[str, ...]:
        """What was edited is taken in; what is said of it."""
        return tuple(store.take_in(self.graph, self.settings, self.user, KIND))

    def undo(self, identifier: str) -> list[dict[str, Any]]:
        """Take an edit back."""
        return store.undo_edit(self.graph, self.user, identifier, self.now, {HEARTBEAT: KIND})

    def confirm(self, *only: str) -> list[dict[str, Any]]:
        """Confirm these edits, or all."""
        return store.confirm_edits(self.graph, self.user, self.now, {HEARTBEAT: KIND}, only)

    def conflicts(self) -> list[dict[str, str]]:
        """What is asked about."""
        return reports.list_conflicts(self.graph, self.user, HEARTBEAT, KIND.doubts)

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
        return [(row["action"], row["task_key"]) for row in store.list_edits(self.graph, self.user)]

    def copies(self) -> list[str]:
        """The copies beside the files."""
        return sorted(
            one.name for path in (self.path, self.further) for one in path.parent.iterdir() if "edited" in one.name
        )

    def definition(self, key: str) -> Any:
        """A task's definition."""
        rows = self.graph.read("heartbeat/find_whole_tasks", ids=[task_id(self.user, key)], user_id=self.user)
        return tasks_by_key(rows)[key].definition


@pytest.fixture
def desk(graph: Graph, user: str, tmp_path: Path) -> Desk:
    """A desk of its own."""
    return Desk(graph, user, tmp_path)


@pytest.mark.graph
def test_a_line_that_is_added_is_a_task_with_its_schedule_or_the_usual_one(desk: Desk) -> None:
    notes = desk.edit("## Quick Tasks\n", "## Quick Tasks\n- Feed the cat every 8 hours\n- Look for replies\n")
    (note,) = notes
    assert "2 added" in note and str(desk.path) in note
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
    (conflict,) = desk.conflicts()
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
    shown = reports.edit_list(desk.graph, desk.user)[0]
    assert (shown["published"], shown["edited"]) == (
        "- mail (every 2 hours): Look into the inbox.",
        "- mail (every 2 hours): Look into the inbox, and the spam.",
    )
    assert store.list_edits(desk.graph, desk.user, MEMORY) == [], "no memory was edited"
    assert desk.undo(shown["id"])
    assert desk.undo(shown["id"]) == []
    assert desk.definition("mail") == "Look into the inbox."
    assert desk.run() == () and "the spam" not in desk.path.read_text(encoding="utf-8")
    with pytest.raises(EditedError, match="No edit"):
        desk.undo("no such edit")


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
    assert {row["what"] for row in desk.conflicts()} == {"it vanished with many others"}
    assert [row["task_key"] for row in desk.confirm("plants")] == ["plants"]
    assert {key for key, (_, is_active) in desk.tasks().items() if is_active} == {"mail", "report"}
    assert len(desk.confirm()) == 2
    assert not any(is_active for _, is_active in desk.tasks().values())
    assert desk.conflicts() == []
    desk.run()
    assert desk.path.read_text(encoding="utf-8") == ""


@pytest.mark.graph
def test_words_that_are_no_task_are_kept_beside_and_said_with_their_text(desk: Desk) -> None:
    desk.edit("(every 2 hours): Look", "(now and then): Look")
    assert desk.tasks()["mail"] == ("every 2 hours", True)
    (conflict,) = desk.conflicts()
    assert "'now and then' is no schedule" in conflict["what"]
    assert (conflict["known"], conflict["edited"]) == (
        "- mail (every 2 hours): Look into the inbox.",
        "- mail (now and then): Look into the inbox.",
    )
    assert len(desk.copies()) == 1
    with pytest.raises(EditedError, match="nothing to take back"):
        desk.undo(conflict["edit"])
    desk.confirm()
    assert desk.conflicts() == []


@pytest.mark.graph
def test_an_edit_of_a_task_that_was_changed_elsewhere_holds_and_is_a_conflict(desk: Desk) -> None:
    add_tasks(desk.graph, desk.user, [Task("mail", "Check mail", "hourly", "Look into both inboxes.")], desk.now)
    desk.edit("Look into the inbox.", "Look into the inbox at once.")
    assert desk.definition("mail") == "Look into the inbox at once."
    (conflict,) = desk.conflicts()
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
    assert {row["what"] for row in desk.conflicts()} == {OTHER}
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
    (row,) = reports.edit_list(desk.graph, desk.user)
    assert desk.undo(row["ref"])
    desk.run()
    assert desk.tasks()[row["task"]] == ("every 8 hours", False) and "cat" not in desk.path.read_text(encoding="utf-8")
    desk.edit("## Quick Tasks\n", "## Quick Tasks\n- Feed the cat every 8 hours\n")
    assert desk.tasks()[row["task"]] == ("every 8 hours", True) and desk.copies() == []


@pytest.mark.graph
def test_a_stop_between_taking_in_and_publishing_is_repaired(desk: Desk) -> None:
    text = desk.path.read_text(encoding="utf-8")
    desk.path.write_text(text + "- Feed the cat every 8 hours\n", encoding="utf-8")
    assert desk.take_in()
    assert desk.run() == (), "these bytes are taken in"
    assert [action for action, _ in desk.actions()] == ["added"]
    assert "Feed the cat" in desk.path.read_text(encoding="utf-8")


@pytest.mark.graph
def test_bytes_that_are_no_text_are_kept_and_asked_about(desk: Desk) -> None:
    desk.path.write_bytes(b"\x89PNG\0\0\1")
    desk.run()
    assert all(is_active for _, is_active in desk.tasks().values()) and len(desk.copies()) == 1
    assert {action for action, _ in desk.actions()} == {"vanished"}


@pytest.mark.graph
def test_bytes_that_are_no_text_are_kept_where_no_task_was_published(desk: Desk) -> None:
    resting = [Task(one.key, one.name, one.schedule, one.definition, is_active=False) for one in TASKS]
    add_tasks(desk.graph, desk.user, resting, desk.now)
    desk.run()
    assert not desk.copies()
    desk.path.write_bytes(b"\x89PNG\0\0\1")
    desk.run()
    assert len(desk.copies()) == 1 and b"PNG" not in desk.path.read_bytes()


@pytest.mark.graph
def test_a_table_of_tasks_is_read_with_the_rule_below_its_head(desk: Desk) -> None:
    table = "| Task | Schedule |\n|---|---|\n| Feed the cat | every 8 hours |\n"
    desk.edit("## Quick Tasks\n", f"{table}\n## Quick Tasks\n")
    assert ("every 8 hours", True) in desk.tasks().values()
    assert "added" in {action for action, _ in desk.actions()}


@pytest.mark.graph
def test_paragraphs_of_a_known_task_are_that_task(desk: Desk) -> None:
    """What names the task is read of the same text as what becomes of it: its words in their paragraphs."""
    words = "# Cat\n\nEvery 8 hours, feed the cat.\n\nAnd brush it.\n\n"
    desk.edit("# Heartbeat", f"{words}# Heartbeat")
    (row,) = reports.edit_list(desk.graph, desk.user)
    assert desk.undo(row["ref"])
    desk.run()
    desk.edit("# Heartbeat", f"{words}# Heartbeat")
    last = store.list_edits(desk.graph, desk.user)[-1]
    assert last["task_key"] == row["task"] and last["task_before"] is not None


@pytest.mark.graph
def test_what_became_of_a_task_last_is_what_was_taken_in_last(desk: Desk) -> None:
    desk.edit("(every 2 hours)", "(daily)")
    text = desk.path.read_text(encoding="utf-8").replace("mail (daily)", "mail (weekly)")
    desk.path.write_text(text, encoding="utf-8")
    os.utime(desk.path, (0, 1_500_000_000))
    desk.run()
    assert desk.tasks()["mail"][0] == "weekly"
    assert desk.undo("mail") and desk.tasks()["mail"][0] == "daily"


@pytest.mark.graph
def test_what_is_confirmed_stops_no_task_that_was_given_again_since(desk: Desk) -> None:
    add_tasks(desk.graph, desk.user, [Task("mail", "Check mail", "hourly", "Look into both inboxes.")], desk.now)
    line = next(line for line in desk.path.read_text(encoding="utf-8").splitlines() if line.startswith("- mail"))
    desk.edit(f"{line}\n", "")
    assert desk.tasks()["mail"][1] is False and len(desk.conflicts()) == 1
    add_tasks(desk.graph, desk.user, [Task("mail", "Check mail", "hourly", "Look into both inboxes.")], desk.now)
    assert len(desk.confirm()) == 1 and desk.tasks()["mail"] == ("hourly", True)
