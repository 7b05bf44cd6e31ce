"""What is asked of a session: add turns, see the working memory, have back what left, go on with it, end it.

A session is an owner's, whatever agent is at work in it. Secrets are masked at the door, as everywhere; what was added
then is given back byte for byte.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import takewhile
from pathlib import Path
from typing import Any

from memory_assets.clock import Clock, to_iso
from memory_assets.errors import UnknownReferenceError
from memory_assets.llm.tokens import count_tokens
from memory_assets.model import check_user, fingerprint
from memory_assets.privacy.masking import mask_text
from memory_assets.sessions import log, policy
from memory_assets.sessions.log import InputError
from memory_assets.sessions.policy import Passage, SessionRules, Turn, WorkingMemory
from memory_assets.settings import Settings

MOST_TURNS = 10_000
"""Turns that are added at once."""
MOST_LISTED = 50
_TEXTS = ("name", "id", "place")
_LONGEST_TEXT = 500

Row = dict[str, Any]
MayRead = Callable[[Collection[str]], Collection[str]]
"""Which of some sources, by what passages call them, may be read now."""


@dataclass(frozen=True)
class Sessions:
    """The sessions of an installation; holds nothing open."""

    home: Path
    clock: Clock
    rules: SessionRules = policy.RULES
    keep_originals: bool = False

    @classmethod
    def of(cls, settings: Settings) -> Sessions:
        """Those of these settings."""
        return cls(settings.home, settings.clock, keep_originals=settings.keep_originals)

    def add(
        self,
        owner: str,
        session: str,
        turns: Sequence[Mapping[str, Any]],
        agent: str = "",
        *,
        followed: int = 0,
        project: str | None = None,
    ) -> Row:
        """Append turns (``role``, ``content``, perhaps ``name``, ``at``, ``id``, ``place``): durable on return.

        All of them or none; one whose ``id`` was added before is left out. Returns how many were ``added`` and
        ``masked`` (had secrets), how many ``evicted`` have left by it, the ``tokens`` of the working memory,
        those of its summary, the ``ref`` of the last turn, and the places among ``turns`` of the ``fresh`` ones, which
        were added. ``followed``: the byte up to which the agent's
        transcript has been read by them; the ``project`` is the one at work. Raises
        :class:`InputError` for what is no turn.
        """
        path = self._path(owner, session)
        check_agent(agent)
        if not 0 < len(turns) <= MOST_TURNS:
            raise InputError(f"Give 1 to {MOST_TURNS:,} turns at once, not {len(turns):,}.")
        said = [_checked(turn, number, self._now) for number, turn in enumerate(turns, 1)]
        masked = 0
        for one in said:
            if not self.keep_originals and (without := _without_secrets(one)) != one:
                one |= without
                masked += 1
            one["tokens"] = count_tokens(one["content"])
        with log.writing(path, self.rules) as (found, append):
            fresh: list[int] = []
            ids: set[str] = set()
            for place, one in enumerate(said):
                if (own := one.get("id")) is None or (own not in ids and not found.has(own)):
                    fresh.append(place)
                    ids.update([own] if own is not None else ())
            before = found.memory.left
            if fresh:
                line = {"at": self._now, "agent": agent, "first": found.memory.count}
                line |= {"turns": [said[place] for place in fresh]}
                line |= {"project": project} if project else {}
                append(line | ({"followed": followed} if followed else {}))
            return {
                "session": session,
                "added": len(fresh),
                "masked": masked,
                "evicted": found.memory.left - before,
                **self._counts(found.memory),
                "ref": str(found.memory.count - 1) if found.memory.count else None,
                "fresh": fresh,
            }

    def look(self, owner: str, session: str, may_read: MayRead = set) -> Row:
        """The working memory: ``working`` turns as they are shown, ``summary``, ``recalled`` passages of what
        ``may_read`` lets through, ``injected``.
        """
        memory = self._readable(owner, session, may_read)
        recalled = [{"ref": one.ref, "source": one.head, "text": one.text} for one in memory.recalled]
        return {
            "session": session,
            "agent": memory.agent or None,
            "ended_at": memory.ended_at,
            **self._counts(memory),
            "budget": self.rules.budget,
            "turns": memory.count,
            "left": f"0-{memory.left - 1}" if memory.left else None,
            "summary": policy.session_summary(memory, self.rules),
            "working": [self._shown(turn) for turn in memory.turns],
            "recalled": recalled,
            "injected": list(memory.injected),
        }

    def text(self, owner: str, session: str, may_read: MayRead = set) -> str:
        """The working memory as one text within the budget; of what was recalled what ``may_read`` lets through."""
        return policy.render(self._readable(owner, session, may_read), self.rules)

    def back(self, owner: str, session: str, refs: Iterable[str] = ()) -> list[Row]:
        """Turns by their references (``17``, ``3-9``), whole; without any, all that left.

        Raises :class:`UnknownReferenceError` for a turn that the session has not had.
        """
        memory = self.memory(owner, session)
        wanted = _ranges(refs, memory.count) if (refs := list(refs)) else [range(memory.left)]
        if not (wanted := [one for one in wanted if one]):
            return []
        turns = takewhile(lambda turn: turn.number < wanted[-1].stop, log.turns_in(self._path(owner, session)))
        ends = [one.stop for one in wanted]
        return [dict(policy.as_row(turn)) for turn in turns if turn.number in wanted[bisect_right(ends, turn.number)]]

    def resume(self, owner: str, session: str, agent: str = "", *, compacted: bool = False) -> Row:
        """Go on with a session, perhaps as another agent; ``compacted``: nothing counts as injected any more."""
        check_agent(agent)
        with self._writing_known(owner, session) as (_, append):
            append({"at": self._now, "agent": agent, "compacted": compacted})
        return self.look(owner, session)

    def keep(self, owner: str, session: str, passages: Sequence[Passage]) -> list[str]:
        """Put what one retrieval gave (the best first) into the working memory; which of it was there already."""
        with self._writing_known(owner, session) as (found, append):
            there = {one.ref for one in found.memory.recalled}
            if brought := policy.fitting(passages, self.rules.recalled_tokens):
                rows = [{name: vars(one)[name] for name in ("source", "place", "head", "text")} for one in brought]
                append({"at": self._now, "recalled": rows})
            return [one.ref for one in passages if one.ref in there]

    def note(self, owner: str, session: str, *, used: Sequence[str] = (), injected: Sequence[str] = ()) -> None:
        """Sources whose passages were ``used``, and memories that are ``injected`` into the agent's context, by ref."""
        with self._writing_known(owner, session) as (_, append):
            append({"at": self._now, "used": list(used), "injected": list(injected)})

    @contextmanager
    def injecting(
        self, owner: str, session: str, patience: float = log.PATIENCE_SECONDS
    ) -> Iterator[tuple[frozenset[str], Callable[[Iterable[str]], None]]]:
        """What the agent's context has, and what adds to that, while nobody else does; durable when it returns.

        ``session`` is the id of any caller, whether anything was added to it or not. Raises :class:`SessionBusyError`
        where somebody else writes it for longer than ``patience``, in seconds.
        """
        with log.writing(self._path(owner, log.name_for(session)), self.rules, patience) as (found, append):
            yield (frozenset(found.memory.injected), lambda refs: append({"at": self._now, "injected": list(refs)}))

    def compacted(self, owner: str, session: str) -> None:
        """The agent has lost its context: nothing counts as injected any more. Of no session it is nothing."""
        path = self._path(owner, log.name_for(session))
        if log.read(path, self.rules) is not None:
            with log.writing(path, self.rules) as (_, append):
                append({"at": self._now, "compacted": True})

    def turns(self, owner: str, session: str) -> Iterator[Turn]:
        """All its turns in order, those that left, too, one line of its file after another; none of no session."""
        path = self._path(owner, session)
        return log.turns_in(path) if path.exists() else iter(())

    def before(self, owner: str, session: str, number: int) -> list[Turn]:
        """The turns before the one of a number, in order; none of no session."""
        return list(takewhile(lambda turn: turn.number < number, self.turns(owner, session)))

    def began(self, owner: str, session: str) -> str | None:
        """When its first turn was said; None where there is none."""
        first = next(self.turns(owner, session), None)
        return first.at if first else None

    def note_followed(self, owner: str, session: str, end: int) -> None:
        """The agent's transcript has been read up to that byte; what was new in it said nothing."""
        with log.writing(self._path(owner, session), self.rules) as (_, append):
            append({"at": self._now, "followed": end})

    def end(self, owner: str, session: str, inbox: Path) -> list[Path]:
        """End a session: its turns are conversation files in the owner's ``inbox`` folder, read as any other: one for
        each project in which turns were added, and one for those in none, so that no source of a project has words of
        another.

        To end it again writes the same files. None where nobody has said anything. Turns that are added later open it
        again; its sources grow when it ends the next time.
        """
        path = self._path(owner, session)
        with self._writing_known(owner, session) as (found, append):
            files: list[Path] = []
            for part in policy.parts_of(session, log.turns_by_project(path)):
                if part.is_spoken:
                    files.append(inbox / "sessions" / f"{part.name}.jsonl")
                    text = "".join(f"{line}\n" for line in part.lines)
                    log.put(files[-1], text.encode("utf-8", "replace"))
            if found.memory.ended_at is None:
                append({"at": self._now, "ended": self._now})
        return files

    def latest(self, owner: str, limit: int = MOST_LISTED) -> list[Row]:
        """The owner's sessions, those that something happened in last first."""
        logs = log.logs_of(self.home, check_user(owner))
        latest = sorted(logs, key=lambda path: (-path.stat().st_mtime, path.name))[:limit]
        return [self._listed(path) for path in latest]

    def projects(self, owner: str, session: str) -> tuple[str | None, ...]:
        """In which projects turns were added; none of no session. ``session``: any caller's id."""
        found = log.read(self._path(owner, log.name_for(session)), self.rules)
        return found.memory.projects if found else ()

    def knows(self, owner: str, session: str) -> bool:
        """Whether the owner has a session of any caller's id."""
        return log.read(self._path(owner, log.name_for(session)), self.rules) is not None

    def memory(self, owner: str, session: str) -> WorkingMemory:
        """The session as it is now. Raises :class:`UnknownReferenceError` where the owner has none of that name."""
        found = log.read(self._path(owner, session), self.rules)
        if found is None:
            raise self.unknown(owner, session)
        return found.memory

    def _readable(self, owner: str, session: str, may_read: MayRead) -> WorkingMemory:
        memory = self.memory(owner, session)
        if not memory.recalled:
            return memory
        known = may_read({one.source for one in memory.recalled})
        return replace(memory, recalled=tuple(one for one in memory.recalled if one.source in known))

    @staticmethod
    def unknown(owner: str, session: str) -> UnknownReferenceError:
        """The error that the owner has no such session."""
        return UnknownReferenceError(
            f"No session {session!r} of {owner} is known. `memory-assets session list --user {owner}` lists those that "
            "are."
        )

    def _writing_known(self, owner: str, session: str) -> Any:
        path = self._path(owner, session)
        if log.read(path, self.rules) is None:
            raise self.unknown(owner, session)
        return log.writing(path, self.rules)

    def _path(self, owner: str, session: str) -> Path:
        return log.log_path(self.home, owner, session)

    def _counts(self, memory: WorkingMemory) -> Row:
        return {
            "tokens": count_tokens(policy.render(memory, self.rules)),
            "summary_tokens": count_tokens(policy.session_summary(memory, self.rules)),
        }

    def _shown(self, turn: Turn) -> Row:
        is_cut = policy.is_long(turn, self.rules)
        content = policy.shown_content(turn, self.rules) if is_cut else turn.content
        return {**policy.as_row(turn), "content": content, "is_cut": is_cut}

    def _listed(self, path: Path) -> Row:
        found = log.read(path, self.rules)
        memory = found.memory if found else WorkingMemory()
        shown = {"session": path.stem, "agent": memory.agent or None, "turns": memory.count, "left": memory.left}
        return shown | {"last_at": memory.turns[-1].at if memory.turns else None, "ended_at": memory.ended_at}

    @property
    def _now(self) -> str:
        return to_iso(self.clock.now()) or ""


