"""Writing: completely or not at all."""

from __future__ import annotations

import os
import signal
import stat
from pathlib import Path

import pytest

from toposwap.core.errors import InputError
from toposwap.io.atomic import check_writable, replacing, together, write_text


def names_in(folder):
    return sorted(entry.name for entry in folder.iterdir())


def test_new_contents_take_the_place_of_old_ones(tmp_path):
    target = tmp_path / "a.csv"
    target.write_text("old")
    write_text(target, "new, naïve 雪\r\n")
    assert target.read_bytes().decode() == "new, naïve 雪\r\n"
    assert names_in(tmp_path) == ["a.csv"]


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt, OSError])
def test_a_failure_leaves_everything_as_it_was(tmp_path, error):
    target = tmp_path / "a.csv"
    target.write_text("old")

    def fail():
        with replacing(target) as temporary:
            temporary.write_text("half")
            raise error("in the middle")

    with pytest.raises(InputError if error is OSError else error):
        fail()
    assert target.read_text() == "old"
    assert names_in(tmp_path) == ["a.csv"]


def test_nothing_appears_before_the_end(tmp_path):
    target = tmp_path / "a.csv"
    with replacing(target) as temporary:
        temporary.write_text("text")
        assert temporary.parent == tmp_path
        assert not target.exists()
    assert target.read_text() == "text"


def test_several_files_take_their_places_together(tmp_path):
    (tmp_path / "a.csv").write_text("old")
    with together():
        write_text(tmp_path / "a.csv", "new")
        with together():
            write_text(tmp_path / "b.csv", "new")
        assert (tmp_path / "a.csv").read_text() == "old"
        assert not (tmp_path / "b.csv").exists()
    assert names_in(tmp_path) == ["a.csv", "b.csv"]
    assert (tmp_path / "a.csv").read_text() == "new"


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt])
def test_a_failure_between_several_files_leaves_everything_as_it_was(tmp_path, error):
    (tmp_path / "a.csv").write_text("old")

    def fail():
        with together():
            write_text(tmp_path / "a.csv", "new")
            write_text(tmp_path / "b.csv", "new")
            raise error

    with pytest.raises(error):
        fail()
    assert names_in(tmp_path) == ["a.csv"]
    assert (tmp_path / "a.csv").read_text() == "old"
    write_text(tmp_path / "c.csv", "alone again")
    assert (tmp_path / "c.csv").exists()


@pytest.mark.skipif(os.name == "nt", reason="signals are those of POSIX")
def test_no_signal_comes_between_the_first_and_the_last(tmp_path, monkeypatch):
    replace = Path.replace

    def struck(self, target):
        signal.raise_signal(signal.SIGINT)
        return replace(self, target)

    monkeypatch.setattr(Path, "replace", struck)

    def write():
        with together():
            for name in "abc":
                write_text(tmp_path / name, "new")

    with pytest.raises(KeyboardInterrupt):
        write()
    assert names_in(tmp_path) == ["a", "b", "c"]


@pytest.mark.parametrize("write", [check_writable, lambda path: write_text(path, "x")])
def test_targets_that_cannot_be_written(tmp_path, write):
    with pytest.raises(InputError, match=r"'.*nowhere/a\.csv'.*nowhere' does not exist; create it"):
        write(tmp_path / "nowhere" / "a.csv")
    with pytest.raises(InputError, match="is a directory; add a file name"):
        write(tmp_path)
    if hasattr(os, "mkfifo"):
        os.mkfifo(tmp_path / "pipe")
        with pytest.raises(InputError, match="not an ordinary file"):
            write(tmp_path / "pipe")


def test_a_directory_without_permission(tmp_path, monkeypatch):
    def refuse(*_):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(os, "open", refuse)
    with pytest.raises(InputError, match=r"a\.csv'.*permission denied; choose a directory"):
        check_writable(tmp_path / "a.csv")


def test_a_write_protected_file_is_respected(tmp_path, monkeypatch):
    target = tmp_path / "a.csv"
    target.write_text("old")
    monkeypatch.setattr(os, "access", lambda *_: False)
    with pytest.raises(InputError, match="write-protected"):
        write_text(target, "new")
    assert target.read_text() == "old"


def test_checking_leaves_no_trace(tmp_path):
    target = tmp_path / "a.csv"
    check_writable(target)
    assert names_in(tmp_path) == []
    target.write_text("old")
    check_writable(target)
    assert target.read_text() == "old"


@pytest.mark.skipif(os.name == "nt", reason="modes and links are those of POSIX")
def test_modes_and_links_are_kept(tmp_path):
    umask = os.umask(0o027)
    try:
        write_text(tmp_path / "new.csv", "x")
    finally:
        os.umask(umask)
    assert stat.S_IMODE((tmp_path / "new.csv").stat().st_mode) == 0o640
    old = tmp_path / "old.csv"
    old.write_text("old")
    old.chmod(0o604)
    link = tmp_path / "link.csv"
    link.symlink_to(old)
    write_text(link, "new")
    assert link.is_symlink()
    assert old.read_text() == "new"
    assert stat.S_IMODE(old.stat().st_mode) == 0o604
