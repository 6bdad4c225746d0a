"""Change arguments before they are rejected, as the options allow: fill in defaults, remove nulls and client keys.

A server would accept such a call, or would do so without the keys that an MCP client added. The model made no mistake,
so it is not told about these changes. `ToolOutput.repairs` lists them. All other issues remain.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from toolgen_runtime.calls.client_keys import CLIENT_KEYS, is_client_key
from toolgen_runtime.calls.results import copied
from toolgen_runtime.hints.edits import Edit, apply_edits, at
from toolgen_runtime.hints.names import common_start, opposed
from toolgen_runtime.hints.renames import SHARED_WORD, how_far_apart
from toolgen_runtime.schema.facts import SchemaFacts, share_facts
from toolgen_runtime.schema.keywords import UNKNOWN_KEYS
from toolgen_runtime.validation.issues import MISSING, ValidationIssue

if TYPE_CHECKING:
    from toolgen_runtime.calls.policy import Defaults, Nulls
    from toolgen_runtime.hints.repair import Change
    from toolgen_runtime.schema.node import Path, SchemaNode
    from toolgen_runtime.validation.tool import Tool

DEFAULT: Final = "default"
OMITTED: Final = "null"
CLIENT_KEY: Final = "client_key"
SILENT_RULES: Final = frozenset((DEFAULT, OMITTED, CLIENT_KEY))
"""The rules whose changes are not mentioned to the model."""
MAX_CHANGES: Final = 1_000
MAX_UNDECLARED: Final = 500
"""The maximum number of unknown keys to compare with a missing field; beyond it, no default is filled in."""
MAX_SEARCHED_TEXT: Final = 100_000
"""The maximum number of characters of a text value to search for the name of a missing field."""

_ABSENT: Final = re.compile(
    r"\b(?:if|when|where|unless)\b[^.;]{0,40}?\b"
    r"(?:omitted|absent|missing|unset|unspecified|blank|empty|left (?:out|unset)"
    r"|not (?:given|set|provided|specified|passed|present|supplied|included|sent|defined))\b"
    r"|\bomit|\bomission\b|\babsence\b|\bleave (?:\w+ )?(?:out|blank|empty|unset)\b|\bwithout (?:it|this)\b",
    re.IGNORECASE,
)
"""Words in a description that say what the call does if the field is missing."""
_DEFAULTS: Final = re.compile(
    r"\bdefaults?\b(?: values?)?(?: is| are| to| of)?[ :=]*(.{0,40})", re.IGNORECASE
)
_VALUE: Final = re.compile(r"""["'`]|[-+]?\d|[\w.-]*(?:$|[\s)]*[).,;])""")
"""A value after "default". In "defaults to all users", the words describe what the call does."""


class Adjusted(NamedTuple):
    """The arguments after all allowed changes, and the issues that remain."""

    payload: Any
    issues: Sequence[ValidationIssue]
    changes: tuple[Change, ...] = ()


class _Step(NamedTuple):
    """One change: the edit, and the entry that records it."""

    edit: Edit
    change: Change


class Adjuster:
    """Changes the arguments of one tool's calls as the options of a policy allow."""

    def __init__(self, tool: Tool[Any], facts: SchemaFacts, defaults: Defaults, nulls: Nulls) -> None:
        self._facts = facts
        self._check = tool.validate
        self._fills, self._omits = defaults == "fill", nulls == "omit"
        self.tool = tool.with_check(self._issues_after)
        """The tool, with a check that has no issues for what `adjust` puts right."""
        share_facts(tool, self.tool)

    def _issues_after(self, payload: Any) -> list[ValidationIssue]:
        issues = self._check(payload)
        if issues:
            return list(self.adjust(payload, issues).issues)
        return issues

    def adjust(self, payload: Any, issues: Sequence[ValidationIssue]) -> Adjusted:
        """Return the payload with the allowed changes. The given payload does not change.

        A change is made only if the changed payload resolves its issue and causes no other.
        """
        steps = self._steps(payload, issues)
        if not steps:
            return Adjusted(payload, issues)
        known = {(issue.path, issue.constraint) for issue in issues}
        while steps and len(steps) <= MAX_CHANGES:
            draft = apply_edits(payload, [step.edit for step in steps])
            left = self._check(draft)
            new = {issue.path for issue in left if (issue.path, issue.constraint) not in known}
            wrong = [s for s in steps if any(path[: len(s.edit.path)] == s.edit.path for path in new)]
            if not wrong:
                break
            steps = [step for step in steps if step not in wrong]
        else:
            return Adjusted(payload, issues)
        if new:
            return Adjusted(payload, issues)
        return Adjusted(draft, left, tuple(s.change for s in steps))

    def _steps(self, payload: Any, issues: Sequence[ValidationIssue]) -> list[_Step]:
        """Return the changes that these issues call for and that the options allow."""
        unknown: list[Path] = []
        missing: list[Path] = []
        for issue in issues:
            if issue.constraint in UNKNOWN_KEYS:
                unknown.append(issue.path)
            elif issue.constraint == "required" and issue.path:
                missing.append(issue.path)
        steps = [*_client_keys(self._facts, payload, unknown)]
        if self._omits:
            steps += _nulls(self._facts, payload, issues)
        if self._fills:
            steps += _defaults(self._facts, payload, missing)
        return steps


