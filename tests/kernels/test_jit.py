"""Kernels: one compilation for each type, kept on disk, right whatever happens to the disk."""

import importlib.util
import os
import shutil
import stat
import subprocess
import sys
import tempfile

import numba
import numpy as np
import pytest

from toposwap.kernels import cache, compiling, jit

SOURCE = """
from toposwap.kernels.jit import kernel
from {helper} import FACTOR

@kernel(inner=True, inlined={inlined})
def scaled(x, unused):
    return FACTOR * x + {constant}

@kernel
def total(values):
    sum_ = 0.0
    for i in range(values.size):
        sum_ += scaled(values[i], -1) + scaled(values[i], i)
    return sum_
"""
HELPER = """
from toposwap.kernels.jit import kernel
FACTOR = 2.0

@kernel(inner=True, inlined={inlined})
def more(x):
    return x + {constant}
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """An empty cache."""
    monkeypatch.setattr(numba.config, "CACHE_DIR", str(tmp_path / "cache"))
    return tmp_path / "cache"


def module(path, text, name):
    """Import ``text`` from a file, anew."""
    path.write_text(text)
    spec = importlib.util.spec_from_file_location(name, path)
    made = importlib.util.module_from_spec(spec)
    sys.modules[name] = made
    spec.loader.exec_module(made)
    return made


@pytest.fixture
def load(tmp_path):
    """Import the kernels above, as a new process would: what was compiled before is on disk."""
    names = ("jit_helper", "jit_kernels")

    def make(constant=0.0, inlined=False, beyond=0.0):
        module(tmp_path / "helper.py", HELPER.format(constant=beyond, inlined=inlined), names[0])
        text = SOURCE.format(constant=constant, inlined=inlined, helper=names[0])
        return module(tmp_path / "kernels.py", text, names[1])

    yield make
    for name in names:
        sys.modules.pop(name, None)


def compiled(function):
    """Whether calling ``function`` compiles anything."""
    heard = []
    with compiling.on_compile(lambda: heard.append(True)):
        function()
    return bool(heard)


VALUES = np.arange(4.0)


def files(folder):
    return sorted(folder.rglob("*.kernel"))


def test_literals_are_numbers_and_the_second_process_loads(folder, load):
    kernels = load()
    assert compiled(lambda: kernels.total(VALUES))
    assert kernels.total(VALUES) == 24.0
    assert len(kernels.scaled.overloads) == 1
    assert len(files(folder)) == 2
    again = load()
    assert not compiled(lambda: again.total(VALUES))
    assert again.total(VALUES) == 24.0


def test_an_inner_kernel_can_be_called_from_python(folder, load):
    kernels = load(constant=1.0)
    assert kernels.total(VALUES) == 32.0
    assert kernels.scaled(3.0, -1) == 7.0
    assert kernels.scaled(3, 0) == 7.0


@pytest.mark.parametrize("inlined", [False, True])
def test_what_a_kernel_calls_has_changed(folder, load, inlined):
    assert load(inlined=inlined).total(VALUES) == 24.0
    assert load(constant=1.0, inlined=inlined).total(VALUES) == 32.0
    assert load(inlined=inlined).total(VALUES) == 24.0


@pytest.mark.parametrize("inlined", [False, True])
def test_a_kernel_of_another_file_has_changed(folder, load, tmp_path, inlined):
    text = """
from toposwap.kernels.jit import kernel
from jit_helper import more

@kernel
def one(x):
    return more(x)
