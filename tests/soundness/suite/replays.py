"""Replays calls wherever that is possible, however little it saves: a plugin for runs of the suite."""

from likewise.run.proving import Prover

assert hasattr(Prover, "_is_worth_it")
Prover._is_worth_it = lambda self, replayed, whole: True  # type: ignore[method-assign]
