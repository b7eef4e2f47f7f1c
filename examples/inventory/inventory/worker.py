"""The background thread that serves pending orders."""

import threading

from botocore.exceptions import ClientError

from inventory.orders import Orders, OutOfStock


class Worker:
    """Looks for pending orders again and again until it is stopped."""

    def __init__(self, orders: Orders, *, interval: float = 0.02) -> None:
        self.orders = orders
        self.interval = interval
        self.polls = 0
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._serve, name="order-worker", daemon=True)

    def __enter__(self) -> "Worker":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stopping.set()
        self._thread.join()

    def _serve(self) -> None:
        while not self._stopping.is_set():
            self.polls += 1
            for order in self.orders.in_state("pending"):
                self._close(order["order"])
            self._stopping.wait(self.interval)

    def _close(self, order: str) -> None:
        try:
            self.orders.fulfil(order)
        except OutOfStock:
            self.orders.reject(order)
        except ClientError as error:
            # The index may still list an order that is closed already.
            if error.response["Error"]["Code"] != "TransactionCanceledException":
                raise
