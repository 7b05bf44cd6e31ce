"""``python -m memory_assets_tests.bench``: every benchmark, one after the other."""

from memory_assets_tests.bench import history_size, throughput, usefulness

throughput.main()
usefulness.main()
history_size.main()
