"""What a person or an agent reads beside the words themselves: storylines and themes for a question; one memory
opened, from a theme down to its sentences and back up; whatever a reference is of explained, from what was said to why
it is worth its place, and what has become of it. What is shown is counted as accessed in the log.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from memory_assets.commands.sources import check_budget, check_names, check_page
from memory_assets.compression.policy import FULL
from memory_assets.compression.reading import open_context
from memory_assets.curation.metadata import read_value
from memory_assets.edits.reports import explain_edit
from memory_assets.errors import UnknownReferenceError
from memory_assets.graph.decisions import find_corrections
from memory_assets.graph.graph import Graph
from memory_assets.graph.owners import readable_owners
from memory_assets.graph.projects import offered, offered_refs
from memory_assets.graph.said import held_memories
from memory_assets.heartbeat.registry import explain_task
from memory_assets.keys.policy import COMMAND_LINE
from memory_assets.lifecycle.reading import read_life
from memory_assets.llm.opening import embedder
from memory_assets.llm.tokens import count_tokens
from memory_assets.memory_file.reports import explain as explain_memory
from memory_assets.memory_file.user_files import default_file
from memory_assets.model import Granularity
from memory_assets.notes.reading import explain_subject
from memory_assets.privacy.projects import Within
from memory_assets.recall.exploring import Explored, explore
from memory_assets.recall.opening import open_reference, open_sentences
from memory_assets.records.reading import find_record
from memory_assets.runtime.accesses import Access, Given, record_accesses, waiting_accesses
from memory_assets.settings import Settings
from memory_assets.text.held import ALWAYS
from memory_assets.validity.reading import relations_of

Row = dict[str, Any]
BELOW = ("themes", "storylines", "sources", "sentences")
"""The keys of what is below a memory."""
RECORD, NAME, TASK, MEMORY = "record", "name", "task", "memory"
"""What a reference can be of."""


def explore_for(
    graph: Graph,
    settings: Settings,
    user: str,
    question: str,
    level: Granularity,
    budget: int,
    *,
    about: Sequence[str] = (),
    page: int = 1,
    agent: str = COMMAND_LINE,
    session: str = "",
    **how: Any,
) -> Explored:
    """The user's storylines or themes for a question, within a budget; an empty one gives the latest. The rest as
    :func:`recall.exploring.explore` takes it.
    """
    check_budget(budget)
    check_page(page)
    check_names(about)
    how |= {"about": about, "page": page}
    found = explore(graph, settings.home, user, question, level, budget, embedder(settings), **how)
    _count(settings, user, found.retrieved, agent, session, found.packed.tokens)
    return found


def open_memory(
    graph: Graph,
    settings: Settings,
    user: str,
    key: str,
    budget: int | None,
    level: str | None = None,
    *,
    within: Within | None = None,
    agent: str = COMMAND_LINE,
    session: str = "",
    shown: Callable[[Row], Row] = dict,
    whole: bool = False,
) -> Row:
    """The memory of a reference, or of a source's id, with what is below it and what it is part of; ``kind`` says
    what it is. What is below it takes at most ``budget`` tokens; None: all of it. ``shown``: what somebody sees of it,
    which alone counts as accessed. ``whole``: of a source all of its words, where no ``level`` is given.

    ``level``: how much of a source's text; of a statement, that of its source. Raises :class:`UnknownReferenceError`
    where the user has none, in the same words for somebody else's as for none, and ``within`` a project for what is of
    another.
    """
    if budget is not None:
        check_budget(budget)
    owners = readable_owners(graph, user, within)
    if record := open_record(graph, settings, user, key, owners, agent=agent, session=session):
        return shown(record)
    opened = open_reference(graph, user, key, budget, within)
    if opened is None or (level is not None and opened["kind"] == "statement"):
        level = level or (FULL if whole else None)
        context = open_context(graph, settings, user, key, level, settings.clock.now(), agent, session, within)
        source = context.pop("source")
        sentences = open_sentences(graph, user, source["id"], budget, within)
        found = {**source, "kind": "source", "source_kind": source["kind"], "context": context, **sentences}
        opened = shown(found)
        _count(settings, user, _own_below(user, opened), agent, session)
        return opened
    if opened["kind"] == "statement":
        opened["validity"] = _only_offered(graph, user, owners, relations_of(graph, user, key))
        opened |= held_memories(graph, user, owners, [opened["id"]]).get(opened["id"], ALWAYS).as_row()
    elif subject := explain_subject(graph, user, key):
        opened |= {name: subject[name] for name in subject if name not in ("ref", "text", "kind")}
        opened["title"] = subject["text"]
    identifier = opened["id"]
    opened = shown(opened)
    # The sources of a statement are what it is from, not below it.
    below = [] if opened["kind"] == "statement" else _own_below(user, opened)
    _count(settings, user, [identifier, *below], agent, session)
    return opened


def read_file(settings: Settings, user: str) -> dict[str, Any]:
    """The user's published MEMORY.md: ``path``, ``text`` ("" where none is yet), its ``tokens``, its ``limit``."""
    file = default_file(settings, user)
    try:
        text = file.path.read_text(encoding="utf-8")
    except FileNotFoundError:
        text = ""
    return {"path": str(file.path), "text": text, "tokens": count_tokens(text), "limit": file.ceiling.tokens}


