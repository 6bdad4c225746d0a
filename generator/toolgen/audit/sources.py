"""The files of recorded calls: which there are, what they are by their first bytes, and how they are opened."""

from __future__ import annotations

import gzip
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, BinaryIO, Final, Literal, cast

from toolgen.diagnostics import Diagnostic, Place, SpecError

STDIN: Final = "-"
SUFFIXES: Final = (".jsonl", ".ndjson", ".jsonl.gz", ".ndjson.gz", ".jsonl.zst", ".ndjson.zst", ".parquet")
"""Names of the files of a folder that are read."""
Kind = Literal["text", "gzip", "zstd", "parquet", "stream"]
_MAGIC: Final[tuple[tuple[bytes, Kind], ...]] = (
    (b"PAR1", "parquet"),
    (b"\x1f\x8b", "gzip"),
    (b"\x28\xb5\x2f\xfd", "zstd"),
)


@dataclass
class Source:
    """One file, or standard input."""

    file: str
    kind: Kind
    size: int = 0
    """In bytes, as it lies on disk."""
    stdin: BinaryIO | None = None
    _raw: IO[bytes] | None = field(default=None, repr=False)

    @contextmanager
    def open(self) -> Iterator[IO[bytes]]:
        """Open the text, decompressed."""
        with ExitStack() as stack:
            if self.stdin is not None:
                self._raw = self.stdin
            else:
                self._raw = stack.enter_context(Path(self.file).open("rb"))
            if self.kind == "gzip":
                yield cast(IO[bytes], stack.enter_context(gzip.open(self._raw)))
            elif self.kind == "zstd":
                from toolgen.audit.parquet import zstd

                yield zstd(self._raw)
            else:
                yield self._raw

    def consumed(self) -> int:
        """Return how many bytes of the file have been read."""
        return self._raw.tell() if self._raw is not None and self.stdin is None else 0


def sources_of(paths: Sequence[str], stdin: BinaryIO | None = None) -> list[Source]:
    """Return the files that paths name: files, folders (their `SUFFIXES`, with what is below them), and `-`.

    Raises:
        SpecError: `no-such-file`, `unreadable-file`, `empty-folder`; each file that is so.
    """
    found: list[Source] = []
    problems: list[Diagnostic] = []
    for path in dict.fromkeys(paths):
        if path == STDIN:
            found.append(Source(STDIN, "stream", stdin=stdin))
            continue
        for file in _files(path, problems):
            try:
                found.append(_source(file))
            except FileNotFoundError:
                problems.append(
                    Diagnostic(Place(file), "no-such-file", "no such file or folder", "correct the path")
                )
            except (OSError, ValueError) as error:
                reason = getattr(error, "strerror", None) or str(error)
                problems.append(Diagnostic(Place(file), "unreadable-file", reason, "make the file readable"))
    if problems:
        raise SpecError(problems)
    return found


def _files(path: str, problems: list[Diagnostic]) -> list[str]:
    folder = Path(path)
    if not folder.is_dir():
        return [folder.as_posix()]
    files = [file for file in folder.rglob("*") if file.name.lower().endswith(SUFFIXES) and file.is_file()]
    if not files:
        message = f"no recorded calls ({', '.join(SUFFIXES)}) in this folder"
        problems.append(Diagnostic(Place(path), "empty-folder", message, "name the files"))
    return [file.as_posix() for file in sorted(files)]


def _source(file: str) -> Source:
    with Path(file).open("rb") as stream:
        start = stream.read(4)
        kind: Kind = "text" if stream.seekable() else "stream"
        for magic, known in _MAGIC:
            if start.startswith(magic):
                kind = known
        return Source(file, kind, Path(file).stat().st_size)
