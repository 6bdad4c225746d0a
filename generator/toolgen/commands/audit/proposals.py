"""Propose rules that repair the mistakes in recorded calls.

A rule is a single edit that turned wrong calls into the valid calls after them.
"""

from __future__ import annotations

import json
from collections import Counter, deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

from toolgen.commands.audit.partitions import parts_of
from toolgen.commands.audit.records.call import Call
from toolgen.commands.audit.records.recognize import calls_of, is_conversation, value_of
from toolgen.commands.audit.sources import Source
from toolgen.commands.audit.summarize import decoded
from toolgen.commands.audit.tools import AuditTools
from toolgen_runtime.calls.rules import ITEM, CallRule, rules_of
from toolgen_runtime.hints.repair import repair
from toolgen_runtime.validation.issues import MISSING

MIN_RETRIES: Final = 3
"""The number of retries that must have made an edit before it is proposed."""
MIN_VALUES: Final = 30
"""The number of valid calls that must have sent the same value before it is proposed as a default."""
WAITING: Final = 8
"""The maximum number of wrong calls to a tool whose retry may still follow."""
MAX_EDITS: Final = 4
"""The maximum number of edits in one retry. A call with more differences is not a retry."""
MAX_KNOWN: Final = 10_000
"""The maximum number of distinct edits to count."""
Place = tuple[str, tuple[str, ...]]
"""A tool and the path of a key."""


@dataclass(frozen=True, slots=True)
class Proposal:
    """A proposed rule, with the evidence for it.

    The evidence is the number of wrong calls with a mistake at the rule's key, and the number of retries with exactly
    this edit.
    """

    rule: CallRule
    seen: int
    retries: int

    def table(self) -> dict[str, Any]:
        """Return the rule as a dict for `Conversation(rules=...)`."""
        rule = self.rule
        given: dict[str, Any] = {"tool": rule.tool, "action": rule.action, "path": list(rule.path)}
        if rule.to is not None:
            given["to"] = rule.to
        if rule.value is not MISSING:
            given["value"] = rule.value
        return given

    def toml(self) -> str:
        """Return the rule as a table for a TOML file, with the evidence as a comment."""
        # A string, number or list is TOML as it is JSON, but for U+007F.
        texts = {key: json.dumps(value, ensure_ascii=False) for key, value in self.table().items()}
        lines = [f"{key} = {text}".replace("\x7f", "\\u007f") for key, text in texts.items()]
        calls, retries = f"{self.seen} wrong calls", f"in {self.retries} the retry made exactly this edit"
        return "\n".join((f"# seen in {calls}; {retries}, in none a different one", "[[rules]]", *lines))


def proposals(sources: Sequence[Source], tools: AuditTools) -> list[Proposal]:
    """Return the rules that the calls in some files support, the most helpful first.

    Raises:
        SpecError: a file cannot be read to its end.
    """
    return proposals_of((record for part in parts_of(sources) for _, record in part.records()), tools)


def proposals_of(records: Iterable[Any], tools: AuditTools) -> list[Proposal]:
    """Return the rules that some records support, the most helpful first. Unreadable records are skipped."""
    found = _Retries(tools)
    for record in records:
        try:
            value = value_of(record) if isinstance(record, str | bytes) else record
            calls = calls_of(value)
        except ValueError:
            continue
        found.add_record(calls, is_history=len(calls) > 1 or is_conversation(value))
    return sorted(found.proposed(), key=lambda one: (-one.seen, one.rule.tool, one.rule.path))


