"""Small tables to spoil."""

from datetime import date, timedelta

import pandas as pd

import toposwap as ts

N, D = 50, 4
NAMES = list("abcd")


def table(seed=0, n=N, d=D):
    return ts.simulate.linear_dataset(d, n, "ER1", random_state=seed).X


def with_entry(value, column=2):
    X = table()
    X[7, column] = value
    return X


def frame(**columns):
    return pd.DataFrame(table(), columns=NAMES).assign(**columns)


def days():
    return [date(2020, 1, 1) + timedelta(k) for k in range(N)]


def exactly_dependent(means=0.0):
    X = table() + means
    X[:, 1] = 2.0 * X[:, 0] - 3.0 * X[:, 3]
    return pd.DataFrame(X, columns=NAMES)


# What is wrong: how to make it, and what the message must say (the culprit, then the remedy).
