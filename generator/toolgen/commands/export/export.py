"""Write tools in a provider's format.

There is a diagnostic for each part that the format cannot express.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from toolgen.compiler.containment.containment import mean_same
from toolgen.compiler.diagnostics import Diagnostic, Place, with_counts
from toolgen.compiler.schema.cycles import everything
from toolgen.compiler.schema.lower import LowerOptions, lower
from toolgen.compiler.schema.output_schemas import check_output_root, check_output_schema
from toolgen.compiler.specs.load import read_value
from toolgen.compiler.specs.tool_spec import ToolSpec
from toolgen_runtime.validation.tool import Tool
from toolgen_transcripts import codec_for
from toolgen_transcripts.apis import api_of

PROVIDERS: Final = (
    "mcp",
    "openai",
    "openai-responses",
    "anthropic",
    "bedrock",
    "gemini",
    "gemini-interactions",
)
"""The formats. A module of `toolgen_transcripts`, which has the same name with underscores, writes each."""
_ENVELOPES: Final = {"bedrock": "toolConfig"}
"""The key of a request that contains the tools, for providers that nest them."""
_ADVICE: Final = "if you need this part, change the tool"


@dataclass(frozen=True, slots=True)
class Exported:
    """The content of an exported file, with a diagnostic for everything that is lost."""

    value: dict[str, Any]
    diagnostics: tuple[Diagnostic, ...]


def export(
    specs: Sequence[ToolSpec], shape: str, options: LowerOptions | None = None, *, strict: bool = False
) -> Exported:
    """Write tools in one of the formats in `PROVIDERS`, in the given order.

    Without losses, reading the result gives the same tools.

    The exported schemas accept every payload that the tools' own schemas accept. Each loss is reported once for all
    tools of a file as a `lossy-export` warning. `options` are those of a build. `strict` makes tools strict where this
    is possible (`strict="auto"`).
    """
    options = options or LowerOptions(slow_patterns="allow")
    provider = shape.replace("-", "_")
    by_name = {spec.name: spec for spec in specs}
    encoded = api_of(provider).lower_tools(
        {spec.name: _tool(spec) for spec in specs},
        strict="auto" if strict else False,
        codec=codec_for(provider),
    )
    tools = (encoded.block or {"tools": []})["tools"]
    lost = [_diagnostic(by_name.get(loss.tool), loss) for loss in encoded.diagnostics]
    told = {loss.tool for loss in lost}
    if shape == "mcp":
        pairs = zip(tools, specs, strict=True)
        tools = [
            {**(tool if spec.name in told else _as_written(tool, spec)), **spec.metadata}
            for tool, spec in pairs
        ]
        lost += [d for spec in specs for d in (*check_output_schema(spec, options), *check_output_root(spec))]
    else:
        lost += _metadata_losses(specs, shape)
    envelope = _ENVELOPES.get(shape)
    value = {envelope: {"tools": tools}} if envelope else {"tools": tools}
    if not strict:  # strict mode rewrites schemas on purpose
        lost += _other_changes([spec for spec in specs if spec.name not in told], value, shape, options)
    return Exported(value, tuple(with_counts(lost, lambda loss: (loss.place.file, loss.message))))


def _tool(spec: ToolSpec) -> Tool[Any]:
    """Return a tool with the data of a spec. The tool does not check payloads, and has no type for them."""
    return Tool(
        name=spec.name,
        description=spec.description,
        schema=json.dumps(spec.schema),
        validate=lambda _: [],
        payload_type=_no_payload_type,
    )


def _no_payload_type() -> type[Any]:
    raise TypeError("a tool that is exported has no payload type")


def _as_written(tool: dict[str, Any], spec: ToolSpec) -> dict[str, Any]:
    """Return an MCP tool with its original schema, if that is for objects. MCP accepts every draft of `$schema`."""
    schema = spec.schema
    is_object = isinstance(schema, Mapping) and schema.get("type") == "object"
    return {**tool, "inputSchema": schema} if is_object else tool


def _diagnostic(spec: ToolSpec | None, loss: Any) -> Diagnostic:
    start = Place("") if spec is None else spec.schema_place
    place = Place(start.file, start.pointer + loss.pointer)
    message = f"{loss.message} ({loss.code})"
    return Diagnostic(place, "lossy-export", message, _ADVICE, loss.tool, "warning")


def _metadata_losses(specs: Sequence[ToolSpec], shape: str) -> Iterator[Diagnostic]:
    for spec in specs:
        if spec.metadata:
            message = f"{shape} tools have no {' or '.join(spec.metadata)}: left out"
            hint = "export to mcp, whose tools can have them"
            yield Diagnostic(spec.place, "lossy-export", message, hint, spec.name, "warning")


def _other_changes(
    specs: Sequence[ToolSpec], value: dict[str, Any], shape: str, options: LowerOptions
) -> Iterator[Diagnostic]:
    """Yield a warning for each schema that reads back differently, unless both provably accept the same payloads."""
    back = {tool.name: tool for tool in read_value(value).tools}
    for spec in specs:
        read = back.get(spec.name)
        if read is not None and (_text(read.schema) == _text(spec.schema) or _mean_same(spec, read, options)):
            continue
        message = f"the schema is rewritten for {shape} (draft 2020-12), and may accept more"
        yield Diagnostic(spec.schema_place, "lossy-export", message, _ADVICE, spec.name, "warning")


def _mean_same(spec: ToolSpec, other: ToolSpec, options: LowerOptions) -> bool:
    """Return whether two schemas provably accept the same payloads."""
    before, after = lower(spec, options).root, lower(other, options).root
    if before is None or after is None:
        return False
    for schema in everything(before):
        schema.whole_floats = True  # draft-04's rule for integers is a loss that has been reported already
    return mean_same(before, after)


def _text(schema: Any) -> str:
    """Return a schema as text. An empty `properties`, which OpenAI requires, makes no difference."""
    schema = {"properties": {}, **schema} if isinstance(schema, Mapping) else schema
    return json.dumps(schema, sort_keys=True)
