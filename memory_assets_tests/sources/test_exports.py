"""ChatGPT's and Claude's exports: the shown branch, abandoned ones apart, what a person saw; hostile ones too."""

from __future__ import annotations

import io
import json
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory_assets.errors import SourceUnreadableError
from memory_assets.sources.formats import chatgpt, claude, format_of, merge
from memory_assets.sources.formats.base import RawSource
from memory_assets.sources.formats.streams import objects
from memory_assets.sources.source_rows import source_id
from memory_assets_tests.sources import exports
from memory_assets_tests.sources.exports import (
    DAY,
    claude_message,
    forked,
    gpt,
    gpt_message,
    read,
    said,
)

QUICK = settings(max_examples=60)


def one(data: object) -> RawSource:
    (source,), errors = read(json.dumps(data))
    assert errors == []
    return source


# --- ChatGPT


def test_the_shown_branch_comes_first_and_an_abandoned_one_is_apart() -> None:
    (shown, abandoned), errors = read(json.dumps([forked()]))
    assert errors == []
    assert said(shown) == [
        ("user", (
            "When do I plant garlic?"
        )), ("assistant", "In October."), ("user", "And onions?"), ("assistant", "In March."),
    ]  # fmt: skip
    assert said(abandoned) == [("user", "And onions in clay?"), ("assistant", "Onions hate clay.")]
    assert (shown.title, abandoned.title) == ("Garden plan", "Garden plan (abandoned branch: And onions in clay?)")
    assert shown.started_at == datetime.fromtimestamp(DAY + 1, UTC)
    assert abandoned.started_at == datetime.fromtimestamp(DAY + 60, UTC)
    assert shown.ended_at == datetime.fromtimestamp(DAY + 105, UTC)
    assert shown.participants == abandoned.participants == ("assistant", "user")
    assert (shown.owner_speaker, shown.conversation_id, abandoned.conversation_id) == ("user", "c1", "c1")
    assert (shown.key, abandoned.key) == ("chatgpt/c1", "chatgpt/c1/branch u2")
    assert (shown.provenance["branch"], abandoned.provenance["branch"]) == ("shown", "abandoned")


def test_forks_within_an_abandoned_branch_are_in_one_source_each() -> None:
    nodes = {"r": (None, gpt_message("user", "r")), "a": ("r", gpt_message("assistant", "a"))}
    nodes |= {name: (parent, gpt_message("assistant", name)) for name, parent in ("br", "cb", "db", "ec", "fd")}
    sources, _ = read(json.dumps([gpt("c", nodes, "a")]))
    assert [[text for _, text in said(source)] for source in sources] == [["r", "a"], ["b", "c", "e"], ["d", "f"]]


