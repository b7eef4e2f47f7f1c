"""A library, and a client whose threads and tasks come to it in an order that RACE decides."""

LIBRARY = '''
import asyncio
import os

CHANGED = os.environ.get("CHANGED", "")


class Answer:
    def __init__(self, number):
        self.number = number
        self.text = f"answer {number}"

    def status(self):
        return 200 + self.number


class Ledger:
    def __init__(self):
        self.entries = []

    def enter(self, number):
        self.entries.append(number)


class Stack:
    """Gives numbers to whoever comes."""

    def __init__(self, size):
        self._left = list(range(size))

    def take(self):
        return self._left.pop(0)


def other(number):
    return {2: 3, 3: 2}.get(number, number)


async def fetch(number):
    await asyncio.sleep(0)
    return Answer(other(number) if CHANGED == "objects" else number)


def ask():
    return Answer(0)


def first(number):
    return number * 10


def second(number):
    return other(number) * 100 if CHANGED == "results" else number * 100


def label(kind):
    return kind
'''

CLIENT = """
import asyncio
import os
import queue
import random
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from multiprocessing.pool import ThreadPool

import races

ORDER = random.Random(os.environ["RACE"])
CHANGED = os.environ.get("CHANGED", "")


def delay():
    return ORDER.random() / 100


async def one(number):
    await asyncio.sleep(delay())
    answer = await races.fetch(number)
    await asyncio.sleep(delay())
    return answer, answer.status(), answer.text


def test_gather():
    async def main():
        found = await asyncio.gather(*map(one, range(6)))
        return [answer.number for answer, *_ in found]

    assert sorted(asyncio.run(main())) == list(range(6))


async def alike():
    await asyncio.sleep(delay())
    answer = races.ask()
    await asyncio.sleep(delay())
    return answer


def test_tasks_that_do_the_same():
    async def main():
        found = await asyncio.gather(*(alike() for _ in range(5)))
        for number, answer in enumerate(found):
            answer.number = number
        return [answer.status() for answer in found]

    assert asyncio.run(main()) == [200, 201, 202, 203, 204]


def test_handed_on():
    async def maker(number, line):
        await asyncio.sleep(delay())
        line.put_nowait(await races.fetch(number))

    async def user(line):
        answer = await line.get()
        await asyncio.sleep(delay())
        return answer, answer.status()

    async def main():
        lines = [asyncio.Queue() for _ in range(4)]
        users = [asyncio.create_task(user(line)) for line in lines]
        await asyncio.gather(*(maker(number, line) for number, line in enumerate(lines)))
        return await asyncio.gather(*users)

    assert sorted(status for _, status in asyncio.run(main())) == [200, 201, 202, 203]


def work(number):
    time.sleep(delay())
    ten = races.first(number)
    time.sleep(delay())
    hundred = races.second(number)
    if CHANGED == "order":
        return races.label("late") and ten + hundred
    return ten + hundred


def backwards(number):
    time.sleep(delay())
    if CHANGED == "order":
        return races.second(number) + races.first(number)
    return races.first(number) + races.second(number)


def test_pool():
    with ThreadPoolExecutor(3) as pool:
        found = list(pool.map(work, range(9)))
    assert len(found) == 9


def test_pool_of_multiprocessing():
    with ThreadPool(3) as pool:
        assert len(pool.map(backwards, range(7), chunksize=1)) == 7


def test_executor_of_a_loop():
    async def main():
        return await asyncio.gather(*(asyncio.to_thread(work, number) for number in range(6)))

    assert len(asyncio.run(main())) == 6


def test_own_workers():
    jobs, found = queue.Queue(), []
    for number in range(8):
        jobs.put(number)

    def worker():
        while True:
            try:
                number = jobs.get_nowait()
            except queue.Empty:
                return
            kind = races.label("even") if number % 2 == 0 else None
            found.append((kind, work(number)))

    threads = [threading.Thread(target=worker) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 8


def test_own_tasks():
    async def worker(jobs):
        while not jobs.empty():
            number = jobs.get_nowait()
            await asyncio.sleep(delay())
            answer = await races.fetch(number)
            await asyncio.sleep(delay())
            answer.status()

    async def main():
        jobs = asyncio.Queue()
        for number in range(8):
            jobs.put_nowait(number)
        await asyncio.gather(*(worker(jobs) for _ in range(3)))

    asyncio.run(main())


def test_one_object_for_all():
    ledger, stack = races.Ledger(), races.Stack(3)

    def enter(number):
        time.sleep(delay())
        if number % 2:
            return stack.take()
        return ledger.enter(number)

    with ThreadPoolExecutor(3) as pool:
        found = list(pool.map(enter, range(6)))
    assert {0, 1, 2} < set(found)


def test_very_many():
    def often(number):
        return [races.first(number + each) for each in range(60)]

    with ThreadPoolExecutor(3) as pool:
        found = list(pool.map(often, range(0, 900, 60)))
    assert len(found) == 15
"""
