"""One memory opened: what it says, what is below it and what it is part of (004, drill-down). Writes nothing."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from typing import Any

from memory_assets.graph.graph import Graph
from memory_assets.graph.owners import readable_owners
from memory_assets.graph.projects import only_offered
from memory_assets.llm.tokens import count_tokens
from memory_assets.privacy.projects import Within, without_project
from memory_assets.recall import levels
from memory_assets.recall.exploring import lines_of_storylines, lines_of_themes, readable
from memory_assets.recall.levels import Line

BELOW_AND_AROUND = ("before", "after", "themes", "storylines", "sources", "sentences")
"""The keys under which an opened memory lists what is below it, or before and after it."""
AROUND = 3
"""So many statements before and after one are shown with it."""

Row = dict[str, Any]


def open_reference(graph: Graph, user: str, ref: str, budget: int | None, within: Within | None = None) -> Row | None:
    """The user's statement, storyline, macro, person, concept, entity or relationship behind a reference, with what is
    below it, the latest first, in at most ``budget`` tokens (None: all of it); None where the user has none, or may no
    longer read it. What is archived is reached, too.

    ``within`` a project nothing of another project is shown.
    """
    owners = readable_owners(graph, user, within)
    asked = {"user_id": user, "user_ids": without_project(owners), "ref": ref}
    found = only_offered(graph, user, owners, graph.read("recall/find_opened", **asked))
    if not found:
        return None
    opened = found[0]
    if opened["kind"] == "theme":
        below = {
            "storylines": lines_of_themes(graph, user, owners, [opened["id"]], archived=True).get(opened["id"], [])
        }
    elif opened["kind"] == "storyline":
        below = {
            "sources": lines_of_storylines(graph, user, owners, [opened["id"]], archived=True).get(opened["id"], [])
        }
    elif opened["kind"] == "statement":
        below = {}
        opened |= _around(graph, user, owners, opened["id"])
    else:
        below = _themes_and_storylines(graph, user, owners, opened["id"])
    shown = bounded(below, budget)
    for name in ("themes", "storylines"):
        shown |= {name: _readable_rows(graph, user, owners, shown[name])} if name in shown else {}
    return opened | _above(graph, user, owners, opened["id"]) | shown


def open_sentences(graph: Graph, user: str, source_id: str, budget: int | None, within: Within | None = None) -> Row:
    """What a source states for the user, the first of it in at most ``budget`` tokens, and what it is part of."""
    owners = readable_owners(graph, user, within)
    lines = [Line(levels.sentence_line(row), row) for row in _sentences(graph, user, owners, source_id)]
    return _above(graph, user, owners, source_id) | bounded({"sentences": lines}, budget, latest_first=False)


def bounded(below: Mapping[str, Sequence[Line]], budget: int | None, *, latest_first: bool = True) -> Row:
    """The lines below a memory, by what they are, in reading order, within a budget; and how many were left out."""
    shown: Row = {}
    left_out = 0
    for name, lines in below.items():
        room = sys.maxsize if budget is None else budget // len(below)
        fitting = levels.within(lines, count_tokens, room, latest_first=latest_first)
        shown[name] = [line.row | {"line": line.text} for line in fitting]
        left_out += len({line.row["id"] for line in lines}) - len(fitting)
    return shown | {"left_out": left_out}


def _sentences(graph: Graph, user: str, owners: Sequence[str], source_id: str) -> list[Row]:
    asked = {"user_id": user, "user_ids": list(owners), "id": source_id}
    return graph.read("recall/list_sentences", **asked)


def _around(graph: Graph, user: str, owners: Sequence[str], statement_id: str) -> Row:
    """The sources of a statement, and what the newest of them states before and after it."""
    asked = {"user_id": user, "user_ids": list(owners), "id": statement_id}
    sources = graph.read("recall/list_stating_sources", **asked)
    said = _sentences(graph, user, owners, sources[0]["id"]) if sources else []
    at = next((place for place, row in enumerate(said) if row["id"] == statement_id), None)
    beside = (
        {"before": said[max(0, at - AROUND) : at], "after": said[at + 1 : at + 1 + AROUND]} if at is not None else {}
    )
    return {"sources": sources} | {
        name: [row | {"line": levels.sentence_line(row)} for row in beside.get(name, ()) if row["id"] != statement_id]
        for name in ("before", "after")
    }


def _themes_and_storylines(graph: Graph, user: str, owners: Sequence[str], anchor_id: str) -> dict[str, list[Line]]:
    """The themes and storylines of a person, concept or entity, the oldest first."""
    rows = only_offered(graph, user, owners, graph.read("recall/list_topics_of", user_id=user, id=anchor_id))
    rows.sort(key=lambda row: (row["first_at"] or "", row["id"]))
    found: dict[str, list[Line]] = {"themes": [], "storylines": []}
    for row in rows:
        found[row.pop("level")].append(Line(levels.head_of(row), row))
    return found


def _above(graph: Graph, user: str, owners: Sequence[str], identifier: str) -> Row:
    """What a memory is part of, and whom and what it is about."""
    asked = {"user_id": user, "user_ids": list(owners), "id": identifier}
    found: Row = {"part_of": [], "about": []}
    for row in only_offered(graph, user, owners, graph.read("recall/list_above", **asked)):
        found[row.pop("relation")].append(row)
    return found | {"part_of": _readable_rows(graph, user, owners, found["part_of"])}


def _readable_rows(graph: Graph, user: str, owners: Sequence[str], rows: Sequence[Row]) -> list[Row]:
    allowed = set(readable(graph, user, owners, [row["id"] for row in rows]))
    return [row for row in rows if row["id"] in allowed]
