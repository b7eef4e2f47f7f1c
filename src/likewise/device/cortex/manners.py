"""What a GDB server can do: asked once, when it is reached, so that nothing is tried on it later."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from likewise.device.cortex.core import CoreLost, CoreTimedOut
from likewise.device.cortex.registers import Registers
from likewise.device.cortex.remote import Remote
from likewise.device.links import Deadline

SMALL_PACKET = 400
"""Bytes of a packet that every server takes: what GDB itself sends where the server does not say."""
OVERHEAD = 32
PATIENCE = 0.5
"""Seconds in which the second of two requests is answered by a server that reads on."""
GO, STEP = b"vCont;c", b"vCont;s"


@dataclass(slots=True, kw_only=True)
class Manners:
    """How this server wants to be talked to."""

    chunk: int = (SMALL_PACKET - OVERHEAD) // 2
    """Bytes of memory in one packet."""
    go: bytes = b"c"
    step: bytes = b"s"
    takes_binary: bool = False
    takes_all_registers: bool = False
    takes_one_register: bool = False
    registers: Registers = field(default_factory=Registers)
    sample: bytes = b""
    """An answer to `g`, where it gives all registers."""


def learn(remote: Remote, deadline: Deadline) -> Manners:
    """Ask. Raises CoreLost where it is no server of a Cortex-M that stands still."""
    found = Manners()
    said = remote.ask(b"qSupported:swbreak+;hwbreak+;multiprocess-;xmlRegisters=arm", deadline)
    if size := re.search(rb"PacketSize=([0-9a-fA-F]+)", said):
        found.chunk = max(4, (int(size[1], 16) - OVERHEAD) // 2)
    if b"QStartNoAckMode+" in said:
        remote.stop_acknowledging(deadline)
    if b"qXfer:features:read+" in said:
        document = _read_description(remote, b"target.xml", found.chunk, deadline)
        _check_architecture(document, remote.description)
        found.registers = Registers(document)
    _learn_reading_on(remote, deadline)
    can_run, one, binary = remote.ask_all([b"vCont?", b"p0", b"X0,0:"], deadline)
    if {b"c", b"s"} <= set(can_run.removeprefix(b"vCont;").split(b";")):
        found.go, found.step = GO, STEP
    found.takes_binary = binary == b"OK"
    _learn_registers(remote, found, one, deadline)
    return found


def _learn_reading_on(remote: Remote, deadline: Deadline) -> None:
    """Whether a server that is given two packets in one write answers both."""
    standing = remote.ask(b"?", deadline)
    if standing[:1] not in (b"T", b"S"):
        ended = "its program has ended" if standing[:1] in (b"W", b"X") else "not a GDB server"
        raise CoreLost(f"{remote.description}: {ended} (it answered {standing[:40]!r})")
    remote.send([b"?", b"g"], deadline)
    remote.receive(deadline)
    try:
        remote.receive(Deadline(min(PATIENCE, deadline.left)))
    except CoreTimedOut:
        # Its answer comes before the next one's, if it comes at all.
        remote.send([b"?"], deadline)
        if remote.receive(deadline)[:1] in (b"T", b"S"):
            remote.reads_on = False
        else:
            remote.receive(deadline)


def _learn_registers(remote: Remote, found: Manners, one: bytes, deadline: Deadline) -> None:
    """Which ways of reading and writing registers there are: what is written is what was there."""
    sample = remote.ask(b"g", deadline)
    if found.registers.fit(sample):
        found.takes_all_registers = remote.ask(b"G" + sample, deadline) == b"OK"
        found.sample = sample
    if len(one) == 8:
        found.takes_one_register = remote.ask(b"P0=" + one, deadline) == b"OK"
    if not (found.takes_all_registers or found.takes_one_register):
        raise CoreLost(
            f"{remote.description}: the registers cannot be changed (it answered {sample[:40]!r} to g "
            f"and {one[:40]!r} to p0)"
        )


def _read_description(remote: Remote, name: bytes, chunk: int, deadline: Deadline) -> bytes:
    """A document with those that it includes."""
    text = b""
    while True:
        answer = remote.ask(b"qXfer:features:read:%s:%x,%x" % (name, len(text), chunk), deadline)
        text += answer[1:]
        if answer[:1] == b"l":
            break
        if answer[:1] != b"m" or len(answer) == 1:
            return b""
    for inner in re.findall(rb'<xi:include\s+href="([^"]+)"', text):
        text += _read_description(remote, inner, chunk, deadline)
    return text


def _check_architecture(document: bytes, where: str) -> None:
    named = re.search(rb"<architecture>\s*([^<\s]+)\s*</architecture>", document)
    if named is not None and not named[1].lower().startswith(b"arm"):
        raise CoreLost(
            f"{where}: this server's processor is {named[1].decode(errors='replace')}, not a Cortex-M"
        )
