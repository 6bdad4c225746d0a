"""Rules 7, 19 to 29, 32, 39, 40 and 48: the tools block of a request."""

from __future__ import annotations

from collections import Counter
from contextlib import suppress
from copy import deepcopy
from dataclasses import replace
from typing import Any

from toolgen_runtime.schema.pointer import PointerError, parse, resolve
from toolgen_transcripts.codec import models
from toolgen_transcripts.codec.wrapped import WRAPPED
from toolgen_transcripts.rules.draft import Draft
from toolgen_transcripts.rules.labels import UNNAMED
from toolgen_transcripts.rules.request import Request, Unset
from toolgen_transcripts.rules.rule import Rule
from toolgen_transcripts.rules.table import Rules
from toolgen_transcripts.rules.tool_blocks import (
    NativeTool,
    choice_of,
    listed_tools,
    malformed_keywords,
    native_tools,
    without_malformed,
)
from toolgen_transcripts.strict.subsets import StrictSubset, strict_schema, tool_excess
from toolgen_transcripts.tools.schemas import object_schema

_LIMITS = {
    "unions": (Rules.TOO_MANY_UNIONS, ""),
    "tools": (Rules.TOO_MANY_STRICT, ""),
    "optional": (Rules.TOO_MANY_STRICT, "optional"),
}
"""The rules about all strict tools of a request together, with their wordings, by the name of the limit."""


def _object(schema: Any, *, flat: bool) -> tuple[dict[str, Any], str]:
    """Return a schema with an object at its root, and the changes in words."""
    sound = schema if isinstance(schema, dict | bool) else {}
    made, losses = object_schema(sound, flat=flat)
    return made, "; ".join(loss.message for loss in losses) or "root made an object"


def _openapi_object(schema: Any) -> tuple[dict[str, Any], str]:
    """Do the same as `_object` for an OpenAPI schema."""
    inner = schema if isinstance(schema, dict) else {}
    made = {"type": "OBJECT", "properties": {WRAPPED: inner}, "required": [WRAPPED]}
    return made, f"no object at the root: sent as the property {WRAPPED!r}"


def _is_flat(request: Request) -> bool:
    """Return whether the model refuses unions at a schema's root; an unknown Bedrock model may be Claude."""
    if request.is_compatible or not request.tests(Rules.ROOT_UNION):
        return False
    return not request.wire.tools.model_roots or request.model is None or models.is_claude(request.model)


def _strict_fault(schema: dict[str, Any], subset: StrictSubset) -> str | None:
    """Return why the server refuses a strict tool's schema, or None if it accepts it."""
    narrowed = strict_schema(schema, subset)
    if narrowed.schema == schema and not narrowed.hindrances:
        return tool_excess(schema, subset)
    if subset.all_required:
        return (narrowed.hindrances or narrowed.losses)[0].message
    if narrowed.hindrances:
        return "For 'object' type, 'additionalProperties' must be explicitly set to false"
    *holder, word = parse(narrowed.losses[0].pointer)
    kind = "any"
    with suppress(PointerError):  # a key that is not a string
        kind = resolve(schema, holder).get("type", kind)
    return f"For '{kind}' type, property '{word}' is not supported"


