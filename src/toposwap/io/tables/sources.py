"""Where the bytes of a table are: a file or standard input, packed or not."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import re
import sys
import zipfile
import zlib
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, cast

from toposwap.core.errors import InputError, MissingExtraError
from toposwap.io.csv_files import is_number
from toposwap.io.existing import existing_file

if TYPE_CHECKING:
    import os
    from collections.abc import Callable
    from typing import TypeAlias

    Packed: TypeAlias = Path | io.BytesIO
    Opener: TypeAlias = Callable[[Packed, str], IO[bytes]]

#: What unpacking may raise when a file is damaged.
DAMAGED = (OSError, EOFError, zlib.error, lzma.LZMAError, zipfile.BadZipFile, RuntimeError)
#: Bytes of the beginning that decide the format, the encoding and the separator.
SAMPLE = 1 << 18
_ZIP = (b"PK\x03\x04", b"PK\x05\x06")
_FIELDS = re.compile(r"[,;\t| ]+")
#: A spreadsheet is a zip archive with one of these in it.
_WORKBOOKS = ("xl/workbook.xml", "xl/workbook.bin", "content.xml")


@dataclass(frozen=True, eq=False)
class Source:
    """Bytes that can be read more than once, unpacked on the way.

    Attributes
    ----------
    shown
        The name in quotes, for messages.
    path
        The file, or None for standard input.
    content
        What came from standard input.
    """

    shown: str
    path: Path | None
    content: bytes = b""

    @classmethod
    def of(cls, path: str | os.PathLike[str]) -> Source:
        """The file called ``path``; ``-`` is standard input, which is read to its end."""
        if str(path) == "-":
            stream = getattr(sys.stdin, "buffer", None)
            content = b"" if stream is None else stream.read()
            if not content:
                raise InputError("standard input is empty: it must hold a table")
            return cls("standard input", None, content)
        file = existing_file(path, "column names and rows")
        return cls(repr(str(file)), file)

    @property
    def ending(self) -> str:
        """The last ending of the name, less that of the packing; empty for standard input."""
        if self.path is None:
            return ""
        name = self.path.name.lower()
        for packed in (".gz", ".bz2", ".xz", ".zst", ".zip"):
            name = name.removesuffix(packed)
        return Path(name).suffix

    @property
    def seekable(self) -> Any:
        """What a reader of whole files takes: the path itself, or the bytes where there is none."""
        if self.packed or self.path is None:
            return io.BytesIO(self.read())
        return self.path

    @cached_property
    def packed(self) -> bool:
        """Whether reading it means unpacking."""
        return self._unpack is not None

    @property
    def remarks(self) -> int:
        """Lines at the beginning that tell about the table and are left out: those after a #."""
        return self._before[0]

    @property
    def skipped(self) -> int:
        """Their bytes, and those of a # before the names."""
        return self._before[1]

    @cached_property
    def _before(self) -> tuple[int, int]:
        with self._from_the_beginning() as stream:
            return _before_the_names(self._reading(lambda: stream.read(SAMPLE)))

    @cached_property
    def head(self) -> bytes:
        """The first bytes, unpacked."""
        with self.open() as stream:
            return self._reading(lambda: stream.read(SAMPLE))

    @property
    def whole(self) -> bool:
        """Whether :attr:`head` is all there is."""
        return len(self.head) < SAMPLE

    @property
    def size(self) -> int:
        """Bytes, of a packed file about as many as there are once it is unpacked."""
        bytes_ = len(self.content) if self.path is None else self.path.stat().st_size
        return 8 * bytes_ if self.packed else bytes_

    def read(self) -> bytes:
        """All bytes, unpacked."""
        with self.open() as stream:
            return self._reading(stream.read)

    def open(self) -> IO[bytes]:
        """A stream of the bytes from the beginning of the table, unpacked."""
        stream = self._from_the_beginning()
        self._reading(lambda: stream.read(self.skipped))
        return stream

    def _from_the_beginning(self) -> IO[bytes]:
        if self._unpack is None:
            return self._raw()
        return self._reading(lambda: cast("Opener", self._unpack)(self._packed(), self.shown))

    def _raw(self) -> IO[bytes]:
        return io.BytesIO(self.content) if self.path is None else self.path.open("rb")

    def _packed(self) -> Packed:
        return io.BytesIO(self.content) if self.path is None else self.path

    @cached_property
    def _unpack(self) -> Opener | None:
        with self._raw() as stream:
            first = stream.read(8)
        if first.startswith(_ZIP):
            return self._from_zip()
        found = (opener for magic, opener in _PACKED.items() if first.startswith(magic))
        return next(found, None)

    def _from_zip(self) -> Opener | None:
        """How to open the one file of an archive; None of a spreadsheet, which is an archive."""

        def contents() -> list[str]:
            with zipfile.ZipFile(self._packed()) as archive:
                return archive.namelist()

        inside = self._reading(contents)
        if any(name in inside for name in _WORKBOOKS):
            return None
        files = [name for name in inside if not name.endswith("/") and "__MACOSX" not in name]
        if len(files) != 1:
            raise InputError(
                f"{self.shown} is an archive of {len(files)} files: unpack it and give one of them"
            )

        def unpacked(packed: Packed, _shown: str) -> IO[bytes]:
            with zipfile.ZipFile(packed) as archive:
                return io.BytesIO(archive.read(files[0]))

        return unpacked

    def _reading(self, read: Callable[[], Any]) -> Any:
        try:
            return read()
        except DAMAGED as error:
            raise InputError(
                f"cannot read {self.shown}: {error or type(error).__name__}"
            ) from error


