"""What several queries decide alike stands in one fragment: none spells it by hand, and none that reads sources
forgets it.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from memory_assets.graph.query_files import FRAGMENTS, Query, catalogue, cypher_folder

QUERIES = [query for query in catalogue().values() if query.mode != "schema"]
READ_AS = ("@may_read(", "@is_open_to(")

# What is reached by the user's own links: the extraction lets go of them when a source is withheld from the user, and
# until then they are what the user was given.
OWN_LINKS = {
    "compression/list_named", "compression/list_said", "compression/list_unreachable",
    "entities/list_chunks_of_mentions", "entities/list_linked_memories", "entities/list_linked_names",
    "entities/list_name_mentions", "entities/list_name_statements", "entities/move_mentions",
    "hierarchy/list_sources_of_anchors", "hierarchy/list_sources_for_storylines",
    "hierarchy/list_statements_for_storylines", "hierarchy/list_source_vectors",
    "hierarchy/list_given_statement_vectors",
    "hierarchy/list_whole_storylines", "hierarchy/list_statement_vectors", "hierarchy/list_stating_anchors",
    "hierarchy/list_anchors_beside", "hierarchy/list_evidence",
    "hierarchy/list_summaries_for_storylines", "hierarchy/list_weak_storylines", "notes/list_anchor_notes",
    "notes/list_given_notes", "notes/list_source_names",
    "notes/list_source_statements", "notes/list_supported_relationships", "validity/set_subjects_dirty",
    "values/list_chunks",
}  # fmt: skip
# What must see a withheld source too, so that what was made from it goes: no text of it is read.
LETTING_GO = {
    "notes/list_sources_for_notes",
    "notes/list_source_heads",
    "entities/set_anchor_totals",
    "entities/set_anchor_names",
    "entities/set_chunk_embeddings",
    "graph/set_chunk_totals",
    "entities/set_name_texts",
    "entities/link_chunks_about",
    ("hierarchy/link_storyline_sources"),
    "graph/place_notes",
    "notes/set_relationship_totals",
}
# Checks that look for what belongs to somebody else, the keeper's own totals, and links between sources of one owner.
OF_THE_HOUSE = {
    "entities/list_foreign_links", "notes/list_foreign_notes", (
        "automation/count_sources_of_owners"
    ), "automation/sum_waiting",
    "sources/link_replies", "sources/take_back_sources",
}  # fmt: skip
EXEMPT = OWN_LINKS | LETTING_GO | OF_THE_HOUSE

# A pattern, and what stands there instead.
BY_HAND = {
    r"\w\.readers\b(?!\s*=|[,)])": "is_open_to",
    r"'high'": "readers, strictest",
    r"(?:<>|=|IN \[)\s*'archived'(?!\s*[,\n])": "in_use",
    r"\w\.removed_at IS": "source_in_use",
    r"<> 'keep_forever'": "may_retire, may_remove_source",
    r"MERGE \(\w+:CurationAudit": "audit",
    r"salience: 0\.5|state: 'candidate',\s*ttl_policy: 'decay',\s*access_count: 0,\s*recall": "new_memory",
}
SPELLED = {
    # Only a removed source has a time of removal, whatever else it is: what is set is that time.
    "curation/set_sources_removed": {"source_in_use"},
    **dict.fromkeys(("sources/set_sensitivities", "sources/set_source_contents"), {"source_in_use"}),
}


# Whoever serves default reading leaves out what is archived: what these rooms read, agents' contexts and what is shown
# of sources among them, and what any room counts or shows of the most, the best and the latest. Rooms that make
# memories read all of it: what follows from what was said follows whatever has faded.
SERVING = ("recall/", "values/", "memory_file/", "metrics/", "context/", "graph/list_said")
REPORTS = re.compile(r"/(?:count|sum|list_(?:top|largest|longest|best|latest))_")
OF_MEMORIES = re.compile(
    r"@owned_memory\(|:(?:\w+\|)*(?:Source|KnowledgeChunk|Storyline|Macro|Person|Concept|Entity|Relationship|Memory)\b"
)
READ_ARCHIVED = {
    "asked for by a reference, or to explain a line: archived ones are reached": {
        "lifecycle/count_mentions", "memory_file/find_source", "memory_file/list_macro_sources",
        "memory_file/list_storyline_sources", "recall/list_above", "recall/list_places", "recall/list_stating_sources",
    },
    "of memories that another query has chosen": {
        "memory_file/list_overview_kinds", "memory_file/list_pool_changes", "memory_file/list_pool_places",
        "recall/list_overviews", "recall/list_readable", "context/list_words",
    },
    "how far a record that another query has chosen holds no longer is said by faded statements, too": {
        "context/list_said_in",
    },
    "the index holds all that may be read; what is shown of it is chosen by graph/list_said": {
        "recall/list_sources",
    },
    "checks read a draft back, whatever has become of its memories": {
        "memory_file/list_entry_memories", "memory_file/list_entry_sources",
    },
    "upkeep: how far sources have come, what was removed, what is to be scored or consolidated": {
        "automation/count_sources_of_owners", "automation/sum_waiting", "hierarchy/count_all_storylines",
        "memory_file/list_edit_sources",
        "memory_file/list_removed_refs", "notes/count_dirty", "sources/count_sources_by_day",
        "sources/count_sources_by_status", "values/list_unscored",
    },
    "the states themselves are counted": {
        "lifecycle/count_states", "records/count_records",
    },
}  # fmt: skip


def own_words(query: Query) -> str:
    """What a file itself says, without comments: fragments stand as names."""
    return re.sub(r"//.*", "", query.path.read_text(encoding="utf-8"))


def sources_of_others(text: str) -> bool:
    """Whether sources are matched that need not be the user's own: by nothing that binds their owner to $user_id."""
    patterns = re.findall(r"\(\w+:Source\b([^)]*)\)", text)
    return any("user_id: $user_id" not in given for given in patterns) or "IN $user_ids" in text


