"""What the graph notes of files that move in, and how far each has come."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from memory_assets.clock import to_iso
from memory_assets.graph.graph import Graph
from memory_assets.model import node_id

BEGUN, DONE, UNDOING, UNDONE = "begun", "done", "undoing", "undone"


@dataclass(frozen=True)
class Migration:
    """What the graph knows of a file that moved in."""

    path: Path
    kind: str
    sha256: str
    mode: int
    backup: str | None
    status: str
    source_ids: tuple[str, ...] = ()
    """Those that were not there before."""
    tasks: tuple[tuple[str, str], ...] = ()
    """The tasks that were not there before, with the digests of their definitions."""
    published: tuple[str, ...] = ()
    """The digests of what was put in the file's place."""
    earlier: str | None = None
    """The path's entry among the user's files, as JSON text, where the user had added it before; None where the migration did."""


def find_migration(graph: Graph, user: str, path: Path) -> Migration | None:
    """What is known of the moving in of a file."""
    return next((one for one in list_migrations(graph, user) if one.path == path), None)


def list_migrations(graph: Graph, user: str) -> list[Migration]:
    """All files of a user that have moved in, were about to, or have moved out again; by path."""
    return [
        Migration(
            Path(row["path"]),
            row["kind"],
            row["sha256"],
            row["mode"],
            row["backup"],
            row["status"],
            tuple(row["source_ids"]),
            tuple((key, digest) for key, digest in json.loads(row["tasks"])),
            tuple(row["published"]),
            row["earlier"],
        )
        for row in graph.read("operations/list_file_migrations", user_id=user)
    ]


def save(graph: Graph, user: str, migration: Migration, now: datetime) -> None:
    """Note how far a migration has come."""
    graph.write(
        "operations/upsert_file_migration",
        id=node_id("file-migration", user, migration.path),
        user_id=user,
        path=str(migration.path),
        kind=migration.kind,
        sha256=migration.sha256,
        mode=migration.mode,
        backup=migration.backup,
        status=migration.status,
        source_ids=list(migration.source_ids),
        tasks=json.dumps(migration.tasks),
        published=list(migration.published),
        earlier=migration.earlier,
        now=to_iso(now),
    )
