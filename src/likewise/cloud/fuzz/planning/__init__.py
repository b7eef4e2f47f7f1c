"""Typical calls, what must come before them, and what else a parameter can be given."""
