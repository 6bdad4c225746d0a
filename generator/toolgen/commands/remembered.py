"""Store the results of a command for each tool, so that unchanged tools are not examined again.

If there are many tools, those that have not changed are not examined again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Final

from toolgen.cli.request import Request
from toolgen.compiler.specs.tool_spec import ToolSpec
from toolgen.package import cache

Remember = Callable[[ToolSpec, Callable[[], Any]], Any]
"""A function that returns what an earlier run found for the same text of a tool in the same place.

It calls the given function if there is nothing.
"""
LEAST: Final = 200
"""The number of tools below which finding it again is faster than reading earlier results."""


@contextmanager
def remembered(
    command: str, request: Request, specs: Sequence[ToolSpec], options: Sequence[str] = ()
) -> Iterator[Remember]:
    """Yield a function that looks up the stored result for a tool, or else computes and stores it.

    `options` are the values that the results depend on, in addition to the options of a build.
    """
    if len(specs) < LEAST:
        yield find_now
        return
    file = cache.file_of(command, *request.specs)
    before, now = cache.read_file(file), dict[str, Any]()
    pipeline = request.build_options().fingerprint()

    def remember(spec: ToolSpec, find: Callable[[], Any]) -> Any:
        key = " ".join([cache.tool_fingerprints(spec, pipeline)[0], str(spec.place), *options])
        if key not in now:
            known = before.get(key)
            now[key] = find() if known is None else known
        return now[key]

    yield remember
    if now.keys() != before.keys():
        cache.write_file(file, now)


def find_now(spec: ToolSpec, find: Callable[[], Any]) -> Any:  # noqa: ARG001  as `Remember` is called
    """Compute the result for a tool without storing it."""
    return find()
