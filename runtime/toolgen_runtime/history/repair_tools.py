"""Rules 19 to 28 and 32: the tools beside the history."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

from toolgen_runtime.history.capabilities import lacks_cache_points, lacks_choice
from toolgen_runtime.history.check_tools import MAX_UNIONS, flat_root, root_unions
from toolgen_runtime.history.draft import Change, Draft
from toolgen_runtime.history.metaschema import malformed_keywords, without_malformed
from toolgen_runtime.history.repair_names import UNNAMED
from toolgen_runtime.history.request import Request, Tools, Unset
from toolgen_runtime.history.tool_blocks import NativeTool, choice_of, native_tools
from toolgen_runtime.providers.shared.schemas import object_schema
from toolgen_runtime.providers.shared.strict import CLAUDE, strict_schema, union_parameters


class _ToolRepair:
    """One tools block on its way to one that breaks no rule."""

    def __init__(self, draft: Draft, block: dict[str, Any]) -> None:
        self.request: Request = draft.request
        self.codec = draft.names
        self.changes = draft.changes
        self.block = block
        self._unions = 0

    def _log(self, rule: int, place: str, action: str) -> None:
        self.changes.append(Change(rule, place, action))

    def _name(self, tool: NativeTool) -> None:
        name = tool.name if isinstance(tool.name, str) and tool.name else UNNAMED
        wire = self.codec.encode_name(name) if not self.request.name_rule.legal(name) else name
        if wire != tool.name:
            self._log(19, f"{tool.place}.name", f"name {tool.name!r} sent as {wire!r}")
            tool.spec["name"] = wire

    def _schema(self, tool: NativeTool) -> None:
        request, schema = self.request, tool.schema
        if isinstance(schema, dict) and (bad := list(malformed_keywords(schema))):
            schema = without_malformed(schema)
            self._log(24, tool.schema_place, f"malformed keywords left out: {', '.join(bad)}")
        no_object = not isinstance(schema, dict) or schema.get("type") != "object"
        unions = request.tests(23) and flat_root(request) and root_unions(schema, request.provider)
        if no_object or unions:
            rule = 22 if no_object else 23
            sound = schema if isinstance(schema, dict | bool) else {}
            schema, losses = object_schema(sound, flat=request.tests(23) and flat_root(request))
            self._log(
                rule, tool.schema_place, "; ".join(loss.message for loss in losses) or "root made an object"
            )
        if schema is not tool.schema:
            tool.put_schema(schema)

    def _strict(self, tool: NativeTool) -> None:
        if tool.spec.get("strict") is not True or not self.request.tests(25):
            return
        narrowed, _ = strict_schema(tool.schema, CLAUDE)
        unions = union_parameters(narrowed) if narrowed is not None else 0
        if narrowed is None:
            self._log(25, tool.place, "sent without strict")
            del tool.spec["strict"]
        elif self._unions + unions > MAX_UNIONS:
            self._log(26, tool.place, "sent without strict")
            del tool.spec["strict"]
        else:
            self._unions += unions
            if narrowed != tool.schema:
                self._log(25, tool.schema_place, "keywords outside the strict subset left out")
                tool.put_schema(narrowed)

    def _definition(self, tool: NativeTool) -> None:
        self._name(tool)
        if self.request.tests(20) and tool.spec.get("description") == "":
            self._log(20, f"{tool.place}.description", "left out")
            del tool.spec["description"]
        self._schema(tool)
        self._strict(tool)

    def _choice(self) -> None:
        request = self.request
        word, key = choice_of(self.block, request.provider), "toolChoice"
        forced = request.tests(28) and request.thinking and word in ("any", "tool")
        lacking = request.tests(27) and bool(word) and lacks_choice(request.model, word)
        if request.provider == "anthropic":
            key = "tool_choice"
        if forced or lacking:
            self._log(28 if forced else 27, key, f"choice {word} sent as auto")
            kept = {k: v for k, v in self.block[key].items() if k not in ("any", "tool", "name")}
            self.block[key] = {"auto": {}} if request.provider == "bedrock" else {**kept, "type": "auto"}
        elif word == "tool":
            chosen = self.block[key]["tool"] if request.provider == "bedrock" else self.block[key]
            name = chosen.get("name")
            if isinstance(name, str) and not request.name_rule.legal(name):
                chosen["name"] = self.codec.encode_name(name)

    def _cache_points(self) -> None:
        tools = self.block["tools"]
        kept = [t for t in tools if not (isinstance(t, dict) and "cachePoint" in t)]
        if len(kept) != len(tools) and self.request.tests(32) and lacks_cache_points(self.request.model):
            self._log(32, "toolConfig.tools", "cache point left out")
            self.block["tools"] = kept

    def run(self) -> None:
        """Mend the block in place."""
        self._cache_points()
        for tool in native_tools(self.block, self.request.provider):
            self._definition(tool)
        self._choice()


def mend_tools(draft: Draft) -> Tools:
    """A tools block that breaks no rule; None where there are no tools, `UNSET` where nobody said."""
    given = draft.request.tools
    if isinstance(given, Unset) or given is None:
        return given
    if not given.get("tools"):
        if "tools" in given and draft.request.tests(21):
            draft.changes.append(Change(21, "tools", "empty tools left out"))
        return None
    block = deepcopy(dict(given))
    specs = [t.name for t in native_tools(block, draft.request.provider)]
    draft.names.claim([name for name in specs if isinstance(name, str) and name])
    _ToolRepair(draft, block).run()
    return block if block["tools"] else None
