"""Makes what several rooms' tests share importable from all of them."""

import signal

from hypothesis import HealthCheck, settings

# A shell has jobs in the background ignore Ctrl-C; so would every process that a test starts to interrupt.
signal.signal(signal.SIGINT, signal.default_int_handler)

# The same examples in every run: whether a change is good must not depend on the day it is tested.
# Nor on what else the machine does: how fast examples are drawn is no property of the code.
settings.register_profile("steady", derandomize=True, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("steady")