def check_agent(agent: str) -> str:
    """An agent's name, or none; raises :class:`InputError` for what can be none."""
    return log.check_name(agent, "an agent") if agent else agent


def _checked(turn: Mapping[str, Any], number: int, now: str) -> Row:
    """A turn as it is stored; raises :class:`InputError` that says which is none, and why."""
    if not isinstance(turn, Mapping):
        raise InputError(f"Turn {number} is no object with role and content.")
    if turn.get("role") not in policy.ROLES:
        raise InputError(f"Turn {number} needs a role: {', '.join(policy.ROLES)}.")
    content = turn.get("content")
    if not isinstance(content, str) or len(content) > policy.LONGEST_CONTENT:
        raise InputError(f"Turn {number} needs content: a text of at most {policy.LONGEST_CONTENT:,} characters.")
    said = {"role": turn["role"], "content": content, "at": _instant(turn.get("at"), number, now)}
    for name in _TEXTS:
        if (value := turn.get(name)) is None:
            continue
        if not isinstance(value, str) or not 0 < len(value) <= _LONGEST_TEXT:
            raise InputError(f"Turn {number}: its {name} is a text of 1 to {_LONGEST_TEXT} characters, or left out.")
        said[name] = value
    return said


def _without_secrets(turn: Row) -> Row:
    """A turn as it may be stored: by a fingerprint of its own id, where that is a secret, it is known again."""
    shown = {name: mask_text(turn[name]) for name in ("content", *_TEXTS) if name in turn}
    if "id" in shown and shown["id"] != turn["id"]:
        shown["id"] = fingerprint("turn", turn["id"])
    return turn | shown


