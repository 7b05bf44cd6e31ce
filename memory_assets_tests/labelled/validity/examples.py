"""What the model of pairs learns from and is judged by: pairs that were written for a relation (``pairs.jsonl`` and
``plain.jsonl``, whose halves ``test`` are frozen; ``written.jsonl`` and ``told.jsonl``, a fifth of which is held back;
``forms.tsv``), frames of contradictions with their look-alikes (``frames``, of which ``frozen`` has a writer of its
own), pointers into SICK, a corpus of sentence pairs (Marelli et al., 2014), a quarter of which is held back, and
sentences of real conversations that are much alike, or would be compared.
"""

from __future__ import annotations

import hashlib
import heapq
import json
import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any, NamedTuple

from memory_assets.llm.local.language import parse
from memory_assets.llm.local.pairs import Relation, Saying, judge_pairs
from memory_assets.llm.local.sentence_features import Setting
from memory_assets.llm.local.sentence_model import Kind
from memory_assets.llm.local.sentences import Form, Piece
from memory_assets.llm.local.statements import judge
from memory_assets.llm.local_embedder import LocalEmbedder
from memory_assets.text.words import content_words, rarity
from memory_assets.validity.policy import Statement, nearest, terms_of
from memory_assets_tests.bench.corpora import corpora
from memory_assets_tests.labelled.kinds.sentences import turns

PAIRS, PLAIN, WRITTEN, TOLD, OPPOSED, FORMS, FRAMES = (
    Path(__file__).with_name(name)
    for name in (
        "pairs.jsonl",
        "plain.jsonl",
        "written.jsonl",
        "told.jsonl",
        "opposed.jsonl",
        "forms.tsv",
        "frames",
    )
)
FROZEN_FRAMES = "frozen"
FILLINGS = 3
"""So many pairs are made of a frame, with other values for its slots."""
SICK = "contradiction/SICK_train.txt"
OF_SICK = {"CONTRADICTION": Relation.CONTRADICTS, "ENTAILMENT": Relation.SAME, "NEUTRAL": Relation.BOTH}
HELD_BACK, SICK_HELD_BACK = 5, 4
WEIGHTS = {"pairs": 4.0, "plain": 4.0, "written": 1.0, "told": 1.0, "forms": 1.0, "strangers": 0.1, "sick": 0.3,
           "real": 1.0, "near": 0.4, "frames": 1.0}  # fmt: skip
"""Pairs of many walks of life count more than those written by the dozen for a kind, and these more than captions."""
READ_BY_PEOPLE = {"locomo": (0, 3), "beam": (0, 2), "qmsum": ()}
"""Of each corpus the conversations that docs/reading.md judges the files of: nothing is learned from them."""
REAL_HELD_BACK = 3
ALIKE, MOST_ALIKE = 2.5, 3
"""Sentences of one speaker are compared with so many earlier ones that share rare words of so much worth."""
FEWEST_WORDS, MOST_WORDS = 4, 40
MOST_COMPARED, FEWEST_SENTENCES = 60, 100
"""So many sentences of a real conversation, if it has so many, are compared with what the product would compare."""
STEP = 7
"""So many pairs lie between the two whose sayings are strangers to each other."""
_SLOT = re.compile(r"\{(\w+)('*)\}")
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+")
CHANGES = (Relation.CHANGED, Relation.DONE)


class Example(NamedTuple):
    """One pair to learn from or to be judged by."""

    earlier: Saying
    later: Saying
    relation: Relation
    source: str
    language: str = "en"
    is_test: bool = False
    kind: str = ""
    group: str = ""
    """What it is made of together with others: these are learned from together, or not at all."""

    @property
    def weight(self) -> float:
        return WEIGHTS[self.source]


def examples() -> list[Example]:
    """All pairs at hand; who judges sentences says which of the earlier ones are tasks."""
    said = [
        one
        for path, source in ((PAIRS, "pairs"), (PLAIN, "plain"), (WRITTEN, "written"), (TOLD, "told"))
        for one in _pairs(path, source)
    ]
    found = [*said, *_strangers(said), *_forms(), *_sick(), *_real(), *_near(), *_frames()]
    texts = list(dict.fromkeys(one.earlier.text for one in found if one.source not in ("sick", "real", "frames")))
    setting = Setting("conversation", True, True)
    kinds = {
        text: judge(Piece(text, Form.SENTENCE), parsed, setting).kind
        for text, parsed in zip(texts, parse(texts), strict=True)
    }
    return [_with_kind(one, kinds.get(one.earlier.text)) for one in found]


