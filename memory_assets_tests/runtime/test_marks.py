"""A step is due exactly when its mark is not the one that follows from the other marks: for each owner alone."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_assets.automation.pipeline import STEPS
from memory_assets.llm.local.model import LocalModel
from memory_assets.llm.opening import open_models
from memory_assets.model import is_team
from memory_assets.runtime.chain import recipes_of
from memory_assets.runtime.marks import (
    Chain,
    begun,
    current_until,
    due_steps,
    left_unfinished,
)
from memory_assets.settings import Settings

USERS = ("ana", "ben", "cleo")
TEAM = "team-garden"
NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)
OWNERS = (TEAM, *USERS)
TEAMS = {"ana": [TEAM], "ben": [TEAM]}
# HEARTBEAT.md follows from nothing of this; accesses are counted when some wait, and records curated when it is time.
RAW, TASKS, FILES = "raw_sources", "heartbeat_tasks", "memory_files"
STORY = tuple(step for step in STEPS if step not in (RAW, "accesses", "curated_memories", "heartbeat_file"))
OF_RAW = ("processed_sources", "agent_records")
RECIPES = {step: f"recipe of {step}" for step in STEPS}
EMBEDS_ALONE = {"agent_records"}
PREPARED = ("processed_sources", "extracted_entities")


@dataclass
class House:
    """The marks of some owners, moved as an ingestion and the steps of a run move them."""

    marks: dict[tuple[str, str], str] = field(default_factory=dict)
    recipes: dict[str, str] = field(default_factory=lambda: dict(RECIPES))
    teams: Mapping[str, list[str]] = field(default_factory=lambda: dict(TEAMS))
    ingested: int = 0
    now: datetime = NOW

    @property
    def chain(self) -> Chain:
        return Chain(STEPS, self.recipes, self.marks, self.teams, self.now)

    def ingest(self, owner: str) -> None:
        self.ingested += 1
        self.marks[owner, RAW] = f"source {self.ingested}"

    def work(self, owner: str, step: str, *problems: str) -> None:
        """One step for one owner: its mark is what was expected when it began, plus what it left."""
        expected = self.chain.expected(owner, step)
        self.marks[owner, step] = left_unfinished(expected, problems) if problems else expected

    def run(self, *owners: str) -> list[tuple[str, str]]:
        """One run of all steps in order, teams first; who was worked for."""
        worked = []
        for step in STORY:
            for owner in sorted(owners or OWNERS, key=lambda name: (not is_team(name), name)):
                if self.chain.is_due(owner, step):
                    self.work(owner, step)
                    worked.append((owner, step))
        return worked

    def due(self, owner: str) -> list[str]:
        return due_steps(self.chain, owner)


@pytest.fixture
def house() -> House:
    """A house in which everybody has sources and everything is current."""
    made = House()
    for owner in OWNERS:
        made.ingest(owner)
    made.run()
    return made


def test_what_was_never_made_is_due_one_step_after_the_other_and_then_never_again() -> None:
    house = House()
    house.ingest("ana")
    assert house.due("ana") == list(OF_RAW), "what follows has nothing to follow from yet"
    assert house.chain.reason("ana", "processed_sources") == "it was never made"
    assert house.run("ana") == [("ana", step) for step in STORY]
    assert house.run("ana") == []
    assert house.chain.reason("ana", "macros") == "it is current"


@pytest.mark.parametrize("step", STORY)
def test_a_changed_recipe_makes_that_step_due_alone_and_the_next_once_it_was_made(house: House, step: str) -> None:
    house.recipes[step] = "another prompt"
    assert house.due("cleo") == [step]
    assert house.chain.reason("cleo", step) == "its prompts, models or code have changed"
    house.work("cleo", step)
    follows = [name for name in STORY if step in STEPS[name].upstream]
    assert house.due("cleo") == follows
    for name in follows:
        assert house.chain.reason("cleo", name) == "what it is made from has changed"


@pytest.mark.parametrize("step", STORY)
def test_a_step_follows_from_the_marks_right_above_it_and_from_no_other(house: House, step: str) -> None:
    for above in (RAW, *STORY):
        moved = House(dict(house.marks), dict(house.recipes))
        moved.marks["cleo", above] = "moved"
        is_due = moved.chain.is_due("cleo", step)
        assert is_due is (above == step or above in STEPS[step].upstream), above


def test_a_new_source_makes_processing_due_and_then_what_follows_one_after_the_other(house: House) -> None:
    house.ingest("cleo")
    done = []
    while due := house.due("cleo"):
        done.append(due[0])
        house.work("cleo", due[0])
    assert done == list(STORY)


@pytest.mark.parametrize(
    "teams",
    [{"ben": [TEAM]}, {"ana": [TEAM, "team-kitchen"], "ben": [TEAM]}, {"ana": ["team-kitchen"], "ben": [TEAM]}],
    ids=["left", "joined", "changed"],
)
def test_another_membership_makes_the_extraction_due(house: House, teams: dict[str, list[str]]) -> None:
    house.teams = teams
    assert house.due("ana") == ["extracted_entities"]
    assert [house.due(owner) for owner in (TEAM, "ben", "cleo")] == [[], [], []]


def test_the_order_in_which_teams_are_read_says_nothing(house: House) -> None:
    house.teams = {"ana": ["team-b", "team-a"]}
    house.work("ana", "extracted_entities")
    house.teams = {"ana": ["team-a", "team-b"]}
    assert not house.chain.is_due("ana", "extracted_entities")


def test_what_a_team_has_processed_is_due_for_its_members_alone(house: House) -> None:
    house.ingest(TEAM)
    assert [house.due(owner) for owner in OWNERS] == [["processed_sources"], [], [], []]
    house.work(TEAM, "processed_sources")
    assert [house.due(owner) for owner in OWNERS] == [[], ["extracted_entities"], ["extracted_entities"], []]


def test_a_team_has_raw_and_processed_sources_and_nothing_else() -> None:
    house = House()
    house.ingest(TEAM)
    assert house.due(TEAM) == ["processed_sources"]
    assert {step.name for step in STEPS.values() if step.of_teams} == {RAW, "processed_sources"}


def test_raw_sources_are_never_due_by_their_mark(house: House) -> None:
    house.recipes[RAW] = "another reader"
    assert not any(house.chain.is_due(owner, RAW) for owner in OWNERS)


@pytest.mark.parametrize("step", [step for step in STORY if step not in OF_RAW])
def test_a_step_that_never_succeeded_holds_back_what_follows_from_it(step: str) -> None:
    house = House()
    house.ingest("ana")
    first = STEPS[step].upstream[0]
    for above in STORY[: STORY.index(first)]:
        house.work("ana", above)
    assert house.chain.is_due("ana", first) and not house.chain.is_due("ana", step)
    house.work("ana", first)
    assert house.chain.is_due("ana", step)


@pytest.mark.parametrize("step", STORY)
def test_what_is_left_unfinished_stays_due_while_what_was_done_flows_on(house: House, step: str) -> None:
    house.ingest("cleo")
    for above in STORY[: STORY.index(step)]:
        house.work("cleo", above)
    beside = house.due("cleo")
    house.work("cleo", step, "a source could not be read")
    expected = {step, *beside, *(name for name in STORY if step in STEPS[name].upstream)}
    assert house.due("cleo") == [name for name in STORY if name in expected]
    assert house.chain.reason("cleo", step) == "the last run left something unfinished"


@given(st.sets(st.text(max_size=8), min_size=1, max_size=4), st.sets(st.text(max_size=8), min_size=1, max_size=4))
def test_other_problems_are_another_mark_and_their_order_is_none(one: set[str], other: set[str]) -> None:
    expected = Chain(STEPS, RECIPES, {}, {}, NOW).expected("ana", "storylines")
    assert (left_unfinished(expected, one) == left_unfinished(expected, other)) is (one == other)
    assert left_unfinished(expected, sorted(one, reverse=True)) == left_unfinished(expected, one)
    assert left_unfinished(expected, one) != expected


ACTIONS = st.one_of(
    st.tuples(st.just("ingest"), st.sampled_from(OWNERS), st.none()),
    st.tuples(st.just("work"), st.sampled_from(OWNERS), st.sampled_from(STORY)),
    st.tuples(st.just("fail"), st.sampled_from(OWNERS), st.sampled_from(STORY)),
    st.tuples(st.just("recipe"), st.none(), st.sampled_from(STORY)),
    st.tuples(st.just("join"), st.sampled_from(USERS), st.none()),
    st.tuples(st.just("leave"), st.sampled_from(USERS), st.none()),
)


@given(st.lists(ACTIONS, max_size=25))
def test_whatever_happened_one_run_of_all_steps_makes_everything_current(actions: list[tuple]) -> None:
    house = House(teams={"ana": [TEAM]})
    for number, (action, owner, step) in enumerate(actions):
        if action == "ingest":
            house.ingest(owner)
        elif action == "recipe":
            house.recipes[step] = f"recipe {number}"
        elif action in ("join", "leave"):
            house.teams = {**house.teams, owner: [TEAM] if action == "join" else []}
        elif not is_team(owner) or STEPS[step].of_teams:
            house.work(owner, step, *(["it failed"] if action == "fail" else []))
    worked = house.run()
    assert {owner: house.due(owner) for owner in OWNERS} == {owner: [] for owner in OWNERS}
    assert len(worked) == len(set(worked)), "each step once for each owner"
    assert house.run() == []


@given(st.lists(ACTIONS, max_size=25))
def test_owners_who_share_nothing_never_make_each_other_due(actions: list[tuple]) -> None:
    house = House(teams={})
    for owner in OWNERS:
        house.ingest(owner)
    house.run()
    for action, owner, step in actions:
        if owner == "ana" or action not in ("ingest", "work", "fail"):
            continue
        if action == "ingest":
            house.ingest(owner)
        elif not is_team(owner) or STEPS[step].of_teams:
            house.work(owner, step, *(["it failed"] if action == "fail" else []))
        assert house.due("ana") == []


@given(st.lists(ACTIONS, max_size=25))
def test_a_mark_is_never_two_owners_own(actions: list[tuple]) -> None:
    house = House(teams={})
    for action, _, step in actions:
        if action == "recipe":
            house.recipes[step] = "another"
    for step in STORY:
        assert len({house.chain.expected(owner, step) for owner in USERS}) == len(USERS)


def test_steps_are_listed_in_the_order_of_the_story_whatever_was_asked(house: House) -> None:
    for step in STORY:
        house.recipes[step] = "another"
    assert due_steps(house.chain, "ana", reversed(STORY)) == list(STORY)
    assert due_steps(house.chain, "ana", reversed(PREPARED)) == list(PREPARED)
    above = {name: [list(STEPS).index(up) for up in spec.upstream if up in STEPS] for name, spec in STEPS.items()}
    assert all(max(places, default=-1) < list(STEPS).index(name) for name, places in above.items())


def test_every_step_has_a_recipe_that_opening_the_models_again_does_not_change() -> None:
    one, two = (recipes_of(STEPS, open_models(Settings(_env_file=None))) for _ in range(2))
    assert one == two and set(one) == set(STEPS)


def test_another_model_changes_what_asks_models_and_nothing_else() -> None:
    given_models = open_models(Settings(_env_file=None))

    class AnotherModel(LocalModel):
        name = "another/1"

    before = recipes_of(STEPS, given_models)
    after = recipes_of(
        STEPS, given_models._replace(language=AnotherModel(), composer=AnotherModel(), judge=AnotherModel())
    )
    assert {step for step in STEPS if before[step] != after[step]} == {
        step.name for step in STEPS.values() if step.asks_models and step.name not in EMBEDS_ALONE
    }


def stands_for(mark: str) -> House:
    """Ana's house, in which her storylines bear ``mark`` and what they follow from has not changed."""
    return House({("ana", "statement_validity"): "e", ("ana", "storylines"): mark})


