"""Integration: the debugger commands themselves, each building on what is known to work."""

from likewise.device import (
    Scenario,
    Step,
    Suite,
    changed,
    delete_breakpoint,
    dump,
    dump_locals,
    i32,
    increased,
    pause,
    read_memory,
    resume,
    run_until,
    set_local,
    step,
    step_over,
    unchanged,
    wait_for_breakpoint,
)

PROGRAM = "counter.c"

runs = Scenario(
    "runs to a function",
    PROGRAM,
    [
        Step("to square", run_until("square"), expect={"function": "square", "mode": "paused"}),
        Step(
            "through accumulate and main",
            dump(),
            expect={
                "callstack[0].function": "square",
                "callstack[1].function": "accumulate",
                "callstack[2].function": "main",
                "file": "counter.c",
                "line": 5,
            },
        ),
    ],
)

breaks = Scenario(
    "stops at a breakpoint each time",
    PROGRAM,
    [
        Step("let it run", resume()),
        Step("first time", wait_for_breakpoint("square"), expect={"function": "square"}),
        Step("with 1", dump_locals(), expect={"value": i32(1)}),
        Step("let it run again", resume()),
        Step("second time", wait_for_breakpoint(), expect={"function": "square", "pc": unchanged}),
        Step("with more", dump_locals(), expect={"value": increased}),
        Step("no more stops", delete_breakpoint("square")),
        Step("let it run on", resume()),
        Step("stop it by hand", pause(), expect={"mode": "paused"}),
    ],
    depends_on=[runs],
    breakpoints=["square"],
)

steps = Scenario(
    "steps line by line",
    PROGRAM,
    [
        Step("into the loop", run_until("counter.c:12"), expect={"function": "accumulate", "line": 12}),
        Step("over the call", step_over(), expect={"function": "accumulate", "line": 11}),
        Step("the sum is there", dump_locals(), expect={"sum": i32(1), "i": i32(1)}),
        Step("around", step_over(), expect={"line": 12, "pc": changed}),
        Step("into the call", step(), expect={"function": "square", "callstack[1].function": "accumulate"}),
    ],
    depends_on=[runs],
)

changes = Scenario(
    "changes locals",
    PROGRAM,
    [
        Step("into the loop", run_until("counter.c:12")),
        Step("a sum of our own", set_local("sum", 100), expect={"sum": i32(100)}),
        Step("to the end", run_until("counter.c:15"), expect={"line": 15}),
        Step("which counted on from there", read_memory("total"), expect=i32(114)),
    ],
    depends_on=[steps],
)

suite = Suite(title="debugger", scenarios=[runs, breaks, steps, changes], schedule="fewest-uploads")
