"""Signals that ask a program to end."""

import signal
import sys
import threading

import pytest

from toposwap.core.runtime import signals
from toposwap.core.runtime.ctrl_c import CtrlC

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals are those of POSIX")


@pytest.fixture
def listening(monkeypatch):
    """As the command line does; everything is put back at the end."""
    before = {number: signal.getsignal(number) for number in signals.SIGNALS}
    monkeypatch.setattr(sys, "unraisablehook", sys.unraisablehook)
    monkeypatch.setattr(signals, "_received", None)
    signals.listen()
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


@pytest.mark.parametrize("number", signals.SIGNALS)
def test_each_is_an_interrupt_with_an_exit_code_of_its_own(listening, number):
    assert not signals.received()
    with pytest.raises(KeyboardInterrupt):
        signal.raise_signal(number)
    assert signals.received()
    assert signals.exit_code() == 128 + number


def test_what_is_ignored_stays_ignored(monkeypatch):
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    monkeypatch.setattr(sys, "unraisablehook", sys.unraisablehook)
    try:
        signals.listen()
        assert signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
    finally:
        signals.let_go()
        signal.signal(signal.SIGHUP, before)
        signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.mark.parametrize("number", signals.SIGNALS)
def test_a_search_notices_each(listening, number):
    error = None
    with CtrlC() as ctrl_c:
        try:
            signal.raise_signal(number)
        except KeyboardInterrupt:
            error = RuntimeError("a library's own words")
    assert ctrl_c.caused(error)
    assert signal.getsignal(number) is signals.stop


def test_a_cleanup_is_finished_first(listening):
    done = []

    def clean():
        with signals.uninterrupted():
            signal.raise_signal(signal.SIGTERM)
            done.append("cleaned")

    with pytest.raises(KeyboardInterrupt):
        clean()
    assert done == ["cleaned"]
    assert signals.exit_code() == 143
    assert signal.getsignal(signal.SIGTERM) is signals.stop


def test_a_cleanup_in_another_thread():
    done = []

    def clean():
        with signals.uninterrupted():
            done.append("cleaned")

    thread = threading.Thread(target=clean)
    thread.start()
    thread.join()
    assert done == ["cleaned"]


def test_a_signal_that_python_drops_comes_again(listening, capsys):
    class Struck:
        def __del__(self):
            signal.raise_signal(signal.SIGTERM)

    def wait():
        victim = Struck()
        del victim
        threading.Event().wait(10)

    with pytest.raises(KeyboardInterrupt):
        wait()
    assert capsys.readouterr().err == ""


def test_the_loading_of_a_module_is_not_cut_off(listening, tmp_path, monkeypatch):
    (tmp_path / "slow_to_load.py").write_text(
        "import signal\nsignal.raise_signal(signal.SIGTERM)\nloaded = True\n"
    )
    monkeypatch.syspath_prepend(tmp_path)

    def load_and_wait():
        import slow_to_load

        assert slow_to_load.loaded
        assert signals.received()
        threading.Event().wait(20)

    with pytest.raises(KeyboardInterrupt):
        load_and_wait()
