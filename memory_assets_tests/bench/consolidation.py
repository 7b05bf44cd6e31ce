"""What consolidation takes out of the default graph, and what of the evidence out of recall's reach.

LoCoMo's conversations and BEAM's chats are built as they end, and each question (LoCoMo's categories 1 to 4, BEAM's
with gold messages) is recalled with 2,000 tokens; so once more when everything is run 120 days later, and when the plan
is carried out. Sizes are those of these three times. Lost is a question of which a turn of the evidence was there
before the plan was carried out, and is not after. At most 1 % is wanted, and a default graph 40 to 60 % smaller.

``python -m memory_assets_tests.bench.consolidation [CONVERSATIONS] [CHATS]``.
"""

from __future__ import annotations

import re
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path

from memory_assets.graph import query_files
from memory_assets.graph.graph import Graph, open_graph
from memory_assets.graph.said import said_in_turns
from memory_assets.llm.tokens import count_tokens
from memory_assets.recall.index import PassageIndex
from memory_assets.recall.policy import SourceHead
from memory_assets.recall.search import bring_up_to_date, index_path, recall
from memory_assets.settings import Settings
from memory_assets_tests.bench.corpora import (
    beam,
    corpora,
    gold_messages,
    held_on,
    locomo,
    placed,
    sessions,
    write_beam,
    write_locomo,
)
from memory_assets_tests.support.installation import Installation, installation

BUDGET = 2000
LATER = timedelta(days=120)
STATED = """
MATCH (s:Source {user_id: $user})-[r:STATES {user_id: $user}]->(c:KnowledgeChunk)
RETURN s.id AS source_id, s.path AS path, r.turn AS turn, min(c.ref) AS ref
"""

Turn = tuple[str, int]


@dataclass(frozen=True)
class Asked:
    """Talk with questions about it: who owns it, when it ended, and what each question rests on, by file and turn."""

    user: str
    ended: datetime
    write: Callable[[Path], object]
    questions: list[tuple[str, set[Turn]]]
    """Those that rest on something."""


def of_locomo(most: int) -> Iterator[Asked]:
    """LoCoMo's conversations, with the questions that a turn answers."""
    for sample in locomo()[:most]:
        spoken = list(sessions(sample["conversation"]))
        turns = {
            turn["dia_id"]: (f"session-{number:02d}", place)
            for number, _, said in spoken
            for place, turn in enumerate(said)
        }
        questions = [
            (row["question"], {turns[name] for name in found if name in turns})
            for row in sample["qa"]
            if row.get("category") in (1, 2, 3, 4)
            for found in [re.findall(r"D\d+:\d+", " ".join(row.get("evidence") or []))]
        ]
        questions = [(question, evidence) for question, evidence in questions if evidence]
        ended = max(when for _, when, _ in spoken).replace(tzinfo=UTC)
        yield Asked(sample["sample_id"].lower(), ended, partial(write_locomo, sample), questions)


def of_beam(most: int) -> Iterator[Asked]:
    """BEAM's chats with an assistant, with the questions of all abilities that have gold messages."""
    for number, chat, abilities in beam()[:most]:
        turns = {
            message["id"]: (f"turn-{name}", place) for name, turn in placed(chat) for place, message in enumerate(turn)
        }
        questions = [
            (row["question"], {turns[key] for key in gold_messages(row) if key in turns})
            for rows in abilities.values()
            for row in rows
        ]
        questions = [(question, evidence) for question, evidence in questions if evidence]
        yield Asked(f"beam-{number}", max(map(held_on, chat)), partial(write_beam, chat), questions)


@dataclass
class Figures:
    """Of one conversation: the sizes of the default graph, and how many questions and turns of evidence are where."""

    ended: dict[str, int] = field(default_factory=dict)
    before: dict[str, int] = field(default_factory=dict)
    after: dict[str, int] = field(default_factory=dict)
    asked: int = 0
    there: int = 0
    lost: int = 0
    gained: int = 0
    lost_archived: int = 0
    """Lost also where what was archived is searched too."""
    evidence: int = 0
    by_reference: int = 0
    lost_by_reference: int = 0
    insights: int = 0
    lost_since: int = 0
    """Lost since the talk ended, by what has faded, too; so ``gained_since``."""
    gained_since: int = 0

    def __add__(self, other: Figures) -> Figures:
        def sums(one: Mapping[str, int], more: Mapping[str, int]) -> dict[str, int]:
            return {key: one.get(key, 0) + value for key, value in more.items()}

        plain = {key: value + getattr(other, key) for key, value in vars(self).items() if not isinstance(value, dict)}
        sizes = {name: sums(getattr(self, name), getattr(other, name)) for name in ("ended", "before", "after")}
        return Figures(**sizes, **plain)  # type: ignore[arg-type]


def main(conversations: int = 2, chats: int = 4) -> None:
    """Print a line for each conversation and for all: sizes before and after, and what is out of reach."""
    print(f"\nConsolidation ({LATER.days} days after the last session; recall within {BUDGET:,} tokens)")
    every = Figures()
    for name, asked in (("LoCoMo", of_locomo(conversations)), ("BEAM", of_beam(chats))):
        whole = Figures()
        for one in asked:
            found = measure(one)
            whole += found
            tell(one.user, found)
        if not whole.asked:
            print(f"  not measured: none of {name} at {corpora()} (MEMORY_ASSETS_CORPORA)")
            continue
        every += whole
        tell(f"all of {name}", whole)
    if every.asked:
        tell("all", every)


