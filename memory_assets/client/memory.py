"""A memory as an object: each operation of the server a method, to wait for or to await."""

from __future__ import annotations

import os
from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import partial, wraps
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, TypeVar
from urllib.parse import quote

from memory_assets.client.transport import DEFAULT_URL, ClientError, Transport, local_url, working_folder

if TYPE_CHECKING:
    from datetime import date


Answer = dict[str, Any]
P = ParamSpec("P")
T = TypeVar("T")


class Memory:
    """A user's memory, by a key. Safe for several threads.

    ``url``: left out, that of the server that runs for MEMORY_ASSETS_HOME, else http://127.0.0.1:4747. ``token``: left
    out, MEMORY_ASSETS_TOKEN. ``project``: whose memories are offered, with those of none, by a name or a folder; left
    out, that of the working folder where the server has that folder, and with "" none, so that all are offered.
    ``timeout``: seconds that an answer may take. What was not given is not sent: the server's own defaults hold. Every
    method raises :class:`~memory_assets.client.transport.ClientError`.
    """

    def __init__(
        self, url: str | None = None, token: str | None = None, project: str | None = None, timeout: float = 30.0
    ) -> None:
        key = token or os.environ.get("MEMORY_ASSETS_TOKEN")
        if not key:
            raise ClientError(
                "A memory needs a key, as token or as MEMORY_ASSETS_TOKEN: `memory-assets tokens add` makes one."
            )
        folder = working_folder() if project is None else ""
        self._transport = Transport(url or local_url() or DEFAULT_URL, key, project, timeout, folder)

    @classmethod
    def local(
        cls,
        home: str | os.PathLike[str],
        user: str | None = None,
        *,
        token: str | None = None,
        project: str | None = None,
        timeout: float = 30.0,
    ) -> Memory:
        """The memory of an installation on this machine, by its folder; its server is started where none runs.

        The key is ``token``, else that of programs for ``user``, which may read, write and curate and is made at the
        first time, and once more where the server refuses it, else MEMORY_ASSETS_TOKEN.
        The Python that runs this has to have memory-assets installed, where one of both is to be made.
        """
        from memory_assets.client.local import key_of, server_of

        home = os.path.expanduser(home)
        key = token or (key_of(home, user) if user else os.environ.get("MEMORY_ASSETS_TOKEN"))
        if not key:
            raise ClientError("Whose memory is it? Give the user, or a key as token or as MEMORY_ASSETS_TOKEN.")
        memory = cls(server_of(home), key, project, timeout)
        if user and not token:
            memory._transport.renewed = partial(key_of, home, user)
        return memory

    def recall(self, question: str, **given: Any) -> Answer:
        """What was said, decided and done, for a question. ``given``: budget (tokens), level (storylines or themes),
        since, until and as_of (days; an instant is of its day in UTC), about, thorough, more, archived, all_projects
        (those of others than the memory's project, too), session, deadline_ms, surface.

        ``text`` and its ``tokens``, ``sources`` (ref, kind, title, occurred_at, superseded_by) or the ``storylines`` or
        ``themes``, ``more`` (the page that goes on, or None), ``partial``, ``did_you_mean``, ``took_ms``;
        ``abstained``: nothing relevant was found, and the text gives the ``nearest``, whose references these are.
        """
        return self._request("POST", "/recall", _given(question=question, **given))

    def open(
        self,
        ref: str,
        *,
        level: str | None = None,
        budget: int | None = None,
        more: str | None = None,
        session: str | None = None,
    ) -> Answer:
        """One memory, what is below it and what it is part of, within ``budget`` tokens; its fields are those of
        its kind. ``more``: of the answer before, to go on. ``level``: ``full``, ``summary`` or ``keywords`` of a
        source; or its ``history``, or ``why`` it is worth its place.
        """
        return self._request("GET", _at(ref), query=_given(level=level, budget=budget, more=more, session=session))

    def remember(self, text: str, **given: Any) -> Answer:
        """Store something: on the disk, and found by :meth:`recall`, when this returns. ``given``: kind, about,
        supersedes, idempotency_key, visibility (of the ``project``, or of all the ``user``'s), valid_from and valid_to
        (days, outside of which it comes marked).

        Its ``ref``; ``is_new``: not remembered before; ``durable``, ``recallable``; ``project``: of which it is, None
        for all; ``supersedes``, ``contradicts`` (id, ref, text); ``masked``: the kinds of secrets that were cut out.
        """
        return self._request("POST", "/memories", _given(text=text, **given))

    def used(
        self,
        *,
        cited: Sequence[str] = (),
        ignored: Sequence[str] = (),
        wrong: Sequence[str] = (),
        session: str | None = None,
        action: str | None = None,
    ) -> Answer:
        """Say what became of memories that were offered, by their references, and for what ``action``: how many were
        ``cited``, ``ignored``, ``wrong``, and the ``unknown`` references, which no memory has.
        """
        given = _given(cited=cited, ignored=ignored, wrong=wrong, session=session, action=action)
        return self._request("POST", "/usage", given)

    def contradictions(self, *, status: str | None = None, about: str | None = None) -> list[Answer]:
        """Statements that cannot both be true: the open ones, or by ``status`` the ``resolved``; ``about`` a name or a
        reference. Each has ``id``, ``kind``, ``detected_at``, its sides ``a`` and ``b`` (ref, text, said_at, by), and,
        where it is settled, its ``resolution``.
        """
        found: list[Answer] = self._whole("/contradictions", first="id", status=status, about=about)["contradictions"]
        return found

    def resolve(self, identifier: str, resolution: str, *, note: str | None = None, text: str | None = None) -> Answer:
        """Settle a contradiction: ``a_wins``, ``b_wins``, ``both_valid``, or ``merged`` by the ``text`` that takes the
        place of both. :meth:`undo` takes it back, by its id. ``superseded`` are references, ``ref`` is what holds, None
        where neither or both do; ``audit_id``.
        """
        path = f"/contradictions/{quote(identifier, safe='')}/resolve"
        return self._request("POST", path, _given(resolution=resolution, note=note, text=text))

    def consolidate(self, *, dry_run: bool = True, older_than: date | str | None = None) -> Answer:
        """Ask for consolidation and curation, or for what they would do, which is answered where it is there within 15
        seconds; else ``state`` is working, and :meth:`operation` follows. ``older_than``: only for consolidation, of
        what was said before that day.
        """
        given = {"dry_run": dry_run} | _given(older_than=older_than)
        return self._request("POST", "/consolidate", given)

    def operation(self, operation: str) -> Answer:
        """How far a consolidation is, and what it has done: ``state`` is working, done, failed or canceled; done it has
        its figures, of a dry run its ``plan``; else ``problems``.
        """
        return self._request("GET", f"/operations/{quote(operation, safe='')}")

    def status(self) -> Answer:
        """How far the memory's sources have come, and what waits or has failed."""
        return self._request("GET", "/status")

    def context(self, task: str | None = None, **given: Any) -> Answer:
        """What to know before starting. ``given``: query, files, errors, people, branch, activity, session, budget,
        surface, deadline_ms, tiers.

        ``context`` is the text for the agent, with its ``token_count``; ``entries`` (ref, tier, tokens, why, text),
        ``left_out`` (ref, reason), ``abstained`` (nothing relevant, and no text), ``partial``, ``session``, ``as_of``.
        """
        return self._request("POST", "/context/assemble", _given(task=task, **given))

    def predict(self, **given: Any) -> Answer:
        """What will be needed next, as ``predicted_memories``; ``confidence`` is the expected share that is used, or
        None. ``given``: file_opened, branch, error, people, at, session, budget.
        """
        return self._request("POST", "/context/predict", _given(**given))

    def correct(self, ref: str, text: str | None = None, *, reason: str) -> Answer:
        """Another text takes the place of a memory; without one it is retired. :meth:`undo` takes it back.

        ``ref`` is what took the place (None: it was retired) of ``superseded``; ``audit_id``.
        """
        given = {"reason": reason}
        if text is None:
            return self._request("DELETE", _at(ref), query=given)
        return self._request("PATCH", _at(ref), given | {"text": text})

    def undo(self, ref: str) -> Answer:
        """Take back what :meth:`correct` did to a memory, or :meth:`resolve` about a contradiction (by its id)."""
        return self._request("POST", f"{_at(ref)}/undo", {})

    def add_turns(self, session: str, turns: Sequence[Mapping[str, Any]]) -> Answer:
        """Add turns (role, content; name, at, id) to a conversation: they are on the disk when this returns."""
        return self._request("POST", f"{_of(session)}/turns", {"turns": list(turns)})

    def turns(self, session: str, *, refs: Sequence[str] = (), about: str | None = None) -> list[Answer]:
        """Turns of a conversation as they were stored: by their references (``17``, ``3-9``), those that left its
        working memory and are likely ``about`` a question, the best first, or without either all that left. Each
        has its ``ref``, ``role``, ``content`` and ``at``, perhaps ``name``, ``id``, ``place`` and ``agent``.
        """
        found: list[Answer] = self._whole(f"{_of(session)}/turns", first="ref", refs=refs, about=about)["turns"]
        return found

    def session(self, session: str) -> Answer:
        """The working memory of a conversation: ``tokens`` of ``budget``, of ``turns`` in all; ``working`` are those in
        it, ``left`` the references of those that are not, in short in ``summary``; ``retrieved``, ``injected``.
        """
        return self._whole(_of(session), first="ref")

    def end_session(self, session: str) -> Answer:
        """End a conversation: it becomes a source."""
        return self._request("POST", f"{_of(session)}/end", {})

    def _whole(self, path: str, *, first: str, **given: Any) -> Answer:
        """All parts of an answer as one; a row of a list begins with the field ``first``."""
        whole: dict[str, Any] = {}
        more: str | None = None
        while True:
            part = self._request("GET", path, query=_given(**given, more=more))
            more = part.pop("more", None)
            _go_on(whole, part, first)
            if more is None:
                return whole

    def _request(self, method: str, path: str, body: Any = None, query: Mapping[str, Any] | None = None) -> Answer:
        return self._transport.request(method, path, body, query)


