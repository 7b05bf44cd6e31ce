"""Reading and writing on a real engine: values, transactions, refusals, two writers at once."""

from __future__ import annotations

import os
import subprocess
import sys
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memory_assets.errors import GraphQueryError, GraphUnavailableError, QueryFileError
from memory_assets.graph.graph import Graph, Statement, open_graph
from memory_assets.graph.values import clean_text
from memory_assets.settings import Settings
from memory_assets_tests.graph.probes import probing

pytestmark = pytest.mark.graph
ROUNDS = settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
# What a statement that got through would have made, changed or removed; others work beside in a shared graph.
WITHIN_REACH = """
MATCH (n) WHERE n.user_id = $user OR n.user_id IS NULL OR n.id = $user OR n.x IS NOT NULL
RETURN n.id AS id, properties(n) AS properties ORDER BY id
"""


@pytest.fixture(scope="module")
def probes(graph: Graph, graph_settings: Settings) -> Graph:
    return probing(graph_settings)


def environment(given_settings: Settings) -> dict[str, str]:
    return os.environ | {"MEMORY_ASSETS_HOME": str(given_settings.home)}


def put(probes: Graph, user: str, value: Any, at: Any = None) -> dict[str, Any]:
    probes.write("probe/upsert_probes", [{"id": f"{user}:1", "value": value, "at": at}], user_id=user)
    (row,) = probes.read("probe/list_probes", user_id=user)
    return row


@pytest.mark.parametrize(
    "value",
    ["", "plain", "\u202eمرحبا \u200b", "😀\n\t'\"`\\ $user_id", 7, -(2**63), 0.1, True, [], ["a", "b"], [0.5, 1.5]],
)
def test_a_property_comes_back_as_it_went(probes: Graph, user: str, value: Any) -> None:
    assert put(probes, user, value)["value"] == value


@ROUNDS
@given(text=st.text(st.characters(), max_size=40))
def test_any_text_comes_back(probes: Graph, user: str, text: str) -> None:
    assert put(probes, user, text)["value"] == clean_text(text)


@pytest.mark.parametrize(
    ("given_time", "expected"),
    [
        (None, None),
        (datetime(2026, 5, 3, 9, 0, tzinfo=UTC), datetime(2026, 5, 3, 9, 0, tzinfo=UTC)),
        (
            datetime(2026, 5, 3, 9, 0, 0, 250000, tzinfo=timezone(timedelta(hours=5, minutes=30))),
            datetime(2026, 5, 3, 3, 30, 0, 250000, tzinfo=UTC),
        ),
        ("2026-05-03T09:00:00+02:00", datetime(2026, 5, 3, 7, 0, tzinfo=UTC)),
        (datetime(1900, 1, 1, tzinfo=UTC), datetime(1900, 1, 1, tzinfo=UTC)),
        (
            datetime(2199, 12, 31, 23, 59, 59, 999000, tzinfo=UTC),
            datetime(2199, 12, 31, 23, 59, 59, 999000, tzinfo=UTC),
        ),
    ],
)
def test_an_instant_comes_back_in_utc(probes: Graph, user: str, given_time: Any, expected: Any) -> None:
    found = put(probes, user, "x", given_time)["at"]
    assert found == expected
    assert expected is None or found.utcoffset() == timedelta(0)


def test_a_big_text_passes(probes: Graph, user: str) -> None:
    text = "né " * 8_000_000
    assert put(probes, user, text)["value"] == text


def test_many_rows_are_sent_in_batches(probes: Graph, user: str) -> None:
    rows = [{"id": f"{user}:{number:05}", "value": number, "at": None} for number in range(1234)]
    assert len(probes.write("probe/upsert_probes", rows, user_id=user)) == 1234
    assert [row["value"] for row in probes.read("probe/list_probes", user_id=user)] == list(range(1234))
    assert probes.write("probe/upsert_probes", [], user_id=user) == []


def test_statements_together_are_all_or_nothing(probes: Graph, user: str) -> None:
    row = {"id": f"{user}:1", "value": 1, "at": None}
    good = Statement("probe/upsert_probes", {"rows": [row], "user_id": user})
    with pytest.raises(GraphQueryError, match="probe/upsert_wrongly"):
        probes.write_together([good, Statement("probe/upsert_wrongly", {"user_id": user})])
    assert probes.read("probe/list_probes", user_id=user) == []
    assert probes.write_together([good, good]) == [[{"id": row["id"]}], [{"id": row["id"]}]]
    assert len(probes.read("probe/list_probes", user_id=user)) == 1


