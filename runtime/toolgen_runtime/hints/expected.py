"""Describe the values that a field accepts, in a few words: `string, max 80`, `integer >= 1`, `array of
strings, 1-5 items`.

A summary depends only on the schema and is cached on the schema's node.
"""

from __future__ import annotations

import re
from typing import Any, NamedTuple

from toolgen_runtime.hints.quoting import choices, clean, prose, shown
from toolgen_runtime.schema.keywords import LIMITS, Measure
from toolgen_runtime.schema.node import SchemaNode, once_per_node
from toolgen_runtime.schema.shapes import TYPES
from toolgen_runtime.validation.issues import ANY_ITEM

MAX_DESCRIPTION = 100
MAX_PATTERN = 60
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
_NUMBERS = (("integer",), ("number",))

Bound = tuple[int | float, bool]
"""A limit, and whether it is exclusive."""


class Summary(NamedTuple):
    """What a hint says about the values that a field accepts."""

    expects: str
    """Type and limits in brief."""
    wanted: str
    """The value to send, with articles: `a string or an integer`, or one type with its limits."""
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
    description, allowed = prose(node.first("description", str) or "", MAX_DESCRIPTION) or None, node.allowed
    kinds = [_named_type(node, name) for name in node.types]
    listed = choices(allowed[:MAX_LISTED])
    if len(listed) > MAX_LISTED:
        listed = choices(allowed[:MAX_NAMED]) + ", …"
    kind, bounds, pattern = " or ".join(kinds), _bounds_of(node), _pattern_of(node)
    least, most = next(iter(bounds.values()), (None, None))
    span = "".join([_within(measure, *pair) for measure, pair in bounds.items()])
    expects = _expects(node, kind, listed, span, pattern)
    several = allowed or len(kinds) > 1
    helps = description is not None and _INFORMATIVE.search(description)
    return Summary(
        expects,
        wanted=" or ".join(map(with_article, kinds)) if several else with_article(expects),
        explanation=description or "" if helps else "",
        description=description,
        type=kind or None,
        pattern=pattern,
        minimum=_inclusive(node, least, 1),
        maximum=_inclusive(node, most, -1),
        format=node.first("format", str),
    )


def listed_values(values: tuple[Any, ...]) -> str:
    """Return allowed values as text: `"all"`, or `one of: low, high`."""
    if len(values) == 1:
        return shown(values[0])
    return f"one of: {choices(values[:MAX_NAMED])}"


def with_article(phrase: str) -> str:
    """Add the article to a type: `a string, max 80`.

    A phrase that needs no article is returned unchanged.
    """
    if not phrase or phrase.startswith(("one of", "a ", "an ", "null")) or not phrase[0].isalpha():
        return phrase
    vowel = phrase[0] in "aeiouAEIOU" and not phrase.startswith(_CONSONANT)
    return f"{'an' if vowel else 'a'} {phrase}"


def _named_type(node: SchemaNode, name: str) -> str:
    if name != "array":
        if name in TYPES:
            return name
        return clean(name[:20])
    items = node.child(ANY_ITEM).types
    if len(items) == 1 and items[0] in TYPES:
        return f"array of {items[0]}s"
    return "array"


def _expects(node: SchemaNode, kind: str, listed: str, span: str, pattern: str | None) -> str:
    if node.allowed:
        if len(node.allowed) == 1:
            return listed
        return f"one of: {listed}"
    if kind:
        parts = [kind + span]
    else:
        parts = []
    if (name := node.first("format", str)) is not None:
        parts = [f"{clean(name[:30])} {kind or 'string'}{span}"]
    elif pattern is not None:
        parts.append(f"matching {pattern}")
    if node.types == ("object",):
        forms = [" ".join(_members(form)) for form in _forms(node)]
        if len(forms) > 1:
            forms = [form.replace(", ", " and ") for form in forms]
        return " ".join([*parts, ", or one ".join(forms)]).strip()
    if node.types == ("array",):
        item = node.child(ANY_ITEM)
        if item.types == ("object",) and len(item.unions) == 0:
            parts[:1] = [" ".join([kind, *_members(item)]) + span]
    return " ".join(parts)


def _forms(node: SchemaNode) -> list[SchemaNode]:
    """Return the object branches of a union if there are few; otherwise return a list with only the node itself."""
    if node.unions and not node.required:
        forms = node.leaf_nodes
    else:
        forms = []
    if 1 < len(forms) <= MAX_FORMS and all(map(_members, forms)):
        return forms
    return [node]


