"""The files of a user: the one that everybody has, and those that the user has added, each with its own ceiling.

A ``MemoryFile`` node says where a file is and how large it may be; the default file needs none. A path is
stored absolute, the links among its folders followed once, when it is added: nobody can turn it elsewhere later.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from memory_assets.clock import to_iso
from memory_assets.errors import WrongUseError
from memory_assets.files import publish
from memory_assets.graph.graph import Graph, Statement
from memory_assets.graph.knife import cuts
from memory_assets.graph.owners import MARK, find_stage, stage_made
from memory_assets.llm.tokens import count_tokens
from memory_assets.memory_file.ceilings import DEFAULT_PRESET, PRESETS, Ceiling, checked_preset
from memory_assets.memory_file.render import render_title
from memory_assets.model import check_user, fingerprint, node_id
from memory_assets.settings import Settings

MEMORY, HEARTBEAT = "memory", "heartbeat"
FILES_STAGE = f"{MARK}memory_files"
"""The mark of a user's list of files: what drafts are made from beside the memories (``runtime/marks.py``)."""


class UserFileError(WrongUseError):
    """A path or ceiling that cannot be one of a user's files."""


@dataclass(frozen=True)
class UserFile:
    """One of a user's files: ``path`` is absolute; ``preset`` names the ceiling where it is one of ``PRESETS``.

    ``kind`` is ``memory`` or ``heartbeat``; a heartbeat's content comes from the registry of tasks.
    """

    user: str
    path: Path
    ceiling: Ceiling
    preset: str | None = None
    is_default: bool = False
    kind: str = MEMORY
    project: str | None = None
    """It holds what is of this project and of none; None: what is of all."""
    is_private: bool = False
    """It is in the user's folder in HOME, which is ours to make and to close."""

    @property
    def draft_id(self) -> str:
        """The id of the file's ``MemoryDraft``."""
        return self._node_id("draft")

    @property
    def manifest_id(self) -> str:
        """The id of the file's ``BoundedMemoryManifest``."""
        return self._node_id("manifest")

    @property
    def publication_stage(self) -> str:
        """The stage under which is announced what the file may have."""
        return "publication" if self.is_default else f"publication/{fingerprint(self.path)[:16]}"

    @property
    def whose(self) -> str:
        """Whose file it is, for a sentence about it."""
        return self.user if self.is_default else f"{self.user}'s {self.path}"

    def _node_id(self, kind: str) -> str:
        return node_id(kind, self.user) if self.is_default else node_id(kind, self.user, self.path)


def default_of(user: str, path: Path = Path("MEMORY.md"), kind: str = MEMORY) -> UserFile:
    """The file that everybody has, where only its path or not even that is known."""
    return UserFile(user, path, PRESETS[DEFAULT_PRESET], DEFAULT_PRESET, is_default=True, kind=kind, is_private=True)


def default_file(settings: Settings, user: str, kind: str = MEMORY) -> UserFile:
    """The file that a user has without adding it: 2,000 tokens in HOME (000, hard cap)."""
    return default_of(user, settings.memory_file(user) if kind == MEMORY else settings.heartbeat_file(user), kind)


def user_files(graph: Graph, settings: Settings, user: str) -> list[UserFile]:
    """All files of ``user`` that hold memories: the default first, the others by path."""
    added = (file for file in added_files(graph, settings, user) if file.kind == MEMORY)
    return [default_file(settings, user), *added]


def added_files(graph: Graph, settings: Settings, user: str) -> list[UserFile]:
    """The files of every kind that ``user`` has added, by path."""
    return [_file_of(settings, user, row) for row in graph.read("memory_file/list_files", user_id=user)]


def add_file(
    graph: Graph,
    settings: Settings,
    user: str,
    path: Path | str,
    now: datetime,
    *,
    preset: str | None = None,
    ceiling: Ceiling | None = None,
    kind: str = MEMORY,
    project: str | None = None,
) -> UserFile:
    """Make ``path`` one of the user's files, with a preset's ceiling or one of its own; its draft is due.

    The same path with the same ceiling and ``project`` again changes nothing, with others it changes these. Raises
    :class:`UserFileError` for a path that is another user's, or that no file can have, and for a ceiling
    that is none. Nothing is written at the path; what is there is its owner's alone from now on. Call it with the
    owner's lock held.
    """
    check_user(user)
    limits = chosen_ceiling(preset, ceiling)
    resolved = resolve_path(path)
    named, is_private = _preset_of(preset, limits), _is_private(settings, user, resolved)
    file = UserFile(user, resolved, limits, named, kind=kind, project=project, is_private=is_private)
    for own in (default_file(settings, user, MEMORY), default_file(settings, user, HEARTBEAT)):
        if resolved == resolve_path(own.path):
            if (own.kind, own.ceiling, own.project) == (kind, limits, project):
                return own
            raise UserFileError(
                f"{resolved} is the {own.path.name} that {user} has anyway, with a ceiling of its own. "
                "Add a file at another path."
            )
    _check_home(settings, user, resolved)
    _check_size(file)
    known = added_files(graph, settings, user)
    if file in known:
        return file
    if not is_private and (on_disk := publish.look_at(resolved)).kind == "link":
        raise UserFileError(
            f"{resolved} is a link to {on_disk.target}, and a published file would take its place. "
            "Add the file that it leads to, or take the link away."
        )
    owners = {row["user_id"] for row in graph.read("memory_file/list_path_owners", path=str(resolved))}
    if owners - {user}:
        raise UserFileError(
            f"{resolved} is the file of another user already. One file has one owner: choose another path."
        )
    files = [*(other for other in known if other.path != resolved), file]
    row: dict[str, Any] = {"id": node_id("file", user, resolved), "user_id": user, "path": str(resolved)}
    row |= {"preset": file.preset, "kind": kind, "project": project, "now": to_iso(now), **asdict(limits)}
    if not file.is_private and all(other.path != resolved for other in known):
        publish.close(resolved)
    graph.write_together([Statement("memory_file/upsert_file", row), _files_made(user, files, now)])
    return file