@pytest.mark.parametrize(
    ("name", "params", "reason"),
    [
        ("probe/nothing", {}, "There is no cypher/probe/nothing.cypher"),
        ("probe/list_probes", {}, "needs user_id"),
        ("probe/list_probes", {"user_id": "u", "now": None}, "does not take now"),
        ("probe/upsert_wrongly", {"user_id": "u"}, "is in mode write"),
        ("probe/list_misnamed", {"user_id": "u"}, "returns name, but its header says id"),
    ],
)
def test_a_wrong_call_names_the_file(probes: Graph, name: str, params: dict[str, Any], reason: str) -> None:
    with pytest.raises(QueryFileError, match=reason):
        probes.read(name, **params)


def test_two_processes_that_merge_the_same_keys_lose_nothing(
    graph: Graph, graph_settings: Settings, probes: Graph, user: str
) -> None:
    command = [sys.executable, "-m", "memory_assets_tests.graph.probes", user, "24", "4"]
    writers = [
        subprocess.Popen(command, env=environment(graph_settings), stderr=subprocess.PIPE, text=True) for _ in range(2)
    ]
    for writer in writers:
        _, errors = writer.communicate(timeout=300)
        assert writer.returncode == 0, errors
    found = probes.read("probe/list_probes", user_id=user)
    assert len({row["id"] for row in found}) == len(found) == 24 * 4


WRITING = (
    "CREATE (n:StageState {id: $id}) RETURN n.id AS id",
    "MATCH (n) SET n.x = 1 RETURN count(n) AS n",
    "match (n) detach delete n",
    "MATCH (n) D\\u0045TACH D\\u0045LETE n RETURN 1 AS x",
    "MATCH (n) REMOVE n.id RETURN 1 AS x",
    "MERGE (n:StageState {id: $id})",
    "MATCH (n) CALL (n) { SET n.x = 1 } RETURN 1 AS x",
    "RETURN 1 AS x; MATCH (n) DELETE n",
    "MATCH (n) FOREACH (x IN [1] | SET n.x = x)",
    "/* RETURN */ CREATE (n)",
    "RETURN '\\'' AS x CREATE (n {x: ''})",
    "CREATE INDEX x FOR (n:X) ON (n.x)",
    "DROP INDEX memory_refs",
    "LOAD CSV FROM 'file:///etc/passwd' AS line RETURN line",
    "CALL apoc.cypher.doIt('CRE' + 'ATE (n)', {})",
    "CALL `db`.`createLabel`('X')",
    "CALL db.awaitIndexes",
    "ALTER USER neo4j SET PASSWORD 'x'",
    "GRANT ROLE admin TO x",
    "",
)


def test_the_door_for_people_only_reads(graph: Graph, probes: Graph, user: str) -> None:
    def is_refused(cypher: str) -> bool:
        try:
            graph.query_read_only(cypher, {"id": user} if "$id" in cypher else {})
        except GraphQueryError:
            return True
        return False

    probes.write("probe/upsert_probes", [{"id": user, "value": "kept", "at": None}], user_id=user)
    before = graph.query_read_only(WITHIN_REACH, {"user": user})
    assert user in [row["id"] for row in before]
    assert [cypher for cypher in WRITING if not is_refused(cypher)] == []
    assert graph.query_read_only(WITHIN_REACH, {"user": user}) == before


def test_the_door_for_people_reads(graph: Graph, user: str) -> None:
    rows = graph.query_read_only(
        "UNWIND $names AS name OPTIONAL MATCH (n:Source {id: name}) "
        "RETURN name, {set: 1}.set AS one, datetime('2026-01-01T01:00:00+01:00') AS at, n ORDER BY name",
        {"names": [user, "a"]},
    )
    assert rows[0] == {"name": "a", "one": 1, "at": datetime(2026, 1, 1, tzinfo=UTC), "n": None}
    assert graph.query_read_only("CALL db.labels() YIELD label RETURN count(label) > 0 AS some") == [{"some": True}]


def test_a_mistyped_query_is_one_clear_error(graph: Graph) -> None:
    with pytest.raises(GraphQueryError, match="refused"):
        graph.query_read_only("MATCH (n RETURN n")


def test_a_neo4j_that_is_not_there_is_named_without_its_password(tmp_path: Any) -> None:
    absent = Settings(_env_file=None, home=tmp_path, NEO4J_URI="bolt://127.0.0.1:1", NEO4J_PASSWORD="s3cret")
    with pytest.raises(GraphUnavailableError, match="127.0.0.1:1") as failed:
        open_graph(absent)
    assert "s3cret" not in str(failed.value)


def test_a_wrong_password_is_named_but_not_shown(graph: Graph, graph_settings: Settings) -> None:
    address = graph.server_info().rpartition(" at ")[2]
    wrong = Settings(_env_file=None, home=graph_settings.home, NEO4J_URI=f"bolt://{address}", NEO4J_PASSWORD="s3cret!")
    with pytest.raises(GraphUnavailableError, match="NEO4J_PASSWORD") as failed:
        open_graph(wrong)
    assert "s3cret!" not in str(failed.value)
    assert "s3cret!" not in repr(wrong)
