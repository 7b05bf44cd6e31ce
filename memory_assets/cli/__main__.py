"""``python -m memory_assets.cli``: the command line without its installed script."""

from memory_assets.cli.app import main

main()
