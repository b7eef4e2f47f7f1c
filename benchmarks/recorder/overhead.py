"""What recording costs: the same S3 suite plain, recorded and behind mitmdump in one run, and the hook.

    python benchmarks/recorder/overhead.py [--tests 5] [--rounds 40] [--no-mitmdump]

mitmdump, with which such recordings were made so far, gets an environment of its own in the cache.
Many short rounds, in which either comes first in turn, and the median of their ratios: what else the machine
does in one moment it does to both. Quartiles of the wall ratio that lie far apart, or below 1,
mean that the machine was too busy for it to say anything: then go by the CPU a call, against the time a
call takes plain.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import socket
import statistics
import subprocess
import sys
import tempfile
import time
import venv
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from uuid import uuid4

import boto3
import botocore.endpoint

from likewise.canonical.redact import redact
from likewise.cloud.recorder import Recorder
from likewise.cloud.secrets import gather
from likewise.model import Redaction, Result, Role, Trace

os.environ.update(
    AWS_ACCESS_KEY_ID="testing", AWS_SECRET_ACCESS_KEY="testing", AWS_DEFAULT_REGION="us-east-1"
)
SECRETS = gather({"AWS_SECRET_ACCESS_KEY": "Zx9" * 13, "AWS_SESSION_TOKEN": "Qy8/" * 80})


def one_test(s3: Any) -> int:
    """A test of an ordinary suite; the number of calls it makes."""
    bucket = f"b{uuid4().hex}"
    s3.create_bucket(Bucket=bucket)
    for number in range(4):
        s3.put_object(Bucket=bucket, Key=f"folder/{number}", Body=b"content %d" % number * 40)
    s3.list_objects_v2(Bucket=bucket, Prefix="folder/")
    for number in range(4):
        s3.get_object(Bucket=bucket, Key=f"folder/{number}")["Body"].read()
        s3.head_object(Bucket=bucket, Key=f"folder/{number}")
    for number in range(4):
        s3.delete_object(Bucket=bucket, Key=f"folder/{number}")
    s3.delete_bucket(Bucket=bucket)
    return 19


def run_plain(s3: Any, tests: int) -> tuple[float, float, int]:
    """Wall seconds, CPU seconds of this process, calls."""
    wall, cpu = time.perf_counter(), time.process_time()
    calls = sum(one_test(s3) for _ in range(tests))
    return time.perf_counter() - wall, time.process_time() - cpu, calls


def run_recorded(s3: Any, tests: int, *, handed: list[Redaction]) -> tuple[float, float, int]:
    """The same with a recorder, its traces redacted as they are before any write."""

    def keep(trace: Trace) -> None:
        handed.append(redact(trace, secrets=SECRETS))

    recorder = Recorder(role=Role.CANDIDATE, world="w", on_trace=keep)
    recorder.install()
    wall, cpu = time.perf_counter(), time.process_time()
    calls = 0
    for number in range(tests):
        recorder.new_world(f"w{number}")
        recorder.begin(f"test_{number}")
        calls += one_test(s3)
        recorder.end(result=Result.PASSED)
    recorder.drain()
    spent = time.perf_counter() - wall, time.process_time() - cpu
    recorder.uninstall()
    return *spent, calls


def hook_cost(repeat: int = 500, windows: int = 40) -> float:
    """Seconds a call that the hook adds on the test's own path, around an inner call that does nothing.

    Processor time: nothing is waited for, and what others do in between does not count.
    """
    operation = SimpleNamespace(name="PutObject", service_model=SimpleNamespace(service_name="s3"))
    request = SimpleNamespace(method="PUT", url="http://127.0.0.1:5000/b/k", headers={}, body=b"x" * 100)
    http = SimpleNamespace(status_code=200, headers={}, _content=b"")
    result = ((http, {}), None)
    endpoint = boto3.client("s3")._endpoint  # who listens to its events is looked at

    def nothing(endpoint: Any, request: Any, operation_model: Any, context: Any) -> Any:
        return result

    def time_it() -> float:
        send: Callable[..., Any] = botocore.endpoint.Endpoint._do_get_response
        start = time.process_time()
        for _ in range(repeat):
            send(endpoint, request, operation, None)
        return (time.process_time() - start) / repeat

    original = botocore.endpoint.Endpoint._do_get_response
    botocore.endpoint.Endpoint._do_get_response = nothing
    try:
        plain = min(time_it() for _ in range(windows))  # short windows, so that some are undisturbed
        recorded = []
        for _ in range(windows):
            recorder = Recorder(
                role=Role.CANDIDATE,
                world="w",
                on_trace=lambda trace: None,
                expected_endpoints=frozenset({"http://127.0.0.1:5000"}),
            )
            recorder.install()
            recorder.begin("t")
            recorded.append(time_it())
            recorder.uninstall()
    finally:
        botocore.endpoint.Endpoint._do_get_response = original
    return min(recorded) - plain


def background_cost(handed: list[Redaction], s3: Any) -> dict[str, float]:
    """CPU seconds a call for each step away from the test's path, on calls of the suite itself."""
    recorder = Recorder(role=Role.CANDIDATE, world="w", on_trace=lambda trace: None)
    recorder.install()
    recorder.begin("t")
    for _ in range(20):
        one_test(s3)
    running = recorder._placement.current.get()
    assert running is not None
    calls = list(running.calls)
    recorder.uninstall()
    from likewise.cloud.interpret import Interpreter

    def each(step: Callable[[], object], count: int) -> float:
        best = []
        for _ in range(5):
            start = time.process_time()
            step()
            best.append((time.process_time() - start) / count)
        return min(best)

    exchanges = [call.exchange() for call in calls]
    trace = handed[-1].trace

    def interpret() -> None:
        interpreter = Interpreter()
        for order, exchange in enumerate(exchanges):
            interpreter.interpret(exchange, order=order)

    interpreter = Interpreter()
    interactions = tuple(interpreter.interpret(item, order=order) for order, item in enumerate(exchanges))
    whole = replace(trace, interactions=interactions)
    return {
        "exchange": each(lambda: [call.exchange() for call in calls], len(calls)),
        "interpret": each(interpret, len(calls)),
        "redact": each(lambda: redact(whole, secrets=SECRETS), len(calls)),
    }


