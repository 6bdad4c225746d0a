"""The tool definitions in a provider's native tools block, wherever it keeps them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from toolgen_runtime.providers.shared.wire import ToolShape


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


def native_tools(tools: Mapping[str, Any], shape: ToolShape) -> Iterator[NativeTool]:
    """Every definition of a schema; built-in tools and cache points are none."""
    keys = shape.schema_path
    for index, tool in enumerate(tools.get("tools") or ()):
        if not isinstance(tool, dict):
            continue
        if shape.group_key:
            for number, spec in enumerate(tool.get(shape.group_key) or ()):
                yield NativeTool(spec, shape.place("tools", index, shape.group_key, number), keys)
            continue
        inner = (shape.definition_key,) if shape.definition_key else ()
        spec = tool.get(*inner) if inner else tool
        if isinstance(spec, dict):
            found = NativeTool(spec, shape.place("tools", index, *inner), keys)
            if found.schema is not None:
                yield found


def choice_of(tools: Mapping[str, Any], shape: ToolShape) -> str:
    """The choice in a block: `auto`, `any`, `tool`, `none` or `""` where there is none."""
    chosen = tools.get(shape.choice_key) if shape.choice_key else None
    if not isinstance(chosen, dict):
        return ""
    return str(chosen.get(shape.choice_type_key, "")) if shape.choice_type_key else next(iter(chosen), "")
