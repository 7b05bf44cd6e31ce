"""Who needs which of a team's sources: what was opened, recalled or asked for is extracted (004, Per-User Extraction).

Requesting writes an empty Extraction for each source that has none and, in the same transaction, the mark that makes
the user's extraction due.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterable
from datetime import datetime

from memory_assets.graph.graph import Graph, Statement
from memory_assets.graph.owners import MARK, readable_owners, stage_made, teams_of
from memory_assets.graph.statements import in_parts
from memory_assets.model import node_id


def request_sources(graph: Graph, user: str, ids: Iterable[str], now: datetime) -> list[str]:
    """Have these sources extracted for ``user`` from now on; those among them that were not requested before, sorted.

    Ids of sources that the user may not read are passed over like ids of none. Repeating it changes nothing.
    """
    known = {row["source_id"] for row in graph.read("graph/list_extractions", user_id=user)}
    owners = readable_owners(graph, user)
    asked = sorted(set(ids) - known)
    new: list[str] = []
    for page in in_parts(asked):
        found = graph.read("graph/list_source_details", ids=list(page), user_ids=owners, reader_ids=owners)
        rows = [{"id": node_id("extraction", user, row["id"]), "source_id": row["id"]} for row in found]
        if rows:
            requested = {"rows": rows, "user_id": user, "user_ids": owners}
            mark = stage_made(user, f"{MARK}wanted_sources", secrets.token_hex(8), now)
            graph.write_together([Statement("entities/want_extractions", requested), mark])
            new += [row["source_id"] for row in rows]
    return sorted(new)


def list_unrequested(graph: Graph, user: str) -> list[str]:
    """The user's teams' sources that were never extracted for the user nor asked for, sorted."""
    if not (teams := teams_of(graph, user)):
        return []
    known = {row["source_id"] for row in graph.read("graph/list_extractions", user_id=user)}
    heads = graph.read("graph/list_source_heads", user_ids=teams, reader_ids=readable_owners(graph, user))
    return sorted({row["id"] for row in heads} - known)