"""
    for beyond in (1.0, 5.0, 1.0):
        load(beyond=beyond, inlined=inlined)
        assert module(tmp_path / "user.py", text, "jit_user").one(1.0) == 1.0 + beyond
    del sys.modules["jit_user"]


@pytest.mark.parametrize("left", [0, 10, 40, 1000, -1])
def test_files_that_were_cut_off_or_damaged_count_as_missing(folder, load, left):
    load().total(VALUES)
    whole = [path.read_bytes() for path in files(folder)]
    for path, text in zip(files(folder), whole, strict=True):
        path.write_bytes(text[:left] if left >= 0 else text[:200] + b"?" + text[201:])
    kernels = load()
    assert compiled(lambda: kernels.total(VALUES))
    assert kernels.total(VALUES) == 24.0
    again = load()
    assert not compiled(lambda: again.total(VALUES))
    assert again.total(VALUES) == 24.0


def test_a_file_of_one_kernel_is_missing(folder, load):
    load().total(VALUES)
    for path in files(folder):
        path.unlink()
        kernels = load()
        assert kernels.total(VALUES) == 24.0
        assert len(files(folder)) == 2


def test_a_folder_that_cannot_be_written(tmp_path, monkeypatch, load):
    (tmp_path / "file").write_text("")
    monkeypatch.setattr(numba.config, "CACHE_DIR", str(tmp_path / "file" / "cache"))
    for _ in range(2):
        kernels = load()
        assert compiled(lambda made=kernels: made.total(VALUES))
        assert kernels.total(VALUES) == 24.0


def test_the_next_folder_is_taken_where_the_first_cannot_be_written(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    monkeypatch.setattr(cache, "roots", lambda: [tmp_path / "file" / "a", tmp_path / "b"])
    cache.write("name", b"\x80\x04K\x07.")
    assert cache.read("name") == 7
    assert [path.name for path in (tmp_path / "b").rglob("*") if path.is_file()] == ["name"]


def test_the_digest_covers_every_file_of_the_package(tmp_path, monkeypatch):
    monkeypatch.setattr(cache, "_HERE", tmp_path)
    (tmp_path / "deep").mkdir()
    seen = set()
    for text in ("a", "b"):
        (tmp_path / "deep" / "kernel.py").write_text(text)
        seen.add(cache.contents.__wrapped__())
    (tmp_path / "deep" / "kernel.py").rename(tmp_path / "kernel.py")
    seen.add(cache.contents.__wrapped__())
    monkeypatch.setattr(numba, "__version__", "0.0")
    seen.add(cache.contents.__wrapped__())
    assert len(seen) == 4


def test_old_folders_are_removed_and_recent_ones_are_kept(tmp_path, monkeypatch):
    monkeypatch.setattr(cache, "roots", lambda: [tmp_path])
    for name, age in (("toposwap-old", 100), ("toposwap-recent", 1), ("other", 100)):
        (tmp_path / name).mkdir()
        then = cache.time.time() - age * 86400
        os.utime(tmp_path / name, (then, then))
    cache.write("name", b"\x80\x04K\x07.")
    left = {path.name for path in tmp_path.iterdir()} - {"toposwap-" + cache.contents()}
    assert left == {"toposwap-recent", "other"}
    for k in range(20):
        (tmp_path / f"toposwap-{k}").mkdir()
    shutil.rmtree(tmp_path / ("toposwap-" + cache.contents()))
    cache.write("name", b"\x80\x04K\x07.")
    assert cache.read("name") == 7
    assert len(list(tmp_path.glob("toposwap-*"))) == 8


@pytest.mark.thorough
def test_two_processes_at_once(tmp_path):
    code = (
        "import numpy as np; from toposwap.kernels.graphs.reachability import reachability;"
        "print(int(reachability(np.eye(70, k=1, dtype=bool)).sum()))"
    )
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)}
    for _ in range(2):
        both = [
            subprocess.Popen(
                [sys.executable, "-c", code],
                env=environment,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
            )
            for _ in range(2)
        ]
        for process in both:
            out, error = process.communicate(timeout=120)
            assert (out, error) == (f"{70 * 71 // 2}\n", "")
    assert len(files(tmp_path)) == 1
    assert not list(tmp_path.rglob("tmp*"))


def test_compiling_is_timed_and_announced_once(folder, load):
    kernels = load()
    heard = []
    before = compiling.compile_seconds()
    with compiling.on_compile(lambda: heard.append(True)):
        kernels.total(VALUES)
        kernels.total(VALUES.astype(np.float32))
    after = compiling.compile_seconds()
    assert len(heard) == 1
    assert after > before
    kernels.total(VALUES)
    assert compiling.compile_seconds() == after


@pytest.mark.skipif(not hasattr(os, "getuid"), reason="owners and modes are POSIX")
def test_a_folder_that_others_can_write_to_is_not_trusted(monkeypatch, tmp_path):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    private_folder = cache.private_folder.__wrapped__
    first = private_folder()
    assert stat.S_IMODE(first.stat().st_mode) == 0o700
    assert private_folder() == first
    first.chmod(0o777)
    other = private_folder()
    assert other != first
    assert stat.S_IMODE(other.stat().st_mode) == 0o700


def test_functions_without_a_file_are_compiled_and_not_kept(folder):
    space = {}
    exec("def double(x):\n    return 2 * x", space)
    assert jit.kernel(space["double"])(21) == 42
    assert not files(folder)


BORROWING = """
import numpy as np
from toposwap.kernels.jit import kernel

@kernel(borrowing=True)
def first(values):
    return values[0]

@kernel(borrowing=True)
def same(values):
    return values

@kernel
def firsts(values):
    copies = np.zeros(3)
    for i in range(3):
        copies[i] = first(values[i:])
    return copies

@kernel
def summed(values):
    return same(values).sum()
"""


def test_borrowed_arrays_are_held_as_often_as_before(tmp_path, folder):
    """By callers that make arrays, and from Python; what would have to be held is refused."""
    made = module(tmp_path / "borrowing.py", BORROWING, "jit_borrowing")
    values = np.arange(5.0)
    held = sys.getrefcount(values)
    for _ in range(3):
        assert made.firsts(values).tolist() == [0.0, 1.0, 2.0]
        assert made.first(values) == 0.0
    assert sys.getrefcount(values) == held
    with pytest.raises(TypeError, match="same: a borrowing kernel returns no arrays"):
        made.summed(values)
    sys.modules.pop("jit_borrowing", None)
