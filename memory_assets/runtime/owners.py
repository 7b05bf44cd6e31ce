"""Who there is, known to the graph or by an inbox folder, and who may write for an owner now.

A mistyped name is nobody's, and never becomes a user by it.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING

from filelock import FileLock, Timeout

from memory_assets.errors import OwnerBusyError, UnknownOwnerError
from memory_assets.graph.graph import Graph
from memory_assets.graph.owners import teams_of
from memory_assets.model import can_own, check_owner, check_user, is_team
from memory_assets.settings import Settings

if TYPE_CHECKING:
    import dagster as dg


@contextmanager
def owner_lock(settings: Settings, owner: str, seconds: float | None = None) -> Iterator[None]:
    """Hold the right to write an owner's derived state, which is replaced as a whole; waits for its holder.

    Raises :class:`OwnerBusyError` where it is held for so many ``seconds``.
    """
    check_owner(owner)  # a partition can be added by hand in the UI, under any name
    folder = settings.home / "locks"
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    try:
        held = FileLock(folder / f"{owner}.lock").acquire(-1 if seconds is None else seconds)
    except Timeout:
        raise OwnerBusyError(
            f"A run has been writing the memory of {owner} for {seconds:g} s: try again when it has ended."
        ) from None
    with held:
        yield


def connected_user(connection: Path) -> str | None:
    """Whose memory a connected agent reaches, by the file of its connection; None where it is none any more."""
    try:
        return str(json.loads(connection.read_text(encoding="utf-8"))["user"])
    except (OSError, ValueError, KeyError, TypeError):
        return None


def stored_owners(graph: Graph) -> list[str]:
    """Everybody whom the graph knows."""
    return [row["user_id"] for row in graph.read("runtime/list_owners")]


def inbox_owners(settings: Settings) -> list[str]:
    """All who have a folder in the inbox: that is how a user begins."""
    if not settings.inbox.is_dir():
        return []
    return [path.name for path in settings.inbox.iterdir() if path.is_dir() and can_own(path.name)]


def known_names(graph: Graph, settings: Settings) -> set[str]:
    """Everybody who may be asked for."""
    return {*filter(can_own, stored_owners(graph)), *inbox_owners(settings)}


def check_known(graph: Graph, settings: Settings, names: Iterable[str]) -> None:
    """Raise :class:`UnknownOwnerError` for the first of ``names`` that nobody has."""
    asked = [check_owner(name) for name in names]
    known = known_names(graph, settings) if asked else set()
    for name in asked:
        if name not in known:
            raise UnknownOwnerError(unknown(name, known))


def unknown(name: str, known: Collection[str]) -> str:
    """The sentence about a name that nobody has. Pure."""
    team = is_team(name)
    of_kind = sorted(other for other in known if is_team(other) == team)
    meant = get_close_matches(name, of_kind, n=3, cutoff=0.6)
    option = f"--team {name.removeprefix('team-')}" if team else f"--user {name}"
    sentence = f"Nothing is known of {name!r}"
    sentence += f"; did you mean {' or '.join(meant)}? " if meant else ". "
    some = f" Known: {', '.join(of_kind[:10])}." if of_kind and not meant else ""
    return (
        f"{sentence}Somebody new begins with `memory-assets ingest PATH {option}`, or with files in inbox/{name}.{some}"
    )


def prepare_owners(instance: dg.DagsterInstance, graph: Graph, settings: Settings, user: str | None) -> list[str]:
    """The owners to work on: the user's teams and the user, or everybody; teams first.

    Inbox folders and owners in the graph become partitions by it.
    """
    from memory_assets.runtime.instance import add_owners

    if user is not None:
        check_known(graph, settings, [check_user(user)])
        chosen = [*teams_of(graph, user), user]
        add_owners(instance, chosen)
        return chosen
    return everybody(instance, graph, settings)


def everybody(instance: dg.DagsterInstance, graph: Graph, settings: Settings) -> list[str]:
    """All owners, teams first. They become partitions by it, and a partition of nobody, added by hand, goes."""
    from memory_assets.runtime.instance import keep_in_step

    known = known_names(graph, settings)
    keep_in_step(instance, known)
    return sorted(known, key=lambda name: (not is_team(name), name))
