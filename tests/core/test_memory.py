"""What a table costs beyond the array of floats that is made of it."""

import tracemalloc

import numpy as np
import pandas as pd
import pytest

from toposwap.core.validation import as_matrix

ROWS, COLUMNS = 20_000, 40


def mixed(**last):
    X = np.random.default_rng(0).standard_normal((ROWS, COLUMNS - 1))
    return pd.DataFrame(X, columns=[f"c{k}" for k in range(COLUMNS - 1)]).assign(**last)


def arrow(frame):
    return pytest.importorskip("pyarrow").Table.from_pandas(frame)


TABLES = {
    "truth values": lambda: mixed(last=np.arange(ROWS) % 2 == 0),
    "nullable": lambda: mixed(last=pd.array(np.arange(ROWS), dtype="Int64")),
    "integers": lambda: mixed(last=np.arange(ROWS)),
    "arrow": lambda: arrow(mixed(last=np.arange(ROWS) % 2 == 0)),
    "dict": lambda: dict(mixed(last=np.arange(ROWS) % 2 == 0)),
}


@pytest.mark.parametrize("name", TABLES)
def test_one_column_at_a_time_beside_the_result(name):
    table = TABLES[name]()
    as_matrix(table, None)
    tracemalloc.start()
    try:
        values, _ = as_matrix(table, None)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert values.shape == (ROWS, COLUMNS)
    assert values.dtype == np.float64
    assert peak - values.nbytes < 4 * values[:, 0].nbytes


def test_a_frame_of_floats_is_not_copied():
    frame = pd.DataFrame(np.random.default_rng(0).standard_normal((50, 3)), columns=list("abc"))
    values, _ = as_matrix(frame, None)
    assert np.shares_memory(values, frame.to_numpy())
