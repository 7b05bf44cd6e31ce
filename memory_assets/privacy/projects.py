"""What a project is called, which project a memory is of, and what is offered in one (specification 003, project_id).

A source is of at most one project. A memory is of a project when all its sources are; else it is of none, and is there
for all of them. Pure; ``cypher/fragments/may_read.cypher`` says :func:`is_offered` of a source.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterable
from dataclasses import dataclass

from memory_assets.errors import WrongUseError

LONGEST = 64
KEY = "project: "
"""What a project's key begins with, among a reader's keys; no user's id, because of its blank."""
BOUND = "bound to it"


class ProjectNameError(WrongUseError):
    """A project cannot have this name."""


def project_name(text: str | None) -> str | None:
    """The one normal form of a project's name, of what it is called by: a name, a folder, a repository's address, a
    channel. The last part of a path or an address counts, in small letters; None where that has no letter or digit.
    """
    parts = re.split(r"[/\\:]+", (text or "")[-4_000:].strip().rstrip("/\\"))
    small = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", parts[-1].strip()).casefold())
    words = re.sub(r"[^\w.]+", "-", small.removesuffix(".git"))
    return words[:LONGEST].strip("-._") or None


def checked_project(text: str | None) -> str | None:
    """A project by the name that somebody gives it, None for none; :class:`ProjectNameError` for what is no name."""
    name = project_name(text)
    if text is not None and name is None:
        raise ProjectNameError(f"{text[:100]!r} is no project's name: it needs a letter or a digit.")
    return name


@dataclass(frozen=True)
class Within:
    """In which project somebody asks. ``is_bound``: they cannot leave it, and see nothing that any source of another
    project says, not even what is of none because several projects say it.
    """

    project: str
    is_bound: bool = False


def shared_project(projects: Iterable[str | None]) -> str | None:
    """The project of a memory: the one that all its sources are of; None (it is of none) where they are of several, one
    is of none, or there are none.
    """
    found = set(projects)
    return found.pop() if len(found) == 1 else None


def is_offered(projects: Iterable[str | None], within: Within | None) -> bool:
    """Whether a memory whose sources are of these projects is offered ``within`` one: it is of that, or of none.

    Without one all are.
    """
    if within is None:
        return True
    found = set(projects)
    if within.is_bound:
        return found <= {None, within.project}
    return shared_project(found) in (None, within.project)


def project_keys(within: Within | None) -> list[str]:
    """The keys that a reader has within a project: with them, no source of another is read."""
    return [] if within is None else [KEY + within.project, *([BOUND] if within.is_bound else [])]


def within_of(keys: Collection[str]) -> Within | None:
    """The project in a reader's keys; None without one."""
    project = next((key.removeprefix(KEY) for key in keys if key.startswith(KEY)), None)
    return None if project is None else Within(project, BOUND in keys)


def without_project(keys: Iterable[str]) -> list[str]:
    """A reader's keys without those of a project."""
    return [key for key in keys if not key.startswith(KEY) and key != BOUND]
