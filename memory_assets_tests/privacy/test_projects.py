"""What a project is called, and what is offered in one."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_assets.privacy.projects import (
    LONGEST,
    ProjectNameError,
    Within,
    checked_project,
    is_offered,
    project_keys,
    project_name,
    shared_project,
    within_of,
    without_project,
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


ASKED = st.sampled_from([None, Within("harbor"), Within("garden"), Within("harbor", is_bound=True)])


@pytest.mark.parametrize(
    "projects, at_work, bound",
    [
        ((), True, True),
        ((None,), True, True),
        (("harbor",), True, True),
        (("garden",), False, False),
        ((None, "harbor"), True, True),
        ((None, "garden"), True, False),
        (("harbor", "garden"), True, False),
        (("garden", "attic"), True, False),
    ],
)
def test_what_is_offered_in_a_project(projects, at_work, bound):
    assert is_offered(projects, None)
    assert is_offered(projects, Within("harbor")) == at_work
    assert is_offered(projects, Within("harbor", is_bound=True)) == bound


@given(st.lists(NAMES, max_size=6), ASKED)
def test_what_is_offered_is_of_the_project_or_of_none(projects, within):
    offered = is_offered(projects, within)
    assert offered == is_offered(reversed(projects), within) == is_offered(projects * 2, within)
    if within is None:
        assert offered
    elif within.is_bound:
        assert not offered or is_offered(projects, Within(within.project))
        assert offered == all(project in (None, within.project) for project in projects)
    else:
        assert offered == (shared_project(projects) in (None, within.project))


@given(ASKED)
def test_a_project_is_found_among_keys(within):
    own = ["maya", "name: maya"]
    assert within_of([*own, *project_keys(within)]) == within
    assert without_project([*own, *project_keys(within)]) == own
