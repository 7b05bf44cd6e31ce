"""The partitions of every asset: one per owner that can have it, and how many one run may take.

Two sets: ``owners`` (users and ``team-<team>``) of what teams have too, ``users`` of everything else. Days are no
partitions: an automation tick over owners times days would take the better part of a minute.
"""

from __future__ import annotations

import dagster as dg

from memory_assets.runtime.marks import Step

OWNERS, USERS = "owners", "users"
owners = dg.DynamicPartitionsDefinition(name=OWNERS)
users = dg.DynamicPartitionsDefinition(name=USERS)


def partitions_of(step: Step) -> dg.DynamicPartitionsDefinition:
    """The set of owners that can have this asset."""
    return owners if step.of_teams else users


def partitions_of_run(context: dg.AssetExecutionContext) -> list[str]:
    """Whom a run was launched for, in whatever set: Dagster has no keys of a partition that an asset cannot have.

    Raises :class:`dagster.Failure` where it names nobody.
    """
    if not {PARTITION_TAG, RANGE_TAG} & context.run.tags.keys():
        raise dg.Failure(FOR_NOBODY, allow_retries=False)
    return [context.partition_key] if context.has_partition_key else list(context.partition_keys)


EVERYBODY = "EVERYBODY"
"""The partition of runs for several owners, as schedules, sensors and commands start them: each step asks the marks
for whom it is due, and logs a materialization for each of these owners' own partitions. It is in both sets; no owner
can have the name.

Dagster runs one partition, or a range of them; it has no run for some, and planning a range costs 12 ms for each
partition and asset, due or not.
"""

PARTITION_TAG, RANGE_TAG = "dagster/partition", "dagster/asset_partition_range_start"
"""Dagster's own tags of the partition that a run is for, and of the first of a range."""

FOR_NOBODY = (
    "This run is for nobody. Choose partitions with 'Materialize' on the assets' page, or add the tag "
    f"{PARTITION_TAG} with {EVERYBODY} or an owner under 'Edit tags' in the launchpad."
)

FOR_TAG = "memory_assets/for"
"""The tag that says in the list of runs for whom a run works; those of ``EVERYBODY`` find out step by step."""

# A run takes five to seven seconds to start, whatever it does: a backfill shares that among owners. All
# assets name this one policy; where they differ, Dagster falls back to a run per owner.
backfill_policy = dg.BackfillPolicy.multi_run(max_partitions_per_run=100)
