"""The registry on a real graph: counts, digest, what is due, what was done, and a file that follows."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from memory_assets.files.publish import digest
from memory_assets.graph.graph import Graph
from memory_assets.graph.owners import find_stage
from memory_assets.heartbeat import heartbeat_file
from memory_assets.heartbeat.heartbeat_file import (
    PublishedHeartbeat,
    changed_heartbeats,
    copy_stage,
    publish_copies,
    publish_heartbeat,
)
from memory_assets.heartbeat.registry import (
    PAGE,
    TaskNotFoundError,
    add_tasks,
    due_tasks,
    list_tasks,
    mark_loaded,
    read_registry,
    task_done,
    task_failed,
)
from memory_assets.heartbeat.render import BUDGET
from memory_assets.heartbeat.tasks import Task
from memory_assets.llm.tokens import count_tokens
from memory_assets.memory_file.ceilings import Ceiling
from memory_assets.memory_file.user_files import add_file
from memory_assets.settings import Settings

NOON = datetime(2026, 11, 20, 12, 0, tzinfo=UTC)
MAIL = Task("mail", "Check mail", "every 2 hours", "Look into the inbox.")
REPORT = Task("report", "Report", "0 9 * * 1", "Write the report. " * 60)
IDLE = Task("idle", "Idle", "every hour", "Nothing.", is_active=False)


def keys(graph: Graph, user: str, at: datetime) -> list[str]:
    return [task["id"] for task in due_tasks(graph, user, at)]


def test_a_task_is_due_at_the_first_slot_after_its_adding_and_after_each_execution(graph: Graph, user: str) -> None:
    add_tasks(graph, user, [MAIL, REPORT, IDLE], NOON)
    assert keys(graph, user, NOON + timedelta(minutes=119)) == []
    assert keys(graph, user, NOON + timedelta(hours=2)) == ["mail"]
    monday = datetime(2026, 11, 23, 9, 0, tzinfo=UTC)
    assert keys(graph, user, monday) == ["mail", "report"], "longest due first"
    assert task_done(graph, user, "mail", NOON + timedelta(hours=3)) == 1
    assert keys(graph, user, NOON + timedelta(hours=4, minutes=59)) == []
    assert keys(graph, user, NOON + timedelta(hours=5)) == ["mail"]


def test_thousands_of_tasks_that_are_due_at_one_instant_all_come_once_and_in_the_same_order(
    graph: Graph, user: str
) -> None:
    names = [f"task-{number:04d}" for number in range(2 * PAGE + 500)]
    add_tasks(graph, user, [Task(name, name, "every 2 hours", "Look.") for name in reversed(names)], NOON)
    add_tasks(graph, user, [Task("earlier", "Earlier", "every hour", "Look first.")], NOON)
    late = NOON + timedelta(hours=2)
    assert keys(graph, user, late - timedelta(milliseconds=1)) == ["earlier"]
    assert keys(graph, user, late) == keys(graph, user, late + timedelta(days=1)) == ["earlier", *names]
    task_done(graph, user, names[PAGE - 1], late)  # the last of a page
    assert keys(graph, user, late) == ["earlier", *names[: PAGE - 1], *names[PAGE:]]


def test_a_failed_task_is_counted_and_stays_due(graph: Graph, user: str) -> None:
    add_tasks(graph, user, [MAIL], NOON)
    late = NOON + timedelta(hours=2)
    assert task_failed(graph, user, "mail", "the server said no", late) == 1
    (task,) = due_tasks(graph, user, late)
    assert (task["execution_count"], task["error_count"], task["last_error"]) == (0, 1, "the server said no")
    assert task["definition"] == "Look into the inbox."
    task_done(graph, user, "mail", late)
    (listed,) = list_tasks(graph, user)
    assert (listed["execution_count"], listed["error_count"], listed["last_error"]) == (1, 1, None)
    assert listed["next_due"] == NOON + timedelta(hours=4)
    assert "definition" not in listed


def test_a_changed_definition_keeps_the_counts_and_a_changed_schedule_the_past(graph: Graph, user: str) -> None:
    add_tasks(graph, user, [MAIL], NOON)
    task_done(graph, user, "mail", NOON + timedelta(hours=1))
    changed = Task("mail", "Check mail", "every 3 hours", "Look twice.")
    report = add_tasks(graph, user, [changed], NOON + timedelta(hours=2))
    assert (report.added, report.changed, report.unchanged) == (0, 1, 0)
    (task,) = list_tasks(graph, user)
    assert (task["execution_count"], task["next_due"]) == (1, NOON + timedelta(hours=4)), "from the last execution"


@pytest.mark.parametrize("order", [[MAIL, REPORT, IDLE], [IDLE, REPORT, MAIL]])
def test_the_registry_says_the_same_in_any_order_and_however_often(graph: Graph, user: str, order: list[Task]) -> None:
    for task in order:
        add_tasks(graph, user, [task], NOON)
    assert add_tasks(graph, user, order, NOON).unchanged == 3
    registry, _ = read_registry(graph, user)
    assert (registry.tasks, registry.active, registry.quick) == (3, 2, 1)
    other = f"{user}-2"
    add_tasks(graph, other, [MAIL, REPORT, Task("idle", "Idle", "every hour", "Nothing.")], NOON)
    add_tasks(graph, other, [IDLE], NOON)
    again, _ = read_registry(graph, other)
    assert (again.tasks, again.active, again.quick) == (3, 2, 1)


def test_nobody_reaches_anothers_tasks(graph: Graph, user: str) -> None:
    add_tasks(graph, user, [MAIL], NOON)
    other = f"{user}-2"
    assert keys(graph, other, NOON + timedelta(days=9)) == []
    assert list(list_tasks(graph, other)) == []
    with pytest.raises(TaskNotFoundError, match="has no task 'mail'"):
        task_done(graph, other, "mail", NOON)


def published(graph: Graph, user: str, folder: Path, at: datetime = NOON) -> PublishedHeartbeat:
    return publish_heartbeat(graph, user, folder / user / "HEARTBEAT.md", at)


def test_the_file_follows_the_registry_and_is_left_alone_otherwise(graph: Graph, user: str, tmp_path: Path) -> None:
    assert published(graph, user, tmp_path).published.status == "nothing to publish"
    add_tasks(graph, user, [MAIL, REPORT], NOON)
    first = published(graph, user, tmp_path)
    text = first.path.read_text()
    assert "- mail (every 2 hours): Look into the inbox.\n" in text
    assert "- report (0 9 * * 1) " in text and "Write the report" not in text
    again = published(graph, user, tmp_path, NOON + timedelta(days=1))
    assert (again.published.status, again.path.read_text()) == ("unchanged", text)


def test_a_changed_definition_waits_until_it_is_loaded(graph: Graph, user: str, tmp_path: Path) -> None:
    add_tasks(graph, user, [REPORT], NOON)
    late = NOON + timedelta(days=9)
    mark_loaded(graph, user, [task["node_id"] for task in due_tasks(graph, user, late)], late)
    add_tasks(graph, user, [Task("report", "Report", "0 9 * * 1", "Write another report. " * 60)], late)
    assert "## Pending Changes\n- report " in published(graph, user, tmp_path, late).path.read_text()
    mark_loaded(graph, user, [task["node_id"] for task in due_tasks(graph, user, late)], late)
    assert "Pending" not in published(graph, user, tmp_path, late).path.read_text()


def test_the_file_of_many_tasks_keeps_its_budget_and_fills_again_when_tasks_go_idle(
    graph: Graph, user: str, tmp_path: Path
) -> None:
    many = [Task(f"task-{n:04d}", f"Task {n}", "daily", f"Look after number {n}.") for n in range(300)]
    add_tasks(graph, user, many, NOON)
    first = published(graph, user, tmp_path)
    assert count_tokens(first.path.read_text()) == first.heartbeat.tokens <= BUDGET
    assert f"- and {300 - first.heartbeat.quick_shown} more" in first.path.read_text()
    gone = [Task(t.key, t.name, t.schedule, t.definition, is_active=False) for t in many[: first.heartbeat.quick_shown]]
    add_tasks(graph, user, gone, NOON)
    second = published(graph, user, tmp_path)
    assert second.heartbeat.quick_shown >= first.heartbeat.quick_shown - 1
    assert f"- task-{first.heartbeat.quick_shown:04d} (daily)" in second.path.read_text()
    add_tasks(graph, user, [Task("a-first", "First", "daily", "Before all others.")], NOON)
    assert "- a-first (daily): Before all others." in published(graph, user, tmp_path).path.read_text()


def copies(graph: Graph, user: str, root: Path, *folders: str) -> list[Path]:
    """Further paths of a user's HEARTBEAT.md."""
    settings = Settings(_env_file=None, home=root / "home")
    paths = [root / name / "HEARTBEAT.md" for name in folders]
    for path in paths:
        path.parent.mkdir()
        add_file(graph, settings, user, path, NOON, ceiling=Ceiling(tokens=500), kind="heartbeat")
    return paths