def _instant(at: Any, number: int, now: str) -> str:
    if at is None:
        return now
    try:
        return to_iso(datetime.fromisoformat(at)) or now
    except (ValueError, TypeError, OverflowError):
        raise InputError(f"Turn {number}: at is an instant as ISO 8601, or left out.") from None


def _ranges(refs: Iterable[str], count: int) -> list[range]:
    """The turns of some references, of which the session has ``count``: in order, none twice."""
    wanted: list[range] = []
    for ref in refs:
        first, dash, last = ref.strip("[]").partition("-")
        ends = (first, last if dash else first)
        if not all(end.isascii() and end.isdigit() and len(end) < 10 for end in ends):
            raise UnknownReferenceError(f"{ref!r} is no turn: give a number, or two with a dash between them (3-9).")
        start, stop = int(ends[0]), int(ends[1])
        if not start <= stop < count:
            raise UnknownReferenceError(f"The session has no turn {ref}: it has had {count}, counted from 0.")
        wanted.append(range(start, stop + 1))
    merged: list[range] = []
    for one in sorted(wanted, key=lambda one: one.start):
        if merged and one.start <= merged[-1].stop:
            merged[-1] = range(merged[-1].start, max(merged[-1].stop, one.stop))
        else:
            merged.append(one)
    return merged
