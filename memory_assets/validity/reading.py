"""What is known of a statement's validity, and what has become of a user's statements since a day. Reads only."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any

from memory_assets.clock import to_iso
from memory_assets.graph.graph import Graph
from memory_assets.graph.owners import readable_owners

KINDS = ("new", "changed", "perhaps changed", "closed", "contradicted", "forgotten")
"""What can become of a statement, in the order in which it is shown."""


def relations_of(graph: Graph, user: str, ref: str) -> list[dict[str, Any]]:
    """What the statement of a reference supersedes, is superseded by, and contradicts: each with its reference, words,
    day, reason and why it was judged so. Empty for what is no statement of the user's, or not to be read any more.
    """
    asked = {"user_id": user, "user_ids": readable_owners(graph, user), "ref": ref}
    return [
        {name: value for name, value in row.items() if value is not None}
        for row in graph.read("validity/list_relations", **asked)
    ]


def in_words(relation: Mapping[str, Any]) -> str:
    """One of these relations as a sentence for people."""
    day = (relation["at"] or "")[:10]
    how = {"wholly": "", "in part": " in part", "perhaps": " perhaps"}.get(relation.get("outdated", ""), "")
    if relation["relation"] == "contradicts":
        return f"Contradicts [{relation['ref']}] of {day} ({relation['kind']}): {relation['text']}"
    what = "is done by" if relation.get("reason") == "done" else "is superseded by"
    if relation["relation"] == "supersedes":
        what = "reports as done" if relation.get("reason") == "done" else "supersedes"
    return (
        f"It{how} {what} [{relation['ref']}] of {day}: {relation['text']} ({relation.get('why') or 'no reason given'})"
    )


def read_diff(graph: Graph, user: str, since: datetime) -> dict[str, list[dict[str, Any]]]:
    """What is new, changed, closed, contradicted and forgotten of a user's statements since an instant, by kind: each
    with its words, the day it was said, and what was said later. Of what is forgotten the words are given where the
    user's own sources alone said them.
    """
    found: dict[str, list[dict[str, Any]]] = {kind: [] for kind in KINDS}
    asked = {"user_id": user, "user_ids": readable_owners(graph, user), "since": to_iso(since)}
    for row in graph.read("validity/list_days", **asked):
        if row["what"] == "forgotten":
            row["text"] = json.loads(row["text"] or "{}").get("content") or "a statement"
        found[row.pop("what")].append(row)
    return {kind: sorted(rows, key=lambda row: (row["at"] or "", row["text"])) for kind, rows in found.items()}


def counts_of(diff: Mapping[str, Iterable[Any]]) -> str:
    """How many of each kind, in words."""
    counts = [f"{len(list(rows))} {kind}" for kind, rows in diff.items() if rows]
    return ", ".join(counts) or "nothing has changed"
