"""`python -m likewise.cli`."""

from likewise.cli.main import main

main()
