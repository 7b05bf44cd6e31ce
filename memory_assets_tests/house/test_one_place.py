"""What several queries decide alike stands in one fragment: none spells it by hand, and none that reads sources
forgets it.
"""

from __future__ import annotations

import re

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
    "hierarchy/list_anchors_for_storylines", "hierarchy/list_extraction_fingerprints", "hierarchy/list_shared_sources",
    "hierarchy/list_sources_for_storylines", "hierarchy/list_statements_for_storylines", (
        "hierarchy/list_storyline_links"
    ),
    "hierarchy/list_summaries_for_storylines", "hierarchy/list_weak_storylines", "notes/list_anchor_notes",
    "notes/list_given_notes", "notes/list_source_names",
    "notes/list_source_statements", "notes/list_supported_relationships", "values/list_chunks",
}  # fmt: skip
# What must see a withheld source too, so that what was made from it goes: no text of it is read.
LETTING_GO = {
    "notes/list_sources_for_notes",
    "notes/list_source_heads",
    "entities/set_anchor_totals",
    "entities/set_anchor_names",
    "entities/set_chunk_totals",
    "entities/set_name_texts",
    "entities/link_chunks_about",
    ("hierarchy/link_storyline_sources"),
    "notes/place_notes",
    "notes/set_relationship_totals",
}
# Checks that look for what belongs to somebody else, the keeper's own totals, and links between sources of one owner.
OF_THE_HOUSE = {
    "entities/list_foreign_links", "notes/list_foreign_notes", (
        "automation/count_sources_of_owners"
    ), "automation/sum_waiting",
    "sources/link_replies",
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


def test_no_exemption_outlives_its_reason() -> None:
    needless = [name for name in EXEMPT if any(fragment in own_words(catalogue()[name]) for fragment in READ_AS)]
    assert not needless, "these ask by themselves"


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