SEEN = {
    "hidden": (gpt_message("user", "x", metadata={"is_visually_hidden_from_conversation": True}), []),
    "weight 0": (gpt_message("assistant", "x", weight=0), []),
    "system": (gpt_message("system", "You are a gardener."), []),
    "thoughts": (
        gpt_message("assistant", kind="thoughts", content={"content_type": "thoughts", "thoughts": [{"content": "x"}]}),
        [],
    ),
    "recap": (gpt_message("assistant", content={"content_type": "reasoning_recap", "content": "Thought for 3 s"}), []),
    "custom instructions": (
        gpt_message("user", content={"content_type": ("user_editable_context"), "user_profile": "x"}),
        [],
    ),
    "memory": (
        gpt_message("assistant", content={"content_type": ("model_editable_context"), "model_set_context": "x"}),
        [],
    ),
    "no content": (gpt_message("assistant", content=None), []),
    "empty parts": (gpt_message("assistant", ""), []),
    "null part": (gpt_message("user", None, "words"), [("user", "words")]),
    "picture": (
        gpt_message(
            "user",
            {"content_type": ("image_asset_pointer"), "asset_pointer": "file-service://1"},
            "What is it?",
            kind="multimodal_text",
            metadata={"attachments": [{"name": "leaf.png", "mime_type": "image/png"}]},
        ),
        [("user", "[image]\nWhat is it?")],
    ),
    "file": (
        gpt_message(
            "user", "Read it.", metadata={"attachments": [{"name": "plan.pdf", "mime_type": "application/pdf"}]}
        ),
        [("user", "[file: plan.pdf]\nRead it.")],
    ),
    "spoken": (
        gpt_message("user", {"content_type": "audio_transcription", "text": "Said aloud."}, kind="multimodal_text"),
        [("user", "Said aloud.")],
    ),
    "a call": (
        gpt_message(
            "assistant",
            recipient="python",
            content={"content_type": "code", "language": "python", "text": "print(1)\nprint(2)"},
        ),
        [("assistant", "[python: print(1) print(2)]")],
    ),
    "spoken, with its recording": (
        gpt_message(
            "user",
            {"content_type": "audio_transcription", "text": "Said aloud."},
            {"content_type": "real_time_user_audio_video_asset_pointer"},
            kind="multimodal_text",
        ),
        [("user", "Said aloud.")],
    ),
    "a recording without words": (
        gpt_message("user", {"content_type": "audio_asset_pointer"}, kind="multimodal_text"),
        [("user", "[audio]")],
    ),
    "a call on the way of a thought": (
        gpt_message(
            "assistant", recipient="python", channel="analysis", content={"content_type": "code", "text": "1+1"}
        ),
        [("assistant", "[python: 1+1]")],
    ),
    "a thought in a channel": (gpt_message("assistant", "Let me see.", channel="analysis"), []),
    "a search": (
        gpt_message(
            "assistant", recipient="web.run", content={"content_type": "code", "text": ('{"query": "garlic frost"}')}
        ),
        [("assistant", "[web.run: garlic frost]")],
    ),
    "a result": (
        gpt_message("tool", name="python", content={"content_type": "execution_output", "text": "1\n2"}),
        [("assistant", "[python gave: 1 2 (2 lines)]")],
    ),
    ("code that was shown"): (
        gpt_message("assistant", content={"content_type": "code", "text": "x = 1"}),
        [("assistant", "x = 1")],
    ),
    ("a program's instructions in somebody's place"): (
        gpt_message("user", "Cite files.", metadata={"is_user_system_message": True}),
        [],
    ),
    "names and links between marks": (
        gpt_message(
            "assistant",
            'Ask \ue200entity\ue202["people","Ole \\"Kale\\" Berg","a gardener"]\ue201 '
            "or \ue200url\ue202the club\ue202https://x.org\ue201 \ue200cite\ue202turn0search1\ue201.",
        ),
        [("assistant", 'Ask Ole "Kale" Berg or the club.')],
    ),
    "marks of sources in files": (
        gpt_message("assistant", ("In October 【4:0†plan.pdf】.")),
        [("assistant", "In October.")],
    ),
    "citation marks": (
        gpt_message("assistant", ("In October\ue200cite\ue202turn0search1\ue201.")),
        [("assistant", "In October.")],
    ),
}


@pytest.mark.parametrize("name", SEEN)
def test_what_a_person_saw_stays(name: str) -> None:
    message, turns = SEEN[name]
    nodes = {"u": (None, gpt_message("user", "First")), "m": ("u", message)}
    assert said(one([gpt("c", nodes, "m")])) == [("user", "First"), *turns]


def test_tools_are_folded_into_the_answer_that_follows_them() -> None:
    nodes = {
        "u": (None, gpt_message("user", "Sum?")),
        "c": ("u", gpt_message("assistant", recipient="python", content={"content_type": "code", "text": "1+1"})),
        "r": ("c", gpt_message("tool", name="python", content={"content_type": "execution_output", "text": "2"})),
        "a": ("r", gpt_message("assistant", "Two.")),
    }
    assert said(one([gpt("c", nodes, "a")])) == [
        ("user", "Sum?"),
        ("assistant", "[python: 1+1]\n[python gave: 2]\nTwo."),
    ]


@pytest.mark.parametrize("created", [None, 0, "soon", {}, -5, 1e300])
def test_an_unknown_time_stays_unknown(created: object) -> None:
    source = one([gpt("c", {"u": (None, gpt_message("user", "Hi", at=None))}, "u", create_time=created)])
    assert (source.started_at, source.ended_at) == (None, None)


def test_the_day_of_a_conversation_whose_messages_have_none_is_its_own() -> None:
    source = one([gpt("c", {"u": (None, gpt_message("user", "Hi"))}, "u")])
    assert source.started_at == datetime.fromtimestamp(DAY, UTC)


