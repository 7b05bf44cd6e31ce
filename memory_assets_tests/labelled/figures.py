"""This release's figures on the labelled material: measured, stored in figures.json, compared.

``python -m memory_assets_tests.labelled.figures`` writes them anew.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence

from memory_assets.entities.policy import decide
from memory_assets.entities.text import canonical_name
from memory_assets.llm.local.extract import extract
from memory_assets.llm.local.model import LocalModel
from memory_assets.llm.tasks import Extraction
from memory_assets_tests.labelled.material import (
    FOLDER,
    SETS,
    LabelledSource,
    Named,
    Score,
    World,
    labelled_sources,
    score,
    score_pairs,
    total,
    worlds,
)

FILE = FOLDER / "figures.json"
TOLERANCE = 0.005
"""How far a figure may fall before it counts: floating-point sums differ a little between processors."""

Figures = Mapping[str, Mapping[str, float]]


def confident(source: LabelledSource, answer: Extraction) -> list[Named]:
    """What the specification's rule lets through of an answer (004, Phase 2, Step 1): the anchors of the graph."""
    decision = decide(answer, source.text.turns, source.text.owner_speaker, user="labelled", count_tokens=len)
    return [(mention.kind, mention.name) for mention in decision.mentions]


def answered(answer: Extraction) -> list[Named]:
    """All that an answer names, let through or not."""
    return [(entity.kind, entity.name) for entity in answer.entities]


def measure(
    answers: Mapping[str, Extraction], names: Callable[[LabelledSource, Extraction], Iterable[Named]]
) -> dict[str, dict[str, Score]]:
    """Scores by set and kind of what ``names`` takes from each source's answer."""
    return {
        subset: total(
            score(source, names(source, answers[source.identifier]))
            for source in labelled_sources()
            if source.subset == subset
        )
        for subset in SETS
    }


def local_answers() -> dict[str, Extraction]:
    """The local model's answer to each labelled source."""
    return {source.identifier: extract(source.text) for source in labelled_sources()}


def resolved_groups(world: World) -> list[str]:
    """What the project's resolution makes of a world's names: for each variant, its id.

    A mail address that stood beside a name is given as a source's cast gives it, "Name <address>".
    """
    from memory_assets.entities.naming.records import Name, Profile
    from memory_assets.entities.naming.resolve import resolve_names

    names = [
        Name(
            name_id=f"n{at}",
            kind=variant["kind"],
            name=variant["name"],
            canonical_name=canonical_name(variant["name"]),
            entity_type=variant["entity_type"],
            sources={f"s{at}": 0.9},
        )
        for at, variant in enumerate(world.variants)
    ]
    casts = {
        f"s{at}": (f"{variant['name']} <{variant['address']}>",)
        for at, variant in enumerate(world.variants)
        if "address" in variant
    }
    owner = Profile(world.owner["name"], tuple(world.owner["also"]))
    resolutions = resolve_names(names, owner, casts=casts).resolutions
    return [resolutions[name.name_id].resolved_in(f"s{at}") for at, name in enumerate(names)]


def exact_groups(world: World) -> list[str]:
    """The floor: names are one where their canonical names are equal."""
    return [canonical_name(variant["name"]) for variant in world.variants]


def measure_names(group: Callable[[World], Sequence[str]]) -> dict[str, Score]:
    """Scores by set of the pairs of variants that ``group`` takes for one."""
    result = {subset: Score() for subset in SETS}
    for world in worlds():
        result[world.subset] += score_pairs(world, group(world))
    return result


def measured() -> Figures:
    """This code's figures: precision, recall and F1 of what is let through by kind, and of names taken for one."""
    scores = {
        f"{subset} {kind}": one
        for subset, kinds in measure(local_answers(), confident).items()
        for kind, one in kinds.items()
    }
    scores.update({f"{subset} names": one for subset, one in measure_names(resolved_groups).items()})
    return {
        name: {
            "precision": round(one.precision, 4),
            "recall": round(one.recall, 4),
            "f1": round(one.f1, 4),
        }
        for name, one in scores.items()
    }


def committed() -> Figures:
    """The figures of this release."""
    return json.loads(FILE.read_text(encoding="utf-8"))["figures"]


def fallen(before: Figures, now: Figures) -> list[str]:
    """What is worse than before, one sentence each."""
    return [
        f"{name}: {figure} fell from {value:.3f} to {now.get(name, {}).get(figure, 0.0):.3f}"
        for name, figures in before.items()
        for figure, value in figures.items()
        if now.get(name, {}).get(figure, 0.0) < value - TOLERANCE
    ]


def main() -> None:
    """Write this code's figures."""
    text = json.dumps({"model": LocalModel.name, "figures": measured()}, indent=1)
    FILE.write_text(text + "\n", encoding="utf-8")
    print(f"{FILE}: written for {LocalModel.name}; say in CHANGELOG.md what changed and why.")


if __name__ == "__main__":
    main()