def _with_kind(one: Example, kind: Kind | None) -> Example:
    return one._replace(earlier=Saying(one.earlier.text, one.earlier.speaker, one.earlier.day, kind is Kind.TASK))


def opposed() -> list[Example]:
    """Pairs that contradict each other in one of nine ways, and pairs that only look like it: nothing is learned from
    these.
    """
    return list(_pairs(OPPOSED, "opposed"))


def _pairs(path: Path, source: str) -> Iterator[Example]:
    for line in path.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        digest = int(hashlib.sha256(row["earlier"]["text"].encode()).hexdigest(), 16)
        is_test = row["half"] == "test" if "half" in row else digest % HELD_BACK == 0
        yield Example(
            _saying(row["earlier"]),
            _saying(row["later"]),
            Relation(row["label"]),
            source,
            row.get("language", "en"),
            is_test,
        )


def _saying(said: dict[str, Any]) -> Saying:
    return Saying(said["text"], said["speaker"], date.fromisoformat(said["day"]))


def _strangers(said: Sequence[Example]) -> Iterator[Example]:
    """What has nothing to do with each other: an earlier saying of one pair and a later one of another, of one speaker,
    one half and one language.
    """
    for one, other in zip(said, [*said[STEP:], *said[:STEP]], strict=True):
        if one.is_test == other.is_test and one.language == other.language:
            later = Saying(other.later.text, one.earlier.speaker, other.later.day)
            yield Example(one.earlier, later, Relation.BOTH, "strangers", one.language, one.is_test)


def _forms() -> Iterator[Example]:
    """Pairs in the plainest words, each change with what only looks like it (relation, earlier, later)."""
    for line in FORMS.read_text(encoding="utf-8").splitlines():
        relation, earlier, later = line.split("\t")
        yield Example(Saying(earlier), Saying(later), Relation(relation), "forms")


def _frames() -> Iterator[Example]:
    """Frames of two statements of one speaker and day, filled with values from their slots: the same digests choose the
    same values anywhere.
    """
    for path in sorted(FRAMES.glob("*.json")):
        known = json.loads(path.read_text(encoding="utf-8"))
        for at, frame in enumerate(known["frames"]):
            relation = Relation.CONTRADICTS if frame["contradicts"] else Relation.BOTH
            for filling in range(FILLINGS):
                values = _Values(known["slots"], f"{path.stem} {at} {filling}")
                one, other = (Saying(_SLOT.sub(values.put, frame[name])) for name in ("one", "other"))
                is_test = path.stem == FROZEN_FRAMES
                yield Example(one, other, relation, "frames", "en", is_test, frame["kind"], f"{path.stem} {at}")


class _Values:
    """The values of a frame's slots: one slot's in the order that a digest gives them, "{x}", "{x'}", "{x''}"."""

    def __init__(self, slots: Mapping[str, Sequence[str]], seed: str) -> None:
        self.slots, self.seed = slots, seed

    def put(self, match: re.Match[str]) -> str:
        def place(value: str) -> str:
            return hashlib.sha256(f"{self.seed} {match[1]} {value}".encode()).hexdigest()

        return sorted(map(str, self.slots[match[1]]), key=place)[len(match[2])]


def _sick() -> Iterator[Example]:
    if not (path := corpora() / SICK).is_file():
        return
    for at, line in enumerate(path.read_text(encoding="utf-8").splitlines()[1:]):
        _, earlier, later, _, judgement = line.split("\t")
        yield Example(Saying(earlier), Saying(later), OF_SICK[judgement], "sick", is_test=at % SICK_HELD_BACK == 0)


def _real() -> Iterator[Example]:
    """Sentences of one speaker in one real conversation that share rare words: nearly all of them hold side by side,
    and none is looked at. Those few that do not cost the model little; the many teach it what talk is like.
    """
    said: dict[tuple[str, str, str], list[str]] = {}
    for corpus, file, speaker, sentence in _said_in_reality():
        if corpus != "qmsum":  # people who meet repeat each other's words
            said.setdefault((corpus, file, speaker), []).append(sentence)
    for group, ((*_, speaker), sentences) in enumerate(said.items()):
        known = [(text, content_words(text)) for text in sentences]
        for at, (later, words) in enumerate(known):
            alike = [(sum(map(rarity, words & before)), text) for text, before in known[:at] if text != later]
            for _, earlier in heapq.nlargest(MOST_ALIKE, (one for one in alike if one[0] >= ALIKE)):
                both = Saying(earlier, speaker), Saying(later, speaker)
                yield Example(*both, Relation.BOTH, "real", is_test=group % REAL_HELD_BACK == 0)


