"""The fixture every test of the plugin starts from."""

from __future__ import annotations

import os

import pytest
from plugin_suites import STUB, Suite


@pytest.fixture
def suite(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> Suite:
    for name in list(os.environ):
        if name.startswith(("PYTEST_XDIST", "AWS_", "LIKEWISE_")) and name != "LIKEWISE_CACHE":
            monkeypatch.delenv(name)
    pytester.makeini("[pytest]\nasyncio_default_fixture_loop_scope = function\n")
    pytester.makeconftest(STUB)
    made = Suite(pytester)
    made.configure(candidate="mock_aws", reference="moto")
    made.order()
    return made
