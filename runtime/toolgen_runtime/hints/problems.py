"""Issues, gathered per place of the payload and joined with what the schema says there; of very many, the first."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from toolgen_runtime.hints.edits import Edit, Reading
from toolgen_runtime.hints.text import choice as choice_text
from toolgen_runtime.hints.text import shown
from toolgen_runtime.hints.union_forms import sole_name
from toolgen_runtime.schema.facts import SchemaFacts
from toolgen_runtime.schema.keywords import UNKNOWN_KEYS
from toolgen_runtime.schema.node import Path, SchemaNode
from toolgen_runtime.validation.branches import as_declared
from toolgen_runtime.validation.field_path import ANY_ITEM
from toolgen_runtime.validation.issues import MISSING, Secret, ValidationIssue, key_text, revealed

UNKNOWN = UNKNOWN_KEYS
"""Constraints whose path ends in a key that should not be there."""
_LISTING = ("enum", "const")


class Problem:
    """All that is wrong at one path: its issues, its schema node, and what was found out about them."""

    # All are filled at once: CPython 3.11 reads a slot quickly, and a default of the class the long way.
    __slots__ = (
        "asked", "asks", "candidates", "choice", "constraint", "did_you_mean", "edits", "got", "group", "issues",
        "keys_named", "location", "missing", "moves", "node", "path", "reading", "readings", "rename_from",
        "rename_sure", "rule", "said", "secret", "shares_line", "siblings", "strays", "tag", "then", "unknown",
    )  # fmt: skip

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
        self.unknown = constraint in UNKNOWN and path != ()
        """Whether the key itself should not be there."""
        self.choice = location.choice
        """The branch of a union that was taken to be meant, and why."""
        self.tag = False
        """Whether it is the missing or wrong tag of a union."""
        self.rename_from: str | None = None
        self.rename_sure = False
        """Whether the rename, or leaving the key out, is certain."""
        self.did_you_mean: Any = None
        self.candidates: tuple[str, ...] = ()
        """The fields that an unknown key is equally like."""
        self.strays: tuple[str, ...] = ()
        """Keys that were sent and are not fields, where this one is missing."""
        self.reading: Reading | None = None
        """What the value was meant to be."""
        self.readings: list[Reading] = []
        """What else it may have been meant to be, if the check refuses that."""
        self.edits: tuple[Edit, ...] = ()
        """What would fix it."""
        self.rule = ""
        """What a repair calls those edits, where `reading` does not say."""
        self.said = ""
        """The whole sentence, where it is known already."""
        self.asked = ""
        """That sentence as a question, where its edits are not certain."""
        self.asks = False
        """Whether what is said is that question."""
        self.moves = False
        """Whether its edits put values at another level."""
        self.siblings: Sequence[Problem] = ()
        """Missing fields of one object that share this line."""
        self.group: Sequence[Problem] = ()
        """The problems of many items that share this line, this one first."""
        self.keys_named = False
        """Whether an earlier line has named the valid keys already."""
        self.then: Problem | None = None
        """What is wrong with the value under its new name; it shares this line."""
        self.shares_line = False
        """Whether it is the `then` of another."""

    def doubt(self) -> None:
        """Make what would fix it uncertain."""
        self.rename_sure = False
        self.reading = self.reading and self.reading._replace(certain=False)
        self.edits = tuple([edit._replace(certain=False) for edit in self.edits])
        if self.asked:
            self.said, self.asks = self.asked, True

    def withdraw(self) -> None:
        """Propose nothing."""
        self.edits, self.reading, self.rename_from, self.rename_sure = (), None, None, False
        self.did_you_mean, self.candidates = None, ()

    def reads_choice(self) -> bool:
        """Return whether the value is one of a few that are listed."""
        return bool(self.node.allowed) or self.constraint in ("enum", "const")


class Location:
    """A place as a payload fills it: union branches narrowed to what its value can mean."""

    __slots__ = ("_strays", "choice", "node", "secret", "value", "wide")

    def __init__(self, wide: SchemaNode, node: SchemaNode, value: Any, choice: str, secret: bool):
        self.wide = wide
        """The same place with all its branches."""
        self.node = node
        self.value = value
        self.choice = choice
        self.secret = secret
        """Whether the place, or one above it, is secret."""
        self._strays: bool | None = None

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


class Locator:
    """Follows paths through schema and payload together; looks each parent up once."""

    __slots__ = ("_locations", "facts", "payload", "root")

    def __init__(self, facts: SchemaFacts, payload: Any):
        self.facts = facts
        self.payload = payload
        self.root = self._at(facts.root, payload, "", facts.root.write_only)
        """The location of the whole payload."""
        self._locations: dict[Path, Location] = {(): self.root}

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
        node, value = above.node.child(step), above.value
        secret = above.secret
        if self.facts.has_secrets:
            wide = above.wide.unions and above.wide.child(step).write_only
            secret = secret or bool(wide) or node.write_only or self.facts.names_secret(step)
        value = value.get(step, MISSING) if type(value) is dict else below(value, step)
        if not node.unions:
            return Location(node, node, value, above.choice, secret)
        return self._at(node, value, above.choice, secret)

    def _at(self, wide: SchemaNode, value: Any, choice: str, secret: bool) -> Location:
        node = wide
        if wide.unions:
            node, choice = _narrowed(wide, value, choice)
        return Location(wide, node, value, choice, secret)


def _narrowed(node: SchemaNode, value: Any, choice: str) -> tuple[SchemaNode, str]:
    narrow, tag = node.narrow(value)
    if not tag:
        return narrow, choice
    hidden = narrow.child(tag).write_only or narrow.schema.names_secret(tag)
    told = "" if hidden else f"={shown(value[tag])}"
    return narrow, f"{choice_text(tag)}{told}"


def below(value: Any, step: str | int) -> Any:
    """Return the member of a payload's value, `MISSING` where there is none."""
    if isinstance(value, dict):
        return value.get(step, MISSING)
    if isinstance(value, list) and isinstance(step, int) and 0 <= step < len(value):
        return value[step]
    return MISSING


