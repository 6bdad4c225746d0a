"""Fingerprints: what a generated file was made from, so that it need not be made again.

A file is used again only if the same generator, to the letter, with the same libraries, would read the same input
with the same options.
"""

from __future__ import annotations

import hashlib
import json
import os
import sys
from collections.abc import Mapping
from functools import cache
from typing import Any

from toolgen.schema.ref_dirs import RefDir
from toolgen.specs.tool_spec import ToolSpec

SOURCES = ("toolgen", "toolgen_templates", "toolgen_runtime")
"""The packages that decide what is generated (the runtime judges patterns, for one)."""

LIBRARIES = ("datamodel-code-generator-", "jinja2-", "jsonschema-", "pydantic-")
"""What the names of the distributions begin with that decide it, too."""


def pipeline_fingerprint(options: Mapping[str, Any]) -> str:
    """Return the fingerprint of the generator itself and of options by their names.

    An option is JSON, or folders of schemas: of those the URI and all files count, not where they are.
    """
    made = hashlib.sha256(_generator().encode())
    folders: list[RefDir] = []

    def uri_of(folder: RefDir) -> str | None:
        folders.append(folder)
        return folder.uri

    made.update(json.dumps(options, default=uri_of).encode())
    for folder in folders:
        _add_files(made, str(folder.path))
    return made.hexdigest()


def tool_fingerprints(spec: ToolSpec, pipeline: str) -> tuple[str, str]:
    """Of what a tool's module and its payload classes are made from: for the latter its description is nothing."""
    classes = _digest([pipeline, spec.name, spec.schema])
    return _digest([classes, spec.description]), classes


def index_fingerprint(modules: Mapping[str, str], pipeline: str, of_toolsets: bool = False) -> str:
    """Of a toolset's index, its tools and their modules; or of an index of toolsets and their subpackages."""
    return _digest([pipeline, of_toolsets, sorted(modules.items())])


def _digest(value: Any) -> str:
    return hashlib.sha256(json.dumps(value).encode()).hexdigest()


@cache
def _generator() -> str:
    """Of the source files of the generator, its templates and the runtime, and the versions of what they use."""
    from importlib.util import find_spec

    versions = [sys.version, *_libraries()]
    made = hashlib.sha256(json.dumps(versions).encode())
    for package in SOURCES:
        found = find_spec(package)  # which imports nothing
        for folder in (found and found.submodule_search_locations) or ():
            _add_files(made, folder, (".py", ".jinja"))
    return made.hexdigest()


def _libraries() -> list[str]:
    """The libraries that are installed, each with its version.

    Both are in the name of the folder that describes it; `importlib.metadata` costs more than the rest of a build
    in which nothing changed.
    """
    found: set[str] = set()
    for folder in sys.path:
        try:
            names = os.listdir(folder or ".")
        except OSError:
            continue
        found.update(name for name in names if name.endswith((".dist-info", ".egg-info")))
    return sorted(name for name in found if name.lower().replace("_", "-").startswith(LIBRARIES))


def _add_files(made: Any, folder: str, suffixes: str | tuple[str, ...] = "") -> None:
    """Add the paths and the contents of the files below a folder whose names end so."""
    found = {
        os.path.relpath(path, folder).replace(os.sep, "/"): path
        for root, _, names in os.walk(folder)
        for name in names
        if name.endswith(suffixes) and os.path.isfile(path := os.path.join(root, name))
    }
    for path in sorted(found):
        with open(found[path], "rb") as file:
            made.update(path.encode("utf-8", "surrogateescape") + b"\0" + file.read() + b"\0")
