"""Looking through many inboxes: what a tick asks, what it leaves to the next, and what becomes of each inbox."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory_assets.automation.inbox import LOOK_SECONDS, look_through
from memory_assets.automation.inbox_state import (
    GROUPS,
    LONG_PAUSE,
    PAUSES,
    Asked,
    InboxState,
    choose_doubtful,
    decide_group,
    dump_state,
    group_of,
    in_turn,
    load_state,
    run_key,
)
from memory_assets.errors import GraphQueryError


def write_inboxes(root: Path, names: list[str]) -> dict[str, Path]:
    for name in names:
        (root / name).mkdir()
        (root / name / "note.md").write_text(f"The note of {name}.")
    return {name: root / name for name in names}


def test_a_tick_that_runs_out_of_time_leaves_the_rest_to_the_next(tmp_path: Path) -> None:
    folders = write_inboxes(tmp_path, [f"user{number}" for number in range(30)])
    now = max(path.stat().st_ctime for path in tmp_path.glob("*/*")) + 60
    state, wanted, ticks, times = InboxState(), [], 0, iter(range(0, 10_000, int(LOOK_SECONDS / 4)))

    def is_unread(owner: str) -> bool:
        return owner not in wanted

    while len(wanted) < len(folders):
        tick = look_through(state, folders, is_unread, now, elapsed=lambda: float(next(times)))
        assert tick.wanted
        assert (tick.unseen > 0) == bool(tick.state.next_group)
        state, ticks = tick.state, ticks + 1
        wanted += tick.wanted
    assert ticks > 3
    assert sorted(wanted) == sorted(folders), "each once"


def test_an_owner_of_whom_the_graph_cannot_tell_does_not_stop_the_others(tmp_path: Path) -> None:
    folders = write_inboxes(tmp_path, ["maya", "nora", "olaf"])
    now = max(path.stat().st_ctime for path in tmp_path.glob("*/*")) + 60

    def ask(owner: str) -> bool:
        if owner == "nora":
            raise GraphQueryError("It was refused.")
        return owner == "olaf"

    tick = look_through(InboxState(), folders, ask, now)
    assert sorted(tick.wanted) == ["nora", "olaf"]
    assert "nora" in tick.troubles[0]
    assert "maya" not in tick.state.asked


def test_only_inboxes_that_stand_otherwise_cost_a_question(tmp_path: Path) -> None:
    folders = write_inboxes(tmp_path, [f"user{number}" for number in range(50)])
    now = max(path.stat().st_ctime for path in tmp_path.glob("*/*")) + 60
    questions: list[str] = []

    def ask(owner: str) -> bool:
        questions.append(owner)
        return False

    state = look_through(InboxState(), folders, ask, now).state
    assert len(questions) == 50
    questions.clear()
    state = look_through(state, folders, ask, now).state
    assert questions == []
    (folders["user7"] / "more.md").write_text("More.")
    look_through(state, folders, ask, now + 60)
    assert questions == [name for name in sorted(folders) if group_of(name) == group_of("user7")]


def test_the_cursor_stays_small_however_many_owners_there_are() -> None:
    state = InboxState()
    names = [f"user{number}" for number in range(5000)]
    for group, members in in_turn(state, names):
        digests = dict.fromkeys(members, "d" * 16)
        state, _ = decide_group(state, group, digests, dict.fromkeys(members, False), 0)
    assert len(state.read) <= GROUPS
    assert len(dump_state(state)) < 3000


@pytest.mark.parametrize(
    ("before", "digest", "unread", "now", "doubtful", "after", "wanted"),
    [
        (None, "d", True, 0, True, Asked("d", 1), True),
        (None, "d", False, 0, True, None, False),
        (Asked("d", 1), "d", False, 0, True, None, False),
        (Asked("d", 1), "d", True, 0, True, Asked("d", 2), True),
        (Asked("d", 2), "d", True, 100, True, Asked("d", 2, 160), False),
        (Asked("d", 2, 160), "d", None, 159, False, Asked("d", 2, 160), False),
        (Asked("d", 2, 160), "d", True, 160, True, Asked("d", 3), True),
        (Asked("d", 3), "d", True, 200, True, Asked("d", 3, 800), False),
        (Asked("d", 4), "d", True, 1000, True, Asked("d", 4, 4600), False),
        (Asked("d", 4, 4600), "d", True, 4600, True, Asked("d", 5), True),
        (Asked("d", 5), "d", True, 5000, True, Asked("d", 5, 8600), False),
        (Asked("d", 5, 8600), "e", True, 5001, True, Asked("e", 1), True),
        (Asked("d", 5, 8600), "e", False, 5001, True, None, False),
        (Asked("d", 5, 8600), "d", True, 60, True, Asked("d", 6), True),  # the machine's clock was set back
    ],
)
def test_what_becomes_of_an_inbox(
    before: Asked | None,
    digest: str,
    unread: bool | None,
    now: float,
    doubtful: bool,
    after: Asked | None,
    wanted: bool,
) -> None:
    group = group_of("maya")
    state = InboxState(asked={} if before is None else {"maya": before})
    assert choose_doubtful(state, group, {"maya": digest}, now) == (["maya"] if doubtful else [])
    answers = {"maya": unread} if unread is not None else {}
    state, chosen = decide_group(state, group, {"maya": digest}, answers, now)
    assert state.asked.get("maya") == after
    assert chosen == (["maya"] if wanted else [])
    assert (group in state.read) == (after is None)
    assert load_state(dump_state(state)) == state


NAMES = [f"user{number}" for number in range(6)]
EVENTS = st.lists(
    st.tuples(
        st.dictionaries(st.sampled_from(NAMES), st.sampled_from(["arrives", "touched"]), max_size=3),
        st.sampled_from(["reads", "is killed", "reads some"]),
        st.sampled_from([15, 70, 700, 4000]),
    ),
    max_size=30,
)


@settings(max_examples=200)
@given(EVENTS)
def test_whatever_arrives_and_whatever_is_killed_everything_is_read_and_nothing_is_asked_for_in_vain(events) -> None:
    """A world of inboxes: each tick sees their digests, asks for runs, and those read, read some, or are killed."""
    digests, unread, state, now = dict.fromkeys(NAMES, "0"), dict.fromkeys(NAMES, False), InboxState(), 0.0
    keys: set[str] = set()
    number = 0

    def tick(run: str) -> list[str]:
        nonlocal state
        wanted: list[str] = []
        for group, members in in_turn(state, NAMES):
            here = {owner: digests[owner] for owner in members}
            answers = {owner: unread[owner] for owner in choose_doubtful(state, group, here, now)}
            state, chosen = decide_group(state, group, here, answers, now)
            wanted += chosen
        state = load_state(dump_state(state))
        assert all(unread[owner] for owner in wanted)
        assert all(owner in state.asked for owner in NAMES if unread[owner]), "none is taken for read that is not"
        if wanted:
            assert (key := run_key(state, wanted)) not in keys, "a run that was asked for before would not start"
            keys.add(key)
        for owner in wanted if run == "reads" else wanted[:1] if run == "reads some" else []:
            unread[owner] = False
        return wanted

    for changes, run, seconds in events:
        now += seconds
        for owner, change in changes.items():
            number += 1
            digests[owner] = str(number)
            unread[owner] = unread[owner] or change == "arrives"
        tick(run)
    now += LONG_PAUSE
    for _ in range(len(PAUSES)):
        tick("reads")
        now += LONG_PAUSE
    assert not any(unread.values())
    tick("reads")
    assert state.asked == {}
    assert tick("reads") == []
