"""Issues, gathered per place of the payload and joined with what the schema says there."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from toolgen_runtime.hints.text import choice as choice_text
from toolgen_runtime.hints.text import name_shown, shown
from toolgen_runtime.schema.facts import Path, Place, SchemaFacts
from toolgen_runtime.validation.issues import MISSING, Secret, ValidationIssue, key_text, revealed

UNKNOWN = frozenset(("additionalProperties", "unevaluatedProperties", "propertyNames"))
"""Constraints whose path ends in a key that should not be there."""


class Finding:
    """All that is wrong at one place: its issues, the place's facts, and what was found out about them."""

    __slots__ = (
        "choice",
        "constraint",
        "did_you_mean",
        "got",
        "group",
        "issues",
        "keys_named",
        "missing",
        "path",
        "place",
        "rename_from",
        "rename_sure",
        "seat",
        "secret",
        "siblings",
        "tag",
        "unknown",
    )

    def __init__(self, path: Path, issue: ValidationIssue, constraint: str, seat: Seat, place: Place):
        self.path = path
        self.issues = [issue]
        self.constraint = constraint
        self.got = revealed(issue.got)
        """The offending value of the first issue."""
        self.place = place
        self.seat = seat
        """The object or array that it stands in; its own place at the root."""
        self.secret = (
            isinstance(issue.got, Secret)
            or seat.secret
            or place.secret
            or (path != () and seat.hides(path[-1]))
        )
        """Whether the value may not be shown."""
        self.missing = constraint == "required" and path != ()
        """Whether something is not there that should be."""
        self.unknown = constraint in UNKNOWN and path != ()
        """Whether the key itself should not be there."""
        self.choice = seat.choice
        self.tag = False
        """Whether it is the missing or wrong tag of a union."""
        self.rename_from: str | None = None
        self.rename_sure = False
        self.did_you_mean: Any = None
        self.siblings: Sequence[Finding] = ()
        """Missing fields of one object that share this line."""
        self.group: Sequence[Finding] = ()
        """The findings of many items that share this line, this one first."""
        self.keys_named = False
        """Whether an earlier line has named the valid keys already."""


class Seat:
    """A place as a payload fills it: union branches narrowed to what its value can mean."""

    __slots__ = ("choice", "place", "secret", "value", "wide")

    def __init__(self, wide: Place, place: Place, value: Any, choice: str, secret: bool):
        self.wide = wide
        """The same place with all its branches."""
        self.place = place
        self.value = value
        self.choice = choice
        self.secret = secret
        """Whether the place, or one above it, is secret."""

    def has_strays(self) -> bool:
        """Whether the payload has a key here that the schema does not declare."""
        return isinstance(self.value, dict) and not self.value.keys() <= self.place.properties.keys()

    def hides(self, step: str | int) -> bool:
        """Whether a member's name, or any branch, also one that was not meant, makes a secret of it."""
        return self.place.schema.names_secret(step) or (
            self.wide is not self.place and self.wide.child(step).secret
        )


class Walker:
    """Leads paths through schema and payload together; each parent is looked up once."""

    __slots__ = ("_facts", "_payload", "_seats")

    def __init__(self, facts: SchemaFacts, payload: Any):
        self._facts = facts
        self._payload = payload
        self._seats: dict[Path, Seat] = {}

    def seat(self, path: Path) -> Seat:
        """The seat at a path; below what the payload does not have, the schema alone is followed."""
        found = self._seats.get(path)
        if found is None:
            found = self._seats[path] = self._walk(path)
        return found

    def _walk(self, path: Path) -> Seat:
        place, value, choice = self._facts.root, self._payload, ""
        secret = place.write_only
        wide = place
        for step in path:
            if place.unions:
                secret = secret or place.child(step).write_only
                place, choice = _narrowed(place, value, choice)
            place = wide = place.child(step)
            secret = secret or place.write_only or self._facts.names_secret(step)
            value = value.get(step, MISSING) if type(value) is dict else below(value, step)
        if place.unions:
            place, choice = _narrowed(place, value, choice)
        return Seat(wide, place, value, choice, secret)


def _narrowed(place: Place, value: Any, choice: str) -> tuple[Place, str]:
    narrow, tag = place.narrow(value)
    if not tag:
        return narrow, choice
    hidden = narrow.child(tag).write_only or narrow.schema.names_secret(tag)
    told = "" if hidden else f"={shown(value[tag])}"
    return narrow, f"{choice_text(tag)}{told}"


def below(value: Any, step: str | int) -> Any:
    """The member of a payload's value, `MISSING` where there is none."""
    if isinstance(value, dict):
        return value.get(step, MISSING)
    if isinstance(value, list) and isinstance(step, int) and 0 <= step < len(value):
        return value[step]
    return MISSING


def gather(walker: Walker, issues: Sequence[ValidationIssue]) -> list[Finding]:
    """One finding per place, in the order of the issues."""
    found: dict[Path, Finding] = {}
    for issue in issues:
        path, constraint = issue.path, issue.constraint
        if constraint == "dependentRequired" and isinstance(issue.expected, str):
            path, constraint = (*path, issue.expected), "required"
        if path in found:
            found[path].issues.append(issue)
            continue
        seat = walker.seat(path[:-1])
        if constraint == "required" and seat.wide.unions and len(path) > 1 and _undecided(seat, path[-1]):
            path, constraint = path[:-1], "anyOf"
            if path in found:
                continue
            seat = walker.seat(path[:-1])
        place = seat.place.child(path[-1]) if path else seat.place
        found[path] = finding = Finding(path, issue, constraint, seat, place)
        if seat.place.unions and path:
            _tell_branch(finding, seat)
    return [*found.values()]


def _undecided(seat: Seat, name: str | int) -> bool:
    """Whether a name that a union lacks guesses at a branch of which nothing was sent; a tag is asked for anyway."""
    wide = seat.wide
    if not isinstance(seat.value, dict) or name in wide.required:
        return False
    profiles = [p for union in wide.profiles for p in union]
    return not all(name in p.tags for p in profiles) and not any(k in wide.properties for k in seat.value)


def _tell_branch(finding: Finding, seat: Seat) -> None:
    """Within a union that no tag has decided: is this its tag, or which branch alone knows the field?"""
    name = key_text(finding.path[-1])
    for union, profiles in zip(seat.place.unions, seat.place.profiles, strict=True):
        if all(name in p.tags for p in profiles) and any(
            p.tags[name] != profiles[0].tags[name] for p in profiles
        ):
            finding.tag = finding.missing or finding.constraint in ("enum", "const")
            return
        at_home = [
            p for p in profiles if name in (p.place.required if finding.missing else p.place.properties)
        ]
        if len(at_home) == 1 and len(union) > 1:
            finding.choice = _untagged(at_home[0].place, [p.place for p in profiles], seat.value)
            return


def _untagged(meant: Place, branches: list[Place], value: Any) -> str:
    """Why a branch without a tag was taken to be meant: its title, or a key that only it has."""
    title = next((raw["title"] for raw in meant.raws if isinstance(raw.get("title"), str)), None)
    if title is not None:
        return f"as {name_shown(title)}"
    others = [b for b in branches if b is not meant]
    for key in meant.properties:
        if isinstance(value, dict) and key in value and not any(key in b.properties for b in others):
            return f"with {name_shown(key)}"
    return ""
