"""Only curation's statements remove, retire, archive or merge a memory, and only the knife names them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from memory_assets.errors import QueryFileError
from memory_assets.graph.export import BOOKKEEPING_PROPERTIES
from memory_assets.graph.knife import FOLDER, cuts
from memory_assets.graph.query_files import Query, catalogue, words_in
from memory_assets_tests.house.test_house_rules import MODULES, place, strings
from memory_assets_tests.support.cypher_text import removals, tokens_of

KNIFE = Path("graph") / "knife.py"
# What says how far a memory has come, or what counts it, and is derived again: no content goes with it.
DERIVED = {
    "of its upkeep": {
        "archived_from", "due_key", "expires_at", "failed_recipe", "folded_by", "kept_turns", "needs_consolidation",
        "processing_error", "removed_by", "rested_refs", "unlinked",
    },
    "of a condensed record that comes in with another content": {"bulky", "condensed_at", "condensed_by", "full_text"},
    "of a tombstone that comes in anew": {
        "deleted_at", "merged_by", "merged_into", "tombstone", "tombstone_key", "tombstoned_from",
    },
    "what is counted of a name that is kept although nothing names it any more": {
        "aliases", "first_mentioned_at", "last_mentioned_at",
    },
}  # fmt: skip
BOOKKEEPING = BOOKKEEPING_PROPERTIES.union(*DERIVED.values())
QUERIES = [query for query in catalogue().values() if query.mode == "write"]
# What is created as a memory, by what else it is.
MEMORIES = {"Memory"} | {
    label for query in QUERIES for label in re.findall(r"\(\w*:Memory:(\w+)", " ".join(query.statements))
}


def takes_away(query: Query) -> list[str]:
    """What of memories a statement takes away, in words; of other nodes that they go."""
    found = removals(query.text)

    def is_memory(labels: frozenset[str]) -> bool:
        return not labels or bool(labels & MEMORIES)

    return [
        *(f"removes the node {name}" for name in found.nodes),
        *(
            f"removes {name} of a memory"
            for labels, name in found.properties
            if is_memory(labels) and name not in BOOKKEEPING
        ),
        *(f"sets {name} of a memory" for labels, name in found.put_out if is_memory(labels)),
        *("overwrites a memory" for labels in found.overwritten if is_memory(labels)),
    ]


def is_cut(query: Query) -> bool:
    """Whether a statement of curation's takes anything away, links too: not those that bring back."""
    name = query.name.partition("/")[2]
    takes = takes_away(query) or "DELETE" in set(words_in(query.text))
    return bool(takes) and not name.startswith("restore_")


CUTS = {query.name.partition("/")[2] for query in QUERIES if query.path.parent.name == FOLDER and is_cut(query)}


def test_only_curation_takes_anything_from_a_memory() -> None:
    others = {q.name: found for q in QUERIES if q.path.parent.name != FOLDER and (found := takes_away(q))}
    assert not others, "that is curation's: put the statement into cypher/curation/, and reach it by the knife"


def test_no_exemption_outlives_its_reason() -> None:
    used = {name for query in QUERIES for _, name in removals(query.text).properties}
    assert not set().union(*DERIVED.values()) - used, "no statement takes these away"


def test_only_the_knife_names_a_cutting_statement() -> None:
    named = {
        f"{place(path)}:{line}: {text}"
        for path in MODULES
        for line, text in strings(path)
        if path.parts[-2:] != KNIFE.parts and text.partition("/")[0] == FOLDER and text.partition("/")[2] in CUTS
    }
    assert not named, "use memory_assets.graph.knife.cuts"


def test_the_knife_has_the_whole_folder_and_nothing_else() -> None:
    assert {"tombstone_records", "remove_tombstones", "retire_statements", "archive_memories", "set_sources_removed",
            "retire_draft", "withhold_contexts"} <= CUTS  # fmt: skip
    (one,) = cuts("retire_draft", None, user="ada", id="draft:1")
    assert one == ("curation/retire_draft", {"user_id": "ada", "id": "draft:1"})
    assert cuts("retire_plans", [], user="ada") == []
    for name in ("retire_everything", "list_archived", "../graph/upsert_notes"):
        with pytest.raises(QueryFileError):
            cuts(name, None, user="ada")


@pytest.mark.parametrize(
    ("text", "nodes", "links"),
    [
        ("MATCH (n:Note {id: $id}) DETACH DELETE n", ["n"], []),
        ("MATCH (n:Note {id: $id})\nDELETE n", ["n"], []),
        ("MATCH (n:Note) WITH collect(n) AS notes\nFOREACH (n IN notes | delete n)", ["n"], []),
        ("MATCH (n:Note) WITH collect(DISTINCT n) AS notes FOREACH (x IN notes | DETACH DELETE x)", ["x"], []),
        ("MATCH (a)-[r:ABOUT]->(n) WITH collect(r) AS links\nFOREACH (r IN links | DELETE r)", [], ["r"]),
        ("MATCH (a)<-[r]-(n) WITH collect(r) AS links\nFOREACH (x IN links | DELETE x)", [], ["x"]),
        ("MATCH (a)-[r:ABOUT]->(n)\nDELETE r, n", ["n"], ["r"]),
        ("MATCH (a)-[r:ABOUT]->(n) WITH n AS it DELETE it", ["it"], []),
        ("MATCH (n:Note) WHERE n.delete = 'DETACH DELETE n' // DELETE n\nRETURN n", [], []),
    ],
)
def test_what_goes_is_seen(text: str, nodes: list[str], links: list[str]) -> None:
    found = removals(text)
    assert (found.nodes, found.links) == (nodes, links)


@pytest.mark.parametrize(
    ("text", "properties", "put_out"),
    [
        ("MATCH (s:Source)\nREMOVE s.content", ["content"], []),
        ("MATCH (s:Source)\nREMOVE s:Source", [":Source"], []),
        ("MATCH (s:Source)\nSET s.a = 1, s.content = null, s.b = coalesce(row.x, null)", ["content"], []),
        ("MATCH (s:Source)-[r:STATES]->(c) SET r.about = null", [], []),
        ("MATCH (s:Source) SET s.b = CASE WHEN s.content = null THEN null ELSE 1 END RETURN s.c = null", [], []),
        ("MATCH (s:Source) FOREACH (x IN [1] | SET s.a = null) SET s.c = NULL", ["a", "c"], []),
        ("MATCH (s:Source)\nSET s.state = 'archived'", [], ["state"]),
        ("MATCH (s:Source)\nWHERE s.state = 'archived'\nRETURN s.id AS id", [], []),
        ("MATCH (s:Source)\nSET s.removed_at = datetime($now)", [], ["removed_at"]),
        ("MATCH (s:Source)\nSET s.removed_at = null", ["removed_at"], []),
        ("MERGE (s:Source {id: $id}) ON CREATE SET s.tombstone = true ON MATCH SET s.x = null", ["x"], ["tombstone"]),
    ],
)
def test_what_is_lost_of_a_memory_is_seen(text: str, properties: list[str], put_out: list[str]) -> None:
    found = removals(text)
    assert [name for _, name in found.properties] == properties
    assert [name for _, name in found.put_out] == put_out


def test_an_overwritten_memory_is_seen_and_what_it_is() -> None:
    assert removals("MATCH (m:Memory:Belief) SET m = $properties").overwritten == [frozenset({"Memory", "Belief"})]
    assert removals("MATCH (m:Belief) SET m += $properties, m.x = 1").overwritten == []
    assert tokens_of("SET m.x='a''b' // no") == ["SET", "m", ".", "x", "=", "'a'", "'b'"]