@pytest.mark.parametrize("title", [None, "", 7, ["x"]])
def test_a_conversation_without_a_title_is_called_by_its_first_words(title: object) -> None:
    assert (
        one([gpt("c", {"u": (None, gpt_message("user", "Sow leeks\nnow"))}, "u", title=title)]).title == "Sow leeks now"
    )


@pytest.mark.parametrize("current", [None, "gone", 7, ["a2"]])
def test_without_a_current_message_the_newest_is_shown(current: object) -> None:
    (shown, abandoned), _ = read(json.dumps([forked(current=current)]))
    assert (said(shown)[-1][1], said(abandoned)[-1][1]) == ("In March.", "Onions hate clay.")


HOSTILE = {
    "circle": {"a": ("b", gpt_message("user", "a")), "b": ("a", gpt_message("assistant", "b"))},
    "itself": {"a": ("a", gpt_message("user", "a")), "b": (None, gpt_message("assistant", "b"))},
    "orphan": {"a": ("gone", gpt_message("user", "a")), "b": (None, gpt_message("assistant", "b"))},
    "circle apart": {
        "b": (None, gpt_message("assistant", "b")),
        "x": ("y", gpt_message("user", "a")),
        "y": ("x", gpt_message("user", "")),
    },
}


@pytest.mark.parametrize("name", HOSTILE)
def test_no_message_of_a_broken_tree_is_lost_or_told_twice(name: str) -> None:
    sources, errors = read(json.dumps([gpt("c", HOSTILE[name], "b")]))
    assert sorted(text for source in sources for _, text in said(source)) == ["a", "b"] and errors == []


def test_a_chain_of_ten_thousand_messages_and_as_many_branches() -> None:
    names = [f"n{number}" for number in range(10_000)]
    chain = {
        name: (names[n - 1] if n else None, gpt_message("user" if n % 2 else "assistant", name))
        for n, name in enumerate(names)
    }
    parts, _ = read(json.dumps([gpt("c", chain, names[-1])]))
    assert sum(len(said(part)) for part in parts) == 10_000
    assert len({part.key for part in parts}) == len(parts) == 3, "of more than two megabytes"
    fan = {"r": (None, gpt_message("user", "r"))} | {
        name: ("r", gpt_message("assistant", name)) for name in names[:2000]
    }
    sources, _ = read(json.dumps([gpt("c", fan, "n7")]))
    assert len(sources) == 2000 and len({source.key for source in sources}) == 2000


@pytest.mark.parametrize(
    "broken",
    [7, None, "text", [], {"title": "x"}, {"mapping": []}, {"mapping": 7}],
    ids=["number", "null", "text", "list", "no mapping", "mapping a list", "mapping a number"],
)
def test_a_broken_conversation_costs_that_one(broken: object) -> None:
    sources, errors = read(json.dumps([forked("a"), broken, forked("b")]))
    assert [source.conversation_id for source in sources] == ["a", "a", "b", "b"]
    assert [error.line for error in errors] == [2] or broken == []
    assert all("left out" in error.reason for error in errors)


def test_messages_of_a_wrong_type_cost_themselves() -> None:
    conversation = forked()
    conversation["mapping"]["a2"] = "nothing"
    conversation["mapping"]["odd"] = {"message": {"author": 7, "content": {"parts": 3}}, "parent": 9, "children": {}}
    sources, errors = read(json.dumps([conversation]))
    assert len(sources) == 2 and len(errors) == 1 and "'a2'" in errors[0].reason


@pytest.mark.parametrize(
    "damage",
    [lambda text: text.replace('"moderation_results": [], ', '"moderation_results": [, ', 1),
     lambda text: text.replace('"moderation_results": []', '"moderation_results": ]', 1),
     lambda text: text.replace('"mapping": {', '"mapping": {{', 1),
     lambda text: text.replace('"mapping": {', '"mapping": ', 1)],
    ids=["comma", "closed too early", "opened twice", "never opened"],
)  # fmt: skip
def test_broken_json_costs_that_conversation(damage) -> None:  # type: ignore[no-untyped-def]
    items = [json.dumps(forked(name)) for name in "abcd"]
    items[1] = damage(items[1])
    sources, errors = read("[" + ", ".join(items) + "]")
    assert [source.conversation_id for source in sources] == ["a", "a", "c", "c", "d", "d"]
    assert errors and all("was left out" in error.reason for error in errors)


