"""What commands share: the settings, the graph, who exists, the options that many take."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from memory_assets import clock
from memory_assets.cli.output import say
from memory_assets.clock import Clock, in_utc
from memory_assets.errors import WrongUseError
from memory_assets.model import check_user, is_team
from memory_assets.privacy.projects import Within
from memory_assets.settings import Settings, load_settings

if TYPE_CHECKING:
    from memory_assets.commands.runs import RunReport
    from memory_assets.graph.graph import Graph

MOST = 1_000_000_000
"""No limit is larger: an engine stores no number that is."""
User = Annotated[str, typer.Option("--user", "-u", help="Whose memory.")]
OptionalUser = Annotated[str | None, typer.Option("--user", "-u", help="Whose memory; everybody's if left out.")]
ListedUser = Annotated[str | None, typer.Option("--user", "-u", help="Whose; to be said where no command follows.")]
Project = Annotated[
    str | None,
    typer.Option("--project", help="A name or a folder: only what is of it and of none. Left out: this folder's."),
]
AllProjects = Annotated[bool, typer.Option("--all-projects", help="What is of other projects, too.")]
SourceId = Annotated[
    str, typer.Argument(metavar="REF", help="The source's reference, as `sources` lists it, or its id.")
]


def day_option(name: str, help_text: str) -> Any:
    """An option that takes a day."""
    return typer.Option(name, parser=read_day, metavar="DAY", help=help_text)


def project_given(project: str) -> str:
    """A project as it is typed: a name, or a folder. Raises :class:`WrongUseError` for a folder that is of none."""
    from memory_assets.commands.projects import project_of

    is_folder = project.startswith((".", "~")) or (os.sep in project and os.path.isdir(project))
    name = project_of(os.path.realpath(os.path.expanduser(project)) if is_folder else project)
    if name is None:
        raise WrongUseError(f"{project} is no project: all work is in the home folder and in /. Give a name.")
    return name


def project_here(project: str | None, *, all_projects: bool = False) -> str | None:
    """In which project a command works: the one that is typed, else that of the working folder."""
    from memory_assets.commands.projects import project_at

    if all_projects and project is not None:
        raise WrongUseError("--project and --all-projects exclude each other.")
    if all_projects:
        return None
    return project_at(str(Path.cwd())) if project is None else project_given(project)


def within(project: str | None, *, all_projects: bool = False) -> Within | None:
    """In which project a command asks; one that nobody typed is told."""
    name = project_here(project, all_projects=all_projects)
    if name and project is None:
        say(f"Of the project {name} and of none; --all-projects asks for all.")
    return Within(name) if name else None


def connect() -> tuple[Settings, Graph]:
    """The settings and the graph, which is started when it does not run."""
    from memory_assets.graph.graph import open_graph

    settings = load_settings()
    return settings, open_graph(settings)


def graph_if_there(settings: Settings) -> Graph | None:
    """The graph, for what leaves no trace of itself: one that has never been is not made."""
    from memory_assets.graph.graph import open_graph

    there = settings.neo4j_uri is not None or settings.graph_home.is_dir()
    return open_graph(settings) if there else None


def connect_for(user: str) -> tuple[Settings, Graph]:
    """The same, for a user who must exist."""
    from memory_assets.runtime.owners import check_known

    check_user(user)
    settings, graph = connect()
    check_known(graph, settings, [user])
    return settings, graph


@contextmanager
def writing_for(user: str, *, is_new: bool = False) -> Iterator[tuple[Settings, Graph]]:
    """The same, with the right to write the user's derived state; a user who ``is_new`` need not exist."""
    from memory_assets.runtime.owners import owner_lock

    settings, graph = connect() if is_new else connect_for(user)
    with owner_lock(settings, check_user(user)):
        yield settings, graph


def run_for(settings: Settings, owner: str, job: str, **given: Any) -> RunReport:
    """A run of a job for one owner, who may be new, in this process."""
    from memory_assets.commands.runs import run_job
    from memory_assets.runtime.instance import add_owners, open_instance

    with open_instance(settings) as instance:
        add_owners(instance, [owner])
        return run_job(instance, job, [owner], **given)


def chosen_users(graph: Graph, user: str | None) -> list[str]:
    """The named user, or all that the graph knows; a named one must exist."""
    from memory_assets.runtime.owners import check_known, stored_owners

    if user is None:
        return [name for name in stored_owners(graph) if not is_team(name)]
    check_known(graph, load_settings(), [check_user(user)])
    return [user]


def listed_for(user: str | None) -> tuple[Graph, str]:
    """The graph and the user of a list, who is left out only where one of its commands follows; must exist."""
    if user is None:
        raise WrongUseError("Say whose: --user NAME.")
    return connect_for(user)[1], user


def read_day(text: str) -> date:
    """An option's day; of an instant the day in UTC."""
    try:
        return clock.read_day(text)
    except ValueError:
        raise typer.BadParameter(f"{text!r} is no day: write it as 2026-10-31 (year, month, day).") from None


def check_past(option: str, asked: date, clock: Clock) -> None:
    """Raise :class:`WrongUseError` for an instant, or for a day that has begun nowhere, that is still to come."""
    now = clock.now()
    begun = now if isinstance(asked, datetime) else (now + timedelta(hours=14)).date()
    if asked > begun:
        raise WrongUseError(f"{option} {asked} is still to come: it is {now:%Y-%m-%d %H:%M} (UTC).")


def read_instant(option: str, text: str, past_of: Clock | None = None) -> datetime:
    """An option's instant, aware; UTC where it says nothing else. None is still to come, by the clock that is given."""
    try:
        instant = in_utc(datetime.fromisoformat(text))
    except (ValueError, OverflowError):
        raise WrongUseError(
            f"{option}: {text!r} is no instant: write it as 2026-10-31 or 2026-10-31T09:00:00Z (ISO 8601)."
        ) from None
    if past_of is not None:
        check_past(option, instant, past_of)
    return instant