def _near() -> Iterator[Example]:
    """Sentences of real conversations with all that the product would compare them with: of so many hardly any is
    changed by another, which pairs that somebody wrote do not show.
    """
    said: dict[tuple[str, str], list[tuple[str, str]]] = {}
    for corpus, file, speaker, sentence in _said_in_reality():
        said.setdefault((corpus, file), []).append((speaker, sentence))
    for group, sentences in enumerate(some for some in said.values() if len(some) >= FEWEST_SENTENCES):
        vectors = LocalEmbedder().embed([text for _, text in sentences], asset="", user_id="")
        instants = [
            (datetime(2024, 1, 1, tzinfo=UTC) + timedelta(hours=at)).isoformat() for at in range(len(sentences))
        ]
        known = [
            Statement(f"{at:06}", text, (instants[at], 0, 0), speaker, vector=vectors[at])
            for at, (speaker, text) in enumerate(sentences)
        ]
        found_by = [terms_of(one) for one in known]
        having: dict[int, list[int]] = defaultdict(list)
        for at, terms in enumerate(found_by):
            for term in terms:
                having[term].append(at)
        digests = [hashlib.sha256(one.text.encode()).digest() for one in known]
        for at in sorted(range(len(known)), key=digests.__getitem__)[:MOST_COMPARED]:
            shared: dict[int, float] = defaultdict(float)
            for term, worth in found_by[at].items():
                for before in having[term][: bisect_left(having[term], at)]:
                    shared[before] += worth
            for other in nearest(known[at], [(known[before], worth) for before, worth in shared.items()]):
                both = Saying(other.text, other.speaker), Saying(known[at].text, known[at].speaker)
                yield Example(*both, Relation.BOTH, "near", is_test=group % REAL_HELD_BACK == 0)


def _said_in_reality() -> Iterator[tuple[str, str, str, str]]:
    """Each sentence of the real conversations that may be learned from: its corpus, file, speaker and words."""
    everything = turns()
    files = {
        name: list(dict.fromkeys(file for corpus, file, _ in everything if corpus == name)) for name in READ_BY_PEOPLE
    }
    left_out = {(name, files[name][at]) for name, those in READ_BY_PEOPLE.items() if files[name] for at in those}
    for (corpus, file, _), turn in everything.items():
        if corpus not in READ_BY_PEOPLE or (corpus, file) in left_out or turn.speaker == "assistant":
            continue
        for sentence in _SENTENCE_END.split(" ".join(turn.text.split())):
            if FEWEST_WORDS <= len(sentence.split()) <= MOST_WORDS:
                yield corpus, file, turn.speaker, sentence


def figures(some: Sequence[Example]) -> dict[str, float]:
    """How many changes and tasks done are noticed and certain, how many others are falsely said to be changes, and how
    well contradictions are found.
    """
    thought = judge_pairs([(one.earlier, one.later) for one in some])
    judged = list(zip(some, thought, strict=True))
    found: dict[str, float] = {}
    for relation in CHANGES:
        those = [opinion for one, opinion in judged if one.relation is relation]
        if those:
            found[f"{relation} noticed"] = _share(opinion.relation in CHANGES for opinion in those)
            found[f"{relation} certain"] = _share(opinion.is_certain for opinion in those)
    others = [opinion for one, opinion in judged if one.relation in (Relation.BOTH, Relation.SAME)]
    if others:
        found["false alarms"] = _share(opinion.relation in CHANGES for opinion in others)
        found["falsely certain"] = _share(opinion.is_certain for opinion in others)
    said = [one.relation is Relation.CONTRADICTS for one, opinion in judged if opinion.relation is Relation.CONTRADICTS]
    if real := [opinion for one, opinion in judged if one.relation is Relation.CONTRADICTS]:
        found["contradictions' recall"] = _share(opinion.relation is Relation.CONTRADICTS for opinion in real)
        found["contradictions' precision"] = _share(said)
    return found


def _share(these: Any) -> float:
    known = list(these)
    return round(sum(known) / len(known), 3) if known else 1.0
