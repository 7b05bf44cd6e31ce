"""Events as Claude Code 2.1 sends them."""

from __future__ import annotations

from typing import Any

SESSION = "0b1f6a52-6c1e-4d7e-9d39-5a1f0c9be111"
FOLDER = "/home/mara/garden"


def event(name: str, **more: Any) -> dict[str, Any]:
    """What each has, and what this one has besides."""
    return {
        "session_id": SESSION,
        "transcript_path": "",
        "cwd": FOLDER,
        "prompt_id": "7b1d6ff5-cd20-4ae5-ab51-e6d6fb4f48ad",
        "permission_mode": "default",
        "effort": {"level": "high"},
        "hook_event_name": name,
        **more,
    }


STARTED = event("SessionStart", source="startup", model="claude-opus")
COMPACTED = event("SessionStart", source="compact")
READ = event(
    "PostToolUse",
    tool_name="Read",
    tool_input={"file_path": f"{FOLDER}/src/timer.py"},
    tool_response={
        "type": "text",
        "file": {
            "filePath": f"{FOLDER}/src/timer.py",
            "content": "pass\n",
            "numLines": 2,
            "startLine": 1,
            "totalLines": 2,
        },
    },
    tool_use_id="toolu_1",
    duration_ms=8,
)
RAN = event(
    "PostToolUse",
    tool_name="Bash",
    tool_input={"command": "make", "description": "Build"},
    tool_response={"stdout": "done", "stderr": "", "interrupted": False, "isImage": False},
)
FAILED = event(
    "PostToolUseFailure",
    tool_name="Bash",
    tool_input={"command": "make test"},
    tool_use_id="toolu_2",
    error="Exit code 2\nNo module named pyvalves",
    is_interrupt=False,
    duration_ms=129,
)
PATCHED = event(
    "PostToolUse",
    tool_name="apply_patch",
    tool_input={"command": "*** Begin Patch\n*** Update File: src/timer.py\n@@\n-60\n+61\n*** End Patch\n"},
    tool_response="Exit code: 0\nWall time: 0 seconds\nOutput:\nSuccess.\nM src/timer.py\n",
    tool_use_id="call_16",
    turn_id="01a22cb6-bd64-7f42-8f76-57fb9c1f9466",
)
"""As Codex sends it."""
MOVED = event("CwdChanged", old_cwd=FOLDER, new_cwd=f"{FOLDER}/docs")
CHANGED = event("FileChanged", file_path=f"{FOLDER}/src/timer.py", event="change")
ENDED = event("SessionEnd", reason="other")


def prompted(prompt: str) -> dict[str, Any]:
    """Somebody asks the agent something."""
    return event("UserPromptSubmit", prompt=prompt)
