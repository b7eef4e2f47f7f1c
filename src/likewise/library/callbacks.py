"""Functions of the client that the library calls, noticed in Python where they begin and end."""

from __future__ import annotations

import sys
import threading
from types import FrameType
from typing import Any

from likewise.library.asking import Asker
from likewise.library.hub import CLIENT, LIBRARY


class Callbacks(Asker):
    """What rewritten functions of the client call first and last."""

    def _is_watched(self) -> bool:
        if self.state.frames or threading.current_thread() is not threading.main_thread():
            return True
        asyncio = sys.modules.get("asyncio")
        return asyncio is not None and asyncio._get_running_loop() is not None

    def _is_called_by_library(self, frame: FrameType) -> bool:
        if self.state.busy:
            return False
        back = frame.f_back
        if not self._is_watched():
            # Nobody waits for the library: others may have called it, or a class is being made.
            return back is not None and self._file(back.f_code) == LIBRARY
        for _ in range(40):
            if back is None:
                return False
            owner = self._file(back.f_code)
            if owner == LIBRARY:
                return True
            if owner == CLIENT:
                return bool(self.state.frames) and self.state.frames[-1] is back
            back = back.f_back
        return False

    def entry(self, site: Any, /, *args: Any) -> None:
        """A function of the client begins."""
        if self._is_called_by_library(sys._getframe(1)):
            token = self.ask(self.hub.entry, site, args)
            if token is not None:
                self._tokens[id(sys._getframe(1))] = token

    def leave(self, value: Any, /) -> Any:
        """It returns a value."""
        if self._tokens:
            token = self._tokens.pop(id(sys._getframe(1)), None)
            if token is not None:
                self.ask(self.hub.end, token, value)
        return value

    def done(self) -> None:
        """It is over, in whichever way."""
        if self._tokens:
            token = self._tokens.pop(id(sys._getframe(1)), None)
            if token is not None:
                error = sys.exc_info()[1]
                if error is None:
                    self.ask(self.hub.end, token, None)
                else:
                    self.ask(self.hub.fail, token, error)

    def hush(self) -> None:
        """A destructor begins: it runs whenever somebody lets go, and what it does is nobody's doing."""
        self.state.hushed.append(self.state.busy)
        self.state.busy = True

    def unhush(self) -> None:
        """It is over."""
        self.state.busy = self.state.hushed.pop()

    def lambda_entry(self, site: Any, /, *args: Any) -> Any:
        """A lambda of the client begins."""
        if self._is_called_by_library(sys._getframe(1)):
            return self.ask(self.hub.entry, site, args)
        return None

    def lambda_leave(self, token: Any, value: Any, /) -> Any:
        """It returns a value."""
        if token is not None:
            self.ask(self.hub.end, token, value)
        return value

    def give(self, site: Any, value: Any, /) -> Any:
        """A generator of the client yields a value."""
        if self._is_called_by_library(sys._getframe(1)):
            token = self.ask(self.hub.entry, site, (), "yield")
            if token is not None:
                self.ask(self.hub.end, token, value)
        return value