def remove_file(graph: Graph, settings: Settings, user: str, path: Path | str, now: datetime) -> bool:
    """Take a file out of the user's list, with its draft and manifest; False when it was not in it.

    The file on disk stays as it is, and is nobody's any more. Call it with the owner's lock held.
    """
    resolved = resolve_path(path)
    known = added_files(graph, settings, user)
    file = next((file for file in known if file.path == resolved), None)
    if file is None:
        return False
    left = [other for other in known if other.path != resolved]
    graph.write_together(
        [
            *cuts("retire_draft", None, user=user, id=file.draft_id),
            *cuts("retire_manifest", None, user=user, id=file.manifest_id),
            *cuts("retire_file", None, user=user, id=node_id("file", user, resolved)),
            stage_made(user, file.publication_stage, "", now),
            _files_made(user, left, now),
        ]
    )
    return True


def back_up_foreign(graph: Graph, file: UserFile) -> str | None:
    """Copy what is at a file's path, and that we have not written, beside it; the name of the copy, if any.

    Publishing does the same for whatever is there then.
    """
    if file.is_private:
        return None
    ours = {row["sha256"] for row in graph.read("memory_file/list_published", user_ids=[file.user])}
    ours |= set((find_stage(graph, file.user, file.publication_stage) or "").split(","))
    with publish.write_errors_of(file.path), publish.open_folder(file.path.parent, private=False) as folder:
        on_disk = publish.look(folder, file.path.name)
        return publish.keep_edited(folder, file.path.name, on_disk, ours)


def resolve_path(path: Path | str) -> Path:
    """The absolute path of a file, the links among its folders followed; its last part is left as it is.

    Raises :class:`UserFileError` for what cannot be the path of a file.
    """
    given = os.path.expanduser(path)
    if not given or given.endswith((os.sep, f"{os.sep}.", f"{os.sep}..")) or given in (".", ".."):
        raise UserFileError(f"{str(path)!r} names no file. Give the path of a file, for example ~/project/MEMORY.md.")
    try:
        absolute = Path(given).absolute()
        resolved = absolute.parent.resolve() / absolute.name
        str(resolved).encode()
    except (OSError, RuntimeError, ValueError) as error:
        raise UserFileError(
            f"{str(path)!r} cannot be the path of a file ({type(error).__name__}): use another path."
        ) from None
    if not str(resolved).isprintable():
        raise UserFileError(f"{str(resolved)!r} has characters that nobody can see: use another path.")
    return resolved


def chosen_ceiling(preset: str | None, ceiling: Ceiling | None) -> Ceiling:
    """The ceiling that is meant: the preset's, the one that is given, or the default's."""
    if preset is not None and ceiling is not None:
        raise UserFileError("A file has a preset or limits of its own, not both: leave one out.")
    if ceiling is not None:
        return ceiling
    return PRESETS[checked_preset(preset or DEFAULT_PRESET)]


def _check_home(settings: Settings, user: str, path: Path) -> None:
    """In HOME a file can only be in its user's own folder: everything else there is ours, or another user's."""
    home = settings.home.resolve()
    if path.is_relative_to(home) and not _is_private(settings, user, path):
        raise UserFileError(
            f"{path} is inside of {home}, where memory_assets keeps its own. Choose a path outside of it, "
            f"or in {home / 'files' / user}."
        )


def _is_private(settings: Settings, user: str, path: Path) -> bool:
    return path.parent == settings.home.resolve() / "files" / user


def _check_size(file: UserFile) -> None:
    title = render_title(file.user)
    if file.kind == MEMORY and (over := file.ceiling.exceeded(title, count_tokens)):
        unit = next(iter(over))
        least = file.ceiling.limits[unit] + over[unit]
        raise UserFileError(
            f"A file of {file.ceiling.limits[unit]} {unit} cannot even hold its title ({least} {unit}): allow more."
        )


def _files_made(user: str, files: Iterable[UserFile], now: datetime) -> Statement:
    listed = sorted(
        (str(file.path), file.kind, file.project or "", *map(str, sorted(file.ceiling.limits.items())))
        for file in files
    )
    return stage_made(user, FILES_STAGE, fingerprint(*(part for file in listed for part in file)), now)


def _file_of(settings: Settings, user: str, row: dict[str, Any]) -> UserFile:
    path, ceiling = Path(row["path"]), Ceiling(row["tokens"], row["lines"], row["bytes"], row["characters"])
    preset, is_private = _preset_of(row["preset"], ceiling), _is_private(settings, user, path)
    return UserFile(user, path, ceiling, preset, kind=row["kind"], project=row["project"], is_private=is_private)


def _preset_of(name: str | None, ceiling: Ceiling) -> str | None:
    """The preset's name while its limits are these: one that is changed later keeps the limits that were promised."""
    return name if name is not None and PRESETS.get(name) == ceiling else None
