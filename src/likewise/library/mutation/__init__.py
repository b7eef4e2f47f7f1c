"""Changing a library on purpose, to see how much a client's tests and its snapshots would notice."""
