"""Find the branch of a union that an invalid value was meant for.

First the value itself is compared with the branches, and then the number of issues.

Each step selects among the branches that the previous step has left:

1. The branches that allow the value's type.
2. Tags, that is, keys whose values distinguish branches. A tag value that belongs to no branch is itself the issue.
3. The keys of the value: the branches that declare most of them; keys with null only break ties.
4. The fewest issues, then the least depth. If branches are equal in every respect, there is one issue for the whole
   union, which describes what each branch requires.
"""

from __future__ import annotations

from toolgen_runtime.schema.keywords import UNKNOWN_KEYS
from toolgen_runtime.schema.spelling import MAX_COMPARED_NAME, fold
from toolgen_runtime.validation.issues import ValidationIssue

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Any, Final

    Issues = list[ValidationIssue]
    Keys = Mapping[str, tuple[Any, ...] | None]
    """The keys that a branch declares, each with its allowed scalars; None if the key is not limited to some."""

MAX_FORMS: Final = 8
"""The maximum number of branches that one issue describes, and of issues that describe a branch."""
MAX_COMPARED_DEPTH: Final = 30
"""The maximum number of path steps to compare; comparing longer paths at each level would take quadratic time."""


def meant(value: Any, found: Sequence[Issues], keys: Sequence[Keys], constraint: str) -> Issues:
    """Return the issues of the branch that a value was meant for. If this is unclear, return one issue for
    the union.

    Args:
        value: the value, which matches no branch.
        found: the issues of each branch, with paths that begin at the value; no list is empty.
        keys: the keys that each branch declares; empty if no branch declares keys.
        constraint: the keyword of the union.
    """
    others = {i for i, some in enumerate(found) if any(x.constraint == "type" and not x.path for x in some)}
    kept = [i for i in range(len(found)) if i not in others] or [*range(len(found))]
    if keys and isinstance(value, dict):
        kept, tag, allowed = choose(value, keys, kept)
        if allowed:
            return [ValidationIssue((tag,), "enum", allowed, value[tag])]
        if len(kept) == 1:
            return found[kept[0]]
    sizes = {i: _size(found[i]) for i in kept}
    least = min(sizes.values())
    return _issues_of_equals(value, [found[i] for i in kept if sizes[i] == least], constraint)


def _size(issues: Issues) -> tuple[bool, int, int]:
    """Return the values to minimize: whether a key's value is wrong, the number of issues, and their depth."""
    other_value = any(issue.constraint in ("const", "enum") and len(issue.path) == 1 for issue in issues)
    return other_value, len(issues), sum(len(issue.path) for issue in issues)


def choose(
    value: Mapping[Any, Any], keys: Sequence[Keys], kept: list[int]
) -> tuple[list[int], str, tuple[Any, ...]]:
    """Return the branches that an object may be meant for, the tag that decided this, and the values of the
    tag.

    The branches are chosen by tags and keys. The tag is the key whose value decided or would have decided; `""` if
    there is none. Its values in all branches are returned only if the object's value is not one of them.
    """
    if len(kept) < 2:
        return kept, "", ()
    sent = as_declared(value, [keys[i] for i in kept])
    tags, left, decided = _tags(sent, keys, kept), kept, ""
    for first in tags:
        tag: _Tag | None = first
        if left is not kept:  # the values of fewer branches: the tag may decide no longer
            tag = _tag(first.key, sent[first.key], keys, left)
        if tag is None:
            continue
        if known := tag.hits or tag.near_hits:
            decided = decided or (tag.key if tag.hits and tag.key in value else "")
            left = [i for i in left if i in known or i not in tag.limits]
        elif tag.key in value and tag.is_wrong(keys, left):
            return [*tag.limits], tag.key, tag.values
    if len(left) > 1:
        left = _with_most_keys(sent, keys, left)
    for first in tags:  # find a tag whose value is wrong in all remaining branches
        if first.hits or first.key not in value:
            continue
        tag = first
        if not first.names:
            tag = _tag(first.key, value[first.key], keys, left)
        if tag is not None and all(i in tag.limits for i in left):
            return left, tag.key, tag.values
    return left, decided, ()


def as_declared(value: Mapping[Any, Any], branches: Sequence[Keys]) -> dict[str, Any]:
    """Return the entries of an object that the branches declare, with their keys spelled as declared.

    The keys of the object may differ from these names in case and separators.
    """
    names: dict[str, object] = {}
    for branch in branches:
        names.update(branch)
    sent = {name: value[name] for name in names if name in value}
    if len(sent) < len(value):
        folded = {fold(name): name for name in names}
        for key in value:
            if (
                isinstance(key, str)
                and len(key) <= MAX_COMPARED_NAME
                and key not in names
                and (name := folded.get(fold(key))) is not None
            ):
                sent.setdefault(name, value[key])
    return sent


def _tags(sent: Mapping[str, Any], keys: Sequence[Keys], kept: list[int]) -> list[_Tag]:
    """Return the tags among the keys of the value: first those that name branches, then those with a known value."""
    tags = [tag for key in sent if (tag := _tag(key, sent[key], keys, kept)) is not None]
    if len(tags) > 1:
        tags.sort(key=lambda tag: (not tag.names, not tag.disjoint, not tag.hits))
    return tags


