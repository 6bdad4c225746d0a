"""The tool definitions in a provider's native tools block, wherever it keeps them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

_SCHEMA: Mapping[str, tuple[str, ...]] = {
    "bedrock": ("inputSchema", "json"),
    "anthropic": ("input_schema",),
    "openai": ("parameters",),
    "openai_responses": ("parameters",),
    "gemini": ("parametersJsonSchema",),
}
_INNER = {"bedrock": "toolSpec", "openai": "function"}


@dataclass(frozen=True, slots=True)
class NativeTool:
    """One definition: `spec` is the native dict that has the name, `place` the server's way to write where."""

    spec: dict[str, Any]
    place: str
    schema_keys: tuple[str, ...]

    @property
    def name(self) -> object:
        """The name as it stands."""
        return self.spec.get("name")

    @property
    def schema(self) -> Any:
        """The schema, None where there is none."""
        found: Any = self.spec
        for key in self.schema_keys:
            found = found.get(key) if isinstance(found, dict) else None
        return found

    def put_schema(self, schema: Any) -> None:
        """Replace the schema in `spec`."""
        holder = self.spec
        for key in self.schema_keys[:-1]:
            holder = holder[key]
        holder[self.schema_keys[-1]] = schema

    @property
    def schema_place(self) -> str:
        """The place of the schema."""
        return ".".join((self.place, *self.schema_keys))


def native_tools(tools: Mapping[str, Any], provider: str) -> Iterator[NativeTool]:
    """Every definition of a schema; built-in tools and cache points are none."""
    root = "toolConfig.tools" if provider == "bedrock" else "tools"
    keys = _SCHEMA[provider]
    for index, tool in enumerate(tools.get("tools") or ()):
        if not isinstance(tool, dict):
            continue
        place = f"{root}.{index}"
        if provider == "gemini":
            for number, spec in enumerate(tool.get("functionDeclarations") or ()):
                yield NativeTool(spec, f"{place}.functionDeclarations.{number}", keys)
            continue
        inner = _INNER.get(provider)
        spec = tool.get(inner) if inner else tool
        found = (
            NativeTool(spec, f"{place}.{inner}" if inner else place, keys) if isinstance(spec, dict) else None
        )
        if found is not None and found.schema is not None:
            yield found


def choice_of(tools: Mapping[str, Any], provider: str) -> str:
    """The choice in a block: `auto`, `any`, `tool`, `none` or `""` where nothing is said."""
    if provider == "bedrock":
        chosen = tools.get("toolChoice")
        return next(iter(chosen), "") if isinstance(chosen, dict) else ""
    if provider == "anthropic":
        chosen = tools.get("tool_choice")
        return str(chosen.get("type", "")) if isinstance(chosen, dict) else ""
    return ""
