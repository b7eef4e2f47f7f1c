"""A pytest plugin that counts the SDK calls of a session; it writes JSON to the file named by CALLS_FILE."""

import functools
import importlib
import json
import os
from collections import Counter
from pathlib import Path

SEAMS = (
    ("botocore.endpoint", "Endpoint", "_do_get_response", False),
    ("aiobotocore.endpoint", "AioEndpoint", "_do_get_response", True),
    ("azure.core.pipeline.transport._requests_basic", "RequestsTransport", "send", False),
    ("azure.core.pipeline.transport._aiohttp", "AioHttpTransport", "send", True),
)

calls: "Counter[str]" = Counter()
outcomes: "Counter[str]" = Counter()
by_test: "Counter[str]" = Counter()


def count(module, owner, name, asynchronous):
    """Wrap one seam; an SDK that is not installed has none."""
    try:
        holder = getattr(importlib.import_module(module), owner)
    except ImportError:
        return
    plain = getattr(holder, name)
    if asynchronous:

        @functools.wraps(plain)
        async def wrapper(self, *args, **kwargs):
            note(self, module)
            return await plain(self, *args, **kwargs)
    else:

        @functools.wraps(plain)
        def wrapper(self, *args, **kwargs):
            note(self, module)
            return plain(self, *args, **kwargs)

    setattr(holder, name, wrapper)


def note(holder, module):
    """Count a call, and give it to the test that pytest says is running; good enough for a figure."""
    calls[label(holder, module)] += 1
    by_test[os.environ.get("PYTEST_CURRENT_TEST", "outside any test").rsplit(" ", 1)[0]] += 1


def label(holder, module):
    """Which SDK, and for AWS which service."""
    package = module.split(".")[0]
    prefix = getattr(holder, "_endpoint_prefix", None)
    return f"{package} {prefix}" if prefix else package


def pytest_configure(config):
    for seam in SEAMS:
        count(*seam)


def pytest_runtest_logreport(report):
    if report.when == "call" or (report.when == "setup" and not report.passed):
        outcomes["xfailed" if hasattr(report, "wasxfail") else report.outcome] += 1


def pytest_sessionfinish():
    if path := os.environ.get("CALLS_FILE"):
        figures = {
            "tests": dict(outcomes),
            "calls": dict(calls),
            "tests_with_calls": len(by_test),
            "busiest": by_test.most_common(3),
        }
        Path(path).write_text(json.dumps(figures))
