"""The partitions of every asset: one per owner, a user's id or ``team-<team>``, and how many one run may take.

Days stay in the graph and in run configuration, never in the partition key: an automation tick over
a thousand owners takes a second, over owners times days the better part of a minute.
"""

from __future__ import annotations

import dagster as dg

owners = dg.DynamicPartitionsDefinition(name="owners")

EVERYBODY = "EVERYBODY"
"""The partition of runs for several owners, as schedules, sensors and commands start them: each step asks the marks
for whom it is due, and logs a materialization for each of these owners' own partitions. No owner can have the name.

Dagster runs one partition, or a range of them; it has no run for some, and planning a range costs 12 ms for each
partition and asset, whoever is due.
"""

# A run takes five to seven seconds to start, whatever it does: a backfill shares that among owners. All
# assets name this one policy; where they differ, Dagster falls back to a run per owner.
backfill_policy = dg.BackfillPolicy.multi_run(max_partitions_per_run=100)
