"""MicroPython over a lossy serial line: the raw REPL, and an agent that executes steps in batches."""