def test_a_file_that_was_cut_keeps_what_is_whole() -> None:
    text = json.dumps([forked("a"), forked("b")])
    sources, errors = read(text[: text.rindex('"conversation_id"')])
    assert {source.conversation_id for source in sources} == {"a"} and "does not end" in errors[0].reason


@pytest.mark.parametrize(
    "wrap", [lambda c: [c], lambda c: c, lambda c: {"conversations": [c]}], ids=["list", "single", "wrapped"]
)
def test_an_export_is_a_list_or_one_conversation(wrap) -> None:  # type: ignore[no-untyped-def]
    assert [source.key for source in read(json.dumps(wrap(forked())))[0]] == ["chatgpt/c1", "chatgpt/c1/branch u2"]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_an_export_in_any_marked_encoding(encoding: str) -> None:
    text = json.dumps([gpt("c", {"u": (None, gpt_message("user", "Kürbis \U0001f383"))}, "u")], ensure_ascii=False)
    (source,), _ = read(text.encode(encoding))
    assert said(source) == [("user", "Kürbis \U0001f383")]


def test_kind_conversation_finds_the_right_one_of_its_formats() -> None:
    for data in (json.dumps([forked()]), json.dumps([exports.claude("c", [claude_message("a", "human", "Hi", 1)])])):
        assert read(data, kind="conversation")[0][0].source_type == "conversation"
    assert len(read('{"role": "user", "content": "hi"}', kind="conversation")[0]) == 1


def test_an_export_in_which_nobody_says_anything_holds_nothing() -> None:
    assert read(json.dumps([exports.claude("c", []), gpt("c", {"r": (None, None)}, "r")]))[0] == []


# --- Claude

ROOT = "00000000-0000-4000-8000-000000000000"


def test_a_list_of_messages_is_a_conversation() -> None:
    messages = [
        claude_message("1", "human", "How hot is compost?", 1),
        claude_message("2", "assistant", "Sixty degrees.", 2),
        claude_message("3", "human", "Thanks", 3, text="other", content=[{"type": "text", "text": "Thanks"}]),
        claude_message("4", "assistant", "Old style", 4, content=None),
        claude_message("5", "human", "", 5, content=[]),
    ]
    source = one([exports.claude("c9", messages)])
    assert said(source) == [
        ("user", (
            "How hot is compost?"
        )), ("assistant", "Sixty degrees."), ("user", "Thanks"), ("assistant", "Old style"),
    ]  # fmt: skip
    assert (source.title, source.key, source.conversation_id) == ("Compost", "claude/c9", "c9")
    assert source.started_at == datetime(2025, 10, 1, 8, 1, tzinfo=UTC)
    assert (source.participants, source.owner_speaker) == (("assistant", "user"), "user")


@pytest.mark.parametrize("leaf", [None, "4"])
def test_claudes_branches_are_apart(leaf: str | None) -> None:
    messages = [
        claude_message("1", "human", "q", 1, ROOT), claude_message("2", "assistant", "a", 2, "1"),
        claude_message("3", "human", "old", 3, "2"), claude_message("4", "assistant", "old answer", 4, "3"),
        claude_message("5", "human", "new", 5, "2"), claude_message("6", "assistant", "new answer", 6, "5"),
    ]  # fmt: skip
    (shown, abandoned), _ = read(json.dumps([exports.claude("c", messages, current_leaf_message_uuid=leaf)]))
    branch, left = (
        (["old", "old answer"], ["new", "new answer"]) if leaf else (["new", "new answer"], ["old", "old answer"])
    )
    assert [text for _, text in said(shown)] == ["q", "a", *branch]
    assert [text for _, text in said(abandoned)] == left


