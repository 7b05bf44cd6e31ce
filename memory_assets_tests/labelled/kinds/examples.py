"""What the model of sentences' kinds learns from and is judged by: labelled sentences of outside corpora, and sentences
that were written for a kind and a language (``written.jsonl``), a fifth of which is never learned from.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from memory_assets.llm.local.language import ENGLISH, parse
from memory_assets.llm.local.sentence_features import BY_ASSISTANT, TO_ASSISTANT, Setting
from memory_assets.llm.local.sentence_model import Kind, Lasting
from memory_assets.llm.local.sentences import Piece, pieces
from memory_assets.llm.local.statements import judge
from memory_assets_tests.labelled.kinds.sentences import LabelledSentence, Turn, labelled, turns, words_of

WRITTEN = Path(__file__).with_name("written.jsonl")
KIND_OF = dict(zip("SPTFN", Kind, strict=True))
LASTING_OF = dict(zip("dwy", Lasting, strict=True))
WRITTEN_ENGLISH, WRITTEN_WEIGHT, REAL_INSTRUCTION = 0.25, 0.7, 3.0
"""What counts less and more than a real sentence: nobody writes as people speak, and few of them lay down rules. Real
sentences are English, so that written ones of other languages have none to give way to."""
LONGEST_BEFORE = 200
HELD_BACK = 5
"""One in so many written sentences, by its digest."""
WHERE = {"to assistant": TO_ASSISTANT, "by assistant": BY_ASSISTANT}
_CORPORA = {"locomo": "conversation", "qmsum": "transcript", "slack": "slack", "email": "email"}


class Example(NamedTuple):
    """One sentence to learn from or to be judged by."""

    piece: Piece
    setting: Setting
    kind: Kind
    lasting: Lasting | None
    weight: float
    language: str = "en"
    is_test: bool = False


def written(path: Path) -> Iterator[Example]:
    """Sentences that were written for a kind: a JSON object a line, of ``lang``, ``label``, ``text``, and perhaps
    ``lasting``, ``where`` and ``before``.
    """
    for line in path.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        cut = pieces(row["text"])
        label = row["label"]
        kind = KIND_OF[label] if label in KIND_OF else Kind(label.replace("_", " "))
        where, before = row.get("where", ""), row.get("before", "")
        # Nobody knows whether it opens or ends a turn: as often as not, so that neither says who wrote it.
        chance = int(hashlib.sha256(row["text"].encode()).hexdigest(), 16)
        setting = Setting(WHERE.get(where, where), chance // 7 % 2 == 0, chance // 11 % 2 == 0, before)
        is_test = chance % HELD_BACK == 0
        lasting = LASTING_OF.get(row.get("lasting", ""))
        if cut:
            weight = WRITTEN_ENGLISH if row["lang"] == ENGLISH else WRITTEN_WEIGHT
            yield Example(Piece(row["text"], cut[0].form), setting, kind, lasting, weight, row["lang"], is_test)


def real() -> Iterator[Example]:
    """The labelled sentences of the corpora at hand, as the first reader labelled them."""
    said = turns()
    for sentence in labelled():
        if (text := words_of(sentence, said)) is not None:
            yield _real(sentence, text, said[sentence.place])


def _real(sentence: LabelledSentence, text: str, turn: Turn) -> Example:
    cut = pieces(turn.text)
    # It was labelled as the pieces were cut that day: the one that shares most with it by now.
    at = max(range(len(cut)), key=lambda at: _shared(cut[at].text, text))
    by = BY_ASSISTANT if turn.speaker == "assistant" else TO_ASSISTANT
    before = cut[at - 1].text if at else turn.before[-LONGEST_BEFORE:]
    setting = Setting(_CORPORA.get(sentence.place[0], by), at == 0, at == len(cut) - 1, before)
    kind, lasting = KIND_OF[sentence.labels[0][0]], LASTING_OF.get(sentence.labels[0][1:])
    weight = REAL_INSTRUCTION if kind is Kind.INSTRUCTION else 1.0
    return Example(Piece(text, cut[at].form), setting, kind, lasting, weight, is_test=sentence.half == "test")


def _shared(one: str, other: str) -> float:
    words, others = set(one.split()), set(other.split())
    return len(words & others) / len(words | others)


def figures(examples: Sequence[Example]) -> dict[str, float]:
    """How well sentences are judged: F1 by kind, and the mean of these."""
    pairs = []
    for example, parsed in zip(examples, parse([example.piece.text for example in examples]), strict=True):
        pairs.append((example.kind, judge(example.piece, parsed, example.setting).kind))
    found = {str(kind): round(_f1(pairs, kind), 3) for kind in Kind}
    return found | {"mean": round(sum(found.values()) / len(found), 3)}


def _f1(pairs: Sequence[tuple[Kind, Kind]], kind: Kind) -> float:
    both = sum(actual is kind and judged is kind for actual, judged in pairs)
    either = sum((actual is kind) + (judged is kind) for actual, judged in pairs)
    return 2 * both / either if either else 1.0
