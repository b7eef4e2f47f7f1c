"""Unit: scripts in the form of WebAssembly's core tests, imported and run to the last bit."""

from pathlib import Path

from likewise.device.wasm.core_tests import import_core_tests

suite = import_core_tests(Path(__file__).with_name("core")).suite(testees=["wasm"])
