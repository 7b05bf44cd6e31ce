"""The knife: the one function through which statements reach an engine that remove, retire, archive or merge something.

They are all in ``cypher/curation/``, and a test proves that no query elsewhere removes a node or what a memory says.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

from memory_assets.clock import to_iso
from memory_assets.errors import QueryFileError
from memory_assets.graph.graph import Graph, Statement
from memory_assets.graph.query_files import catalogue
from memory_assets.graph.statements import in_statements

FOLDER = "curation"


def cuts(
    name: str,
    rows: Iterable[Mapping[str, Any]] | None,
    *,
    user: str | None,
    now: datetime | str | None = None,
    **params: Any,
) -> list[Statement]:
    """The statements of ``cypher/curation/<name>`` for some rows, of bounded size; none for no rows.

    ``rows`` is None of a statement that takes none, ``now`` of one that says no instant, ``user`` of one for several
    (``user_ids`` among ``params``). Raises
    :class:`QueryFileError` where there is no such statement, or it only reads.
    """
    query = catalogue().get(f"{FOLDER}/{name}")
    if query is None or query.mode != "write":
        raise QueryFileError(f"cypher/{FOLDER}/{name}.cypher is no statement that writes. Check the name.")
    given = dict(params) if user is None else {"user_id": user, **params}
    if now is not None:
        given["now"] = to_iso(now) if isinstance(now, datetime) else now
    if rows is None:
        return [Statement(query.name, given)]
    return in_statements(query.name, [dict(row) for row in rows], **given)


def cut(graph: Graph, name: str, rows: Iterable[Mapping[str, Any]] | None, **given: Any) -> list[dict[str, Any]]:
    """The same, each statement a transaction of its own: what they return."""
    return [row for one in cuts(name, rows, **given) for row in graph.write_together([one])[0]]


def ids_cut(statements: Sequence[Statement], results: Sequence[Sequence[Mapping[str, Any]]], *names: str) -> list[str]:
    """The ids of what the statements of these names cut, among those of a transaction and what they returned."""
    wanted = {f"{FOLDER}/{name}" for name in names}
    found = zip(statements, results, strict=True)
    return [str(row["id"]) for statement, rows in found if statement.name in wanted for row in rows]
