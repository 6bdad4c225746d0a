"""Parquet files, row group by row group."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from toolgen.diagnostics import Place, SpecError

Convert = Callable[[Any], Any]


def groups(file: str) -> list[tuple[int, int]]:
    """Return the number of rows and the compressed bytes of each row group."""
    metadata = require(file).ParquetFile(file).metadata
    found = []
    for index in range(metadata.num_row_groups):
        group = metadata.row_group(index)
        columns = (group.column(at).total_compressed_size for at in range(group.num_columns))
        found.append((group.num_rows, sum(columns)))
    return found


def rows(file: str, group: int, batch: int) -> Iterator[dict[str, Any]]:
    """Yield the rows of a row group.

    Columns of structs have every key in every row, so a null in one is a key that is not there.
    """
    opened = require(file).ParquetFile(file, pre_buffer=False)
    for read in opened.iter_batches(batch, row_groups=[group]):
        converters = {column.name: _converter(column.type) for column in read.schema}
        for row in read.to_pylist():
            yield {name: converters[name](value) for name, value in row.items()}


def _converter(kind: Any) -> Convert:
    """Return what makes plain JSON of a column's values."""
    import pyarrow.types as types

    if types.is_struct(kind):
        inner = {kind.field(at).name: _converter(kind.field(at).type) for at in range(kind.num_fields)}
        return lambda value: (
            value and {key: inner[key](item) for key, item in value.items() if item is not None}
        )
    if types.is_map(kind):
        item = _converter(kind.item_type)
        return lambda value: value if value is None else {str(key): item(each) for key, each in value}
    if types.is_list(kind) or types.is_large_list(kind):
        item = _converter(kind.value_type)
        return lambda value: value if value is None else [item(each) for each in value]
    return lambda value: value


def require(file: str) -> Any:
    """Return pyarrow's module for Parquet; refuse the file without it, before any work is done.

    Raises:
        SpecError: `missing-extra`.
    """
    try:
        import pyarrow.parquet
    except ImportError:
        hint = "run: pip install 'toolgen[audit]'"
        message = "pyarrow, which reads Parquet, is not installed"
        raise SpecError.of(Place(file), "missing-extra", message, hint) from None
    return pyarrow.parquet
