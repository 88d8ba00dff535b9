"""Partitions on the workers of a cluster, one of which is killed on the way."""

import os
import signal
import sys
import threading
import time

import numpy as np
import pytest

import toposwap as ts
from toposwap.core.errors import InputError
from toposwap.core.runtime.cluster import connect
from toposwap.streams.cluster import from_files_on

dask = pytest.importorskip("dask")
distributed = pytest.importorskip("distributed")
da = pytest.importorskip("dask.array")

X = ts.simulate.linear_dataset(5, 3000, "ER2", random_state=0).X


def same_bits(one, other):
    for field in ("mean", "scale", "factor"):
        np.testing.assert_array_equal(getattr(one, field), getattr(other, field))
    assert (one.n, one.names) == (other.n, other.names)


@pytest.mark.parametrize("chunks", [(700, 5), (700, 2), (3000, 5)])
def test_an_array_in_chunks(chunks):
    data = ts.Dataset.from_dask(da.from_array(X, chunks=chunks))
    np.testing.assert_allclose(
        data.covariance(), ts.Dataset.from_table(X).covariance(), rtol=1e-12, atol=1e-13
    )
    model = ts.Topo("bic").fit(da.from_array(X, chunks=chunks))
    np.testing.assert_allclose(
        model.adjacency_matrix_, ts.Topo("bic").fit(X).adjacency_matrix_, atol=1e-10
    )


def test_a_frame_keeps_its_names_and_refusals_name_the_partition():
    dd = pytest.importorskip("dask.dataframe")
    import pandas as pd

    frame = pd.DataFrame(X, columns=list("abcde"))
    assert ts.Dataset.from_dask(dd.from_pandas(frame, npartitions=3)).names == tuple("abcde")
    frame.loc[2900, "c"] = np.nan
    with pytest.raises(InputError, match=r"partition 2, row 901: 'c' is missing"):
        ts.Dataset.from_dask(dd.from_pandas(frame, npartitions=3))


def slowly(block):
    time.sleep(0.3)
    return block


@pytest.mark.thorough
@pytest.mark.skipif(sys.platform == "win32", reason="signals are those of POSIX")
@pytest.mark.filterwarnings("ignore")
def test_a_lost_worker_changes_no_bit(tmp_path):
    array = da.from_array(X, chunks=(500, 5)).map_blocks(slowly)
    for k, rows in enumerate(np.split(X, 4)):
        np.savetxt(tmp_path / f"{k}.csv", rows, delimiter=",", header="a,b,c,d,e", comments="")
    with (
        distributed.LocalCluster(
            n_workers=2,
            threads_per_worker=1,
            processes=True,
            dashboard_address=None,
            silence_logs=50,
        ) as local,
        connect(local.scheduler_address) as client,
    ):
        whole = ts.Dataset.from_dask(array, client=client)
        same_bits(whole, ts.Dataset.from_dask(array))
        victim = next(iter(local.workers.values())).pid
        threading.Timer(0.5, os.kill, (victim, signal.SIGKILL)).start()
        fresh = array.map_blocks(np.copy)
        same_bits(ts.Dataset.from_dask(fresh, client=client), whole)
        files = from_files_on(client, str(tmp_path / "*.csv"))
    np.testing.assert_allclose(files.covariance(), whole.covariance(), rtol=1e-12, atol=1e-13)
