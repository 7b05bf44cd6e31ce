"""Brings a graph's schema up to date: the files in ``cypher/schema/``, one for each room, the same for both engines.

Each is remembered by its checksum, as a Migration node, and applied again when it has changed; its statements say
``IF NOT EXISTS``, so that two processes may do so at once.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from memory_assets.errors import QueryFileError
from memory_assets.graph.query_files import Query


def schema_files(queries: Mapping[str, Query]) -> list[Query]:
    """The files of the schema, sorted by name."""
    found = [query for name, query in sorted(queries.items()) if name.startswith("schema/")]
    for query in found:
        if query.mode != "schema":
            raise QueryFileError(
                f'cypher/{query.name}.cypher is no schema file. Give it "// mode: schema", or put it into its room.'
            )
    return found


def apply(
    queries: Mapping[str, Query],
    read: Callable[..., list[dict[str, Any]]],
    write: Callable[..., list[dict[str, Any]]],
    run_schema: Callable[[Query], None],
    *,
    now: str,
) -> list[str]:
    """Apply the files that are new or have changed; return their names.

    They are recorded when all have been applied: a record made before its constraint could be made twice.
    """
    applied = {row["name"]: row["checksum"] for row in read("graph/list_migrations")}
    wanted = [query for query in schema_files(queries) if applied.get(query.name) != query.checksum]
    for query in wanted:
        run_schema(query)
    rows = [
        {"id": f"migration:{query.name}", "name": query.name, "checksum": query.checksum, "applied_at": now}
        for query in wanted
    ]
    if rows:
        write("graph/upsert_migrations", rows)
    return [query.name for query in wanted]
