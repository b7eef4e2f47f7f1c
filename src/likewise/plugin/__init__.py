"""pytest: options, recording, child runs, scenarios. What is not asked for is not imported."""

from __future__ import annotations

import pytest

from likewise.plugin.options import add_options, is_enabled, records_library


def pytest_addoption(parser: pytest.Parser) -> None:
    """Declare the options."""
    add_options(parser)


@pytest.hookimpl(tryfirst=True)
def pytest_load_initial_conftests(early_config: pytest.Config) -> None:
    """Make the environment right before any file of the suite is imported: it may create clients."""
    if is_enabled(early_config.known_args_namespace):
        from likewise.plugin.importing import import_plainly

        import_plainly()
        from likewise.plugin.enabled import prepare

        prepare(early_config)
    if records_library(early_config.known_args_namespace):
        from likewise.plugin import library

        library.prepare(early_config)


@pytest.hookimpl(tryfirst=True)
def pytest_cmdline_main(config: pytest.Config) -> None:
    """In a child run, take back the options that choose or distribute tests, before anybody reads them."""
    if config.option.likewise_child:
        from likewise.plugin.child import take_back

        take_back(config)


@pytest.hookimpl(trylast=True)
def pytest_configure(config: pytest.Config) -> None:
    """Register what records and what concludes, and what makes scenarios collectable."""
    from likewise.plugin.managed import register

    register(config)
    if is_enabled(config.option):
        from likewise.plugin.enabled import enable

        enable(config)
    if records_library(config.option):
        from likewise.plugin import library

        library.enable(config)
