"""Tables of categories from the command line."""

from tables import category_table


def test_from_the_command_line(call, tmp_path):
    file = tmp_path / "categories.csv"
    rows = [["a", "b", "c", "d", "e"], *(category_table(8, 5, 400).astype(int) + 1).tolist()]
    letters = "zyxwv"
    lines = [",".join(rows[0])]
    lines += [",".join(letters[v - 1] for v in row) for row in rows[1:]]
    file.write_text("\n".join(lines) + "\n")
    done = call("fit", file, "--score", "bdeu", "--penalty", "3")
    assert done.code == 0
    assert "global minimum" in done.out
    told = " ".join(done.out.split())
    assert "3 rows evenly over all cells" in told
    assert "no continuous parameters" in told
    done = call("fit", file)
    assert "categorical-bic: all 5 columns are categories" in " ".join(done.out.split())
