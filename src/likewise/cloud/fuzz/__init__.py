"""Differential fuzzing: the same calls on two targets through the real SDKs, every difference explained."""