def gather(locator: Locator, issues: Sequence[ValidationIssue]) -> list[Problem]:
    """Return one problem per path, in the order of the issues."""
    found: dict[Path, Problem] = {}
    for issue in issues:
        path, constraint = issue.path, issue.constraint
        if constraint == "dependentRequired" and isinstance(issue.expected, str):
            path, constraint = (*path, issue.expected), "required"
        elif not path and constraint not in _LISTING and (name := sole_name(issue.expected)) is not None:
            path, constraint = (
                (name,),
                "required",
            )  # a line names a field; that another would do is said there
        if path in found:
            found[path].issues.append(issue)
            continue
        location = locator.locate(path[:-1]) if len(path) > 1 else locator.root
        if (
            constraint == "required"
            and location.wide.unions
            and len(path) > 1
            and _undecided(location, path[-1])
        ):
            path, constraint = path[:-1], "anyOf"
            if path in found:
                continue
            location = locator.locate(path[:-1])
        node = location.node.child(path[-1]) if path else location.node
        found[path] = problem = Problem(path, issue, constraint, location, node)
        if location.wide.unions and path and not problem.choice:
            _tell_branch(problem, location)
    return [*found.values()]


def _undecided(location: Location, name: str | int) -> bool:
    """Whether a name that a union lacks guesses at a branch of which nothing was sent; a tag is asked for anyway."""
    wide = location.wide
    if not isinstance(location.value, dict) or name in wide.required:
        return False
    profiles = [p for union in wide.profiles for p in union]
    if all(name in p.tags or name in p.node.required for p in profiles):
        return False
    return not as_declared(location.value, [p.keys for p in profiles])


def _tell_branch(problem: Problem, location: Location) -> None:
    """Within a union that no tag has decided: is this its tag, or which branch alone knows the field?"""
    name = key_text(problem.path[-1])
    node = location.node if location.node.unions else location.wide
    for profiles in node.profiles:
        if all(name in p.tags for p in profiles) and any(
            p.tags[name] != profiles[0].tags[name] for p in profiles
        ):
            problem.tag = problem.missing or problem.constraint in ("enum", "const")
            return


MAX_ISSUES = 10_000
"""Issues that a hint looks at, in their order; of further ones, the first of each kind."""
MAX_KINDS = 64
"""Kinds of these: issues of one constraint in one place of many items."""


def first_issues(issues: list[ValidationIssue]) -> list[ValidationIssue]:
    """Return the first `MAX_ISSUES` issues, and the first of each kind that is not among them."""
    if len(issues) <= MAX_ISSUES:
        return issues
    first = issues[:MAX_ISSUES]
    known = {_kind(issue) for issue in first}
    end = len(known) + MAX_KINDS
    for issue in issues[MAX_ISSUES:]:
        kind = _kind(issue)
        if kind not in known:
            known.add(kind)
            first.append(issue)
            if len(known) == end:
                break
    return first


def _kind(issue: ValidationIssue) -> object:
    return issue.constraint, tuple([ANY_ITEM if type(step) is int else step for step in issue.path])
