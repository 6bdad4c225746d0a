"""`CallRule`: an edit to wrong calls that a person has decided on, and `rules_of`, which reads and checks some.

`toolgen audit --propose` prints rules. They are repairs: a rule is made only where the check finds something wrong,
and only if the whole call is valid afterwards.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Literal, get_args

from toolgen_runtime.hints.edits import Edit, apply_edits
from toolgen_runtime.hints.problems import Call
from toolgen_runtime.schema.node import Path
from toolgen_runtime.validation.issues import MISSING, ValidationIssue

if TYPE_CHECKING:
    from toolgen_runtime.hints.repair import Change
    from toolgen_runtime.registry import Registry
    from toolgen_runtime.validation.tool import Tool

ITEM: Final = "[]"
"""The step of a rule's path that is each item of a list."""
MAX_EDITS: Final = 1_000
"""Edits that rules make to one call."""
Action = Literal["alias", "drop", "default"]
Rules = Mapping[str, Sequence["CallRule"]]
"""The rules of each tool, by its name."""


@dataclass(frozen=True, slots=True)
class CallRule:
    """One edit: `alias` renames the key at `path` to `to`, `drop` removes it, `default` sends `value` if it is missing.

    >>> CallRule("create_issue", "alias", ("name",), to="title").path
    ('name',)
    """

    tool: str
    action: Action
    path: tuple[str, ...]
    """The keys from the root to the field; `[]` means each item of a list."""
    to: str | None = None
    value: Any = MISSING

    @classmethod
    def of(cls, given: object) -> CallRule:
        """Return the rule that a table of a TOML file describes.

        Raises:
            ValueError: the table is not a rule; the message gives the reason.
        """
        if isinstance(given, cls):
            return given
        if not isinstance(given, Mapping):
            raise ValueError(f"rules: each rule must be a table or a CallRule, not a {type(given).__name__}")
        if unknown := given.keys() - cls.__dataclass_fields__:
            raise ValueError(f"rules: {', '.join(map(repr, sorted(map(str, unknown))))}: not a key of a rule")
        tool: Any = given.get("tool")
        action: Any = given.get("action")
        path: Any = given.get("path")
        to, value = given.get("to"), given.get("value", MISSING)
        if not isinstance(tool, str) or action not in get_args(Action):
            raise ValueError(
                f"rules: `tool` must be a name, and `action` one of {', '.join(get_args(Action))}"
            )
        is_path = isinstance(path, list | tuple) and path and all(isinstance(step, str) for step in path)
        if not is_path or path[-1] == ITEM:
            raise ValueError(f"rules: {tool}: `path` must be a list of keys that ends in a key")
        if (isinstance(to, str), value is not MISSING) != (action == "alias", action == "default"):
            raise ValueError(
                f"rules: {tool}: an alias needs `to`, a default needs `value`, and other rules must not have them"
            )
        return cls(tool, action, tuple(path), to, value)


def rules_of(given: Any, registry: Registry) -> Rules:
    """Return rules by tool: a list of rules or of tables, or the mapping of a TOML file, whose `rules` they are.

    Raises:
        ValueError: one is not a rule, or its tool's schema says otherwise; the message names both.
    """
    listed = given.get("rules", MISSING) if isinstance(given, Mapping) else given
    if isinstance(listed, str | Mapping) or not isinstance(listed, Iterable):
        raise ValueError("rules: must be a list of rules, or a mapping with the list as `rules`")
    found: dict[str, list[CallRule]] = {}
    for rule in map(CallRule.of, listed):
        tool = registry.find(rule.tool)
        why = "there is no such tool" if tool is None else _objection(rule, tool, registry)
        if why:
            raise ValueError(f"rules: {rule.tool}: {rule.action} {'.'.join(rule.path)}: {why}")
        found.setdefault(rule.tool, []).append(rule)
    return found


def _objection(rule: CallRule, tool: Tool[Any], registry: Registry) -> str:
    """Return why a rule can never do right; an empty text if it can."""
    concrete: Path = tuple(0 if step == ITEM else step for step in rule.path)
    fields = Call(registry.facts_of(rule.tool), {}).locate(concrete[:-1]).node.properties
    name = rule.path[-1]
    if not fields and (rule.action != "drop" or len(rule.path) > 1):  # a tool without fields is sent keys too
        return "the schema declares no fields there"
    if rule.action != "default":
        if name in fields:
            return f"{name!r} is a field"
        return "" if rule.to is None or rule.to in fields else f"{rule.to!r} is not a field"
    if name not in fields:
        return f"{name!r} is not a field"
    payload = rule.value
    for step in reversed(concrete):
        payload = [payload] if step == 0 else {step: payload}
    refused = [i for i in tool.validate(payload) if i.path[: len(concrete)] == concrete]
    return f"the schema refuses the value ({refused[0].constraint})" if refused else ""


def apply_rules(
    rules: Sequence[CallRule], payload: Any, issues: Sequence[ValidationIssue]
) -> tuple[Any, tuple[Change, ...]]:
    """Return a payload with the rules made where there are issues, and the changes; the given one is not touched."""
    wrong = {issue.path for issue in issues}
    edits: list[Edit] = []
    changes: list[Change] = []
    draft = payload
    for rule in rules:
        for above, held in _holders(draft, rule.path):
            edit = _edit(rule, above, held, wrong)
            if edit is None:
                continue
            if len(edits) == MAX_EDITS:
                return payload, ()
            edits.append(edit)
            changes.append(_change(rule, edit, held))
        draft = apply_edits(payload, edits)
    return draft, tuple(changes)


def _holders(payload: Any, path: Sequence[str]) -> Iterator[tuple[Path, dict[str, Any]]]:
    """Yield the objects that have, or lack, the last key of a path, each with its place."""
    found: list[tuple[Path, Any]] = [((), payload)]
    for step in path[:-1]:
        below: list[tuple[Path, Any]] = []
        for place, value in found:
            if step == ITEM and isinstance(value, list):
                below += [((*place, index), item) for index, item in enumerate(value)]
            elif isinstance(value, dict) and step in value:
                below.append(((*place, step), value[step]))
        found = below
    return ((place, value) for place, value in found if isinstance(value, dict))


def _edit(rule: CallRule, above: Path, held: Mapping[str, Any], wrong: set[Path]) -> Edit | None:
    name = rule.path[-1]
    place = (*above, name)
    if rule.action == "default":
        is_due = name not in held and place in wrong
        return Edit("set", place, value=rule.value) if is_due else None
    if name not in held:
        return None
    if rule.to is None:
        return Edit("remove", place) if place in wrong else None
    target = (*above, rule.to)
    return Edit("rename", place, target) if rule.to not in held and wrong & {place, target} else None


def _change(rule: CallRule, edit: Edit, held: Mapping[str, Any]) -> Change:
    name = rule.path[-1]
    if rule.action == "alias":
        return {"path": edit.path, "from": name, "to": rule.to, "rule": "alias"}
    if rule.action == "drop":
        return {"path": edit.path, "from": held[name], "rule": "drop"}
    return {"path": edit.path, "from": None, "to": rule.value, "rule": "default"}
