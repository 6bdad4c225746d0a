"""What the provider modules share about tool definitions: diagnostics, choices, and the common loop."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

from toolgen_runtime.providers.shared.names import Codec, codec_for
from toolgen_runtime.providers.shared.schemas import Loss, object_schema, unwrapped_schema
from toolgen_runtime.providers.shared.strict import strict_schema, union_parameters
from toolgen_runtime.providers.shared.wire import Wire
from toolgen_runtime.validation.tool import Tool

Tools = Mapping[str, Tool[Any]]
ChoiceWord = Literal["auto", "required", "none", "tool"]


@dataclass(frozen=True, slots=True)
class ProviderDiagnostic:
    """Something that a provider cannot express, and what was sent instead.

    `code` is stable. `tool` is the tool's own name, or "". `pointer` is a JSON pointer: into the tool's
    schema for a definition, into the transcript (`/turns/2/blocks/0`) for a message.
    """

    code: str
    message: str
    tool: str = ""
    pointer: str = ""


@dataclass(frozen=True, slots=True)
class EncodedTools:
    """A provider's tools block (None for no tools) and every loss on the way there."""

    block: dict[str, Any] | None
    diagnostics: tuple[ProviderDiagnostic, ...] = ()


@dataclass(frozen=True, slots=True)
class ToolDefinition:
    """A tool as a provider's block defines it: `name` decoded, `schema` unwrapped, `strict` if it says so."""

    name: str
    description: str
    schema: dict[str, Any] | bool
    strict: bool = False


@dataclass(frozen=True, slots=True)
class Choice:
    """A resolved tool choice; `name` is the provider's form of the name, for `tool`."""

    word: ChoiceWord
    name: str = ""


_ALIASES: Mapping[str, ChoiceWord] = {
    "auto": "auto",
    "any": "required",
    "required": "required",
    "none": "none",
}


def _parse_choice(choice: str | Mapping[str, str], tools: Tools) -> Choice:
    if isinstance(choice, str) and choice in _ALIASES:
        return Choice(_ALIASES[choice])
    name = choice if isinstance(choice, str) else choice.get("tool", "")
    if name not in tools:
        known = ", ".join(sorted(tools)[:5])
        raise ValueError(
            f"choice: no tool named {name!r}; use 'auto', 'required', 'none' or one of the toolset's: {known}"
        )
    return Choice("tool", name)


def resolve_choice(
    choice: str | Mapping[str, str], tools: Tools, wire: Wire, *, thinking: bool, codec: Codec
) -> tuple[Choice, list[ProviderDiagnostic]]:
    """The choice that the provider will take, and what was lost.

    `choice` is `auto`, `required` (or `any`), `none`, a tool's name, or `{"tool": name}` for a tool that is
    called like one of those words.

    Raises:
        ValueError: the choice names no tool of the toolset.
    """
    wanted = _parse_choice(choice, tools)
    if thinking and wanted.word in ("required", "tool"):
        lost = ProviderDiagnostic(
            "choice-thinking", "a call cannot be forced while thinking is on: sent as auto", wanted.name
        )
        return Choice("auto"), [lost]
    if wanted.word in wire.tools.no_choice:
        message = f"{wire.provider} has no choice {wanted.word!r}: sent as auto"
        if wanted.word == "none":
            message += "; the tools stay, since a history with calls needs them: do not run a call that comes"
        return Choice("auto"), [ProviderDiagnostic("choice-unsupported", message, wanted.name)]
    if wanted.word == "tool":
        return replace(wanted, name=codec.encode_name(wanted.name)), []
    return wanted, []


class _ToolEncoding:
    """One request's tools on their way to a provider; collects the diagnostics."""

    def __init__(self, wire: Wire, codec: Codec, *, strict: bool) -> None:
        self.shape = wire.tools
        self.codec = codec
        self.strict = strict and wire.tools.strict is not None
        self.diagnostics: list[ProviderDiagnostic] = []
        self._unions = 0
        if strict and wire.tools.strict is None:
            message = f"{wire.provider} has no strict tools: sent without"
            self.diagnostics.append(ProviderDiagnostic("strict-unsupported", message))

    def _note(self, tool: str, losses: Iterable[Loss]) -> None:
        self.diagnostics += [ProviderDiagnostic(x.code, x.message, tool, x.pointer) for x in losses]

    def _strict(self, tool: str, schema: dict[str, Any]) -> dict[str, Any] | None:
        assert self.shape.strict is not None
        narrowed, losses = strict_schema(schema, self.shape.strict)
        if narrowed is not None and self.shape.max_unions is not None:
            unions = union_parameters(narrowed)
            if self._unions + unions > self.shape.max_unions:
                limit = self.shape.max_unions
                losses = [Loss("union-limit", f"over {limit} parameters of union type in all: not strict")]
                narrowed = None
            else:
                self._unions += unions
        self._note(tool, losses)
        return narrowed

    def lower(self, tool: Tool[Any]) -> ToolDefinition:
        """The definition with the provider's name and a schema that accepts no less than the tool's own."""
        name = self.codec.encode_name(tool.name)
        if name != tool.name:
            self._note(tool.name, [Loss("renamed", f"sent as {name!r}; the codec leads back")])
        schema, losses = object_schema(
            tool.schema, flat=self.shape.flat_root, property_names=self.shape.property_names
        )
        self._note(tool.name, losses)
        strict = self._strict(tool.name, schema) if self.strict else None
        return ToolDefinition(name, tool.description, strict or schema, strict is not None)


Render = Callable[[list[ToolDefinition], Choice], dict[str, Any]]


@dataclass(frozen=True, slots=True)
class ToolEncoder:
    """`lower_tools` and `encode_tools` of a provider: its facts, and how it writes definitions and choice."""

    wire: Wire
    render: Render

    def lower_tools(
        self,
        toolset: Tools,
        *,
        choice: str | Mapping[str, str] = "auto",
        thinking: bool = False,
        strict: bool = False,
        codec: Codec | None = None,
    ) -> EncodedTools:
        """`encode_tools`, with a diagnostic for each loss; tools come in the toolset's order."""
        if not toolset:
            return EncodedTools(None)
        codec = codec or codec_for(self.wire.provider)
        codec.reserve(toolset)
        encoding = _ToolEncoding(self.wire, codec, strict=strict)
        definitions = [encoding.lower(tool) for tool in toolset.values()]
        chosen, lost = resolve_choice(choice, toolset, self.wire, thinking=thinking, codec=codec)
        return EncodedTools(self.render(definitions, chosen), (*encoding.diagnostics, *lost))

    def encode_tools(
        self,
        toolset: Tools,
        *,
        choice: str | Mapping[str, str] = "auto",
        thinking: bool = False,
        strict: bool = False,
        codec: Codec | None = None,
    ) -> dict[str, Any] | None:
        """The provider's tools block; None for no tools.

        `choice` is `auto`, `required` (or `any`), `none`, a tool's name, or `{"tool": name}` for a tool that
        is called like one of those; while `thinking` is on no call is forced. `strict` asks for strict tools
        wherever that accepts no less than the schema.

        Raises:
            ValueError: `choice` names no tool of the toolset.
        """
        return self.lower_tools(toolset, choice=choice, thinking=thinking, strict=strict, codec=codec).block


def definition(
    codec: Codec, name: str, description: str | None, schema: Any, strict: object = None
) -> ToolDefinition:
    """A definition read back from a provider's block."""
    return ToolDefinition(
        codec.decode_name(name), description or "", unwrapped_schema(schema), strict is True
    )
