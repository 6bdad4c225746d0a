"""Split files of recorded calls into parts that can be read independently and in limited memory."""

from __future__ import annotations

import codecs
import io
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Final

from toolgen.commands.audit.records.call import Unreadable
from toolgen.commands.audit.records.recognize import value_of
from toolgen.compiler.diagnostics import Place, SpecError

if TYPE_CHECKING:
    from toolgen.commands.audit.sources import Source

PART: Final = 2**22
"""The number of bytes of text in a part, which ends at a line end. Ctrl-C loses the unfinished parts."""
MAX_LINE: Final = 16 * 2**20
"""The maximum number of bytes in a line. A longer line is malformed, and is never in memory as a whole."""
_READ: Final = 2**20
BATCH: Final = 256
"""The number of rows of a Parquet file that are in memory at the same time."""
TOO_LONG: Final = Unreadable(f"longer than {MAX_LINE >> 20} MiB")


@dataclass(frozen=True, slots=True)
class TextPart:
    """A part of a text file, which consists of whole lines."""

    file: str
    first_line: int
    size: int
    """The number of bytes of the file that are read for this part."""
    data: bytes

    def records(self) -> Iterator[tuple[int, Any]]:
        """Yield each line with its number."""
        data = self.data.removeprefix(codecs.BOM_UTF8) if self.first_line == 1 else self.data
        lines: Iterable[bytes | Unreadable] = io.BytesIO(data)
        if len(data) > MAX_LINE:  # otherwise no line can be too long
            lines = (line if len(line.strip()) <= MAX_LINE else TOO_LONG for line in io.BytesIO(data))
        yield from enumerate(lines, self.first_line)


@dataclass(frozen=True, slots=True)
class Document:
    """A file that is one JSON document over many lines, such as a downloaded trace."""

    file: str
    size: int

    def records(self) -> Iterator[tuple[int, Any]]:
        """Yield each item of the document's list with its number, which starts at 1.

        Any other document is yielded as a single record.
        """
        try:
            value = value_of(Path(self.file).read_bytes()) if self.size <= MAX_LINE else TOO_LONG
        except ValueError as error:
            value = Unreadable(str(error))
        yield from enumerate(value if isinstance(value, list) else [value], 1)


@dataclass(frozen=True, slots=True)
class RowGroup:
    """One row group of a Parquet file."""

    file: str
    first_line: int
    size: int
    group: int

    def records(self) -> Iterator[tuple[int, Any]]:
        """Yield each row with its number, which starts at 1. Rows are read in batches of `BATCH`."""
        yield from enumerate(_rows(self.file, self.group, BATCH), self.first_line)


Part = TextPart | Document | RowGroup


def parts_of(sources: Sequence[Source], size: int = PART) -> Iterator[Part]:
    """Split the files into parts. Each part is yielded as soon as its end is found.

    Raises:
        SpecError: `unreadable-file`, `bad-calls`: the parts yielded so far are incomplete.
    """
    for source in sources:
        try:
            if source.kind == "parquet":
                first = 1
                for group, (count, weight) in enumerate(_groups(source.file)):
                    yield RowGroup(source.file, first, weight, group)
                    first += count
            elif source.kind == "document":
                yield Document(source.file, source.size)
            else:
                with source.open() as (raw, text):
                    yield from _blocks(source, raw, text, size)
        except PermissionError as error:
            reason, hint = error.strerror or "no permission", "make the file readable"
            raise SpecError.of(Place(source.file), "unreadable-file", reason, hint) from None
        except (OSError, EOFError, ValueError) as error:
            reason = (str(error) or type(error).__name__)[:200]
            raise SpecError.of(Place(source.file), "bad-calls", reason, "export the calls again") from None


def _blocks(source: Source, raw: IO[bytes], stream: IO[bytes], size: int) -> Iterator[TextPart]:
    """Yield the lines of a stream in parts that end at line ends. The stream is read once."""
    kept, line, before = bytearray(), 1, 0
    while block := stream.read(min(_READ, size)):
        if len(kept) - kept.rfind(b"\n") > MAX_LINE + _READ and b"\n" not in block:
            continue  # the rest of a line that is already too long
        kept += block
        end = kept.rfind(b"\n") + 1
        if end >= size:
            read = raw.tell() if source.stdin is None else 0
            yield TextPart(source.file, line, read - before, bytes(kept[:end]))
            line, before = line + kept.count(b"\n", 0, end), read
            del kept[:end]
    if kept:
        yield TextPart(source.file, line, max(source.size - before, 0), bytes(kept))


def total_size(sources: Sequence[Source]) -> int:
    """Return the total size of all files in bytes; 0 if the size of one is unknown."""
    return 0 if any(source.stdin is not None for source in sources) else sum(s.size for s in sources)


def _groups(file: str) -> list[tuple[int, int]]:
    """Return the number of rows and of compressed bytes in each row group."""
    import pyarrow.parquet

    metadata = pyarrow.parquet.ParquetFile(file).metadata
    found = []
    for index in range(metadata.num_row_groups):
        group = metadata.row_group(index)
        columns = (group.column(at).total_compressed_size for at in range(group.num_columns))
        found.append((group.num_rows, sum(columns)))
    return found


def _rows(file: str, group: int, batch: int) -> Iterator[dict[str, Any]]:
    """Yield the rows of a row group.

    Columns of structs have every key in every row, so a null in such a column is read as a missing key.
    """
    import pyarrow.parquet

    opened = pyarrow.parquet.ParquetFile(file, pre_buffer=False)
    for read in opened.iter_batches(batch, row_groups=[group]):
        types = {column.name: column.type for column in read.schema}
        for row in read.to_pylist():
            yield {name: _plain(types[name], value) for name, value in row.items()}


def _plain(kind: Any, value: Any) -> Any:
    """Return a value of a column's type as plain JSON."""
    import pyarrow.types as types

    if value is None:
        return None
    if types.is_struct(kind):
        kept = {key: item for key, item in value.items() if item is not None}
        return {key: _plain(kind.field(key).type, item) for key, item in kept.items()}
    if types.is_map(kind):
        return {str(key): _plain(kind.item_type, item) for key, item in value}
    if types.is_list(kind) or types.is_large_list(kind):
        return [_plain(kind.value_type, item) for item in value]
    return value
