"""Describe the values that a field accepts, in a few words: `string, max 80`, `integer >= 1`, `array of
strings, 1-5 items`.

A summary depends only on the schema and is cached on the schema's node.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from toolgen_runtime.hints.quoting import choice, choices, clean, first, pattern_shown, prose, shown
from toolgen_runtime.schema.keywords import LIMITS
from toolgen_runtime.schema.node import SchemaNode, once_per_node
from toolgen_runtime.schema.shapes import TYPES
from toolgen_runtime.validation.issues import ANY_ITEM

MAX_DESCRIPTION = 100
MAX_NAMED = 5
MAX_FORMS = 3
MAX_KEYS = 80
"""The most characters for the keys of an object, including the keys of nested objects."""
MAX_LISTED = 160
"""The most characters for all allowed values; if they are longer, only the first `MAX_NAMED` are listed."""
_INFORMATIVE = re.compile(
    r"\d|e\.g|example|format|ISO|YYYY|such as|percent|prefix|must|[<{].+[>}]"
    r"|\bfrom\b|returned by|obtained|markdown",
    re.IGNORECASE,
)
"""Matches a description that can help to correct a wrong value."""
_SAFE_INTEGER = 2**53 - 1
"""The limit that zod writes for every integer; hints ignore it."""
_CONSONANT = ("uri", "url", "uuid", "unique", "unix")
"""Words that begin with a vowel letter but take the article "a"."""

Bound = tuple[int | float, bool]
"""A limit, and whether it is exclusive."""


class Summary(NamedTuple):
    """What a hint says about the values that a field accepts."""

    expects: str
    """Type and limits in brief."""
    wanted: str
    """The value to send, with articles: `an array of strings, 1-5 items`, `an integer or one of: low, high`.

    It leaves out `items`.
    """
    items: str
    """The allowed values of an array's items: `red, green`."""
    explanation: str
    """The description if it can help to correct a wrong value, else `""`."""
    description: str | None
    """This and the following are what a `FieldHint` shows."""
    type: str | None
    pattern: str | None
    minimum: int | float | None
    maximum: int | float | None
    format: str | None


@once_per_node
def summary_of(node: SchemaNode) -> Summary:
    """Return the summary of a schema node. All hints share it."""
    description = prose(node.first("description", str) or "", MAX_DESCRIPTION)
    explanation = ""
    if _INFORMATIVE.search(description):
        explanation = description
    pattern = node.first("pattern", str)
    if pattern is not None:
        pattern = pattern_shown(pattern)
    kinds = [_named_type(node, name) for name in node.types]
    kind = " or ".join(kinds)
    unit, least, most, factor = _bounds_of(node)
    expects = wanted = _expects(node, kind, _span(unit, least, most) + factor, pattern)
    items, forms, plain = _items(node), _forms_of_union(node), " or ".join(map(with_article, kinds))
    if forms not in ("", plain):  # the branches limit more than the type
        expects = wanted = forms
    elif node.allowed or len(kinds) > 1:
        wanted = plain
    else:
        wanted = with_article(expects)
    return Summary(
        expects + _each_of(items),
        wanted=wanted,
        items=items,
        explanation=explanation,
        description=description or None,
        type=kind or None,
        pattern=pattern,
        minimum=_inclusive(node, least, 1),
        maximum=_inclusive(node, most, -1),
        format=node.first("format", str),
    )


def summary_under(node: SchemaNode, keyword: str) -> Summary:
    """Return the summary of a node's subschema, such as that of `contains`."""
    return summary_of(node.schema.node([node.first(keyword, dict) or {}], []))


def required_of(node: SchemaNode) -> list[str]:
    """Return the required keys, in the order of the schema's properties."""
    declared = [n for n in node.properties if n in node.required]
    return declared + sorted(node.required.difference(declared))


