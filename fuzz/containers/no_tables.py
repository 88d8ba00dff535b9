"""What is no table, and must be refused."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from fuzz.containers.registry import container

if TYPE_CHECKING:
    from fuzz.containers.registry import Held
    from fuzz.draws import Draw
    from fuzz.tables import Table


@container("no table", 3)
def _no_table(table: Table, draw: Draw) -> Held:
    values = table.values
    return draw.among(
        [
            None,
            3.5,
            "table.csv",
            values[:, 0],
            values[None],
            np.empty((0, 3)),
            np.empty((5, 0)),
            np.empty((0, 0)),
            values.astype(complex) + 1j,
            values.astype("U8"),
            np.full(values.shape, np.datetime64("2020-01-01")),
            np.zeros(5, dtype=[("a", float), ("b", int)]),
            [[1.0, 2.0], [3.0]],
            [],
            [[]],
            {},
            {"a": [1.0, 2.0, 3.0], "b": [1.0, 2.0]},
            {"a": [[1.0], [2.0]], "b": [[1.0], [3.0]]},
            iter(values.tolist()),
            np.array([["1", 2], ["3", 4], ["4", 3]], dtype=object),
            np.array([[{}, 2], [[], 4], [(), 3]], dtype=object),
            np.float64(1.0),
            b"bytes",
            {1, 2, 3},
            object(),
            float,
        ]
    ), None
