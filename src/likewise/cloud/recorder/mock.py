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
    only the reset matters.
    """

    def make_enable(enable: Any) -> Any:
        def enable_patching(mock: Any, reset: bool = True) -> Any:
            result = enable(mock, reset=reset)
            entered(reset)
            return result

        return enable_patching

    def make_disable(disable: Any) -> Any:
        def disable_patching(mock: Any, remove_data: bool) -> Any:
            result = disable(mock, remove_data)
            left()
            return result

        return disable_patching

    for name in ("MockAWS", "ServerModeMockAWS", "ProxyModeMockAWS"):
        mock = getattr(module, name, None)
        if mock is not None:
            patches.replace(mock, "_enable_patching", make_enable)
            patches.replace(mock, "_disable_patching", make_disable)


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
        for name in ("start", "stop", "reset"):
            patches.replace(module.MockAWS, name, nothing)
        for mock in (module.ServerModeMockAWS, module.ProxyModeMockAWS):
            patches.replace(mock, "reset", nothing)

    watch = ImportWatch({MODULE: patch})
    watch.start()

    def undo() -> None:
        watch.stop()
        patches.undo()

    return undo
