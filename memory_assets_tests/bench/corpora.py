"""Corpora that nobody here wrote, turned into the kinds of files that people have."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]


def corpora() -> Path:
    """Where the corpora lie."""
    return Path(os.environ.get("MEMORY_ASSETS_CORPORA", ROOT.parent / "shared" / "data"))


def locomo() -> list[dict[str, Any]]:
    """The LoCoMo conversations at hand, or an empty list."""
    path = corpora() / "locomo" / "locomo_dev.json"
    return json.loads(path.read_text(encoding="utf-8")) if path.is_file() else []


def sessions(conversation: dict[str, Any]) -> Iterator[tuple[int, datetime, list[dict[str, str]]]]:
    """``(number, time, turns)`` of each session, in order."""
    number = 1
    while f"session_{number}" in conversation:
        when = datetime.strptime(conversation[f"session_{number}_date_time"], "%I:%M %p on %d %B, %Y")
        yield number, when, conversation[f"session_{number}"]
        number += 1


def write_locomo(sample: dict[str, Any], folder: Path) -> list[tuple[str, str]]:
    """Write a LoCoMo sample as conversation files, one per session; return everything said: (day, turn)."""
    folder.mkdir(parents=True, exist_ok=True)
    conversation = sample["conversation"]
    said = []
    for number, when, turns in sessions(conversation):
        with (folder / f"session-{number:02d}.jsonl").open("w", encoding="utf-8") as file:
            for turn in turns:
                role = "user" if turn["speaker"] == conversation["speaker_a"] else "assistant"
                said.append((f"{when.day} {when:%B %Y}", f"{turn['speaker']}: {turn['text']}"))
                message = {
                    "role": role,
                    "name": turn["speaker"],
                    "content": turn["text"],
                    "timestamp": when.isoformat() + "Z",
                    "conversation_id": f"{sample['sample_id']}-{number}",
                }
                file.write(json.dumps(message, ensure_ascii=False) + "\n")
    return said