STORYLINES = stands_for("").chain.expected("ana", "storylines")


@pytest.mark.parametrize(
    ("mark", "due", "reason"),
    [
        (STORYLINES, False, "it is current"),
        (current_until(STORYLINES, NOW + timedelta(seconds=1)), False, "enough time has passed"),
        (current_until(STORYLINES, NOW), True, "enough time has passed"),
        (current_until("another.recipe", NOW + timedelta(days=9)), True, "what it is made from has changed"),
        (begun(STORYLINES), True, "the last run did not end"),
        (begun(current_until(STORYLINES, NOW + timedelta(days=1))), True, "the last run did not end"),
        (left_unfinished(STORYLINES, ["one"]), True, "the last run left something unfinished"),
    ],
)
def test_time_and_a_step_that_did_not_end_make_due(mark: str, due: bool, reason: str) -> None:
    chain = stands_for(mark).chain
    assert (chain.is_due("ana", "storylines"), chain.reason("ana", "storylines")) == (due, reason)


def test_what_follows_waits_for_the_end_of_a_step_that_has_begun() -> None:
    before = stands_for(STORYLINES).chain.expected("ana", "macros")
    assert stands_for(begun(STORYLINES)).chain.expected("ana", "macros") == before
    assert stands_for(current_until(STORYLINES, NOW)).chain.expected("ana", "macros") != before
    assert begun(begun("m")) == "m!"


def test_a_heartbeat_is_due_when_tasks_were_added_and_for_nobody_without_tasks(house: House) -> None:
    assert not house.chain.is_due("ana", "heartbeat_file")
    house.marks["ana", TASKS] = "some tasks"
    assert house.due("ana") == ["heartbeat_file"]
    house.work("ana", "heartbeat_file")
    assert house.due("ana") == ["bounded_memory_metrics"]
    house.work("ana", "bounded_memory_metrics")
    assert [house.due(owner) for owner in OWNERS] == [[], [], [], []]
    house.ingest("ana")
    house.marks["ana", TASKS] = "other tasks"
    assert house.due("ana") == [*OF_RAW, "heartbeat_file"]


def test_another_list_of_files_makes_the_draft_due_and_nothing_above_it(house: House) -> None:
    before = house.chain.expected("ana", "memory_draft")
    house.marks["ana", FILES] = "two files"
    assert due_steps(house.chain, "ana") == ["memory_draft"]
    assert house.chain.expected("ana", "memory_draft") != before
    assert due_steps(house.chain, "ben") == []
    house.work("ana", "memory_draft")
    assert due_steps(house.chain, "ana") == ["memory_file"]
