"""The options, in one group."""

from __future__ import annotations

import argparse

import pytest

WORKER = "PYTEST_XDIST_WORKER"


def add_options(parser: pytest.Parser) -> None:
    """Declare every option of Likewise."""
    group = parser.getgroup("likewise", "Likewise: which results on the emulator to trust")
    flag = {"action": "store_true", "default": False}
    group.addoption(
        "--likewise", **flag, help="Record the cloud calls of each test and say which results to trust."
    )
    group.addoption(
        "--likewise-verify", **flag, help="Also prove on the reference what has to be, within the budget."
    )
    group.addoption("--likewise-both", **flag, help="Run every test on both sides and compare.")
    group.addoption(
        "--likewise-policy",
        metavar="P",
        choices=("context", "api", "sequence", "combined"),
        help="How to decide: context, api, sequence or combined.",
    )
    group.addoption(
        "--likewise-budget",
        metavar="N",
        type=_whole,
        help="Calls that the reference may receive in this run.",
    )
    group.addoption("--likewise-candidate", metavar="T", help="The stand-in: a target's name or a URL.")
    group.addoption("--likewise-reference", metavar="T", help="What is true: a target's name or a URL.")
    group.addoption("--likewise-ledger", metavar="L", help="The ledger: a file, or postgresql://…")
    group.addoption("--likewise-json", metavar="FILE", help="Write the report as JSON.")
    group.addoption("--likewise-html", metavar="FILE", help="Write the report as a page.")
    group.addoption("--likewise-keep", **flag, help="Keep the servers' logs under .likewise/logs.")
    group.addoption(
        "--likewise-library",
        metavar="NAME",
        action="append",
        default=[],
        help="Record what crosses between the code under test and this library; may be repeated.",
    )
    group.addoption("--likewise-library-out", metavar="FILE", help="Where that recording goes.")
    group.addoption(
        "--likewise-board",
        metavar="NAME",
        action="append",
        default=[],
        help="Run scenarios on this board of the inventory; may be repeated.",
    )
    group.addoption(
        "--likewise-analyse",
        metavar="min=N,max=M",
        help="Run every scenario N times, and those that waver up to M times.",
    )
    group.addoption("--likewise-record", metavar="FILE", help="Record every step of the scenarios.")
    group.addoption("--likewise-child", metavar="FILE", help=argparse.SUPPRESS)


def _whole(text: str) -> int:
    number = int(text)
    if number < 0:
        raise argparse.ArgumentTypeError("must be 0 or more")
    return number


def is_enabled(namespace: argparse.Namespace) -> bool:
    """Whether there is anything for Likewise to do: tests will run, and the user asked for it."""
    wanted = getattr(namespace, "likewise", False) or getattr(namespace, "likewise_child", None)
    return bool(wanted) and not _is_idle(namespace)


def records_library(namespace: argparse.Namespace) -> bool:
    """Whether the user asked for a recording of a library, and tests will run."""
    return bool(getattr(namespace, "likewise_library", None)) and not _is_idle(namespace)


def _is_idle(namespace: argparse.Namespace) -> bool:
    idle = (
        "help",
        "version",
        "collectonly",
        "markers",
        "showfixtures",
        "show_fixtures_per_test",
        "cacheshow",
    )
    return any(getattr(namespace, each, False) for each in idle)


def distributes(namespace: argparse.Namespace) -> bool:
    """Whether other processes run the tests."""
    if getattr(namespace, "numprocesses", None) is not None:
        return bool(namespace.numprocesses != 0)
    return getattr(namespace, "dist", "no") != "no" and bool(getattr(namespace, "tx", None))
