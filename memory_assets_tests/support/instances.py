"""An instance on files, with the storage of an installation."""

import atexit
import shutil
import tempfile
from functools import cache
from pathlib import Path

import dagster as dg
import yaml

from memory_assets.runtime.instance import SQLITE_STORAGE


def instance_on_files(folder: Path) -> dg.DagsterInstance:
    """One that stores in ``folder`` as an installation does; all else is Dagster's default."""
    if not folder.is_dir() or not any(folder.iterdir()):
        shutil.copytree(_empty(), folder, dirs_exist_ok=True)
    return _opened(folder)


@cache
def _empty() -> Path:
    """The storage of an instance without runs: to make its tables anew takes ten times as long as to copy them."""
    folder = Path(tempfile.mkdtemp(prefix="instance-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    _opened(folder).dispose()
    return folder


def _opened(folder: Path) -> dg.DagsterInstance:
    stored = yaml.safe_load(SQLITE_STORAGE)
    stored["storage"]["custom"]["config"]["base_dir"] = str(folder)
    return dg.DagsterInstance.local_temp(str(folder), overrides=stored)
