"""What alerts are about: facts of runs and ticks, and the conditions that they open and close. Pure.

What a run records may hold the content of memories: error messages, descriptions, metadata, tags, paths. None of that
has a field in a fact. Names are code's names and are checked to look like such; the only sentences come from the two
metadata keys by which a check speaks to people outside (``alert`` and ``what_to_do``).

A condition is a subject (a check of an asset, a step, a job) and an owner for whom it does not hold. It opens once
and closes once, however often it is met between: that of a check by its latest evaluation, that of a step or job
from a run that failed on to one in which it worked.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta

from memory_assets.model import can_own
from memory_assets.runtime.partitions import EVERYBODY
from memory_assets.text.lines import shortened

NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_./@-]{0,149}")
UNNAMED = "(unnamed)"
BLOCKED_BY_CHECK = "DagsterAssetCheckFailedError"
"""The error of a step that only a failed blocking check has failed."""
SENTENCE = 400
"""The longest sentence of a check that an alert repeats, in characters."""


def as_name(text: object) -> str:
    """A name of code (a job, step, asset, check, error class); whatever does not look like one is not repeated."""
    return text if isinstance(text, str) and NAME.fullmatch(text) else UNNAMED


def as_sentence(text: object) -> str:
    """A check's sentence on one line, bounded; empty when there is none."""
    return shortened(text, SENTENCE) if isinstance(text, str) else ""


@dataclass(frozen=True)
class StepFact:
    """A step that failed. ``errors`` are class names, from the error that was seen to its first cause."""

    step: str
    errors: tuple[str, ...] = ()


@dataclass(frozen=True)
class CheckFact:
    """A check that was evaluated: ``asset`` as slashed path, owners, how many were ``found``, its own two sentences.

    ``reasons`` are names of what is wrong for an owner, where the check has such; ``at`` is when it was evaluated.
    """

    asset: str
    check: str
    is_warning: bool
    blocking: bool
    failed_for: tuple[str, ...] = ()
    found: int | None = None
    says: str = ""
    what_to_do: str = ""
    failed: bool = True
    at: datetime | None = None
    reasons: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


@dataclass(frozen=True)
class RunFacts:
    """A run that has ended. ``owners`` are those of its partitions; ``reason`` is Dagster's word for a failure.

    ``worked`` are the steps that succeeded, ``held_up`` the owners without whom they did; ``succeeded`` is the
    run's own success. ``for_all`` says that it was for everybody with something due; ``unexplained`` that
    no step failed it.
    """

    run_id: str
    job: str
    failed: bool
    ended: datetime
    owners: tuple[str, ...] = ()
    automation: str | None = None
    reason: str | None = None
    errors: tuple[str, ...] = ()
    steps: tuple[StepFact, ...] = ()
    checks: tuple[CheckFact, ...] = ()
    worked: tuple[str, ...] = ()
    held_up: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    succeeded: bool = False
    for_all: bool = False
    unexplained: bool = False

    def serves(self, owner: str) -> bool:
        """Whether the run was for this owner, too; "" is nobody in particular."""
        return self.for_all or owner in (self.owners or ("",))


@dataclass(frozen=True)
class AutomationFacts:
    """A sensor or schedule that began to fail: ``kind`` says which, ``selector`` names it for good, ``at`` its tick."""

    selector: str
    name: str
    kind: str
    location: str
    at: datetime
    errors: tuple[str, ...] = ()


FORGOTTEN = timedelta(days=30)
"""A run that failed this long ago and was never repeated is another matter than one that fails now."""
Key = tuple[str, str]
"""A subject and an owner; "" where it is nobody's in particular."""


@dataclass(frozen=True)
class Condition:
    """A condition that is open: ``since`` and last ``seen``; ``reasons`` are names, and another one is news."""

    subject: str
    owner: str
    since: datetime
    seen: datetime
    reasons: frozenset[str] = frozenset()

    @property
    def key(self) -> Key:
        """What makes it this one."""
        return self.subject, self.owner


@dataclass(frozen=True)
class Changes:
    """What a run has changed: the ``news`` in it, what has ``closed``, and what is ``open`` from now on."""

    news: RunFacts
    closed: tuple[Condition, ...]
    open: tuple[Condition, ...]


