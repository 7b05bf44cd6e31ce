"""What an agent's event is, and what is done about it."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_assets.hooks import policy
from memory_assets.hooks.policy import Action, HookError, Shown
from memory_assets_tests.hooks import payloads
from memory_assets_tests.hooks.payloads import FOLDER, SESSION, event, prompted

INTERRUPTED = payloads.FAILED | {"is_interrupt": True}
FAILING = event("PostToolUse", tool_name="Bash", tool_response={"stdout": "", "stderr": "no valve", "exit_code": 1})


@pytest.mark.parametrize(
    ("payload", "action"),
    [
        (payloads.STARTED, Action.OPEN),
        (event("SessionStart", source="resume"), Action.OPEN),
        (payloads.COMPACTED, Action.RESUME),
        (event("SessionStart", source="clear"), Action.RESUME),
        (prompted("Why does the timer drift?"), Action.PROMPT),
        (prompted("  "), Action.NOTHING),
        (payloads.READ, Action.FILE),
        (event("PostToolUse", tool_name="Grep", tool_input={"file_path": "/x"}), Action.NOTHING),
        (payloads.PATCHED, Action.FILE),
        (payloads.RAN, Action.NOTHING),
        (payloads.RAN | {"tool_response": "done"}, Action.NOTHING),
        (FAILING, Action.ERROR),
        (payloads.FAILED, Action.ERROR),
        (INTERRUPTED, Action.NOTHING),
        (event("Stop", stop_hook_active=False), Action.FOLLOW),
        (event("PreCompact", trigger="auto"), Action.FOLLOW),
        (payloads.ENDED, Action.END),
        (payloads.MOVED, Action.PREFETCH),
        (payloads.CHANGED, Action.PREFETCH),
        (event("FileChanged"), Action.NOTHING),
        (event("SomethingNew"), Action.NOTHING),
    ],
)
def test_each_event_has_its_action(payload: dict[str, Any], action: Action) -> None:
    assert policy.read_event("claude-code", payload["hook_event_name"], payload).action is action


def test_an_event_says_what_it_is_about() -> None:
    read = policy.read_event("claude-code", "PostToolUse", payloads.READ)
    assert (read.session, read.folder, read.file, read.error) == (SESSION, FOLDER, "src/timer.py", "")
    assert "pyvalves" in policy.read_event("claude-code", "PostToolUseFailure", payloads.FAILED).error
    assert policy.read_event("claude-code", "PostToolUse", FAILING).error == "no valve"
    moved = policy.read_event("claude-code", "CwdChanged", payloads.MOVED)
    assert (moved.folder, moved.file) == (f"{FOLDER}/docs", "")
    assert policy.read_event("claude-code", "FileChanged", payloads.CHANGED).file == "src/timer.py"
    assert policy.read_event("codex", "PostToolUse", payloads.PATCHED).file == "src/timer.py"
    elsewhere = payloads.READ | {"cwd": "/home/mara/garden-old"}
    assert policy.read_event("claude-code", "PostToolUse", elsewhere).file == f"{FOLDER}/src/timer.py"


def test_what_is_no_event_is_refused() -> None:
    with pytest.raises(HookError, match="session_id"):
        policy.read_event("claude-code", "Stop", {})
    with pytest.raises(HookError, match="claude-code"):
        policy.read_event("clippy", "Stop", payloads.ENDED)


json_like = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=10), inner, max_size=3),
    max_leaves=6,
)


@given(
    st.sampled_from(["SessionStart", "UserPromptSubmit", "PostToolUse", "PostToolUseFailure", "Stop", "SessionEnd"]),
    st.dictionaries(
        st.sampled_from(["source", "prompt", "tool_name", "tool_input", "tool_response", "error", "cwd"]), json_like
    ),
)
def test_whatever_stands_in_an_event_it_is_read(name: str, more: dict[str, Any]) -> None:
    read = policy.read_event("claude-code", name, event(name) | more)
    assert read.action in Action and len(read.prompt) <= policy.LONGEST and len(read.error) <= policy.LONGEST


def test_where_it_was() -> None:
    turns = [
        ("user", "Mend the watering timer"),
        ("tool", "[Read: src/valve.py]"),
        ("tool", "[Edit: src/timer.py]"),
        ("tool", "[Bash failed: No module named pyvalves (3 lines)]"),
        ("assistant", "I have mended [Edit: src/other.py] it."),
        ("tool", "[Write: tests/test_timer.py]"),
        ("tool", "[Edit: src/timer.py]"),
        ("user", "Now the   tests"),
    ]
    said = [{"role": role, "content": content} for role, content in turns]
    decided, tasks = [{"ref": "000000001", "text": "Seconds,\nnot minutes."}], [{"ref": "000000002", "text": "x" * 400}]
    assert [row.line for row in policy.where_it_was(said, decided, tasks)] == [
        "- Began with: Mend the watering timer",
        "- Asked last: Now the tests",
        "- Files in flight: src/timer.py, tests/test_timer.py",
        "- Last error: Bash failed: No module named pyvalves (3 lines)",
        "- Decided: Seconds, not minutes. [000000001]",
        f"- Still to do: {'x' * 299}… [000000002]",
    ]
    assert policy.where_it_was([], decided, tasks) == []


def test_of_many_files_those_changed_last_are_in_flight_and_a_blank_prompt_asks_nothing() -> None:
    names = [*range(20), 3, 19]
    turns = [{"role": "tool", "content": f"[Edit: src/{name}.py]\n[Read: src/x.py]"} for name in names]
    asked = [{"role": "user", "content": content} for content in (" ", "Number the sails", "And the masts", "\n")]
    began, last, files = policy.where_it_was(iter([*asked, *turns]))
    assert (began.text, last.text) == ("Number the sails", "And the masts")
    assert files.text == ", ".join(f"src/{name}.py" for name in (19, 3, 18, 17, 16, 15, 14, 13))


def test_cited_is_what_the_assistant_names() -> None:
    turns = [
        {"role": "assistant", "content": "As said before [482915037], on Friday."},
        {"role": "user", "content": "And [111111111]?"},
    ]
    assert list(policy.cited_in(turns)) == ["482915037"]
    listed = [{"role": "assistant", "content": "[000000001, 000000002], 000000001; not 1234567890 or x000000003"}]
    assert list(policy.cited_in(listed)) == ["000000001", "000000002"]
    said = [{"role": "assistant", "content": "[482915037]", "at": f"2026-11-05T{hour}:00:00"} for hour in ("09", "08")]
    assert policy.cited_in(said) == {"482915037": AT - timedelta(hours=1)}, "a time without a zone is of UTC"


def test_a_call_cites_but_not_one_that_asks_the_memory() -> None:
    turns = [
        {"role": "tool", "content": "[Edit: src/timer.py]", "given": "src/timer.py\n# see memory 482915037"},
        {"role": "tool", "content": "[Bash: memory-assets open]", "given": "memory-assets open 111111111"},
        {"role": "tool", "content": "[Bash gave: 222222222]", "gave": "222222222"},
        {"role": "user", "content": "333333333", "given": "333333333"},
    ]
    assert list(policy.cited_in(turns)) == ["482915037"]


TIMER = "The watering timer counts in kilofortnights, because quokkas drifted."
AT = datetime(2026, 11, 5, 9, tzinfo=UTC)
BEES = "Mara keeps bees on the balcony in Zagreb since the thunderstorm."
SHOWN = {"timer": Shown(TIMER, AT), "bees": Shown(BEES, AT)}
SAID = {"role": "assistant", "content": "It counts in kilofortnights. That is because the quokkas drifted."}
ASKED = {"role": "user", "content": "How does the watering timer count?"}


def test_who_says_a_memorys_rare_words_after_it_was_shown_cites_it() -> None:
    assert policy.echoed_in([ASKED, SAID, ASKED], SHOWN) == {"timer"}
    assert policy.echoed_in([ASKED, SAID | {"at": "2026-11-05T09:00:00.000Z"}], SHOWN) == {"timer"}
    assert policy.echoed_in([ASKED, SAID | {"at": "2026-11-05T08:59:59"}], SHOWN) == set()


@pytest.mark.parametrize(
    "turns",
    [
        [{"role": "user", "content": "Do quokkas drift?"}, SAID],
        [{"role": "tool", "content": "[Read gave: (9 lines)]", "gave": "kilofortnights"}, SAID],
        [{"role": "user", "content": SAID["content"]}],
        # What it gives to a tool it has from elsewhere, as the path of what it reads.
        [{"role": "tool", "content": "[Read: a.py]", "given": "kilofortnights/quokkas.py"}, SAID],
        [{"role": "tool", "content": "[Edit: a.py]", "given": SAID["content"]}],
        [{"role": "tool", "content": "[Read gave: …]", "gave": SAID["content"]}],
        [{"role": "assistant", "content": "The watering timer counts because of something that drifted."}],
        [{"role": "assistant", "content": "It counts."}, {"role": "assistant", "content": "Quokkas drifted."}],
        [{"role": "assistant", "content": f"Kilofortnights.{' It says nothing else.' * 40} Quokkas, which drifted."}],
    ],
)
def test_what_others_have_said_and_a_few_words_are_no_citation(turns: list[dict[str, str]]) -> None:
    assert policy.echoed_in(turns, SHOWN) == set()


def test_words_of_other_memories_and_of_earlier_turns_are_nobodys() -> None:
    other = Shown("Quokkas drifted in kilofortnights on Rottnest island, said the ranger of the ferry.", AT)
    assert policy.echoed_in([ASKED, SAID], SHOWN | {"quokkas": other}) == set()
    record = {"record": Shown(f"{TIMER} It ticks.", AT)}
    assert policy.echoed_in([ASKED, SAID], SHOWN | record) >= {"timer"}, "its record is no other one"
    earlier = policy.heard_in([{"role": "user", "content": "We count in kilofortnights."}, SAID])
    assert policy.echoed_in([ASKED, SAID], SHOWN, earlier) == set() and "quokka" not in earlier


@given(st.text(max_size=60), st.text(max_size=60))
def test_any_words_can_be_looked_for(said: str, memory: str) -> None:
    assert policy.echoed_in([{"role": "assistant", "content": said}], {"one": Shown(memory, AT)}) <= {"one"}


def test_an_answer_has_the_agents_form() -> None:
    read = policy.read_event("claude-code", "SessionStart", payloads.STARTED)
    assert policy.answer(read, "") == {}
    assert policy.answer(read, "text")["hookSpecificOutput"] == {
        "hookEventName": "SessionStart",
        "additionalContext": "text",
    }
