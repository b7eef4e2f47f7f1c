"""Processes that the kernel ends together with the one that started them, however it ended.

Also a script of its own, `leash.py PARENT COMMAND…`, because the alternative, code between fork and
exec, may deadlock where the parent has threads.
"""

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Sequence
from typing import IO

PR_SET_PDEATHSIG = 1


def leashed(command: Sequence[str]) -> tuple[str, ...]:
    """A command on a leash. The kernel ties it to the thread that starts it: that one must live on."""
    return (sys.executable, "-I", "-S", __file__, str(os.getpid()), *command)


def start_leashed(
    command: Sequence[str],
    *,
    stdin: int | IO[bytes] | None = subprocess.DEVNULL,
    stdout: int | IO[bytes] | None = subprocess.DEVNULL,
    stderr: int | IO[bytes] | None = subprocess.DEVNULL,
) -> subprocess.Popen[bytes]:
    """Start a process on a leash, in a group of its own; a thread that lives as long holds the leash."""
    found: list[subprocess.Popen[bytes] | OSError] = []
    started = threading.Event()

    def keep() -> None:
        try:
            process = subprocess.Popen(
                leashed(command),
                stdin=stdin,
                stdout=stdout,
                stderr=stderr,
                bufsize=0,
                start_new_session=True,
            )
            found.append(process)
        except OSError as error:
            found.append(error)
            return
        finally:
            started.set()
        process.wait()

    threading.Thread(target=keep, name="leash", daemon=True).start()
    started.wait()
    if isinstance(found[0], OSError):
        raise found[0]
    return found[0]


def main() -> None:
    """Ask for the signal, make sure that the parent is still there, become the command."""
    parent, *command = sys.argv[1:]
    if sys.platform == "linux":
        import ctypes  # who only starts processes does without

        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != int(parent):
        sys.exit("the parent ended before the process could start")
    try:
        os.execvp(command[0], command)
    except OSError as error:
        sys.exit(f"{command[0]} cannot be run: {error.strerror}")


if __name__ == "__main__":
    main()
