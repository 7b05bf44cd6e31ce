"""What texts of storylines and macros rest on, as the graph has it, and whether they still do. Reads only."""

from __future__ import annotations

import json
from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import Any

from memory_assets.clock import to_iso
from memory_assets.graph.graph import Graph
from memory_assets.graph.owners import find_stage
from memory_assets.graph.statements import in_parts
from memory_assets.hierarchy.evidence import Evidence, Key, evidence_of, keys_of, unsupported
from memory_assets.hierarchy.stories import RULES
from memory_assets.llm.sentences import read_sentences

Row = dict[str, Any]

JUDGED = timedelta(days=30)
"""So long a text is judged after it was made."""
MOST_JUDGED = 2 * RULES.most_a_run
"""So many texts are judged, the last that were written: as many as one run names, new ones and others anew; of more
that were written at once, others each time that they are named.
"""


def waiting_stage(stage: str) -> str:
    """The name under which it is noted what of a stage waits."""
    return f"{stage} waiting"


def read_waiting(graph: Graph, user: str, stage: str) -> dict[str, datetime]:
    """The anchors of which something is due that no run has named so far, and since when."""
    noted = json.loads(find_stage(graph, user, waiting_stage(stage)) or "{}")
    return {key: datetime.fromisoformat(at) for key, at in noted.items()}


def read_evidence(graph: Graph, user: str, keys: Iterable[Key]) -> dict[Key, Evidence]:
    """What is there of what is cited."""
    rows = [{"id": key, "source_id": source} for key, source in sorted(set(keys))]
    found = (
        evidence_of(row)
        for part in in_parts(rows)
        for row in graph.read("hierarchy/list_evidence", user_id=user, rows=list(part))
    )
    return {one.key: one for one in found}


def unsupported_storylines(graph: Graph, user: str, now: datetime) -> list[Row]:
    """The sentences of a user's last storylines (``JUDGED``, ``MOST_JUDGED``) that do not follow from what they cite,
    each with why. What is due is not judged: it is to be made anew.
    """
    return _unsupported(graph, user, now, macros=False)


def unsupported_macros(graph: Graph, user: str, now: datetime) -> list[Row]:
    """The same of macros."""
    return _unsupported(graph, user, now, macros=True)


def _unsupported(graph: Graph, user: str, now: datetime, *, macros: bool) -> list[Row]:
    due = {row["memory_id"] for row in graph.read("hierarchy/list_changed", user_id=user)}
    due |= {key for stage in ("storylines", "macros") for key in read_waiting(graph, user, stage)}
    asked = {"since": to_iso(now - JUDGED), "macros": macros, "most": MOST_JUDGED}
    rows = graph.read("hierarchy/list_recent_texts", user_id=user, **asked)
    given = {row["id"]: read_sentences(row["sentences"]) for row in rows}
    cited = {key: keys_of(sentences) for key, sentences in given.items()}
    judged = [
        row for row in rows if due.isdisjoint({row["anchor_id"], *(identifier for identifier, _ in cited[row["id"]])})
    ]
    known = read_evidence(graph, user, (key for row in judged for key in cited[row["id"]]))
    return [
        {"memory_id": row["id"], "title": row["title"], "sentence": text, "why": why}
        for row in judged
        for text, why in unsupported(given[row["id"]], row["text"], known)
    ]
