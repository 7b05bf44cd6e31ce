"""A question answered by storylines or themes (004, Retrieval Granularity Controls): each level by its own words and
vectors. Writes nothing into the graph.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from memory_assets.errors import ModelError
from memory_assets.graph.graph import Graph
from memory_assets.graph.owners import readable_owners
from memory_assets.graph.projects import offered, only_offered
from memory_assets.llm.model_client import Embedder
from memory_assets.llm.tokens import count_tokens
from memory_assets.model import Granularity, fingerprint
from memory_assets.privacy.projects import Within, without_project
from memory_assets.recall import levels
from memory_assets.recall.levels import Card, Line, Packed
from memory_assets.recall.overviews import Overview, OverviewIndex
from memory_assets.recall.policy import search_terms

VERSION = 1
"""Part of each mark: raise it when the same storyline would be indexed differently."""
AT_ONCE = 500
_LISTS = {Granularity.STORYLINES: "recall/list_storylines", Granularity.THEMES: "recall/list_macros"}

Row = dict[str, Any]


@dataclass(frozen=True)
class Explored:
    """What was found at a level: what fits the budget, and the ids of the user's memories in it."""

    packed: Packed
    matched: bool
    """Whether it fits the question; else it is the latest."""
    retrieved: tuple[str, ...]
    chosen: int = 0
    """How many it was packed from."""
    by_words_alone: str | None = None
    """Why vectors were not compared, where they were not."""


def explore(
    graph: Graph,
    home: Path,
    user: str,
    question: str,
    level: Granularity,
    budget: int,
    embedder: Embedder,
    *,
    archived: bool = False,
    days: levels.Days = (None, None),
    about: Sequence[str] = (),
    within: Within | None = None,
    page: int = 1,
    characters: int | None = None,
) -> Explored:
    """The user's storylines or themes that fit a question, best first, in at most ``budget`` tokens, each with what
    is below it; the latest where none fits, or nothing is asked.

    Archived ones, and what is archived below one, only where they are wanted (``archived``). ``days``: only those
    that overlap the days from the first to the last (both included; None: any). ``about``: only those that say all of
    these names, in their own words or in those below them. ``within``: only what is of that project, or of none.
    ``page`` goes on where the one before it ended. ``characters``: the text has no more of them.
    """
    owners = readable_owners(graph, user, within)
    rows = {row["id"]: row for row in graph.read(_LISTS[level], user_id=user, with_archived=archived)}
    index = OverviewIndex(home / "recall" / user / f"{level.value}.sqlite3")
    try:
        _bring_up_to_date(graph, index, user, rows)
        words = index.by_words(search_terms(question))
        likeness, why_not = _by_meaning(index, embedder, user, question) if rows else ({}, None)
    finally:
        index.close()
    wanted = offered(graph, user, owners, {name for name, row in rows.items() if levels.touches(row, days)})
    below = lines_of_storylines if level is Granularity.STORYLINES else lines_of_themes
    read = partial(_cards, graph, user, rows, partial(below, graph, user, owners, archived=archived))
    if about:
        wanted = {card.row["id"] for card in read(sorted(wanted)) if levels.says(card, about)}
    words, likeness = ({name: one[name] for name in one if name in wanted} for one in (words, likeness))
    found = readable(graph, user, owners, levels.rank(words, likeness))
    names = found or readable(graph, user, owners, levels.latest(rows[name] for name in wanted))
    packed = levels.pack(read(names), count_tokens, budget, page=page, characters=characters)
    return Explored(packed, bool(found), _own(user, packed), len(names), why_not)


def readable(graph: Graph, user: str, owners: Sequence[str], ids: Sequence[str]) -> list[str]:
    """Those of some storylines and macros, in their order, that say nothing their user may no longer read."""
    keys = without_project(owners)
    rows = graph.read("recall/list_readable", user_id=user, user_ids=keys, ids=list(ids)) if ids else []
    allowed = {row["id"] for row in rows}
    return [name for name in ids if name in allowed]


def _cards(
    graph: Graph,
    user: str,
    rows: Mapping[str, Row],
    below: Callable[[Sequence[str]], Mapping[str, Sequence[Line]]],
    names: Sequence[str],
) -> list[Card]:
    """Storylines or themes with their words and what is ``below`` them, in the order of their ids."""
    if not names:
        return []
    lines, overviews = below(names), graph.read("recall/list_overviews", user_id=user, ids=names)
    texts = {row["id"]: row["text"] for row in overviews}
    return [
        Card(levels.head_of(rows[name]), texts[name], rows[name] | {"text": texts[name]}, tuple(lines.get(name, ())))
        for name in names
        if name in texts
    ]


def _by_meaning(index: OverviewIndex, embedder: Embedder, user: str, question: str) -> tuple[Row, str | None]:
    """The likeness of each to the question above the mean of all; none, and why, where the embedder does not answer."""
    if not question.strip():
        return {}, None
    try:
        (vector,) = embedder.embed([question], asset="recall", user_id=user)
    except ModelError as error:
        return {}, str(error)
    return index.by_meaning(vector.tolist(), embedder.name), None


def _bring_up_to_date(graph: Graph, index: OverviewIndex, user: str, rows: dict[str, Row]) -> None:
    """Index what has changed, forget what is gone."""
    marks = {name: fingerprint(VERSION, row["mark"]) for name, row in rows.items()}
    known = index.marks()
    gone = sorted(known.keys() - marks.keys())
    changed = sorted(name for name, mark in marks.items() if known.get(name) != mark)
    for start in range(0, max(len(changed), bool(gone)), AT_ONCE):
        page = changed[start : start + AT_ONCE]
        rows_of_page = graph.read("recall/list_overviews", user_id=user, ids=page) if page else []
        overviews = {
            row["id"]: Overview(marks[row["id"]], row["title"], row["text"], row["embedder"], row["embedding"])
            for row in rows_of_page
        }
        index.replace(overviews, gone)


def lines_of_storylines(
    graph: Graph, user: str, owners: Sequence[str], ids: Sequence[str], *, archived: bool
) -> dict[str, list[Line]]:
    """The sources of storylines, by the storyline's id, each with its statements in the storyline, else its summary."""
    asked = {"user_id": user, "user_ids": list(owners), "ids": list(ids), "with_archived": archived}
    found: dict[str, list[Line]] = defaultdict(list)
    for row in graph.read("recall/list_included_sources", **asked) if ids else []:
        statements = sorted(row.pop("statements"), key=lambda one: (one["turn"], one["position"], one["text"]))
        if row.pop("is_of_matter"):
            row["text"] = " ".join(one["text"] for one in statements if one["text"])
        found[row.pop("above_id")].append(Line(levels.source_line(row), row))
    return found


def lines_of_themes(
    graph: Graph, user: str, owners: Sequence[str], ids: Sequence[str], *, archived: bool
) -> dict[str, list[Line]]:
    """The storylines of macros, by the macro's id."""
    asked = {"user_id": user, "ids": list(ids), "with_archived": archived}
    found: dict[str, list[Line]] = defaultdict(list)
    rows = graph.read("recall/list_grouped_storylines", **asked) if ids else []
    for row in only_offered(graph, user, owners, rows):
        found[row.pop("above_id")].append(Line(levels.head_of(row), row))
    return found


def _own(user: str, packed: Packed) -> tuple[str, ...]:
    """The ids of the user's own memories that were packed; a team's sources are nobody's alone."""
    rows = [row for card in packed.cards for row in (card.row, *(line.row for line in card.lines))]
    return tuple(row["id"] for row in rows if row.get("owner", user) == user)
