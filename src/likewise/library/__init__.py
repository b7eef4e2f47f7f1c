"""Boundary 2: a Python library's API. Its recorder comes with the library snapshots."""
