"""What of sessions needs other rooms: recall into a working memory, and what left of it found by a question."""

from __future__ import annotations

import tempfile
from collections.abc import Collection
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any

from memory_assets.commands.citing import count_ignored
from memory_assets.commands.remembering import PATIENCE
from memory_assets.commands.sources import check_budget, check_question, recall_for
from memory_assets.graph.graph import Graph
from memory_assets.graph.owners import readable_owners, source_mark
from memory_assets.graph.projects import readable_refs
from memory_assets.graph.values import clean_text
from memory_assets.llm.tokens import count_tokens
from memory_assets.model import SourceType
from memory_assets.privacy.projects import Within
from memory_assets.recall import policy
from memory_assets.recall.index import PassageIndex, SourceText
from memory_assets.recall.policy import Recalled, SourceHead, split_turns
from memory_assets.runtime.owners import owner_lock
from memory_assets.sessions.log import name_for
from memory_assets.sessions.policy import Passage
from memory_assets.sessions.working_memory import Sessions
from memory_assets.settings import Settings
from memory_assets.sources.ingest import ingest_paths


def recall_into(graph: Graph, settings: Settings, user: str, session: str, question: str) -> dict[str, Any]:
    """Recall for a question what one retrieval may bring into the session, of its project and of none.

    Returns the ``text`` and its ``tokens``, the ``refs`` of its passages, and which of them were ``there`` already.
    """
    sessions = Sessions.of(settings)
    project = sessions.memory(user, session).project
    within = Within(project) if project else None
    budget = sessions.rules.recalled_tokens
    found, _ = recall_for(graph, settings, user, question, budget, session=session, within=within)
    recalled = found.recalled
    passages = passages_of(recalled)
    there = sessions.keep(user, session, passages)
    return {"text": recalled.text, "tokens": recalled.tokens, "refs": [one.ref for one in passages], "there": there}


def keep_recalled(sessions: Sessions, user: str, session: str, recalled: Recalled) -> None:
    """Put what a recall in a conversation has found into its working memory. ``session`` is any caller's id; of no
    session nothing is kept, nor what was only the nearest.
    """
    if not recalled.abstained and sessions.knows(user, session):
        sessions.keep(user, name_for(session), passages_of(recalled))


def readable(graph: Graph, user: str, sources: Collection[str], within: Within | None = None) -> set[str]:
    """Those of the sources of recalled passages that the user may read now: no working memory shows any other."""
    return readable_refs(graph, readable_owners(graph, user, within), sources)


def passages_of(recalled: Recalled) -> list[Passage]:
    """What was recalled as a session keeps it, in the order in which recall has ranked it, the best first."""
    rows = sorted(((head, row) for head, found in recalled.passages for row in found), key=lambda one: -one[1].score)
    texts = [f"{row.speaker}: {row.text}" if row.speaker else row.text for _, row in rows]
    return [
        Passage(source=head.ref or head.id, place=row.place, head=policy.head_line(head), text=text)
        for (head, row), text in zip(rows, texts, strict=True)
    ]


def end_session(graph: Graph, settings: Settings, user: str, session: str, agent: str) -> dict[str, Any]:
    """End a session: it is a source from now on, of each project that was worked in, which the next run processes.
    ``is_source`` is False where nobody has said anything in it. What it was given and has not cited counts as ignored.
    ``session`` is any caller's id.

    Raises :class:`OwnerBusyError` where a run writes the same memory for long: the session has ended then, and its
    files wait in the inbox.
    """
    files = Sessions.of(settings).end(user, name_for(session), settings.inbox / user)
    count_ignored(settings, user, session, agent)
    if files:
        with owner_lock(settings, user, PATIENCE):
            ingest_paths(graph, user, files, None, settings.clock, keep_originals=settings.keep_originals)
            graph.write_together([source_mark(user, settings.clock.now())])
    return {"session": session, "is_source": bool(files)}


def find_left(sessions: Sessions, user: str, session: str, question: str, budget: int) -> Recalled:
    """What left a working memory and likely answers a question, within ``budget`` tokens; a day is as a source is. All
    is of the one session that was asked for, so that no day says its name.

    The index lasts as long as the question: no session is indexed that nobody asks.
    """
    check_question(question)
    check_budget(budget)
    days: dict[str, list[dict[str, Any]]] = {}
    for turn in sessions.back(user, session):
        speaker, text = (clean_text(one) for one in (turn["name"] or turn["role"], turn["content"]))
        said = {"index": int(turn["ref"]), "speaker": speaker, "text": text}
        days.setdefault(turn["at"][:10], []).append(said)
    heads = {day: SourceHead(day, None, user, SourceType.CONVERSATION, "", datetime.fromisoformat(day)) for day in days}
    texts = {day: SourceText("", heads[day].started_at, split_turns(rows)) for day, rows in days.items()}
    with tempfile.TemporaryDirectory() as folder:
        index = PassageIndex(Path(folder) / "left")
        index.replace(texts)
        answered = index.search(question)
        index.close()
    found = answered.found if answered.is_sure else ()
    shown = [replace(one, speaker=f"{one.speaker} [{one.turn}]", tokens=None) for one in found]
    return policy.pack(shown, heads, count_tokens, budget)


def turns_about(sessions: Sessions, user: str, session: str, question: str) -> list[dict[str, Any]]:
    """The turns that left and likely answer a question, whole, the best first: of as many passages as one retrieval may
    bring.
    """
    recalled = find_left(sessions, user, session, question, sessions.rules.recalled_tokens)
    found = sorted((row for _, rows in recalled.passages for row in rows), key=lambda row: -row.score)
    ranks = {str(row.turn): rank for rank, row in reversed(list(enumerate(found)))}
    turns = sessions.back(user, session, ranks) if ranks else []
    return sorted(turns, key=lambda turn: ranks[turn["ref"]])
