"""What the model of what is worth a line learns from: labelled statements of outside corpora, as they are restated.

``labels.tsv``, one statement a line: ``corpus``, ``file``, ``part`` and ``turn`` (see
:mod:`~memory_assets_tests.labelled.worth.material`), ``digest`` of the sentence as it was said, ``told``: the digest of
the statement as its labeller saw it, and the ``label``. ``written.jsonl``: what users were made to say
to an assistant in a message of its own, with its label. ``invented.jsonl`` and ``frozen.jsonl``: see
:mod:`~memory_assets_tests.labelled.worth.invented`.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from memory_assets.llm.local.extract import Candidate, candidates
from memory_assets.llm.local.reading import read
from memory_assets.llm.local.worth import is_judged
from memory_assets.llm.tasks import SourceText, TurnText
from memory_assets_tests.labelled.worth.invented import INVENTED, parts, rows
from memory_assets_tests.labelled.worth.material import Place, digest_of, sources

LABELS = Path(__file__).with_name("labels.tsv")
WRITTEN = Path(__file__).with_name("written.jsonl")
PARTS_OF_WRITTEN = 5
GOOD, USELESS, UNCLEAR, WRONG = "good", "useless", "unclear", "wrong"
KINDS = (GOOD, USELESS, UNCLEAR, WRONG)
OF_INVENTED = {"3": GOOD, "2": GOOD, "1": USELESS, "u": UNCLEAR, "w": WRONG}


class Pointer(NamedTuple):
    """Where a labelled statement is."""

    place: Place
    turn: int
    digest: str


class Label(NamedTuple):
    """What was read, and how it was judged."""

    told: str
    label: str


class Example(NamedTuple):
    """A labelled statement, as today's code restates it."""

    place: Place
    source: SourceText
    candidate: Candidate
    label: str
    writer: str | None = None
    """Of what is invented: who has labelled it, stricter or milder than the reader of all else."""
    lasts: bool | None = None
    """Whether it holds a year later, where that is labelled."""


def labelled() -> dict[Pointer, Label]:
    """The label of each pointer."""
    with LABELS.open(encoding="utf-8", newline="") as file:
        return {
            Pointer(Place(row["corpus"], row["file"], row["part"]), int(row["turn"]), row["digest"]): Label(
                row["told"], row["label"]
            )
            for row in csv.DictReader(file, delimiter="\t")
        }


def examples(labels: Mapping[Pointer, Label] | None = None) -> Iterator[Example]:
    """The labelled statements of the corpora at hand; what is no line any more is left out."""
    labels = labelled() if labels is None else labels
    places = {pointer.place for pointer in labels}
    for place, source in sources():
        if place not in places:
            continue
        for candidate in candidates(source, read(source).sentences):
            restated = candidate.restated
            found = labels.get(Pointer(place, restated.sentence.turn, digest_of(restated.sentence.text)))
            if found is None or not (restated.statement or restated.quotation):
                continue
            # Read without what it is quoted with now.
            is_stale = found.label == UNCLEAR and restated.said and found.told != digest_of(restated.quotation or "")
            if not is_stale:
                yield Example(place, source, candidate, found.label)


def written() -> Iterator[Example]:
    """What was written to be said to an assistant, each alone in its chat."""
    for at, line in enumerate(WRITTEN.read_text(encoding="utf-8").splitlines()):
        row = json.loads(line)
        turns = (
            TurnText(index=0, speaker="user", text=row["text"]),
            TurnText(index=1, speaker="assistant", text="OK."),
        )
        source = SourceText(source_type="conversation", title="", started_at=None, owner_speaker="user", turns=turns)
        candidate = next(candidates(source, read(source).sentences))
        if candidate.restated.statement:
            yield Example(Place("written", str(at % PARTS_OF_WRITTEN), str(at)), source, candidate, row["label"])


def invented(path: Path, each: int = 1) -> Iterator[Example]:
    """The statements of what a file's writers have invented that the model judges, of one row in ``each``."""
    for row in islice(rows(path), None, None, each):
        labels = {(part, turn, digest): label for part, turn, digest, label in row["worth"]}
        lasting = {(part, turn, digest): lasts for part, turn, digest, lasts in row["lasting"]}
        for part, source in parts(row):
            for candidate in candidates(source, read(source).sentences):
                sentence = candidate.restated.sentence
                at = part, sentence.turn, digest_of(sentence.text)
                if at in labels and is_judged(*candidate, source):
                    place = Place(row["kind"], row["id"], str(part))
                    label = OF_INVENTED[labels[at]]
                    yield Example(place, source, candidate, label, row["writer"], lasting.get(at))


def learned_from() -> list[Example]:
    """All that the model learns from, and the labelled statements of chats that people read, which only judge it."""
    return [*examples(), *written(), *invented(INVENTED)]


def group_of(example: Example) -> str:
    """What is held back together: a file; of the channel a month, of meetings one in four."""
    place = example.place
    if place.corpus == "slack":
        return f"slack {place.part[:7]}"
    return f"qmsum {int(place.file) % 4}" if place.corpus == "qmsum" else f"{place.corpus} {place.file}"


def counts(found: Iterable[Example]) -> dict[str, dict[str, int]]:
    """How many of each label, by corpus."""
    table: dict[str, dict[str, int]] = {}
    for example in found:
        row = table.setdefault(example.place.corpus, dict.fromkeys(KINDS, 0))
        row[example.label] += 1
    return table
