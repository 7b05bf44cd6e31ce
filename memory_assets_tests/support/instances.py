"""An instance on files, with the storage of an installation."""

from pathlib import Path

import dagster as dg
import yaml

from memory_assets.runtime.instance import SQLITE_STORAGE


def instance_on_files(folder: Path) -> dg.DagsterInstance:
    """One that stores in ``folder`` as an installation does; all else is Dagster's default."""
    stored = yaml.safe_load(SQLITE_STORAGE)
    stored["storage"]["custom"]["config"]["base_dir"] = str(folder)
    return dg.DagsterInstance.local_temp(str(folder), overrides=stored)
