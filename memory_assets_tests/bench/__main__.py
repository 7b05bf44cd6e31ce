"""``python -m memory_assets_tests.bench``: every benchmark that fills no million memories, one after the other.

The others (bounded_files, context_size, curation, nights, recall_size, scoring, validity) are run by name, and so is
consolidation, which takes a quarter of an hour.
"""

from memory_assets_tests.bench import (
    context,
    cost,
    extraction,
    graph_share,
    history_size,
    memory,
    nightly_cost,
    recall,
    remembering,
    sessions,
    throughput,
    usefulness,
)

throughput.main()
graph_share.main()
remembering.main()
memory.main()
cost.main()
nightly_cost.main()
usefulness.main()
extraction.main()
history_size.main()
recall.main()
context.main()
sessions.main()