def test_claudes_spoken_words_artifacts_and_thoughts_in_the_text() -> None:
    spoken = [{"type": "voice_note", "title": "Note", "text": "Said aloud."}]
    made = {"id": "p", "command": "create", "title": "The plan", "content": "# Plan"}
    old = (
        'Here: <antThinking>secret</antThinking><antArtifact identifier="p" type="text/markdown" title="The plan"># '
        "Plan</antArtifact>"
    )
    source = one(
        [
            exports.claude(
                "c",
                [
                    claude_message("1", "human", "", 1, content=spoken),
                    claude_message(
                        "2",
                        "assistant",
                        "",
                        2,
                        content=[
                            {"type": "tool_use", "name": "artifacts", "input": made},
                            {"type": "text", "text": "Done."},
                        ],
                    ),
                    claude_message("3", "assistant", old, 3),
                ],
            )
        ]
    )
    assert said(source) == [
        ("user", "Said aloud."),
        ("assistant", "[artifacts: The plan]\nDone."),
        ("assistant", "Here:\n[artifact: The plan]\n# Plan"),
    ]
    asked = one(
        [
            exports.claude(
                "d", [claude_message("1", "human", "What does <antThinking> mean? I saw it in your prompt.", 1)]
            )
        ]
    )
    assert said(asked) == [("user", "What does <antThinking> mean? I saw it in your prompt.")]


def test_claudes_tools_thoughts_and_files() -> None:
    blocks = [
        {"type": "thinking", "thinking": "secret thought"},
        {"type": "text", "text": "Let me look."},
        {"type": "tool_use", "name": "web_search", "input": {"query": "compost heat"}},
        {"type": "tool_result", "name": "web_search", "content": [{"type": "text", "text": "60 degrees\nand more"}]},
        {"type": "text", "text": "Sixty."},
    ]
    files = {
        "attachments": [{"file_name": "", "extracted_content": "a long paste"}],
        "files": [{"file_name": "heap.png"}],
    }
    source = one([exports.claude("c", [
        claude_message("1", "human", "See", 1, **files), claude_message("2", "assistant", "ignored", 2, content=blocks),
    ])])  # fmt: skip
    assert said(source) == [
        ("user", "[pasted text: a long paste]\n[file: heap.png]\nSee"),
        (
            "assistant",
            "[web_search: compost heat]\n[web_search gave: 60 degrees and more (2 lines)]\nLet me look.\nSixty.",
        ),
    ]
    assert "secret thought" in source.raw_content


@pytest.mark.parametrize(
    "messages", [[7, None], [{"sender": 3, "text": []}], [{"uuid": {}, "sender": "human", "text": "x"}]]
)
def test_claudes_messages_of_wrong_types_do_no_harm(messages: list) -> None:
    sources, errors = read(json.dumps([exports.claude("c", messages)]))
    assert len(sources) + len(errors) <= 1


# --- union


def test_a_later_export_adds_to_the_conversation_and_its_shown_branch_wins() -> None:
    early = forked(current="x1", update_time=DAY + 70)
    del early["mapping"]["u3"], early["mapping"]["a2"]
    late = forked(title="Garden plan, again")
    (first,), (second, _) = read(json.dumps([early]))[0], read(json.dumps([late]))[0]
    assert first.key == second.key and source_id("u", first) == source_id("u", second)
    united = merge("conversation", first.raw_content, second.raw_content)
    assert united == merge("conversation", second.raw_content, first.raw_content)
    described = format_of("conversation", united).describe(united)
    assert described.title == "Garden plan, again" and said(described) == said(second)


versions = st.builds(
    lambda chosen, current, updated: tree_raw(chosen, current, updated),
    st.sets(st.integers(0, 7)), st.integers(0, 7), st.integers(1, 3),
)  # fmt: skip


def tree_raw(chosen: set[int], current: int, updated: int) -> str:
    head = {
        "export": "chatgpt",
        "id": "c",
        "title": f"t{updated}",
        "created": 1.0,
        "updated": float(updated),
        "current": f"n{current}",
    }
    nodes = [
        {
            "id": f"n{n}",
            "parent": f"n{n // 2}" if n else None,
            "message": gpt_message("user", "x" * (n * updated % 5 + 1)),
        }
        for n in sorted(chosen)
    ]
    return "\n".join(json.dumps(row, ensure_ascii=False) for row in [head, *nodes])


@QUICK
@given(versions, versions, versions)
def test_union_is_commutative_associative_and_idempotent(a: str, b: str, c: str) -> None:
    unite = chatgpt.FORMAT.merge
    assert unite(a, b) == unite(b, a)
    assert unite(unite(a, b), c) == unite(a, unite(b, c))
    assert unite(unite(a, b), b) == unite(a, b) == unite(unite(a, b), unite(a, b))


