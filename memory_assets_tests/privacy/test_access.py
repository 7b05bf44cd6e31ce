"""Who may read a source: the rule that every query of sources carries, in one of them, and the keys that it goes by."""

from __future__ import annotations

import pytest

from memory_assets.graph.graph import Graph
from memory_assets.graph.query_files import cypher_folder, included, load_fragments
from memory_assets.privacy.access import keys_of, name_key, reader_keys, strictest, written_sensitivity
from memory_assets_tests.support.seeds import seed_readers, seed_sources, source_row

TOOK_PART = ("Nora Berg", "Tomasz")
# Whose keys each reader has, where the team's key is in place of its own: the first is the user.
READERS = {
    "nora": ["nora", "team"],
    "nora-berg": ["nora-berg", "team"],
    "bo": ["bo"],
    "b": ["b", "team", name_key("Nora Berg")],
}


@pytest.mark.parametrize(
    ("owner", "readers", "allowed"),
    [
        ("nora", None, ["nora"]),
        ("nora", [], []),  # removed
        ("team", None, ["nora", "nora-berg", "b"]),
        ("team", reader_keys("team-sea", TOOK_PART), ["nora-berg", "b"]),  # a first name may be somebody else's
        ("team", [], []),  # nobody took part, or removed
        ("stranger", None, []),
        ("stranger", ["nora"], []),  # who took part must be a member too
    ],
)
def test_who_may_read(graph: Graph, user: str, owner: str, readers: list[str] | None, allowed: list[str]) -> None:
    owners = {"team": f"team-{user}"}
    identifier = f"source:{user}"
    whose = owners.get(owner, f"{owner}.{user}")
    seed_sources(graph, [source_row(identifier, whose)])
    seed_readers(graph, whose, identifier, readers)
    found = []
    for reader, keys in READERS.items():
        user_ids = [f"{reader}.{user}", *keys[:1], *(owners.get(key, key) for key in keys[1:])]
        found += [reader for _ in graph.read("entities/list_source_texts", ids=[identifier], user_ids=user_ids)]
    assert found == allowed


@pytest.mark.parametrize(
    ("team", "removed", "sensitivity", "keys", "readers"),
    [
        (None, False, "high", None, None),
        ("sea", False, "low", ["nora"], None),
        ("sea", False, "normal", ["nora"], None),
        ("sea", False, None, ["nora"], None),
        ("sea", False, "high", ["nora"], ["nora"]),
        ("sea", False, "high", None, []),
        ("sea", True, "low", ["nora"], []),
        (None, True, "normal", None, []),
    ],
)
def test_whom_a_source_names_as_readers(
    graph: Graph,
    team: str | None,
    removed: bool,
    sensitivity: str | None,
    keys: list[str] | None,
    readers: list[str] | None,
) -> None:
    text = included(
        "WITH {team_id: $team} AS s RETURN @readers(s, $removed, $sensitivity, $keys) AS readers",
        load_fragments(cypher_folder()),
        "the test",
    )
    given = {"team": team, "removed": removed, "sensitivity": sensitivity, "keys": keys}
    assert graph.query_read_only(text, given) == [{"readers": readers}]


@pytest.mark.parametrize("one", [None, "low", "normal", "high"])
@pytest.mark.parametrize("other", ["low", "normal", "high"])
def test_the_strictest_is_one_in_both(graph: Graph, one: str | None, other: str) -> None:
    text = included("RETURN @strictest($one, $other) AS kind", load_fragments(cypher_folder()), "the test")
    assert graph.query_read_only(text, {"one": one, "other": other}) == [{"kind": strictest([one, other])}]


def test_a_name_is_no_owner() -> None:
    assert keys_of("Tomasz") == {"tomasz", "name: tomasz"}
    assert keys_of("Nora Berg") == {"noraberg", "nora-berg", "nora_berg", "name: nora berg"}
    assert keys_of("team-sea") == {"teamsea", "team_sea", "name: team sea"} and keys_of("…") == set()


@pytest.mark.parametrize(
    ("raw", "said"),
    [
        ("---\ntitle: Pay\nsensitivity: High\n---\nText", "high"),
        ("---\ntitle: Pay\n---\nsensitivity: high", None),
        ("My sensitivity: high", None),
        ('{"role": "user", "sensitivity": "high"}\n{"sensitivity": "low"}', "high"),
        ('{"content": "\\"sensitivity\\": \\"high\\""}', None),
    ],
)
def test_what_a_source_says_of_its_own_sensitivity(raw: str, said: str | None) -> None:
    assert written_sensitivity(raw) == said


def test_the_strictest_holds() -> None:
    assert [strictest(values) for values in ((), (None,), ("low", None), ("low", "normal"), ("high", "low"))] == [
        "normal", "normal", "low", "normal", "high",
    ]  # fmt: skip
