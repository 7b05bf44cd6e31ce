"""What an agent is given before it starts, and what it will need next, without a model: of what was gathered
(:mod:`memory_assets.commands.gathering`) what has room, once in a session, before a deadline.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, replace
from datetime import UTC, datetime, time
from time import monotonic
from typing import Any

from memory_assets.clock import day_of, to_iso
from memory_assets.commands.gathering import Gathered, Row, count_tokens
from memory_assets.commands.sources import check_budget
from memory_assets.context import offers as offer
from memory_assets.context import policy, reading
from memory_assets.context.policy import CRITICAL, RELEVANT, Asked, Limits, Offer, Usage
from memory_assets.errors import WrongUseError
from memory_assets.graph.graph import Graph
from memory_assets.graph.owners import readable_owners
from memory_assets.keys.policy import COMMAND_LINE
from memory_assets.model import AccessKind, check_user
from memory_assets.runtime.accesses import ALL as ALL_USES
from memory_assets.runtime.accesses import Access, Given, access_log, record_accesses
from memory_assets.sessions.log import PATIENCE_SECONDS, SessionBusyError
from memory_assets.sessions.working_memory import Sessions
from memory_assets.settings import Settings

RESERVE = 0.03
"""Seconds of a deadline for choosing and writing down what is ready, at least; at most half of it."""
_CHOOSING: deque[float] = deque(maxlen=20)
"""How many seconds that has taken lately under a deadline: on a busy machine more is reserved."""
TOO_LATE = 0.3
"""Seconds after its deadline at which an answer is none."""
_AT_WORK = threading.BoundedSemaphore(16)
"""So many gather under a deadline at a time: what is late goes on for a while, and must not pile up."""


class ContextError(WrongUseError):
    """A context cannot be made of what was asked."""


def context_for(
    graph: Graph,
    settings: Settings,
    user: str,
    asked: Asked,
    *,
    agent: str = COMMAND_LINE,
    is_counted: bool = True,
    fits: Callable[[str], bool] = lambda text: True,
    beside: Sequence[Row] = (),
    began: float | None = None,
) -> dict[str, Any]:
    """What the user's agent is to know for what is ``asked``, within its budget, its surface and its deadline.

    ``context`` is the text; with ``token_count``, ``tiers`` and ``effective_budgets`` by tier, ``entries`` (each with
    its reference and why), ``left_out`` (each with the reason), ``abstained`` (nothing relevant was found: no text),
    ``partial`` (the deadline was met with what was ready), ``session`` and ``as_of``. In a session nothing comes twice
    until it is compacted (:meth:`Sessions.compacted`). What is given is appended to the log of accesses, as injected,
    and is the session's, unless it is only looked at (not ``is_counted``). ``fits``: whether the text does, where the
    caller puts it; what does not is left out, and not given. ``beside``: memories (``id``, ``ref``) that the caller
    gives with it; they are given if it is. ``began``: when the deadline did, by :func:`time.monotonic`, if not now.
    """
    _check(user, asked)
    began = monotonic() if began is None else began
    gathered = _gather(graph, settings, user, asked, began)
    try:
        return _given(settings, user, asked, gathered, agent, is_counted, fits, beside, began)
    except SessionBusyError:
        if asked.deadline_ms is None:
            raise
        gathered.is_partial = True
        return _as_answer(settings, asked, gathered, policy.Assembled())


def _given(
    settings: Settings,
    user: str,
    asked: Asked,
    gathered: Gathered,
    agent: str,
    is_counted: bool,
    fits: Callable[[str], bool],
    beside: Sequence[Row],
    began: float,
) -> dict[str, Any]:
    """The answer, chosen of what was gathered, and given."""
    until = None if asked.deadline_ms is None else began + asked.deadline_ms / 1000
    with _injecting(settings, user, asked.session, until) as (seen, inject):
        gathered_at = monotonic()
        offers = gathered.wanted(asked)
        # What is injected today counts from tomorrow on: the same asked again is answered by the same text.
        ranked = (one for one in offers if one.tier in policy.RANKED_BY_USAGE)
        usage = _usage(settings, user, ranked, injected_before=_today(settings))
        chosen = _assembled(policy.by_usage(offers, *usage), asked, seen | {one["ref"] for one in beside}, fits)
        if asked.deadline_ms is not None and monotonic() - began > asked.deadline_ms / 1000 + TOO_LATE:
            # Nobody may wait for it any more: nothing of it counts as given.
            chosen, gathered.is_partial, beside = policy.Assembled(), True, ()
        answer = _as_answer(settings, asked, gathered, chosen)
        if is_counted:
            now = settings.clock.now()
            ids = dict.fromkeys(name for one in chosen.chosen for name in one.memory_ids)
            ids |= dict.fromkeys(one["id"] for one in beside)
            injected = [Access(user, name, now, AccessKind.INJECTED, agent, asked.session) for name in ids]
            record_accesses(settings, injected, Given(user, now, answer["token_count"], agent))
        if is_counted and (chosen.chosen or beside):  # last: what fails is not given
            keys = (key for one in chosen.chosen for key in one.keys)
            inject(dict.fromkeys([*(one["ref"] for one in beside), *keys]))
    if asked.deadline_ms is not None:
        _CHOOSING.append(monotonic() - gathered_at)
    return answer


def _as_answer(settings: Settings, asked: Asked, gathered: Gathered, chosen: policy.Assembled) -> dict[str, Any]:
    abstained = not gathered.is_partial and not gathered.wanted(asked)
    answer = chosen.as_json(count_tokens) | {"budget": asked.budget, "abstained": abstained}
    answer |= {"partial": gathered.is_partial, "session": asked.session or None}
    return answer | {"as_of": to_iso(settings.clock.now())}


def predict_for(
    graph: Graph, settings: Settings, user: str, asked: Asked, at: datetime | None = None
) -> dict[str, Any]:
    """What will be needed next for these cues: ``predicted_memories`` in at most the budget, each with its tier, its
    tokens, the cue it was found by, and how likely it is used, by how often it was cited of the times it was shown;
    with an instant ``at``, what was used at that time of other days, by the share of those days. ``confidence`` is the
    share of them that will be used by this, and by how right this was until now; ``calibration`` says how right: of so
    many shown memories that were ``judged`` the share ``used``, the mean ``probability``, the ``brier`` score. Nothing
    counts as shown.
    """
    _check(user, asked)
    found: list[tuple[Offer, float]] = []
    if policy.cues_of(asked):
        gathered = _gather(graph, settings, user, replace(asked, tiers=(CRITICAL, RELEVANT)))
        with _injecting(settings, user, asked.session) as (seen, _):
            chosen = [one for one in _assembled(gathered.wanted(asked), asked, seen).chosen if one.cue]
        usage, all_of_them = _usage(settings, user, chosen)
        for one in chosen:
            of_it = policy.best_used(usage[name] for name in one.memory_ids if name in usage)
            found.append((one, policy.probability(of_it, all_of_them)))
    if at is not None:
        found += _used_at(graph, settings, user, at, asked, {one.ref for one, _ in found})
    rows: list[Row] = [
        {"ref": one.ref, "tier": one.tier, "probability": likely, "cue": one.cue, "tokens": count_tokens(one.line)}
        for one, likely in sorted(found, key=lambda each: (-each[1], each[0].tier, each[0].ref))
    ]
    calibration = policy.calibration(access_log(settings, user).uses())
    mean = sum(row["probability"] for row in rows) / len(rows) if rows else None
    confidence = None if mean is None else calibration.corrected(mean)
    return {"predicted_memories": rows, "confidence": confidence, "calibration": asdict(calibration)}


def _run_and_leave(gathered: Gathered) -> None:
    try:
        gathered.run()
    finally:
        _AT_WORK.release()


def _gather(graph: Graph, settings: Settings, user: str, asked: Asked, began: float | None = None) -> Gathered:
    gathered = Gathered(graph, settings, user, asked)
    if asked.deadline_ms is None:
        gathered.run()
    else:
        wait = asked.deadline_ms / 1000
        until = (monotonic() if began is None else began) + wait - policy.reserved(wait, RESERVE, _CHOOSING)
        worker = threading.Thread(target=_run_and_leave, args=(gathered,), daemon=True)
        if may_run := _AT_WORK.acquire(timeout=max(0.0, until - monotonic())):
            worker.start()
            worker.join(max(0.0, until - monotonic()))
        if not may_run or worker.is_alive():
            gathered.is_late = True
            ready, whole = list(gathered.offers), gathered
            gathered = Gathered(graph, settings, user, asked)
            gathered.offers, gathered.is_partial, gathered.error = ready, True, whole.error
    if gathered.error is not None:
        raise gathered.error
    return gathered


def _assembled(
    offers: Iterable[Offer], asked: Asked, seen: Iterable[str], fits: Callable[[str], bool] = lambda text: True
) -> policy.Assembled:
    return policy.assemble(offers, asked.limits, asked.activity, count_tokens, frozenset(seen), asked.tiers, fits)


def _usage(
    settings: Settings, user: str, offers: Iterable[Offer], injected_before: datetime | None = None
) -> tuple[dict[str, Usage], Usage]:
    """How often what is offered was used, each of these memories and all of the user's together."""
    names = {name for one in offers for name in one.memory_ids}
    counts = access_log(settings, user).usage({*names, ALL_USES}, injected_before) if names else {}
    all_of_them = Usage.of(counts.pop(ALL_USES, {}))
    return {name: Usage.of(one) for name, one in counts.items()}, all_of_them


