"""What is remembered says what it contradicts of what was remembered since the last run, or before there was any."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from datetime import timedelta

import pytest

from memory_assets.commands.correcting import correct, take_back
from memory_assets.commands.decisions import resolve
from memory_assets.commands.remembering import Remembered, remember
from memory_assets.model import Resolution, State
from memory_assets.records.reading import find_record
from memory_assets.validity import noticing
from memory_assets.validity.decisions import open_contradictions
from memory_assets.validity.index import StatementIndex
from memory_assets.validity.policy import Change, Contradiction, Statement
from memory_assets_tests.commands.test_correcting import run
from memory_assets_tests.support.house import House

pytestmark = pytest.mark.graph
NUTS, NO_NUTS = "Priya is allergic to nuts.", "Priya is not allergic to nuts."
GATE, NO_GATE = (f"The harbour gate {verb} at six in the evening." for verb in ("closes", "does not close"))
LEDGER = "Olaf Brandt uses Postgres for the ledger of Harbor Ltd."
MOVED = "Olaf Brandt switched from Postgres to SQLite for the ledger of Harbor Ltd."


def say(house: House, user: str, text: str, agent: str = "codex", **given: str) -> Remembered:
    """Remember it, a second after what was remembered before."""
    house.travel(house.settings.clock.now() + timedelta(seconds=1))
    made = remember(house.graph, house.settings, user, text, agent=agent, models=house.models, **given)
    assert made.recallable
    return made


def texts_of(made: Remembered) -> list[str]:
    return [one["text"] for one in made.contradicts]


@pytest.mark.parametrize("is_ones_own", [False, True])
@pytest.mark.parametrize("has_run", [False, True])
@pytest.mark.parametrize(
    ("first", "second", "is_against"),
    [
        (NUTS, NO_NUTS, True),
        (GATE, NO_GATE, True),
        ("The ferry leaves at 9 o'clock.", "The ferry leaves at 11 o'clock.", True),
        (f"The boat house is red. {NUTS}", f"Olaf came by. {NO_NUTS}", True),
        (NUTS, "The ferry leaves at 11 o'clock.", False),
        (NUTS, "Priya is allergic to nuts, says her doctor.", False),
    ],
)
def test_what_no_run_has_judged_is_named_and_settled_once(
    house: House, first: str, second: str, *, is_against: bool, has_run: bool, is_ones_own: bool
) -> None:
    nora = house.user("nora")
    if has_run:
        say(house, nora, "Nora keeps bees in Skagness.")
        run(house, nora)
    earlier, agent = say(house, nora, first), "codex" if is_ones_own else "cursor"
    made = say(house, nora, second, agent)
    assert earlier.contradicts == ()
    assert [(one["ref"], one["text"]) for one in made.contradicts] == ([(earlier.ref, first)] if is_against else [])
    is_open = is_against and not is_ones_own
    listed = open_contradictions(house.graph, nora)
    assert [one["id"] for one in made.contradicts] == [one["id"] for one in listed] or is_ones_own
    assert [(one["one_ref"], one["other_ref"]) for one in listed] == ([(earlier.ref, made.ref)] if is_open else [])
    again = say(house, nora, second, agent)
    assert (again.is_new, again.contradicts) == (False, made.contradicts)
    said_first = say(house, nora, first)
    assert [one["id"] for one in said_first.contradicts] == [one["id"] for one in made.contradicts], "the same one"
    assert open_contradictions(house.graph, nora) == listed
    run(house, nora)
    after = open_contradictions(house.graph, nora)
    assert len(after) == is_against, "the run judges it once"
    if is_open:
        assert after == listed
        assert [one["id"] for one in say(house, nora, second, agent).contradicts] == [one["id"] for one in listed]
        assert open_contradictions(house.graph, nora) == listed


@pytest.mark.parametrize("agent", ["codex", "cursor"])
def test_what_a_run_supersedes_contradicts_nothing(house: House, agent: str) -> None:
    nora = house.user("nora")
    earlier = say(house, nora, LEDGER)
    made = say(house, nora, MOVED, agent)
    assert [one["ref"] for one in made.contradicts] == [earlier.ref]
    assert len(open_contradictions(house.graph, nora)) == (agent == "cursor")
    run(house, nora)
    assert open_contradictions(house.graph, nora) == []


@pytest.mark.parametrize("has_run", [False, True])
def test_what_is_out_of_use_is_not_named(house: House, *, has_run: bool) -> None:
    nora = house.user("nora")
    if has_run:
        say(house, nora, "Nora keeps bees in Skagness.")
        run(house, nora)
    ref = say(house, nora, NUTS).ref

    def against() -> list[str]:
        return texts_of(say(house, nora, NO_NUTS, "cursor"))

    def corrected(text: str | None, agent: str) -> None:
        house.travel(house.settings.clock.now() + timedelta(seconds=1))
        correct(house.graph, house.settings, nora, ref, text=text, reason="So.", agent=agent, models=house.models)

    corrected("Priya is fond of apples.", "codex")
    assert against() == []
    take_back(house.graph, house.settings, nora, ref, "codex", house.models)
    assert against() == [NUTS], "it holds again"
    corrected(None, "cursor")
    assert against() == [] == open_contradictions(house.graph, nora)
    take_back(house.graph, house.settings, nora, ref, "codex", house.models)
    assert against() == [NUTS]
    corrected(None, "codex")
    assert against() == [] == open_contradictions(house.graph, nora)
    corrected_words = say(house, nora, GATE).ref
    correct(
        house.graph, house.settings, nora, corrected_words, text=NUTS, reason="So.", agent="codex", models=house.models
    )
    assert against() == [NUTS], "its new words count"


@pytest.mark.parametrize("resolution", [Resolution.A_WINS, Resolution.B_WINS, Resolution.BOTH_VALID])
def test_what_was_settled_is_not_open_again(house: House, resolution: Resolution) -> None:
    nora = house.user("nora")
    earlier = say(house, nora, NUTS)
    made = say(house, nora, NO_NUTS, "cursor")
    (found,) = made.contradicts
    resolve(house.graph, house.settings, nora, found["id"], resolution, "", "codex")
    archived = [find_record(house.graph, nora, one.ref)["state"] == State.ARCHIVED for one in (earlier, made)]
    assert archived == [resolution is Resolution.B_WINS, resolution is Resolution.A_WINS]
    for text, agent in ((NO_NUTS, "cursor"), (NUTS, "codex")):
        assert say(house, nora, text, agent).contradicts == ()
    assert open_contradictions(house.graph, nora) == []


def test_what_was_settled_between_two_is_open_with_a_third(house: House) -> None:
    nora = house.user("nora")
    say(house, nora, NUTS)
    (found,) = say(house, nora, NO_NUTS, "cursor").contradicts
    resolve(house.graph, house.settings, nora, found["id"], Resolution.BOTH_VALID, "", "codex")
    run(house, nora)
    assert say(house, nora, NO_NUTS, "cursor").contradicts == ()
    third = say(house, nora, NUTS, "windsurf")
    assert texts_of(say(house, nora, NO_NUTS, "cursor")) == [NUTS], "by its record"
    run(house, nora)
    assert texts_of(say(house, nora, NO_NUTS, "cursor")) == [NUTS], "by what the run has made of it"
    listed = open_contradictions(house.graph, nora)
    assert listed and all(third.ref in (one["one_ref"], one["other_ref"]) for one in listed)


def test_another_users_memory_is_never_named(house: House) -> None:
    nora, olaf = house.user("nora"), house.user("olaf")
    say(house, nora, NUTS)
    assert say(house, olaf, NO_NUTS, "cursor").contradicts == ()
    # Whatever an index says, the graph says whose a record is.
    indexes = [house.settings.unjudged_index(user) for user in (nora, olaf)]
    indexes[1].write_bytes(indexes[0].read_bytes())
    assert say(house, olaf, f"{NO_NUTS} So he says.", "cursor").contradicts == ()


def test_a_run_forgets_what_it_has_judged(house: House) -> None:
    nora = house.user("nora")
    path = house.settings.unjudged_index(nora)

    def known() -> list[str]:
        with closing(StatementIndex(path)) as index:
            return index.ids()

    made = say(house, nora, NUTS)
    assert known() == [made.memory_id]
    run(house, nora)
    assert known() == []
    assert b"allergic" not in path.read_bytes()
    later = say(house, nora, GATE)
    assert known() == [later.memory_id], "what shares its file was judged"
    assert texts_of(say(house, nora, NO_NUTS, "cursor")) == [NUTS], "as the statement that the run has made of it"
    path.unlink()
    assert say(house, nora, NO_GATE, "cursor").contradicts == ()


def test_a_few_of_many_are_judged(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    compared: list[int] = []
    judge = noticing._judged

    def counted(known: Sequence[Statement], said: Statement) -> list[Change | Contradiction | None]:
        compared.append(len(known))
        return judge(known, said)

    monkeypatch.setattr(noticing, "_judged", counted)
    nora = house.user("nora")
    most = noticing.FEWER.by_words + noticing.FEWER.by_meaning
    for number in range(most + 5):
        say(house, nora, f"Crane {number} of the harbour lifts {number + 40} crates.")
    assert texts_of(say(house, nora, "Crane 3 of the harbour doesn't lift 43 crates.", "cursor")) == [
        "Crane 3 of the harbour lifts 43 crates."
    ]
    assert 0 < max(compared) <= most
