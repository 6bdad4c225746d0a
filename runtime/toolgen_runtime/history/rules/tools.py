"""Rules 19 to 28 and 32: the tools beside the history."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

from toolgen_runtime.history.request import Request
from toolgen_runtime.history.rules.cache_points import in_prompt, without_oldest
from toolgen_runtime.history.rules.draft import Draft
from toolgen_runtime.history.rules.labels import UNNAMED
from toolgen_runtime.history.rules.metaschema import malformed_keywords, without_malformed
from toolgen_runtime.history.rules.strict_limits import strict_limits
from toolgen_runtime.history.rules.tools_check import (
    empty_tools,
    flat_root,
    forces_while_thinking,
    is_strict,
    lacks_object,
    root_unions,
)
from toolgen_runtime.history.tool_blocks import NativeTool, choice_of, listed_tools, native_tools
from toolgen_runtime.history.whole_request import Tools, Unset
from toolgen_runtime.provider_rules.ids import RuleId
from toolgen_runtime.providers.shared.models import lacks_cache_points, lacks_choice
from toolgen_runtime.providers.shared.names import WRAPPED
from toolgen_runtime.providers.shared.tools.schemas import object_schema
from toolgen_runtime.providers.shared.tools.strict import StrictUse, strict_schema, tool_excess


def _object(schema: Any, *, flat: bool) -> tuple[dict[str, Any], str]:
    """Return a schema with an object at its root, and what was done for that."""
    sound = schema if isinstance(schema, dict | bool) else {}
    made, losses = object_schema(sound, flat=flat)
    return made, "; ".join(loss.message for loss in losses) or "root made an object"


def _openapi_object(schema: Any) -> tuple[dict[str, Any], str]:
    """Return the same in OpenAPI's terms."""
    inner = schema if isinstance(schema, dict) else {}
    made = {"type": "OBJECT", "properties": {WRAPPED: inner}, "required": [WRAPPED]}
    return made, f"no object at the root: sent as the property {WRAPPED!r}"


