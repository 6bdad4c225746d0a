"""Fingerprints of what a generated file depends on, so that unchanged files are not generated again.

A file is reused only if exactly the same generator, with the same libraries, would read the same input with the
same options.
"""

from __future__ import annotations

import hashlib
import json
import os
import sys
from collections.abc import Mapping
from functools import cache
from importlib.util import find_spec
from typing import Any

from toolgen.schema.ref_dirs import RefDir
from toolgen.specs.tool_spec import ToolSpec

SOURCES = ("toolgen", "toolgen_templates", "toolgen_runtime")
"""The packages that the generated text depends on (the runtime compiles patterns, for example)."""

LIBRARIES = ("datamodel-code-generator-", "jinja2-", "jsonschema-", "pydantic-")
"""The beginnings of the names of the distributions that it depends on as well."""


def pipeline_fingerprint(options: Mapping[str, Any]) -> str:
    """Return the fingerprint of the generator itself and of options by their names.

    An option is JSON, or folders of schemas, of which the URI and the files count, but not the path.
    """
    hasher = hashlib.sha256(_generator().encode())
    folders: list[RefDir] = []

    def uri_of(folder: RefDir) -> str | None:
        folders.append(folder)
        return folder.uri

    hasher.update(json.dumps(options, default=uri_of).encode())
    for folder in folders:
        _add_files(hasher, str(folder.path))
    return hasher.hexdigest()


def tool_fingerprints(spec: ToolSpec, pipeline: str) -> tuple[str, str]:
    """Return the fingerprints of a tool's module and of its payload classes, which have the schema alone."""
    classes = _digest([pipeline, spec.name, spec.schema])
    return _digest([classes, spec.description, spec.metadata]), classes


def index_fingerprint(modules: Mapping[str, str], pipeline: str, of_toolsets: bool = False) -> str:
    """Return the fingerprint of an index: of tools and their modules, or of toolsets and their subpackages."""
    return _digest([pipeline, of_toolsets, sorted(modules.items())])


def _digest(value: Any) -> str:
    return hashlib.sha256(json.dumps(value).encode()).hexdigest()


@cache
def _generator() -> str:
    """Return the fingerprint of the generator's, templates' and runtime's sources and of their libraries."""
    versions = [sys.version, *_libraries()]
    hasher = hashlib.sha256(json.dumps(versions).encode())
    for package in SOURCES:
        spec = find_spec(package)  # imports nothing
        for folder in (spec and spec.submodule_search_locations) or ():
            _add_files(hasher, folder, (".py", ".jinja"))
    return hasher.hexdigest()


def _libraries() -> list[str]:
    """Return the names of the metadata folders of installed libraries, which have their names and versions.

    `importlib.metadata` would take longer than the rest of a build in which nothing changed.
    """
    folders: set[str] = set()
    for folder in sys.path:
        try:
            names = os.listdir(folder or ".")
        except OSError:
            continue
        folders.update(name for name in names if name.endswith((".dist-info", ".egg-info")))
    return sorted(name for name in folders if name.lower().replace("_", "-").startswith(LIBRARIES))


def _add_files(hasher: Any, folder: str, suffixes: str | tuple[str, ...] = "") -> None:
    """Add the paths and contents of the files below a folder whose names end with `suffixes`."""
    start = len(os.path.join(folder, ""))
    files = {
        path[start:].replace(os.sep, "/"): path
        for root, _, names in os.walk(folder)
        for name in names
        if name.endswith(suffixes) and os.path.isfile(path := os.path.join(root, name))
    }
    for path in sorted(files):
        with open(files[path], "rb", buffering=0) as file:
            hasher.update(path.encode("utf-8", "surrogateescape") + b"\0" + file.read() + b"\0")