def subjects(facts: RunFacts) -> set[str]:
    """All that a run has something to say of."""
    steps = {*(step.step for step in facts.steps), *facts.worked}
    return {of_job(facts.job), *map(of_check, facts.checks), *map(of_step, steps)}


def of_check(check: CheckFact) -> str:
    """The subject of a check."""
    return f"check/{as_name(check.asset)}/{as_name(check.check)}"


def of_step(step: StepFact | str) -> str:
    """The subject of a step."""
    return f"step/{as_name(step if isinstance(step, str) else step.step)}"


def of_job(job: str) -> str:
    """The subject of a job."""
    return f"job/{as_name(job)}"


def changes(facts: RunFacts, before: Mapping[Key, Condition], judged: Mapping[str, datetime]) -> Changes:
    """What ``facts`` change of the conditions ``before``; ``judged`` says when a check was evaluated last."""
    newest = [one for one in facts.checks if not (one.at and (last := judged.get(of_check(one))) and one.at < last)]
    failing = [check for check in newest if check.failed]
    steps = [step for step in facts.steps if BLOCKED_BY_CHECK not in step.errors]
    found = {condition.key: condition for condition in _found(facts, failing, steps)}
    opened = {key for key, condition in found.items() if _is_news(condition, before.get(key))}
    closed = [
        condition
        for key, condition in before.items()
        if key not in found and (condition.subject in map(of_check, newest) or _works_again(condition, facts))
    ]
    still_open = [replace(new, since=before[key].since) if key in before else new for key, new in found.items()]
    return Changes(_news(facts, failing, steps, opened), tuple(closed), tuple(still_open))


def _found(facts: RunFacts, failing: Iterable[CheckFact], steps: Iterable[StepFact]) -> Iterator[Condition]:
    for check in failing:
        at = check.at or facts.ended
        for owner in check.failed_for or ("",):
            yield Condition(of_check(check), _name(owner), at, at, frozenset(check.reasons.get(owner, ())))
    failed = [(of_step(step), step.errors) for step in steps]
    if facts.failed and not facts.steps:
        failed.append((of_job(facts.job), tuple(filter(None, (facts.reason, *facts.errors)))))
    for subject, errors in failed:
        for owner in facts.owners or ("",):
            yield Condition(subject, _name(owner), facts.ended, facts.ended, frozenset(map(as_name, errors)))


def _is_news(condition: Condition, known: Condition | None) -> bool:
    if known is None or not condition.reasons <= known.reasons:
        return True
    return not condition.subject.startswith("check/") and condition.seen - known.seen > FORGOTTEN


def _works_again(condition: Condition, facts: RunFacts) -> bool:
    """Whether the run has done, after the condition was seen last, what had failed then for its owner."""
    done = {*map(of_step, facts.worked), *([of_job(facts.job)] if facts.succeeded else [])}
    if condition.subject not in done or facts.ended <= condition.seen:
        return False
    step = condition.subject.removeprefix("step/")
    return facts.serves(condition.owner) and condition.owner not in facts.held_up.get(step, ())


def _news(facts: RunFacts, failing: list[CheckFact], steps: list[StepFact], opened: set[Key]) -> RunFacts:
    """Of what failed in a run, what no alert has reported yet."""
    checks = []
    for check in failing:
        owners = tuple(owner for owner in check.failed_for if (of_check(check), _name(owner)) in opened)
        if owners or (not check.failed_for and (of_check(check), "") in opened):
            checks.append(replace(check, failed_for=owners))
    new_steps = tuple(step for step in steps if any((of_step(step), _name(o)) in opened for o in facts.owners or ("",)))
    of_the_run = any(subject == of_job(facts.job) for subject, _ in opened)
    is_news = bool(checks or new_steps or of_the_run)
    failed = facts.failed and is_news
    return replace(facts, failed=failed, unexplained=of_the_run, checks=tuple(checks), steps=new_steps)


def _name(owner: str) -> str:
    """An owner as it is remembered: whatever cannot be one is not repeated."""
    return owner if can_own(owner) or owner in ("", EVERYBODY) else as_name(None)
