"""End to end: a message goes to the firmware, its callback stops at a breakpoint, the answer comes back."""

from likewise.device import (
    Controls,
    Scenario,
    Step,
    Suite,
    delete_breakpoint,
    dump,
    dump_locals,
    read_memory,
    receive,
    resume,
    u32,
    wait_for_breakpoint,
)


def send_greeting(testee: Controls) -> int:
    """What a person at a terminal would do."""
    greeting = b"hello\n"
    testee.send(greeting)
    return len(greeting)


listens = Scenario(
    "listens",
    "uart.c",
    [
        Step("start", resume()),
        Step("it greets", receive(), expect=b"ready\n"),
    ],
)

answers = Scenario(
    "hands a message to the callback and answers",
    "uart.c",
    [
        Step("start", resume()),
        Step("it greets", receive(), expect=b"ready\n"),
        Step("somebody writes", send_greeting, expect=6),
        Step("the callback is called", wait_for_breakpoint("on_message"), expect={"function": "on_message"}),
        Step(
            "by the interrupt",
            dump(),
            expect={"callstack[1].function": "receive", "callstack[2].function": "IRQ5_Handler"},
        ),
        Step("with five characters", dump_locals(), expect={"size": u32(5)}),
        Step("which are these", read_memory("message", 5), expect=b"hello"),
        Step("nobody else looks", delete_breakpoint("on_message")),
        Step("go on", resume()),
        Step("it answers", receive(), expect=b"got it\n"),
    ],
    depends_on=[listens],
    breakpoints=["on_message"],
)

suite = Suite(title="uart", scenarios=[listens, answers], testees=["qemu"])
