"""HEARTBEAT.md published: read a bounded part of the registry, render, write once what has changed.

The cost does not grow with the tasks: shelves are read by key up to the first task that did not fit the last time, and
further only when that one fits now.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from memory_assets.clock import to_iso
from memory_assets.errors import MemoryAssetsError
from memory_assets.files import publish
from memory_assets.files.on_disk import changed_on_disk
from memory_assets.graph.due_keys import LAST
from memory_assets.graph.graph import Graph
from memory_assets.graph.owners import find_stage, stage_made
from memory_assets.heartbeat import render
from memory_assets.heartbeat.registry import Registry, Row, list_pending, read_registry
from memory_assets.heartbeat.tasks import DEFERRED, QUICK, registry_id
from memory_assets.model import fingerprint, is_team

CODE_VERSION = "2"
"""Raise it when the same tasks would be written differently, or more is stored of what was published."""

MOST_LINES = {QUICK: 64, DEFERRED: 48}
"""More lines than these never fit the budget."""

PUBLICATION = "heartbeat_publication"


@dataclass(frozen=True)
class PublishedHeartbeat:
    """What a publication left: the file's text and figures, and what it did."""

    path: Path
    registry: Registry
    heartbeat: render.Heartbeat
    published: publish.Published


@dataclass(frozen=True)
class Copies:
    """What became of the further paths: those with the text, what was saved of others' words, and what failed."""

    paths: tuple[Path, ...]
    notes: tuple[str, ...]
    failures: tuple[str, ...]


def publish_heartbeat(
    graph: Graph, user: str, path: Path, now: datetime, *, taken_in: Collection[str] = ()
) -> PublishedHeartbeat:
    """Put the registry's file in its place; a file that says all this already is left alone.

    What is about to be written is announced in the graph first, so that after a stop in
    between the next publication knows its own bytes from somebody's words. Of ``taken_in`` bytes the graph has all the
    words, so that no copy is needed.
    """
    registry, stored = read_registry(graph, user)
    last = stored.get("sha256")
    heartbeat = _rendered(graph, user, registry, stored, stored["last_sync"] if last else now)
    if publish.digest(heartbeat.text) != last:
        heartbeat = _rendered(graph, user, registry, stored, now)
    wanted = publish.digest(heartbeat.text)
    if not heartbeat.text and not last and not path.exists():
        return PublishedHeartbeat(path, registry, heartbeat, publish.Published("nothing to publish"))
    published = _put(graph, user, path, PUBLICATION, heartbeat.text, now, taken_in, last=last, private=True)
    if wanted != last or str(path) != stored.get("path"):
        graph.write(
            "heartbeat/set_registry_published",
            id=registry_id(user),
            user_id=user,
            sha256=wanted,
            text=heartbeat.text,
            tokens=heartbeat.tokens,
            path=str(path),
            quick_through=heartbeat.quick_through,
            deferred_through=heartbeat.deferred_through,
            now=to_iso(now),
        )
    return PublishedHeartbeat(path, registry, heartbeat, published)


def publish_copies(graph: Graph, user: str, text: str, now: datetime, taken_in: Collection[str] = ()) -> Copies:
    """Put the same text at the further paths of the user's HEARTBEAT.md; one that cannot be written stops no other."""
    done, notes, failures = [], [], []
    for row in graph.read("heartbeat/list_heartbeat_files", user_ids=[user]):
        path = Path(row["path"])
        try:
            published = _put(graph, user, path, copy_stage(path), text, now, taken_in, private=False)
        except MemoryAssetsError as error:
            if error.retryable:
                raise
            failures.append(str(error))
            continue
        done.append(path)
        notes += published.notes(path)
    return Copies(tuple(done), tuple(notes), tuple(failures))


def _put(
    graph: Graph,
    user: str,
    path: Path,
    stage: str,
    text: str,
    now: datetime,
    taken_in: Collection[str],
    *,
    private: bool,
    last: str | None = None,
) -> publish.Published:
    """Put the text in its place, where it is not the ``last`` one once it is noted which bytes of ours may be there
    from now on: what is about to be written, and what is there.
    """
    wanted, announced = publish.digest(text), find_stage(graph, user, stage)
    known = {digest for digest in (*(announced or "").split(","), last, *taken_in) if digest}
    if wanted != last:
        with publish.write_errors_of(path), publish.open_folder(path.parent, private=private) as folder:
            present = publish.look(folder, path.name).sha256
        possible = ",".join(sorted({wanted} | ({present} & known if present else set())))
        if announced != possible:
            graph.write_together([stage_made(user, stage, possible, now)])
    return publish.publish(path, text, known | {wanted}, private=private)


def changed_heartbeats(graph: Graph, owners: Sequence[str]) -> dict[str, list[Path]]:
    """The HEARTBEAT.md files that are not as published, by user; one that was added and never written is among them.

    A further path holds what the default one does, or nothing at all while there are no tasks.
    """
    users = [owner for owner in owners if not is_team(owner)]
    published = graph.read("heartbeat/list_published_registries", user_ids=users)
    further = graph.read("heartbeat/list_heartbeat_files", user_ids=users)
    digests = {row["user_id"]: row["sha256"] for row in published}
    nothing = publish.digest("")
    return changed_on_disk(
        (row["user_id"], Path(row["path"]), digests.get(row["user_id"], nothing)) for row in [*published, *further]
    )


def copy_stage(path: Path) -> str:
    """The stage that announces what a further HEARTBEAT.md may hold."""
    return f"{PUBLICATION}/{fingerprint(str(path))[:16]}"


def _rendered(graph: Graph, user: str, registry: Registry, stored: Row, synced: datetime) -> render.Heartbeat:
    totals = {QUICK: registry.quick, DEFERRED: registry.active - registry.quick}
    pending = list_pending(graph, user, render.MOST_PENDING)
    for through in ({QUICK: stored.get("quick_through"), DEFERRED: stored.get("deferred_through")}, {}):
        rows = {shelf: _shelf(graph, user, shelf, through.get(shelf)) for shelf in totals}
        heartbeat = render.render(
            user,
            registry.tasks,
            registry.hash,
            (to_iso(synced) or "")[:16] + "Z",
            render.quick_tasks(rows[QUICK], totals[QUICK]),
            render.deferred_tasks(rows[DEFERRED], totals[DEFERRED]),
            render.pending_tasks(pending),
        )
        shown = {QUICK: heartbeat.quick_shown, DEFERRED: heartbeat.deferred_shown}
        if not any(through.get(shelf) and shown[shelf] == len(rows[shelf]) < totals[shelf] for shelf in totals):
            break
    return heartbeat


def _shelf(graph: Graph, user: str, shelf: str, through: str | None) -> list[Row]:
    first = f"{user}|{shelf}|"
    return graph.read(
        "heartbeat/list_shelf", user_id=user, first=first, last=through or first + LAST, limit=MOST_LINES[shelf]
    )
