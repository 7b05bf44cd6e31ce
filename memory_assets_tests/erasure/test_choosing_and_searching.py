"""What goes with what is erased, which words only it had, and how they are found in bytes."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_assets.curation.snapshots import IN, OUT, Link, Snapshot, encode
from memory_assets.erasure.choosing import Links, Node, choose_gone, choose_untouched, counted, node_of
from memory_assets.erasure.searching import Finder, counts_by_file, files_in, search
from memory_assets.erasure.words import (
    PHRASE,
    changed_properties,
    has_terms,
    phrases_in,
    redacted,
    terms_in,
    without_lines,
    without_terms,
    words_in,
)
from memory_assets.graph import fresh_copy
from memory_assets.model import SourceType
from memory_assets.privacy.redaction import MARK, Door
from memory_assets.sources.erased import ErasedError
from memory_assets.sources.erased import redacted as redacted_source
from memory_assets.sources.formats import clean
from memory_assets.sources.formats.base import RawSource

OWNER = "nora"


def node(identifier: str, *labels: str, names: Sequence[str] = (), is_owners: bool = False) -> Node:
    return Node(identifier, OWNER, labels, tuple(names), is_owners)


NODES = [
    node("s1", "Memory", "Source"),
    node("s2", "Memory", "Source"),
    node("t1", "SourceText"),
    node("only", "Memory", "KnowledgeChunk"),
    node("both", "Memory", "KnowledgeChunk"),
    node("ada", "Memory", "Person"),
    node("me", "Memory", "Person", is_owners=True),
    node("note", "Note", names=["s1"]),
    node("full", "Memory", "CompressedContext"),
    node("short", "Memory", "CompressedContext"),
    node("value", "ValueClassification", names=["only"]),
    node("audit", "CurationAudit", names=["only"]),
    node("name", "AnchorName", names=["ada"]),
    node("line", "Memory", "Storyline"),
    node("macro", "Memory", "Macro"),
    node("record", "Memory", "Belief"),
]
LINKS = [
    ("HAS_CONTENT", "s1", "t1"),
    ("STATES", "s1", "only"),
    ("STATES", "s1", "both"),
    ("STATES", "s2", "both"),
    ("MENTIONS", "s1", "ada"),
    ("MENTIONS", "s1", "me"),
    ("TAKEN_FROM", "note", "s1"),
    ("CONTEXT_OF", "full", "s1"),
    ("SUMMARIZED_TO", "full", "short"),
    ("INCLUDES", "line", "s1"),
    ("INCLUDES", "line", "s2"),
    ("GROUPS", "macro", "line"),
    ("RECORDED_IN", "record", "s1"),
]


@pytest.mark.parametrize(
    ("erased", "stays"),
    [
        ({"s1"}, {"s2", "both", "me", "line", "macro"}),
        ({"s2"}, {one.id for one in NODES} - {"s2"}),
        ({"s1", "s2"}, {"me"}),
        (set(), {one.id for one in NODES}),
    ],
)
def test_what_rests_on_the_erased_alone_goes(erased: set[str], stays: set[str]) -> None:
    links = Links.of({"type": kind, "start_id": start, "end_id": end} for kind, start, end in LINKS)
    gone = choose_gone(NODES, links, erased)
    assert {one.id for one in NODES} - gone == stays
    assert sum(counted(NODES, gone).values()) == len(gone)


@pytest.mark.parametrize(
    ("erased", "untouched"),
    [
        ({"s1"}, {"s2", "both"}),
        ({"s2"}, {"s1", "only", "both", "ada", "me", "note", "full", "short", "record"}),
        (set(), {one.id for one in NODES if "Memory" in one.labels} | {"note"}),
    ],
)
def test_whose_words_have_no_part_of_the_erased(erased: set[str], untouched: set[str]) -> None:
    links = Links.of({"type": kind, "start_id": start, "end_id": end} for kind, start, end in LINKS)
    assert choose_untouched(NODES, links, choose_gone(NODES, links, erased)) == untouched


def test_a_row_tells_of_its_memory() -> None:
    row = {"id": "a", "owner": OWNER, "labels": ["CurationAudit"], "properties": {"memory_id": "only", "x": 1}}
    assert node_of(row) == node("a", "CurationAudit", names=["only"])


@pytest.mark.parametrize(
    ("kind", "erased", "goes"),
    [("doubt", "one", True), ("doubt", "other", True), ("edit", "one", True), ("edit", "other", False)],
)
def test_a_doubt_goes_with_either_of_its_memories_and_a_decision_with_what_it_is_about(
    kind: str, erased: str, goes: bool
) -> None:
    said = {"kind": kind, "memory_id": "one", "by_memory_id": "other", "edited_text": "He is ill."}
    row = {"id": "d", "owner": OWNER, "labels": ["Decision"], "properties": said}
    nodes = [node("one", "Memory", "KnowledgeChunk"), node("other", "Memory", "MemoryEntry"), node_of(row)]
    assert ("d" in choose_gone(nodes, Links(), {erased})) is goes


PAIR = {"a": "kept", "b": "merged", "merged_id": "merged", "kept_id": "kept", "words": "a digest"}


@pytest.mark.parametrize("label", ["KnowledgeChunk", "Belief"])
@pytest.mark.parametrize(
    ("erased", "is_merged", "gone"),
    [
        ({"s1"}, True, set()),
        ({"s1", "s2"}, True, {"merged", "audit", "pair"}),
        ({"s3"}, True, set()),
        ({"s1", "s2", "s3"}, True, {"merged", "kept", "audit", "pair"}),
        ({"s1", "s2"}, False, set()),
    ],
)
def test_what_was_merged_goes_with_the_sources_that_it_had_and_what_tells_of_it(
    label: str, erased: set[str], is_merged: bool, gone: set[str]
) -> None:
    kind, direction = ("STATES", IN) if label == "KnowledgeChunk" else ("RECORDED_IN", OUT)
    had = [Link(kind, direction, one, ("Memory", "Source")) for one in ("s1", "s2")]
    was = Snapshot(("Memory", label), {"id": "merged"}, (*had, Link("ABOUT", OUT, "s3")))
    tombstone = {"tombstone": True, "merged_by": "audit", "merged_into": "kept"} if is_merged else {}
    said: dict[str, tuple[str, dict[str, Any]]] = {
        "kept": (f"Memory {label}", {}),
        "merged": (f"Memory {label}", tombstone),
        "audit": ("CurationAudit", {"memory_id": "merged", "action": "merge", "snapshot": encode(was)}),
        "pair": ("DuplicatePair", PAIR),
        **{one: ("Source", {}) for one in ("s1", "s2", "s3")},
    }
    nodes = [
        node_of({"id": key, "owner": OWNER, "labels": labels.split(), "properties": properties})
        for key, (labels, properties) in said.items()
    ]
    stored = [("s1", "kept"), ("s2", "kept"), ("s3", "kept"), *([] if is_merged else [("s3", "merged")])]
    rows = [
        {
            "type": kind,
            "start_id": source if direction == IN else memory,
            "end_id": memory if direction == IN else source,
        }
        for source, memory in stored
    ]
    assert choose_gone(nodes, Links.of(rows), erased) == erased | gone


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Marmalade, marmalade and 900 grams", {"marmalade", "grams"}),
        ("2026-10-04T09:00:00Z a1b2c3d4e5f6a7b8 12345", set()),
        ("0123456789 snake_cased", {"0123456789", "snake", "cased"}),
        ('{"a": "one\\nmarmalade"}', {"nmarmalade", "marmalade"}),
        ("Zürich ÉCLAIR", {"zürich", "éclair"}),
    ],
)
def test_which_words_can_be_looked_for(text: str, words: set[str]) -> None:
    assert words_in(text) == words


@pytest.mark.parametrize(
    ("text", "after"),
    [
        ("the marmalade is here", f"the {MARK} is here"),
        ('{"a": "the marmalade", "b": [1, "x"]}', f'{{"a": "{MARK}", "b": [1, "x"]}}'),
        ('{"marmalade": 1, "b": 2}', '{"b": 2}'),
        (
            json.dumps({"a": json.dumps({"b": "Marmalade", "c": "d"})}),
            json.dumps({"a": json.dumps({"b": MARK, "c": "d"})}),
        ),
        ('{"a": "line\\nmarmalade"}', f'{{"a": "{MARK}"}}'),
        ("{ no json marmalade", f"{{ no json {MARK}"),
    ],
)
def test_stored_texts_lose_the_words_and_stay_what_they_are(text: str, after: str) -> None:
    assert redacted(text, {"marmalade"}) == after


def test_properties_and_lines() -> None:
    said = {"text": "Marmalade!", "names": ["x", "marmalade jar"], "count": 3, "title": "Jam"}
    assert changed_properties(said, {"marmalade"}) == {"text": f"{MARK}!", "names": ["x", f"{MARK} jar"]}
    assert without_lines("- a [123456789]\n- marmalade [1]\n- c", {"marmalade"}, {"123456789"}) == "- c"


@pytest.mark.parametrize(
    ("data", "is_found"),
    [
        (b"\x00\x12marmalade\x00", True),
        (b"Amarmalade", True),  # a length of 65 before it
        (b"\\nMARMALADE\\n", True),
        (b"see the_marmalade_jar", True),
        (b"supermarmalade", False),
        (b"marmalades", False),  # somebody else's word
        (b"Kmarmalades", False),
        (b"marmala", False),
    ],
)
def test_a_word_is_found_where_it_stands(data: bytes, is_found: bool) -> None:
    assert Finder({"marmalade"}, {"marmalades"}).in_bytes(data) == ({"marmalade"} if is_found else set())


@given(st.sets(st.text("abcdefghäß", min_size=5, max_size=9), min_size=1, max_size=5), st.binary(max_size=200))
def test_no_word_is_missed_in_any_bytes(words: set[str], noise: bytes) -> None:
    finder = Finder(words)
    for word in words:
        assert word in finder.in_bytes(noise + b"\0" + word.encode() + b"\0" + noise)
        assert word in finder.in_bytes(noise + b'"' + json.dumps(word)[1:-1].encode() + b'"' + noise)


@pytest.mark.parametrize(
    ("data", "is_found"),
    [
        (b"8b2786ed-c7cc-4cce-a3ef-1a180404eaff", False),  # a run's, which is random
        (b"runs/8b2786ed-c7cc-4cce-a3ef-1a180404eaff.db", False),
        (b"\x53b2786e-c7cc-4cce-a3ef-1a180404eaff", True),  # no whole UUID
        (b"00b2786e-c7cc-4cce-a3ef-1a180404eaff [b2786e]", True),
        (b"A1a18b2786ed", False),
        (b"Kb2786e", True),
        (b"K1a180404-c7cc-4cce-a3ef-b2786eb2786e", True),  # a whole group of it is of the erased
    ],
)
def test_no_part_of_a_uuid_is_a_word(data: bytes, is_found: bool) -> None:
    assert bool(Finder({"b2786e", "1a180404"}).in_bytes(data)) == is_found


SAID = "So it was not to be, on Monday; and we went home."


@pytest.mark.parametrize(
    ("text", "phrases"),
    [
        ("We go to it", set()),
        ("We go to it now", {"we go to it now"}),
        ("we   GO\tto\n> it, 12 a now", {"we go to it now"}),
        ('["we go\\nto it now"]', {"we go nto it now", "we go to it now"}),
        ("für uns wäre es so", {"für uns wäre es so"}),
        ('"f\\u00fcr uns w\\u00e4re es so"', {"für uns wäre es so"}),
    ],
)
def test_which_phrases_can_be_looked_for(text: str, phrases: set[str]) -> None:
    assert phrases <= phrases_in(text) and bool(phrases) == bool(phrases_in(text))


@pytest.mark.parametrize(
    ("data", "is_found"),
    [
        (SAID.encode(), True),
        (json.dumps({"a": SAID.replace(" ", "\n")}).encode(), True),
        (json.dumps(json.dumps(SAID.replace(" ", "\n"))).encode(), True),
        (b"A" + b"it was not to be" + b"K", True),  # lengths stand beside it
        (b"it was not to bed", False),  # somebody else's word
        (b"it was not too bad to be", False),
        (b"it was to be", False),
    ],
)
def test_a_phrase_is_found_however_it_is_written(data: bytes, is_found: bool) -> None:
    assert bool(Finder(phrases_in(SAID), {"bed"}).in_bytes(data)) == is_found


LETTERS = st.text("aeähß ", min_size=20, max_size=60)


@given(LETTERS, st.binary(max_size=200), st.sampled_from(["\n", "  ", "\t", ", "]))
def test_no_phrase_is_missed_in_any_bytes(text: str, noise: bytes, space: str) -> None:
    phrases, written = phrases_in(text), text.replace(" ", space)
    finder = Finder(phrases)
    for stored in (written.encode(), json.dumps(written).encode(), json.dumps([json.dumps(written)]).encode()):
        assert finder.in_bytes(noise + b"\0" + stored + b"\0" + noise) >= phrases


@given(LETTERS, LETTERS, LETTERS)
def test_a_text_without_terms_has_none_of_them(text: str, before: str, behind: str) -> None:
    terms = terms_in(text)
    for whole in (f"{before}. {text}. {behind}", json.dumps({"a": f"{before} {text}", "b": [behind]})):
        assert not has_terms(redacted(whole, terms), terms)
        assert not Finder(terms).in_bytes(redacted(whole, terms).encode())


def test_of_a_text_only_the_phrases_go() -> None:
    assert without_terms(f"Yes. {SAID} Ann came.", phrases_in(SAID)) == f"Yes. {MARK}. Ann came."
    assert len(phrases_in(SAID)) == len(SAID.split()) - PHRASE + 1


@given(LETTERS, LETTERS, LETTERS)
def test_what_is_json_stays_json(text: str, before: str, behind: str) -> None:
    terms = terms_in(text)
    for said in ([{"text": f"{before} {text}", "at": None}], {"a": before, "b": [text, behind]}):
        less = changed_properties({"entries": json.dumps(said, ensure_ascii=False)}, terms)
        if terms:
            assert type(json.loads(less["entries"])) is type(said) and not has_terms(less["entries"], terms)


def test_of_json_only_the_values_with_a_term_change() -> None:
    said = [{"ref": "1", "text": SAID, "tokens": 9}, {"ref": "2", "text": "Ann came."}]
    less = changed_properties({"entries": json.dumps(said)}, phrases_in(SAID))
    assert json.loads(less["entries"]) == [said[0] | {"text": f"{MARK}."}, said[1]]


def test_files_are_searched_across_the_borders_of_what_is_read_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("memory_assets.erasure.searching.CHUNK", 600)
    (tmp_path / "inbox").mkdir()
    for name in ("a.bin", "inbox/b.bin"):
        (tmp_path / name).write_bytes(b"." * 595 + b"marmalade" + b"." * 3000)
    found = search(files_in(tmp_path, without=[tmp_path / "inbox"]), Finder({"marmalade"}))
    assert counts_by_file(found, tmp_path) == {"a.bin": 1}


def test_a_file_that_is_called_by_an_erased_word_is_found(tmp_path: Path) -> None:
    (tmp_path / "marmalade.lock").touch()
    assert counts_by_file(search(files_in(tmp_path), Finder({"marmalade"})), tmp_path) == {"marmalade.lock": 1}


DOOR = Door("key").with_names(["Ben Keller", "Ben", "ben@example.org"])


@pytest.mark.parametrize(
    ("text", "after"),
    [
        ("I met Ben Keller's dog.", f"I met {MARK}'s dog."),
        ("BEN, ben@example.org", f"{MARK}, {MARK}"),
        ("Benedict Kellermann", "Benedict Kellermann"),
        ("Keller alone stays", "Keller alone stays"),
    ],
)
def test_names_become_the_mark(text: str, after: str) -> None:
    assert DOOR.redacted(text) == after
    assert DOOR.redacted(after) == after


def test_nobody_reads_a_name_off_a_digest() -> None:
    assert not any("ben" in digest for digest in DOOR.names)
    assert Door("other").with_names(["Ben"]).names.isdisjoint(DOOR.names)


def conversation(*lines: tuple[str, str]) -> RawSource:
    raw = "\n".join(
        json.dumps({"role": "user", "name": name, "content": text, "timestamp": f"2026-10-01T09:0{at}:00Z"})
        for at, (name, text) in enumerate(lines)
    )
    return RawSource(SourceType.CONVERSATION, lines[0][1][:40], raw, participants=tuple(sorted({n for n, _ in lines})))


def test_what_an_erased_person_says_goes_and_what_others_say_stays() -> None:
    source = conversation(
        ("Ben Keller", "My boiler broke.\nYes."), ("Nora Field", "Ben, call the plumber."), ("Nora Field", "Yes.")
    )
    after = redacted_source(source, DOOR)
    assert "boiler" not in after.raw_content + after.title
    assert after.participants == ("Nora Field", MARK)
    turns = [(turn.speaker, turn.text) for turn in clean("conversation", after.raw_content).turns]
    assert (("Nora Field", f"{MARK}, call the plumber.")) in turns
    assert redacted_source(after, DOOR) == after
    assert redacted_source(source, Door("key")) is source


def test_a_source_in_which_nobody_else_speaks_goes_as_a_whole() -> None:
    with pytest.raises(ErasedError):
        redacted_source(conversation(("Ben Keller", "My boiler broke.")), DOOR)


@pytest.mark.parametrize("stopped", ["while copying", "between the two renames", "before the old one went"])
def test_a_stop_leaves_one_whole_database(tmp_path: Path, stopped: str) -> None:
    current, fresh, old = tmp_path / "databases" / "memory", tmp_path / "fresh", tmp_path / "old"
    for folder, has in {
        current: stopped != "between the two renames",
        fresh: stopped != "before the old one went",
        old: stopped != "while copying",
    }.items():
        if has:
            folder.mkdir(parents=True)
            (folder / "of").write_text(folder.name)
    current.parent.mkdir(exist_ok=True)
    fresh_copy.recover(tmp_path)
    assert (current / "of").read_text() == ("old" if stopped == "between the two renames" else "memory")
    assert not fresh.exists() and not old.exists()
