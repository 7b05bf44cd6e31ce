"""Opening a source: who opens it needs it, so it is extracted for that user then (004, lazy extraction)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import dagster as dg

from memory_assets.clock import Clock
from memory_assets.commands.runs import RunReport, run_job
from memory_assets.entities.wanting import want_sources
from memory_assets.errors import UnknownReferenceError
from memory_assets.graph.graph import Graph
from memory_assets.graph.owners import teams_of
from memory_assets.runtime.instance import add_owners
from memory_assets.sources.source_list import files_set_aside, read_source

JOB = "open_sources"


@dataclass(frozen=True)
class Opened:
    """A source as its reader finds it, and the run that extracted it, where there was one."""

    source: dict[str, Any]
    run: RunReport | None = None


def find_source(graph: Graph, user: str, source_id: str) -> dict[str, Any]:
    """The source with this id among those that the user may read.

    Raises :class:`UnknownReferenceError`, in the same words for one of somebody else's as for none at all.
    """
    source = read_source(graph, user, source_id)
    if source is None:
        aside = files_set_aside(graph, [user, *teams_of(graph, user)])
        if file := next((line for line in aside if line["id"] == source_id), None):
            raise UnknownReferenceError(
                f"{source_id!r} is a file that gave no source: {file['path']}. {file['reason']} "
                "`memory-assets retry` reads it again."
            )
        raise UnknownReferenceError(
            f"No source {source_id!r} is known to {user}. `memory-assets sources --user {user}` lists those that are."
        )
    return source


def open_source(instance: dg.DagsterInstance, graph: Graph, clock: Clock, user: str, source_id: str) -> Opened:
    """Want the source for the user and extract it now, unless it is extracted or was set aside with a reason.

    Opening it again changes nothing; what has failed is tried again by ``memory-assets retry``.
    """
    source = find_source(graph, user, source_id)
    want_sources(graph, user, [source_id], clock.now())
    if source["phase"] == "extracted" or source["reason"]:
        return Opened(source)
    needed = [user] if source["phase"] == "processed" else sorted({user, source["owner"]})
    add_owners(instance, needed)
    run = run_job(instance, JOB, needed, scope={"sources": [source_id]})
    return Opened(find_source(graph, user, source_id), run)
