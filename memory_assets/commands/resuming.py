"""What an agent was at before its context was emptied: what its session says, and what the memory keeps of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from memory_assets.context import reading
from memory_assets.graph.graph import Graph
from memory_assets.graph.owners import readable_owners
from memory_assets.hooks import policy
from memory_assets.llm.tokens import count_tokens
from memory_assets.memory_file.pool import POOL_SIZES, read_shelves
from memory_assets.model import AccessKind
from memory_assets.privacy.projects import Within
from memory_assets.runtime.accesses import Access, record_accesses
from memory_assets.sessions.working_memory import Sessions
from memory_assets.settings import Settings

TASKS = "tasks"
MOST_TOKENS = 1_000
"""Half of what is injected then: what must always hold has the rest."""

Row = dict[str, Any]


@dataclass(frozen=True)
class Was:
    """The text, and which memories are in it."""

    text: str = ""
    memories: Sequence[Row] = ()


def where_it_was(graph: Graph, settings: Settings, user: str, session: str, agent: str, within: Within | None) -> Was:
    """What a session was about (:func:`hooks.policy.where_it_was`), with what its agent has remembered as decided since
    it began, and the open tasks of the project. Raises :class:`UnknownReferenceError` where there is no such session.
    """
    sessions = Sessions.of(settings)
    memory = sessions.memory(user, session)
    turns = [vars(turn) for turn in (*memory.waiting, *memory.turns)]
    owners = readable_owners(graph, user, within)
    began = sessions.began(user, session)
    decided = reading.decisions_since(graph, user, owners, agent, began)[: policy.MOST_KEPT] if began else []
    tasks = _open_tasks(graph, settings, user, owners) if turns else []
    rows = policy.where_it_was(turns, decided, tasks)
    while rows and count_tokens("\n".join(row.line for row in rows)) > MOST_TOKENS:
        rows.pop()
    text = "\n".join((policy.WHERE_IT_WAS, *(row.line for row in rows))) if rows else ""
    refs = {row.ref for row in rows} - {""}
    return Was(text, [one for one in (*decided, *tasks) if one["ref"] in refs])


def count_given(settings: Settings, user: str, session: str, agent: str, was: Was) -> None:
    """The memories in it are the session's, and injected."""
    if was.memories:
        now = settings.clock.now()
        Sessions.of(settings).note(user, session, injected=[one["ref"] for one in was.memories])
        record_accesses(
            settings, [Access(user, one["id"], now, AccessKind.INJECTED, agent, session) for one in was.memories]
        )


def _open_tasks(graph: Graph, settings: Settings, user: str, owners: Sequence[str]) -> list[Row]:
    """The latest of the most valuable tasks that are open still."""
    bounds = read_shelves(graph, user).bounds(TASKS)
    shelf = graph.read("memory_file/list_section_shelf", user_id=user, limit=POOL_SIZES[TASKS], **bounds)
    known = reading.may_be_offered(graph, owners, [row["memory_id"] for row in shelf], settings.clock.now().date())
    latest = sorted(
        (name for name, row in known.items() if row["outdated"] is None),
        key=lambda name: (known[name]["at"] or "", name),
        reverse=True,
    )
    words = reading.words_of(graph, user, latest[: policy.MOST_KEPT])
    return [{"id": name, **words[name]} for name in latest if name in words]
