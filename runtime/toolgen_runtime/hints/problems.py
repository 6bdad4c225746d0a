"""The problems of a call: the issues at each path of its payload, together with the schema of that path.

Neither ever changes. The diagnosis adds proposals to problems (see `proposals`) without modifying them.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from toolgen_runtime.hints.edits import below
from toolgen_runtime.hints.quoting import choice as choice_text, shown
from toolgen_runtime.schema.facts import SchemaFacts
from toolgen_runtime.schema.keywords import UNKNOWN_KEYS
from toolgen_runtime.schema.node import Path, SchemaNode
from toolgen_runtime.schema.raw import admits, is_one_of, json_type
from toolgen_runtime.validation.branches import as_declared
from toolgen_runtime.validation.issues import ANY_ITEM, MISSING, Secret, ValidationIssue, revealed

Check = Callable[[Any], list[ValidationIssue]]
LISTING = ("enum", "const")


class Location:
    """A path in a payload, with the value and the schema at that path.

    Unions in the schema are narrowed to the branches that fit the value.
    """

    __slots__ = ("choice", "node", "secret", "undeclared", "value", "wide")

    def __init__(self, wide: SchemaNode, value: Any, choice: str, secret: bool):
        self.wide = self.node = wide
        """The node with all branches of its unions."""
        self.value = value
        self.choice = choice
        """The assumed branch of a union, with the reason: `kind="slack"`."""
        self.secret = secret
        """Whether this value, or one that contains it, is secret."""
        if wide.unions:
            self.node, tag = wide.narrow(value)
            if tag:
                hidden = self.node.child(tag).write_only or wide.schema.names_secret(tag)
                self.choice = choice_text(tag) + ("" if hidden else f"={shown(value[tag])}")
        self.undeclared: list[str] = []
        """The sent keys that the schema does not declare."""
        if isinstance(value, dict):
            declared = self.node.properties
            self.undeclared = [key for key in value if key not in declared and isinstance(key, str)]

    def hides(self, step: str | int) -> bool:
        """Return whether the value at a key or index is secret, because of its key or because any branch of a
        union says so.
        """
        return self.wide.child(step).secret or self.wide.schema.names_secret(step)

    def tags(self, name: str | int) -> tuple[Any, ...]:
        """Return the values of a key that tells the branches of a union apart; an empty tuple if it does not."""
        if not self.wide.unions:
            return ()
        values = self.wide.child(name).allowed
        if len(values) > 1:
            return values
        return ()


class Problem(NamedTuple):
    """What is wrong at one path: the issues, the invalid value and its schema."""

    path: Path
    issues: tuple[ValidationIssue, ...]
    constraint: str
    """The constraint of the first issue; `required` for a missing field, whichever keyword requires it."""
    got: Any
    """The offending value of the first issue."""
    node: SchemaNode
    location: Location
    """The location of the containing object or array; at the root, of the payload itself."""
    secret: bool
    """Whether the value may not be shown."""
    missing: bool
    """Whether a required field is missing."""
    unknown: bool
    """Whether the key itself is not allowed."""

    @property
    def is_value(self) -> bool:
        """Whether a value that was sent is wrong, not a key that is missing or unknown."""
        return self.got is not MISSING and not self.missing and not self.unknown

    def lists_values(self) -> bool:
        """Return whether the schema lists the allowed values."""
        return bool(self.node.allowed) or self.constraint in LISTING

    def allowed(self) -> tuple[Any, ...]:
        """Return the allowed values: those of the broken `enum` or `const`, otherwise those of the schema."""
        issue = self.issues[0]
        known = self.node.allowed
        if issue.constraint == "enum" and isinstance(issue.expected, (list, tuple)):
            # Return the node's tuple if it is equal: values derived from it are cached.
            if issue.expected == known:
                return known
            return tuple([v for v in issue.expected if is_one_of(v, known)]) or tuple(issue.expected)
        if issue.constraint == "const":
            return (issue.expected,)
        return known

    def allowed_or_null(self) -> tuple[Any, ...]:
        """Return the allowed values, followed by null if the schema allows that too."""
        known = self.allowed()
        if known == self.node.allowed:
            return self.node.allowed_or_null
        return known

    def other_branches(self) -> list[SchemaNode]:
        """Return the branches of a union that do not list their values, so that they accept others too."""
        if self.constraint not in LISTING:
            return []
        return [branch for branch in self.node.all_branches if not branch.allowed]

    def types_in(self, issue: ValidationIssue) -> tuple[str, ...]:
        """Return the types that a `type` issue expects. If it names none, return the types that the schema allows."""
        expected = issue.expected
        if type(expected) is str:
            return (expected,)
        if isinstance(expected, (list, tuple)):
            return tuple([name for name in expected if isinstance(name, str)])
        return self.node.types

    def is_member(self) -> bool:
        """Return whether the problem is at the key of an object, not at an index."""
        return self.path != () and isinstance(self.path[-1], str) and isinstance(self.location.value, dict)

    def is_optional(self) -> bool:
        """Return whether the problem is at a key that is not required, neither always nor in every branch."""
        if not self.is_member():
            return False
        node, key = self.location.node, self.path[-1]
        in_branches = any(all(key in branch.required for branch in union) for union in node.branches)
        return key not in node.required and not in_branches


@dataclass(eq=False)
class Call:
    """A call to diagnose. It finds the value and the schema at any path, and caches them."""

    facts: SchemaFacts
    payload: Any
    """The checked arguments; `MISSING` if they are unknown."""
    check: Check | None = None
    """The tool's check; None if edits cannot be tried."""
    tool: str = ""
    omits_null: bool = False
    """Whether null for an optional field certainly means that there is no value."""
    tools: Collection[str] = ()
    """The names of all tools, because a value may be a call of another tool."""

    def __post_init__(self) -> None:
        if self.payload is MISSING:
            self.check = None
        self.root = Location(self.facts.root, self.payload, "", self.facts.root.write_only)
        """The location of the whole payload."""
        self._locations: dict[Path, Location] = {(): self.root}

    def sent_as(self, payload: Any) -> Call:
        """Return a copy of the call that has another payload."""
        return replace(self, payload=payload)

    def issues_of(self, payload: Any) -> list[ValidationIssue]:
        """Return the issues that the call would have with another payload; an empty list if there is no
        check.
        """
        if self.check is not None:
            return self.check(payload)
        return []

    def hidden(self, value: Any) -> Any:
        """Prepare a value for use in an edit: if the schema has secrets, wrap it in a `Secret`."""
        if self.facts.has_secrets:
            return Secret(value)
        return value

    def locate(self, path: Path) -> Location:
        """Return the location at a path. Its value is `MISSING` if the payload does not have that path."""
        found = self._locations.get(path)
        if found is None:
            found = self.root
            for step in path:
                found = self._below(found, step)
            self._locations[path] = found
        return found

    def _below(self, above: Location, step: str | int) -> Location:
        node, secret = above.node.child(step), above.secret
        if self.facts.has_secrets:
            wide = above.wide.unions and above.wide.child(step).write_only
            secret = secret or bool(wide) or node.write_only or self.facts.names_secret(step)
        return Location(node, below(above.value, step), above.choice, secret)


