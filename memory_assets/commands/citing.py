"""What became of memories that a session has shown: cited in its turns, or ignored by its end. Writes the log of
accesses, and the session's own.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import timedelta
from typing import Any

from memory_assets.graph.graph import Graph
from memory_assets.hooks import policy
from memory_assets.model import AccessKind
from memory_assets.runtime.accesses import Access, access_log, record_accesses
from memory_assets.sessions.log import name_for
from memory_assets.sessions.working_memory import Sessions
from memory_assets.settings import Settings

OUTSIDE = timedelta(days=1)
"""An agent does not always say in which session it recalls: what it was shown for so long may be cited in any."""


def count_cited(
    graph: Graph, settings: Settings, user: str, session: str, turns: Iterable[Mapping[str, Any]], agent: str
) -> None:
    """Count which memories the assistant names in these turns: of those that the session was shown (injected or
    retrieved), or its agent outside of any, each once for each time that it was shown.
    """
    if refs := policy.cited_in(turns):
        note_used(settings, user, session, refs)
        now = settings.clock.now()
        ids = {row["id"] for row in graph.read("graph/list_referenced", user_id=user, refs=sorted(refs))}
        shown = access_log(settings, user).unjudged(session, agent, now - OUTSIDE, ids)
        _record(settings, user, shown, AccessKind.CITED, session, agent)


def note_used(settings: Settings, user: str, session: str, refs: Iterable[str]) -> None:
    """What was recalled of these sources stays longer in the session's working memory. ``session``: any caller's id."""
    sessions = Sessions.of(settings)
    if (cited := sorted(refs)) and session and sessions.knows(user, session):
        sessions.note(user, name_for(session), used=cited)


def count_ignored(settings: Settings, user: str, session: str, agent: str) -> None:
    """Count as ignored what was injected into a session and is neither cited nor judged otherwise at its end."""
    since = settings.clock.now() - OUTSIDE
    injected = access_log(settings, user).unjudged(session, agent, since, None)
    _record(settings, user, injected, AccessKind.IGNORED, session, agent)


def _record(settings: Settings, user: str, ids: Iterable[str], kind: AccessKind, session: str, agent: str) -> None:
    now = settings.clock.now()
    record_accesses(settings, [Access(user, name, now, kind, agent, session) for name in sorted(ids)])
