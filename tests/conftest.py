"""Settings for the whole suite, and what several of its folders use."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from examples import THOROUGH, examples
from hypothesis import HealthCheck, settings

import toposwap

# Kernels compile on their first call, so a single example may take seconds.
settings.register_profile("quick", examples(40), deadline=None, derandomize=True)
settings.register_profile("thorough", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("thorough" if THOROUGH else "quick")


def pytest_collection_modifyitems(config, items):
    """Leave out what is marked ``thorough``, unless all is asked for or it is named by itself."""
    if THOROUGH or config.option.markexpr:
        return
    kept = [item for item in items if item.get_closest_marker("thorough") is None]
    config.hook.pytest_deselected(items=[item for item in items if item not in set(kept)])
    items[:] = kept


# A run in the background inherits ignored signals, which tests send to themselves and to others.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
for name in ("SIGTERM", "SIGHUP"):
    if signal.getsignal(getattr(signal, name, signal.SIGTERM)) is signal.SIG_IGN:
        signal.signal(getattr(signal, name), signal.SIG_DFL)


@pytest.fixture
def process(tmp_path):
    """Start Python in an empty directory, with the package under test."""
    home = str(Path(toposwap.__path__[0]).parent)
    path = os.pathsep.join(filter(None, [home, os.environ.get("PYTHONPATH")]))

    def start(*arguments):
        return subprocess.Popen(
            [sys.executable, *map(str, arguments)],
            cwd=tmp_path,
            env={**os.environ, "PYTHONPATH": path},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            encoding="utf-8",
        )

    return start
