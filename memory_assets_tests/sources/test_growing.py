"""Conversations that grow, or come in several files: one source each, whatever came first."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from itertools import permutations
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory_assets.clock import Clock
from memory_assets.graph.export import export_user
from memory_assets.graph.graph import Graph
from memory_assets.sources import source_rows
from memory_assets.sources.formats import conversation, merge
from memory_assets.sources.formats.streams import plain_lines, unite_lines
from memory_assets.sources.ingest import ingest_paths
from memory_assets_tests.sources.exports import DAY, claude, claude_message, code, forked, read, said

QUICK = settings(max_examples=150)
CLOCK = Clock(datetime(2026, 11, 20, 12, tzinfo=UTC))


def message(content: str, minute: int | None = None, **more: object) -> str:
    stamp = {} if minute is None else {"timestamp": f"2026-10-05T09:{minute:02d}:00Z"}
    return json.dumps({"role": "user", "content": content, **stamp, **more})


LINES = [message(text, minute) for text in "abc" for minute in (None, 1, 2)]
texts = st.lists(st.sampled_from(LINES), max_size=7).map("\n".join)


def test_a_title_with_a_secret_in_it_is_the_same_in_whatever_pieces_it_came() -> None:
    lines = [
        message(
            "Please remember that my password is hunter2xyz9 and that I always want dates in ISO format",
            1,
            conversation_id="c9",
        ),
        message("hunter2xyz9 works", 2, conversation_id="c9"),
    ]

    def row(text: str) -> dict:
        (source,), _ = read(text, "x.jsonl")
        return source_rows.source_row(source, owner="u", path="p", now=CLOCK.now())

    whole, piece = row("\n".join(lines)), row(lines[0])
    united = merge("conversation", piece["raw_content"], whole["raw_content"])
    grown = source_rows.grown_row(whole, united, piece["content_hash"])
    assert (grown["title"], grown["raw_content"]) == (whole["title"], whole["raw_content"])
    assert "[masked: password]" in whole["title"]


@QUICK
@given(texts, texts, texts)
def test_union_is_commutative_associative_and_idempotent(a: str, b: str, c: str) -> None:
    unite = conversation.merge
    assert unite(a, b) == unite(b, a)
    assert unite(unite(a, b), c) == unite(a, unite(b, c))
    assert unite(a, a) == a and unite(unite(a, b), b) == unite(a, b)


@QUICK
@given(st.lists(st.sampled_from(LINES), max_size=9), st.integers(0, 9))
def test_a_file_that_has_grown_gives_just_itself(lines: list[str], cut: int) -> None:
    whole = "\n".join(lines)
    assert conversation.merge("\n".join(lines[:cut]), whole) == whole


@QUICK
@given(texts, texts)
def test_no_line_is_lost(a: str, b: str) -> None:
    united = plain_lines(conversation.merge(a, b))
    for text in (a, b):
        for line in set(text.split("\n")) - {""}:
            assert united.count(line) >= text.split("\n").count(line)


def test_pieces_are_put_together_by_their_times() -> None:
    pieces = [
        "\n".join([message("b", 2), message("d", 4)]),
        "\n".join([message("a", 1), message("c", 3), message("e", 5)]),
    ]
    united = conversation.merge(*pieces)
    assert [json.loads(line)["content"] for line in plain_lines(united)] == list("abcde")
    assert [text for _, text in ((t.speaker, t.text) for t in conversation.clean(united).turns)] == list("abcde")


def test_lines_without_times_keep_the_order_that_any_file_gives_them() -> None:
    assert plain_lines(unite_lines("a\nb\nc", "a\nb\nc\nd", lambda line: None)) == list("abcd")


def test_a_timed_beginning_is_an_identity_and_a_mere_day_is_none() -> None:
    timed, untimed, day = (
        read(text, "x.jsonl")[0][0].key
        for text in (message("hi", 1), message("hi"), message("hi", timestamp="2026-10-05"))
    )
    assert timed is not None and timed.startswith("start/") and untimed is None and day is None
    assert read(message("hi", 1) + "\n" + message("more"), "x.jsonl")[0][0].key == timed
    assert read(message("hi", 2), "x.jsonl")[0][0].key != timed


def test_a_large_file_hands_each_conversation_on_with_its_last_line() -> None:
    lines = [
        json.dumps({"role": "user", "content": "word " * 1000, "conversation_id": f"c{n // 10 if n < 1990 else 0}"})
        for n in range(2000)
    ]
    sources, errors = read("\n".join(lines), "x.jsonl")
    assert errors == [] and len(sources) == 199
    assert [source.conversation_id for source in sources[:2]] == ["c1", "c2"] and sources[-1].conversation_id == "c0"
    assert sum(len(source.raw_content.split("\n")) for source in sources) == 2000


def ingest(graph: Graph, user: str, *paths: Path):  # type: ignore[no-untyped-def]
    return ingest_paths(graph, user, paths, None, CLOCK)


def exported(graph: Graph, user: str) -> list[str]:
    """All sources of a user as a canonical export shows them, the owner's name aside."""
    rows = [json.dumps(row, sort_keys=True) for row in export_user(graph, user, canonical=True)]
    keys = (
        "title",
        "raw_content",
        "started_at",
        "ended_at",
        "participants",
        "owner_speaker",
        "conversation_id",
        "content_hash",
    )
    found = [json.loads(row)["properties"] for row in rows if '"Source"' in row]
    return sorted(json.dumps({key: row.get(key) for key in keys}) for row in found)


