"""Corpora that nobody here wrote, turned into the kinds of files that people have."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator
from datetime import UTC, datetime
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


BEAM_MARK = re.compile(r"\s*->->.*$", re.S)
"""The plan's own numbering at the end of a message (``->-> 2,27``): no words of anybody's."""


def beam() -> list[tuple[str, list[dict[str, Any]], dict[str, Any]]]:
    """The BEAM chats at hand as (number, batches, questions by ability), or an empty list."""
    found = []
    for folder in sorted((corpora() / "beam").glob("*/")):
        chat = json.loads((folder / "chat.json").read_text(encoding="utf-8"))
        found.append((folder.name, chat, json.loads((folder / "pq.json").read_text(encoding="utf-8"))))
    return found


def gold_messages(question: dict[str, Any]) -> list[int]:
    """The ids of the messages that a question of BEAM rests on, in whatever lists or groups they stand."""

    def flat(given: Any) -> Iterator[int]:
        if isinstance(given, dict | list):
            for one in given.values() if isinstance(given, dict) else given:
                yield from flat(one)
        else:
            yield given

    return list(flat(question.get("source_chat_ids", [])))


def held_on(batch: dict[str, Any]) -> datetime:
    """The day of a batch of a BEAM chat."""
    anchor = next(m["time_anchor"] for turn in batch["turns"] for m in turn if m.get("time_anchor"))
    return datetime.strptime(anchor, "%B-%d-%Y").replace(tzinfo=UTC)


def placed(chat: list[dict[str, Any]]) -> Iterator[tuple[str, list[dict[str, Any]]]]:
    """``(name, messages)`` of each turn of a BEAM chat, in order: a question and its answers."""
    for batch in chat:
        for place, turn in enumerate(batch["turns"]):
            yield f"{batch['batch_number']:02d}-{place:03d}", turn


def write_beam(chat: list[dict[str, Any]], folder: Path) -> dict[int, str]:
    """Write a BEAM chat as conversation files, one per turn of it; return the user's messages by their id."""
    folder.mkdir(parents=True, exist_ok=True)
    said = {}
    days = {f"{batch['batch_number']:02d}": held_on(batch) for batch in chat}
    for name, turn in placed(chat):
        with (folder / f"turn-{name}.jsonl").open("w", encoding="utf-8") as file:
            for message in turn:
                content = BEAM_MARK.sub("", message["content"])
                if message["role"] == "user":
                    said[message["id"]] = content
                row = {
                    "role": message["role"],
                    "content": content,
                    "timestamp": days[name[:2]].isoformat(),
                    "conversation_id": f"{folder.name}-{name}",
                }
                file.write(json.dumps(row, ensure_ascii=False) + "\n")
    return said
