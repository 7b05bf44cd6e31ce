"""``python -m memory_assets_tests.bench``: every benchmark, one after the other."""

from memory_assets_tests.bench import (
    cost,
    extraction,
    graph_share,
    history_size,
    memory,
    nightly_cost,
    remembering,
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
