"""moto's `mock_aws`: a state of its own inside the process, or nothing at all on the reference."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType
from typing import Any

from likewise.cloud.recorder.patches import ImportWatch, Patches

MODULE = "moto.core.models"


def follow_mock_aws(
    module: ModuleType, patches: Patches, entered: Callable[[bool], None], left: Callable[[], None]
) -> None:
    """Be told when the mock takes over (with a reset or without) and when it lets go.

    Server and proxy mode replace these two methods by their own: there the state is a server's, and
    only the reset matters. Before moto 5 each service had a mock of its own, which resets that alone.
    """
    mocked: list[object] = []

    def resets(mock: Any) -> bool:
        """Whether a mock replaces a state that calls can have met: not that of another service."""
        backends = getattr(mock, "backends", None)
        is_beside = bool(mocked) and not any(each is backends for each in mocked)
        mocked.append(backends)
        return not is_beside

    def make_enable(enable: Any) -> Any:
        def enable_patching(mock: Any, reset: bool = True) -> Any:
            result = enable(mock, reset=reset)
            entered(resets(mock) and reset)
            return result

        return enable_patching

    def make_disable(disable: Any) -> Any:
        def disable_patching(mock: Any, *remove_data: bool) -> Any:
            result = disable(mock, *remove_data)
            mocked.clear()
            left()
            return result

        return disable_patching

    for name in ("MockAWS", "ServerModeMockAWS", "ProxyModeMockAWS"):
        mock = getattr(module, name, None)
        underscore = "_" if hasattr(mock, "_enable_patching") else ""
        if mock is not None:
            patches.replace(mock, f"{underscore}enable_patching", make_enable)
            patches.replace(mock, f"{underscore}disable_patching", make_disable)


def neutralise_mock_aws() -> Callable[[], None]:
    """Make `mock_aws` do nothing, as a decorator and as a context; the result undoes it.

    For runs on the reference: botocore is not intercepted and the credentials in the environment
    stay as they are. moto need not be imported, now or ever.
    """
    patches = Patches()

    def nothing(_: Any) -> Any:
        def do_nothing(mock: Any, *args: Any, **kwargs: Any) -> None:
            """Leave botocore, the environment and all state alone."""

        return do_nothing

    def patch(module: ModuleType) -> None:
        for mock in (module.MockAWS, module.ServerModeMockAWS, module.ProxyModeMockAWS):
            for name in ("start", "stop", "reset"):
                patches.override(mock, name, nothing)  # before moto 5 they are those of a common base

    watch = ImportWatch({MODULE: patch})
    watch.start()

    def undo() -> None:
        watch.stop()
        patches.undo()

    return undo
