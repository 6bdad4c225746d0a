"""Find files of recorded calls, recognize their type by their first bytes, and open them."""

from __future__ import annotations

import codecs
import errno
import gzip
import os
import re
import stat
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import IO, BinaryIO, Final, Literal, cast

from toolgen.compiler.diagnostics import Diagnostic, Place, SpecError
from toolgen.compiler.input_files import open_at_once, unreadable

STDIN: Final = "-"
SUFFIXES: Final = (".jsonl", ".ndjson", ".jsonl.gz", ".ndjson.gz", ".parquet")
"""The suffixes of the files to read from a folder."""
Kind = Literal["text", "document", "gzip", "parquet"]
_PARQUET: Final = b"PAR1"
_GZIP: Final = b"\x1f\x8b"
_ZSTD: Final = b"\x28\xb5\x2f\xfd"
_DOCUMENT: Final = re.compile(rb"(\xef\xbb\xbf)?\s*[\[{]+\s*\n")
"""Matches the first line of a JSON document on many lines, such as a downloaded trace."""
_WIDE: Final = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE, codecs.BOM_UTF32_BE)
"""Byte order marks of UTF-16 and UTF-32; the little-endian mark of UTF-32 begins with that of UTF-16."""


@dataclass
class Source:
    """A file of recorded calls, a pipe, or standard input."""

    file: str
    kind: Kind
    size: int = 0
    """The number of bytes on disk."""
    stdin: BinaryIO | None = None
    """Standard input or an open pipe, which can be read only once."""

    @contextmanager
    def open(self) -> Iterator[tuple[IO[bytes], IO[bytes]]]:
        """Open the file. Yield it, together with a stream of its decompressed text."""
        with ExitStack() as stack:
            raw = self.stdin or stack.enter_context(Path(self.file).open("rb"))
            yield raw, cast(IO[bytes], stack.enter_context(gzip.open(raw))) if self.kind == "gzip" else raw
            if self.file != STDIN:
                raw.close()


def sources_of(paths: Sequence[str], stdin: BinaryIO | None = None) -> list[Source]:
    """Return all files that some paths lead to.

    A path is a file, a folder (all files with one of `SUFFIXES`, at any depth), or `-`.

    Raises:
        SpecError: `no-such-file`, `unreadable-file` or `empty-folder` for each path with a problem.
    """
    found: list[Source] = []
    problems: list[Diagnostic] = []
    for path in dict.fromkeys(paths):
        if path == STDIN:
            found.append(Source(STDIN, "text", stdin=stdin or BytesIO()))
            continue
        for file in _files(path, problems):
            try:
                found.append(_source(file))
            except SpecError as error:
                problems += error.diagnostics
            except (OSError, ValueError) as error:
                problems += unreadable(file, error).diagnostics
    if problems:
        raise SpecError(problems)
    return found


def _files(path: str, problems: list[Diagnostic]) -> list[str]:
    folder = Path(path)
    if not os.path.isdir(path):
        return [folder.as_posix()]
    files = [file for file in folder.rglob("*") if file.name.lower().endswith(SUFFIXES) and file.is_file()]
    if not files:
        message = f"no recorded calls ({', '.join(SUFFIXES)}) in this folder"
        problems.append(Diagnostic(Place(path), "empty-folder", message, "name the files"))
    return [file.as_posix() for file in sorted(files)]


def _source(file: str) -> Source:
    """Return a file as a source. A pipe stays open, because it can be read only once.

    Raises:
        OSError: the file cannot be read, or is a device, which may never end.
        SpecError: `bad-encoding`.
    """
    stream = open(file, "rb", opener=open_at_once)  # noqa: SIM115  a pipe is read later
    mode = os.fstat(stream.fileno()).st_mode
    if stat.S_ISREG(mode):
        with stream:
            start = stream.peek(4)
            text: Kind = "document" if _DOCUMENT.match(start) else "text"
            return Source(file, _kind(file, start, text), os.fstat(stream.fileno()).st_size)
    if not stat.S_ISFIFO(mode) and not stat.S_ISSOCK(mode):
        stream.close()
        raise OSError(errno.EINVAL, "this is a device, not a file", file)
    kind = _kind(file, stream.peek(4), "text")
    if kind == "parquet":
        stream.close()
        raise OSError(errno.ESPIPE, "Parquet cannot be read from a pipe", file)
    return Source(file, kind, stdin=stream)


def _kind(file: str, start: bytes, otherwise: Kind) -> Kind:
    """Return the kind of a file, recognized by its first bytes."""
    if start.startswith(_WIDE):
        message = "the text is not UTF-8: it begins with the byte order mark of another encoding"
        raise SpecError.of(Place(file), "bad-encoding", message, "save the file as UTF-8")
    if start.startswith(_ZSTD):
        message, hint = "Zstandard is not read", f"run: zstd -dc {file} | toolgen audit - --specs ..."
        raise SpecError.of(Place(file), "bad-calls", message, hint)
    if start.startswith(_PARQUET):
        import pyarrow.parquet  # noqa: F401  reports that it is missing before the work starts

        return "parquet"
    return "gzip" if start.startswith(_GZIP) else otherwise