def _before_the_names(head: bytes) -> tuple[int, int]:
    """How many lines and bytes of a file that begins with lines after a # are before its names.

    The last of those lines holds the names if only numbers follow, or as many fields as it has.
    """
    at, lines, last = 0, 0, 0
    while head.startswith(b"#", at):
        end = head.find(b"\n", at)
        if end < 0:
            return 0, 0
        last, at, lines = at, end + 1, lines + 1
    if lines == 0:
        return 0, 0
    told = head[last:at]
    below = head[at:].split(b"\n", 1)[0]
    numbers = all(is_number(field) for field in _FIELDS.split(below.decode("latin-1").strip()))
    alike = any(told.count(mark) == below.count(mark) > 0 for mark in (b",", b";", b"\t", b"|"))
    if numbers or alike:
        return lines - 1, last + len(told) - len(told.lstrip(b"# \t"))
    return lines, at


def _from_zst(packed: Packed, shown: str) -> IO[bytes]:
    """By pyarrow, or by the package for this format alone."""
    content = packed.read_bytes() if isinstance(packed, Path) else packed.read()
    try:
        import pyarrow as pa

        return io.BytesIO(pa.CompressedInputStream(pa.BufferReader(content), "zstd").read())
    except ImportError:
        pass
    try:
        import zstandard
    except ImportError:
        raise MissingExtraError("pyarrow", "parquet", f"reading {shown} (zstd)") from None
    try:
        unpacked = zstandard.ZstdDecompressor().stream_reader(content, read_across_frames=True)
        return io.BytesIO(unpacked.read())
    except zstandard.ZstdError as error:
        raise InputError(f"cannot read {shown}: {error}") from error


#: How a packed file begins, and what opens it.
_PACKED: dict[bytes, Opener] = {
    b"\x1f\x8b": lambda packed, _shown: cast("IO[bytes]", gzip.open(packed)),  # noqa: SIM115
    b"BZh": lambda packed, _shown: cast("IO[bytes]", bz2.open(packed)),  # noqa: SIM115
    b"\xfd7zXZ\x00": lambda packed, _shown: cast("IO[bytes]", lzma.open(packed)),  # noqa: SIM115
    b"\x28\xb5\x2f\xfd": _from_zst,
}
