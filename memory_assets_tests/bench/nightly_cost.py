"""What a month of nightly descriptions costs at the price table's prices, for a population with 004's habits.

Specification 004, "Nightly Consolidation Cost Estimates": 9.60 USD a month for 1,000 users of whom each has 50 people,
concepts and entities and 30 relationships. Of these 20 and 15 % have something new in a night, and 40 % of them were
accessed in the last seven days, which alone the estimate counts; here whoever has something new is described. Users of
that kind live some nights: a source a day names those of whom it tells something, notes are taken of it, some are
asked for, and the night describes, against a server on this machine that speaks the protocol. Counted are the messages
and the schema of every request, and answers as long as the local model's own.

``python -m memory_assets_tests.bench.nightly_cost [USERS] [NIGHTS]``.
"""

from __future__ import annotations

import random
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from memory_assets.clock import Clock, to_iso
from memory_assets.descriptions.consolidating import ASSET, Consolidator
from memory_assets.entities.extraction import Extractor
from memory_assets.graph.graph import Graph
from memory_assets.llm.local.model import LocalModel
from memory_assets.llm.model_client import Answer
from memory_assets.llm.opening import open_models
from memory_assets.llm.tasks import (
    DESCRIBE_SUBJECT,
    EXTRACT_ENTITIES,
    NOTE_PEOPLE,
    DescriptionNote,
    DescriptionRequest,
    Extraction,
    NotesTaken,
    Relation,
    RelationNote,
    SubjectDescription,
    SubjectNote,
)
from memory_assets.llm.tokens import count_tokens
from memory_assets.model import node_id
from memory_assets.notes.policy import relationship_id
from memory_assets.notes.taking import NoteTaker
from memory_assets.runtime.scope import RunScope
from memory_assets.settings import Settings
from memory_assets_tests.bench import cost
from memory_assets_tests.bench.recall_size import vocabulary
from memory_assets_tests.support.accesses import access, fold
from memory_assets_tests.support.protocol_server import ProtocolServer, Reply, Request, completion, read_data
from memory_assets_tests.support.scripted_models import HashEmbedder, ScriptedModel, named, stated
from memory_assets_tests.support.seeds import seed_sources, source_row

TARGET_USD = 9.60
"""004: a month of 1,000 users."""
USERS, NIGHTS = 1000, 30
SIMULATED_USERS, SIMULATED_NIGHTS = 5, 10
NAMES, RELATIONSHIPS = 50, 30
NEW_NAMES, NEW_RELATIONSHIPS, ACCESSED = 0.20, 0.15, 0.40
"""004: of one user's, these shares have something new in a night; so many of them were accessed lately."""
FIRST = datetime(2026, 3, 2, 20, tzinfo=UTC)
LIFETIMES = ("week", "month", "month", "year", "forever")
WORKS_WITH = "works_with"
THINGS = "accounts archive boat budget garden gate kitchen ledger library map newsletter roof schedule website".split()
TOLD = (
    "{} has taken over the {} of the harbour office and reports on it every second Thursday",
    "{} wants the {} to be ready before the autumn fair and has asked for two more people",
    "{} moved the meeting about the {} from Monday to Wednesday because of the ferry",
    "{} has read the report on the {} and finds it too long, with too few figures",
    "{} pays 240 pounds a month for the {} and will give it up in the spring",
)


@dataclass
class NightlyCost:
    """What the simulated nights have described, how much of that was accessed lately, and the ledger's rows."""

    users: int
    nights: int
    due: int = 0
    accessed: int = 0
    counts: Counter[str] = field(default_factory=Counter)
    rows: list[dict[str, Any]] = field(default_factory=list)

    @property
    def usd_a_month(self) -> float:
        """Of 1,000 users, with all that has something new."""
        return sum(row["usd"] for row in self.rows) / (self.users * self.nights) * USERS * NIGHTS

    @property
    def usd_of_accessed(self) -> float:
        """With those alone that were accessed lately, as the estimate has it."""
        return self.usd_a_month * self.accessed / max(1, self.due)


class Person:
    """A user with the specification's habits: whom they know, and what a day brings of whom."""

    def __init__(self, user: str, seed: int) -> None:
        self.user, self.rng = user, random.Random(seed)
        words = [word for word in vocabulary() if len(word) > 4]
        self.rng.shuffle(words)
        pairs = zip(words[:NAMES], words[NAMES : 2 * NAMES], strict=True)
        self.names = [f"{first.capitalize()} {last.capitalize()}" for first, last in pairs]
        self.pairs = [tuple(sorted(self.rng.sample(self.names, 2))) for _ in range(RELATIONSHIPS)]

    def some(self, share: float, of: list[Any]) -> list[Any]:
        """So many of these, the fraction by chance."""
        wanted = share * len(of)
        return self.rng.sample(of, int(wanted) + (self.rng.random() < wanted % 1))

    def told(self, name: str) -> str:
        """Something new of somebody."""
        return self.rng.choice(TOLD).format(name, self.rng.choice(THINGS)) + "."

    def day(self, names: list[str], pairs: list[tuple[str, str]]) -> tuple[Extraction, NotesTaken]:
        """What a day's source says of these."""
        of_whom = sorted({*names, *(name for pair in pairs for name in pair)})
        lasting = lifetimes(self.rng)
        notes = [SubjectNote(subject=name, content=self.told(name), lifetime=next(lasting)) for name in names]
        related = [{"from_name": one, "to_name": other, "type": WORKS_WITH} for one, other in pairs]
        return (
            Extraction(
                entities=tuple(named("person", name) for name in of_whom),
                statements=tuple(stated(self.told(name), name) for name in of_whom),
            ),
            NotesTaken(
                notes=tuple(notes),
                relationships=tuple(Relation(**one, description=self.told(one["from_name"])) for one in related),
                relationship_notes=tuple(
                    RelationNote(**one, content=self.told(one["from_name"]), lifetime=next(lasting)) for one in related
                ),
            ),
        )

    def ids(self, names: list[str], pairs: list[tuple[str, str]]) -> list[str]:
        """The memories of these names and relationships."""
        of = {name: node_id("person", self.user, name.casefold()) for name in self.names}
        related = [relationship_id(self.user, WORKS_WITH, *sorted((of[one], of[other]))) for one, other in pairs]
        return [of[name] for name in names] + related


