"""Find tool definitions among recorded calls. An export often has enough of them to audit its own calls."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any, Final

from toolgen.commands.audit.partitions import parts_of
from toolgen.commands.audit.records.call import at, mappings, parsed
from toolgen.commands.audit.records.recognize import value_of
from toolgen.commands.audit.records.traces import steps_of
from toolgen.commands.audit.sources import Source
from toolgen.compiler.specs.load import read_value
from toolgen.compiler.specs.tool_spec import ToolSpec

PLACES: Final = (("tools",), ("toolConfig", "tools"), ("request",), ("body",))
"""Where a record, other than a trace, has the tools that the model was given, or the request with these tools."""
NESTED: Final = 4


def recorded_tools(sources: Sequence[Source]) -> list[ToolSpec]:
    """Return the tools that are defined in files of recorded calls. For each name, the last definition
    counts.

    Raises:
        SpecError: a file cannot be read to its end.
    """
    texts: dict[str, None] = {}
    for part in parts_of(sources):
        for _, record in part.records():
            for one in definitions(record):
                with suppress(
                    RecursionError, TypeError, ValueError
                ):  # nested too deeply or, in Parquet, no JSON
                    texts[json.dumps(one, sort_keys=True)] = None
    found = (tool for text in texts for tool in read_value([json.loads(text)]).tools)
    return list({tool.name: tool for tool in found}.values())


def definitions(record: Any, levels: int = NESTED) -> Iterator[Any]:
    """Yield the tool definitions in a record, which is a value or the JSON text of a line."""
    if isinstance(record, str | bytes):
        try:
            record = value_of(record)
        except ValueError:
            return
    if isinstance(record, list) and levels:
        for item in record:
            yield from definitions(item, levels - 1)
    elif isinstance(record, Mapping):
        for step in steps_of(record) or ():
            yield from step.tools()
        for place in PLACES:
            found = at(record, *place)
            if isinstance(found, Mapping) and levels:
                yield from definitions(found, levels - 1)
            elif isinstance(found, list):
                yield from mappings([*map(parsed, found)])
