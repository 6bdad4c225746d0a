"""What the provider modules share about tool definitions: diagnostics, choices, and the common loop."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from copy import deepcopy
from dataclasses import dataclass, field, replace
from typing import Any, Literal, cast

from toolgen_runtime.providers.shared.messages.native import cache_mark
from toolgen_runtime.providers.shared.names import Codec, codec_for
from toolgen_runtime.providers.shared.shapes import NAME, Native, nested
from toolgen_runtime.providers.shared.tools.schemas import Loss, object_schema
from toolgen_runtime.providers.shared.tools.strict import StrictUse, strict_schema, tool_excess
from toolgen_runtime.providers.shared.tools.strict_choice import Strict, chosen, over_limit
from toolgen_runtime.providers.shared.tools.strict_rewrite import Rewritten
from toolgen_runtime.providers.shared.wire import Wire
from toolgen_runtime.transcript.messages import CachePoint, Source
from toolgen_runtime.validation.tool import Tool

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
    """A tool as a provider's block defines it: `name` decoded, `schema` unwrapped, `strict` if it says so.

    A `custom` tool takes a text. `source` is the native definition; what it says beside this (`defer_loading`,
    `allowed_callers`, `input_examples`) goes back to its own provider and is a diagnostic to any other.
    """

    name: str
    description: str
    schema: dict[str, Any] | bool
    strict: bool = False
    kind: str = field(default="function", kw_only=True)
    namespace: str | None = field(default=None, kw_only=True)
    namespace_description: str = field(default="", kw_only=True)
    cache: CachePoint | None = field(default=None, kw_only=True)
    source: Source | None = field(default=None, compare=False, repr=False, kw_only=True)


Tools = Mapping[str, Tool[Any]] | Mapping[str, ToolDefinition] | Iterable[ToolDefinition]
"""What `encode_tools` takes: a toolset, or the definitions that were read from any provider's block."""

NamedTools = Mapping[str, "Tool[Any] | ToolDefinition"]


def named_tools(tools: Tools) -> NamedTools:
    """Return tools by their names."""
    if isinstance(tools, Mapping):
        return cast("NamedTools", tools)
    return {defined.name: defined for defined in tools}


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


def resolve_choice(
    choice: str | Mapping[str, str], tools: Collection[str], wire: Wire, *, thinking: bool, codec: Codec
) -> tuple[Choice, list[ProviderDiagnostic]]:
    """Return the choice that the provider will take, and what was lost.

    Raises:
        ValueError: the choice names no tool of the toolset.
    """
    word: ChoiceWord = _ALIASES.get(choice, "tool") if isinstance(choice, str) else "tool"
    name = "" if word != "tool" else choice if isinstance(choice, str) else choice.get("tool", "")
    if word == "tool" and name not in tools:
        known = ", ".join(sorted(tools)[:5])
        raise ValueError(
            f"choice: no tool named {name!r}; use 'auto', 'required', 'none' or one of the toolset's: {known}"
        )
    if thinking and word in ("required", "tool"):
        code, message = "choice-thinking", "a call cannot be forced while thinking is on: sent as auto"
    elif word in wire.tools.no_choice:
        code, message = "choice-unsupported", f"{wire.provider} has no choice {word!r}: sent as auto"
        if word == "none":
            message += "; the tools stay, since a history with calls needs them: do not run a call that comes"
    else:
        return Choice(word, codec.encode_name(name) if word == "tool" else ""), []
    return Choice("auto"), [ProviderDiagnostic(code, message, name)]


def _keeps_names(losses: Iterable[Loss]) -> bool:
    return all(loss.code != "property-name" for loss in losses)


