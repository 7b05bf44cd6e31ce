"""What a query file does and takes is read from its text, and what it names stands in it."""

from __future__ import annotations

from pathlib import Path

import pytest

from memory_assets.errors import QueryFileError
from memory_assets.graph.query_files import catalogue, load, parameters_in, parse, write_words_in

GOOD = """// What it does,
// in two lines.
// mode: write
// params: rows, user_id
// returns: id
UNWIND $rows AS row // not a $comment
MERGE (s:Source {id: row.id, user_id: $user_id})
SET s.text = 'no $parameter; and no CREATE', s.`$odd` = "neither \\" $here"
RETURN s.id AS id
"""


def write(folder: Path, text: str) -> Path:
    path = folder / "room" / "verb_object.cypher"
    path.parent.mkdir(exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def test_a_good_file_becomes_a_query(tmp_path: Path) -> None:
    query = parse(write(tmp_path, GOOD), tmp_path)
    assert query.name == "room/verb_object"
    assert query.mode == "write"
    assert query.params == {"rows", "user_id"}


SCHEMA = """// What it adds.
// mode: schema
// params: -
// returns: -

// One; of two.
CREATE INDEX `odd;name` IF NOT EXISTS
FOR (n:Note)
ON (n.id); // the end; of one
CREATE CONSTRAINT two IF NOT EXISTS FOR (n:Note) REQUIRE n.id IS UNIQUE;
"""


def write_schema(folder: Path, text: str) -> Path:
    path = folder / "schema" / "notes.cypher"
    path.parent.mkdir(exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def test_a_schema_file_holds_several_statements(tmp_path: Path) -> None:
    first, second = parse(write_schema(tmp_path, SCHEMA), tmp_path).statements
    assert first.split() == "CREATE INDEX `odd;name` IF NOT EXISTS FOR (n:Note) ON (n.id)".split()
    assert second == "CREATE CONSTRAINT two IF NOT EXISTS FOR (n:Note) REQUIRE n.id IS UNIQUE"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("RETURN $a, $b1 /* $c */ // $d\n, $e", {"a", "b1", "e"}),
        ("RETURN '$a\\' $b' + \"$c\" + $d", {"d"}),
        ("MATCH (n:`$a`) RETURN n.`b``$c`, $d", {"d"}),
        ("RETURN $`odd name`", {"odd name"}),
        ("RETURN 'https://example.org/$a', $b", {"b"}),
        ("RETURN '/* ' + $a + ' */'", {"a"}),
    ],
)
def test_parameters_are_found_where_they_count(text: str, expected: set[str]) -> None:
    assert parameters_in(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("MATCH (n) WHERE n.set = 1 RETURN {create: n.delete} AS x", []),
        ("MATCH (n:Set)-[:MERGE|DELETE]->() RETURN n", []),
        ("MATCH (n) RETURN 'CREATE' AS x // DELETE", []),
        ("MATCH (n) set n.x = 1", ["SET"]),
        ("MATCH (n)\nDETACH\tDELETE n", ["DELETE", "DETACH"]),
        ("MATCH (n) CALL { CREATE (m) } RETURN n", ["CREATE"]),
        ("LOAD CSV FROM 'file:///etc/passwd' AS line RETURN line", ["LOAD"]),
    ],
)
def test_write_words_are_found_where_they_count(text: str, expected: list[str]) -> None:
    assert write_words_in(text) == expected


def test_the_catalogue_does_not_depend_on_the_working_directory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "cypher").mkdir()
    monkeypatch.chdir(tmp_path)
    catalogue.cache_clear()
    assert "graph/list_migrations" in catalogue()


FRAGMENT = "// Whose it is.\n// takes: node, key\nnode.user_id = key\n  AND node.key = 'node' // of the node\n"
NAMING = """// Reads, as @whose(says.nothing) here.
// mode: read
// params: user_id
// returns: id
MATCH (s:Source)
WHERE @whose(s, $user_id) AND s.title <> '@whose(s)'
RETURN s.id AS id
"""


def fragment(folder: Path, text: str, name: str = "whose") -> None:
    (folder / "fragments").mkdir(exist_ok=True)
    (folder / "fragments" / f"{name}.cypher").write_text(text, encoding="utf-8")


def test_a_fragment_stands_where_it_is_named(tmp_path: Path) -> None:
    fragment(tmp_path, FRAGMENT)
    write(tmp_path, NAMING)
    (query,) = load(tmp_path).values()
    statement = query.text[query.text.index("MATCH") :]
    assert "WHERE s.user_id = $user_id\n  AND s.key = 'node' AND s.title <> '@whose(s)'" in statement


def test_a_fragment_may_name_another(tmp_path: Path) -> None:
    fragment(tmp_path, "// One.\n// takes: a\n@whose(a, $user_id)\n", "first")
    fragment(tmp_path, FRAGMENT)
    text = parse(write(tmp_path, NAMING.replace("@whose(s, $user_id)", "@first(s)")), tmp_path).text
    assert "WHERE s.user_id = $user_id\n  AND s.key = 'node' AND" in text


@pytest.mark.parametrize(
    ("said", "named", "reason"),
    [
        (FRAGMENT, "@nobody(s)", "no cypher/fragments/nobody.cypher"),
        (FRAGMENT, "@whose(s)", "gives @whose 1 arguments, but it takes 2"),
        (FRAGMENT.replace("// takes: node, key\n", ""), "@whose(s, $user_id)", "gives @whose 2 arguments"),
        (
            FRAGMENT.replace("= key", "= key AND @whose(node, key)"),
            "@whose(s, $user_id)",
            "names @whose, but there is no",
        ),
    ],
)
def test_a_fragment_that_does_not_fit_is_refused(tmp_path: Path, said: str, named: str, reason: str) -> None:
    fragment(tmp_path, said)
    write(tmp_path, NAMING.replace("@whose(s, $user_id)", named))
    with pytest.raises(QueryFileError, match=reason):
        load(tmp_path)


def test_a_checksum_is_blind_to_comments_and_white_space(tmp_path: Path) -> None:
    one = parse(write(tmp_path, GOOD), tmp_path).checksum
    assert parse(write(tmp_path, GOOD.replace("\nRETURN", "\n  RETURN")), tmp_path).checksum == one
    assert parse(write(tmp_path, GOOD.replace("// What it", "// What this")), tmp_path).checksum == one
    assert parse(write(tmp_path, GOOD.replace("'no $", "'not $")), tmp_path).checksum != one
