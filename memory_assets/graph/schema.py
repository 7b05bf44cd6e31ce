"""Brings an engine's schema up to date: the numbered files in ``cypher/schema/``, each applied once.

``V001__what_it_adds.cypher`` directly in the folder is for both engines; files in ``neo4j/`` or
``embedded/`` are for that engine alone. What was applied is recorded as Migration nodes. Every file is
written so that applying it twice changes nothing, so two processes may do so at once.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from memory_assets.errors import GraphQueryError, QueryFileError
from memory_assets.graph.query_files import Query

_FILE = re.compile(r"schema/(?:(?P<engine>neo4j|embedded)/)?(?P<version>V\d{3})__(?P<name>[a-z0-9_]+)")


def migrations(queries: Mapping[str, Query], engine: str) -> list[tuple[str, str, Query]]:
    """(version, name, statement) of every migration of ``engine``, in order."""
    found: dict[str, tuple[str, str, Query]] = {}
    for query in queries.values():
        if not query.name.startswith("schema/"):
            continue
        match = _FILE.fullmatch(query.name)
        if not match or query.mode != "schema":
            raise QueryFileError(
                f"cypher/{query.name}.cypher is no migration. Name it V001__what_it_adds.cypher, in schema/, "
                'schema/neo4j/ or schema/embedded/, and give it "// mode: schema".'
            )
        if match["engine"] not in (None, engine):
            continue
        version = match["version"]
        if version in found:
            raise QueryFileError(
                f"cypher/{query.name}.cypher and cypher/{found[version][2].name}.cypher are both {version}. "
                "Give one of them the next number."
            )
        found[version] = (version, match["name"], query)
    return [found[version] for version in sorted(found)]


def apply(
    queries: Mapping[str, Query],
    engine: str,
    read: Callable[..., list[dict[str, Any]]],
    write: Callable[..., list[dict[str, Any]]],
    run_schema: Callable[[Query], None],
    *,
    now: str,
) -> list[str]:
    """Apply what is missing, in order; return the versions applied now."""
    wanted = migrations(queries, engine)
    applied = {row["version"]: row["checksum"] for row in read("operations/list_migrations")}
    for version, _, query in wanted:
        if applied.get(version, query.checksum) != query.checksum:
            raise GraphQueryError(
                f"cypher/{query.name}.cypher was changed after it was applied to this graph. "
                "Restore it, and put the change into a migration with the next number."
            )
    done = []
    for version, name, query in wanted:
        if version in applied:
            continue
        run_schema(query)
        row = {"id": f"migration:{version}", "version": version, "name": name}
        write("operations/upsert_migrations", [row | {"checksum": query.checksum, "applied_at": now}])
        done.append(version)
    return done
