"""Whom names mean: the hard cases by hand, and what must hold for any set of names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory_assets.entities.naming.forms import read_form
from memory_assets.entities.naming.likeness import misspelt, related
from memory_assets.entities.naming.records import Decision, Name, Profile, Resolution
from memory_assets.entities.naming.resolve import resolve_names
from memory_assets.entities.text import canonical_name


def resolve(*known, **beside):
    """Whom each name means."""
    return resolve_names(*known, **beside).resolutions


def name(text: str, *sources: str, kind: str = "person", entity_type: str | None = None) -> Name:
    """A name whose id is its text, for things with the type before it."""
    what = entity_type or kind
    key = text if kind == "person" else f"{what}: {text}"
    return Name(key, kind, text, canonical_name(text), what, {source: 0.8 for source in sources or (f"of {key}",)})


def groups(resolved: Mapping[str, Resolution]) -> set[frozenset[str]]:
    """Who is one with whom."""
    by_id: dict[str, set[str]] = {}
    for key, resolution in resolved.items():
        by_id.setdefault(resolution.resolved_id, set()).add(key)
    return {frozenset(members) for members in by_id.values()}


def test_all_the_ways_to_write_one_person() -> None:
    variants = ["Bob", "Robert Chen", "@bob", "bob@example.com", "Chen, Robert", "R. Chen", "Dr. Chen", "Robert"]
    resolved = resolve([name(text) for text in variants])
    assert {resolution.resolved_id for resolution in resolved.values()} == {"Robert Chen"}
    assert all(resolution.decided_by == "rules" and resolution.reason for resolution in resolved.values())


@pytest.mark.parametrize(
    ("texts", "one"),
    [
        (["José García", "Jose Garcia"], True),
        (["Katherine Boyle", "Kate Boyle"], True),
        (["Jörg Müller", "Joerg Mueller"], True),
        (["Erik Lindqvist", "Erik Lindquist"], True),
        (["Robert J. Chen", "Robert Chen"], True),
        (["Ludwig van der Berg", "L. van der Berg"], True),
        (["Tomasz Wilk", "Tomas"], True),
        (["Priya Raman", "Prya"], True),
        (["Robert Chen", "rchen"], True),
        (["Robert Chen", "robert.chen@example.org"], True),
        (["Robert Chen", "Robert Chan"], False),
        (["Robert J. Chen", "Robert K. Chen"], False),
        (["Daniel Kim", "Danielle Kim"], False),
        (["Paul Stone", "Paula Stone"], False),
        (["Erik Petersen", "Erik Peterson"], False),
        (["Maria Schmidt", "Maria Schmitt"], False),
        (["Robert Chen", "William Chen"], False),
        (["Robert Chen", "info@example.org"], False),
        (["Mr. Chen", "Mrs. Chen"], False),
        (["Bob", "Robert"], False),
        (["Maria", "Mario"], False),
    ],
)
def test_two_names(texts: list[str], one: bool) -> None:
    assert (len(groups(resolve([name(text) for text in texts]))) == 1) is one


def test_two_people_with_one_first_name() -> None:
    names = [name("Maria", "1", "2", "3"), name("Maria Lopez", "1"), name("Maria Schmidt", "2")]
    maria = resolve(names)["Maria"]
    assert maria.resolved_id == "Maria"
    assert [maria.resolved_in(source) for source in "123"] == ["Maria Lopez", "Maria Schmidt", "Maria"]
    assert maria.resolved_ids == ("Maria", "Maria Lopez", "Maria Schmidt")


def test_whoever_takes_part_in_a_source_is_meant_in_it() -> None:
    names = [name("Maria", "1", "2"), name("Maria Lopez", "5"), name("Maria Schmidt", "6")]
    casts = {"1": ["Ben", "Maria <mlopez@example.org>"], "2": ["Maria Lopez", "Maria Schmidt"]}
    maria = resolve(names, casts=casts)["Maria"]
    assert (maria.resolved_in("1"), maria.resolved_in("2")) == ("Maria Lopez", "Maria")


def test_somebody_who_sits_beside_the_other_is_another() -> None:
    names = [name("Alex", "1"), name("Alex Turner", "2")]
    assert len(groups(resolve(names))) == 1
    assert len(groups(resolve(names, casts={"9": ["Alex", "Alex Turner"]}))) == 2


def test_an_address_names_its_holder() -> None:
    names = [name("Bob", "1"), name("b.c@example.com", "2"), name("Robert Chen", "3")]
    casts = {"3": ["Robert Chen <b.c@example.com>"], "1": ["Bob <b.c@example.com>"]}
    assert len(groups(resolve(names, casts=casts))) == 1


@pytest.mark.parametrize("entity_type", ["product", "project", "organization", "work"])
def test_what_is_called_like_a_person_is_none(entity_type: str) -> None:
    thing = name("Claude", "1", "2", "3", kind="entity", entity_type=entity_type)
    assert len(groups(resolve([name("Claude", "4"), name("Claude Monet", "5"), thing]))) == 2


def test_a_person_taken_for_something_else_is_one_anchor_of_the_kind_that_weighs_more() -> None:
    resolved = resolve([name("Priya Raman", "1", "2"), name("Priya Raman", "3", kind="concept")])
    assert resolved["concept: Priya Raman"].resolved_id == "Priya Raman"
    turned = resolve([name("Tidewatch", "1"), name("Tidewatch", "2", "3", kind="concept")])
    assert turned["Tidewatch"].resolved_id == "concept: Tidewatch"


def test_a_renamed_project_stays_two_until_somebody_says_so() -> None:
    names = [name(text, kind="entity", entity_type="project") for text in ("Project Osprey", "Osprey", "Project Heron")]
    osprey, _, heron = (item.name_id for item in names)
    assert len(groups(resolve(names))) == 2
    assert len(groups(resolve(names, decisions=[Decision(heron, osprey, True, keep_id=osprey)]))) == 1


def test_the_owner_is_who_the_profile_says() -> None:
    profile = Profile("Maya Lindqvist", ("maya@example.org",), "owner")
    names = [name("Maya"), name("Maya Lindqvist"), name("maya@example.org"), name("Elin Lindqvist"), name("Lindqvist")]
    resolved = resolve(names, profile)
    assert [key for key in resolved if resolved[key].resolved_id == "owner"] == [
        "Maya",
        "Maya Lindqvist",
        "maya@example.org",
    ]
    assert resolved["Maya Lindqvist"].decided_by == "profile"


def test_what_no_rule_can_tell_is_asked() -> None:
    outcome = resolve_names([name("Bob"), name("Robert"), name("Anna Berg"), name("Anna Borg"), name("Zoe")])
    assert outcome.unclear == (("Anna Berg", "Anna Borg"), ("Bob", "Robert"))
    assert resolve_names([name("Alexander"), name("Sasha")]).unclear == (("Alexander", "Sasha"),)
    voted = resolve([name("Bob"), name("Robert")], decisions=[Decision("Bob", "Robert", True, "gpt")])
    assert groups(voted) == {frozenset({"Bob", "Robert"})}
    assert {r.decided_by for r in voted.values()} == {"gpt", "rules"}


def test_a_person_outweighs_a_model_and_the_rules() -> None:
    names = [name("Bob Chen"), name("Robert Chen")]
    assert len(groups(resolve(names))) == 1
    assert len(groups(resolve(names, decisions=[Decision("Bob Chen", "Robert Chen", False)]))) == 2
    chosen = resolve(names, decisions=[Decision("Bob Chen", "Robert Chen", True, keep_id="Bob Chen", at="2026")])
    assert {r.resolved_id for r in chosen.values()} == {"Bob Chen"}


FIRST = st.sampled_from(
    "Robert Bob Maria Mary Anna Tomasz Priya Alex Alexander Chris Christina Jörg Sam Dan Daniel".split()
)
LAST = st.sampled_from("Chen Lopez Schmidt Lindqvist Raman Petersen Wilk Kim Okafor".split())
TEXT = st.one_of(
    FIRST,
    st.builds("{} {}".format, FIRST, LAST),
    st.builds("{1}, {0}".format, FIRST, LAST),
    st.builds(lambda first, last: f"{first[0]}. {last}", FIRST, LAST),
    st.builds("Dr. {}".format, LAST),
    st.builds("{}@example.com".format, FIRST),
)
NAMES = st.lists(
    st.builds(
        lambda text, sources, kind: name(text, *sources, kind=kind, entity_type="other" if kind == "entity" else None),
        TEXT,
        st.sets(st.sampled_from("123456"), min_size=1),
        st.sampled_from(["person"] * 5 + ["entity", "concept"]),
    ),
    max_size=14,
    unique_by=lambda item: item.name_id,
)
CASTS = st.dictionaries(st.sampled_from("123456"), st.lists(TEXT, max_size=4), max_size=4)


def _people(names: Sequence[Name]) -> list[Name]:
    return [item for item in names if item.kind == "person"]


@settings(max_examples=60)
@given(NAMES, CASTS, st.randoms(use_true_random=False))
def test_neither_order_nor_repetition_shows(names: list[Name], casts: dict[str, list[str]], chance) -> None:  # type: ignore[no-untyped-def]
    resolved = resolve(names, casts=casts)
    mixed = list(names)
    chance.shuffle(mixed)
    turned = {key: list(reversed(cast)) for key, cast in reversed(casts.items())}
    assert resolve(mixed, casts=turned) == resolved
    assert resolve(reversed(names), casts=casts) == resolved


@settings(max_examples=60)
@given(NAMES, CASTS)
def test_whom_a_name_means_means_itself(names: list[Name], casts: dict[str, list[str]]) -> None:
    resolved = resolve(names, casts=casts)
    for resolution in resolved.values():
        for meant in resolution.resolved_ids:
            assert resolved[meant].resolved_id == meant


@settings(max_examples=60)
@given(NAMES, CASTS)
def test_two_people_whose_full_names_differ_are_never_one(names: list[Name], casts: dict[str, list[str]]) -> None:
    resolved = resolve(names, casts=casts)
    full = [item for item in _people(names) if read_form(item.name).is_full]
    for one in full:
        for other in full:
            if resolved[one.name_id].resolved_id == resolved[other.name_id].resolved_id:
                first, second = read_form(one.name), read_form(other.name)
                assert first.surname == second.surname or misspelt(first.surname, second.surname)
                assert related(first.given, second.given)