def open_record(
    graph: Graph,
    settings: Settings,
    user: str,
    ref: str,
    owners: Sequence[str] = (),
    *,
    agent: str = COMMAND_LINE,
    session: str = "",
) -> dict[str, Any] | None:
    """What an agent has recorded, by its reference, with its sources and the records that it is linked to; None where
    the user has no such record, or not in the project whose key is among ``owners``. ``access_count`` counts what
    waits in the log, and this access, too.
    """
    found = find_record(graph, user, ref)
    if found is None or not offered(graph, user, owners, [found["id"]]):
        return None
    found["records"] = _only_offered(graph, user, owners, found["records"])
    _count(settings, user, [found["id"]], agent, session)
    waiting = waiting_accesses(graph, settings, user, [found["id"]])
    return found | {"access_count": (found["access_count"] or 0) + waiting.get(found["id"], 0)}


def _only_offered(
    graph: Graph, user: str, owners: Sequence[str], rows: Sequence[dict[str, Any]]
) -> list[dict[str, Any]]:
    allowed = offered_refs(graph, user, owners, {row["ref"] for row in rows})
    return [row for row in rows if row["ref"] in allowed]


def _own_below(user: str, opened: dict[str, Any]) -> list[str]:
    """A team's sources are nobody's alone."""
    return [
        row["id"]
        for name in (*BELOW, "relationships")
        for row in opened.get(name, ())
        if "id" in row and row.get("owner", user) == user
    ]


def _count(settings: Settings, user: str, ids: Any, agent: str, session: str, tokens: int = 0) -> None:
    now = settings.clock.now()
    accesses = [Access(user, one, now, agent=agent, session=session) for one in dict.fromkeys(ids)]
    record_accesses(settings, accesses, Given(user, now, tokens, agent))


def explain(
    graph: Graph, settings: Settings, user: str, ref: str, *, agent: str = COMMAND_LINE, session: str = ""
) -> tuple[str, Row]:
    """What the reference is of, and all that is known of it. That is counted as accessed, but nothing shown beside it.

    Raises :class:`UnknownReferenceError` where the user has none.
    """
    now = settings.clock.now()
    value = read_value(graph, settings, user, ref, now)
    if record := open_record(graph, settings, user, ref, agent=agent, session=session):
        return RECORD, record | {"curation": value}
    if subject := explain_subject(graph, user, ref):
        life = read_life(graph, settings, user, ref, now)
        _count(settings, user, [subject.pop("id")], agent, session)
        return NAME, subject | ({"life": life} if life else {})
    if task := explain_task(graph, user, ref):
        return TASK, task
    try:
        found = explain_memory(graph, user, ref, settings)
    except UnknownReferenceError:
        if (edited := explain_edit(graph, user, ref)) is None:
            raise
        found = edited
    known = {
        "validity": relations_of(graph, user, ref),
        "life": read_life(graph, settings, user, ref, now),
        "curation": value,
    }
    _count(settings, user, [found.pop("id")] if "id" in found else [], agent, session)
    return MEMORY, found | {name: one for name, one in known.items() if one}


def history(graph: Graph, user: str, owners: Sequence[str], ref: str) -> list[Row]:
    """What has become of a memory, the earliest first: what it supersedes, is superseded by and contradicts, and what
    agents have corrected. Of other memories those alone that may be shown to these ``owners``.
    """
    rows = relations_of(graph, user, ref)
    for one in find_corrections(graph, user, ref):
        other, how = (one["by_ref"], "corrected by") if one["ref"] == ref else (one["ref"], "corrects")
        corrected = {"relation": how, "ref": other, "at": one["at"], "reason": one["action"], "by": one["agent"]}
        rows.append({name: value for name, value in corrected.items() if value is not None})
    known = offered_refs(graph, user, owners, {row["ref"] for row in rows if "ref" in row})
    shown = [row for row in rows if row.get("ref") is None or row["ref"] in known]
    return sorted(shown, key=lambda row: (row.get("at") or "", row["relation"], row.get("ref") or ""))
