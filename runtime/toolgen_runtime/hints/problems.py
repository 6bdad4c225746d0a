"""Issues, gathered per place of the payload and joined with what the schema says there; of very many, the first."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

from toolgen_runtime.hints.edits import Edit, Reading, below
from toolgen_runtime.hints.text import choice as choice_text
from toolgen_runtime.hints.text import shown
from toolgen_runtime.schema.facts import SchemaFacts
from toolgen_runtime.schema.keywords import UNKNOWN_KEYS
from toolgen_runtime.schema.node import Path, SchemaNode
from toolgen_runtime.schema.raw import admits, is_one_of, json_type
from toolgen_runtime.validation.branches import as_declared
from toolgen_runtime.validation.issues import ANY_ITEM, MISSING, Secret, ValidationIssue, revealed

Check = Callable[[Any], list[ValidationIssue]]

LISTING = ("enum", "const")


class Problem:
    """All that is wrong at one path: its issues, its schema node, and what was found out about them."""

    rename_from: str | None
    did_you_mean: Any
    candidates: tuple[str, ...]
    """The fields that an unknown key is equally like."""
    strays: tuple[str, ...]
    """Keys that were sent and are not fields, where this one is missing."""
    reading: Reading | None
    """What the value was meant to be."""
    readings: Sequence[Reading]
    """What else it may have been meant to be, if the check refuses that."""
    edits: tuple[Edit, ...]
    """What would fix it."""
    rules: tuple[str, ...]
    """What a repair calls each of those edits, if they are certain."""
    said: str
    """The whole sentence, where it is known already."""
    asked: str
    """That sentence as a question, where its edits are not certain; of values that belong elsewhere."""
    asks: bool
    """Whether what is said is that question."""
    group: Sequence[Problem]
    """The problems of many items that share this line, this one first."""
    then: Problem | None
    """What is wrong with the value under its new name; it shares this line."""
    shares_line: bool
    """Whether it is the `then` of another."""

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
        """The object or array that it stands in; its own place at the root."""
        self.secret = hidden or (
            node.schema.has_secrets
            and (location.secret or node.secret or (path != () and location.hides(path[-1])))
        )
        """Whether the value may not be shown."""
        self.missing = constraint == "required" and path != ()
        """Whether something is not there that should be."""
        self.unknown = constraint in UNKNOWN_KEYS and path != ()
        """Whether the key itself should not be there."""
        self.choice = location.choice
        """The branch of a union that was taken to be meant, and why."""
        self.withdraw()
        self.then = None
        self.strays = self.readings = self.group = ()
        self.said = self.asked = ""
        self.asks = self.shares_line = False

    def propose(self, *edits: Edit, rules: Sequence[str] = ()) -> None:
        """Take these edits for what would fix it: certain ones, if a rule allows each."""
        is_sure = len(rules) == len(edits) and all(rules)
        self.rules = tuple(rules) if is_sure else ()
        self.edits = tuple([e._replace(certain=True) for e in edits]) if is_sure else edits

    @property
    def sure(self) -> bool:
        """Whether it is certain what would fix it."""
        return self.rules != ()

    def doubt(self) -> None:
        """Make what would fix it uncertain."""
        if self.rules:
            self.rules = ()
            self.edits = tuple([edit._replace(certain=False) for edit in self.edits])
        if self.asked:
            self.said, self.asks = self.asked, True

    def withdraw(self) -> None:
        """Propose nothing."""
        self.edits = self.rules = self.candidates = ()
        self.reading = self.rename_from = self.did_you_mean = None

    def reads_choice(self) -> bool:
        """Return whether the value is one of a few that are listed."""
        return bool(self.node.allowed) or self.constraint in LISTING

    def allowed(self) -> tuple[Any, ...]:
        """Return the values that a broken `enum` or `const` allows; of a place that has them else, the schema's own."""
        issue = self.issues[0]
        if issue.constraint == "type" and len(self.issues) > 1:
            issue = self.issues[1]
        known = self.node.allowed
        if issue.constraint == "enum" and isinstance(issue.expected, (list, tuple)):
            # The place's own tuple, if it is the same: what is derived from it is kept there.
            if issue.expected == known:
                return known
            return tuple([v for v in issue.expected if is_one_of(v, known)]) or tuple(issue.expected)
        if issue.constraint != "const" or (issue.expected is None and issue.got is MISSING):
            return known  # of a text that does not say which value
        return (issue.expected,)

    def types_in(self, issue: ValidationIssue) -> tuple[str, ...]:
        """Return the types that an issue of `type` asks for; those of the schema if it does not say."""
        expected = issue.expected
        if type(expected) is str:
            return (expected,)
        return tuple(expected) if isinstance(expected, (list, tuple)) else self.node.types

    def is_member(self) -> bool:
        """Return whether the place is that of a key in an object."""
        return self.path != () and isinstance(self.path[-1], str) and isinstance(self.location.value, dict)

    def is_optional(self) -> bool:
        """Return whether the key may be left out."""
        return self.is_member() and self.path[-1] not in self.location.node.required


