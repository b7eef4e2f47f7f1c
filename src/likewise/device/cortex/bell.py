"""How the end of a call is noticed: by a watched word where that is quicker, otherwise by a breakpoint."""

from __future__ import annotations

from likewise.device.cortex.remotecore import RemoteCore
from likewise.device.cortex.room import Room


class Bell:
    """Stands while calls are made, not while the program itself runs: that may write where it likes."""

    def __init__(self, core: RemoteCore, room: Room, *, watches: bool) -> None:
        self._core, self._room = core, room
        self.watches = watches

    def arm(self) -> None:
        """Stop where calls come back."""
        room = self._room
        if self.watches and not self._core.set_bell(room.bell, room.ringer):
            self.watches = False
        if not self.watches:
            self._core.set_stop(room.back)

    def disarm(self) -> None:
        """The program may write to the word from now on."""
        self._core.clear_bell()

    def silence(self) -> bool:
        """After a stop elsewhere: whether a call itself wrote to the word. Then a breakpoint takes over."""
        if not self.watches or not self._core.is_rung:
            return False
        self.disarm()
        self.watches = False
        self.arm()
        return True