def _in_thread(verb: Callable[Concatenate[Memory, P], T]) -> Callable[Concatenate[AsyncMemory, P], Awaitable[T]]:
    @wraps(verb)
    async def awaited(memory: AsyncMemory, /, *given: P.args, **named: P.kwargs) -> T:
        import asyncio  # a third of what this module costs to load, and nothing to who waits

        return await asyncio.to_thread(verb, memory._memory, *given, **named)

    return awaited


class AsyncMemory:
    """The same for ``asyncio``: each request waits in a thread."""

    def __init__(
        self, url: str | None = None, token: str | None = None, project: str | None = None, timeout: float = 30.0
    ) -> None:
        self._memory = Memory(url, token, project, timeout)

    @classmethod
    async def local(cls, home: str | os.PathLike[str], user: str | None = None, **given: Any) -> AsyncMemory:
        """The same as :meth:`Memory.local`."""
        import asyncio

        found = cls.__new__(cls)
        found._memory = await asyncio.to_thread(Memory.local, home, user, **given)
        return found

    recall = _in_thread(Memory.recall)
    open = _in_thread(Memory.open)
    remember = _in_thread(Memory.remember)
    used = _in_thread(Memory.used)
    contradictions = _in_thread(Memory.contradictions)
    resolve = _in_thread(Memory.resolve)
    consolidate = _in_thread(Memory.consolidate)
    operation = _in_thread(Memory.operation)
    status = _in_thread(Memory.status)
    context = _in_thread(Memory.context)
    predict = _in_thread(Memory.predict)
    correct = _in_thread(Memory.correct)
    undo = _in_thread(Memory.undo)
    add_turns = _in_thread(Memory.add_turns)
    turns = _in_thread(Memory.turns)
    session = _in_thread(Memory.session)
    end_session = _in_thread(Memory.end_session)


def _given(**fields: Any) -> dict[str, Any]:
    """The fields that were given: what was left out has the server's default."""
    return {
        name: list(value) if isinstance(value, tuple) else value for name, value in fields.items() if value is not None
    }


def _go_on(whole: dict[str, Any], part: Mapping[str, Any], first: str) -> None:
    """Add the next part of an answer: a text or a row that the part before has begun goes on."""
    for name, value in part.items():
        if isinstance(value, dict):
            _go_on(whole.setdefault(name, {}), value, first)
        elif isinstance(value, list):
            rows = whole.setdefault(name, [])
            has_begun = rows and value and isinstance(value[0], dict) and first not in value[0]
            if has_begun:
                _go_on(rows[-1], value[0], first)
            rows += value[1:] if has_begun else value
        else:
            whole[name] = whole[name] + value if isinstance(whole.get(name), str) else value


def _at(ref: str) -> str:
    return f"/memories/{quote(ref.strip('[]'), safe='')}"


def _of(session: str) -> str:
    return f"/sessions/{quote(session, safe='')}"
