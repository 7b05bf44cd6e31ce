"""What a project is called, and what is offered in one."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_assets.privacy.projects import (
    LONGEST,
    ProjectNameError,
    asked_project,
    checked_project,
    is_offered,
    project_keys,
    project_name,
    shared_project,
)

NAMES = st.sampled_from(["harbor", "garden", None])


@pytest.mark.parametrize(
    "text, name",
    [
        ("harbor", "harbor"),
        ("#Harbor", "harbor"),
        ("Harbor Walk", "harbor-walk"),
        ("/home/maya/src/harbor", "harbor"),
        ("/home/maya/src/harbor/", "harbor"),
        ("C:\\src\\Harbor\\", "harbor"),
        ("git@github.com:acme/harbor.git", "harbor"),
        ("https://example.org/acme/harbor.git", "harbor"),
        ("ssh://git@example.org:22/acme/harbor", "harbor"),
        ("harbor.js", "harbor.js"),
        ("Gärten", "gärten"),
        ("  ", None),
        ("/", None),
        ("…", None),
        (None, None),
    ],
)
def test_a_project_has_one_name(text, name):
    assert project_name(text) == name


@given(st.text(max_size=300))
def test_a_name_is_its_own_name(text):
    name = project_name(text)
    assert name is None or (project_name(name) == name and 0 < len(name) <= LONGEST and " " not in name)


def test_what_is_no_name_is_refused():
    assert checked_project(None) is None
    assert checked_project("Harbor") == "harbor"
    with pytest.raises(ProjectNameError, match="letter or a digit"):
        checked_project("//")


@given(st.lists(NAMES, max_size=6))
def test_a_memory_is_of_a_project_when_all_its_sources_are(projects):
    found = shared_project(projects)
    if found is None:
        assert not projects or None in projects or len(set(projects)) > 1
    else:
        assert set(projects) == {found}


@pytest.mark.parametrize("order", [("harbor", "garden"), ("garden", "harbor")])
def test_a_memory_with_sources_of_two_projects_is_of_none(order):
    assert shared_project(order) is None
    assert is_offered(shared_project(order), "harbor")


@given(NAMES, NAMES)
def test_what_is_offered_is_of_the_project_or_of_none(project, asked):
    assert is_offered(project, asked) == (asked is None or project in (None, asked))


def test_a_project_is_found_among_keys():
    assert asked_project(["maya", "name: maya", *project_keys("harbor")]) == "harbor"
    assert asked_project(["maya", *project_keys(None)]) is None