def says_absence(description: str) -> bool:
    """Return whether a field's description says what a missing value means.

    It is not enough if the description only names a default value.
    """
    described = (match[1] for match in _DEFAULTS.finditer(description))
    return bool(_ABSENT.search(description)) or any(not _VALUE.match(text) for text in described)


def _client_keys(facts: SchemaFacts, payload: Any, unknown: Sequence[Path]) -> Iterator[_Step]:
    for path in dict.fromkeys(unknown):
        if is_client_key(facts, path) and (value := at(payload, path)) is not MISSING:
            yield _Step(Edit("remove", path), {"path": path, "from": value, "rule": CLIENT_KEY})


def _nulls(facts: SchemaFacts, payload: Any, issues: Sequence[ValidationIssue]) -> Iterator[_Step]:
    """Yield a change that removes each null from an optional field, unless its description says what absence means."""
    for path in dict.fromkeys(issue.path for issue in issues):
        if not path or not isinstance(path[-1], str) or at(payload, path) is not None:
            continue
        holder = holder_of(facts, payload, path)
        if path[-1] not in holder.properties or path[-1] in holder.required:
            continue
        if not says_absence(holder.child(path[-1]).first("description", str) or ""):
            yield _Step(Edit("remove", path), {"path": path, "from": None, "rule": OMITTED})


def _defaults(facts: SchemaFacts, payload: Any, missing: Sequence[Path]) -> Iterator[_Step]:
    """Yield the default of each missing required field, unless an unknown key may be a misspelling of that field."""
    others: _Undeclared | None = None
    for path in dict.fromkeys(missing):
        name, holder = path[-1], holder_of(facts, payload, path)
        if not isinstance(name, str) or name not in holder.properties:
            continue
        default = _default_of(holder, name)
        if default is MISSING or not isinstance(at(payload, path[:-1]), dict):
            continue
        if facts.at(path[:-1]).unions and len(holder.child(name).allowed) == 1:
            continue  # the tag of a union's branch: which branch was meant is not known without it
        others = others or _Undeclared(facts, payload)
        if not others.may_mean(name):
            yield _Step(
                Edit("set", path, None, default), {"path": path, "from": None, "to": default, "rule": DEFAULT}
            )


def holder_of(facts: SchemaFacts, payload: Any, path: Path) -> SchemaNode:
    """Return the schema node of the object (or list) that a path's last step belongs to.

    The payload selects the branches of unions.
    """
    node, value = facts.root, payload
    for step in path[:-1]:
        node = node.narrow(value)[0].child(step)
        value = at(value, (step,))
    return node.narrow(value)[0]


def _default_of(holder: SchemaNode, name: str) -> Any:
    """Return a new copy of a field's default; `MISSING` if there is no default or more than one."""
    found = [raw["default"] for raw in holder.child(name).raws if "default" in raw]
    if not found or any(each != found[0] or type(each) is not type(found[0]) for each in found):
        return MISSING
    return copied(found[0])


class _Undeclared:
    """The keys of a payload that its schema does not declare, and their values."""

    def __init__(self, facts: SchemaFacts, payload: Any) -> None:
        self.names: set[str] = set()
        self._texts: list[str] = []
        """Texts in which a client or a model may have put further arguments."""
        self._declared_texts: list[str] = []
        todo: list[tuple[Any, SchemaNode | None]] = [(payload, facts.root)]
        while todo:
            value, node = todo.pop()
            if isinstance(value, dict):
                if node is not None and node is not facts.root and not node.properties:
                    continue  # a map, whose keys are data
                for key, member in value.items():
                    if node is facts.root and key in CLIENT_KEYS:
                        continue
                    if node is None or key not in node.properties:
                        below = None
                    else:
                        below = node.child(key)
                    if below is None and isinstance(key, str):
                        self.names.add(key)
                    todo.append((member, below))
            elif isinstance(value, list):
                todo += [(item, None if node is None else node.child(i)) for i, item in enumerate(value)]
            elif isinstance(value, str) and node is None:
                self._texts.append(value)
            elif isinstance(value, str) and "<" in value:
                self._declared_texts.append(value)

    def may_mean(self, name: str) -> bool:
        """Return whether one of these unknown keys may stand for the given field.

        Its name is similar or opposite to the field's name, or the field's description mentions it.
        """
        if len(self.names) > MAX_UNDECLARED:
            return True
        for key in self.names:
            apart = how_far_apart(key, name)
            if (apart is not None and apart < SHARED_WORD) or opposed(key, name):
                return True
            if common_start(key.casefold(), name.casefold()):
                return True
        written = re.escape(name)
        as_key, as_parameter = rf"\b{written}[\"']?\s*[:=]", rf"name=[\"']{written}[\"']"
        texts = [(as_key, text) for text in self._texts]
        texts += [(as_parameter, text) for text in self._declared_texts]
        return any(re.search(pattern, text[:MAX_SEARCHED_TEXT]) for pattern, text in texts)
