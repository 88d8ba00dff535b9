"""What is said about a table without being asked."""

import numpy as np
import pytest

import toposwap as ts
from toposwap.core.dataset import Dataset
from toposwap.core.tables.notices import notices

RNG = np.random.default_rng(0)
N = 100


def told(**columns):
    base = {"a": RNG.normal(size=N), "b": RNG.normal(size=N), "c": RNG.normal(size=N)}
    return notices(Dataset.from_table(base | columns))


def with_mark(x, mark, rows=5):
    x = np.array(x, dtype=float)
    x[RNG.choice(N, rows, replace=False)] = mark
    return x


@pytest.mark.parametrize("mark", [-999, -99, 9999])
def test_marks_of_missing_values(mark):
    (notice,) = told(x=with_mark(RNG.normal(20.0, 5.0, N), mark))
    assert notice.startswith(f"{mark} in 5 rows of 'x': far from all other values")


def test_several_marks_of_missing_values():
    x = with_mark(with_mark(RNG.integers(0, 18, N), 99), 98, 3)
    (notice,) = told(x=x)
    assert notice.startswith(f"98 and 99 in {int((x > 90).sum())} rows of 'x'")


@pytest.mark.parametrize("name", ["id", "ID", "patient_id", "PatientID", "individual", "id.1"])
def test_identifiers_by_name(name):
    (notice,) = told(**{name: RNG.integers(0, 50, N)})
    assert notice.startswith(f"{name!r}: an identifier by its name")


@pytest.mark.parametrize(
    ("name", "x"),
    [
        ("width", RNG.integers(0, 50, N)),
        ("idea", RNG.integers(0, 50, N)),
        ("id", RNG.normal(size=N)),
        ("id", RNG.integers(1, 6, N)),
    ],
)
def test_what_is_no_identifier(name, x):
    assert told(**{name: x}) == ()


def test_an_identifier_that_the_user_wants_is_none():
    columns = {"a": RNG.normal(size=N), "id": RNG.integers(0, 50, N)}
    assert notices(Dataset.from_table(columns, kinds={"id": "continuous"})) == ()


def test_running_numbers_of_few_rows():
    columns = {"a": RNG.normal(size=12), "b": RNG.normal(size=12), "year": np.arange(12) + 1947}
    (notice,) = notices(Dataset.from_table(columns))
    assert notice.startswith("'year' counts the rows")


@pytest.mark.parametrize(
    "x",
    [
        RNG.normal(0.0, 500.0, N),
        with_mark(RNG.normal(0.0, 500.0, N), -999, 2),
        with_mark(RNG.normal(20.0, 5.0, N), -999, 1),
        RNG.integers(0, 100, N),
        with_mark(RNG.integers(0, 99, N), 99),
        RNG.choice([-9.0, 9.0], N),
    ],
)
def test_numbers_that_are_no_marks(x):
    assert told(x=x) == ()


@pytest.mark.parametrize("x", [np.arange(N), np.arange(N, 0, -1), 1990 + np.arange(N) / 4])
def test_running_numbers(x):
    (notice,) = told(x=x)
    assert notice.startswith("'x' counts the rows, as a running number or an index of time does")
    assert "rows are taken as independent" in notice


def test_time():
    (notice,) = told(x=np.sort(RNG.normal(size=N)))
    assert notice.startswith("'x' never turns back from row to row, as time does, or what")
    walk = {name: RNG.normal(size=N).cumsum() for name in "abc"}
    (notice,) = told(**walk)
    assert notice.startswith("neighbouring rows are alike in 'a'")
    assert "no method for time series" in notice


def test_a_table_sorted_by_a_class_is_no_series():
    kind = np.repeat([0.0, 3.0, 6.0], [30, 40, 30])
    assert told(**{name: kind + RNG.normal(size=N) for name in "abc"}) == ()


def test_independent_rows_and_few_rows_are_not_talked_about():
    assert told() == ()
    assert notices(Dataset.from_table(np.column_stack([np.arange(9.0), RNG.normal(size=9)]))) == ()
    assert notices(Dataset.from_covariance(np.eye(3), 100)) == ()


def test_a_notice_is_a_remark_and_a_warning():
    X = np.column_stack([np.arange(N), RNG.normal(size=(N, 2))])
    with pytest.warns(ts.ToposwapWarning, match="'x0' counts the rows"):
        model = ts.Topo().fit(X)
    assert model.remarks_[0].startswith("'x0' counts the rows")