def _members(node: SchemaNode) -> list[str]:
    """Return the required keys of an object, such as `with title, body`.

    If there are none, return some of its optional keys.
    """
    names = [n for n in node.properties if n in node.required] or sorted(node.required)
    if names:
        return ["with " + _names(names, [_with_its_own(node.child(n), n) for n in names[:MAX_NAMED]])]
    if node.properties:
        return ["with any of " + _names([*node.properties], [])]
    return []


def _names(names: list[str], told: list[str]) -> str:
    text = ", ".join(told)
    if not told or len(text) > MAX_KEYS:
        text = choices(names[:MAX_NAMED])
    return text + ("" if len(names) <= MAX_NAMED else ", …")


def _with_its_own(node: SchemaNode, name: str) -> str:
    """Return a key. For an object or a list of objects, add the required keys inside it: `start {dateTime}`."""
    is_list = node.types == ("array",)
    if is_list:
        inner = node.child(ANY_ITEM)
    else:
        inner = node
    if inner.types == ("object",):
        needed = [n for n in inner.properties if n in inner.required]
    else:
        needed = []
    if not needed:
        return choices([name])
    keys = f"{{{choices(needed[:MAX_NAMED])}{', …' if len(needed) > MAX_NAMED else ''}}}"
    return f"{choices([name])} {f'[{keys}]' if is_list else keys}"


def _inclusive(node: SchemaNode, bound: Bound | None, step: int) -> int | float | None:
    """Return a bound as an inclusive limit.

    An exclusive bound becomes the next integer, or None if the field also accepts other numbers.
    """
    if bound is None or not bound[1]:
        return bound and bound[0]
    if node.types == ("integer",) and bound[0] == int(bound[0]):
        return int(bound[0]) + step
    return None


def _bounds_of(node: SchemaNode) -> dict[Measure, tuple[Bound | None, Bound | None]]:
    """Return a node's lower and upper bounds for each measure, in the order of the rows in `LIMITS`.

    In draft 04, `exclusiveMinimum: true` makes `minimum` exclusive.
    """
    if len(node.types) == 1:
        kind = node.types[0]
    else:
        kind = ""
    if node.types in _NUMBERS:
        kind = "number"  # the limits of integers are those of numbers
    found: dict[Measure, tuple[Bound | None, Bound | None]] = {}
    for row in LIMITS.values():
        measure, comparison = row.measure, row.comparison
        if row.kind != kind or measure is None or comparison is None or not comparison.side:
            continue
        flag = f"exclusive{row.name[:1].upper()}{row.name[1:]}"
        for raw in node.raws:
            limit = raw.get(row.name)
            if isinstance(limit, bool) or not isinstance(limit, (int, float)) or abs(limit) == _SAFE_INTEGER:
                continue
            bound = (limit, comparison.strict or raw.get(flag) is True)
            least, most = found.get(measure, (None, None))
            if comparison.side == "least":
                least = max(least or bound, bound)
            else:
                most = min(most or bound, bound, key=lambda b: (b[0], not b[1]))
            found[measure] = (least, most)
    return found


def _within(measure: Measure, least: Bound | None, most: Bound | None) -> str:
    if measure.unit:
        return ", " + _size(least and least[0], most and most[0], measure.unit)
    if least and most and not least[1] and not most[1]:
        return f" {shown(least[0])} to {shown(most[0])}"
    return _bound(">", least) + _bound("<", most)


def _bound(sign: str, bound: Bound | None) -> str:
    if bound is None:
        return ""
    return f" {sign if bound[1] else f'{sign}='} {shown(bound[0])}"


def _size(least: int | float | None, most: int | float | None, unit: str) -> str:
    """Return the allowed size, such as `exactly 2 items`, `1-2 items` or `at least 1 item`.

    For a string, return `max 80`.
    """
    if least is not None and most is not None:
        if least == most:
            count = f"exactly {shown(least)}"
        else:
            count = f"{shown(least)}-{shown(most)}"
        return f"{count} {unit}{'' if most == 1 else 's'}"
    if least is None:
        bound = most
    else:
        bound = least
    if unit == "character":
        return f"{'max' if least is None else 'min'} {shown(bound or 0)}"
    return f"at {'most' if least is None else 'least'} {shown(bound or 0)} {unit}{'' if bound == 1 else 's'}"


def _pattern_of(node: SchemaNode) -> str | None:
    """Return the pattern on one line, shortened to `MAX_PATTERN` characters."""
    pattern = node.first("pattern", str)
    if pattern is None:
        return None
    text = clean(pattern[: MAX_PATTERN + 1])
    if len(text) <= MAX_PATTERN:
        return text
    return text[: MAX_PATTERN - 1] + "…"
