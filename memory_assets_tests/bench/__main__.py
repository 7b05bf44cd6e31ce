"""``python -m memory_assets_tests.bench``: every benchmark, one after the other."""

<<<<<<< HEAD
from memory_assets_tests.bench import cost, graph_share, history_size, memory, throughput, usefulness
=======
from memory_assets_tests.bench import extraction, history_size, throughput, usefulness
>>>>>>> wip-labels

throughput.main()
graph_share.main()
memory.main()
cost.main()
usefulness.main()
extraction.main()
history_size.main()
