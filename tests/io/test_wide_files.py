"""Files of many columns: what is looked up by name is looked up once."""

import time

import numpy as np
import pandas as pd
import pytest

from toposwap.core.errors import InputError
from toposwap.core.tables.table import NumberTable
from toposwap.core.validation import places, repeated
from toposwap.core.weights import as_weights
from toposwap.io import read_graph, read_numbers, read_order, read_weights

MANY = 20_000
NAMES = [f"g{k}" for k in range(MANY)]


@pytest.fixture
def quickly():
    """Where every name is sought among all others this takes half a minute."""
    began = time.perf_counter()
    yield
    assert time.perf_counter() - began < 5.0


def test_a_wide_table_is_read_without_pandas(tmp_path, quickly):
    row = ",".join(["0.123456789012345678"] * MANY)
    (tmp_path / "t.csv").write_text("\n".join([",".join(NAMES), *[row] * 8]))
    assert (tmp_path / "t.csv").stat().st_size > 2_000_000
    table = read_numbers(tmp_path / "t.csv")
    assert isinstance(table, NumberTable)
    assert table.values.shape == (8, MANY)
    assert table.chosen(NAMES[::-1]).columns == NAMES[::-1]


def test_a_header_with_a_name_twice(tmp_path, quickly):
    (tmp_path / "t.csv").write_text(",".join([*NAMES, "g7"]) + "\n")
    with pytest.raises(InputError, match="duplicate column names: 'g7';"):
        read_numbers(tmp_path / "t.csv")


def test_a_long_order(tmp_path, quickly):
    (tmp_path / "o.txt").write_text("\n".join(NAMES[::-1]))
    assert read_order(tmp_path / "o.txt", NAMES) == NAMES[::-1]


def test_weights_by_name(tmp_path, quickly):
    names = NAMES[:2000]
    (tmp_path / "e.csv").write_text("source,target\n" + "".join(f"{n},z\n" for n in names))
    assert len(read_graph(tmp_path / "e.csv").weights) == 2001
    frame = read_weights(tmp_path / "e.csv", [*names, "z"])
    assert as_weights(frame, [*names[::-1], "z"]).sum() == 2000


def test_repeated_and_places():
    assert repeated(["b", "a", "b", "c", "a"]) == ["b", "a"]
    assert places(["b", "a"]) == {"b": 0, "a": 1}


def test_missing_values_in_a_wide_frame(tmp_path):
    frame = pd.DataFrame(np.ones((3, 5)), columns=list("abcde"))
    frame.loc[1, "b"] = np.nan
    frame.to_csv(tmp_path / "t.csv", index=False)
    assert read_numbers(tmp_path / "t.csv")["b"].isna().sum() == 1
