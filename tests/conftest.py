"""Settings for the whole suite."""

import signal

from hypothesis import settings

# Kernels compile on their first call, so a single example may take seconds.
settings.register_profile("toposwap", deadline=None)
settings.load_profile("toposwap")

# A run in the background inherits an ignored Ctrl-C, which tests send to themselves and to others.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
