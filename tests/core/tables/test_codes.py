"""Levels and codes of columns."""

import numpy as np
import pandas as pd
import pytest

from toposwap.core.dataset import Dataset
from toposwap.core.errors import InputError
from toposwap.core.tables.codes import codes_of_rows

TABLE = pd.DataFrame(
    {
        "origin": ["usa", "japan", "europe", "usa", "japan", "usa"],
        "size": pd.Categorical([5, 3, 9, 3, 5, 5]),
        "smoker": [True, False, True, True, False, False],
        "grade": pd.Categorical(list("bacabc"), ["c", "a", "b", "unused"], ordered=True),
    }
)


def test_codes_and_levels():
    data = Dataset.from_table(TABLE)
    for j, names in enumerate(
        [("europe", "japan", "usa"), (3, 5, 9), (0, 1), ("c", "a", "b")],
    ):
        coded = data.coded(j)
        assert coded.levels.names == names
        assert [coded.levels.names[c] for c in coded.codes] == TABLE.iloc[:, j].tolist()
        assert data.coded(j) is coded
    assert data.nominal == ("origin", "size")


def test_rows_without_weight_have_no_levels():
    data = Dataset.from_table(TABLE, sample_weight=[2, 1, 0, 1, 1, 3])
    assert data.coded(0).levels.names == ("japan", "usa")
    assert data.coded(0).codes.tolist() == [1, 0, 1, 0, 1]


def test_codes_of_new_rows():
    data = Dataset.from_table(TABLE)
    levels = [data.coded(j).levels for j in range(4)]
    codes = codes_of_rows(data.rows[::-1], levels, data.names)
    assert (codes == np.column_stack([data.coded(j).codes for j in range(4)])[::-1]).all()
    strange = data.rows.copy()
    strange[2, 1] = 4.0
    with pytest.raises(InputError, match=r"column 'size' holds 4, .* its values are 3, 5, 9"):
        codes_of_rows(strange, levels, data.names)
