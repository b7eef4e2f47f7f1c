"""Makes what several rooms' tests share importable from all of them."""

import signal

# A shell has jobs in the background ignore Ctrl-C; so would every process that a test starts to interrupt.
signal.signal(signal.SIGINT, signal.default_int_handler)
