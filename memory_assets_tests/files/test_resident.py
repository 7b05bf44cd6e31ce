"""A process that stays, ended."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import psutil
import pytest
from filelock import FileLock

from memory_assets.errors import MemoryAssetsError
from memory_assets.files.resident import HOST_LOCK, STATE_FILE, Resident

MODULE = "memory_assets_tests.none_of_this_name"
# Starts a process of the module's and asks about it no more. The process says itself which it is: for a moment after it
# is made it has no command line. What this process ignores would be ignored there, too: Dagster leaves TERM as INT is,
# which is ignored where the tests are a script's background job.
STARTS = """
import signal, subprocess, sys
signal.signal(signal.SIGTERM, signal.SIG_DFL)
waits = "import os, sys; print(os.getpid(), flush=True); sys.stdin.read()"
child = subprocess.Popen([sys.executable, "-c", waits, *sys.argv[1].split()], stdin=subprocess.PIPE)
sys.stdin.read()
"""


def test_a_process_whose_parent_lives_on_is_ended(tmp_path: Path) -> None:
    resident = Resident(home=tmp_path, name="the clerk", module=MODULE, error=MemoryAssetsError, advice="")
    assert resident.stop() is False
    with subprocess.Popen(
        [sys.executable, "-c", STARTS, f"{MODULE} {tmp_path}"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as parent:
        assert parent.stdout
        process = psutil.Process(int(parent.stdout.readline()))
        assert resident.stop() is True
        assert process.status() == psutil.STATUS_ZOMBIE and parent.poll() is None
        assert resident.stop() is False
        parent.communicate("")
    with pytest.raises(psutil.NoSuchProcess):
        process.status()


def test_who_holds_a_folder_and_is_not_known_keeps_its_state(tmp_path: Path) -> None:
    resident = Resident(home=tmp_path, name="the clerk", module=MODULE, error=MemoryAssetsError, advice="")
    state = tmp_path / STATE_FILE
    state.write_text("{}")
    with FileLock(tmp_path / HOST_LOCK):
        for act in (resident.start, resident.stop):
            with pytest.raises(MemoryAssetsError, match="not known here runs the clerk"):
                act()
        assert state.exists()
    assert resident.stop() is False and not state.exists()
