"""The bench that the tests of the OpenAI-compatible model start from."""

from __future__ import annotations

import pytest

from memory_assets_tests.llm.openai_bench import Bench
from memory_assets_tests.support.protocol_server import Behaviour, ProtocolServer, good


@pytest.fixture
def bench(tmp_path):
    """Make a bench: ``bench(behaviour, ..., budget=...)``."""
    servers: list[ProtocolServer] = []

    def make(*behaviours: Behaviour, always: Behaviour = good, **options) -> Bench:
        server = ProtocolServer(*behaviours, always=always)
        servers.append(server)
        return Bench(server.__enter__(), tmp_path, **options)

    yield make
    for server in servers:
        server.__exit__()
