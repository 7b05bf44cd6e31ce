"""The jobs: one for each thing that a person or a command asks for."""

from __future__ import annotations

import dagster as dg

ingest_sources = dg.define_asset_job(
    "ingest_sources",
    selection=dg.AssetSelection.assets("raw_sources"),
    description="Read an owner's inbox, or the given paths, into the graph.",
    tags={"dagster/max_runtime": "86400"},
)

process_sources = dg.define_asset_job(
    "process_sources",
    selection=dg.AssetSelection.assets("raw_sources", "processed_sources"),
    description="Read and process an owner's sources. All there is to do for a team, whose members build on it.",
)

build_memory = dg.define_asset_job(
    "build_memory",
    selection=dg.AssetSelection.all(),
    description="From a user's inbox to the published MEMORY.md: every asset, each doing only what is due.",
)

ALL = [ingest_sources, process_sources, build_memory]
