"""The `likewise` command."""


def main() -> None:
    """Run the command line."""
