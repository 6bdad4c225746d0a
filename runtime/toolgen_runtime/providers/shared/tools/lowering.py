"""A request's tools on their way to a provider: the choice, which of them go strict, and what is lost."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

from toolgen_runtime.providers.shared.names import Codec
from toolgen_runtime.providers.shared.tools.definitions import ProviderDiagnostic, ToolDefinition
from toolgen_runtime.providers.shared.tools.schemas import Loss, object_schema
from toolgen_runtime.providers.shared.tools.strict import (
    LIMIT_NAMES,
    StrictSubset,
    StrictUse,
    strict_schema,
    tool_excess,
)
from toolgen_runtime.providers.shared.tools.strict_rewrite import Rewritten, rewritten
from toolgen_runtime.providers.shared.wire import Wire

ChoiceWord = Literal["auto", "required", "none", "tool"]

Strict = bool | Literal["auto"]
"""`False`, `True` for the tools whose schemas are strict as they are, `auto` for all that can be rewritten."""


def chosen(
    schemas: Mapping[str, dict[str, Any]], subset: StrictSubset, prefer: Collection[str]
) -> dict[str, Rewritten | Loss]:
    """Return each tool's strict schema, or why it is sent without strict; the cheapest first after `prefer`."""
    found: dict[str, Rewritten | Loss] = {}
    made = {name: rewritten(schema, subset) for name, schema in schemas.items()}
    order = {name: at for at, name in reversed(list(enumerate(prefer)))}
    use = StrictUse()
    for name in sorted(made, key=lambda name: (order.get(name, len(order)), _cost(made[name]))):
        why = refusal(made[name], subset)
        if why is not None:
            found[name] = why
            continue
        ways = [made[name]]
        if not subset.all_required:  # a field that may be null is a union, and no optional one
            ways.append(rewritten(schemas[name], subset, all_required=True))
        fitting = [way for way in ways if not use.with_tool(way.schema).over(subset)]
        if fitting:
            use = use.with_tool(fitting[0].schema)
            found[name] = fitting[0]
        else:
            found[name] = over_limit(use.with_tool(made[name].schema), subset)
    return found


def refusal(made: Rewritten, subset: StrictSubset) -> Loss | None:
    """Return why a tool cannot go strict, whatever else is in the request; None if it can."""
    if made.hindrances:
        first, *others = made.hindrances
        more = f" (and {len(others)} more)" if others else ""
        return Loss("strict-dropped", f"{first.message}{more}: sent without strict", first.pointer)
    excess = tool_excess(made.schema, subset)
    return Loss("strict-limit", f"{excess}: sent without strict") if excess else None


def over_limit(use: StrictUse, subset: StrictSubset) -> Loss:
    """Return the loss of a tool with which the strict tools of a request exceed a limit."""
    name = use.over(subset)[0]
    code = "union-limit" if name == "unions" else "strict-limit"
    most = f"{subset.limits[name]} {LIMIT_NAMES[name]}"
    return Loss(code, f"over {most} in all: sent without strict")


def _cost(made: Rewritten) -> int:
    use = StrictUse().with_tool(made.schema)
    return use.optional + use.unions


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


class ToolLowering:
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
