"""Sentences with what they rest on: which of an answer are taken, how they are stored, and whether they still follow.
Pure.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from memory_assets.llm.tasks import DescribedSentence
from memory_assets.text.lines import clean_text, same_words

T = TypeVar("T")
Refused = tuple[tuple[str, str], ...]
"""Sentences that are not taken, each with why."""


@dataclass(frozen=True)
class Sentence:
    """A sentence, and the ids of what it rests on: notes, statements or sources. ``sources``: in which source each of
    its statements is said.
    """

    text: str
    cites: tuple[str, ...]
    sources: tuple[str, ...] = ()


def take(
    given: Iterable[DescribedSentence],
    shown: Mapping[str, T],
    most: int,
    fault_of: Callable[[str, Sequence[T]], str | None],
) -> tuple[dict[str, tuple[T, ...]], Refused]:
    """The sentences of an answer that are taken, ``most`` at most, each with what it cites of what was ``shown`` (by
    reference); and the others.
    """
    taken: dict[str, tuple[T, ...]] = {}
    refused: list[tuple[str, str]] = []
    for sentence in given:
        text = clean_text(sentence.text)
        refs = dict.fromkeys(ref.strip("[] ") for ref in sentence.refs)
        cited = tuple(shown[ref] for ref in refs if ref in shown)
        if len(taken) == most:
            why: str | None = "one too many"
        elif len(cited) < len(refs) or not cited:
            why = "cites nothing that it was shown"
        else:
            why = fault_of(text, cited)
        if why:
            refused.append((text, why))
        else:
            taken.setdefault(text, cited)
    return taken, tuple(refused)


def is_said(text: str, said: Iterable[str]) -> bool:
    """Whether a sentence is ``said`` word for word."""
    return _plain(text) in map(_plain, said)


def unsupported(
    sentences: Iterable[Sentence],
    text: str | None,
    known: Callable[[Sentence], Sequence[T]],
    fault_of: Callable[[str, Sequence[T]], str | None],
) -> list[tuple[str, str]]:
    """The sentences of a stored text that do not follow from what they cite, each with why. ``known``: what is there of
    what a sentence cites.
    """
    found, read = [], tuple(sentences)
    for sentence in read:
        cited = known(sentence)
        if len(cited) < len(sentence.cites) or not cited:
            found.append((sentence.text, "cites what is there no more"))
        elif why := fault_of(sentence.text, cited):
            found.append((sentence.text, why))
    if (text_of(read) or "") != (text or ""):
        found.append((text or "", "is not what its sentences say"))
    return found


def text_of(sentences: Iterable[Sentence]) -> str | None:
    """What sentences say together; None without a sentence."""
    return " ".join(one.text for one in sentences) or None


def written_sentences(sentences: Iterable[Sentence]) -> str | None:
    """The sentences with what they cite, as they are stored."""
    rows = [_row(one) for one in sentences]
    return json.dumps(rows, ensure_ascii=False) if rows else None


def read_sentences(stored: str | None) -> tuple[Sentence, ...]:
    """The sentences of :func:`written_sentences`."""
    rows = json.loads(stored or "[]")
    return tuple(Sentence(row["text"], tuple(row["cites"]), tuple(row.get("sources", ()))) for row in rows)


def _row(one: Sentence) -> dict[str, str | list[str]]:
    row: dict[str, str | list[str]] = {"text": one.text, "cites": list(one.cites)}
    return row | ({"sources": list(one.sources)} if one.sources else {})


def _plain(text: str) -> str:
    return same_words(clean_text(text)).rstrip(" .!…,;:")