class _ToolRepair:
    """One tools block on its way to one that breaks no rule."""

    def __init__(self, draft: Draft, block: dict[str, Any]) -> None:
        self.request: Request = draft.request
        self.codec = draft.names
        self._log = draft.note
        self.block = block
        self._use = StrictUse()

    def _name(self, tool: NativeTool) -> None:
        name = tool.name if isinstance(tool.name, str) and tool.name else UNNAMED
        wire = self.codec.encode_name(name) if not self.request.name_rule.legal(name) else name
        if wire != tool.name:
            self._log(RuleId.INVALID_LABEL, f"{tool.place}.name", f"name {tool.name!r} sent as {wire!r}")
            tool.spec["name"] = wire

    def _schema(self, tool: NativeTool) -> None:
        request, schema = self.request, tool.schema
        if isinstance(schema, dict) and not tool.openapi and (bad := list(malformed_keywords(schema))):
            schema = without_malformed(schema)
            self._log(
                RuleId.INVALID_SCHEMA, tool.schema_place, f"malformed keywords left out: {', '.join(bad)}"
            )
        no_object = lacks_object(request, tool)
        unions = (
            request.tests(RuleId.ROOT_UNION)
            and flat_root(request)
            and root_unions(schema, request.wire.tools)
        )
        if no_object or unions:
            rule = RuleId.ROOT_NOT_OBJECT if no_object else RuleId.ROOT_UNION
            flat = request.tests(RuleId.ROOT_UNION) and flat_root(request)
            schema, said = _openapi_object(schema) if tool.openapi else _object(schema, flat=flat)
            self._log(rule, tool.schema_place, said)
        if schema is not tool.schema:
            tool.put_schema(schema)

    def _strict(self, tool: NativeTool) -> None:
        if not is_strict(self.request, tool) or not self.request.tests(RuleId.NOT_STRICT):
            return
        subset = self.request.wire.tools.strict
        assert subset is not None  # of the providers that rule 25 is about
        narrowed, _ = strict_schema(tool.schema, subset)
        if narrowed is None or tool_excess(narrowed, subset):
            self._log(RuleId.NOT_STRICT, tool.place, "sent without strict")
            del tool.spec["strict"]
            return
        use = self._use.with_tool(narrowed)
        broken = strict_limits(self.request, use)
        if broken:
            self._log(broken[0][0], tool.place, "sent without strict")
            del tool.spec["strict"]
        else:
            self._use = use
            if narrowed != tool.schema:
                self._log(RuleId.NOT_STRICT, tool.schema_place, "keywords outside the strict subset left out")
                tool.put_schema(narrowed)

    def _definition(self, tool: NativeTool) -> None:
        self._name(tool)
        if self.request.tests(RuleId.EMPTY_DESCRIPTION) and tool.spec.get("description") == "":
            self._log(RuleId.EMPTY_DESCRIPTION, f"{tool.place}.description", "left out")
            del tool.spec["description"]
        self._schema(tool)
        self._strict(tool)

    def _choice(self) -> None:
        request, shape = self.request, self.request.wire.tools
        word, key = choice_of(self.block, shape), shape.choice_key
        forced = word in ("any", "tool") and forces_while_thinking(request)
        lacking = (
            request.tests(RuleId.UNSUPPORTED_CHOICE) and bool(word) and lacks_choice(request.model, word)
        )
        if forced or lacking:
            self._log(
                RuleId.FORCED_WHILE_THINKING if forced else RuleId.UNSUPPORTED_CHOICE,
                key,
                f"choice {word} sent as auto",
            )
            kept = {k: v for k, v in self.block[key].items() if k not in ("any", "tool", "name")}
            self.block[key] = (
                {**kept, shape.choice_type_key: "auto"} if shape.choice_type_key else {"auto": {}}
            )
        elif word == "tool":
            chosen = self.block[key] if shape.choice_type_key else self.block[key]["tool"]
            name = chosen.get("name")
            if isinstance(name, str) and not request.name_rule.legal(name):
                chosen["name"] = self.codec.encode_name(name)

    def _cache_points(self) -> None:
        tools = listed_tools(self.block)
        kept = [t for t in tools if not (isinstance(t, dict) and "cachePoint" in t)]
        if (
            len(kept) != len(tools)
            and self.request.tests(RuleId.CACHE_POINT)
            and lacks_cache_points(self.request.model)
        ):
            self._log(RuleId.CACHE_POINT, self.request.wire.tools.place("tools"), "cache point left out")
            self.block["tools"] = kept
        limited = without_oldest(self.request, listed_tools(self.block), in_prompt(self.request))
        if limited != listed_tools(self.block):
            place = self.request.wire.tools.place("tools")
            self._log(RuleId.TOO_MANY_CACHE_POINTS, place, "cache point left out")
            self.block["tools"] = limited

    def _twice(self) -> None:
        """Rule 48: of two equal definitions the first stays; of others nobody knows which was meant."""
        if not self.request.tests(RuleId.DUPLICATE_TOOL):
            return
        shape, seen = self.request.wire.tools, list[Any]()
        for entry in listed_tools(self.block):
            is_tool = next(native_tools({"tools": [entry]}, shape), None) is not None
            if is_tool and entry in seen:
                self._log(RuleId.DUPLICATE_TOOL, shape.place("tools"), "equal definition left out")
            else:
                seen.append(entry)
        if len(seen) < len(listed_tools(self.block)):
            self.block["tools"] = seen

    def run(self) -> None:
        """Fix the block in place."""
        self._cache_points()
        self._twice()
        for tool in native_tools(self.block, self.request.wire.tools):
            self._definition(tool)
        self._choice()


def fix_tools(draft: Draft) -> Tools:
    """Return a tools block that breaks no rule; None where there are no tools, `UNSET` where they are not known."""
    given = draft.request.tools
    if isinstance(given, Unset) or given is None:
        return given
    if not given.get("tools"):
        if not empty_tools(draft.request, given) and "tools" in given:
            return given
        if "tools" in given:
            draft.note(RuleId.EMPTY_TOOLS, "tools", "empty tools left out")
        return None
    block = deepcopy(dict(given))
    specs = [t.name for t in native_tools(block, draft.request.wire.tools)]
    draft.names.reserve([name for name in specs if isinstance(name, str) and name])
    _ToolRepair(draft, block).run()
    return block if block["tools"] else None
