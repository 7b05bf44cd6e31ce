"""``python -m memory_assets_tests.bench``: every benchmark, one after the other."""

from memory_assets_tests.bench import throughput, usefulness

throughput.main()
usefulness.main()
