"""Kernels are cached on disk, also where the package itself cannot be written to."""

import os
import stat
import tempfile

import numba
import pytest

from toposwap.kernels import jit


def test_without_a_writable_cache_a_private_folder_is_used(monkeypatch, tmp_path):
    """As numba does when neither the source folder nor the home can be written."""
    compile_ = numba.njit
    refusals = []

    def njit(**options):
        def decorate(function):
            if not refusals:
                refusals.append(function)
                raise RuntimeError("cannot cache function: no locator available")
            return compile_(**options)(function)

        return decorate

    monkeypatch.setattr(numba, "njit", njit)
    monkeypatch.setattr(numba.config, "CACHE_DIR", "")
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))

    @jit.kernel
    def double(x):
        return 2 * x

    assert double(21) == 42
    assert refusals
    (folder,) = tmp_path.iterdir()
    assert str(folder) == numba.config.CACHE_DIR
    assert any(folder.rglob("*.nbi"))


@pytest.mark.skipif(not hasattr(os, "getuid"), reason="owners and modes are POSIX")
def test_a_folder_that_others_can_write_to_is_not_trusted(monkeypatch, tmp_path):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    first = jit.private_folder()
    assert stat.S_IMODE(first.stat().st_mode) == 0o700
    assert jit.private_folder() == first
    first.chmod(0o777)
    other = jit.private_folder()
    assert other != first
    assert stat.S_IMODE(other.stat().st_mode) == 0o700