def lifetimes(rng: random.Random) -> Iterator[Any]:
    """How long notes live, one after the other."""
    while True:
        yield rng.choice(LIFETIMES)


def answer(request: Request) -> Reply:
    """The local model's description of the same notes, with a usage of what went over the wire."""
    data = read_data(request.user_text)
    payload = DescriptionRequest(
        kind=data["fields"]["kind"],
        name=data["fields"]["name"],
        entity_type=data["fields"]["type"],
        current=(),
        notes=tuple(DescriptionNote(**{"day": None, **line}) for line in data["lines"]),
    )
    (given,) = LocalModel().ask_many(DESCRIBE_SUBJECT, [payload], SubjectDescription, asset="-", user_id="-")
    assert isinstance(given, Answer), given
    text = cost.compact(given.value.model_dump(mode="json"))
    body = completion(request, text)
    body["usage"] = cost.usage(cost.count_request(request.body), count_tokens(text))
    return Reply(body=body)


def live(graph: Graph, person: Person, number: int, now: datetime, names: list[str], pairs: list[Any]) -> None:
    """A day: a source, and the notes that are taken of it."""
    extraction, notes = person.day(names, pairs)

    def script(task: str, _: Any) -> Any:
        return extraction if task == EXTRACT_ENTITIES else notes if task == NOTE_PEOPLE else NotesTaken()

    name = f"{person.user}/day-{number}"
    seed_sources(graph, [source_row(name, person.user, started_at=to_iso(now), title=name)])
    clock, model = Clock(now), ScriptedModel(script)
    Extractor(graph, model, HashEmbedder(), clock, person.user, lambda _: None).run(RunScope())
    taken = NoteTaker(graph, model, clock, person.user, lambda _: None).run(RunScope())
    assert not taken["failed"], taken


def measure(graph: Graph, scratch: Path, users: int = SIMULATED_USERS, nights: int = SIMULATED_NIGHTS) -> NightlyCost:
    """Let users live some nights; what the ledger says of the descriptions after the first day, when all are new."""
    people = [Person(f"person-{number}", number) for number in range(users)]
    found = NightlyCost(users, nights)
    with ProtocolServer(always=answer) as server:
        server.always_embeds = cost.embed
        for night in range(nights + 1):
            now = FIRST + timedelta(days=night)
            settings = Settings(
                _env_file=None,
                home=scratch / ("first" if night == 0 else "nights"),
                llm="openai",
                embedder="openai",
                now=now,
                OPENAI_BASE_URL=server.base_url,
                **cost.MODELS,
            )
            models = open_models(settings)
            for person in people:
                names = person.some(NEW_NAMES, person.names) if night else person.names
                pairs = person.some(NEW_RELATIONSHIPS, person.pairs) if night else person.pairs
                live(graph, person, night, now, names, pairs)
                ids = person.ids(names, pairs)
                used = person.some(ACCESSED, ids) if night else []
                access(settings, person.user, *used, at=now + timedelta(hours=1))
                fold(graph, settings, person.user, now + timedelta(hours=2))
                language = models.language_for(ASSET)
                clock = Clock(now + timedelta(hours=8))
                consolidator = Consolidator(graph, language, models.embedder, clock, person.user, lambda _: None)
                counts = consolidator.run()
                assert not counts["failed"], consolidator.problems[:3]
                if night:
                    found.due, found.accessed = found.due + len(ids), found.accessed + len(used)
                    found.counts += counts
    found.rows = [row for row in models.ledger.summary(("asset", "model"))["by"] if row["asset"] == ASSET]
    return found


def main(users: int = SIMULATED_USERS, nights: int = SIMULATED_NIGHTS) -> None:
    """Print what the nights have described, and what a month of 1,000 such users costs."""
    with tempfile.TemporaryDirectory() as scratch, cost.graph_of_its_own(Path(scratch)) as graph:
        found = measure(graph, Path(scratch), users, nights)
    done, told = found.counts["done"], found.counts["consolidated"]
    print(
        f"\nCost of descriptions: {users} users for {nights} nights, {found.due} with something new, of them "
        f"{found.accessed} accessed; {done} looked at, {told} say something else"
    )
    print(f"  {'model':<32}{'calls':>6}{'tokens in':>11}{'out':>9}{'USD':>10}")
    for row in found.rows:
        print(f"  {row['model']:<32}{row['calls']:>6}{row['tokens_in']:>11}{row['tokens_out']:>9}{row['usd']:>10.5f}")
    print(
        f"  a month of {USERS} users: {found.usd_a_month:.2f} USD, {found.usd_of_accessed:.2f} of it for what was "
        f"accessed (wanted: {TARGET_USD:.2f}); {found.usd_a_month / USERS:.4f} for each user"
    )


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
