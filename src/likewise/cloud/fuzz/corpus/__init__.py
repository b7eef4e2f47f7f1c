"""Recorded answers of the real service: reading, playing on a candidate, judging, writing."""