class _Retries:
    """Counts how calls differ from the wrong calls before them."""

    def __init__(self, tools: AuditTools) -> None:
        self.tools = tools.load()
        self.waiting: dict[str, deque[Any]] = {}
        self.seen: Counter[Place] = Counter()
        self.edits: dict[Place, tuple[CallRule | None, int]] = {}
        """The rule for the edit that all retries made at a place, or None, and the number of these retries."""
        self.values: dict[Place, Counter[str]] = {}
        """The values that valid calls send, up to the second value of a field."""

    def add_record(self, calls: Sequence[Call], is_history: bool) -> None:
        """Count the calls in a record. If it is a whole conversation, a retry must follow a wrong call of the
        same conversation.
        """
        before = self.waiting
        if is_history:
            self.waiting = {}
        for call in calls:
            self.add(call)
        self.waiting = before

    def add(self, call: Call) -> None:
        found = self.tools.find(call.tool)
        if found is None or call.executed:
            return
        payload, of_text = decoded(call.arguments)
        if of_text or type(payload) is not dict:
            return
        issues = found.tool.validate(payload)
        if not issues:
            self.add_values(call.tool, payload, ())
            self.add_retry(call.tool, payload)
        elif not repair(found.tool, payload).changes:  # otherwise no rule is needed
            if len(self.seen) < MAX_KNOWN:
                paths = {tuple(ITEM if isinstance(it, int) else it for it in issue.path) for issue in issues}
                self.seen.update((call.tool, path) for path in paths)
            self.waiting.setdefault(call.tool, deque(maxlen=WAITING)).append(payload)

    def add_values(self, tool: str, value: Any, path: tuple[str, ...]) -> None:
        """Count the strings, numbers and booleans that a valid call sends for each field."""
        if isinstance(value, dict | list):
            pairs = value.items() if isinstance(value, dict) else ((ITEM, item) for item in value)
            for step, item in pairs:
                self.add_values(tool, item, (*path, step))
            return
        place = (tool, path)
        if place in self.values or len(self.values) < MAX_KNOWN:
            values = self.values.setdefault(place, Counter())
            if len(values) < 2:
                values[json.dumps(value)] += 1

    def add_retry(self, tool: str, payload: Any) -> None:
        """Count the edits that lead from a wrong call to the valid call that followed it.

        If there are several wrong calls, use the latest.
        """
        waiting = self.waiting.get(tool, deque())
        for wrong in reversed(waiting):
            rules = _differences(tool, wrong, payload, ())
            if rules is not None and 0 < len(rules) <= MAX_EDITS:
                waiting.remove(wrong)
                for rule in rules:
                    place = (tool, rule.path)
                    if place in self.edits or len(self.edits) < MAX_KNOWN:
                        before, retries = self.edits.get(place, (rule, 0))
                        self.edits[place] = (rule if rule == before else None), retries + 1
                return

    def proposed(self) -> Iterator[Proposal]:
        """Yield the edits that enough retries made, if no retry made another edit at the same place."""
        for (tool, path), (rule, retries) in self.edits.items():
            if rule is not None and retries >= MIN_RETRIES and self.may_be_shown(rule):
                seen = self.seen[(tool, path)] or self.seen[(tool, (*path[:-1], rule.to or path[-1]))]
                yield Proposal(rule, max(seen, retries), retries)

    def may_be_shown(self, rule: CallRule) -> bool:
        """Return whether a rule may be proposed: a conversation must accept it, and it must not reveal a
        secret.

        The value of a default must always be sent, and must not be secret.
        """
        found = self.tools.find(rule.tool)
        secrets = found.secrets if found is not None else None
        if rule.action == "default":
            values = self.values.get((rule.tool, rule.path), Counter[str]())
            is_always = [*values] == [json.dumps(rule.value)] and values.total() >= MIN_VALUES
            is_hidden = secrets is not None and secrets.hides(rule.path, value=rule.value)
            if not is_always or is_hidden or not isinstance(rule.value, str | bool | int | float):
                return False
        try:
            rules_of([rule], self.tools.registry.find)
        except ValueError:
            return False
        return True


def _differences(tool: str, wrong: Any, right: Any, path: tuple[str, ...]) -> list[CallRule] | None:
    """Return the rules that turn one value into another; None if the values differ in more than their keys."""
    if type(wrong) is dict and type(right) is dict:
        keys = _of_keys(tool, wrong, right, path)
        if keys is None:
            return None
        found = keys
        pairs = [(wrong[key], right[key], (*path, key)) for key in wrong if key in right]
    elif type(wrong) is list and type(right) is list and len(wrong) == len(right):
        found, pairs = [], [(a, b, (*path, ITEM)) for a, b in zip(wrong, right, strict=True)]
    else:
        return [] if type(wrong) is type(right) and wrong == right else None
    for a, b, place in pairs:
        below = _differences(tool, a, b, place)
        if below is None:
            return None
        found += (rule for rule in below if rule not in found)
    return found


def _of_keys(
    tool: str, wrong: dict[str, Any], right: dict[str, Any], path: tuple[str, ...]
) -> list[CallRule] | None:
    """Return the rules for the keys of an object; None if values are replaced too, or if the rules are ambiguous."""
    added = {key: value for key, value in right.items() if key not in wrong}
    found: list[CallRule] = []
    for key in (key for key in wrong if key not in right):
        same = [
            name for name, value in added.items() if type(value) is type(wrong[key]) and value == wrong[key]
        ]
        if len(same) > 1 or (added and not same):
            return None
        if same:
            del added[same[0]]
            found.append(CallRule(tool, "alias", (*path, key), to=same[0]))
        else:
            found.append(CallRule(tool, "drop", (*path, key)))
    if added and found:
        return None
    return found + [CallRule(tool, "default", (*path, key), value=value) for key, value in added.items()]
