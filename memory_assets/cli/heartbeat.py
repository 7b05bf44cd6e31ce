"""Commands about an agent's periodic tasks and its HEARTBEAT.md."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from memory_assets.cli.context import User, connect_for, read_instant, run_for, writing_for
from memory_assets.cli.output import Json, emitted, listed, say, table
from memory_assets.errors import MemoryAssetsError, WrongUseError
from memory_assets.model import check_user

LONGEST_FILE = 64 << 20
heartbeat = typer.Typer(help="An agent's periodic tasks, and its HEARTBEAT.md.", no_args_is_help=True)


@heartbeat.command()
def add(
    files: Annotated[
        list[Path], typer.Argument(help="YAML files, or HEARTBEAT.md files of old.", exists=True, dir_okay=False)
    ],
    user: User,
    as_json: Json = False,
) -> None:
    """Take tasks in; the same ids replace what they were. A broken entry is named and stops no other."""
    from memory_assets.heartbeat.reading import read_tasks
    from memory_assets.heartbeat.registry import AddReport, add_tasks

    check_user(user)
    tasks: dict[str, Any] = {}
    set_aside: list[dict[str, Any]] = []
    for path in files:
        reading = read_tasks(_text_of(path), is_yaml=path.suffix.lower() in (".yaml", ".yml"))
        tasks |= {task.key: task for task in reading.tasks}
        set_aside += [
            {"path": str(path), "line": one.line, "id": one.key, "reason": one.reason} for one in reading.refused
        ]
    report = AddReport()
    if tasks:
        with writing_for(user, is_new=True) as (settings, graph):
            report = add_tasks(graph, user, list(tasks.values()), settings.clock.now())
        run = run_for(settings, user, "publish_heartbeat")  # as when the daemon publishes it
        if failures := run.failures_of(user):
            raise MemoryAssetsError(
                f"The tasks are in, but {settings.heartbeat_file(user)} is as it was: " + "; ".join(failures)
            )
    figures = {name: getattr(report, name) for name in ("added", "changed", "unchanged")}
    if not emitted(figures | {"set_aside": set_aside}, as_json):
        print(f"{report.added} added, {report.changed} changed, {report.unchanged} unchanged.")
        if set_aside:
            rows = ((f"{one['path']}:{one['line']}", one["id"], one["reason"]) for one in set_aside)
            table(("set aside", "id", "reason"), rows)
    if not tasks:
        raise MemoryAssetsError("No task could be read. A task has id, task_name, schedule and definition.")


@heartbeat.command("list")
def list_all(user: User, as_json: Json = False) -> None:
    """All tasks, without their definitions."""
    from memory_assets.heartbeat.registry import list_tasks

    _, graph = connect_for(user)
    tasks = list(list_tasks(graph, user))
    if listed(tasks, as_json, f"{user} has no tasks: `memory-assets heartbeat add FILE --user {user}`."):
        header = ("id", "task", "schedule", "next due", "done", "failed", "last error")
        table(header, (_shown(task) for task in tasks))


@heartbeat.command()
def due(
    user: User,
    at: Annotated[
        str | None, typer.Option("--at", help="An instant (ISO 8601, UTC if it says nothing else); now if left out.")
    ] = None,
    as_json: Json = False,
) -> None:
    """The tasks that are due, longest due first, each with its full definition."""
    from memory_assets.heartbeat.registry import due_tasks, mark_loaded
    from memory_assets.heartbeat.tasks import definition_text, to_json

    settings, graph = connect_for(user)
    now = settings.clock.now()
    tasks = list(due_tasks(graph, user, read_instant("--at", at) if at else now))
    if tasks:
        mark_loaded(graph, user, [task.pop("node_id") for task in tasks], now)
    if emitted(tasks, as_json):
        return
    for task in tasks:
        text = definition_text(to_json(task["definition"]))
        print(
            f"{task['id']}: {task['task_name']} ({task['schedule']}, due {task['next_due']:%Y-%m-%d %H:%M} "
            f"UTC)\n{text}\n"
        )
    if not tasks:
        say("Nothing is due.")


@heartbeat.command()
def done(task: Annotated[str, typer.Argument(metavar="ID", help="The task's id.")], user: User) -> None:
    """Say that a task was executed: it is due again at its next slot."""
    from memory_assets.heartbeat.registry import task_done

    settings, graph = connect_for(user)
    times = task_done(graph, user, task, settings.clock.now())
    print(f"{task}: done {times} time{'s' * (times != 1)}.")


@heartbeat.command()
def failed(
    task: Annotated[str, typer.Argument(metavar="ID", help="The task's id.")],
    user: User,
    reason: Annotated[str, typer.Option("--reason", help="What went wrong.")],
) -> None:
    """Say that a task failed: it is counted with its reason, and stays due."""
    from memory_assets.heartbeat.registry import task_failed

    settings, graph = connect_for(user)
    times = task_failed(graph, user, task, reason, settings.clock.now())
    print(f"{task}: failed {times} time{'s' * (times != 1)}; it stays due.")


def _shown(task: dict[str, Any]) -> tuple[Any, ...]:
    next_due = f"{task['next_due']:%Y-%m-%d %H:%M}" if task["next_due"] else "idle"
    counts = (task["execution_count"], task["error_count"], task["last_error"])
    return task["id"], task["task_name"], task["schedule"], next_due, *counts


def _text_of(path: Path) -> str:
    if path.stat().st_size > LONGEST_FILE:
        raise WrongUseError(f"{path} is larger than {LONGEST_FILE >> 20} MB: split it.")
    try:
        return path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise WrongUseError(f"{path} is no UTF-8 text (byte {error.start}): save it as UTF-8.") from None