def listed_values(
    values: Sequence[Any], write: Callable[[Any], str] = choice, longest: int = MAX_LISTED
) -> str:
    """Return all values as text if that has at most `longest` characters, otherwise the first ones."""
    texts = [*map(write, values[:longest])]
    text = ", ".join(texts)
    if len(text) <= longest:
        return text
    return ", ".join(first(texts, MAX_NAMED))


def alternatives(branches: Sequence[SchemaNode], values: Sequence[Any] = ()) -> str:
    """Return what each branch of a union accepts; the allowed values, if any, come last: `an integer or one of: a, b`.

    `values` are the allowed values, if they are not those of the branches.
    """
    others = [summary_of(branch) for branch in branches if not branch.allowed]
    forms = dict.fromkeys([summary.wanted + _each_of(summary.items) for summary in others])
    values = values or [value for branch in branches for value in branch.allowed]
    listed = ""
    if len(values) == 1:
        listed = shown(values[0])
    elif values:
        listed = f"one of: {listed_values(values)}"
    return " or ".join(filter(None, (*sorted(forms, key=has_list), listed)))


def has_list(phrase: str) -> bool:
    """Return whether a phrase ends with allowed values, so that a comma after it would continue their list."""
    return "one of: " in phrase


def with_article(phrase: str) -> str:
    """Add the article to a type: `a string, max 80`.

    A phrase that needs no article is returned unchanged.
    """
    if not phrase[:1].isalpha() or phrase == "null":
        return phrase
    if phrase[0] in "aeiouAEIOU" and not phrase.startswith(_CONSONANT):
        return f"an {phrase}"
    return f"a {phrase}"


def counted(count: str, unit: str) -> str:
    """Return an amount in words: `1 item`, `at least 2 items`."""
    if f" {count}".endswith(" 1"):
        return f"{count} {unit}"
    return f"{count} {unit}s"


def _named_type(node: SchemaNode, name: str) -> str:
    if name == "array":
        items = node.child(ANY_ITEM).types
        if len(items) == 1 and items[0] in TYPES:
            return f"array of {items[0]}s"
    return clean(name[:20])


def _forms_of_union(node: SchemaNode) -> str:
    """Return what a union of few branches accepts; an empty string if all are objects or one does not say it."""
    if len(node.unions) != 1 or node.types == ("object",) or node.allowed:
        return ""
    branches = node.branches[0]
    if len(branches) > MAX_NAMED or not all(summary_of(branch).expects for branch in branches):
        return ""
    return alternatives(branches)


def _each_of(items: str) -> str:
    """Return the allowed values of an array's items as the end of its type."""
    return items and f", each one of: {items}"


def _items(node: SchemaNode) -> str:
    """Return the allowed values of an array's items; an empty string for other fields."""
    if node.types != ("array",):
        return ""
    return listed_values(node.child(ANY_ITEM).allowed_or_null)


def _expects(node: SchemaNode, kind: str, span: str, pattern: str | None) -> str:
    if len(node.allowed) == 1:
        return choice(node.allowed[0])
    if node.allowed:
        return f"one of: {listed_values(node.allowed_or_null)}"
    item = node.child(ANY_ITEM)
    name = node.first("format", str)
    if node.types == ("object",):
        kind += _forms(node)
    elif node.types == ("array",) and item.types == ("object",) and not item.unions:
        kind += _members(item)
    elif name is not None:
        return f"{clean(name[:30])} {kind or 'string'}{span}"
    elif pattern is not None:
        return f"{kind or 'string'}{span} matching {pattern}"
    return kind + span


def _forms(node: SchemaNode) -> str:
    """Return the keys of an object; for a union of a few objects, the keys of each: `with a, or one with b`."""
    if node.unions and not node.required:
        forms = [_members(form).replace(", ", " and ") for form in node.leaf_nodes]
        if 1 < len(forms) <= MAX_FORMS and all(forms):
            return ", or one".join(forms)
    return _members(node)