def building_cost(s3: Any, tests: int = 20) -> float:
    """CPU seconds a call of all that happens away from the test: building a trace and redacting it.

    Timed by itself: as the difference of two whole runs it drowns in their noise.
    """
    recorder = Recorder(role=Role.CANDIDATE, world="w", on_trace=lambda trace: None)
    recorder.install()
    costs = []
    for number in range(tests):
        recorder.begin(f"test_{number}")
        calls = one_test(s3)
        running = recorder._placement.current.get()
        assert running is not None
        start = time.process_time()
        redact(recorder._builder._build(running), secrets=SECRETS)
        costs.append((time.process_time() - start) / calls)
        recorder.end(result=Result.PASSED)
        recorder.drain()
    recorder.uninstall()
    return statistics.median(costs)


def start_moto() -> tuple[subprocess.Popen[bytes], str]:
    """A moto server in a process of its own."""
    return start(sys.executable, "-m", "moto.server", "-H", "127.0.0.1", "-p")


def start_mitmdump(url: str, flows: str) -> tuple[subprocess.Popen[bytes], str]:
    """mitmdump in front of a server, writing every flow down."""
    cache = Path(os.environ.get("LIKEWISE_CACHE") or Path.home() / ".cache" / "likewise")
    home = cache / "mitmdump-10.4.2"
    program = home / "bin" / "mitmdump"
    if not program.exists():
        venv.create(home, with_pip=True)
        install = [str(home / "bin" / "python"), "-m", "pip", "install", "--quiet", "mitmproxy==10.4.2"]
        subprocess.run(install, check=True)
    return start(
        str(program), "-q", "--mode", f"reverse:{url}", "-w", flows, "--listen-host", "127.0.0.1", "-p"
    )


def start(*command: str) -> tuple[subprocess.Popen[bytes], str]:
    """A server that takes its port as its last argument."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    process = subprocess.Popen([*command, str(port)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    for _ in range(600):
        with socket.socket() as attempt:
            if attempt.connect_ex(("127.0.0.1", port)) == 0:
                break
        time.sleep(0.05)
    return process, f"http://127.0.0.1:{port}"


def measure(tests: int, rounds: int, *, mitmdump: bool) -> dict[str, Any]:
    """All figures, in seconds unless said otherwise."""
    with contextlib.ExitStack() as running:
        process, url = start_moto()
        running.callback(stop, process)
        s3 = behind = boto3.client("s3", endpoint_url=url)
        if mitmdump:
            flows = running.enter_context(tempfile.NamedTemporaryFile(suffix=".flows"))
            process, proxy = start_mitmdump(url, flows.name)
            running.callback(stop, process)
            behind = boto3.client("s3", endpoint_url=proxy)
            run_plain(behind, 3)
        run_plain(s3, 3)
        plain, recorded, proxied, handed = [], [], [], list[Redaction]()
        run_recorded(s3, 3, handed=handed)
        for number in range(rounds):
            if number % 2:
                recorded.append(run_recorded(s3, tests, handed=handed))
            plain.append(run_plain(s3, tests))
            if not number % 2:
                recorded.append(run_recorded(s3, tests, handed=handed))
            proxied += [run_plain(behind, tests)] if mitmdump else []
        steps = background_cost(handed, s3)
        building = building_cost(s3)
    calls = plain[0][2]
    ratios = [after[0] / before[0] for before, after in zip(plain, recorded, strict=True)]
    hook = hook_cost()
    return {
        "tests": tests,
        "calls": calls,
        "rounds": rounds,
        "wall plain": statistics.median(each[0] for each in plain),
        "wall recorded": statistics.median(each[0] for each in recorded),
        "wall ratio": statistics.median(ratios),
        "wall ratio, lower quartile": statistics.quantiles(ratios, n=4)[0],
        "wall ratio, upper quartile": statistics.quantiles(ratios, n=4)[2],
        **({"wall ratio, mitmdump": over(proxied, plain)} if mitmdump else {}),
        "hook, µs a call": hook * 1e6,
        "CPU in all, µs a call": (hook + building) * 1e6,
        **{f"{step}, µs a call": cost * 1e6 for step, cost in steps.items()},
    }


def over(slower: list[tuple[float, float, int]], faster: list[tuple[float, float, int]]) -> float:
    """The median ratio of wall times, round by round."""
    return statistics.median(one[0] / other[0] for one, other in zip(slower, faster, strict=True))


def stop(process: subprocess.Popen[bytes]) -> None:
    """End a server."""
    process.terminate()
    process.wait(10)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tests", type=int, default=5)
    parser.add_argument("--rounds", type=int, default=40)
    parser.add_argument("--no-mitmdump", action="store_true")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    figures = measure(options.tests, options.rounds, mitmdump=not options.no_mitmdump)
    if options.json:
        print(json.dumps(figures, indent=1))
        return
    for name, figure in figures.items():
        print(f"{name:28} {figure:10.3f}" if isinstance(figure, float) else f"{name:28} {figure:10}")


if __name__ == "__main__":
    main()
