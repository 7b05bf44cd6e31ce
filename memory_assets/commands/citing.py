"""What became of memories that a session has shown: cited in its turns, or ignored by its end. Writes the log of
accesses, and the session's own. What it is counted beside never fails by it.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from datetime import datetime, timedelta
from functools import partial
from typing import Any

from memory_assets.context.reading import words_of
from memory_assets.errors import MemoryAssetsError, SourceUnreadableError
from memory_assets.graph.graph import Graph
from memory_assets.hooks import policy
from memory_assets.model import AccessKind
from memory_assets.runtime.accesses import Access, access_log, record_accesses
from memory_assets.sessions.log import name_for
from memory_assets.sessions.working_memory import Sessions
from memory_assets.settings import Settings
from memory_assets.sources.following import follow_on, said_before, session_in

OUTSIDE = timedelta(days=1)
"""An agent does not always say in which session it recalls: what it was shown for so long may be cited in any."""
MOST_SHOWN = 200
"""Of so many that a session was shown last the words are looked for."""

Turns = Iterable[Mapping[str, Any]]

logger = logging.getLogger(__name__)


@contextmanager
def _beside() -> Iterator[None]:
    """Log why something cannot be counted. The turns are stored, or the session has ended: who is told that this
    failed does it again, and has it twice.
    """
    try:
        yield
    except MemoryAssetsError as error:
        logger.warning("What became of memories is not counted: %s", error)


@_beside()
def count_cited(
    graph: Graph,
    settings: Settings,
    user: str,
    session: str,
    turns: Sequence[Mapping[str, Any]],
    agent: str,
    before: Callable[[], Turns],
) -> None:
    """Count which memories the assistant names in these turns, of those that the session was shown (injected or
    retrieved), or its agent outside of any; and of which of the session's it says the words, where nobody has said them
    in the turns ``before``, which are read only then. Each once for each time that it was shown.
    """
    log, refs = access_log(settings, user), policy.cited_in(turns)
    shown = log.shown(session)
    named = graph.read("graph/list_referenced", user_id=user, refs=sorted(refs)) if refs else []
    named = [row for row in named if refs[row["ref"]] >= shown.get(row["id"], refs[row["ref"]])]
    echoed = _echoed(graph, user, turns, dict(list(shown.items())[:MOST_SHOWN]), before)
    refs_of = {row["id"]: row["ref"] for row in named} | echoed
    cited = log.unjudged(session, agent, settings.clock.now() - OUTSIDE, refs_of) if refs_of else set()
    note_used(settings, user, session, {*refs, *echoed.values()})
    _record(settings, user, cited, AccessKind.CITED, session, agent)


def _echoed(
    graph: Graph,
    user: str,
    turns: Sequence[Mapping[str, Any]],
    shown: Mapping[str, datetime],
    before: Callable[[], Turns],
) -> dict[str, str]:
    """The references, by id, of the memories whose words the assistant says."""
    if not shown or not any(turn["role"] == "assistant" for turn in turns):
        return {}
    words = words_of(graph, user, shown)
    texts = {name: policy.Shown(row["text"], shown[name]) for name, row in words.items()}
    # What was said before is read where enough of a memory is said at all.
    if found := policy.echoed_in(turns, texts, rules=replace(policy.RULES, least_share=0.0)):
        found = policy.echoed_in(turns, texts, policy.heard_in(before()))
    return {name: words[name]["ref"] for name in found}


def count_cited_in(graph: Graph, settings: Settings, user: str, path: str) -> None:
    """Count what a transcript cites that comes in as a file, where something was shown in its session: from where the
    session has followed it to.
    """
    session = session_in(path)
    agent = access_log(settings, user).agent_in(session) if session else None
    if session is None or agent is None:
        return
    sessions, after = Sessions.of(settings), 0
    if sessions.knows(user, session):
        after = sessions.memory(user, name_for(session)).followed
    turns: list[dict[str, Any]] = []
    with suppress(SourceUnreadableError):  # another user's file can be a source, too
        turns = list(follow_on(path, session, after))
    if turns:
        count_cited(graph, settings, user, session, turns, agent, partial(said_before, path, session, after))


def note_used(settings: Settings, user: str, session: str, refs: Iterable[str]) -> None:
    """What was recalled of these sources stays longer in the session's working memory. ``session``: any caller's id."""
    sessions = Sessions.of(settings)
    if (cited := sorted(refs)) and session and sessions.knows(user, session):
        sessions.note(user, name_for(session), used=cited)


@_beside()
def count_ignored(settings: Settings, user: str, session: str, agent: str) -> None:
    """Count as ignored what was injected into a session and is neither cited nor judged otherwise at its end."""
    since = settings.clock.now() - OUTSIDE
    injected = access_log(settings, user).unjudged(session, agent, since, None)
    _record(settings, user, injected, AccessKind.IGNORED, session, agent)


def _record(settings: Settings, user: str, ids: Iterable[str], kind: AccessKind, session: str, agent: str) -> None:
    now = settings.clock.now()
    record_accesses(settings, [Access(user, name, now, kind, agent, session) for name in sorted(ids)])
