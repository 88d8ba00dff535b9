"""Settings for the whole suite, and what several of its folders use."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import settings

import toposwap

# Kernels compile on their first call, so a single example may take seconds.
settings.register_profile("toposwap", deadline=None)
settings.load_profile("toposwap")

# A run in the background inherits an ignored Ctrl-C, which tests send to themselves and to others.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


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
