"""Boundary 2: a Python library's API. `crossing` says how what crosses it is written down."""
