"""Repairs of wrong calls that a user defines (`CallRule`).

`toolgen audit --propose` prints rules. A rule is applied only where there is an issue, and only if the whole call is
valid afterwards.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Literal

from toolgen_runtime.hints.edits import Edit, apply_edits
from toolgen_runtime.hints.problems import Call
from toolgen_runtime.schema.facts import facts_of
from toolgen_runtime.schema.node import Path
from toolgen_runtime.validation.issues import MISSING, ValidationIssue

if TYPE_CHECKING:
    from toolgen_runtime.hints.repair import Change
    from toolgen_runtime.validation.tool import Tool

ITEM: Final = "[]"
"""The step in a rule's path that stands for each item of a list."""
MAX_EDITS: Final = 1_000
"""The maximum number of edits that rules may make to one call."""
Action = Literal["alias", "drop", "default"]
Rules = Mapping[str, Sequence["CallRule"]]
"""The rules for each tool, by its name."""


_NEEDS = {"alias": (True, False), "drop": (False, False), "default": (False, True)}
"""For each action, whether it needs `to` and whether it needs `value`."""
_RULE = (
    'a rule has `tool`, `action` ("alias" with `to`, "drop", or "default" with `value`), '
    "and `path`, a list of keys that ends in a key; nothing else"
)


@dataclass(frozen=True, slots=True)
class CallRule:
    """A user's rule that corrects wrong arguments of a tool with one edit.

    `alias` renames the key at `path` to `to`, `drop` removes it, and `default` adds `value` if the key is missing.

    >>> CallRule("create_issue", "alias", ("name",), to="title").path
    ('name',)
    """

    tool: str
    action: Action
    path: tuple[str, ...]
    """The keys from the root to the field; `[]` stands for each item of a list."""
    to: str | None = None
    value: Any = MISSING

    @classmethod
    def of(cls, given: Any) -> CallRule:
        """Convert a table of a TOML file to a rule. A rule is returned unchanged.

        Raises:
            ValueError: `given` is not a rule; the message explains what a rule looks like.
        """
        try:
            if isinstance(given, cls):
                rule: CallRule = given
            else:
                rule = cls(**{**given, "path": tuple(given["path"])})
            has = isinstance(rule.to, str), rule.value is not MISSING
            is_path = rule.path[-1] != ITEM and all(isinstance(step, str) for step in rule.path)
            if isinstance(rule.tool, str) and is_path and _NEEDS[rule.action] == has:
                return rule
        except (TypeError, LookupError):
            pass
        raise ValueError(f"rules: {given!r:.80}: {_RULE}")


def rules_of(given: Any, find: Callable[[str], Tool[Any] | None]) -> Rules:
    """Read and check a user's rules, and return the rules for each tool.

    `given` is a list of rules or tables, or a parsed TOML file with the key `rules`.

    `find` returns the tool with a given name, or None.

    Raises:
        ValueError: an entry is not a rule, or contradicts its tool's schema; the message names the rule and the reason.
    """
    if isinstance(given, Mapping):
        listed = given.get("rules", MISSING)
    else:
        listed = given
    if isinstance(listed, str | Mapping) or not isinstance(listed, Iterable):
        raise ValueError("rules: must be a list of rules, or a mapping with the list as `rules`")
    found: dict[str, list[CallRule]] = {}
    for rule in map(CallRule.of, listed):
        tool = find(rule.tool)
        if tool is None:
            why = "there is no such tool"
        else:
            why = objection(rule, tool)
        if why:
            raise ValueError(f"rules: {rule.tool}: {rule.action} {'.'.join(rule.path)}: {why}")
        found.setdefault(rule.tool, []).append(rule)
    return found


def objection(rule: CallRule, tool: Tool[Any]) -> str:
    """Return the reason why a rule contradicts the tool's schema; an empty string if it does not."""
    concrete: Path = tuple(0 if step == ITEM else step for step in rule.path)
    fields = Call(facts_of(tool), {}).locate(concrete[:-1]).node.properties
    name = rule.path[-1]
    if not fields and (rule.action != "drop" or len(rule.path) > 1):  # a tool without fields may get keys
        return "the schema declares no fields there"
    if rule.action != "default":
        if name in fields:
            return f"{name!r} is a field"
        if rule.to is None or rule.to in fields:
            return ""
        return f"{rule.to!r} is not a field"
    if name not in fields:
        return f"{name!r} is not a field"
    payload = rule.value
    for step in reversed(concrete):
        if step == 0:
            payload = [payload]
        else:
            payload = {step: payload}
    refused = [i for i in tool.validate(payload) if i.path[: len(concrete)] == concrete]
    if refused:
        return f"the schema rejects the value ({refused[0].constraint})"
    return ""


def apply_rules(
    rules: Sequence[CallRule], payload: Any, issues: Sequence[ValidationIssue]
) -> tuple[Any, tuple[Change, ...]]:
    """Apply the rules wherever there is an issue. Return a corrected copy of the payload, and the changes."""
    wrong = {issue.path for issue in issues}
    changes: list[Change] = []
    draft = payload
    for rule in rules:
        made = [_made(rule, place, held, wrong) for place, held in _holders(draft, rule.path)]
        edits = [one[0] for one in made if one is not None]
        changes += [one[1] for one in made if one is not None]
        if len(changes) > MAX_EDITS:
            return payload, ()
        draft = apply_edits(draft, edits)
    return draft, tuple(changes)


def _holders(payload: Any, path: Sequence[str]) -> Iterator[tuple[Path, dict[str, Any]]]:
    """Return the objects that may contain the last key of a path, each with its own path."""
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


def _made(
    rule: CallRule, above: Path, held: Mapping[str, Any], wrong: set[Path]
) -> tuple[Edit, Change] | None:
    """Return the edit that a rule makes to an object, and the entry that records it; None for no edit."""
    name = rule.path[-1]
    place = (*above, name)
    change: Change = {"path": place, "from": held.get(name), "rule": rule.action}
    if rule.action == "default":
        if name in held or place not in wrong:
            return None
        return Edit("set", place, value=rule.value), {**change, "to": rule.value}
    if name not in held:
        return None
    if rule.to is None:
        if place in wrong:
            return (Edit("remove", place), change)
        return None
    target = (*above, rule.to)
    if rule.to in held or not wrong & {place, target}:
        return None
    return Edit("rename", place, target), {**change, "from": name, "to": rule.to}