class _ToolEncoding:
    """One request's tools on their way to a provider; collects the diagnostics."""

    def __init__(
        self, wire: Wire, codec: Codec, tools: list[ToolDefinition], strict: Strict, prefer: Collection[str]
    ) -> None:
        self.wire = wire
        self.shape = wire.tools
        self.codec = codec
        self.strict = strict is True and wire.tools.strict is not None
        self.diagnostics: list[ProviderDiagnostic] = []
        self._use = StrictUse()
        self._objects = {
            tool.name: object_schema(
                tool.schema, flat=self.shape.flat_root, property_names=self.shape.property_names
            )
            for tool in tools
        }
        self._chosen: dict[str, Rewritten | Loss] = {}
        if strict and wire.tools.strict is None:
            message = f"{wire.provider} has no strict tools: sent without"
            self.diagnostics.append(ProviderDiagnostic("strict-unsupported", message))
        elif strict == "auto" and wire.tools.strict is not None:
            named = {name: schema for name, (schema, losses) in self._objects.items() if _keeps_names(losses)}
            refused = Loss("strict-dropped", "a property of a name that is refused: sent without strict")
            self._chosen = dict.fromkeys(self._objects, refused)
            self._chosen |= chosen(named, wire.tools.strict, prefer)

    def _note(self, tool: str, losses: Iterable[Loss]) -> None:
        self.diagnostics += [ProviderDiagnostic(x.code, x.message, tool, x.pointer) for x in losses]

    def _strict(self, tool: str, schema: dict[str, Any]) -> dict[str, Any] | None:
        assert self.shape.strict is not None
        narrowed, losses = strict_schema(schema, self.shape.strict)
        if narrowed is not None:
            use = self._use.with_tool(narrowed)
            excess = tool_excess(narrowed, self.shape.strict)
            if excess:
                losses, narrowed = [Loss("strict-limit", f"{excess}: sent without strict")], None
            elif use.over(self.shape.strict):
                losses, narrowed = [over_limit(use, self.shape.strict)], None
            else:
                self._use = use
        self._note(tool, losses)
        return narrowed

    def _rewritten(self, tool: str, *, leads_back: bool) -> dict[str, Any] | None:
        """Return the strict schema that was chosen for a tool; the codec `leads_back` its calls from now on.

        A definition that was strict already keeps the way back that it has.
        """
        found = self._chosen[tool]
        if leads_back:
            self.codec.send_as(tool, None if isinstance(found, Loss) else found.form)
        if isinstance(found, Loss):
            self._note(tool, [found])
            return None
        self._note(tool, found.losses)
        return found.schema

    def lower(self, tool: ToolDefinition) -> ToolDefinition:
        """Return the definition with the provider's name and a schema that accepts no less than the tool's own."""
        space = tool.namespace if self._says("namespace") else None
        name = self.codec.encode_name(tool.name, space)
        if name != tool.name.removeprefix(f"{space}."):
            self._note(tool.name, [Loss("renamed", f"sent as {name!r}; the codec leads back")])
        lowered = replace(tool, name=name, namespace=space)
        if tool.kind != "custom" or not self._says("custom"):
            schema, losses = self._objects[tool.name]
            self._note(tool.name, losses)
            strict: dict[str, Any] | None = None
            if tool.name in self._chosen:
                strict = self._rewritten(tool.name, leads_back=not tool.strict)
            elif self.strict or (tool.strict and self.shape.strict is not None):
                strict = self._strict(tool.name, schema)
            lowered = replace(lowered, schema=strict or schema, strict=strict is not None, kind="function")
        self._note_unsaid(tool)
        return lowered

    def _says(self, attribute: str) -> bool:
        return attribute in self.wire.messages.attributes

    def _note_unsaid(self, tool: ToolDefinition) -> None:
        """Note what another provider alone can say."""
        lost: list[str] = []
        if tool.source is not None and tool.source.provider != self.wire.provider:
            lost += tool.source.unread
        if tool.cache is not None and not self._says("cache"):
            lost.append("its cache point")
        if tool.namespace_description and not self._says("namespace"):
            lost.append(f"the description of its namespace ({tool.namespace})")
        if lost:
            message = f"{self.wire.provider} has no form for {', '.join(lost)}: left out"
            self._note(tool.name, [Loss("field-dropped", message)])


def _merged(native: dict[str, Any], built: dict[str, Any], whole: set[str]) -> dict[str, Any]:
    """Return what was built over what was there; the schema is not mixed with the one that was there."""
    out = {**native, **built}
    for key, value in built.items():
        if isinstance(value, dict) and isinstance(native.get(key), dict) and key not in whole:
            out[key] = _merged(native[key], value, whole)
    return out


def _filled(template: Any, name: str) -> Any:
    """Return a copy of a choice's native form, with the name of the tool in its place."""
    if isinstance(template, dict):
        return {key: _filled(value, name) for key, value in template.items()}
    if isinstance(template, list):
        return [_filled(each, name) for each in template]
    return name if template is NAME else template


