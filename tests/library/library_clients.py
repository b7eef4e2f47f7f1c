"""A small library and a client that uses it in every way the language offers."""

from __future__ import annotations

LIBRARY = """
import asyncio
import contextlib
import datetime
import threading

LIMIT = 3

def double(value):
    return _times(value, 2)

def _times(value, factor):
    return value * factor

def apply(function, *args, **kwargs):
    return function(*args, **kwargs)

def quietly(function):
    try:
        return function()
    except Exception as error:
        return type(error).__name__

def fill(items):
    items.append("filled")

def count(upto):
    for number in range(upto):
        received = yield number
        if received:
            yield received

def total(items):
    return sum(items)

def deco(function):
    def wrapper(*args):
        return ("wrapped", function(*args))
    return wrapper

@contextlib.contextmanager
def opened(name):
    yield name.upper()

async def fetch(value):
    await asyncio.sleep(0)
    return value + 1

async def stream(upto):
    for number in range(upto):
        yield number

def in_thread(function):
    results = []
    thread = threading.Thread(target=lambda: results.append(function()))
    thread.start()
    thread.join()
    return results

class Zone(datetime.tzinfo):
    def utcoffset(self, moment):
        return datetime.timedelta(hours=2)

    def dst(self, moment):
        return datetime.timedelta(0)

    def tzname(self, moment):
        return "Z2"


class Maker(type):
    def __new__(cls, name, bases, namespace):
        made = super().__new__(cls, name, bases, namespace)
        made.options = made.Options(name)
        return made


class Made(metaclass=Maker):
    Options = str


class Box:
    kind = "box"

    def __init__(self, *items):
        self.items = list(items)
        self.label = "plain"

    @property
    def first(self):
        return self.items[0]

    @classmethod
    def of(cls, text):
        return cls(*text)

    @staticmethod
    def weight(number):
        return number * 10

    def put(self, item):
        self.items.append(item)
        self.changed()

    def changed(self):
        pass

    def __add__(self, other):
        return len(self.items) + other

    def __radd__(self, other):
        return other + len(self.items)

    def __neg__(self):
        return -len(self.items)

    def __len__(self):
        return len(self.items)

    def __iter__(self):
        return iter(self.items)

    def __contains__(self, item):
        return item in self.items

    def __getitem__(self, index):
        return self.items[index]

    def __setitem__(self, index, value):
        self.items[index] = value

    def __delitem__(self, index):
        del self.items[index]

    def __eq__(self, other):
        return isinstance(other, Box) and self.items == other.items

    __hash__ = None

    def __call__(self, number):
        return self.items[number]

    def __str__(self):
        return "Box of " + ", ".join(map(str, self.items))

    def __enter__(self):
        return "entered"

    def __exit__(self, *error):
        return error[0] is KeyError

    async def __aenter__(self):
        return "async entered"

    async def __aexit__(self, *error):
        return None
"""

ELSEWHERE = """
import boxes

def double_of(function):
    return boxes.apply(function)
"""
"""Somebody else's, who uses the library on the client's behalf."""

