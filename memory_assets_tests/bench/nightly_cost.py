"""What a night of descriptions costs at the price table's prices, for a population with the specification's habits.

Specification 004, "Nightly Consolidation Cost Estimates": 9.60 USD a month for 1,000 users of whom each has 50 people,
concepts and entities and 30 relationships; 20 and 15 % of these are new in a night, and 40 % of those were accessed in
the last seven days. What one costs is measured: a conversation of the sample inbox is taken in, and all that is noted
of it described, against a server on this machine that speaks the protocol. Counted are the messages and the schema of
every request, and answers as long as the local model's own.
"""

from __future__ import annotations

import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from memory_assets.descriptions.consolidating import ASSET, Consolidator
from memory_assets.graph.graph import Graph
from memory_assets.llm.local.model import LocalModel
from memory_assets.llm.model_client import Answer
from memory_assets.llm.opening import open_models
from memory_assets.llm.tasks import DESCRIBE_SUBJECT, DescriptionNote, DescriptionRequest, SubjectDescription
from memory_assets.llm.tokens import count_tokens
from memory_assets.settings import Settings
from memory_assets_tests.bench import cost
from memory_assets_tests.support.protocol_server import ProtocolServer, Reply, Request, completion, read_data

TARGET_USD = 9.60
"""004: a month of 1,000 users."""
USERS, NIGHTS = 1000, 30
SUBJECTS_A_NIGHT = 50 * 0.20 * 0.40
RELATIONSHIPS_A_NIGHT = 30 * 0.15 * 0.40
"""Of one user: those that are new and were accessed lately."""


@dataclass(frozen=True)
class NightlyCost:
    """What was described, the ledger's rows by model, the price of one description, and of a month of all users."""

    described: int
    rows: list[dict[str, Any]]
    usd_each: float

    @property
    def usd_a_month(self) -> float:
        return self.usd_each * (SUBJECTS_A_NIGHT + RELATIONSHIPS_A_NIGHT) * USERS * NIGHTS


def answer(request: Request) -> Reply:
    """The local model's description of the same notes, with a usage of what went over the wire."""
    if "described so far" not in request.user_text:
        return cost.answer(request)
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


def measure(graph: Graph, scratch: Path, user: str) -> NightlyCost:
    """Take a conversation in and describe all that is noted of it; what the ledger says of the descriptions."""
    cost.measure(graph, scratch, user)
    with ProtocolServer(always=answer) as server:
        server.always_embeds = cost.embed
        settings = Settings(
            _env_file=None,
            home=scratch / "night",
            llm="openai",
            embedder="openai",
            OPENAI_BASE_URL=server.base_url,
            **cost.MODELS,
        )
        models = open_models(settings)
        night = Consolidator(graph, models.language_for(ASSET), models.embedder, settings.clock, user, lambda _: None)
        counts = night.run(force=True)
        assert counts["done"] and not counts["failed"], (counts, night.problems[:3])
    summary = models.ledger.summary(("asset", "model"))
    rows = [row for row in summary["by"] if row["asset"] == ASSET]
    return NightlyCost(counts["done"], rows, sum(row["usd"] for row in rows) / counts["done"])


def main() -> None:
    """Print what one description costs, and a month."""
    with tempfile.TemporaryDirectory() as scratch, cost.graph_of_its_own(Path(scratch)) as graph:
        found = measure(graph, Path(scratch), "bench")
    print(f"\nCost of descriptions, {found.described} of them (target {TARGET_USD:.2f} USD a month for {USERS} users)")
    print(f"  {'model':<32}{'calls':>6}{'tokens in':>11}{'out':>9}{'USD':>10}")
    for row in found.rows:
        print(f"  {row['model']:<32}{row['calls']:>6}{row['tokens_in']:>11}{row['tokens_out']:>9}{row['usd']:>10.5f}")
    print(f"  a month: {found.usd_a_month:.2f} USD, {found.usd_each:.6f} for each description")


if __name__ == "__main__":
    main()
