"""What opens, what joins and what closes: tables, and any history of evaluations."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_assets.automation.alerts.conditions import (
    BLOCKED_BY_CHECK,
    FORGOTTEN,
    Changes,
    CheckFact,
    Condition,
    Key,
    RunFacts,
    StepFact,
    changes,
    of_check,
)

AT = datetime(2026, 11, 20, 3, tzinfo=UTC)
HOUR = timedelta(hours=1)
CHECK = CheckFact("macros", "are_whole", is_warning=False, blocking=False, at=AT)
RUN = RunFacts("r", "build_memory", failed=False, ended=AT, owners=("EVERYBODY",), succeeded=True, for_all=True)
EVERYBODY = "EVERYBODY"


def check(*failed_for: str, hours: int = 0, **reasons: Sequence[str]) -> CheckFact:
    """An evaluation after so many hours; it passes where it names nobody."""
    named = {owner: tuple(names) for owner, names in reasons.items()}
    return replace(CHECK, failed_for=failed_for, failed=bool(failed_for), at=AT + hours * HOUR, reasons=named)


def run(*checks: CheckFact, hours: int = 0, **facts: object) -> RunFacts:
    return replace(RUN, checks=checks, ended=AT + hours * HOUR, **facts)


def after(history: Iterable[RunFacts]) -> list[Changes]:
    """What each run of a history changes."""
    standing: dict[Key, Condition] = {}
    judged: dict[str, datetime] = {}
    found = []
    for facts in history:
        found.append(changes(facts, standing, judged))
        for condition in found[-1].closed:
            del standing[condition.key]
        standing |= {condition.key: condition for condition in found[-1].open}
        for one in facts.checks:
            judged[of_check(one)] = max(one.at or AT, judged.get(of_check(one), one.at or AT))
    return found


def news_of(history: Iterable[RunFacts]) -> list[tuple[list[str], list[str]]]:
    """What is new in each run of a history: for whom something has opened, for whom closed."""
    return [
        (
            sorted({*(o for c in one.news.checks for o in c.failed_for or ("",)), *(s.step for s in one.news.steps)}),
            sorted(condition.owner for condition in one.closed),
        )
        for one in after(history)
    ]


@pytest.mark.parametrize(
    ("history", "expected"),
    [
        ([check("ben"), check("ben"), check("ben")], [(["ben"], []), ([], []), ([], [])]),
        ([check("ben"), check("ben", "maya")], [(["ben"], []), (["maya"], [])]),
        ([check("ben", "maya"), check("maya"), check()], [(["ben", "maya"], []), ([], ["ben"]), ([], ["maya"])]),
        ([check("ben"), check(), check("ben")], [(["ben"], []), ([], ["ben"]), (["ben"], [])]),
        ([check(), check()], [([], []), ([], [])]),
        (
            [check("ben", ben=["KeyError"]), check("ben", ben=["KeyError"]), check("ben", ben=["ValueError"])],
            [(["ben"], []), ([], []), (["ben"], [])],
        ),
        ([check("ben", ben=["a", "b"]), check("ben", ben=["a"])], [(["ben"], []), ([], [])]),
    ],
)
def test_of_a_check_the_first_failure_what_joins_and_the_end_are_told(
    history: list[CheckFact], expected: list[tuple[list[str], list[str]]]
) -> None:
    runs = [run(replace(one, at=AT + n * HOUR), hours=n) for n, one in enumerate(history)]
    assert news_of(runs) == expected


def test_a_check_that_names_nobody_is_one_condition() -> None:
    unnamed = replace(CHECK, failed=True)
    assert news_of([run(unnamed), run(unnamed), run(check(hours=2))]) == [([""], []), ([], []), ([], [""])]


def test_an_evaluation_that_is_older_than_the_last_one_changes_nothing() -> None:
    assert news_of([run(check("ben", hours=2)), run(check(hours=1)), run(check("maya", hours=1))])[1:] == [
        ([], []),
        ([], []),
    ]


KEY = StepFact("storylines", ("KeyError",))
FAILED = replace(RUN, failed=True, succeeded=False, steps=(KEY,))
WORKED = ("storylines",)


@pytest.mark.parametrize(
    ("second", "expected"),
    [
        (replace(FAILED, ended=AT + HOUR), ([], [])),
        (replace(FAILED, steps=(StepFact("storylines", ("ValueError",)),), ended=AT + HOUR), (["storylines"], [])),
        (replace(FAILED, ended=AT + FORGOTTEN + HOUR), (["storylines"], [])),
        (replace(RUN, worked=WORKED, ended=AT + HOUR), ([], [EVERYBODY])),
        (replace(RUN, worked=("macros",), ended=AT + HOUR), ([], [])),
        (replace(RUN, worked=WORKED, owners=("ben",), for_all=False, ended=AT + HOUR), ([], [])),
        (replace(RUN, worked=WORKED, ended=AT), ([], [])),
    ],
)
def test_a_step_that_fails_is_told_until_it_works(second: RunFacts, expected: tuple[list[str], list[str]]) -> None:
    assert news_of([FAILED, second]) == [(["storylines"], []), expected]


def test_a_run_for_everybody_closes_what_failed_for_one_unless_that_one_is_held_up() -> None:
    ben = replace(FAILED, owners=("ben",), for_all=False)
    later = replace(RUN, worked=WORKED, ended=AT + HOUR)
    assert news_of([ben, later])[1] == ([], ["ben"])
    assert news_of([ben, replace(later, held_up={"storylines": ("ben",)})])[1] == ([], [])
    assert news_of([ben, replace(later, for_all=False)])[1] == ([], [])


@pytest.mark.parametrize("job", ["build_memory", "prune_history"])
def test_a_run_that_ends_without_a_failing_step_is_open_until_its_job_succeeds(job: str) -> None:
    killed = replace(FAILED, steps=(), job=job)
    first, again, other, worked = after(
        [
            killed,
            replace(killed, ended=AT + HOUR),
            replace(RUN, job="form_macros", ended=AT + 2 * HOUR),
            replace(RUN, job=job, ended=AT + 3 * HOUR),
        ]
    )
    assert first.news.failed and first.news.unexplained
    assert not again.news.failed and not other.closed
    assert [condition.subject for condition in worked.closed] == [f"job/{job}"]


def test_a_blocked_step_is_no_condition_beside_its_check() -> None:
    blocked = replace(FAILED, steps=(StepFact("x", (BLOCKED_BY_CHECK,)),), checks=(check("ben"),))
    first, second = after([blocked, replace(blocked, checks=(check("ben", hours=1),), ended=AT + HOUR)])
    assert first.news.failed and [one.subject for one in first.open] == ["check/macros/are_whole"]
    assert not second.news.failed and not second.news.checks


def test_what_cannot_be_a_name_is_not_remembered() -> None:
    failed = replace(FAILED, owners=("A person's words",), job="More words", steps=(StepFact("Words!", ("Words!",)),))
    assert {(c.subject, c.owner, *c.reasons) for c in after([failed])[0].open} == {
        ("step/(unnamed)", "(unnamed)", "(unnamed)")
    }


OWNERS = st.frozensets(st.sampled_from(["ana", "ben", "cleo"]))


@given(st.lists(OWNERS, max_size=12))
def test_whatever_the_history_each_opening_and_each_closing_is_told_once(history: list[frozenset[str]]) -> None:
    runs = [run(check(*sorted(failed), hours=n), hours=n) for n, failed in enumerate(history)]
    before: frozenset[str] = frozenset()
    for failed, (opened, closed) in zip(history, news_of(runs), strict=True):
        assert (set(opened), set(closed)) == (failed - before, before - failed)
        before = failed
