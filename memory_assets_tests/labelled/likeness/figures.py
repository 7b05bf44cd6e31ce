"""How many pairs that say the same are found, and how many others are merged: of pairs made by rule, and of corpora.

``python -m memory_assets_tests.labelled.likeness.figures`` prints the figures of all that is at hand: SICK (Marelli et
al., 2014) and Breaking_NLI (Glockner et al., 2018; ``contradiction/breaking_nli.jsonl``). SICK has no label for "says
the same": what entails the other and was judged nearly the same in meaning (4.8 of 5) counts as that.
"""

from __future__ import annotations

import csv
import json
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

from memory_assets.curation.likeness import Claim, Likeness, judge
from memory_assets.llm.local_embedder import LocalEmbedder
from memory_assets_tests.bench.corpora import corpora
from memory_assets_tests.labelled.likeness.made import Pair, made_pairs

SICK, BREAKING = "contradiction/SICK_train.txt", "contradiction/breaking_nli.jsonl"
NEARLY_THE_SAME = 4.8


def sick() -> Iterator[Pair]:
    """Pairs of captions: contradicting, merely related, entailed (of which those nearly the same say the same)."""
    with (corpora() / SICK).open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file, delimiter="\t"):
            kind = row["entailment_judgment"].lower()
            is_same = kind == "entailment" and float(row["relatedness_score"]) >= NEARLY_THE_SAME
            one, other = Claim(row["sentence_A"]), Claim(row["sentence_B"])
            yield Pair("the same" if is_same else kind, one, other, is_same)


def breaking() -> Iterator[Pair]:
    """Pairs that differ in one word; an entailed one may say less, so that none is asked to be found."""
    with (corpora() / BREAKING).open(encoding="utf-8") as file:
        for row in map(json.loads, file):
            yield Pair(row["gold_label"], Claim(row["sentence1"]), Claim(row["sentence2"]), False)


def measure(pairs: Iterable[Pair]) -> dict[str, Counter[Likeness]]:
    """What becomes of the pairs of each kind, by the local embedder's cosines."""
    given = list(pairs)
    texts = sorted({claim.text for pair in given for claim in (pair.one, pair.other)})
    vectors = dict(zip(texts, LocalEmbedder().embed(texts, asset="", user_id=""), strict=True))
    found: dict[str, Counter[Likeness]] = {}
    for pair in given:
        cosine = float(vectors[pair.one.text] @ vectors[pair.other.text])
        verdict = judge(pair.one, pair.other, cosine)
        found.setdefault(("same: " if pair.is_same else "other: ") + pair.kind, Counter())[verdict.likeness] += 1
    return found


def total(found: dict[str, Counter[Likeness]], prefix: str) -> Counter[Likeness]:
    """The sum of the kinds that begin so."""
    return sum((counts for kind, counts in found.items() if kind.startswith(prefix)), Counter[Likeness]())


def report(found: dict[str, Counter[Likeness]]) -> str:
    """A line for each kind, and the totals."""
    lines = [
        f"{kind:<24}" + "".join(f"{name.value:>11} {counts[name]:>5}" for name in Likeness)
        for kind, counts in sorted(found.items())
    ]
    same, other = total(found, "same"), total(found, "other")
    if same:
        merged, listed = same[Likeness.MERGE], same[Likeness.UNDECIDED]
        lines.append(
            f"of {same.total()} that say the same: merged {merged / same.total():.1%}, "
            f"listed {listed / same.total():.1%}, found {(merged + listed) / same.total():.1%}"
        )
    wrong = sum(
        counts[Likeness.MERGE] for kind, counts in found.items() if kind.startswith("other") and "entail" not in kind
    )
    of = sum(counts.total() for kind, counts in found.items() if kind.startswith("other") and "entail" not in kind)
    lines.append(f"of {of} that contradict or are merely related: merged {wrong}, listed {other[Likeness.UNDECIDED]}")
    return "\n".join(lines)


def main() -> None:
    """Print the figures of all that is at hand."""
    print(f"made by rule\n{report(measure(made_pairs()))}")
    for name, file, pairs in (("SICK", SICK, sick), ("Breaking_NLI", BREAKING, breaking)):
        path: Path = corpora() / file
        print(f"\n{name}\n{report(measure(pairs()))}" if path.is_file() else f"\n{name} is not at hand: {path}")


if __name__ == "__main__":
    main()
