"""Partitions of owners in both sets, in the order in which a test names them."""

from collections.abc import Iterable

import dagster as dg

from memory_assets.model import is_team
from memory_assets.operations.partitions import owners, users


def add_partitions(instance: dg.DagsterInstance, names: Iterable[str]) -> None:
    """Add those that are missing; teams have none among the users."""
    wanted = list(dict.fromkeys(names))
    for partitions in (owners, users):
        known = set(instance.get_dynamic_partitions(partitions.name))
        mine = [name for name in wanted if name not in known and not (partitions is users and is_team(name))]
        instance.add_dynamic_partitions(partitions.name, mine)
