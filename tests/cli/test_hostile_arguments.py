"""Arguments and files that nobody means well with: one line, exit code 2, no traceback."""

import numpy as np
import pytest


@pytest.fixture
def table(tmp_path):
    X = np.random.default_rng(0).standard_normal((50, 3)) @ np.triu(np.ones((3, 3)))
    np.savetxt(tmp_path / "t.csv", X, delimiter=",", header="a,b,c", comments="")
    return "t.csv"


@pytest.mark.parametrize("names", ["a\nb", "a\r\nb", "x" * 200_000])
def test_names_that_are_no_row_of_a_csv(refused, table, names):
    assert "--columns: " in refused("fit", table, "--columns", names)


def test_names_with_a_line_break_in_quotes(call, tmp_path):
    (tmp_path / "t.csv").write_text('"a\nb",c,d\n1,2,3\n4,5,7\n7,7,1\n2,8,1\n3,1,4\n')
    done = call("fit", "t.csv", "--columns", '"a\nb",c', "--json")
    assert (done.code, done.err) == (0, "")


@pytest.mark.parametrize("weight", [1e300, 1e200, 1e151])
@pytest.mark.parametrize("command", ["check", "refine"])
def test_weights_whose_squares_overflow(refused, tmp_path, command, weight):
    X = np.random.default_rng(0).standard_normal((50, 3)) * 1e10
    X[:, 1] *= 1e-10
    np.savetxt(tmp_path / "t.csv", X, delimiter=",", header="a,b,c", comments="")
    np.save(tmp_path / "w.npy", np.array([[0, weight, 0], [0, 0, 0], [0, 0, 0]]))
    assert "the score of these weights overflows" in refused(command, "t.csv", "w.npy")


def test_a_message_is_no_longer_than_a_screen(refused, tmp_path):
    long = "y" * 100_000
    (tmp_path / "t.csv").write_text(f"a,{long},{long}\n1,2,3\n2,3,5\n")
    message = refused("fit", "t.csv")
    assert "duplicate column names" in message
    assert "has one meaning" in message
    assert len(message) < 2200
