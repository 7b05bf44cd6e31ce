"""Telling the engine to let go of old bytes: the embedded one writes its database anew, Neo4j what it offers."""

from __future__ import annotations

from memory_assets.errors import GraphQueryError
from memory_assets.graph import embedded
from memory_assets.graph.graph import Graph
from memory_assets.settings import Settings

NEO4J_KEEPS = (
    "Neo4j keeps what was deleted in its transaction logs until they are pruned (db.tx_log.rotation.retention_policy), "
    "in its store's free records until they are used again, and in backups: that is its operator's."
)


def drop_old_bytes(graph: Graph, settings: Settings) -> str | None:
    """Have the engine drop the bytes of what was deleted; returns what it keeps all the same, for a person."""
    if graph.engine == "embedded":
        graph.close()
        embedded.write_anew(settings)
        graph.apply_schema(settings.clock.now().isoformat())
        return None
    try:
        graph.checkpoint()
    except GraphQueryError as error:
        return f"{NEO4J_KEEPS} It refused a checkpoint: {error}"
    return NEO4J_KEEPS