def write_parts(root: Path) -> list[Path]:
    """Three files for each way in which a conversation can grow."""
    early = forked(current="x1", update_time=DAY + 70)
    del early["mapping"]["u3"], early["mapping"]["a2"]
    messages = [claude_message(str(n), "human" if n % 2 else "assistant", f"m{n}", n) for n in range(1, 5)]
    session = [
        code(
            "user" if n % 2 else "assistant",
            [{"type": "text", "text": f"t{n}"}],
            f"n{n}",
            f"n{n - 1}" if n else None,
            n,
        )
        for n in range(1, 5)
    ]
    chat = [message(text, minute, conversation_id="k") for minute, text in enumerate("pqrs")]
    own = [message(text, minute) for minute, text in enumerate("wxyz", start=10)]
    belief = {"record": "belief", "agent": "Harbor", "at": "2026-10-05T09:00:00Z"}
    beliefs = [json.dumps(belief | {"text": f"Belief {n}."}) for n in range(4)]
    contents = [
        (json.dumps([early, claude("k", messages[:2])]), session[:2], chat[:2], own[:2], beliefs[:2]),
        (json.dumps([forked()]), session, chat[2:], own[:3], beliefs[1:3]),
        (json.dumps([claude("k", messages, updated_at=(
            "2025-10-02T00:00:00Z"
        ))]), session[1:3], chat[1:3], own, beliefs[2:]),
    ]  # fmt: skip
    folders = []
    for number, (export, *rest) in enumerate(contents):
        folder = root / f"part-{number}"
        folder.mkdir(parents=True)
        (folder / "conversations.json").write_text(export)
        for name, lines in zip(("session", "chat", "own", "beliefs"), rest, strict=True):
            (folder / f"{name}.jsonl").write_text("\n".join(lines) + "\n")
        folders.append(folder)
    return folders


@pytest.mark.graph
def test_what_grows_is_one_source_in_any_order(graph: Graph, user: str, tmp_path: Path) -> None:
    folders = write_parts(tmp_path)
    # The first export holds a conversation of each maker: two files, since a file is of one format.
    mixed = json.loads((folders[0] / "conversations.json").read_text())
    (folders[0] / "conversations.json").write_text(json.dumps(mixed[:1]))
    (folders[0] / "claude.json").write_text(json.dumps(mixed[1:]))
    wanted: list[str] | None = None
    for number, order in enumerate(permutations(folders)):
        owner = f"{user}-{number}"
        for folder in order:
            report = ingest(graph, owner, folder)
            assert report.set_aside == [] and report.line_errors == []
        again = ingest(graph, owner, *order)
        assert (again.new, again.sources) == (0, 7)
        found = exported(graph, owner)
        wanted = wanted or found
        assert found == wanted
    raw = [json.loads(row) for row in wanted or []]
    texts = {row["title"]: row["raw_content"] for row in raw}
    assert len(raw) == 7  # two branches of ChatGPT's, one of each other
    assert [text for text in "pqrs" if f'"{text}"' in texts["p"]] == list("pqrs")
    assert [text for text in "wxyz" if f'"{text}"' in texts["w"]] == list("wxyz")


@pytest.mark.graph
def test_a_file_that_grows_in_place_stays_one_source(graph: Graph, user: str, tmp_path: Path) -> None:
    path = tmp_path / "chat.jsonl"
    path.write_text(message("first", 1) + "\n")
    assert ingest(graph, user, path).new == 1
    with path.open("a") as stream:
        stream.write(
            json.dumps({"role": "assistant", "name": "Bot", "content": "second", "timestamp": "2026-10-05T09:30:00Z"})
            + "\n"
        )
    report = ingest(graph, user, path)
    assert (report.new, report.sources) == (0, 1)
    (row,) = [json.loads(row) for row in exported(graph, user)]
    assert (row["participants"], row["owner_speaker"], row["ended_at"]) == (
        ["Bot", "user"],
        "user",
        "2026-10-05T09:30:00.000Z",
    )


def test_reading_says_nothing_of_a_conversation_twice() -> None:
    (source,), _ = read("\n".join([message("a", 1), message("a", 1), message("b", 2)]), "x.jsonl")
    assert said(source) == [("user", "a"), ("user", "a"), ("user", "b")]