def _today(settings: Settings) -> datetime:
    return datetime.combine(day_of(settings.clock.now()), time(), UTC)


@contextmanager
def _injecting(
    settings: Settings, user: str, session: str, until: float | None = None
) -> Iterator[tuple[frozenset[str], Callable[[Iterable[str]], None]]]:
    if not session:
        yield frozenset(), lambda refs: None
    else:
        patience = PATIENCE_SECONDS if until is None else min(PATIENCE_SECONDS, max(0.0, until - monotonic()))
        with Sessions.of(settings).injecting(user, session, patience) as (seen, inject):
            yield seen, inject


AROUND_MINUTES, MOST_USES = 60, 5_000


def _used_at(
    graph: Graph, settings: Settings, user: str, at: datetime, asked: Asked, there: set[str]
) -> list[tuple[Offer, float]]:
    """What was used at this time of other days, the most regular first, within the budget."""
    days, all_days = access_log(settings, user).used_around(at, AROUND_MINUTES, MOST_USES)
    today = settings.clock.now().date()
    known = reading.may_be_offered(graph, readable_owners(graph, user, asked.within), days, today)
    left = asked.limits.tokens or 0
    found = []
    words = reading.words_of(graph, user, [name for name, row in known.items() if row["outdated"] != "wholly"])
    for name in sorted(words, key=lambda name: (-days[name], name)):
        row = words[name]
        if row["ref"] in there:
            continue
        one = replace(offer.of_statement(row, RELEVANT, "used at this time of day"), cue="time of day")
        cost = count_tokens(one.line)
        if cost <= left:
            left -= cost
            found.append((one, policy.regularity(days[name], all_days)))
    return found


def _check(user: str, asked: Asked) -> None:
    check_user(user)
    check_budget(asked.budget)
    check_surface(asked.surface)
    if not set(asked.tiers) <= set(policy.TIERS):
        raise ContextError("Tiers are 1 to 4.")


def check_surface(surface: str | Limits) -> None:
    """Raise :class:`ContextError` where there is no such surface, or none can be so small."""
    if isinstance(surface, str) and surface not in policy.SURFACES:
        raise ContextError(f"There is no surface {surface!r}. There are: {', '.join(policy.SURFACES)}.")
    given = (surface.tokens, surface.characters) if isinstance(surface, Limits) else ()
    if any(limit is not None and limit < 1 for limit in given):
        raise ContextError("A surface's limits are 1 or more.")
