"""WebAssembly as testees meet it: LEB128, modules, source lines, tools, core tests."""
