"""Testees, one file each."""
