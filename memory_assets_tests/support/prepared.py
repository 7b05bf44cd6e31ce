"""Imported by the process that commands are forked from: what each would load anew, for longer than its work takes.

The local models and the lists that they look in, an empty storage of Dagster's, and matplotlib where a folder is chosen
for its files (otherwise each installation keeps them in its own home). All of it is only read from then on.
"""

from __future__ import annotations

import os
from tempfile import TemporaryDirectory

from memory_assets.errors import ModelError
from memory_assets.llm import tasks
from memory_assets.llm.local.model import LocalModel
from memory_assets.llm.local.pairs import Saying, judge_pairs
from memory_assets.llm.local_embedder import LocalEmbedder
from memory_assets.presentation.plots import stacked_bars
from memory_assets.runtime.storage import SqliteStorage

SAID = (
    "Tomasz Wilk repaired the lens of the lighthouse in Skagness on Friday, 2 October 2026.",
    "Tomasz Wilk no longer repairs the lens, and my sister Elin pays 110 euros for the boat every month.",
)


def load() -> None:
    """Use each of them once."""
    turns = tuple(tasks.TurnText(index=at, speaker="Nora", text=text) for at, text in enumerate(SAID))
    source = tasks.SourceText(
        source_type="conversation", title="Lens", started_at="2026-10-01T09:00:00Z", owner_speaker="Nora", turns=turns
    )
    for task, answer in ((tasks.DESCRIBE_SOURCE, tasks.SourceDescription), (tasks.EXTRACT_ENTITIES, tasks.Extraction)):
        (said,) = LocalModel().ask_many(task, [source], answer, asset="prepared", user_id="nobody")
        assert not isinstance(said, ModelError), said
    judge_pairs([(Saying(SAID[0], "Nora"), Saying(SAID[1], "Nora"))])
    LocalEmbedder().embed(SAID, asset="prepared", user_id="nobody")
    if "MPLCONFIGDIR" in os.environ:
        stacked_bars(["Nora"], {"memories": [1.0]}, unit="memories", says="one")
    with TemporaryDirectory() as folder:
        SqliteStorage(folder)


load()
