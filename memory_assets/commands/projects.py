"""In which project somebody works: the one rule for hooks, tools, programs and commands."""

from __future__ import annotations

from collections.abc import Iterable
from os.path import isabs, normpath
from pathlib import Path

from memory_assets.files.repositories import known_by, root_of
from memory_assets.privacy.projects import checked_project, project_name


def project_at(folder: str) -> str | None:
    """The project of the work in a folder: its repository's, else the folder itself; None in the home folder."""
    return project_name(known_by(folder))


def project_beneath(folder: str, roots: Iterable[str]) -> str | None:
    """The project of what is said in a folder while work goes on in ``roots``: a folder beneath one of these that is in
    no repository is of that one's project, and not one by itself.
    """
    path = Path(normpath(folder))
    try:
        is_plain = path.is_absolute() and root_of(path) is None
    except (OSError, ValueError):  # a path that none can have
        is_plain = False
    above = (root for root in roots if isabs(root) and path.is_relative_to(normpath(root)) and project_at(root))
    return project_at(next(above, folder) if is_plain else folder)


def project_of(place: str) -> str | None:
    """A project as somebody says it: by a name, or by an absolute folder on this machine (:func:`project_at`).

    Raises :class:`~memory_assets.privacy.projects.ProjectNameError` for what is neither.
    """
    known = known_by(place)
    return None if place and not known else checked_project(known)
