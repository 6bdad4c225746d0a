"""`Problem` and `Call`: the issues at one path of a payload, joined with the schema of that path."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

from toolgen_runtime.hints.edits import Edit, Reading, below
from toolgen_runtime.hints.text import choice as choice_text, shown
from toolgen_runtime.schema.facts import SchemaFacts
from toolgen_runtime.schema.keywords import UNKNOWN_KEYS
from toolgen_runtime.schema.node import Path, SchemaNode
from toolgen_runtime.schema.raw import admits, is_one_of, json_type
from toolgen_runtime.validation.branches import as_declared
from toolgen_runtime.validation.issues import ANY_ITEM, MISSING, Secret, ValidationIssue, revealed

Check = Callable[[Any], list[ValidationIssue]]

LISTING = ("enum", "const")


class Problem:
    """The problem at one path: its issues, its schema node, and the results of the diagnosis."""

    rename_from: str | None
    did_you_mean: Any
    candidates: tuple[str, ...]
    """The fields that are equally similar to an unknown key."""
    strays: tuple[str, ...]
    """Keys sent in the same object that are not fields, if this field is missing."""
    reading: Reading | None
    """The current proposal for the intended value."""
    readings: Sequence[Reading]
    """The proposals to try if the check refuses `reading`."""
    edits: tuple[Edit, ...]
    """The edits that would correct the problem."""
    rules: tuple[str, ...]
    """The name of the rule that allows each edit, if the edits are certain; else empty."""
    said: str
    """The complete sentence, if a step of the diagnosis has already written it."""
    asked: str
    """`said` as a question, used if the edits are not certain; only for values that belong elsewhere."""
    asks: bool
    """Whether `said` is a question."""
    group: Sequence[Problem]
    """The problems of several items that share this line, this one first."""
    then: Problem | None
    """The problem of the value under its new name; it shares this line."""
    shares_line: bool
    """Whether the problem is the `then` of another."""

    def __init__(
        self, path: Path, issue: ValidationIssue, constraint: str, location: Location, node: SchemaNode
    ):
        got = issue.got
        hidden = type(got) is Secret
        self.path = path
        self.issues = [issue]
        self.constraint = constraint
        self.got = revealed(got) if hidden else got
        """The offending value of the first issue."""
        self.node = node
        self.location = location
        """The location of the containing object or array; at the root, of the payload itself."""
        self.secret = hidden or (
            node.schema.has_secrets
            and (location.secret or node.secret or (path != () and location.hides(path[-1])))
        )
        """Whether the value may not be shown."""
        self.missing = constraint == "required" and path != ()
        """Whether a required field is missing."""
        self.unknown = constraint in UNKNOWN_KEYS and path != ()
        """Whether the key itself is not allowed."""
        self.choice = location.choice
        """The assumed branch of a union, with the reason."""
        self.withdraw()
        self.then = None
        self.strays = self.readings = self.group = ()
        self.said = self.asked = ""
        self.asks = self.shares_line = False

    def propose(self, *edits: Edit, rules: Sequence[str] = ()) -> None:
        """Set the edits; they are certain if `rules` names a rule for each of them."""
        is_sure = len(rules) == len(edits) and all(rules)
        self.rules = tuple(rules) if is_sure else ()
        self.edits = tuple([e._replace(certain=True) for e in edits]) if is_sure else edits

    @property
    def sure(self) -> bool:
        """Whether the correction is certain."""
        return self.rules != ()

    def doubt(self) -> None:
        """Make the correction uncertain, and its sentence a question."""
        if self.rules:
            self.rules = ()
            self.edits = tuple([edit._replace(certain=False) for edit in self.edits])
        if self.asked:
            self.said, self.asks = self.asked, True

    def withdraw(self) -> None:
        """Remove all proposals."""
        self.edits = self.rules = self.candidates = ()
        self.reading = self.rename_from = self.did_you_mean = None

    def reads_choice(self) -> bool:
        """Return whether the schema lists the allowed values."""
        return bool(self.node.allowed) or self.constraint in LISTING

    def allowed(self) -> tuple[Any, ...]:
        """Return the values that the broken `enum` or `const` allows, else those of the schema."""
        issue = self.issues[0]
        if issue.constraint == "type" and len(self.issues) > 1:
            issue = self.issues[1]
        known = self.node.allowed
        if issue.constraint == "enum" and isinstance(issue.expected, (list, tuple)):
            # Return the node's tuple if it is equal: values derived from it are cached.
            if issue.expected == known:
                return known
            return tuple([v for v in issue.expected if is_one_of(v, known)]) or tuple(issue.expected)
        if issue.constraint != "const" or (issue.expected is None and issue.got is MISSING):
            return known  # the issue comes from a text that does not name the value
        return (issue.expected,)

    def types_in(self, issue: ValidationIssue) -> tuple[str, ...]:
        """Return the types that a `type` issue expects, or those of the schema if it has none."""
        expected = issue.expected
        if type(expected) is str:
            return (expected,)
        return tuple(expected) if isinstance(expected, (list, tuple)) else self.node.types

    def is_member(self) -> bool:
        """Return whether the problem is at a key of an object."""
        return self.path != () and isinstance(self.path[-1], str) and isinstance(self.location.value, dict)

    def is_optional(self) -> bool:
        """Return whether the problem is at a key that is not required."""
        return self.is_member() and self.path[-1] not in self.location.node.required


class Location:
    """A path of a payload: its value, and its schema with unions narrowed to the branches that fit the value."""

    __slots__ = ("_strays", "choice", "node", "secret", "value", "wide")

    def __init__(self, wide: SchemaNode, value: Any, choice: str, secret: bool):
        self.wide = self.node = wide
        """The node with all branches of its unions."""
        self.value = value
        self.choice = choice
        self.secret = secret
        """Whether this value, or one that contains it, is secret."""
        self._strays: bool | None = None
        if wide.unions:
            self.node, tag = wide.narrow(value)
            if tag:
                hidden = self.node.child(tag).write_only or wide.schema.names_secret(tag)
                self.choice = choice_text(tag) + ("" if hidden else f"={shown(value[tag])}")

    def has_strays(self) -> bool:
        """Return whether the value is an object with a key that the schema does not declare."""
        if self._strays is None:
            value = self.value
            self._strays = isinstance(value, dict) and not value.keys() <= self.node.properties.keys()
        return self._strays

    def hides(self, step: str | int) -> bool:
        """Return whether a member is secret by its name or in any branch of a union."""
        node, wide = self.node, self.wide
        return (wide is not node and wide.child(step).secret) or node.schema.names_secret(step)


class Call:
    """A call to diagnose; it follows paths through schema and payload together and caches the locations."""

    __slots__ = ("_locations", "changes", "check", "facts", "payload", "root", "tool", "tools")

    def __init__(
        self,
        facts: SchemaFacts,
        payload: Any,
        check: Check | None = None,
        *,
        tool: str = "",
        changes: bool = True,
        tools: Collection[str] = (),
    ):
        self.facts = facts
        self.payload = payload
        """The checked arguments; `MISSING` if they are unknown."""
        self.check = None if payload is MISSING else check
        """The tool's check; None if edits cannot be tried."""
        self.tool = tool
        self.changes = changes
        """Whether the tool changes existing data, so that null may mean "clear it"."""
        self.tools = tools
        """The names of all tools, because a value may be a call of another tool."""
        self.root = Location(facts.root, payload, "", facts.root.write_only)
        """The location of the whole payload."""
        self._locations: dict[Path, Location] = {(): self.root}

    def sent_as(self, payload: Any) -> Call:
        """Return the same call with another payload."""
        return Call(self.facts, payload, self.check, tool=self.tool, changes=self.changes)

    def issues_of(self, payload: Any) -> list[ValidationIssue]:
        """Return the issues of another payload; none if there is no check."""
        return self.check(payload) if self.check is not None else []

    def locate(self, path: Path) -> Location:
        """Return the location at a path; the value is `MISSING` if the payload does not have it."""
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
    """Return one problem per path, in the order of the issues."""
    found: dict[Path, Problem] = {}
    for issue in issues:
        path, constraint = issue.path, issue.constraint
        if constraint == "dependentRequired" and isinstance(issue.expected, str):
            path, constraint = (*path, issue.expected), "required"
        elif not path and (name := _sole_name(issue.expected)) is not None:
            path, constraint = (name,), "required"  # the line of this field also names the alternatives
        if path in found:
            found[path].issues.append(issue)
            continue
        location = call.locate(path[:-1]) if len(path) > 1 else call.root
        in_union = location.wide.unions != ()
        if in_union and constraint == "required" and len(path) > 1 and _undecided(location, path[-1]):
            path, constraint = path[:-1], "anyOf"
            if path in found:
                continue
            location = call.locate(path[:-1])
        node = location.node.child(path[-1]) if path else location.node
        found[path] = Problem(path, issue, constraint, location, node)
    return [*found.values()]


