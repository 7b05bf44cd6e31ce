"""Sessions as a place of erased words: which go, what of their turns does, and which words those that stay have.

A session goes with its source, with any of them where it was in several projects. Of a person its turns lose what the
session's source would lose, by the same function.
Recalled passages are copies of sources: they go with any erasure, and are recalled again.
"""

from __future__ import annotations

import json
from collections.abc import Collection
from dataclasses import replace
from pathlib import Path

from memory_assets.erasure.words import terms_in
from memory_assets.llm.tokens import count_tokens
from memory_assets.model import SourceType
from memory_assets.privacy.projects import project_name
from memory_assets.privacy.redaction import Door
from memory_assets.sessions import log
from memory_assets.sessions.policy import Turn, conversation_lines, parts_of
from memory_assets.sources.cleaning import storable
from memory_assets.sources.erased import ErasedError, redacted
from memory_assets.sources.formats import describe
from memory_assets.sources.source_rows import other_forms, source_id


def erase_from_sessions(home: Path, user: str, gone: Collection[str], door: Door, *, dry_run: bool) -> int:
    """Erase a user's sessions whose sources are ``gone``, and of the others what the door keeps away; how many.

    A person's sources are not gone: what is left of them stays, and so it does here.
    """
    count = 0
    for path in log.logs_of(home, user):
        turns = list(log.turns_in(path))
        left = _left(user, path, turns, gone, door)
        if left is None:
            count += 1
            if not dry_run:
                log.remove(path)
            continue
        projects = _renamed(path, door)
        if left != turns or projects or log.has_passages(path):
            count += 1
            if not dry_run:
                log.rewrite(path, {turn.number: turn for turn in left}, projects)
    return count


def session_terms(home: Path, user: str, gone: Collection[str], door: Door) -> set[str]:
    """The words and phrases of all sessions of a user that stay, and of the projects that they are of."""
    found: set[str] = set()
    for path in log.logs_of(home, user):
        left = _left(user, path, list(log.turns_in(path)), gone, door) or ()
        renamed = _renamed(path, door)
        for project in log.projects_in(path) if left else ():
            found |= terms_in(renamed.get(project, project) or "")
        for turn in left:
            for text in (turn.content, turn.name, turn.place, turn.agent, path.stem):
                found |= terms_in(text or "")
    return found


def without_erased(session: str, turns: list[Turn], door: Door) -> list[Turn] | None:
    """The turns without erased people, the same ones where none is named; None where nobody else says anything."""
    if not door.names or not turns:
        return turns
    before = "\n".join(conversation_lines(session, turns))
    try:
        after = redacted(describe(SourceType.CONVERSATION.value, before), door).raw_content
    except ErasedError:
        return None
    pairs = zip(turns, storable(before).split("\n"), after.split("\n"), strict=True)
    return [turn if line == less else _redacted(turn, json.loads(less), door) for turn, line, less in pairs]


def _redacted(turn: Turn, said: dict[str, str], door: Door) -> Turn:
    place = None if turn.place is None else door.redacted(turn.place)
    content = said["content"]
    return replace(turn, content=content, name=said.get("name"), place=place, tokens=count_tokens(content))


def _renamed(path: Path, door: Door) -> dict[str, str | None]:
    """The projects of a session that are called after somebody erased, each with what it is called without them."""
    return {name: project_name(door.redacted(name)) for name in log.projects_in(path) if door.names_in(name)}


def _left(user: str, path: Path, turns: list[Turn], gone: Collection[str], door: Door) -> list[Turn] | None:
    """The turns that stay; None of a session of which a source was erased, as it ended or as its transcript."""
    if door.names or not gone or not turns:
        return without_erased(path.stem, turns, door)
    for part in parts_of(path.stem, log.turns_by_project(path)):
        first = describe(SourceType.CONVERSATION.value, "\n".join(conversation_lines(part.name, part.turns[:1])))
        if {source_id(user, first), *other_forms(user, first)}.intersection(gone):
            return None
    return turns