def _members(node: SchemaNode) -> str:
    """Return the required keys of an object, such as ` with title, body`.

    If there are none, return the keys that every branch of a union requires, or else some of the optional keys.
    """
    if node.required:
        named = first(required_of(node), MAX_NAMED)
        text = ", ".join([_with_its_own(node.child(n), n) for n in named])
        if len(text) > MAX_KEYS:
            text = choices(named)
        return f" with {text}"
    if shared := [name for name in node.properties if all(name in form.required for form in node.leaf_nodes)]:
        return f" with {', '.join([_with_values(node.child(name), name) for name in shared[:MAX_NAMED]])}"
    if node.properties:
        return f" with any of {choices(first([*node.properties], MAX_NAMED))}"
    return ""


def _with_values(node: SchemaNode, name: str) -> str:
    """Return a key with its allowed values, such as `kind (circle, square)`."""
    if node.allowed:
        return f"{choice(name)} ({choices(first(node.allowed, MAX_NAMED))})"
    return choice(name)


def _with_its_own(node: SchemaNode, name: str) -> str:
    """Return a key. For an object or a list of objects, add the required keys inside it: `start {dateTime}`."""
    inner = node
    if node.types == ("array",):
        inner = node.child(ANY_ITEM)
    needed = required_of(inner)
    if not needed:
        return choice(name)
    keys = f"{{{choices(first(needed, MAX_NAMED))}}}"
    if inner is not node:
        keys = f"[{keys}]"
    return f"{choice(name)} {keys}"


def _inclusive(node: SchemaNode, bound: Bound | None, step: int) -> int | float | None:
    """Return a bound as an inclusive limit.

    An exclusive bound becomes the next integer, or None if the field also accepts other numbers.
    """
    if bound is None:
        return None
    limit, is_exclusive = bound
    if not is_exclusive:
        return limit
    if node.types == ("integer",) and limit == int(limit):
        return int(limit) + step
    return None


def _bounds_of(node: SchemaNode) -> tuple[str, Bound | None, Bound | None, str]:
    """Return what is counted in a value (empty for a number itself), the least and the most of it, and what a number
    must be a multiple of, as text.

    In draft 04, `exclusiveMinimum: true` makes `minimum` exclusive.
    """
    kinds = ["number" if name == "integer" else name for name in node.types]
    unit = factor = ""
    bounds: dict[str, list[Bound]] = {"least": [], "most": []}
    for row in LIMITS.values():
        if kinds != [row.kind] or row.measure is None or row.comparison is None:
            continue
        unit = row.measure.unit
        for raw in node.raws:
            limit: Any = raw.get(row.name)
            if type(limit) not in (int, float) or abs(limit) == _SAFE_INTEGER:
                continue
            if row.comparison.side == "":
                factor = f", {row.said(shown(limit))}"
            else:
                is_exclusive = row.comparison.strict or raw.get("exclusive" + row.name.capitalize()) is True
                bounds[row.comparison.side].append((limit, is_exclusive))
    most = min(bounds["most"], key=lambda bound: (bound[0], not bound[1]), default=None)
    return unit, max(bounds["least"], default=None), most, factor


def _span(unit: str, least: Bound | None, most: Bound | None) -> str:
    """Return limits as text: ` 1 to 5`, ` >= 0 and < 1`, `, 1-2 items` or, for a string, `, max 80`."""
    low, high = least and shown(least[0]), most and shown(most[0])
    if not unit:
        if least and most and not least[1] and not most[1]:
            return f" {low} to {high}"
        return " and".join(filter(None, (_bound(">", least), _bound("<", most))))
    if low and high:
        count = f"{low}-{high}"
        if low == high:
            count = f"exactly {low}"
        return f", {counted(count, unit)}"
    if not low and not high:
        return ""
    if unit == "character":
        return f", max {high}" if high else f", min {low}"
    return ", " + counted(f"at most {high}" if high else f"at least {low}", unit)


def _bound(sign: str, bound: Bound | None) -> str:
    if bound is None:
        return ""
    limit, is_exclusive = bound
    if not is_exclusive:
        sign += "="
    return f" {sign} {shown(limit)}"
