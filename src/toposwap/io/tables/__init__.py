"""Tables of data, from files of every usual kind and to files.

======================  ============================================================================
:mod:`.sources`         where the bytes are: a file or standard input, packed or not
:mod:`.dialect`         how a text is written: encoding, separator, decimal mark
:mod:`.text_files`      CSV, TSV and their kin
:mod:`.whole_files`     Parquet, Arrow, Excel, JSON
:mod:`.plain_csv`       small files of nothing but numbers, without pandas
:mod:`.written_numbers` 160,000 and 1,5
======================  ============================================================================
"""

from toposwap.io.tables.reading import read_numbers, read_table
from toposwap.io.tables.whole_files import require_pyarrow
from toposwap.io.tables.writing import PARQUET, table_suffix, write_table

__all__ = [
    "read_table",
    "read_numbers",
    "write_table",
    "table_suffix",
    "require_pyarrow",
    "PARQUET",
]
