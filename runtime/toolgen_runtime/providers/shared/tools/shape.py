"""How an API defines tools, and what it takes as a definition, as data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

TYPE_CHECKING = False
if TYPE_CHECKING:
    from toolgen_runtime.providers.shared.tools.strict import StrictSubset


Native = dict[str, Any]

NAME: Final = "<name>"
"""Where a choice has the name of a tool."""


def nested(path: tuple[str, ...], value: Any) -> Native:
    """Return the object that has a value at a path."""
    for key in reversed(path):
        value = {key: value}
    found: Native = value
    return found


@dataclass(frozen=True, slots=True)
class ToolShape:
    """How a request defines tools, and what it takes as a definition.

    Where: `block_key` is the request's member with the tools block, `""` where the request is the block. In
    the block's `tools`, `group_keys` are the members of an entry that may have the definitions, `definition_key`
    the one that has the definition, `""` where it is the entry; `schema_path` leads from there to the schema,
    and so may `other_schema_paths`, of which `openapi_keys` lead to one in OpenAPI's terms. With
    `schema_optional` a definition may have no schema, with `untyped_root` one whose root names no type. `types`
    are the values of an entry's `type` that define a tool of the caller's; any other is a tool of the server's.
    `choice_key` is the block's member with the choice, `choice_type_key` the member that says which one it is,
    `""` where the name of its only member says so.

    `async_key` is the member of a definition that says that the conversation goes on before there is a result.

    What: `refused_at_root` are the keywords that a schema's root may not have (`model_roots`: only with some
    of the models that it serves), `flat_root` says whether encoding merges them. `property_names` is what the
    names of properties must match, `strict` the subset for strict tools, None where there are none. `no_choice`
    are the choices that the API lacks. `reads` are the members, as dotted paths, that are read of a definition.

    Written: `always` are the members that a definition has even if they say nothing (`description`, `strict`), or
    that its schema has (`properties`). `choices` are the native forms of a choice by its word (`custom`: that of a
    custom tool), with `NAME` in place of the tool's; `choice_path` leads from the block to it.

    `max_tools` is how many a request may have, None for no known limit.
    """

    block_key: str = ""
    group_keys: tuple[str, ...] = ()
    definition_key: str = ""
    schema_path: tuple[str, ...] = ("parameters",)
    other_schema_paths: tuple[tuple[str, ...], ...] = ()
    openapi_keys: frozenset[str] = frozenset()
    schema_optional: bool = False
    untyped_root: bool = False
    types: frozenset[str] = frozenset()
    choice_key: str = ""
    choice_type_key: str = ""
    async_key: str = ""
    refused_at_root: tuple[str, ...] = ()
    model_roots: bool = False
    flat_root: bool = False
    property_names: str | None = None
    strict: StrictSubset | None = None
    max_tools: int | None = None
    no_choice: frozenset[str] = frozenset()
    reads: frozenset[str] = frozenset()
    always: frozenset[str] = frozenset()
    choice_path: tuple[str, ...] = ()
    choices: Mapping[str, Any] = field(default_factory=dict)

    @property
    def typed(self) -> bool:
        """Whether each definition says its type."""
        return "function" in self.types

    @property
    def schema_paths(self) -> tuple[tuple[str, ...], ...]:
        """The paths to a schema, the first that is there counts."""
        return (self.schema_path, *self.other_schema_paths)

    def place(self, *keys: str | int) -> str:
        """Return the place of something in the tools block, dotted: `toolConfig.tools`."""
        return ".".join(map(str, (self.block_key, *keys) if self.block_key else keys))
