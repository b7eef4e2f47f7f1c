"""Likewise: which results from a stand-in to trust, which to prove on the real thing."""
