"""Settings for the whole suite."""

from hypothesis import settings

# Kernels compile on their first call, so a single example may take seconds.
settings.register_profile("toposwap", deadline=None)
settings.load_profile("toposwap")
