"""Unit: a C maths library. On Unicorn with `likewise device run maths.py`, on QEMU with `--board qemu`."""

from likewise.device import (
    Scenario,
    Step,
    Suite,
    buffer,
    changed,
    f32,
    f64,
    i32,
    i64,
    invoke,
    reset,
    struct,
    u32,
)

PROGRAM = "maths.c"

arithmetic = Scenario(
    "arithmetic",
    PROGRAM,
    [
        Step("adds", invoke("add", 3, 4), expect=i32(7)),
        Step("wraps around", invoke("add", 2**31 - 1, 1), expect=i32(-(2**31))),
        Step("multiplies 64 bits", invoke("multiply", 2**33 + 1, 3), expect=i64(3 * 2**33 + 3)),
        Step("keeps the sign of zero", invoke("scale", f32(-0.0), f32(2)), expect=f32(-0.0)),
        Step("halves the smallest number", invoke("scale", f32.of(1), f32(0.5)), expect=f32(0.0)),
        Step("infinity times zero", invoke("scale", f32(float("inf")), f32(0)), expect=f32.nan()),
        Step("takes six arguments", invoke("polynomial", 1, 2, 3, 4, 5, 10), expect=i32(54321)),
    ],
)

memory = Scenario(
    "memory",
    PROGRAM,
    [
        Step("reads an array", invoke("mean", [f64(1), f64(2), f64(6)], 3), expect=f64(3)),
        Step("reads bytes", invoke("checksum", buffer(b"\x01\x02"), 2), expect=u32(0)),
        Step(
            "changes a structure",
            invoke("turn", struct(x=3, y=5)),
            expect={"arguments[0].x": i32(-5), "arguments[0].y": i32(3)},
        ),
    ],
    depends_on=[arithmetic],
)

state = Scenario(
    "state",
    PROGRAM,
    [
        Step("a first number", invoke("next_random"), expect=u32(270369)),
        Step("another one", invoke("next_random"), expect=changed),
        Step("back to the start", reset()),
        Step("the first one again", invoke("next_random"), expect=u32(270369)),
    ],
    depends_on=[arithmetic],
)

suite = Suite(title="maths", scenarios=[arithmetic, memory, state])
