"""In which project somebody works: the one rule for hooks, tools, programs and commands."""

from __future__ import annotations

from memory_assets.files.repositories import known_by
from memory_assets.privacy.projects import checked_project, project_name


def project_at(folder: str) -> str | None:
    """The project of the work in a folder: its repository's, else the folder itself; None in the home folder."""
    return project_name(known_by(folder))


def project_of(place: str) -> str | None:
    """A project as somebody says it: by a name, or by an absolute folder on this machine (:func:`project_at`).

    Raises :class:`~memory_assets.privacy.projects.ProjectNameError` for what is neither.
    """
    known = known_by(place)
    return None if place and not known else checked_project(known)
