"""A query file says what it needs and gives; whatever disagrees is refused by name."""

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
    assert query.returns == ("id",)
    assert query.description == "What it does, in two lines."


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ("params: rows, user_id", "params: rows", r"uses \$user_id but its header does not list it"),
        ("params: rows, user_id", "params: rows, user_id, now", r"lists now .* does not use \$now"),
        ("params: rows, user_id", "params: rows user_id", "names separated by commas"),
        ("params: rows, user_id", "params: rows, rows, user_id", "twice"),
        ("// mode: write\n", "", 'no "// mode:" line'),
        ("// returns: id\n", "", 'no "// returns:" line'),
        ("// mode: write\n", "// mode: write\n// mode: read\n", 'states "mode:" twice'),
        ("mode: write", "mode: both", "'both'"),
        ("mode: write", "mode: read", "contains MERGE, SET"),
        ("// What it does,\n// in two lines.\n", "", "does not say what it does"),
        ("RETURN s.id AS id", "RETURN s.id AS id; MATCH (n) RETURN n", "more than one statement"),
        ("RETURN s.id AS id\n", "", "has no RETURN"),
        ("// returns: id\n", "// returns: id\n// owner: no\n", "the reason"),
        (GOOD[GOOD.index("UNWIND") :], "// nothing\n", "uses|does not use|no statement"),
    ],
)
def test_a_file_that_disagrees_with_its_header_is_refused(tmp_path: Path, old: str, new: str, reason: str) -> None:
    assert old in GOOD
    path = write(tmp_path, GOOD.replace(old, new))
    with pytest.raises(QueryFileError, match=reason) as refused:
        load(tmp_path)
    assert "cypher/room/verb_object.cypher" in str(refused.value)
    assert path.is_file()


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
    with pytest.raises(QueryFileError, match="more than one statement"):
        parse(write_schema(tmp_path, SCHEMA.replace("mode: schema", "mode: write")), tmp_path)
    with pytest.raises(QueryFileError, match="into a file of cypher/schema/"):
        parse(write(tmp_path, SCHEMA), tmp_path)


@pytest.mark.parametrize("broken", ["CREATE CONSTRAINT two FOR", "DROP CONSTRAINT two IF EXISTS; MATCH"])
def test_a_schema_statement_can_be_applied_twice(tmp_path: Path, broken: str) -> None:
    with pytest.raises(QueryFileError, match="applied again whenever it changes"):
        parse(write_schema(tmp_path, SCHEMA.replace("CREATE CONSTRAINT two IF NOT EXISTS FOR", broken)), tmp_path)


def test_a_statement_without_an_owner_is_refused_unless_it_says_why(tmp_path: Path) -> None:
    text = "// Counts.\n// mode: read\n// params: -\n// returns: n\nMATCH (m:Migration)\nRETURN count(m) AS n\n"
    with pytest.raises(QueryFileError, match="neither user_id nor user_ids"):
        parse(write(tmp_path, text), tmp_path)
    allowed = text.replace("// returns: n\n", "// returns: n\n// owner: no, infrastructure\n")
    assert not parse(write(tmp_path, allowed), tmp_path).owned


def test_a_writing_statement_must_write(tmp_path: Path) -> None:
    text = "// R.\n// mode: write\n// params: user_id\n// returns: n\nRETURN $user_id AS n\n"
    with pytest.raises(QueryFileError, match="writes nothing"):
        parse(write(tmp_path, text), tmp_path)


def test_a_file_in_another_encoding_is_refused(tmp_path: Path) -> None:
    path = write(tmp_path, "")
    path.write_bytes(GOOD.replace("does", "täte").encode("latin-1"))
    with pytest.raises(QueryFileError, match="UTF-8"):
        parse(path, tmp_path)


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
        (FRAGMENT.replace("= key", "= $other"), "@whose(s, $user_id)", "lists key .* does not use it"),
        (FRAGMENT.replace("= key", "= $other + key"), "@whose(s, $user_id)", r"uses \$other but its header"),
        (FRAGMENT.replace("// takes: node, key\n", ""), "@whose(s, $user_id)", "is a fragment: begin it with"),
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
