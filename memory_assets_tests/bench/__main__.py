"""``python -m memory_assets_tests.bench``: every benchmark, one after the other."""

from memory_assets_tests.bench import extraction, history_size, throughput, usefulness

throughput.main()
usefulness.main()
extraction.main()
history_size.main()