def measure(asked: Asked) -> Figures:
    """One conversation in an installation of its own."""
    with tempfile.TemporaryDirectory() as scratch:
        home, files = Path(scratch) / "home", Path(scratch) / asked.user
        asked.write(files)
        with installation(home, MEMORY_ASSETS_NOW=asked.ended.isoformat()) as house:
            house.run("ingest", files, "--user", asked.user)
            house.run("materialize", "--user", asked.user)
            ended = _seen(home, asked)
            later = Installation(home, (("MEMORY_ASSETS_NOW", (asked.ended + LATER).isoformat()),))
            later.run("materialize", "--user", asked.user)  # plans; the first run is a dry one
            before = _seen(home, asked)
            done = later.json("consolidate", "--user", asked.user, "--carry-out")
            return _compared(ended, before, _seen(home, asked), done["figures"]["insights"])


@dataclass(frozen=True)
class Seen:
    """What recall finds at one time: turns of the evidence of each question, so too in what is archived, and by
    reference; ``every`` is all evidence that there is.
    """

    sizes: Mapping[str, int]
    every: set[Turn]
    found: list[set[Turn]]
    found_archived: list[set[Turn]]
    by_reference: set[Turn]


def _seen(home: Path, asked: Asked) -> Seen:
    graph = open_graph(Settings(_env_file=None, home=home))
    try:
        rows = graph.query_read_only(STATED, {"user": asked.user})
        sources = {row["source_id"]: Path(row["path"]).stem for row in rows}

        def recalled(question: str, *, archived: bool = False) -> set[Turn]:
            groups = recall(graph, home, asked.user, question, BUDGET, archived=archived).recalled.passages
            return {(sources[head.id], row.turn) for head, passages in groups for row in passages}

        refs = {(sources[row["source_id"]], row["turn"]): row["ref"] for row in rows}
        every = {turn for _, evidence in asked.questions for turn in evidence}
        return Seen(
            _sizes(graph, home, asked.user),
            every,
            [recalled(question) & evidence for question, evidence in asked.questions],
            [recalled(question, archived=True) & evidence for question, evidence in asked.questions],
            {turn for turn in every if turn in refs and turn in recalled(refs[turn])},
        )
    finally:
        graph.close()


def _compared(ended: Seen, before: Seen, after: Seen, insights: int) -> Figures:
    since = list(zip(ended.found, after.found, strict=True))
    pairs = list(zip(before.found, after.found, after.found_archived, strict=True))
    return Figures(
        ended=dict(ended.sizes),
        before=dict(before.sizes),
        after=dict(after.sizes),
        asked=len(pairs),
        there=sum(bool(held) for held, _, _ in pairs),
        lost=sum(bool(held - now) for held, now, _ in pairs),
        gained=sum(bool(now - held) for held, now, _ in pairs),
        lost_archived=sum(bool(held - now) for held, _, now in pairs),
        evidence=len(before.every),
        by_reference=len(before.by_reference),
        lost_by_reference=len(before.by_reference - after.by_reference),
        insights=insights,
        lost_since=sum(bool(held - now) for held, now in since),
        gained_since=sum(bool(now - held) for held, now in since),
    )


def _sizes(graph: Graph, home: Path, user: str) -> dict[str, int]:
    """What the default search, values and files read."""
    counted = query_files.load(Path(__file__).parent / "cypher")["count_default"]
    rows = graph.query_read_only(counted.text, {"user_id": user})
    index = PassageIndex(index_path(home, user))
    try:
        bring_up_to_date(graph, index, [user])
        said = said_in_turns(graph, user, [user], ((name, 0) for name in index.marks()))
        heads = {
            name: SourceHead("", "", "", "", "", None, row["is_archived"], row["kept_turns"])
            for name, row in said.items()
        }
        passages = index.of_turns([(name, 0) for name in heads], around=1_000_000)
    finally:
        index.close()
    read = [one.text for one in passages if heads[one.source_id].is_in_reach(one.turn)]
    sizes = {row["kind"]: row["in_default"] for row in rows}
    return {"memories": sum(sizes.values()), **sizes, "passages": len(read), "tokens": sum(map(count_tokens, read))}


def tell(name: str, found: Figures) -> None:
    """Print one line for the sizes, one for what is out of reach."""

    def size(key: str) -> str:
        ended, before, after = (sizes.get(key, 0) for sizes in (found.ended, found.before, found.after))
        return f"{ended:,} -> {before:,} -> {after:,} {key} ({100 * (1 - after / before):.0f} % less)"

    print(f"  {name}: {', '.join(map(size, found.before))}; {found.insights} insights")
    share = 100 * found.lost / found.asked
    print(
        f"    {found.asked} questions, evidence recalled before for {found.there}: lost {found.lost} ({share:.2f} %),\n"
        f"    gained {found.gained}, lost with --archived {found.lost_archived}; by reference {found.by_reference} of\n"
        f"    {found.evidence} turns of evidence, lost {found.lost_by_reference};\n"
        f"    since the talk ended, with what has faded: lost {found.lost_since}, gained {found.gained_since}",
        flush=True,
    )


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