@dataclass(frozen=True, slots=True)
class ToolEncoder:
    """`lower_tools` and `encode_tools` of a provider, by the facts about its tools."""

    wire: Wire

    def lower_tools(
        self,
        toolset: Tools,
        *,
        choice: str | Mapping[str, str] = "auto",
        thinking: bool = False,
        strict: Strict = False,
        prefer: Collection[str] = (),
        codec: Codec | None = None,
    ) -> EncodedTools:
        """Return `encode_tools`, with a diagnostic for each loss; tools come in the toolset's order."""
        tools = named_tools(toolset)
        if not tools:
            return EncodedTools(None)
        if strict == "auto" and codec is None and self.wire.tools.strict is not None:
            raise ValueError(
                "codec: strict='auto' needs a codec, which converts the calls of strict tools back"
            )
        codec = codec or codec_for(self.wire.provider)
        codec.reserve(tools)
        given = [
            tool
            if isinstance(tool, ToolDefinition)
            else ToolDefinition(tool.name, tool.description, tool.schema)
            for tool in tools.values()
        ]
        encoding = _ToolEncoding(self.wire, codec, given, strict, prefer)
        definitions = [encoding.lower(tool) for tool in given]
        chosen, lost = resolve_choice(choice, tools, self.wire, thinking=thinking, codec=codec)
        return EncodedTools(self._rendered(definitions, chosen), (*encoding.diagnostics, *lost))

    def _written(self, defined: ToolDefinition) -> list[Native]:
        """Return the entries of a definition; what it said beside this stays, if it was this provider's."""
        shape, request, source = self.wire.tools, self.wire.request, defined.source
        entry = self._entry(defined)
        if defined.cache is not None and request.cache_member:
            entry[request.cache_member] = cache_mark(defined.cache)
        if source is not None and source.provider == self.wire.provider:
            entry = _merged(deepcopy(source.value), entry, set(shape.schema_path[:1]))
        for path in shape.other_schema_paths:  # a definition has its schema once
            entry.pop(path[0], None)
        if defined.cache is None or not request.cache_block:
            return [entry]
        return [entry, {request.cache_block: cache_mark(defined.cache, "default")}]

    def _entry(self, defined: ToolDefinition) -> Native:
        shape = self.wire.tools
        members: Native = {"name": defined.name}
        if defined.description or "description" in shape.always:
            members["description"] = defined.description
        if defined.kind != "custom":
            schema: Any = defined.schema
            if "properties" in shape.always:
                schema = {"properties": {}, **schema}
            members |= nested(shape.schema_path, schema)
            if defined.strict or "strict" in shape.always:
                members["strict"] = defined.strict
        key = "custom" if defined.kind == "custom" else shape.definition_key
        typed = {"type": defined.kind} if shape.typed else {}
        return {**typed, **({key: members} if shape.definition_key else members)}

    def _rendered(self, definitions: list[ToolDefinition], choice: Choice) -> Native:
        shape = self.wire.tools
        listed: list[Native] = []
        spaces: dict[str, Native] = {}
        for defined in definitions:
            entries, name = self._written(defined), defined.namespace
            if name is None:
                listed += entries
                continue
            if name not in spaces:
                head = {"type": "namespace", "name": name, "description": defined.namespace_description}
                spaces[name] = {**head, "tools": []}
                listed.append(spaces[name])
            spaces[name]["tools"] += entries
        custom = any(d.kind == "custom" for d in definitions if d.name == choice.name)
        word = "custom" if choice.word == "tool" and custom else choice.word
        chosen = (
            nested(shape.choice_path, _filled(shape.choices[word], choice.name))
            if word in shape.choices
            else {}
        )
        return {"tools": [{shape.group_keys[0]: listed}] if shape.group_keys else listed, **chosen}

    def encode_tools(
        self,
        toolset: Tools,
        *,
        choice: str | Mapping[str, str] = "auto",
        thinking: bool = False,
        strict: Strict = False,
        prefer: Collection[str] = (),
        codec: Codec | None = None,
    ) -> dict[str, Any] | None:
        """Return the provider's tools block; None for no tools.

        `toolset` is a toolset, or the `ToolDefinition`s that any provider's `decode_tools` gave. `choice` is
        `auto`, `required` (or `any`), `none`, a tool's name, or `{"tool": name}` for a tool that is called like
        one of those; while `thinking` is on no call is forced. `strict` asks for strict tools wherever that
        accepts no less than the schema. With `strict="auto"` schemas are rewritten for that, within the
        provider's limits, the tools that `prefer` names first; the `codec` leads the calls back.

        Raises:
            ValueError: `choice` names no tool of the toolset, or `strict="auto"` has no `codec`.
        """
        lowered = self.lower_tools(
            toolset, choice=choice, thinking=thinking, strict=strict, prefer=prefer, codec=codec
        )
        return lowered.block
