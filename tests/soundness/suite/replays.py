"""Replays calls wherever that is possible, however little it saves: a plugin for runs of the suite."""

from likewise.run.outlay import Outlay

assert callable(Outlay.pays)
assert callable(Outlay.leaves)
Outlay.pays = lambda self, replayed, *, whole, still: True  # type: ignore[method-assign]
Outlay.leaves = lambda self, calls: True  # type: ignore[method-assign]