def test_a_copy_says_whose_words_were_kept_and_stops_no_other(graph: Graph, user: str, tmp_path: Path) -> None:
    gone, edited = copies(graph, user, tmp_path, "a", "b")
    publish_copies(graph, user, "one", NOON)
    edited.write_text("my own words")
    gone.unlink()
    gone.parent.rmdir()
    done = publish_copies(graph, user, "two", NOON)
    assert edited.read_text() == "two" and done.paths == (edited,)
    (failure,), (note,) = done.failures, done.notes
    assert f"no folder {gone.parent}" in failure
    assert note.startswith(f"{edited} had been edited") and "my own words" in {
        file.read_text() for file in edited.parent.iterdir()
    }


def test_a_copy_of_ours_is_known_however_often_a_publication_is_stopped(
    graph: Graph, user: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (path,) = copies(graph, user, tmp_path, "a")
    publish_copies(graph, user, "one", NOON)

    def stop(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(heartbeat_file.publish, "publish", stop)
        for number in range(12):
            with pytest.raises(KeyboardInterrupt):
                publish_copies(graph, user, f"draft {number}", NOON)
            assert digest("one") in (find_stage(graph, user, copy_stage(path)) or "").split(",")
    assert publish_copies(graph, user, "two", NOON).notes == ()
    assert [file.read_text() for file in path.parent.iterdir()] == ["two"]


def test_a_heartbeat_that_somebody_changed_is_due(graph: Graph, user: str, tmp_path: Path) -> None:
    assert changed_heartbeats(graph, [user]) == {}
    (copy,) = copies(graph, user, tmp_path, "a")
    assert changed_heartbeats(graph, [user]) == {user: [copy]}, "it was never written"
    add_tasks(graph, user, [MAIL], NOON)
    done = published(graph, user, tmp_path)
    publish_copies(graph, user, done.heartbeat.text, NOON)
    assert changed_heartbeats(graph, [user, f"team-{user}"]) == {}
    done.path.unlink()
    copy.write_text("my own words")
    assert changed_heartbeats(graph, [user]) == {user: [done.path, copy]}
    publish_copies(graph, user, published(graph, user, tmp_path).heartbeat.text, NOON)
    assert changed_heartbeats(graph, [user]) == {}


def test_all_idle_leaves_an_empty_file_and_somebodys_words_a_copy(graph: Graph, user: str, tmp_path: Path) -> None:
    add_tasks(graph, user, [MAIL], NOON)
    path = published(graph, user, tmp_path).path
    path.write_text("my own words")
    add_tasks(graph, user, [Task("mail", "Check mail", "every 2 hours", "Look.", is_active=False)], NOON)
    done = published(graph, user, tmp_path)
    assert path.read_text() == ""
    assert done.published.edited_copy
    assert (path.parent / done.published.edited_copy).read_text() == "my own words"
