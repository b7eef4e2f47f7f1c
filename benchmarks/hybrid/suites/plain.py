"""Run a fetched suite plainly, as its authors do, and say what it did: tests, seconds, SDK calls.

    python benchmarks/hybrid/suites/plain.py s3fs [-- more pytest arguments]

A server that the suite expects to find is started on the port that it expects, and stopped again.
"""

import contextlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path

from fetch import FetchError, Server, Suite, cache, call, fetch, load

AZURITE = "azurite@3.35.0"


def main() -> int:
    """The command line."""
    names, more = sys.argv[1:], []
    if "--" in names:
        cut = names.index("--")
        names, more = names[:cut], names[cut + 1 :]
    if not names:
        print(__doc__)
        return 2
    try:
        return max(run(fetch(load(name)), more) for name in names)
    except FetchError as error:
        print(error, file=sys.stderr)
        return 2


def run(suite: Suite, more: list[str]) -> int:
    """Run one suite and print its figures as one line of JSON."""
    with tempfile.TemporaryDirectory() as folder, serving(suite):
        counted = Path(folder) / "calls.json"
        env = {**suite.environ(), "CALLS_FILE": str(counted)}
        command = suite.command("-p", "calls", "-p", "no:cacheprovider", *more)
        started = time.monotonic()
        code = subprocess.run(command, cwd=suite.workdir, env=env).returncode
        seconds = round(time.monotonic() - started, 1)
        figures = json.loads(counted.read_text()) if counted.is_file() else {}
    print(json.dumps({"suite": suite.name, "seconds": seconds, **figures}))
    return code


@contextlib.contextmanager
def serving(suite: Suite) -> Iterator[None]:
    """Keep the suite's server up, if it needs one."""
    if suite.server is None:
        yield
        return
    with tempfile.TemporaryDirectory() as folder, (Path(folder) / "log").open("w+") as log:
        process = subprocess.Popen(command_of(suite, suite.server), cwd=folder, stdout=log, stderr=log)
        try:
            wait_for(suite.server, process)
            yield
        finally:
            process.terminate()
            process.wait(timeout=20)


def command_of(suite: Suite, server: Server) -> list[str]:
    """The command that starts a server on the port that the suite expects."""
    if server.kind == "moto":
        program = suite.python.with_name("moto_server")
        return [str(program), "-H", "127.0.0.1", "-p", str(server.port)]
    if server.kind == "azurite":
        ports = [f"--{name}Port={server.port + n}" for n, name in enumerate(("blob", "queue", "table"))]
        options = ["--silent", "--disableTelemetry", "--inMemoryPersistence", "--skipApiVersionCheck"]
        return ["node", str(azurite()), *ports, *options]
    raise FetchError(f"{suite.name}: no way to start a server of kind {server.kind!r}.")


def azurite() -> Path:
    """Azurite's program, installed once under the cache directory."""
    home = cache() / "npm" / AZURITE
    program = home / "node_modules" / "azurite" / "dist" / "src" / "azurite.js"
    if not program.is_file():
        npm = shutil.which("npm")
        if npm is None:
            raise FetchError("Azurite needs node 20 and npm; install them and try again.")
        home.mkdir(parents=True, exist_ok=True)
        call([npm, "install", "--silent", "--no-fund", "--no-audit", "--prefix", str(home), AZURITE])
    return program


def wait_for(server: Server, process: "subprocess.Popen[bytes]") -> None:
    """Return when the server answers; any HTTP answer will do."""
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        if process.poll() is not None:
            raise FetchError(
                f"{server.kind} ended at once with {process.returncode}: is port {server.port} free?"
            )
        try:
            urllib.request.urlopen(f"http://127.0.0.1:{server.port}/", timeout=5).close()
            return
        except urllib.error.HTTPError:
            return
        except OSError:
            time.sleep(0.1)
    raise FetchError(f"{server.kind} on port {server.port} did not answer within 60 s.")


if __name__ == "__main__":
    os.environ.setdefault("PYTHONUNBUFFERED", "1")
    sys.exit(main())
