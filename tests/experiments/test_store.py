"""The store survives whatever happens to the process that writes it."""

import numpy as np
import pytest

from toposwap.core.errors import InputError
from toposwap.experiments.cell import Cell
from toposwap.experiments.store import FILE, Store


def cell(seed):
    return Cell({"kind": "linear"}, {"kind": "topo"}, "least-squares", 0.3, seed)


@pytest.fixture
def folder(tmp_path):
    """A store of three cells, the first with weights."""
    with Store(tmp_path / "runs") as store:
        for seed in range(3):
            weights = np.eye(2) if seed == 0 else None
            store.append(cell(seed), "v1", {"score": 1.5 + seed}, weights)
    return tmp_path / "runs"


def test_what_was_written_is_read(folder):
    for store in (Store(folder).read(), Store(folder).__enter__()):
        assert len(store) == 3
        assert store.get(cell(2), "v1")["score"] == 3.5
        assert store.get(cell(2), "v1")["cell"]["seed"] == 2
        assert store.get(cell(2), "v2") is None
        assert store.get(cell(3), "v1") is None
        assert store.has_weights(cell(0), "v1")
        assert not store.has_weights(cell(1), "v1")
        np.testing.assert_array_equal(store.weights(cell(0), "v1"), np.eye(2))
        store.__exit__()


def test_cut_anywhere_it_loses_the_last_line_at_most(folder):
    path = folder / FILE
    content = path.read_bytes()
    ends = [k + 1 for k, byte in enumerate(content) if byte == ord("\n")]
    for length in range(0, len(content) + 1, 7):
        path.write_bytes(content[:length])
        whole = sum(end <= length for end in ends)
        assert len(Store(folder).read()) == whole
        with Store(folder) as store:
            assert len(store) == whole
            # The rest of a line is gone, so that the next one begins where it should.
            assert path.stat().st_size == ([0, *ends][whole])
            store.append(cell(9), "v1", {"score": 0.0})
        assert len(Store(folder).read()) == whole + 1


def test_versions_live_side_by_side(folder):
    with Store(folder) as store:
        store.append(cell(1), "v2", {"score": -1.0})
        assert store.get(cell(1), "v1")["score"] == 2.5
        assert store.get(cell(1), "v2")["score"] == -1.0
        assert store.get(cell(1), None)["score"] == -1.0
    assert Store(folder).read().get(cell(1), None)["score"] == -1.0


def test_a_cell_that_is_tried_again_counts_once(folder):
    with Store(folder) as store:
        store.append(cell(1), "v1", {"score": -1.0})
    store = Store(folder).read()
    assert len(store) == 3
    assert store.get(cell(1), "v1")["score"] == -1.0


def test_one_writer_at_a_time(folder):
    with Store(folder) as store:
        with pytest.raises(InputError, match="another run"):
            Store(folder).__enter__()
        assert len(Store(folder).read()) == 3
        store.append(cell(5), "v1", {})
    with Store(folder) as store:
        assert len(store) == 4


def test_reading_is_not_writing(folder):
    with pytest.raises(InputError, match="not open for writing"):
        Store(folder).read().append(cell(0), "v1", {})


def test_a_line_that_is_no_cell_is_refused(folder):
    path = folder / FILE
    path.write_bytes(b"{}\n" + path.read_bytes())
    with pytest.raises(InputError, match="line 1"):
        Store(folder).read()


def test_a_folder_that_cannot_be_made(tmp_path):
    (tmp_path / "file").write_text("", encoding="utf-8")
    with pytest.raises(InputError, match="cannot write results"):
        Store(tmp_path / "file" / "runs").__enter__()
