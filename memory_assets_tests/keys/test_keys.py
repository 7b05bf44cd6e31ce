"""Keys: what they let in, in the graph and as a decision."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_assets.errors import UnknownReferenceError
from memory_assets.graph.graph import Graph
from memory_assets.keys.issuing import add_key, find_caller, list_keys, revoke_keys
from memory_assets.keys.policy import (
    TOKEN_PREFIX,
    Caller,
    KeyNameError,
    KeyRefusedError,
    Rates,
    Scope,
    caller_of,
    check_agent,
    digest_of,
)
from memory_assets.privacy.projects import Within

NOW = datetime(2026, 11, 1, 9, tzinfo=UTC)
A_MOMENT = timedelta(seconds=1)


def key(**changed: object) -> dict[str, object]:
    standing: dict[str, object] = {"id": "key:1", "user_id": "ada", "agent": "codex", "scopes": ["read"]}
    return standing | {"project": None, "expires_at": NOW, "revoked_at": None} | changed


def test_a_key_lets_in_until_the_moment_it_expires() -> None:
    assert caller_of(key(), NOW - A_MOMENT) == Caller("ada", "codex", frozenset({Scope.READ}), "key:1")
    with pytest.raises(KeyRefusedError, match="expired on 2026-11-01"):
        caller_of(key(), NOW)
    assert caller_of(key(expires_at=None), NOW + timedelta(days=36_500)).user == "ada"


def test_an_unknown_key_and_a_revoked_one_are_refused_in_the_same_words() -> None:
    refusals = []
    for found in (None, key(revoked_at=NOW), key(revoked_at=NOW, expires_at=NOW - A_MOMENT)):
        with pytest.raises(KeyRefusedError) as refused:
            caller_of(found, NOW - A_MOMENT)
        refusals.append(str(refused.value))
    assert len(set(refusals)) == 1


@given(st.sets(st.sampled_from(Scope)), st.sampled_from(Scope))
def test_a_scope_permits_itself_alone(scopes: set[Scope], wanted: Scope) -> None:
    caller = Caller("ada", "codex", frozenset(scopes))
    if wanted in scopes:
        caller.check(wanted)
    else:
        with pytest.raises(KeyRefusedError, match=wanted.value):
            caller.check(wanted)


@pytest.mark.parametrize("name", ["", "-x", "Claude", "a b", "a/b", "../a", "x" * 65, "a\n"])
def test_a_name_that_no_agent_can_have_is_refused(name: str) -> None:
    with pytest.raises(KeyNameError):
        check_agent(name)


@pytest.mark.graph
def test_a_token_opens_its_owners_memory_and_no_other(graph: Graph, user: str) -> None:
    other = f"{user}-b"
    ours, token = add_key(graph, user, "codex", [Scope.READ, Scope.CURATE], NOW, NOW + timedelta(days=1), "harbor")
    _, theirs = add_key(graph, other, "codex", [Scope.WRITE], NOW)
    assert token.startswith(TOKEN_PREFIX) and token != theirs
    found = find_caller(graph, token, NOW)
    assert found == Caller(user, "codex", frozenset({Scope.READ, Scope.CURATE}), ours, "harbor")
    assert find_caller(graph, theirs, NOW).user == other
    for wrong in ("", token[:-1], token + "x", digest_of(token)):
        with pytest.raises(KeyRefusedError):
            find_caller(graph, wrong, NOW)


@pytest.mark.graph
def test_nothing_that_is_stored_or_listed_holds_a_token(graph: Graph, user: str) -> None:
    _, token = add_key(graph, user, "codex", [Scope.READ], NOW)
    (stored,) = graph.query_read_only("MATCH (k:AgentKey {user_id: $u}) RETURN properties(k) AS it", {"u": user})
    assert token.removeprefix(TOKEN_PREFIX) not in str(stored)
    assert stored["it"]["digest"] == digest_of(token)
    (listed,) = list_keys(graph, user)
    assert "digest" not in listed and listed["created_at"] == "2026-11-01T09:00:00.000Z"


@pytest.mark.graph
def test_a_key_is_revoked_by_its_id_an_agents_by_its_name_and_nobody_elses(graph: Graph, user: str) -> None:
    other = f"{user}-b"
    first, one = add_key(graph, user, "codex", [Scope.READ], NOW)
    second, two = add_key(graph, user, "codex", [Scope.READ], NOW)
    _, theirs = add_key(graph, other, "codex", [Scope.READ], NOW)
    with pytest.raises(UnknownReferenceError):
        revoke_keys(graph, other, first, NOW)
    assert revoke_keys(graph, user, first, NOW) == [first]
    with pytest.raises(KeyRefusedError):
        find_caller(graph, one, NOW)
    assert find_caller(graph, two, NOW).user == user
    assert sorted(revoke_keys(graph, user, "codex", NOW + A_MOMENT)) == sorted([first, second])
    assert {row["id"]: row["revoked_at"] for row in list_keys(graph, user)} == {
        first: "2026-11-01T09:00:00.000Z",
        second: "2026-11-01T09:00:01.000Z",
    }
    with pytest.raises(KeyRefusedError):
        find_caller(graph, two, NOW)
    assert find_caller(graph, theirs, NOW).user == other


def test_a_key_of_a_project_cannot_leave_it() -> None:
    bound, free = caller_of(key(project="harbor"), NOW - A_MOMENT), caller_of(key(), NOW - A_MOMENT)
    assert bound.within() == bound.bound == Within("harbor", is_bound=True)
    assert bound.working_in("harbor").within() == bound.working_in(None).within() == bound.bound
    for leaves in (lambda: bound.within(all_projects=True), lambda: bound.working_in("garden")):
        with pytest.raises(KeyRefusedError, match="harbor alone"):
            leaves()
    assert free.within() is None and free.bound is None
    assert free.working_in("garden").within() == Within("garden")
    assert free.working_in("garden").within(all_projects=True) is None


@given(st.integers(1, 50), st.lists(st.floats(0, 30), max_size=20))
def test_a_key_asks_so_often_a_minute_and_again_when_it_was_said(a_minute: int, pauses: list[float]) -> None:
    rates, now, let_in = Rates(a_minute), 1_000.0, list[float]()
    for pause in pauses:
        now += pause
        for _ in range(a_minute + 1):
            if seconds := rates.wait("one", now):
                assert 1 <= seconds <= 61
                break
            let_in.append(now)
        else:
            raise AssertionError("nothing was refused")
        assert sum(at > now - 60 for at in let_in) <= 2 * a_minute + 1
        assert rates.wait(f"another at {now}", now) == 0
        now += seconds
        assert rates.wait("one", now) == 0
        let_in.append(now)


def test_all_at_once_or_evenly_nobody_is_refused_within_the_rate() -> None:
    rates = Rates(60)
    assert [rates.wait("one", 0.0) for _ in range(61)] == [0] * 60 + [1]
    assert [rates.wait("two", float(second)) for second in range(600)] == [0] * 600