def _tag(key: str, sent: Any, keys: Sequence[Keys], kept: list[int]) -> _Tag | None:
    """Return a key as a tag for the branches in `kept`; None if its values do not distinguish any of them."""
    limits = {i: values for i in kept if (values := keys[i].get(key))}
    if len(limits) < 2:
        return None
    first, *others = limits.values()
    if any(other != first for other in others):
        return _Tag(key, sent, limits)
    return None


class _Tag:
    """A key whose values distinguish branches, with the value that was sent."""

    __slots__ = ("disjoint", "hits", "key", "limits", "names", "near", "near_hits", "values")

    def __init__(self, key: str, sent: Any, limits: dict[int, tuple[Any, ...]]) -> None:
        self.key = key
        self.limits = limits
        """The values of each branch that limits the key."""
        every = {(v, type(v) is bool): v for values in limits.values() for v in values}
        self.values = tuple(every.values())
        self.disjoint = len(every) == sum(map(len, limits.values()))
        self.names = self.disjoint and any(len(values) == 1 for values in limits.values())
        """Whether the key identifies the branch, as `kind: Literal["get"]` does."""
        self.hits = _branches_with(sent, limits)
        """The branches that allow the sent value."""
        near = (i for i, values in limits.items() if any(_is_near(sent, v) for v in values))
        if self.hits:
            self.near = []
        else:
            self.near = list(near)
        """The branches that allow it in another spelling, if none allows the value itself."""
        self.near_hits = [] if self.disjoint else self.near

    def is_wrong(self, keys: Sequence[Keys], kept: list[int]) -> bool:
        """Return whether the tag's value is the only issue to report. No branch allows this value."""
        others = [keys[i] for i in kept if i not in self.limits]
        if not self.disjoint or any(self.key in other for other in others):
            return False
        return bool(self.near) or (self.names and not others)


def _branches_with(sent: Any, limits: dict[int, tuple[Any, ...]]) -> list[int]:
    if not isinstance(sent, str | int | float):
        return []
    is_bool = isinstance(sent, bool)
    return [
        i
        for i, values in limits.items()
        if sent in values and any(v == sent and isinstance(v, bool) is is_bool for v in values)
    ]


def _is_near(sent: Any, value: Any) -> bool:
    """Return whether two values differ only in case or separators, or in being text instead of a number or boolean."""
    if not isinstance(sent, str | int | float) or (isinstance(sent, str) and len(sent) > MAX_COMPARED_NAME):
        return False
    return fold(_text(sent)) == fold(_text(value))


def _text(value: Any) -> str:
    if isinstance(value, int) and not isinstance(value, bool) and value.bit_length() > MAX_COMPARED_NAME:
        return ""
    if isinstance(value, str):
        return value
    return str(value).lower()


def _with_most_keys(sent: Mapping[str, Any], keys: Sequence[Keys], kept: list[int]) -> list[int]:
    """Return the branches that declare the most of the sent keys."""
    filled = {key for key, value in sent.items() if value is not None}
    counts = {i: (len(filled & keys[i].keys()), len(sent.keys() & keys[i].keys())) for i in kept}
    most = max(counts.values())
    return [i for i in kept if counts[i] == most]


def _issues_of_equals(value: Any, found: Sequence[Issues], constraint: str) -> Issues:
    """Return the issues that equally likely branches share, and one with the other requirements of each."""
    if len(found) == 1 or any(len(issue.path) > MAX_COMPARED_DEPTH for issues in found for issue in issues):
        return found[0]
    each = [{_what(issue): issue for issue in issues} for issues in found]
    first = each[0]
    shared = [issue for what, issue in first.items() if all(what in other for other in each[1:])]
    if len(shared) == min(map(len, each)):
        if len(shared) == len(first):
            return shared
        return found[0]
    known = {_what(issue) for issue in shared}
    forms = [_form(issue for what, issue in one.items() if what not in known) for one in each[:MAX_FORMS]]
    return [*shared, ValidationIssue((), constraint, tuple(forms), value)]


def _what(issue: ValidationIssue) -> tuple[object, ...]:
    return (issue.path, issue.constraint, repr(issue.expected))


def _form(issues: Iterable[ValidationIssue]) -> dict[str, Any]:
    """Return what issues require, as a schema: `{"required": ["width"], "properties": {"fit": {"type": "string"}}}`."""
    form: dict[str, Any] = {}
    for issue, _ in zip(issues, range(MAX_FORMS), strict=False):
        path = issue.path
        if issue.constraint == "required":
            _below(form, path[:-1]).setdefault("required", []).append(path[-1])
        elif issue.constraint in UNKNOWN_KEYS:
            _below(form, path[:-1])[issue.constraint] = issue.expected
        else:
            expected = issue.expected
            _below(form, path)[issue.constraint] = list(expected) if isinstance(expected, tuple) else expected
    return form


def _below(form: dict[str, Any], path: Sequence[Any]) -> dict[str, Any]:
    """Return the subschema at a path within a form. Create it if it is missing."""
    for step in path:
        if isinstance(step, int):
            form = form.setdefault("items", {})
        else:
            form = form.setdefault("properties", {}).setdefault(step, {})
    return form
