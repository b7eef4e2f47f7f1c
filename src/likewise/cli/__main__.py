"""`python -m likewise.cli` is `likewise`."""

from likewise.cli import main

main()