def are_forms(expected: Any) -> bool:
    """Return whether the `expected` of a union's issue holds a schema for each branch, rather than branch names."""
    return isinstance(expected, tuple) and bool(expected) and all(isinstance(e, Mapping) for e in expected)


def _sole_name(expected: Any) -> str | None:
    """Return the first field if each form of a union requires exactly one field and nothing else; else None."""
    if not are_forms(expected) or any(
        [*form] != ["required"] or len(form["required"]) != 1 for form in expected
    ):
        return None
    return str(expected[0]["required"][0])


def _undecided(location: Location, name: str | int) -> bool:
    """Return whether no key of a union's branches was sent, so that a missing name only guesses one; False for tags."""
    wide = location.wide
    if not isinstance(location.value, dict) or name in wide.required:
        return False
    branches = [node for union in wide.branches for node in union]
    if all(name in b.required or (name in b.properties and b.child(name).allowed) for b in branches):
        return False
    return not as_declared(location.value, [node.declared for node in branches])


def may_be(node: SchemaNode, value: Any) -> bool:
    """Return whether a value has a node's type, is an allowed value, and has the required keys."""
    if isinstance(value, dict) and not node.required <= value.keys():
        return False
    return admits(node.types, json_type(value)) and (not node.allowed or is_one_of(value, node.allowed))


def mixes_objects(issue: ValidationIssue) -> bool:
    """Return whether an object was sent instead of another value, or another value instead of an object."""
    if issue.constraint not in ("type", "anyOf", "oneOf"):
        return False
    got, expected = revealed(issue.got), issue.expected
    if isinstance(got, dict):
        return True
    return got is not None and (
        expected == "object" or (isinstance(expected, (list, tuple)) and "object" in expected)
    )


def general(path: Path) -> Path:
    """Return a path with `ANY_ITEM` in place of each index."""
    return tuple([ANY_ITEM if type(step) is int else step for step in path])