class _Tools:
    """The repair of one tools block."""

    def __init__(self, draft: Draft, block: dict[str, Any]) -> None:
        self.draft = draft
        self.request = draft.request
        self.shape = draft.request.wire.tools
        self.block = block
        self._given = Counter[str]()
        self._kept = Counter[str]()

    def _over(self, use: Counter[str]) -> list[tuple[Rule, str, str]]:
        """Return the rules that the strict tools break together: the rule, its wording, and the count."""
        claude = self.request.model is None or models.is_claude(self.request.model)
        broken = self.shape.strict.over(use) if self.shape.strict is not None else ()
        found = [(*_LIMITS[name], str(use[name])) for name in broken if claude or name == "unions"]
        return [each for each in found if self.request.tests(each[0])]

    def _name(self, tool: NativeTool) -> None:
        if isinstance(tool.name, str) and self.request.wire.name_rule.legal(tool.name):
            return
        place, given = f"{tool.place}.name", tool.name
        name = given if isinstance(given, str) and given else UNNAMED
        wire = name if self.request.wire.name_rule.legal(name) else self.draft.names.encode_name(name)
        action = f"name {given!r} sent as {wire!r}"
        self.draft.fix(Rules.INVALID_LABEL, place, action, detail=str(given or ""))
        tool.spec["name"] = wire

    def _schema(self, tool: NativeTool) -> None:
        request, draft, schema, place = self.request, self.draft, tool.schema, tool.schema_place
        untyped = isinstance(schema, dict) and "type" not in schema and request.is_compatible
        no_object = not tool.root_is_object(self.shape) and not untyped
        flat = _is_flat(request)
        union = flat and isinstance(schema, dict) and not schema.keys().isdisjoint(self.shape.refused_at_root)
        if no_object:
            draft.find(Rules.ROOT_NOT_OBJECT, place, (), str(tool.name))
        if union:
            draft.find(Rules.ROOT_UNION, place, (), str(tool.name))
        if bad := [] if tool.openapi else list(malformed_keywords(schema)):
            for pointer in bad:
                draft.find(Rules.INVALID_SCHEMA, place, (), f"malformed keyword at {pointer}")
            draft.note(Rules.INVALID_SCHEMA, place, f"malformed keywords left out: {', '.join(bad)}")
            schema = without_malformed(schema)
            union = union and not schema.keys().isdisjoint(self.shape.refused_at_root)
        if no_object or union:
            rule = Rules.ROOT_NOT_OBJECT if no_object else Rules.ROOT_UNION
            schema, said = _openapi_object(schema) if tool.openapi else _object(schema, flat=flat)
            draft.note(rule, place, said)
        if schema is not tool.schema:
            tool.put_schema(schema)

    def _strict(self, tool: NativeTool, given: Any) -> None:
        """Check a strict tool (rules 25, 26, 39), except on servers that only implement OpenAI's API: they differ."""
        if tool.spec.get("strict") is not True:
            return
        subset, request = self.shape.strict, self.request
        if subset is not None and isinstance(given, dict):
            self._given = subset.with_tool(self._given, given)
        if subset is None or not request.tests(Rules.NOT_STRICT) or not isinstance(tool.schema, dict):
            return
        if request.wire.of_many and not models.is_openai(request.model):
            return
        if isinstance(given, dict) and (fault := _strict_fault(given, subset)):
            self.draft.find(Rules.NOT_STRICT, tool.place, (), fault)
        made = strict_schema(tool.schema, subset)
        sound = not made.hindrances and not tool_excess(made.schema, subset)
        use = subset.with_tool(self._kept, made.schema) if sound else self._kept
        broken = [rule for rule, _, _ in self._over(use)] if sound else [Rules.NOT_STRICT]
        if broken:
            self.draft.note(broken[0], tool.place, "sent without strict")
            del tool.spec["strict"]
            return
        self._kept = use
        if made.schema != tool.schema:
            action = "keywords outside the strict subset left out"
            self.draft.note(Rules.NOT_STRICT, tool.schema_place, action)
            tool.put_schema(made.schema)

    def _definitions(self) -> None:
        offered = 0
        for tool in native_tools(self.block, self.shape):
            offered += tool.spec.get("defer_loading") is not True
            given = tool.schema
            if self.request.tests(Rules.EMPTY_DESCRIPTION) and tool.spec.get("description") == "":
                self.draft.fix(Rules.EMPTY_DESCRIPTION, f"{tool.place}.description", "left out")
                del tool.spec["description"]
            self._schema(tool)
            self._strict(tool, given)
            self._name(tool)
        for rule, wording, count in self._over(self._given):
            self.draft.find(rule, "tools", (), count, wording=wording)
        limit = self.shape.max_tools
        if limit is not None and offered > limit and models.is_openai(self.request.model):
            self.draft.find(Rules.TOO_MANY_TOOLS, self.shape.place("tools"), (), str(offered))

    def _choice(self) -> None:
        request, shape = self.request, self.shape
        word, key = choice_of(self.block, shape), shape.choice_key
        adapts = request.adaptive and models.refuses_forced(request.model, request.wire)
        forced = word in ("any", "tool") and (request.thinking is True or adapts)
        forced = forced and request.tests(Rules.FORCED_WHILE_THINKING)
        lacking = (
            bool(word)
            and request.tests(Rules.UNSUPPORTED_CHOICE)
            and models.lacks_choice(request.model, word)
        )
        if lacking:
            self.draft.find(Rules.UNSUPPORTED_CHOICE, shape.place(key, word), (), word)
        if forced:
            self.draft.find(Rules.FORCED_WHILE_THINKING, shape.place(key))
        if forced or lacking:
            rule = Rules.FORCED_WHILE_THINKING if forced else Rules.UNSUPPORTED_CHOICE
            self.draft.note(rule, key, f"choice {word} sent as auto")
            kept = {k: v for k, v in self.block[key].items() if k not in ("any", "tool", "name")}
            self.block[key] = (
                {**kept, shape.choice_type_key: "auto"} if shape.choice_type_key else {"auto": {}}
            )
        elif word == "tool":
            chosen = self.block[key] if shape.choice_type_key else self.block[key]["tool"]
            name = chosen.get("name")
            if isinstance(name, str) and not request.wire.name_rule.legal(name):
                chosen["name"] = self.draft.names.encode_name(name)

    def _cache_points(self) -> None:
        """Remove cache points from the tools if the model refuses them (rule 32)."""
        tools, place = listed_tools(self.block), self.shape.place("tools")
        points = [i for i, tool in enumerate(tools) if isinstance(tool, dict) and "cachePoint" in tool]
        if points and self.request.tests(Rules.CACHE_POINT) and models.lacks_cache_points(self.request.model):
            for index in points:
                self.draft.find(Rules.CACHE_POINT, self.shape.place("tools", index).replace(".", "/"))
            self.draft.note(Rules.CACHE_POINT, place, "cache point left out")
            self.block["tools"] = [tool for i, tool in enumerate(tools) if i not in points]

    def _twice(self) -> None:
        """Find names that several tools have (rule 48); only the caller knows which definition is intended."""
        named: dict[object, str] = {}
        for tool in native_tools(self.block, self.shape) if self.request.tests(Rules.DUPLICATE_TOOL) else ():
            if isinstance(tool.name, str) and named.setdefault(tool.name, tool.place) != tool.place:
                self.draft.find(Rules.DUPLICATE_TOOL, named[tool.name], (), tool.name)

    def run(self) -> None:
        """Fix the block in place."""
        streamed = self.request.streaming and self.request.tests(Rules.UNSUPPORTED_FEATURE)
        if streamed and models.lacks_streamed_tools(self.request.model):
            self.draft.find(Rules.UNSUPPORTED_FEATURE, self.shape.block_key)
        self._twice()
        self._definitions()
        self._choice()
        self._cache_points()


def fix_tools(draft: Draft) -> None:
    """Replace the request's tools block by one that breaks no rule, or None; skip this if the tools are unknown."""
    request, given = draft.request, draft.request.tools
    if isinstance(given, Unset) or given is None:
        return
    block = None
    if given.get("tools"):
        block = deepcopy(dict(given))
        names = [t.name for t in native_tools(block, request.wire.tools)]
        draft.names.reserve([name for name in names if isinstance(name, str) and name])
        _Tools(draft, block).run()
    elif "tools" in given:
        lenient = not (request.wire.tools.model_roots or models.is_openai(request.model))
        if lenient or not request.tests(Rules.EMPTY_TOOLS):
            return
        at = request.wire.tools.place("tools")
        draft.fix(Rules.EMPTY_TOOLS, "tools", "empty tools left out", at=at)
    draft.request = replace(request, tools=block if block and block["tools"] else None)
