"""An empty outbox for each test that wants one."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from memory_assets.automation.alerts.outbox import Outbox


@pytest.fixture
def outbox(tmp_path: Path) -> Iterator[Outbox]:
    """The file does not exist yet."""
    opened = Outbox(tmp_path / "outbox" / "alerts.sqlite")
    yield opened
    opened.close()
