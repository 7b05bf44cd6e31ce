"""The partitions of every asset: one per owner, a user's id or ``team-<team>``.

Days stay in the graph and in run configuration, never in the partition key: an automation tick over
a thousand owners takes a second, over owners times days the better part of a minute.
"""

from __future__ import annotations

import dagster as dg

owners = dg.DynamicPartitionsDefinition(name="owners")