@QUICK
@given(st.integers(0, 3), st.integers(1, 12))
def test_what_was_read_is_its_own_union(fork: int, length: int) -> None:
    nodes = {
        f"n{n}": (
            f"n{max(0, n - 1 - (fork if n == 5 else 0))}" if n else None,
            gpt_message("user", f"t{n}", at=DAY + n),
        )
        for n in range(length)
    }
    for source in read(json.dumps([gpt("c", nodes, f"n{length - 1}")]))[0]:
        assert chatgpt.FORMAT.merge(source.raw_content, source.raw_content) == source.raw_content


# --- the stream

json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=12,
)


@QUICK
@given(
    st.lists(st.dictionaries(st.text(max_size=5), json_values, max_size=4), max_size=6),
    st.booleans(),
    st.sampled_from([None, 1]),
)
def test_objects_are_cut_as_json_reads_them(items: list, ascii_only: bool, indent: int | None) -> None:
    data = json.dumps(items, ensure_ascii=ascii_only, indent=indent).encode("utf-8", "surrogatepass")
    assert [element.value for element in objects(io.BytesIO(data))] == items


@QUICK
@given(st.binary(max_size=60) | st.text(alphabet='[]{}",:\\ a1', max_size=60).map(str.encode))
def test_no_bytes_make_the_stream_fail(data: bytes) -> None:
    for element in objects(io.BytesIO(data)):
        assert element.reason is None or element.reason


def test_an_endless_conversation_is_given_up() -> None:
    items = ['{"a": "1", "b": "' + "x" * 3_000_000 + '"}', '{"a": 1, "b": 2}']
    found = list(objects(io.BytesIO(("[" + ",".join(items) + "]").encode()), limit=1 << 20))
    assert [element.value for element in found] == [None, {"a": 1, "b": 2}]


def write_export(path: Path, conversations: int) -> Path:
    """An export with twenty messages a conversation, written one at a time."""
    with path.open("w") as stream:
        for c in range(conversations):
            nodes = {
                f"{c}-{n}": (
                    f"{c}-{n - 1}" if n else None,
                    gpt_message("user" if n % 2 else "assistant", f"{c} {n} " + "word " * 100),
                )
                for n in range(20)
            }
            stream.write(("[" if c == 0 else ",") + json.dumps(gpt(f"c{c}", nodes, f"{c}-19")))
        stream.write("]")
    return path


# A process's own peak: what getrusage gives on Linux begins with that of the process which started it.
READ_ALL = """
import os, re, resource, sys
from memory_assets.sources.formats import recognise
from memory_assets.sources.formats.base import Document
with open(sys.argv[1], "rb") as stream:
    found = sum(1 for _ in recognise(stream.read(65536), "x").read(Document(stream, "x", int(sys.argv[2]))))
if os.path.exists("/proc/self/status"):
    print(found, re.search(r"VmHWM:\\s+(\\d+)", open("/proc/self/status").read())[1])
else:
    print(found, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
"""


def read_apart(path: Path) -> tuple[int, int]:
    """How many sources a process of its own finds, and the most memory that it had."""
    command = [sys.executable, "-c", READ_ALL, str(path), str(path.stat().st_size)]
    found, memory = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()
    return int(found), int(memory)


def test_memory_does_not_follow_the_size_of_an_export(tmp_path: Path) -> None:
    few, low = read_apart(write_export(tmp_path / "small.json", 100))  # 2,000 messages
    many, high = read_apart(write_export(tmp_path / "large.json", 1000))  # 20,000 messages, 17 MB
    assert (few, many) == (100, 1000)
    # The whole text alone would be 17 MB more, a third again; pages are counted coarsely on some machines.
    assert high < 1.25 * low, f"{low} kB for 2,000 messages, {high} kB for 20,000"


def test_neither_export_is_taken_for_anything_else() -> None:
    gpt_data, claude_data = json.dumps([forked()]).encode(), json.dumps([exports.claude("c", [])]).encode()
    assert (chatgpt.sniff(gpt_data, ""), chatgpt.sniff(claude_data, "")) == (0.97, 0)
    assert (claude.sniff(claude_data, ""), claude.sniff(gpt_data, "")) == (0.97, 0)
    with pytest.raises(SourceUnreadableError):
        read(json.dumps([{"id": 1, "messages": []}]))
