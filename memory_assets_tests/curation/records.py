"""Agents' records in a graph, and what is asked of them, without the step that reads them from sources."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import neo4j
import pytest

from memory_assets.curation import merging
from memory_assets.curation.facts import Facts
from memory_assets.graph.graph import Graph
from memory_assets.graph.query_files import cypher_folder, included, load_fragments
from memory_assets.graph.values import plain, prepare_parameters

FOLDER = Path(__file__).parent / "cypher"
Row = dict[str, Any]


def run(graph: Graph, name: str, **params: Any) -> list[Row]:
    """The rows of a statement of the tests, which may name the shipped fragments."""
    text = included((FOLDER / f"{name}.cypher").read_text("utf-8"), load_fragments(cypher_folder()), name)
    prepared = prepare_parameters(name, params)

    def work(tx: neo4j.Transaction) -> list[Row]:
        return [plain(dict(record.items())) for record in tx.run(text, prepared)]

    return graph._run(neo4j.WRITE_ACCESS, work, name)


@contextmanager
def worth(of: Callable[[Facts], float]) -> Iterator[None]:
    """Within it a merge weighs memories so."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(merging, "worth_of", lambda facts, now: of(facts))
        yield


def record(identifier: str, label: str = "Belief", **change: Any) -> Row:
    """A record that no rail keeps, as a row to seed; None leaves a property out."""
    given: Row = {
        "id": identifier,
        "label": label,
        "ref": identifier,
        "agent": "ana",
        "text": f"What {identifier} says.",
        "fingerprint": f"f-{identifier}",
        "created_at": "2026-01-02T03:04:05.678Z",
        "changed_at": "2026-01-02T03:04:05.678Z",
        "salience": 0.5,
        "salience_at": "2026-01-02T03:04:05.678Z",
        "state": "candidate",
        "ttl_policy": "decay",
        "access_count": 0,
        "confidence": 0.25,
        "version": 1,
    }
    given |= {"Task": {"status": "completed"}, "SessionContext": {"active": False}}.get(label, {})
    given |= {"Reflection": {"consolidated": True}}.get(label, {}) | change
    return {key: value for key, value in given.items() if value is not None}


def seed(
    graph: Graph, user: str, rows: Iterable[Mapping[str, Any]], links: Iterable[tuple[str, str, str]] = ()
) -> None:
    """Write records, and relationships as (start, type, end)."""
    run(graph, "seed_records", rows=[dict(row) for row in rows], user_id=user)
    of_type = [{"start_id": start, "type": kind, "end_id": end} for start, kind, end in links]
    if of_type:
        run(graph, "seed_links", rows=of_type, user_id=user)
