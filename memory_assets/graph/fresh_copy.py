"""The embedded engine's database as a fresh copy.

The engine keeps the bytes of what was deleted in its pages, in the free room of its records and in its transaction log.
Its own IMPORT DATABASE does not take back what its EXPORT DATABASE wrote of a schema whose indexed properties are not
declared, and CHECK DATABASE leaves old bytes where they are: so each record that lives is written into a new database,
which then takes the place of the old one. Indexes and constraints are the schema's, which is applied anew: what it
has noted of itself (Migration) is no part of the copy.

Done by the host's module in a process of its own, because an engine's threads never end; it holds the host's lock, so
that no engine works on either database. Killed at any moment, it leaves one whole database in its place
(:func:`recover`).
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

DATABASE = "memory"
DATABASES = "databases"
FRESH, OLD = "fresh", "old"
"""Beside the engine's folder of databases, where no engine opens them."""
RECORDS_PER_TRANSACTION = 2_000
NOT_COPIED = frozenset({"Migration"})


def recover(graph_home: Path) -> None:
    """After a kill: put the old database back where the new one has not taken its place, and remove what is left."""
    current, old = graph_home / DATABASES / DATABASE, graph_home / OLD
    if not current.exists() and old.exists():
        old.rename(current)
    for name in (FRESH, OLD):
        shutil.rmtree(graph_home / name, ignore_errors=True)


def replace(graph_home: Path) -> None:
    """Write the fresh copy and put it in the old one's place; the old one goes last. The caller holds the lock."""
    recover(graph_home)
    current, fresh, old = graph_home / DATABASES / DATABASE, graph_home / FRESH, graph_home / OLD
    if not current.is_dir():
        return
    copy(current, fresh)
    current.rename(old)
    fresh.rename(current)
    shutil.rmtree(old)


def copy(source: Path, target: Path) -> None:
    """Every vertex and edge of one closed database into a new one; raises where one of them is missing there."""
    import arcadedb_embedded

    with arcadedb_embedded.open_database(str(source)) as old, arcadedb_embedded.create_database(str(target)) as new:
        before, after = old.get_java_database(), new.get_java_database()
        vertices, edges = _make_types(before, after)
        moved = {}
        for name, record in _in_transactions(after, _records(before, vertices)):
            vertex = record.asVertex()
            written = after.newVertex(name)
            written.set(vertex.propertiesAsMap())
            written.save()
            moved[str(vertex.getIdentity())] = written.getIdentity()
        for name, record in _in_transactions(after, _records(before, edges)):
            edge = record.asEdge()
            start = after.lookupByRID(moved[str(edge.getOut())], True).asVertex()
            written = start.newEdge(name, moved[str(edge.getIn())])
            written.modify().set(edge.propertiesAsMap()).save()
        for name in (*vertices, *edges):
            there, here = before.countType(name, False), after.countType(name, False)
            if there != here:
                raise RuntimeError(f"The fresh copy has {here} of {there} records of type {name}.")


def _make_types(before: Any, after: Any) -> tuple[list[str], list[str]]:
    """The names of the types of vertices and edges, made in the new database: parents first, a bucket each."""
    schema = after.getSchema()
    vertices: list[str] = []
    edges: list[str] = []
    types = [kind for kind in before.getSchema().getTypes() if str(kind.getName()) not in NOT_COPIED]
    for kind in sorted(types, key=lambda kind: (len(kind.getSuperTypes()), str(kind.getName()))):
        name = str(kind.getName())
        if "Edge" in str(kind.getClass().getSimpleName()):
            schema.createEdgeType(name, 1)
            edges.append(name)
            continue
        made = schema.createVertexType(name, 1)
        for parent in sorted(str(parent.getName()) for parent in kind.getSuperTypes()):
            made.addSuperType(parent)
        vertices.append(name)
    return vertices, edges


def _records(database: Any, names: list[str]) -> Iterator[tuple[str, Any]]:
    for name in names:
        for record in database.iterateType(name, False):
            yield name, record


def _in_transactions(database: Any, records: Iterator[tuple[str, Any]]) -> Iterator[tuple[str, Any]]:
    """The records, with a commit after so many, and at the end."""
    database.begin()
    for number, record in enumerate(records, start=1):
        yield record
        if number % RECORDS_PER_TRANSACTION == 0:
            database.commit()
            database.begin()
    database.commit()
