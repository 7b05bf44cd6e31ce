"""Codex's transcripts: one source per session, tools folded, what the program adds nobody's words."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory_assets.sources.following import Followed, follow, session_in
from memory_assets.sources.formats import codex as format_of_codex
from memory_assets.sources.formats import recognise
from memory_assets.text.injected import mark_injected
from memory_assets_tests.sources.exports import codex, codex_message, codex_meta, read, said

PATCH = (
    "*** Begin Patch\n*** Update File: src/timer.py\n@@\n-60\n+61\n*** Add File: notes.md\n+It drifts.\n*** End Patch\n"
)
SUMMARY = "The timer drifts by a minute a day."


def ran(output: object, call: str = "c1", kind: str = "function_call_output") -> str:
    return codex({"type": kind, "call_id": call, "output": output}, 3)


def called(name: str, arguments: dict, call: str = "c1", **more: str) -> str:
    return codex(
        {"type": "function_call", "name": name, "arguments": json.dumps(arguments), "call_id": call, **more}, 2
    )


SESSION = [
    codex_meta(),
    codex_message("developer", "Skills: none.", kind="skills"),
    codex_message("user", "<environment_context>\n  <cwd>/x</cwd>\n</environment_context>"),
    codex_message("user", "The harness says this.", kind="environments.environment_context"),
    codex({"type": "item_completed", "item": {"type": "UserMessage", "content": []}}, kind="event_msg"),
    codex_message("user", "Why does the timer drift?", 1, "user.text", "m1"),
    codex_message("developer", mark_injected("Ada keeps bees."), 1, "hooks.additional_context"),
    codex({"type": "reasoning", "summary": [{"type": "summary_text", "text": "private"}]}, 1),
    codex_message("assistant", "I will look.", 1),
    called("exec_command", {"cmd": "grep -rn drift src"}),
    ran("Chunk ID: 3\nWall time: 0.1 seconds\nProcess exited with code 0\nOutput:\nsrc/a.py:3\nb:9\n"),
    codex({"type": "custom_tool_call", "name": "apply_patch", "input": PATCH, "call_id": "c2"}, 3),
    ran("Exit code: 0\nWall time: 0 seconds\nOutput:\nSuccess.\n", "c2", "custom_tool_call_output"),
    codex_message("assistant", "It adds a minute a day.", 4),
]  # fmt: skip


def test_a_session_is_a_source_with_its_tools_folded() -> None:
    (source,), errors = read("\n".join(SESSION), "rollout.jsonl")
    assert errors == []
    assert said(source) == [
        ("user", "Why does the timer drift?"),
        ("assistant", "I will look."),
        (
            "assistant",
            "[exec_command: grep -rn drift src]\n[exec_command gave: src/a.py:3 b:9 (2 lines)]\n"
            "[apply_patch: src/timer.py, notes.md]\n[apply_patch gave: Success.]\nIt adds a minute a day.",
        ),
    ]
    assert (source.title, source.key) == ("Why does the timer drift?", "codex/s1/session")
    assert (source.conversation_id, source.owner_speaker, source.folder) == ("s1", "user", "/home/mara/garden")
    assert source.started_at is not None and source.started_at.minute == 1
    assert all(line in source.raw_content for line in SESSION)


TOOLS = {
    "a command that failed": (
        [
            called("exec_command", {"cmd": "make"}),
            ran(f"Process exited with code 2\nOutput:\n{'at a place ' * 9}\nNo module named pyvalves\n"),
        ],
        "[exec_command: make]\n[exec_command failed: at a place at a place at a place at a place at a place at a place "
        "at a place… No module named pyvalves (2 lines)]",
    ),
    "one of an older version": (
        [
            called("shell", {"command": ["bash", "-lc", "make"]}),
            ran(json.dumps({"output": "no rule\n", "metadata": {"exit_code": 2}})),
        ],
        "[shell: bash -lc make]\n[shell failed: no rule]",
    ),
    "a shell of the model's own": (
        [codex({"type": "local_shell_call", "call_id": "c1", "action": {"command": ["ls", "-l"]}})],
        "[shell: ls -l]",
    ),
    "a search": (
        [codex({"type": "web_search_call", "action": {"query": "compost heat"}})],
        "[web_search: compost heat]",
    ),
    "this memory, from within a program": (
        [
            codex(
                {
                    "type": "custom_tool_call",
                    "name": "exec",
                    "input": 'text(await tools.mcp__memory_assets__open({references: ["328133979"]}))',
                    "call_id": "c1",
                }
            ),
            ran("Script completed\nWall time 0.2 seconds\nOutput:\n" + json.dumps(mark_injected("Ada keeps bees."))),
        ],
        "[mcp__memory_assets__exec]\n[mcp__memory_assets__exec gave: nothing]",
    ),
    "a patch from within a program": (
        [
            codex(
                {"type": "custom_tool_call", "name": "exec", "input": f"await tools.patch(`{PATCH}`)", "call_id": "c1"}
            )
        ],
        "[apply_patch: src/timer.py, notes.md]",
    ),
    "a command's own words": (
        [called("look", {}), ran("Process list:\nnginx")],
        "[look]\n[look gave: Process list: nginx (2 lines)]",
    ),
    "JSON of its own": (
        [called("look", {}), ran('{"output": {"rows": 3}}')],
        '[look]\n[look gave: {"output": {"rows": 3}}]',
    ),
    "a folder beside the command": (
        [called("exec_command", {"workdir": "/x", "cmd": "make"})],
        "[exec_command: make]",
    ),
    "odd types": ([codex({"type": ["x"]}), json.dumps({"type": ["x"], "payload": {}, "timestamp": 1})], ""),
    "this memory": (
        [
            called("recall", {"question": "Who keeps bees?"}, namespace="mcp__memory_assets"),
            ran([{"type": "input_text", "text": mark_injected("Ada keeps bees.")}]),
        ],
        "[mcp__memory_assets__recall]\n[mcp__memory_assets__recall gave: nothing]",
    ),
    "a result of pieces": (
        [called("look", {}), ran([{"type": "input_text", "text": "One"}, {"type": "input_image"}, 7])],
        "[look]\n[look gave: One]",
    ),
    "a turn that was ended": ([codex({"type": "turn_aborted"}, kind="event_msg")], "[interrupted]"),
    "an odd call": ([codex({"type": "function_call", "name": 7, "arguments": "no JSON"})], "[tool: no JSON]"),
}


@pytest.mark.parametrize("name", TOOLS)
def test_tools_are_a_line_each(name: str) -> None:
    lines, shown = TOOLS[name]
    (source,), _ = read("\n".join([codex_meta(), codex_message("user", "Look"), *lines]), "x.jsonl")
    assert said(source) == [("user", "Look"), *([("assistant", shown)] if shown else [])]


ASKED = {
    "in an editor": "# Context from my IDE setup:\n\n## Active file: src/a.py\n\n## My request for Codex:\nLook\n",
    "with files": "# Files mentioned by the user:\n\n## a.py: /x/a.py\n\n## My request for Codex:\nLook",
    "as it is": "Look",
}
NOBODYS = (
    "# AGENTS.md instructions\n\nBe brief.",
    "<image name=[Image #1]>",
    "[image]",
    "</image>",
    ASKED["in an editor"][:60],
)


@pytest.mark.parametrize("text", ASKED.values(), ids=ASKED)
def test_what_is_sent_along_with_a_request_is_nobodys_words(text: str) -> None:
    lines = [codex_meta(), *(codex_message("user", one) for one in NOBODYS), codex_message("user", text)]
    (source,), _ = read("\n".join(lines), "x.jsonl")
    assert said(source) == [("user", "Look")]


def test_the_summary_of_a_session_is_nobodys_words() -> None:
    lines = [
        codex_meta(),
        codex_message("user", "Look"),
        codex_message("assistant", "Done."),
        codex_message("assistant", SUMMARY),
        codex({"type": "token_count"}, kind="event_msg"),
        codex({"message": f"Another model has begun:\n{SUMMARY}", "replacement_history": [{}]}, kind="compacted"),
        codex_message("user", "Go on"),
    ]
    (source,), _ = read("\n".join(lines), "x.jsonl")
    assert said(source) == [
        ("user", "Look"),
        ("assistant", "Done."),
        ("assistant", "[the session so far was summarised]"),
        ("user", "Go on"),
    ]


@pytest.mark.parametrize("source", ["cli", "vscode", {"custom": "chatgpt"}])
def test_a_session_may_be_begun_anywhere(source: object) -> None:
    (found,), _ = read("\n".join([codex_meta(source=source), codex_message("user", "Look")]), "x.jsonl")
    assert said(found) == [("user", "Look")] and found.key == "codex/s1/session"


def test_a_sub_agents_prompt_is_nobodys_own() -> None:
    lines = [codex_meta(source={"subagent": {"thread_spawn": {}}}), codex_message("user", "Find all timers")]
    (source,), _ = read("\n".join(lines), "x.jsonl")
    assert said(source) == [("assistant", "Find all timers")]
    assert source.owner_speaker is None and source.title == "Sub-agent: Find all timers"


def test_a_session_in_which_nobody_said_anything_is_no_source_and_a_broken_line_costs_itself() -> None:
    assert read("\n".join(SESSION[:3]), "x.jsonl") == ([], [])
    (source,), errors = read("\n".join([*SESSION[:6], "{broken", "[1]"]), "x.jsonl")
    assert said(source) == [("user", "Why does the timer drift?")] and [error.line for error in errors] == [7, 8]


def test_every_part_of_a_long_session_knows_where_it_was() -> None:
    long = [codex_message("user", f"{number} {'beans ' * 9_000}") for number in range(40)]
    sources, errors = read("\n".join([codex_meta(), *long]), "x.jsonl")
    assert len(sources) > 1 and not errors
    assert {source.folder for source in sources} == {"/home/mara/garden"}
    assert [source.key for source in sources][:2] == ["codex/s1/session", "codex/s1/session/part 2"]


@pytest.mark.parametrize("line", [SESSION[0], SESSION[5], SESSION[10], SESSION[0] + "x" * 70_000])
def test_a_transcript_is_known_by_any_of_its_lines(line: str) -> None:
    assert recognise(line.encode()[:65_536], "notes.txt") is format_of_codex.FORMAT


CUT = codex({"message": "x\nDone."}, kind="compacted")
parts = st.lists(st.sampled_from([*SESSION, codex_message("assistant", "Done."), CUT])).map(
    lambda lines: "\n".join([json.dumps({"export": "codex", "session": "s1", "kind": "session"}), *lines])
)


@settings(max_examples=60)
@given(parts, parts, parts)
def test_union_is_commutative_associative_and_idempotent(a: str, b: str, c: str) -> None:
    unite = format_of_codex.merge
    assert unite(a, b) == unite(b, a)
    assert unite(unite(a, b), c) == unite(a, unite(b, c))
    assert unite(unite(a, b), b) == unite(a, b)


def written(path: Path, *lines: str) -> str:
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return str(path)


def test_what_is_new_in_it_is_followed(tmp_path: Path) -> None:
    path = written(tmp_path / "rollout.jsonl", *SESSION[:9])
    first = follow(path, "s1")
    assert [turn["content"] for turn in first.turns] == ["Why does the timer drift?", "I will look."]
    written(tmp_path / "rollout.jsonl", *SESSION)
    more = follow(path, "s1", first.end)
    assert [turn["role"] for turn in more.turns] == ["tool", "tool", "tool", "tool", "assistant"]
    assert more.turns[2]["given"].startswith("src/timer.py") and more.turns[1]["gave"] == "src/a.py:3\nb:9\n"
    assert session_in(path) == "s1"
    other = written(tmp_path / "other.jsonl", *SESSION, codex_message("user", "y" * 5_000))
    assert follow(other, "s2", 7) == Followed([], 7), "it does not move the place in the session's own file"
    sub_agents = written(tmp_path / "sub.jsonl", codex_meta(thread_source="subagent"), *SESSION[1:])
    assert follow(sub_agents, "s1", 7) == Followed([], 7)


def test_each_line_has_an_id_of_its_own_whenever_it_is_read() -> None:
    twice = [*SESSION, codex_message("assistant", "It does.", 5), codex_message("assistant", "It does not.", 5)]
    ids = [line.id for line in format_of_codex.follow(twice, "s1") if line.said.text]
    assert len(set(ids)) == len(ids) == 9
    assert ids[-3:] == [line.id for line in format_of_codex.follow(twice[-3:], "s1")]
