"""The labelled lines of notes, as today's code restates them."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from memory_assets.llm.local.extract import Candidate, candidates, each_once
from memory_assets.llm.local.note_worth import is_judged
from memory_assets.llm.local.reading import read
from memory_assets.llm.tasks import SourceText
from memory_assets.sources.formats import base, note
from memory_assets.sources.policy import source_text

NOTES, FROZEN = (Path(__file__).with_name(name) for name in ("notes.jsonl", "frozen.jsonl"))
FEWEST_GAPS = 2
"""Between the words of a part of a line, for the line's worth to be its."""
_NO_WORD = re.compile(r"[\W_]+")


class Example(NamedTuple):
    """The statement of a line, whose note it is, and what the line is worth, 0 to 3."""

    owner: str
    writer: str
    source: SourceText
    candidate: Candidate
    worth: int


def rows(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def examples(path: Path) -> Iterator[Example]:
    """All of a file that are judged; of a statement of several lines, or one that is in several, the best counts."""
    for row in rows(path):
        labels = [(_words(text), worth) for text, worth in row["worth"]]
        for source in _sources(row["text"], row["file"], row["owner"]):
            for candidate in each_once(list(candidates(source, read(source).sentences))):
                found = _labels_of(_words(candidate.restated.parsed.text), labels)
                if found and is_judged(*candidate, source):
                    yield Example(row["owner"], row["writer"], source, candidate, max(found))


def _labels_of(said: str, labels: Sequence[tuple[str, int]]) -> list[int]:
    """Those of its very words; else of all lines that it holds; else of those that hold it, if it has words enough."""
    same = [worth for text, worth in labels if text == said]
    inner = [worth for text, worth in labels if text.count(" ") and f" {text} " in f" {said} "]
    outer = [worth for text, worth in labels if said.count(" ") >= FEWEST_GAPS and f" {said} " in f" {text} "]
    return same or inner or outer


def _sources(text: str, name: str, owner: str) -> Iterator[SourceText]:
    data = text.encode()
    for raw in note.FORMAT.read(base.Document(io.BytesIO(data), name, len(data))):
        if isinstance(raw, base.RawSource):
            row = {"source_type": raw.source_type, "title": raw.title, "started_at": raw.started_at}
            yield source_text(row | {"owner_speaker": owner}, note.FORMAT.clean(raw.raw_content))


def _words(text: str) -> str:
    return _NO_WORD.sub(" ", text).strip().casefold()