class Location:
    """A place as a payload fills it: union branches narrowed to what its value can mean."""

    __slots__ = ("_strays", "choice", "node", "secret", "value", "wide")

    def __init__(self, wide: SchemaNode, value: Any, choice: str, secret: bool):
        self.wide = self.node = wide
        """The same place with all its branches."""
        self.value = value
        self.choice = choice
        self.secret = secret
        """Whether the place, or one above it, is secret."""
        self._strays: bool | None = None
        if wide.unions:
            self.node, tag = wide.narrow(value)
            if tag:
                hidden = self.node.child(tag).write_only or wide.schema.names_secret(tag)
                self.choice = choice_text(tag) + ("" if hidden else f"={shown(value[tag])}")

    def has_strays(self) -> bool:
        """Return whether the payload has a key here that the schema does not declare."""
        if self._strays is None:
            value = self.value
            self._strays = isinstance(value, dict) and not value.keys() <= self.node.properties.keys()
        return self._strays

    def hides(self, step: str | int) -> bool:
        """Return whether a member's name, or any branch, also one that was not meant, makes a secret of it."""
        node, wide = self.node, self.wide
        return (wide is not node and wide.child(step).secret) or node.schema.names_secret(step)


class Call:
    """A call that is diagnosed: follows paths through schema and payload together; looks each parent up once."""

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
        """What was checked; `MISSING` if that is not known."""
        self.check = None if payload is MISSING else check
        """The tool's own check; None if nothing can be tried."""
        self.tool = tool
        self.changes = changes
        """Whether the tool changes what is there, so that null may mean "clear it"."""
        self.tools = tools
        """The names of all tools: a value may be a call of another tool."""
        self.root = Location(facts.root, payload, "", facts.root.write_only)
        """The location of the whole payload."""
        self._locations: dict[Path, Location] = {(): self.root}

    def sent_as(self, payload: Any) -> Call:
        """Return the same call with another payload."""
        return Call(self.facts, payload, self.check, tool=self.tool, changes=self.changes)

    def issues_of(self, payload: Any) -> list[ValidationIssue]:
        """Return what the check says of another payload."""
        return self.check(payload) if self.check is not None else []

    def locate(self, path: Path) -> Location:
        """Return the location at a path; below what the payload does not have, the schema alone is followed."""
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
            path, constraint = (name,), "required"  # that another would do is said there
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
    """Return whether what an issue of a union expects is what each branch asks for, not the names of branches."""
    return isinstance(expected, tuple) and bool(expected) and all(isinstance(e, Mapping) for e in expected)


def _sole_name(expected: Any) -> str | None:
    """Return the first of the fields that a union asks one of; None where a form asks for anything else."""
    if not are_forms(expected) or any(
        [*form] != ["required"] or len(form["required"]) != 1 for form in expected
    ):
        return None
    return str(expected[0]["required"][0])


def _undecided(location: Location, name: str | int) -> bool:
    """Whether a name that a union lacks guesses at a branch of which nothing was sent; a tag is asked for anyway."""
    wide = location.wide
    if not isinstance(location.value, dict) or name in wide.required:
        return False
    branches = [node for union in wide.branches for node in union]
    if all(name in b.required or (name in b.properties and b.child(name).allowed) for b in branches):
        return False
    return not as_declared(location.value, [node.declared for node in branches])


def may_be(node: SchemaNode, value: Any) -> bool:
    """Return whether a value is of a place's type, one of those listed, and has what it needs."""
    if isinstance(value, dict) and not node.required <= value.keys():
        return False
    return admits(node.types, json_type(value)) and (not node.allowed or is_one_of(value, node.allowed))


def mixes_objects(issue: ValidationIssue) -> bool:
    """Return whether an object stands where another value belongs, or another value where an object belongs."""
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