def gather(call: Call, issues: Sequence[ValidationIssue]) -> list[Problem]:
    """Collect the issues into one problem for each path, in the order of the issues."""
    found: dict[Path, tuple[str, list[ValidationIssue]]] = {}
    for issue in issues:
        path, constraint = _place_of(call, issue)
        if path in found:
            found[path][1].append(issue)
        else:
            found[path] = constraint, [issue]
    return [problem_of(call, path, constraint, issues) for path, (constraint, issues) in found.items()]


def problem_of(call: Call, path: Path, constraint: str, issues: Sequence[ValidationIssue]) -> Problem:
    """Return the problem that these issues describe at a path."""
    location = call.locate(path[:-1])
    node = location.node
    if path:
        node = node.child(path[-1])
    got = issues[0].got
    is_secret = type(got) is Secret
    got = revealed(got)
    if not is_secret and node.schema.has_secrets:
        is_named = bool(path) and location.hides(path[-1])
        # A container may hold a secret that the schema has elsewhere.
        is_secret = location.secret or node.secret or is_named or isinstance(got, (dict, list))
    return Problem(
        path,
        tuple(issues),
        constraint,
        got,
        node,
        location,
        is_secret,
        missing=constraint == "required" and path != (),
        unknown=constraint in UNKNOWN_KEYS and path != (),
    )


def _place_of(call: Call, issue: ValidationIssue) -> tuple[Path, str]:
    """Return the path and the constraint of the problem that an issue belongs to."""
    path, constraint = issue.path, issue.constraint
    if constraint == "dependentRequired" and isinstance(issue.expected, str):
        return (*path, issue.expected), "required"
    if not path and (name := _sole_name(issue.expected)) is not None:
        return (name,), "required"  # the line of this field also names the alternatives
    if constraint == "required" and len(path) > 1:
        location = call.locate(path[:-1])
        if location.wide.unions and _is_undecided(location, path[-1]):
            return path[:-1], "anyOf"
    return path, constraint


def are_forms(expected: Any) -> bool:
    """Return whether `expected`, from the issue of a union, has a schema for each branch and not just the
    branches' names.
    """
    return isinstance(expected, tuple) and bool(expected) and all(isinstance(e, Mapping) for e in expected)


def _sole_name(expected: Any) -> str | None:
    """Return the first branch's field if every branch requires exactly one field and nothing else; otherwise None."""
    if not are_forms(expected) or any(
        [*form] != ["required"] or len(form["required"]) != 1 for form in expected
    ):
        return None
    return str(expected[0]["required"][0])


def _is_undecided(location: Location, name: str | int) -> bool:
    """Return whether it is open which branch of a union was meant, because none of their keys was sent.

    The name of a missing field is then only a guess. The result is False for a tag.
    """
    wide = location.wide
    if not isinstance(location.value, dict) or name in wide.required:
        return False
    if all(name in branch.properties for branch in wide.all_branches):
        return False
    return names_no_branch(wide, location.value)


def names_no_branch(node: SchemaNode, value: Any) -> bool:
    """Return whether an object has no key that a branch of a union declares, so that any branch may be meant."""
    if not isinstance(value, dict):
        return False
    return not as_declared(value, [branch.declared for branch in node.all_branches])


def may_be(node: SchemaNode, value: Any) -> bool:
    """Return whether a value may be valid under a node, judging by its type, the allowed values and the
    required keys.
    """
    if isinstance(value, dict) and not node.required <= value.keys():
        return False
    return admits(node.types, json_type(value)) and (not node.allowed or is_one_of(value, node.allowed))


def general(path: Path) -> Path:
    """Return the path with `ANY_ITEM` in place of each index."""
    return tuple([ANY_ITEM if type(step) is int else step for step in path])
