"""``python -m memory_assets.cli``: the command line without its installed script."""

from memory_assets.cli import main

main()
