"""Boundary 3: the debug link of a device. Its testees come with managed device testing."""