CLIENT = """
import asyncio
import datetime
import functools
import boxes
import boxes as aliased
import elsewhere
from boxes import LIMIT, Box, count, double


class Crate(Box):
    def __init__(self, *items):
        super().__init__(*items)
        self.seen = 0

    def changed(self):
        self.seen += 1


def functions():
    return [double(1), aliased.double(2), getattr(boxes, "double")(3), functools.partial(double, 4)()]


def higher_order():
    return [list(map(double, [1, 2])), sorted([3, 1], key=double)]


def attributes():
    box = Box(1, 2)
    box.label = "new"
    del box.label
    return [box.first, box.items, Box.kind, boxes.LIMIT, LIMIT, getattr(box, "kind"), hasattr(box, "label")]


def methods():
    return [Box.of("ab").first, Box.weight(2), Box(1)(0)]


def operators():
    box = Box(1, 2)
    box[0] = 5
    del box[1]
    value = 1
    value += box
    return [box + 1, 1 + box, -box, len(box), 5 in box, 6 not in box, box[0], box == Box(5), value]


def texts():
    box = Box(1)
    return [str(box), f"{box}", f"{box!s:>12}", "yes" if box else "no", not Box()]


def loops():
    box = Box(1, 2)
    a, b = box
    return [[each for each in box], [*box], (a, b), list(box), sum(box)]


def generators():
    made = []
    for number in count(9):
        made.append(number)
        if number == 2:
            break
    stepping = count(2)
    made.append(next(stepping))
    def delegate():
        yield from count(2)
    return [made, list(delegate())]


def contexts():
    made = []
    with Box() as name, boxes.opened("x") as other:
        made += [name, other]
    with Box():
        raise KeyError("swallowed")
    return made


def callbacks():
    def mine(value, *, by=1):
        return value + by
    def failing():
        raise ValueError("mine")
    def items():
        yield 1
        yield 2
    return [
        boxes.apply(mine, 1, by=2),
        boxes.apply(lambda value: value * 3, 2),
        boxes.quietly(failing),
        boxes.total(items()),
        boxes.in_thread(lambda: 7),
    ]


def subclass():
    crate = Crate(1)
    crate.put(2)
    return [crate.seen, crate.items, len(crate)]


def zones():
    there = datetime.datetime(2020, 1, 1, tzinfo=datetime.timezone.utc).astimezone(boxes.Zone())
    then = datetime.datetime.fromtimestamp(0, tz=boxes.Zone())
    there.replace(hour=1)
    return [there.isoformat(), then.hour, there.tzname(), datetime.datetime(2020, 1, 1).isoformat()]


def made():
    class Options:
        def __init__(self, name):
            self.name = name
    class Mine(boxes.Made):
        pass
    Mine.Options = Options
    class Further(Mine):
        pass
    return [Mine.options, Further.options.name]


def by_others():
    return elsewhere.double_of(lambda: 4)


class Held:
    def __init__(self, box):
        self.box = box

    def __del__(self):
        'As it stands.'
        self.close()

    def close(self):
        return boxes.double(self.box.first)


def destructors():
    held = [Held(Box(1))]
    boxes.apply(held.clear)
    made = held, Held(Box(2)).close()
    return [*made, Held.__del__.__doc__]


def mutated():
    given = []
    boxes.fill(given)
    return given


@boxes.deco
def decorated(value):
    return value


def errors():
    try:
        Box()[3]
    except IndexError as error:
        first = str(error)
    try:
        boxes.missing
    except AttributeError as error:
        second = str(error)
    return [first, second]


async def main():
    made = [await boxes.fetch(1), [each async for each in boxes.stream(2)]]
    async with Box() as entered:
        made.append(entered)
    made += await asyncio.gather(boxes.fetch(2), asyncio.create_task(boxes.fetch(3)))
    return made


def asynchronous():
    return asyncio.run(main())
"""

USES = {
    "functions": "[2, 4, 6, 8]",
    "higher_order": "[[2, 4], [1, 3]]",
    "attributes": "[1, [1, 2], 'box', 3, 3, 'box', False]",
    "methods": "['a', 20, 1]",
    "operators": "[2, 2, -1, 1, True, True, 5, True, 2]",
    "texts": "['Box of 1', 'Box of 1', '    Box of 1', 'yes', True]",
    "loops": "[[1, 2], [1, 2], (1, 2), [1, 2], 3]",
    "generators": "[[0, 1, 2, 0], [0, 1]]",
    "contexts": "['entered', 'X']",
    "callbacks": "[3, 6, 'ValueError', 3, [7]]",
    "subclass": "[1, [1, 2], 2]",
    "zones": "['2020-01-01T02:00:00+02:00', 2, 'Z2', '2020-01-01T00:00:00']",
    "made": "['Mine', 'Further']",
    "by_others": "4",
    "destructors": "[[], 4, 'As it stands.']",
    "mutated": "['filled']",
    "errors": "['list index out of range', \"module 'boxes' has no attribute 'missing'\"]",
    "asynchronous": "[2, [0, 1], 'async entered', 3, 4]",
}
"""The client's functions and what they return, with or without a recorder."""

TESTS = (
    "import client\n"
    + "".join(
        f"\ndef test_{name}():\n    assert client.{name}() == {value}\n" for name, value in USES.items()
    )
    + "\ndef test_decorated():\n    assert client.decorated(1) == ('wrapped', 1)\n"
)
