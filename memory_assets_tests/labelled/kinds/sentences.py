"""Labelled sentences of outside corpora: pointers and labels lie here, the words where the corpora are.

``labels.tsv``, one sentence a line: ``half`` (``train``, or ``test``: frozen, by whole files), ``corpus``, ``file``,
``place`` (the turn or message in it), ``start`` and ``end`` (characters of that turn's text), ``digest`` (the first 12
hexadecimal digits of the sentence's SHA-256), ``sampled`` (``uniform``; ``signal``: among those with a word that rare
kinds often have; ``model``: among those that a first model took for a rare kind), and the labels of two readers who did
not see each other's.

``python -m memory_assets_tests.labelled.kinds.sentences`` prints how far the two agree, and what of the corpora is
here.
"""

from __future__ import annotations

import csv
import hashlib
import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree

from memory_assets_tests.bench.corpora import BEAM_MARK, beam, corpora, locomo, sessions

LABELS = Path(__file__).with_name("labels.tsv")
KINDS: Mapping[str, str] = {
    "S": "standing instruction",
    "P": "preference",
    "T": "task",
    "F": "fact",
    "N": "none",
}

Place = tuple[str, str, str]
"""Corpus, file, and the turn or message in it."""


@dataclass(frozen=True)
class LabelledSentence:
    """One sentence with both labels, or the first alone: a letter of :data:`KINDS`, and but for N how long it lasts
    (``d``, ``w``, ``y``).
    """

    half: str
    place: Place
    start: int
    end: int
    digest: str
    sampled: str
    labels: tuple[str, str]

    @property
    def kinds(self) -> tuple[str, str]:
        """Both labels without how long they last; the second is empty where nobody gave it."""
        return self.labels[0][:1], self.labels[1][:1]


@dataclass(frozen=True)
class Turn:
    """What was said at one place: by whom, and before it."""

    text: str
    speaker: str
    before: str = ""


def labelled() -> list[LabelledSentence]:
    """All pointers, in the order of the file."""
    with LABELS.open(encoding="utf-8", newline="") as file:
        return [
            LabelledSentence(
                row["half"],
                (row["corpus"], row["file"], row["place"]),
                int(row["start"]),
                int(row["end"]),
                row["digest"],
                row["sampled"],
                (row["first"], row["second"]),
            )
            for row in csv.DictReader(file, delimiter="\t")
        ]


def turns() -> dict[Place, Turn]:
    """Everything said in the corpora at hand, by place."""
    return {place: turn for read in (_locomo, _beam, _qmsum, _slack, _email) for place, turn in read()}


def words_of(sentence: LabelledSentence, said: Mapping[Place, Turn]) -> str | None:
    """The sentence itself; None where its corpus is not at hand.

    Raises :class:`ValueError` where the corpus is another one than the labels are of.
    """
    turn = said.get(sentence.place)
    if turn is None:
        return None
    text = turn.text[sentence.start : sentence.end]
    if hashlib.sha256(text.encode()).hexdigest()[:12] != sentence.digest:
        raise ValueError(
            f"{'/'.join(sentence.place)} holds another sentence at {sentence.start}: is it the same release?"
        )
    return text


def agreement(pairs: Sequence[tuple[str, str]]) -> tuple[float, float]:
    """The share of equal labels, and Cohen's kappa (1960): the same beyond what chance gives."""
    same = sum(one == other for one, other in pairs) / len(pairs)
    first, second = (Counter(column) for column in zip(*pairs, strict=True))
    chance = sum(first[label] * second[label] for label in first) / len(pairs) ** 2
    return same, (same - chance) / (1 - chance) if chance < 1 else 1.0


def _in_order(place: tuple[str, str], said: Sequence[tuple[str, str, str]]) -> Iterator[tuple[Place, Turn]]:
    before = ""
    for number, speaker, text in said:
        yield (*place, number), Turn(text, speaker, before)
        before = text


def _locomo() -> Iterator[tuple[Place, Turn]]:
    for sample in locomo():
        for _, _, said in sessions(sample["conversation"]):
            rows = [(turn["dia_id"], turn["speaker"], turn["text"]) for turn in said]
            yield from _in_order(("locomo", sample["sample_id"]), rows)


def _beam() -> Iterator[tuple[Place, Turn]]:
    for number, batches, _ in beam():
        for batch in batches:
            for turn in batch["turns"]:
                rows = [(str(said["id"]), said["role"], BEAM_MARK.sub("", said["content"])) for said in turn]
                yield from _in_order(("beam", f"{number}/chat.json"), rows)


def _qmsum() -> Iterator[tuple[Place, Turn]]:
    path = corpora() / "qmsum" / "val12.jsonl"
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines() if path.is_file() else ()):
        said = json.loads(line)["meeting_transcripts"]
        rows = [(str(place), turn["speaker"], turn["content"]) for place, turn in enumerate(said)]
        yield from _in_order(("qmsum", str(number)), rows)


def _slack() -> Iterator[tuple[Place, Turn]]:
    for path in sorted((corpora() / "slack").glob("*.xml")):
        said = ElementTree.parse(path).getroot().findall("message")
        rows = [(str(place), m.findtext("user") or "", m.findtext("text") or "") for place, m in enumerate(said)]
        yield from _in_order(("slack", path.name), rows)


def _email() -> Iterator[tuple[Place, Turn]]:
    for path in sorted((corpora() / "email").glob("*.subject")):
        text = path.read_text(encoding="utf-8", errors="replace").partition("@subject")[0]
        yield ("email", path.name, "0"), Turn(text, "")


def main() -> None:
    """Print the table of kinds by corpus and both measures of agreement."""
    sentences, said = labelled(), turns()
    here = Counter(s.place[0] for s in sentences if words_of(s, said) is not None)
    twice = [s for s in sentences if s.labels[1]]
    print(f"{len(sentences)} sentences, {len(twice)} of them labelled twice; kinds by the first reader\n")
    print(
        f"{'corpus':<10}{'half':<8}"
        + "".join(f"{name:>22}" for name in KINDS.values())
        + f"{'agreement':>12}{'kappa':>8}"
    )
    for corpus, half in sorted({(s.place[0], s.half) for s in sentences}):
        some = [s for s in sentences if (s.place[0], s.half) == (corpus, half)]
        kinds = Counter(s.kinds[0] for s in some)
        same, kappa = agreement([s.kinds for s in some if s.labels[1]])
        counts = "".join(f"{kinds[letter]:>22}" for letter in KINDS)
        print(f"{corpus:<10}{half:<8}{counts}{same:>12.3f}{kappa:>8.3f}" + ("" if here[corpus] else "  (not at hand)"))
    same, kappa = agreement([s.kinds for s in twice])
    print(f"\nall: agreement {same:.3f}, kappa {kappa:.3f}")


if __name__ == "__main__":
    main()
