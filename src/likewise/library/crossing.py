"""How one crossing between a client and a library is written as an interaction, and read back.

A crossing is an `Interaction` of which

- `operation` is the library and the public name of what was used there: `dateutil.parser.parse`,
  `lxml.etree._Element.text`, `numpy.ndarray.__add__`. A method bears the name of the library class that is
  nearest to the receiver's own; for a callback it is the client's function, `callback on_event`, under the
  library that called it;
- `receiver` is the object it happened on, `_Element#2`, or empty for functions and modules;
- `arguments` are what was passed, as it was before the call: positions as `"0"`, `"1"`, …, keywords by name;
- `outcome` is `Returned` with the value, `Raised` with the type's name, the message and, in `value`, the
  arguments and the cause, or `Lost` where the end was not seen: a callback left by an exception of a lambda,
  a generator given up midway;
- `order` is the order in which crossings began within the test, `lane` the thread or task;
- `wire` holds the rest, read by `of`: where in the client (`at`, the alignment key: `pkg/mod.py:12:4`, line
  from 1 and column from 0, paths relative to the client's folder), which `kind`, the arguments that the call
  changed (`after`), the observed state of a receiver that was told something and said nothing, or the outline
  of an object that was made (`state`), the last crossing that began before this one was over (`until`), and
  in threads and tasks how often the client's code had come back there to where it had been (`turn`).

Only the first crossings of a test at one place are kept whole. The others are folded into one interaction of
kind `REST` for each place and operation: how many there were, and a digest over all of them in their order.
Where several threads or tasks had too many at one place, all are folded, and their order does not count.

Values are plain data (`likewise.model.Value`). None, bool, int, float, str, bytes and lists are themselves;
everything else is a mapping that says in `is` what it is:

| `is` | other keys |
|---|---|
| `tuple`, `set`, `frozenset`, `deque` | `items`; sets sorted by their text |
| `dict` | `items`: pairs of key and value, in their order |
| `class`, `function`, `module` | `name`: the qualified name, without the module for classes and functions |
| `value` | `type`, `text`: dates, decimals, paths, enumerations, patterns, ranges, … |
| `data` | `type`, `fields`: dataclasses, named tuples, attrs classes |
| `sub` | `type`, `value`: an instance of a subclass of a builtin type |
| `exception` | `type`, `message`, `args`, `cause` |
| `array` | `type`, `dtype`, `shape`, `head`, `digest` unless the head is all of it |
| `frame`, `series` | `type`, arrays: `columns`, `values`, `index` |
| `text`, `blob` | `length`, `digest`, `head`: a long str or bytes |
| `many` | `type`, `length`, `digest`, `items`: the head of a large container |
| `object` | `type`, `id`: opaque; numbered per test and type, in the order of their first appearance |
| | `late`: an object of that type had died before this one came, so that it may be the same again |
| `outline` | `names`: a public attribute of an object that was made, or none |
| `again` | `up`: a container that holds itself, so many levels up |
| `deep` | `type`: further down than is looked |
| `lost` | `why`: could not be read |

Numbers in `id` and `receiver` mean identity only: compare them through a bijection built on the way.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from likewise.model import Interaction, Mapping, Operation, Outcome, Value
from likewise.model.rows import Row


class Kind(StrEnum):
    """How the client and the library met."""

    CALL = "call"
    """The client called something, operators and other syntax included (`Matrix.__add__`)."""
    READ = "read"
    """The client read an attribute of a library object, or a constant of a module."""
    STORE = "store"
    DELETE = "delete"
    ITEM = "item"
    """A generator, iterator or coroutine of the library gave one item or its result."""
    CALLBACK = "callback"
    """The library called the client: a function handed over, or a method that overrides one."""
    YIELD = "yield"
    """A generator of the client gave an item to the library."""
    DRAW = "draw"
    """No crossing: the client drew something by chance, which will be another thing in the next run."""
    REST = "rest"
    """What came after the first crossings at one place."""


IMPORT = "(import) "
"""The test of a trace that was recorded while a client's module was imported: this and the module's name."""
FIXTURE = "(fixture) "
"""The same for a fixture that outlives the test that asked for it first: this and the fixture's name."""


RECORDER = "(recorder)"
"""The test of the trace whose `unclear` counts and names what could not be recorded."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Crossing:
    """What an interaction says about the boundary between a client and a library."""

    kind: Kind
    at: str
    """file:line:column in the client."""
    after: Mapping
    """The arguments that the call changed, as they were afterwards."""
    state: Value = None
    """What was observed on the receiver after a call that returned nothing, or on an object that was made."""
    count: int = 1
    """How many crossings this stands for."""
    until: int = 0
    """The order of the last crossing that began before this one was over; 0 where there was none."""
    digest: str = ""
    """Over the crossings that a `REST` stands for; empty where there were too many to look at."""


def of(interaction: Interaction) -> Crossing:
    """The crossing that an interaction of a library recording is."""
    wire = interaction.wire
    after, count, until = wire.get("after"), wire.get("count", 1), wire.get("until", 0)
    return Crossing(
        kind=Kind(str(wire.get("kind", Kind.CALL))),
        at=str(wire.get("at", "")),
        after=after if isinstance(after, dict) else {},
        state=wire.get("state"),
        count=count if isinstance(count, int) else 1,
        digest=str(wire.get("digest", "")),
        until=until if isinstance(until, int) else 0,
    )


def row(
    at: str,
    kind: Kind,
    *,
    operation: Operation,
    receiver: str,
    arguments: Mapping,
    outcome: Outcome,
    order: int,
    lane: str,
    after: Mapping | None = None,
    state: Value = None,
    count: int = 1,
    until: int = 0,
    digest: str = "",
    turn: int = 0,
) -> Row:
    """A crossing as the interaction that `of` reads."""
    wire: Mapping = {"at": at, "kind": kind.value}
    if after:
        wire["after"] = after
    if state is not None:
        wire["state"] = state
    if count != 1:
        wire["count"] = count
    if until > order:
        wire["until"] = until
    if digest:
        wire["digest"] = digest
    if turn:
        wire["turn"] = turn
    return operation, arguments, outcome, receiver, order, lane, wire
