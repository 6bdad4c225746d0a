"""Find the schemas that non-local references lead to, in memory and in the folders of `--ref-dir`.

No schema is ever downloaded.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from toolgen.compiler.input_files import read_bytes


@dataclass(frozen=True, slots=True)
class RefDir:
    """A folder with schemas that references may lead to.

    A schema's URI is `uri` plus the path below it; if `uri` is None, it is its `$id`.
    """

    path: Path
    uri: str | None = None


class Documents:
    """The documents that references may lead to.

    Those in memory are found by URI, and those in folders by the URIs that `RefDir` gives them.
    """

    def __init__(self, ref_dirs: Sequence[RefDir], resources: Mapping[str, Any] | None = None) -> None:
        self._ref_dirs = ref_dirs
        self._resources = {uri.removesuffix("#"): contents for uri, contents in (resources or {}).items()}
        self._by_id: dict[str, Any] | None = None

    def read(self, uri: str) -> Any:
        """Return the document that has a URI; None if there is none. Files outside the folders are never
        read.
        """
        if uri in self._resources:
            return self._resources[uri]
        for folder in self._ref_dirs:
            if folder.uri is not None and uri.startswith(folder.uri):
                path = _inside(folder.path, unquote(uri[len(folder.uri) :]))
                if path is not None:
                    return _load(path)
        if self._by_id is None:
            self._by_id = dict(self._identified())
        return self._by_id.get(uri)

    def _identified(self) -> Iterator[tuple[str, Any]]:
        for folder in self._ref_dirs:
            if folder.uri is not None:
                continue
            for path in sorted(folder.path.rglob("*.json")):
                if _inside(folder.path, path.relative_to(folder.path)):
                    contents = _load(path)
                else:
                    contents = None
                if isinstance(contents, dict):
                    name = contents.get("$id", contents.get("id"))
                else:
                    name = None
                if isinstance(name, str):
                    yield name.removesuffix("#"), contents


def _inside(folder: Path, relative: str | Path) -> Path | None:
    """Return the file at a path in a folder; None if it does not exist or is outside the folder."""
    try:
        path = (folder / relative).resolve()
        return path if path.is_relative_to(folder.resolve()) and path.is_file() else None
    except (OSError, ValueError, RuntimeError):  # a long name, a null character, a cycle of links
        return None


def _load(path: Path) -> Any:
    try:
        return json.loads(read_bytes(path).decode("utf-8"))
    except (OSError, ValueError, RecursionError):
        return None