def test_whoever_reads_sources_asks_who_may() -> None:
    silent = [
        query.name
        for query in QUERIES
        if re.search(r":Source\b", text := own_words(query))
        and query.path.parent.name != "curation"
        and query.name not in EXEMPT
        if sources_of_others(text) and not any(name in text for name in READ_AS)
    ]
    assert not silent, "add @may_read(…) to the WHERE of these, or say here why not"


OF_CONTEXTS = re.compile(
    r"\bs\.(?:processed_fingerprint|text_fingerprint|sensitivity|personal_data|readers|started_at|path|channel|thread_id"
    r"|conversation_id|removed_at|withdrawn_at) = "
)
"""What contexts and their places follow from, set of a source."""


def test_whoever_changes_what_contexts_follow_from_marks_them() -> None:
    def sets(text: str) -> bool:
        return any(OF_CONTEXTS.search(part) for part in re.findall(r"\bSET\b(.*?)(?=\n(?:[A-Z@])|\Z)", text, re.S))

    writers = {query.name: text for query in QUERIES if query.mode == "write" and sets(text := own_words(query))}
    assert len(writers) >= 8
    assert not [name for name, text in writers.items() if "@contexts_unmade(s)" not in text]


def test_no_exemption_outlives_its_reason() -> None:
    needless = [name for name in EXEMPT if any(fragment in own_words(catalogue()[name]) for fragment in READ_AS)]
    assert not needless, "these ask by themselves"


def served() -> dict[str, str]:
    """What serves default reading, by name."""
    return {
        query.name: text
        for query in QUERIES
        if query.mode == "read"
        and (query.name.startswith(SERVING) or REPORTS.search(query.name))
        and OF_MEMORIES.search(text := own_words(query))
    }


def asks_what_is_in_use(text: str) -> bool:
    """Whether each part of a query that reads memories does."""
    return all("@in_use(" in part for part in re.split(r"\bUNION\b", text) if OF_MEMORIES.search(part))


def test_whoever_serves_default_reading_leaves_out_what_is_archived() -> None:
    on_purpose = set().union(*READ_ARCHIVED.values())
    serving = {name: asks_what_is_in_use(text) for name, text in served().items()}
    silent = {name for name, asks in serving.items() if not asks} - on_purpose
    assert not silent, "add @in_use(…) to the WHERE of these, or say here why not"
    assert not on_purpose - {name for name, asks in serving.items() if not asks}, "these need no exemption"


def test_an_agents_contexts_are_seen_to_forget_it() -> None:
    every = served()
    names = [name for name in every if name.startswith(("context/", "graph/list_said"))]
    asking = [name for name in names if asks_what_is_in_use(every[name])]
    wanted = {"list_topics", "list_offered", "list_records_naming", "list_records_in", "list_decisions_since"}
    assert {f"context/{name}" for name in wanted} | {"graph/list_said"} <= {*asking}
    for name in asking:
        parts = every[name].split("UNION")
        for at, part in enumerate(parts):
            forgetful = "UNION".join([*parts[:at], part.replace("@in_use(", "("), *parts[at + 1 :]])
            assert not asks_what_is_in_use(forgetful), name


def test_no_query_spells_what_a_fragment_says() -> None:
    found = {
        query.name: fragments - SPELLED.get(query.name, set())
        for query in QUERIES
        if (fragments := {fragment for pattern, fragment in BY_HAND.items() if re.search(pattern, own_words(query))})
    }
    assert not {name: fragments for name, fragments in found.items() if fragments}, "see cypher/fragments/"


@pytest.mark.parametrize(
    ("text", "fragment"),
    [
        ("WHERE s.readers IS NULL OR any(key IN s.readers WHERE key = $user_id)", "is_open_to"),
        ("WHERE s.state <> 'archived'", "in_use"),
        ("WHERE s.removed_at IS NULL", "source_in_use"),
        ("WHERE m.ttl_policy <> 'keep_forever' AND m.access_count = 0", "may_retire, may_remove_source"),
        ("MERGE (a:CurationAudit {id: $id})", "audit"),
    ],
)
def test_what_is_spelled_by_hand_is_seen(text: str, fragment: str) -> None:
    assert {said for pattern, said in BY_HAND.items() if re.search(pattern, text)} == {fragment}


def test_every_fragment_is_named_by_two() -> None:
    folder = cypher_folder()
    texts = {path: path.read_text(encoding="utf-8") for path in folder.rglob("*.cypher")}
    for path in (folder / FRAGMENTS).glob("*.cypher"):
        users = [other for other, text in texts.items() if f"@{path.stem}(" in text]
        assert len(users) > 1, f"{path.name} is named by {len(users)} files: a fragment is for what several say"


def test_a_query_file_begins_with_a_verb_of_the_grammar() -> None:
    page = (Path(__file__).resolve().parents[2] / "docs" / "naming.md").read_text(encoding="utf-8")
    cells = {kind: re.findall(rf"\| query file, {kind} \| ([^|]+)", page)[0] for kind in ("reading", "writing")}
    anywhere, _, in_curation = cells["writing"].partition("; in `curation/` alone")
    verbs = {"read": set(_VERB.findall(cells["reading"])), "write": set(_VERB.findall(anywhere))}
    wrong = [
        query.name
        for query in QUERIES
        if not query.path.stem.startswith(tuple(verbs[query.mode]))
        if not (query.name.startswith("curation/") and query.path.stem.startswith(tuple(_VERB.findall(in_curation))))
    ]
    assert not wrong, "docs/naming.md has the verbs"


_VERB = re.compile(r"`(\w+_)`")
