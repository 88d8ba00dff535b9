"""Data that need not fit in memory: read once, in batches, of which only moments are kept.

================  ==================================================================================
:mod:`.batches`   whatever a caller holds of rows, as columns of numbers
:mod:`.files`     batches from one file or many, CSV or Parquet
:mod:`.pass_`     one pass over batches, to a data set of moments
:mod:`.sample`    rows drawn from batches, each with the same chance
:mod:`.cluster`   the same on a dask cluster
================  ==================================================================================
"""

from toposwap.streams.batches import Batch, batches_of
from toposwap.streams.cluster import from_dask
from toposwap.streams.files import FileStream
from toposwap.streams.pass_ import from_batches, from_files
from toposwap.streams.sample import sampled_rows

__all__ = [
    "Batch",
    "FileStream",
    "batches_of",
    "from_batches",
    "from_dask",
    "from_files",
    "sampled_rows",
]
