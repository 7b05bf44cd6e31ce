"""Partitions of owners in both sets, in the order in which a test names them."""

from collections.abc import Iterable

import dagster as dg

from memory_assets.model import is_team
from memory_assets.runtime.partitions import owners, users
from memory_assets.settings import Settings


def add_partitions(instance: dg.DagsterInstance, names: Iterable[str]) -> None:
    """Add those that are missing; teams have none among the users."""
    wanted = list(dict.fromkeys(names))
    for partitions in (owners, users):
        known = set(instance.get_dynamic_partitions(partitions.name))
        mine = [name for name in wanted if name not in known and not (partitions is users and is_team(name))]
        instance.add_dynamic_partitions(partitions.name, mine)


def add_known(instance: dg.DagsterInstance, names: Iterable[str]) -> None:
    """Add partitions of owners whom the installation knows by their inboxes, though no run has read their sources."""
    wanted = list(names)
    for name in wanted:
        (Settings(_env_file=None).inbox / name).mkdir(parents=True, exist_ok=True)
    add_partitions(instance, wanted)
